#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "pm/npm_lock.h"
#include "pm/resolved_priv.h"

#define NEST_MAX 512U /* of "dependencies" in version 1 */

/* One reading. */
struct lock {
	const struct pmg_resolving *from;
	struct pmg_lines lines;
	struct pmg_err *err;
};

static int wrong(const struct lock *lock, unsigned line, const char *what)
{
	return pmg_resolving_wrong(lock->from, line, what, lock->err);
}

/* "os": ["darwin", "!win32"], or one text of bun's. */
static bool is_foreign(const struct json_t *entry)
{
	static const char *const keys[] = { "os", "cpu", "libc" };
	struct pmg_fits fits = { 0 };
	size_t i, k;

	for (i = 0; i < PMG_ARRAY_LEN(keys); i++) {
		const struct json_t *list = pmg_json_get(entry, keys[i]);
		const char *text = pmg_json_text(list);

		if (text)
			pmg_fits_add(&fits, keys[i], text);
		for (k = 0; k < pmg_json_len(list); k++)
			if ((text = pmg_json_text(pmg_json_at(list, k))))
				pmg_fits_add(&fits, keys[i], text);
	}
	return pmg_fits_is_foreign(&fits);
}

/* What came within the archive of another package was never a registry's, and has no archive of its
 * own that could be named. npm calls bundled, too, what goes into the project's own archive, and
 * does not look at that word when it reads. */
static const char *url_of(const struct json_t *entry, bool bundled)
{
	const char *url = pmg_json_str(entry, "resolved");

	return !url && bundled && !pmg_json_str(entry, "integrity") ? "bundled" : url;
}

/* Does a package above an entry bring others along? A folder of the project's does not. */
static bool is_brought(const struct json_t *packages, const char *key)
{
	static const char below[] = "/node_modules/";
	pmg_autofree char *above = pmg_xstrdup(key);
	char *p, *last;

	for (;;) {
		const struct json_t *list;

		for (last = NULL, p = above; (p = strstr(p, below)); p++)
			last = p;
		if (!last)
			return false;
		*last = '\0';
		if (!strstr(above, below + 1))
			return false;
		list = pmg_json_get(pmg_json_get(packages, above), "bundleDependencies");
		if (list && (pmg_json_len(list) > 0 || !pmg_json_is_array(list)))
			return true;
	}
}

/* Version 2 and 3. What lies in no node_modules is a folder of the project's own, and so is what a
 * link leads to. */
static int read_packages(struct lock *lock, const struct json_t *packages)
{
	int r = 0;

	pmg_json_object_each (packages, it) {
		const struct json_t *entry = pmg_json_iter_value(it);
		const char *key = pmg_json_iter_key(it);
		const char *name = pmg_npm_lock_name(key, entry);
		struct pmg_locked locked = {
			.name = name,
			.version = pmg_json_str(entry, "version"),
			.url = url_of(entry, pmg_json_bool(entry, "inBundle") &&
						     is_brought(packages, key)),
			.integrity = pmg_json_str(entry, "integrity"),
			/* npm leaves out what does not fit where that is optional, else it ends:
			 * or goes on, with --force. */
			.foreign = pmg_json_bool(entry, "optional") && is_foreign(entry),
		};

		if (!pmg_json_is_object(entry))
			return wrong(lock, lock->lines.line, "an entry that is no object");
		if (!strstr(key, "node_modules/") || pmg_json_bool(entry, "link"))
			continue;
		locked.line = pmg_lines_find(&lock->lines, key);
		r = pmg_resolving_add(lock->from, PMG_ECO_NPM, &locked, lock->err);
		if (r < 0)
			break;
	}
	return r;
}

/* "npm:bad@1.0.0" of an alias; "1.0.0"; an address, of which the version is not known. */
static int add_dependency(struct lock *lock, const char *name, const struct json_t *entry,
			  unsigned depth)
{
	const char *version = pmg_json_str(entry, "version");
	pmg_autofree char *real = NULL;
	struct pmg_locked locked = {
		.name = name,
		.version = version,
		.url = url_of(entry, depth > 0 && pmg_json_bool(entry, "bundled")),
		.integrity = pmg_json_str(entry, "integrity"),
		.line = pmg_lines_find(&lock->lines, name),
	};
	const char *behind = version ? pmg_resolving_alias(version, &real) : NULL;

	if (version && strncmp(version, "file:", 5) == 0 && !locked.url)
		return 0; /* a folder of the project's own, or an archive that lies in it */
	if (behind) {
		locked.name = real;
		locked.version = behind;
	} else if (version && strchr(version, ':')) {
		locked.url = locked.url ? locked.url : version;
		locked.version = NULL;
	}
	return pmg_resolving_add(lock->from, PMG_ECO_NPM, &locked, lock->err);
}

