#include "verdict/tardir.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "verdict/tarpax.h"

#define BLOCK         512U
#define EXTENSION_MAX (UINT64_C(1) << 20) /* node-tar passes over larger ones */
#define OCTAL_MAX     (UINT64_C(1) << 33) /* from here on a size needs base 256 */
#define NAME_SHOWN    100U
#define TYPES         "0123456LKxg" /* and NUL: what npm's and Python's readers all know */

/* Where the fields of a header are. */
enum { NAME, SIZE = 124, SUM = 148, TYPE = 156, TARGET, MAGIC = 257, PREFIX = 345 };
enum { NAME_LEN = 100, SIZE_LEN = 12, SUM_LEN = 8, MAGIC_LEN = 8 };

/* What extension headers said of the entry that is to come. */
struct before {
	bool is_pax, is_name, is_target; /* which of them came: x, L, K */
	struct pmg_tarpax_told told;
};

struct pmg_tardir {
	enum { AT_HEADER, AT_BODY, AT_EXTENSION, AT_END } at;
	unsigned char block[BLOCK];
	size_t n;         /* of it that has come */
	uint64_t left;    /* of the body; */
	uint64_t padding; /* behind it */
	struct before before;
	char type;           /* of the extension that goes by */
	bool has_name_ended; /* L, K: their NUL came */
	struct pmg_tarpax pax;
};

struct pmg_tardir *pmg_tardir_new(void)
{
	return pmg_xcalloc(1, sizeof(struct pmg_tardir));
}

void pmg_tardir_free(struct pmg_tardir *dir)
{
	free(dir);
}

static int odd(const struct pmg_tardir *dir, struct pmg_err *err, const char *what)
{
	const char *name = (const char *)dir->block + NAME;
	pmg_autofree char *shown = pmg_str_quote(name, strnlen(name, NAME_LEN), NAME_SHOWN);

	return pmg_err_set(err, PMG_E_PARSE, 0, "%s: %s", shown, what);
}

/*
 * Spaces, digits, and nothing but NUL and spaces behind them: beyond that every reader has rules of
 * its own. No digit at all is nought. @return false: not so
 */
static bool read_octal(const unsigned char *p, size_t len, uint64_t *out)
{
	size_t i = 0;

	*out = 0;
	while (i < len && p[i] == ' ')
		i++;
	for (; i < len && p[i] >= '0' && p[i] <= '7'; i++)
		*out = *out << 3 | (uint64_t)(p[i] - '0');
	while (i < len && (p[i] == ' ' || p[i] == '\0'))
		i++;
	return i == len;
}

/* In base 256, two's complement: beyond what JavaScript counts node-tar skips the header, but not
 * its body. */
static bool is_base256_odd(const unsigned char *p, size_t len)
{
	unsigned char fill = p[0] == 0xff ? 0xff : 0;
	size_t i;

	if (p[0] != 0x80 && p[0] != 0xff)
		return (p[0] & 0x80) != 0;
	for (i = 1; i + 7 < len; i++)
		if (p[i] != fill)
			return true;
	return (unsigned char)(p[i] ^ fill) >= 0x20;
}

static bool read_size(const unsigned char *p, uint64_t *out)
{
	size_t i;

	if (!(p[0] & 0x80))
		return read_octal(p, SIZE_LEN, out);
	*out = 0;
	for (i = SIZE_LEN - 7; i < SIZE_LEN; i++)
		*out = *out << 8 | p[i];
	return p[0] == 0x80 && *out >= OCTAL_MAX;
}

/* node-tar reads twelve bytes of it, up to a NUL or space, which therefore has to be there. */
static bool is_sum_odd(const struct pmg_tardir *dir)
{
	const unsigned char *h = dir->block;
	unsigned char last = h[SUM + SUM_LEN - 1];
	uint64_t told = 0, sum = 0;
	size_t i;

	for (i = 0; i < BLOCK; i++)
		sum += i >= SUM && i < SUM + SUM_LEN ? ' ' : h[i];
	return h[SUM] == '\0' || !read_octal(h + SUM, SUM_LEN, &told) || told != sum ||
	       (last != ' ' && last != '\0');
}

