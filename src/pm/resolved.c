#include "pm/resolved.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/path.h"
#include "base/url.h"
#include "pm/resolved_priv.h"
#include "pm/version.h"

/* Keys that are not found as they are written: looking for each costs the rest of the text. */
#define MISSED_MAX 64U

static const char *const npm_files[] = { "npm-shrinkwrap.json", "package-lock.json", NULL };
static const char *const pnpm_files[] = { "pnpm-lock.yaml", NULL };
static const char *const yarn_files[] = { "yarn.lock", NULL };
static const char *const bun_files[] = { "bun.lock", NULL };
static const char *const uv_files[] = { "uv.lock", "pylock.toml", NULL };
static const char *const poetry_files[] = { "poetry.lock", NULL };
static const char *const pip_files[] = { "pylock.toml", NULL };
static const char *const none[] = { NULL };

static const struct {
	const char *manager;
	const char *const *files;
} managers[] = {
	{ "npm", npm_files }, { "pnpm", pnpm_files }, { "yarn", yarn_files },
	{ "bun", bun_files }, { "uv", uv_files },     { "poetry", poetry_files },
	{ "pip", pip_files },
};

/* The first row that fits a file's name reads it. */
static const struct row {
	const char *pattern;
	int (*read)(const struct pmg_resolving *from, struct pmg_err *err);
	bool installed; /* what it names lies beside it */
} rows[] = {
	{ "package-lock.json", pmg_resolve_npm, false },
	{ ".package-lock.json", pmg_resolve_npm, true },
	{ "npm-shrinkwrap.json", pmg_resolve_npm, false },
	{ "pnpm-lock.yaml", pmg_resolve_pnpm, false },
	{ "lock.yaml", pmg_resolve_pnpm, true }, /* node_modules/.pnpm */
	{ "yarn.lock", pmg_resolve_yarn, false },
	{ "bun.lock", pmg_resolve_bun, false },
	{ "poetry.lock", pmg_resolve_poetry, false },
	{ "uv.lock", pmg_resolve_uv, false },
	{ "*.py.lock", pmg_resolve_uv, false }, /* of a script */
	{ "pylock.toml", pmg_resolve_pylock, false },
	{ "pylock.*.toml", pmg_resolve_pylock, false },
	{ "requirements*.txt", pmg_resolve_requirements, false },
	{ "requirements*.in", pmg_resolve_requirements, false },
	{ "constraints*.txt", pmg_resolve_requirements, false },
};

static const struct row *row_of(const char *name)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (fnmatch(rows[i].pattern, name, 0) == 0)
			return &rows[i];
	return NULL;
}

bool pmg_resolved_is_name(const char *name)
{
	return row_of(name) != NULL;
}

const char *const *pmg_resolved_names(const char *manager)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(managers); i++)
		if (strcmp(managers[i].manager, manager) == 0)
			return managers[i].files;
	return none;
}

static void package_done(struct pmg_resolved_package *package)
{
	free(package->name);
	free(package->version);
	free(package->integrity);
	free(package->url);
}

void pmg_resolved_done(struct pmg_resolved *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		package_done(&set->v[i]);
	free(set->v);
	pmg_strv_done(&set->files);
	pmg_strv_done(&set->unread);
	pmg_strv_done(&set->skipped);
	*set = (struct pmg_resolved){ 0 };
}

void pmg_resolved_unread(struct pmg_resolved *set, const char *why)
{
	if (set->unread.n < PMG_RESOLVED_UNREAD_MAX)
		pmg_strv_add(&set->unread, why);
	else if (set->unread.n == PMG_RESOLVED_UNREAD_MAX)
		pmg_strv_add(&set->unread, "and more that cannot be read");
}

void pmg_resolved_skip(struct pmg_resolved *set, const char *path, const char *why)
{
	if (set->skipped.n < PMG_RESOLVED_UNREAD_MAX)
		pmg_strv_addf(&set->skipped, "%s: %s", path, why);
	else if (set->skipped.n == PMG_RESOLVED_UNREAD_MAX)
		pmg_strv_add(&set->skipped, "and more that is left out");
}

