#include "pm/npm_lock.h"

#include <string.h>

#include "base/io.h"
#include "base/json.h"
#include "base/str.h"
#include "pm/facts.h"

#define NEST_MAX 512U /* of "dependencies" in version 1 */

bool pmg_npm_lock_is_usual(const struct pmg_strv *bases, const char *url, size_t len)
{
	size_t i, n;

	for (i = 0; i < bases->n; i++) {
		n = strlen(bases->v[i]);
		if (len > n && memcmp(url, bases->v[i], n) == 0 &&
		    memmem(url + n, len - n, "/-/", 3))
			return true;
	}
	return false;
}

void pmg_npm_lock_bases(const struct pmg_facts *facts, struct pmg_strv *out)
{
	size_t i;

	for (i = 0; i < facts->n_registries; i++)
		if (facts->registries[i].eco == PMG_ECO_NPM)
			pmg_strv_take(out, pmg_url_text(&facts->registries[i].base));
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

/* Each value of one key, wherever it stands. @return false when one is an unusual address */
static bool all_usual(const struct pmg_strv *bases, const char *key, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *close;
	size_t n = strlen(key);

	while ((p = memmem(p, (size_t)(end - p), key, n))) {
		p = skip_blanks(p + n, end);
		if (p == end || *p != ':')
			continue; /* a value, not a key */
		p = skip_blanks(p + 1, end);
		if (p == end || *p != '"')
			continue; /* true of a bundled package */
		close = memchr(p + 1, '"', (size_t)(end - p - 1));
		if (!close)
			return false;
		/* Whatever has a colon may be an address: "1.0.0" and "file:x" are told apart. */
		if (memchr(p, ':', (size_t)(close - p)) && strncmp(p, "\"file:", 6) != 0 &&
		    !pmg_npm_lock_is_usual(bases, p + 1, (size_t)(close - p - 1)))
			return false;
		p = close;
	}
	return true;
}

bool pmg_npm_lock_is_ordinary(const struct pmg_facts *facts, const char *text, size_t len)
{
	pmg_auto(strv) struct pmg_strv bases = { 0 };

	pmg_npm_lock_bases(facts, &bases);
	/* "r\u0065solved" is a key too. */
	return !memmem(text, len, "\\u", 2) && all_usual(&bases, "\"resolved\"", text, len) &&
	       all_usual(&bases, "\"version\"", text, len);
}

/* What one reading carries along. */
struct lock {
	struct pmg_facts *facts;
	const struct pmg_strv *bases;
	struct pmg_err *err;
};

static int add(struct lock *lock, const char *url, const char *name, const char *version)
{
	if (!url || pmg_npm_lock_is_usual(lock->bases, url, strlen(url)))
		return 0;
	return pmg_facts_source(lock->facts, PMG_ECO_NPM, url, name, version, lock->err);
}

const char *pmg_npm_lock_name(const char *key, const struct json_t *entry)
{
	static const char folder[] = "node_modules/";
	const char *next, *name = pmg_json_str(entry, "name");

	if (name)
		return name; /* an alias stands in a folder of another name */
	while ((next = strstr(key, folder)))
		key = next + strlen(folder);
	return key;
}

/* Version 2 and 3: {"packages": {"node_modules/@s/x": {"name"?, "version", "resolved"}}} */
static int read_packages(struct lock *lock, const struct json_t *packages)
{
	int r = 0;

	pmg_json_object_each (packages, it) {
		const struct json_t *entry = pmg_json_iter_value(it);
		const char *name = pmg_npm_lock_name(pmg_json_iter_key(it), entry);

		r = add(lock, pmg_json_str(entry, "resolved"), *name ? name : NULL,
			pmg_json_str(entry, "version"));
		if (r < 0)
			break;
	}
	return r;
}

/* Version 1: {"dependencies": {"x": {"version": VERSION or ADDRESS, "resolved", ...}}} */
static int read_dependencies(struct lock *lock, const struct json_t *dependencies, unsigned depth)
{
	int r = 0;

	pmg_json_object_each (dependencies, it) {
		const struct json_t *entry = pmg_json_iter_value(it);
		const char *name = pmg_json_iter_key(it);
		const char *version = pmg_json_str(entry, "version");
		bool is_address = version && strstr(version, "://");

		r = add(lock, pmg_json_str(entry, "resolved"), name, is_address ? NULL : version);
		if (r == 0 && is_address)
			r = add(lock, version, name, NULL);
		if (r == 0 && depth < NEST_MAX)
			r = read_dependencies(lock, pmg_json_get(entry, "dependencies"), depth + 1);
		if (r < 0)
			break;
	}
	return r;
}

int pmg_npm_lock_parse(struct pmg_facts *facts, const char *name, const char *text, size_t len,
		       struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv bases = { 0 };
	pmg_auto(json) struct json_t *json = NULL;
	struct lock lock = { .facts = facts, .bases = &bases, .err = err };
	int r;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	r = pmg_json_parse(name, text, len, &json, err);
	if (r < 0)
		return r;
	pmg_npm_lock_bases(facts, &bases);
	r = read_packages(&lock, pmg_json_get(json, "packages"));
	return r == 0 ? read_dependencies(&lock, pmg_json_get(json, "dependencies"), 0) : r;
}

int pmg_lock_read(struct pmg_facts *facts, const char *path, pmg_lock_parse_fn *parse,
		  struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_io_slurp_optional(path, PMG_LOCK_MAX, &text, &len, err);

	if (r < 0 || !text)
		return r;
	r = parse(facts, path, text, len, &why);
	if (r == -PMG_E_PARSE) {
		pmg_facts_note(facts, "%s; packages that it names elsewhere are not judged",
			       why.msg);
		return 0;
	}
	if (r < 0)
		*err = why;
	return r;
}