static bool is_number_odd(const struct pmg_tardir *dir)
{
	static const struct {
		size_t at, len;
	} numbers[] = { { 100, 8 },  { 108, 8 }, { 116, 8 }, { SIZE, SIZE_LEN },
			{ 136, 12 }, { 329, 8 }, { 337, 8 } };
	const unsigned char *h = dir->block;
	uint64_t size;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(numbers); i++)
		if (is_base256_odd(h + numbers[i].at, numbers[i].len))
			return true;
	if (h[475] == '\0' && (is_base256_odd(h + 476, 12) || is_base256_odd(h + 488, 12)))
		return true; /* two times, where the prefix is short */
	return !read_size(h + SIZE, &size);
}

/* Without a first byte it is the end to pnpm, whatever a pax header says. */
static bool is_nameless(const struct pmg_tardir *dir)
{
	return dir->block[NAME] == '\0';
}

static bool is_prefix_odd(const struct pmg_tardir *dir)
{
	return dir->block[PREFIX] != '\0' &&
	       memcmp(dir->block + MAGIC, "ustar\00000", MAGIC_LEN) != 0;
}

static bool is_type_odd(const struct pmg_tardir *dir)
{
	return !memchr(TYPES, dir->block[TYPE], sizeof TYPES); /* with its NUL */
}

static bool is_extension(char type)
{
	return type != '\0' && strchr("LKxg", type);
}

/* A pax header stands alone; of GNU's there may be one for the name and one for the target. */
static bool is_order_odd(const struct pmg_tardir *dir)
{
	const struct before *b = &dir->before;

	switch (dir->block[TYPE]) {
	case 'L':
		return b->is_pax || b->is_name;
	case 'K':
		return b->is_pax || b->is_target;
	case 'x':
	case 'g':
		return b->is_pax || b->is_name || b->is_target;
	default:
		return false;
	}
}

/* node-tar skips the header of a link that leads nowhere, and of what leads somewhere and is no
 * link; but not their bodies. */
static bool is_target_odd(const struct pmg_tardir *dir)
{
	char type = (char)dir->block[TYPE];
	bool is_link = type == '1' || type == '2';
	bool has_target = dir->block[TARGET] != '\0';

	/* One that was told is not meant for another extension in between. */
	if (!is_extension(type))
		has_target = has_target || dir->before.told.has_target;
	return is_link != has_target;
}

static bool is_size_odd(const struct pmg_tardir *dir)
{
	uint64_t size = 0;

	(void)read_size(dir->block + SIZE, &size);
	return dir->before.told.has_size && dir->before.told.size != size;
}

/* Readers differ whether the body is there. */
static bool is_body_odd(const struct pmg_tardir *dir)
{
	const char *name = (const char *)dir->block + NAME;
	char type = (char)dir->block[TYPE];
	char last = dir->before.told.last;
	uint64_t size = 0;

	(void)read_size(dir->block + SIZE, &size);
	if (!last)
		last = name[strnlen(name, NAME_LEN) - 1];
	if (is_extension(type))
		return size > EXTENSION_MAX;
	return size > 0 && ((type != '0' && type != '\0') || last == '/');
}

/* In this order: each may rely on those before it. */
static const struct {
	bool (*is_odd)(const struct pmg_tardir *dir);
	const char *what;
} checks[] = {
	{ is_nameless, "it has no name" },
	{ is_sum_odd, "the checksum of its header is wrong" },
	{ is_number_odd, "a number in its header is odd" },
	{ is_type_odd, "it is of a kind that not all readers know" },
	{ is_prefix_odd, "a part of its name stands where not all readers look" },
	{ is_order_odd, "a header that is for it has one for itself" },
	{ is_target_odd, "it is a link without a target, or a target without a link" },
	{ is_size_odd, "its two sizes differ" },
	{ is_body_odd, "it has bytes where not all readers expect any" },
};

static int take_header(struct pmg_tardir *dir, struct pmg_err *err)
{
	char type = (char)dir->block[TYPE];
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(checks); i++)
		if (checks[i].is_odd(dir))
			return odd(dir, err, checks[i].what);
	(void)read_size(dir->block + SIZE, &dir->left);
	dir->padding = (BLOCK - dir->left % BLOCK) % BLOCK;
	dir->type = type;
	dir->at = is_extension(type) ? AT_EXTENSION : AT_BODY;
	dir->before.is_pax = dir->before.is_pax || type == 'x';
	dir->before.is_name = dir->before.is_name || type == 'L';
	dir->before.is_target = dir->before.is_target || type == 'K';
	if (dir->at == AT_BODY)
		dir->before = (struct before){ 0 };
	dir->pax = (struct pmg_tarpax){ .is_global = type == 'g' };
	dir->has_name_ended = false;
	return 0;
}