const char *pmg_resolved_keep(struct pmg_resolved *set, const char *path)
{
	if (set->files.n == 0 || strcmp(set->files.v[set->files.n - 1], path) != 0)
		pmg_strv_add(&set->files, path);
	return set->files.v[set->files.n - 1];
}

static char *copy(const char *text)
{
	return text ? pmg_xstrdup(text) : NULL;
}

static int add(const struct pmg_resolving *from, enum pmg_eco eco, const struct pmg_locked *locked,
	       struct pmg_err *err)
{
	struct pmg_resolved *set = from->set;

	if (set->n == PMG_RESOLVED_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: more than %u packages", from->file,
				   PMG_RESOLVED_MAX);
	set->v = pmg_grow(set->v, set->n, &set->cap, sizeof *set->v);
	set->v[set->n++] = (struct pmg_resolved_package){
		.eco = eco,
		.name = pmg_xstrdup(locked->name),
		.version = copy(locked->version),
		.integrity = copy(locked->integrity),
		.url = locked->url && locked->url[0] ? pmg_xstrdup(locked->url) : NULL,
		.file = from->file,
		.line = locked->line,
		.installed = from->installed,
		.open = locked->open,
		.foreign = locked->foreign,
	};
	return 0;
}

/* The path of an address as a client of HTTP asks for it and a registry understands it: written
 * otherwise, with escapes, "//", "/./" or a backslash, it fetches the same. Caller frees. */
static char *plain_path(const char *url)
{
	const char *colon = strstr(url, ":/"), *from = colon ? colon + 1 : url;
	pmg_autofree char *cut = pmg_xstrndup(from, strcspn(from, "?#"));
	pmg_autofree char *decoded = pmg_url_decode(cut);
	pmg_autofree char *rooted = pmg_xasprintf("/%s", decoded ? decoded : cut);
	char *in, *out;

	for (in = out = rooted; *in; in++)
		if (!strchr("\t\r\n", *in))
			*out++ = *in == '\\' ? '/' : *in;
	*out = '\0';
	return pmg_path_clean(rooted);
}

/*
 * BASE/NAME/-/FILE-VERSION.tgz, or BASE/@SCOPE/NAME/-/...: what the archive is, whatever the entry
 * calls it. An entry that is called otherwise would have its archive taken from the manager's cache
 * with nobody asking for it by name. @return false: it has another shape
 */
static bool split_archive(const char *url, char **name, char **version)
{
	pmg_autofree char *path = plain_path(url);
	const char *dash = strstr(path, "/-/"), *from, *file, *end;
	size_t len;

	if (!dash)
		return false;
	for (from = dash; from > path && from[-1] != '/'; from--)
		;
	file = dash + 3;
	len = (size_t)(dash - from);
	end = strcasestr(file, ".tgz");
	if (len == 0 || !end || strncasecmp(file, from, len) != 0 || file[len] != '-' ||
	    memchr(file, '/', (size_t)(end - file)))
		return false;
	*version = pmg_xstrndup(file + len + 1, (size_t)(end - file) - len - 1);
	if (from - path > 2 && from[-1] == '/') {
		const char *scope = from - 1;

		while (scope > path && scope[-1] != '/')
			scope--;
		if (*scope == '@')
			from = scope;
	}
	*name = pmg_xstrndup(from, (size_t)(dash - from));
	return true;
}

int pmg_resolving_add(const struct pmg_resolving *from, enum pmg_eco eco,
		      const struct pmg_locked *locked, struct pmg_err *err)
{
	pmg_autofree char *name = NULL;
	pmg_autofree char *version = NULL;
	struct pmg_locked behind = *locked;
	pmg_autofree char *shown = NULL;
	int r;

	if (!pmg_name_is_valid(eco, locked->name)) {
		shown = pmg_str_quote(locked->name, strlen(locked->name), 64);
		return pmg_err_set(err, PMG_E_PARSE, 0, "%s:%u: no package can be called \"%s\"",
				   from->file, locked->line, shown);
	}
	r = add(from, eco, locked, err);
	if (r < 0 || eco != PMG_ECO_NPM || !locked->url ||
	    !split_archive(locked->url, &name, &version))
		return r;
	if (strcmp(name, locked->name) == 0 && pmg_streq(version, locked->version))
		return 0;
	behind.name = name;
	behind.version = version;
	behind.integrity = NULL;
	return pmg_name_is_valid(eco, name) ? add(from, eco, &behind, err) : 0;
}

