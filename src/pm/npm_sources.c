#include "pm/npm_sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/yamlscan.h"
#include "pm/bun_lock.h"
#include "pm/manifest.h"
#include "pm/npm_lock.h"
#include "pm/pnpm_lock.h"
#include "pm/project.h"
#include "pm/yarn_lock.h"

#define WORKSPACE_MAX 1048576U

/* "name@https://..." or "https://...": where the address or path begins, and the name before it. */
static int take_word(struct pmg_manifests *walk, const char *dir, const char *word,
		     struct pmg_err *err)
{
	const char *at = word[0] ? strchr(word + 1, '@') : NULL;
	pmg_autofree char *name = NULL;

	/* A user name in an address has an "@" as well. */
	if (!at || strchr(word, ':') < at)
		at = NULL;
	if (strchr(word, ':') == NULL || !at)
		return pmg_manifest_spec(walk, dir, NULL, word, err);
	name = pmg_xstrndup(word, (size_t)(at - word));
	return pmg_manifest_spec(walk, dir, name, at + 1, err);
}

static int take_line(struct pmg_npmlike *n, struct pmg_manifests *walk, const char *start,
		     struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < n->operands.n; i++)
		r = take_word(walk, start, n->operands.v[i], err);
	for (i = 0; r == 0 && i < n->settings.n; i++)
		if (strcmp(n->settings.v[i].key, "package") == 0)
			r = take_word(walk, start, n->settings.v[i].value, err);
	return r;
}

static int add_pattern(void *ctx, const struct pmg_yamlscan_at *at, const char *value)
{
	if (at->kind == PMG_YAMLSCAN_SCALAR && at->depth == 2 && pmg_streq(at->keys[0], "packages"))
		(void)pmg_strv_add_once(ctx, value);
	return 0;
}

/* "packages: [...]" of pnpm-workspace.yaml; what cannot be read adds nothing. */
static void yaml_patterns(const char *dir, struct pmg_strv *out)
{
	pmg_autofree char *file = pmg_path_join(dir, "pnpm-workspace.yaml");
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;

	if (pmg_io_slurp(file, WORKSPACE_MAX, &text, &len, &err) == 0)
		(void)!pmg_yamlscan(file, text, len, add_pattern, out, &err);
}

static int read_members(struct pmg_manifests *walk, const char *root,
			const struct pmg_strv *patterns, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv folders = { 0 };
	size_t i;
	int r = 0;

	for (i = 0; i < patterns->n; i++)
		pmg_project_expand(root, patterns->v[i], &folders);
	for (i = 0; r == 0 && i < folders.n; i++)
		r = pmg_manifest_read(walk, folders.v[i], NULL, err);
	return r;
}

static int parse_npm(struct pmg_facts *facts, const char *name, const char *text, size_t len,
		     struct pmg_err *err)
{
	return pmg_npm_lock_is_ordinary(facts, text, len)
		       ? 0
		       : pmg_npm_lock_parse(facts, name, text, len, err);
}

static int read_lock(struct pmg_facts *facts, const char *file, struct pmg_err *err)
{
	static const struct {
		const char *name;
		pmg_lock_parse_fn *parse;
	} readers[] = {
		{ "pnpm-lock.yaml", pmg_pnpm_lock_parse },
		{ "yarn.lock", pmg_yarn_lock_parse },
		{ "bun.lock", pmg_bun_lock_parse },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(readers); i++)
		if (strcmp(pmg_path_name(file), readers[i].name) == 0)
			return pmg_lock_read(facts, file, readers[i].parse, err);
	return pmg_lock_read(facts, file, parse_npm, err);
}

static int read_locks(struct pmg_npmlike *n, const char *dir, const char *const *names,
		      struct pmg_err *err)
{
	int r = 0;

	for (; r == 0 && *names; names++) {
		pmg_autofree char *file = pmg_path_join(dir, *names);

		r = read_lock(n->facts, file, err);
	}
	return r;
}

/* One folder that may be the root of a project or workspace. */
static int read_root(struct pmg_npmlike *n, struct pmg_manifests *walk, const char *dir,
		     const char *const *lock_names, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv patterns = { 0 };
	int r;

	r = pmg_manifest_read(walk, dir, &patterns, err);
	if (r < 0)
		return r;
	yaml_patterns(dir, &patterns);
	r = read_members(walk, dir, &patterns, err);
	return r == 0 ? read_locks(n, dir, lock_names, err) : r;
}

static bool has(const char *dir, const char *name)
{
	pmg_autofree char *file = pmg_path_join(dir, name);

	return access(file, F_OK) == 0;
}

/* A project ends at the top of its repository and at the home. */
static bool is_top(const struct pmg_place *place, const char *dir)
{
	return strcmp(dir, "/") == 0 || strcmp(dir, place->home) == 0 || has(dir, ".git");
}

int pmg_npm_sources(struct pmg_npmlike *n, const char *start, const char *const *lock_names,
		    struct pmg_err *err)
{
	const char *lock_dir = pmg_settings_value(&n->settings, "lockfile-dir");
	pmg_auto(manifests) struct pmg_manifests walk = { .facts = n->facts };
	pmg_autofree char *dir = pmg_xstrdup(start);
	unsigned level;
	int r;

	r = take_line(n, &walk, start, err);
	/* The nearest package.json is the project, one above may be its workspace. */
	for (level = 0; r == 0 && level < PMG_PROJECT_LEVELS_MAX; level++) {
		char *up;

		if (has(dir, "package.json") || has(dir, "pnpm-workspace.yaml"))
			r = read_root(n, &walk, dir, lock_names, err);
		if (is_top(n->place, dir))
			break;
		up = pmg_path_dir(dir);
		free(dir);
		dir = up;
	}
	if (r == 0 && lock_dir) {
		pmg_autofree char *other = pmg_path_join(start, lock_dir);

		r = read_locks(n, other, lock_names, err);
	}
	return r;
}