static int read_dependencies(struct lock *lock, const struct json_t *dependencies, unsigned depth)
{
	int r = 0;

	if (depth > NEST_MAX)
		return wrong(lock, lock->lines.line, "dependencies nested too deep");
	pmg_json_object_each (dependencies, it) {
		const struct json_t *entry = pmg_json_iter_value(it);

		if (!pmg_json_is_object(entry))
			return wrong(lock, lock->lines.line, "an entry that is no object");
		r = add_dependency(lock, pmg_json_iter_key(it), entry, depth);
		if (r == 0)
			r = read_dependencies(lock, pmg_json_get(entry, "dependencies"), depth + 1);
		if (r < 0)
			break;
	}
	return r;
}

int pmg_resolve_npm(const struct pmg_resolving *from, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *json = NULL;
	struct lock lock = { .from = from, .err = err };
	const struct json_t *packages;
	int r = pmg_json_parse(from->file, from->text, from->len, &json, err);

	if (r < 0)
		return r;
	if (!pmg_json_is_object(json))
		return wrong(&lock, 1, "no object at the top");
	packages = pmg_json_get(json, "packages");
	pmg_lines_begin(&lock.lines, from->text, from->len);
	r = read_packages(&lock, packages);
	/* Version 2 says all twice, for readers of version 1; those read what stands here. */
	pmg_lines_begin(&lock.lines, from->text, from->len);
	if (r == 0 && packages)
		(void)pmg_lines_find(&lock.lines, "dependencies");
	return r == 0 ? read_dependencies(&lock, pmg_json_get(json, "dependencies"), 0) : r;
}

/*
 * bun.lock is JSON with commas before closing brackets, and comments are let pass as in JSONC: both
 * become blanks, so that lines and columns stay what they are.
 */
static char *plain_json(const char *text, size_t len)
{
	char *out = pmg_xstrndup(text, len), *comma = NULL, *p, *end = out + strlen(out);
	bool in_text = false;

	for (p = out; p < end; p++) {
		if (in_text) {
			if (*p == '\\' && p + 1 < end)
				p++;
			else if (*p == '"')
				in_text = false;
		} else if (*p == '/' && (p[1] == '/' || p[1] == '*')) {
			bool block = p[1] == '*';
			char *stop = block ? strstr(p + 2, "*/") : strchr(p, '\n');

			stop = stop ? stop + (block ? 2 : 0) : end;
			for (; p < stop; p++)
				*p = *p == '\n' ? '\n' : ' ';
			p--;
		} else if ((*p == ']' || *p == '}') && comma) {
			*comma = ' ';
			comma = NULL;
		} else if (!strchr(" \t\r\n", *p)) {
			in_text = *p == '"';
			comma = *p == ',' ? p : NULL;
		}
	}
	return out;
}

/* ["x@1.0.0", "ADDRESS or nothing", {...}, "sha512-..."]; "x@workspace:folder", "x@file:..." and
 * "x@link:..." are the project's own, others ("x@https://...", "x@github:...") have no version. */
static int add_bun(struct lock *lock, const char *key, const struct json_t *entry)
{
	const char *text = pmg_json_text(pmg_json_at(entry, 0));
	const char *at = text && text[0] ? strchr(text + 1, '@') : NULL, *behind;
	pmg_autofree char *name = NULL, *real = NULL;
	struct pmg_locked locked = { .line = pmg_lines_find(&lock->lines, key) };
	static const char *const own[] = { "workspace:", "file:", "link:", "root:" };
	size_t i, n = pmg_json_len(entry);

	if (!at)
		return wrong(lock, locked.line, "an entry without name and version");
	for (i = 0; i < PMG_ARRAY_LEN(own); i++)
		if (pmg_str_has_prefix(at + 1, own[i]))
			return 0;
	name = pmg_xstrndup(text, (size_t)(at - text));
	locked.name = name;
	locked.version = strchr(at + 1, ':') ? NULL : at + 1;
	locked.url = locked.version ? pmg_json_text(pmg_json_at(entry, 1)) : at + 1;
	locked.integrity = n > 1 ? pmg_json_text(pmg_json_at(entry, n - 1)) : NULL;
	locked.foreign = n > 2 && is_foreign(pmg_json_at(entry, 2));
	behind = pmg_resolving_alias(at + 1, &real);
	if (behind) {
		locked.name = real;
		locked.version = behind;
		locked.url = pmg_json_text(pmg_json_at(entry, 1));
	}
	return pmg_resolving_add(lock->from, PMG_ECO_NPM, &locked, lock->err);
}

int pmg_resolve_bun(const struct pmg_resolving *from, struct pmg_err *err)
{
	pmg_autofree char *plain = plain_json(from->text, from->len);
	pmg_auto(json) struct json_t *json = NULL;
	struct lock lock = { .from = from, .err = err };
	const struct json_t *packages;
	int r;

	if (strlen(plain) != from->len)
		return wrong(&lock, 1, "a NUL byte");
	r = pmg_json_parse(from->file, plain, from->len, &json, err);
	if (r < 0)
		return r;
	packages = pmg_json_get(json, "packages");
	pmg_lines_begin(&lock.lines, plain, from->len);
	pmg_json_object_each (packages, it) {
		r = add_bun(&lock, pmg_json_iter_key(it), pmg_json_iter_value(it));
		if (r < 0)
			break;
	}
	return r;
}