int pmg_resolving_wrong(const struct pmg_resolving *from, unsigned line, const char *what,
			struct pmg_err *err)
{
	return pmg_err_set(err, PMG_E_PARSE, 0, "%s:%u: %s", from->file, line, what);
}

const char *pmg_resolving_alias(const char *range, char **name)
{
	const char *real = pmg_str_has_prefix(range, "npm:") ? range + 4 : NULL;
	const char *at = real && real[0] ? strchr(real + 1, '@') : NULL;

	if (!at)
		return NULL;
	*name = pmg_xstrndup(real, (size_t)(at - real));
	return at + 1;
}

static const struct row requirements = { "", pmg_resolve_requirements, false };

/* Of a name that says nothing: what the text begins with does. */
static const struct row *row_by_text(const char *name, const char *text, size_t len)
{
	static const struct row report = { "", pmg_resolve_pip_report, false };
	size_t i;

	for (i = 0; i < len && strchr(" \t\r\n", text[i]) && text[i]; i++)
		;
	if (i < len && text[i] == '{' && memmem(text, len, "\"pip_version\"", 13))
		return &report;
	return pmg_str_has_suffix(name, ".txt") || pmg_str_has_suffix(name, ".in") ? &requirements
										   : NULL;
}

/* @param otherwise  what it is whose name and text say nothing; NULL: nobody knows */
static int read_as(struct pmg_resolved *set, const char *path, const char *text, size_t len,
		   const struct row *otherwise, struct pmg_err *err)
{
	const char *name = pmg_path_name(path);
	const struct row *row = row_of(name);
	struct pmg_resolving from = { .set = set, .text = text, .len = len };
	struct pmg_err why = PMG_ERR_INIT;
	int r;

	if (!row)
		row = row_by_text(name, text, len);
	if (!row)
		row = otherwise;
	if (!row) {
		pmg_autofree char *line =
			pmg_xasprintf("%s: it is no lockfile that pmg knows", path);

		pmg_resolved_unread(set, line);
		return 0;
	}
	from.file = pmg_resolved_keep(set, path);
	from.installed = row->installed;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		from.text += 3;
		from.len -= 3;
	}
	r = row->read(&from, &why);
	if (r == -PMG_E_PARSE) {
		pmg_resolved_unread(set, why.msg);
		return 0;
	}
	if (r < 0)
		*err = why;
	return r;
}

int pmg_resolved_text(struct pmg_resolved *set, const char *path, const char *text, size_t len,
		      struct pmg_err *err)
{
	return read_as(set, path, text, len, NULL, err);
}

static int read_file(struct pmg_resolved *set, const char *path, const struct row *otherwise,
		     struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_io_slurp(path, PMG_RESOLVED_FILE_MAX, &text, &len, &why);

	if (r == 0)
		return read_as(set, path, text, len, otherwise, err);
	if (r == -PMG_E_NOTFOUND) {
		*err = why;
		return r;
	}
	/* A tool may still be able to. */
	pmg_resolved_unread(set, why.msg);
	return 0;
}

int pmg_resolved_file(struct pmg_resolved *set, const char *path, struct pmg_err *err)
{
	return read_file(set, path, NULL, err);
}

int pmg_resolved_requirements(struct pmg_resolved *set, const char *path, struct pmg_err *err)
{
	return read_file(set, path, &requirements, err);
}

int pmg_resolved_asked(struct pmg_resolved *set, const char *file, const char *requirement,
		       struct pmg_err *err)
{
	const struct pmg_resolving from = { .set = set,
					    .file = pmg_resolved_keep(set, file),
					    .text = requirement,
					    .len = strlen(requirement) };
	struct pmg_err why = PMG_ERR_INIT;
	size_t i = set->n;
	int r = pmg_resolve_asked(&from, &why);

	for (; i < set->n; i++)
		set->v[i].line = 0; /* it is no file, or not this line of one */
	if (r == -PMG_E_PARSE) {
		pmg_resolved_unread(set, why.msg);
		return 0;
	}
	if (r < 0)
		*err = why;
	return r;
}

