#include "verdict/tarpax.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define DIGITS_MAX 7U /* of a record's length: no header is as long as that */
#define LARGEST    (UINT64_C(1) << 53)

static const char malformed[] = "a record of its pax header is malformed";

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

/* "path=" in a header for all that follow: some readers take it, some do not. */
static bool *told_of(const struct pmg_tarpax *pax, struct pmg_tarpax_told *told)
{
	if (strcmp(pax->key, "path") == 0)
		return &told->has_path;
	if (strcmp(pax->key, "linkpath") == 0)
		return &told->has_target;
	if (strcmp(pax->key, "size") == 0)
		return &told->has_size;
	return NULL;
}

/* node-tar makes any key a property of the entry: "type", "ignore". Those with a dot name none. */
static const char *check_key(const struct pmg_tarpax *pax, struct pmg_tarpax_told *told)
{
	static const char *const plain[] = { "atime", "charset", "comment",    "ctime", "gid",
					     "gname", "mtime",   "hdrcharset", "uid",   "uname" };
	const bool *has = told_of(pax, told);
	size_t i;

	if (has && pax->is_global)
		return "a pax header says it of all files";
	if (has && *has)
		return "its pax header says it twice";
	if (has)
		return NULL;
	if (pmg_str_has_prefix(pax->key, "GNU.sparse.") ||
	    strcmp(pax->key, "SCHILY.realsize") == 0 || strcmp(pax->key, "SUN.holesdata") == 0)
		return "it is a sparse file";
	for (i = 0; i < PMG_ARRAY_LEN(plain); i++)
		if (strcmp(pax->key, plain[i]) == 0)
			return NULL;
	return pax->has_dot ? NULL : "its pax header has a key that is not known";
}

static const char *read_length(struct pmg_tarpax *pax, unsigned char c)
{
	if (is_digit(c) && pax->digits < DIGITS_MAX && (c != '0' || pax->digits > 0)) {
		pax->left = pax->left * 10 + (size_t)(c - '0');
		pax->digits++;
		return NULL;
	}
	if (c != ' ' || pax->left <= pax->digits + 1)
		return malformed;
	pax->left -= pax->digits + 1;
	pax->at = PMG_TARPAX_NAME;
	return NULL;
}

static const char *read_key(struct pmg_tarpax *pax, unsigned char c, struct pmg_tarpax_told *told)
{
	if (--pax->left == 0 || c == '\n' || c == '\0')
		return malformed;
	if (c == '=') {
		pax->at = PMG_TARPAX_VALUE;
		return check_key(pax, told);
	}
	if (pax->n_key < PMG_TARPAX_KEY - 1)
		pax->key[pax->n_key++] = (char)c;
	pax->has_dot = pax->has_dot || c == '.';
	return NULL;
}

static const char *end_record(struct pmg_tarpax *pax, unsigned char c, struct pmg_tarpax_told *told)
{
	bool *has = told_of(pax, told);

	if (c != '\n' || (has && pax->n_value == 0))
		return malformed;
	if (has)
		*has = true;
	*pax = (struct pmg_tarpax){ .is_global = pax->is_global };
	return NULL;
}

/* Who goes by lines takes what follows a line's end for a record, where it reads as one. */
static bool may_be_record(const struct pmg_tarpax *pax, unsigned char c)
{
	return pax->is_new_line && (is_digit(c) || (c != '\0' && c <= ' ') || c >= 0x80);
}

static const char *read_value(struct pmg_tarpax *pax, unsigned char c, struct pmg_tarpax_told *told)
{
	bool *has = told_of(pax, told);

	if (--pax->left == 0)
		return end_record(pax, c, told);
	if (may_be_record(pax, c) || (has && (c == '\0' || c == '\n')))
		return malformed;
	if (has == &told->has_path)
		told->last = (char)c;
	if (has == &told->has_size) {
		if (!is_digit(c) || told->size >= LARGEST / 10)
			return malformed;
		told->size = told->size * 10 + (uint64_t)(c - '0');
	}
	pax->n_value++;
	pax->is_new_line = c == '\n';
	return NULL;
}

const char *pmg_tarpax_feed(struct pmg_tarpax *pax, const unsigned char *bytes, size_t len,
			    struct pmg_tarpax_told *told)
{
	const char *what = NULL;
	size_t i;

	for (i = 0; i < len && !what; i++) {
		if (pax->at == PMG_TARPAX_LEN)
			what = read_length(pax, bytes[i]);
		else if (pax->at == PMG_TARPAX_NAME)
			what = read_key(pax, bytes[i], told);
		else
			what = read_value(pax, bytes[i], told);
	}
	return what;
}

const char *pmg_tarpax_end(const struct pmg_tarpax *pax)
{
	return pax->at == PMG_TARPAX_LEN && pax->digits == 0 ? NULL : malformed;
}
