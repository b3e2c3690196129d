#include "policy/vars.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/str.h"

#define TEXTS_MAX 4096U /* that one entry may come to */
#define MAGIC     "*?[\\"

static const struct {
	const char *name;
	size_t offset;
	bool many; /* a pmg_strv, not a char * */
} vars[] = {
	{ "CWD", offsetof(struct pmg_policy_facts, cwd), false },
	{ "PROJECT", offsetof(struct pmg_policy_facts, project), false },
	{ "HOME", offsetof(struct pmg_policy_facts, home), false },
	{ "TMPDIR", offsetof(struct pmg_policy_facts, tmp), false },
	{ "CONFIGDIR", offsetof(struct pmg_policy_facts, config_dir), false },
	{ "STATEDIR", offsetof(struct pmg_policy_facts, state_dir), false },
	{ "CACHEDIR", offsetof(struct pmg_policy_facts, cache_dir), false },
	{ "RUNDIR", offsetof(struct pmg_policy_facts, run_dir), false },
	{ "CACHE", offsetof(struct pmg_policy_facts, caches), true },
	{ "STORE", offsetof(struct pmg_policy_facts, stores), true },
	{ "PREFIX", offsetof(struct pmg_policy_facts, prefixes), true },
	{ "TOOLCHAIN", offsetof(struct pmg_policy_facts, programs), true },
	{ "CONFIG", offsetof(struct pmg_policy_facts, configs), true },
	{ "PLAINCONFIG", offsetof(struct pmg_policy_facts, plain_configs), true },
	{ "GITCONFIG", offsetof(struct pmg_policy_facts, git_configs), true },
	{ "GITDIR", offsetof(struct pmg_policy_facts, git_dirs), true },
	{ "HOOKS", offsetof(struct pmg_policy_facts, hooks), true },
	{ "OUTPUT", offsetof(struct pmg_policy_facts, outputs), true },
	{ "OPERAND", offsetof(struct pmg_policy_facts, operands), true },
	{ "SOURCEDIR", offsetof(struct pmg_policy_facts, source_dirs), true },
	{ "DIST", offsetof(struct pmg_policy_facts, dists), true },
	{ "TREE", 0, false },      /* computed: add_trees() */
	{ "STOREROOT", 0, false }, /* computed: add_roots() */
};

static size_t find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(vars); i++)
		if (strncmp(vars[i].name, name, len) == 0 && vars[i].name[len] == '\0')
			break;
	return i;
}

bool pmg_vars_is_known(const char *name, size_t len)
{
	return find(name, len) < PMG_ARRAY_LEN(vars);
}

/* Project and working folder, but never the home or a folder that holds it: what is opened by
 * "${TREE}/" and two stars would then be everything the user has. */
static void add_trees(const struct pmg_policy_facts *facts, struct pmg_strv *out)
{
	const char *const dirs[] = { facts->project, facts->cwd };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(dirs); i++)
		if (dirs[i] && strcmp(dirs[i], "/") != 0 &&
		    !(facts->home && pmg_path_is_under(facts->home, dirs[i])) &&
		    !(i > 0 && facts->project && pmg_path_is_under(dirs[i], facts->project) &&
		      out->n > 0))
			(void)pmg_strv_add_once(out, dirs[i]);
}

/* Where pnpm tries out links: beside its stores. */
static void add_roots(const struct pmg_policy_facts *facts, struct pmg_strv *out)
{
	size_t i;

	for (i = 0; i < facts->stores.n; i++) {
		pmg_autofree char *dir = pmg_path_dir(facts->stores.v[i]);

		(void)pmg_strv_add_once(out, dir);
	}
}

static const struct {
	const char *name;
	void (*add)(const struct pmg_policy_facts *facts, struct pmg_strv *out);
} computed[] = { { "TREE", add_trees }, { "STOREROOT", add_roots } };

static void values_of(const struct pmg_policy_facts *facts, size_t row, struct pmg_strv *out)
{
	const char *const member = (const char *)facts + vars[row].offset;
	const struct pmg_strv *list;
	const char *one;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(computed); i++)
		if (strcmp(computed[i].name, vars[row].name) == 0) {
			computed[i].add(facts, out);
			return;
		}
	if (vars[row].many) {
		list = (const void *)member;
		for (i = 0; i < list->n; i++)
			pmg_strv_add(out, list->v[i]);
		return;
	}
	memcpy(&one, member, sizeof one);
	if (!one || !*one)
		return;
	pmg_strv_add(out, one);
	if (strcmp(vars[row].name, "TMPDIR") == 0 && strcmp(one, "/tmp") == 0)
		pmg_strv_add(out, "/var/tmp");
}

/* "${NAME}" in text, at or behind p. @return NULL for none; *end behind "}" */
static const char *next_variable(const char *p, const char **end)
{
	const char *start = strstr(p, "${"), *close = start ? strchr(start, '}') : NULL;

	if (!close)
		return NULL;
	*end = close + 1;
	return start;
}

char *pmg_glob_escape(const char *text)
{
	char *out = pmg_xmalloc(2 * strlen(text) + 1), *p = out;

	for (; *text; text++) {
		if (strchr(MAGIC, *text))
			*p++ = '\\';
		*p++ = *text;
	}
	*p = '\0';
	return out;
}