void pmg_resolved_filter(struct pmg_resolved *set,
			 bool (*keep)(void *ctx, const struct pmg_resolved_package *package),
			 void *ctx)
{
	size_t i, n = 0;

	for (i = 0; i < set->n; i++)
		if (keep(ctx, &set->v[i]))
			set->v[n++] = set->v[i];
		else
			package_done(&set->v[i]);
	set->n = n;
}

static int by_identity(const void *a, const void *b)
{
	const struct pmg_resolved_package *left = a, *right = b;
	int r = (left->eco > right->eco) - (left->eco < right->eco);

	if (r == 0)
		r = strcmp(left->name, right->name);
	return r ? r
		 : strcmp(left->version ? left->version : "", right->version ? right->version : "");
}

static int by_place(const void *a, const void *b)
{
	const struct pmg_resolved_package *left = a, *right = b;
	int r = by_identity(a, b);

	if (r == 0)
		r = strcmp(left->file, right->file);
	return r ? r : (left->line > right->line) - (left->line < right->line);
}

void pmg_resolved_sort(struct pmg_resolved *set)
{
	if (set->n > 0)
		qsort(set->v, set->n, sizeof *set->v, by_place);
}

bool pmg_resolved_has(const struct pmg_resolved *set, const struct pmg_resolved_package *package)
{
	return set->n > 0 && bsearch(package, set->v, set->n, sizeof *set->v, by_identity);
}

struct pmg_resolved_package *pmg_resolved_same(const struct pmg_resolved *set,
					       const struct pmg_resolved_package *package,
					       size_t *n)
{
	struct pmg_resolved_package *first =
		set->n > 0 ? bsearch(package, set->v, set->n, sizeof *set->v, by_identity) : NULL;
	struct pmg_resolved_package *end = set->v + set->n;

	*n = 0;
	while (first && first > set->v && by_identity(first - 1, package) == 0)
		first--;
	while (first && first + *n < end && by_identity(first + *n, package) == 0)
		++*n;
	return first;
}

void pmg_stamps_done(struct pmg_stamps *stamps)
{
	free(stamps->v);
	*stamps = (struct pmg_stamps){ 0 };
}

void pmg_stamps_add(struct pmg_stamps *stamps, uint32_t stamp)
{
	stamps->v = pmg_grow(stamps->v, stamps->n, &stamps->cap, sizeof *stamps->v);
	stamps->v[stamps->n++] = stamp;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

void pmg_stamps_sort(struct pmg_stamps *stamps)
{
	if (stamps->n > 0)
		qsort(stamps->v, stamps->n, sizeof *stamps->v, by_number);
}

bool pmg_stamps_have(const struct pmg_stamps *sorted, uint32_t stamp)
{
	return sorted->n > 0 && bsearch(&stamp, sorted->v, sorted->n, sizeof *sorted->v, by_number);
}

void pmg_lines_begin(struct pmg_lines *lines, const char *text, size_t len)
{
	*lines = (struct pmg_lines){ .at = text, .end = text + len, .line = 1 };
}

/* Where the value begins, behind `"key"` at p: NULL when p is no key of an object or list. */
static const char *value_of(const char *p, const char *end)
{
	while (p < end && strchr(" \t\r\n", *p) && *p)
		p++;
	if (p == end || *p != ':')
		return NULL;
	for (p++; p < end && strchr(" \t\r\n", *p) && *p; p++)
		;
	return p < end && (*p == '{' || *p == '[') ? p : NULL;
}

unsigned pmg_lines_find(struct pmg_lines *lines, const char *key)
{
	pmg_autofree char *quoted = pmg_xasprintf("\"%s\"", key);
	size_t len = strlen(quoted);
	const char *p = lines->at, *q;

	if (lines->missed > MISSED_MAX)
		return 0;
	while ((p = memmem(p, (size_t)(lines->end - p), quoted, len)) &&
	       !value_of(p + len, lines->end))
		p += len;
	if (!p) {
		lines->missed++;
		return 0;
	}
	for (q = lines->at; q < p; q++)
		lines->line += *q == '\n';
	lines->at = p;
	return lines->line;
}