static bool is_zeros(const unsigned char *p, size_t len)
{
	return len == 0 || (p[0] == '\0' && memcmp(p, p + 1, len - 1) == 0);
}

static int read_header(struct pmg_tardir *dir, const unsigned char *p, size_t len, size_t *used,
		       struct pmg_err *err)
{
	size_t n = BLOCK - dir->n < len ? BLOCK - dir->n : len;

	memcpy(dir->block + dir->n, p, n);
	dir->n += n;
	*used = n;
	if (dir->n < BLOCK)
		return 0;
	dir->n = 0;
	if (!is_zeros(dir->block, BLOCK))
		return take_header(dir, err);
	dir->at = AT_END;
	return pmg_tardir_end(dir, err);
}

static int end_extension(struct pmg_tardir *dir, struct pmg_err *err)
{
	const char *what = NULL;

	if (dir->type == 'x' || dir->type == 'g')
		what = pmg_tarpax_end(&dir->pax);
	else if (dir->type == 'L' ? !dir->before.told.has_path : !dir->before.told.has_target)
		what = "it has no name";
	dir->at = AT_BODY;
	return what ? odd(dir, err, what) : 0;
}

/* GNU's: a NUL ends it. What stands behind that is of it to one reader, and not to another. */
static const char *read_long(struct pmg_tardir *dir, const unsigned char *p, size_t len)
{
	struct pmg_tarpax_told *told = &dir->before.told;
	size_t n = dir->has_name_ended ? 0 : strnlen((const char *)p, len);

	if (n > 0 && dir->type == 'L') {
		told->has_path = true;
		told->last = (char)p[n - 1];
	} else if (n > 0) {
		told->has_target = true;
	}
	dir->has_name_ended = dir->has_name_ended || n < len;
	return is_zeros(p + n, len - n) ? NULL : "bytes follow the end of its name";
}

static int read_extension(struct pmg_tardir *dir, const unsigned char *p, size_t len, size_t *used,
			  struct pmg_err *err)
{
	size_t n = dir->left < len ? (size_t)dir->left : len;
	const char *what;

	if (dir->type == 'x' || dir->type == 'g')
		what = pmg_tarpax_feed(&dir->pax, p, n, &dir->before.told);
	else
		what = read_long(dir, p, n);
	if (what)
		return odd(dir, err, what);
	dir->left -= n;
	*used = n;
	return dir->left == 0 ? end_extension(dir, err) : 0;
}

static int read_body(struct pmg_tardir *dir, const unsigned char *p, size_t len, size_t *used,
		     struct pmg_err *err)
{
	uint64_t left = dir->left + dir->padding;
	size_t n = left < len ? (size_t)left : len;

	(void)p;
	(void)err;
	dir->padding -= n > dir->left ? n - dir->left : 0;
	dir->left -= n < dir->left ? n : dir->left;
	*used = n;
	if (n == left)
		dir->at = AT_HEADER;
	return 0;
}

/* Some readers look no further, some go on behind it. */
static int read_end(struct pmg_tardir *dir, const unsigned char *p, size_t len, size_t *used,
		    struct pmg_err *err)
{
	(void)dir;
	*used = len;
	return is_zeros(p, len) ? 0 : pmg_err_set(err, PMG_E_PARSE, 0, "bytes follow its end");
}

int pmg_tardir_feed(struct pmg_tardir *dir, const void *bytes, size_t len, struct pmg_err *err)
{
	static int (*const readers[])(struct pmg_tardir * dir, const unsigned char *p, size_t len,
				      size_t *used, struct pmg_err *err) = {
		[AT_HEADER] = read_header,
		[AT_EXTENSION] = read_extension,
		[AT_BODY] = read_body,
		[AT_END] = read_end,
	};
	const unsigned char *p = bytes;
	size_t used = 0;
	int r = 0;

	while (r == 0 && len > 0) {
		r = readers[dir->at](dir, p, len, &used, err);
		if (r == 0) {
			p += used;
			len -= used;
		}
	}
	return r;
}

int pmg_tardir_end(const struct pmg_tardir *dir, struct pmg_err *err)
{
	const struct before *b = &dir->before;

	if (b->is_pax || b->is_name || b->is_target)
		return pmg_err_set(err, PMG_E_PARSE, 0,
				   "its last header is for a file that is not there");
	return 0;
}