char *pmg_vars_strip(const char *text)
{
	char *out = pmg_xmalloc(strlen(text) + 1), *p = out;
	const char *start, *end;

	while ((start = next_variable(text, &end))) {
		memcpy(p, text, (size_t)(start - text));
		p += start - text;
		text = end;
	}
	memcpy(p, text, strlen(text) + 1);
	return out;
}

size_t pmg_vars_expand(const struct pmg_policy_facts *facts, const char *text, struct pmg_strv *out,
		       const char **missing)
{
	pmg_auto(strv) struct pmg_strv todo = { 0 };
	const char *start, *end;
	size_t i, k, row;

	*missing = NULL;
	pmg_strv_add(&todo, text);
	/* The first variable of each, until none has one; all have the same ones. */
	for (i = 0; i < todo.n; i++) {
		pmg_auto(strv) struct pmg_strv values = { 0 };

		start = next_variable(todo.v[i], &end);
		if (!start) {
			pmg_strv_add(out, todo.v[i]);
			continue;
		}
		row = find(start + 2, (size_t)(end - start) - 3);
		if (row < PMG_ARRAY_LEN(vars))
			values_of(facts, row, &values);
		/* Too many stand for none: what is left out would be a rule less. */
		if (values.n == 0 || todo.n > TEXTS_MAX) {
			pmg_autofree char *name = pmg_xstrndup(start, (size_t)(end - start));

			*missing = strstr(text, name);
			return *missing ? (size_t)(end - start) : 0;
		}
		for (k = 0; k < values.n; k++) {
			pmg_autofree char *value = pmg_glob_escape(values.v[k]);
			/* "/" as a value: "//x" is "/x" */
			const char *safe = strcmp(value, "/") == 0 && *end == '/' ? "" : value;

			pmg_strv_addf(&todo, "%.*s%s%s", (int)(start - todo.v[i]), todo.v[i], safe,
				      end);
		}
	}
	return 0;
}

/* Bytes of the leading part without magic that ends at a component. */
static size_t fixed_len(const char *pattern)
{
	size_t i, last = 0;

	for (i = 0; pattern[i]; i++) {
		if (pattern[i] == '\\' && pattern[i + 1]) {
			i++;
			continue;
		}
		if (pattern[i] == '*' || pattern[i] == '?' || pattern[i] == '[')
			return last;
		if (pattern[i + 1] == '/')
			last = i + 1;
	}
	return i;
}

static char *unescape(const char *text, size_t len)
{
	char *out = pmg_xmalloc(len + 1), *p = out;
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] == '\\' && i + 1 < len)
			i++;
		*p++ = text[i];
	}
	*p = '\0';
	return out;
}

char *pmg_vars_unescape(const char *pattern)
{
	return fixed_len(pattern) == strlen(pattern) ? unescape(pattern, strlen(pattern)) : NULL;
}

/* The longest of the folders that are known to be canonical already, so that not every rule below
 * the home asks the kernel for each folder on the way there. @return its length */
static size_t known_len(const struct pmg_policy_facts *facts, const char *path)
{
	const char *const roots[] = { facts->project, facts->cwd, facts->home };
	size_t i, len, longest = 0;

	for (i = 0; i < PMG_ARRAY_LEN(roots); i++) {
		len = roots[i] ? strlen(roots[i]) : 0;
		if (len > longest && pmg_path_is_under(path, roots[i]))
			longest = len;
	}
	return longest;
}

/* Is there a link on the way to what of a path is there? Behind its first `from` bytes. */
static bool has_link(char *path, size_t from)
{
	size_t i, len = strlen(path);
	struct stat st;
	char c;
	int r;

	for (i = from + 1; i <= len; i++) {
		c = path[i];
		if (c != '/' && c != '\0')
			continue;
		path[i] = '\0';
		r = lstat(path, &st);
		path[i] = c;
		if (r < 0 || S_ISLNK(st.st_mode))
			return r == 0;
	}
	return false;
}

char *pmg_vars_real(const struct pmg_policy_facts *facts, const char *pattern)
{
	size_t len = fixed_len(pattern);
	pmg_autofree char *fixed = unescape(pattern, len);
	pmg_autofree char *dir = NULL;
	pmg_autofree char *real = NULL;
	pmg_autofree char *whole = NULL;
	pmg_autofree char *escaped = NULL;

	if (!has_link(fixed, known_len(facts, fixed)))
		return NULL;
	dir = pmg_xstrdup(fixed);
	/* What is not there yet is made in a folder that may be. */
	while (strlen(dir) > 1) {
		char *up;

		real = pmg_path_real(dir);
		if (real)
			break;
		up = pmg_path_dir(dir);
		free(dir);
		dir = up;
	}
	if (!real || strcmp(real, dir) == 0)
		return NULL;
	whole = pmg_xasprintf("%s%s", strcmp(real, "/") == 0 ? "" : real, fixed + strlen(dir));
	escaped = pmg_glob_escape(whole);
	return pmg_xasprintf("%s%s", escaped, pattern + len);
}

char *pmg_vars_typed(const struct pmg_policy_facts *facts, const char *text)
{
	bool home = strncmp(text, "~/", 2) == 0;
	pmg_autofree char *base = pmg_glob_escape(home ? facts->home : facts->cwd);
	pmg_autofree char *joined = pmg_path_join(base, home ? text + 2 : text);
	char *clean = pmg_path_clean(joined), *all;

	if (!pmg_str_has_suffix(text, "/"))
		return clean;
	all = pmg_xasprintf("%s/**", strcmp(clean, "/") == 0 ? "" : clean);
	free(clean);
	return all;
}
