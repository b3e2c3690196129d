#include "pm/places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"
#include "pm/npmlike.h"
#include "pm/places_priv.h"
#include "pm/project.h"

#define MANIFEST_MAX 1048576U

void pmg_places_done(struct pmg_places *places)
{
	free(places->project);
	free(places->repository);
	pmg_strv_done(&places->caches);
	pmg_strv_done(&places->stores);
	pmg_strv_done(&places->prefixes);
	pmg_strv_done(&places->outputs);
	pmg_strv_done(&places->programs);
	pmg_strv_done(&places->configs);
	pmg_strv_done(&places->git_configs);
	pmg_strv_done(&places->git_dirs);
	pmg_strv_done(&places->hooks);
	*places = (struct pmg_places){ 0 };
}

char *pmg_places_real(const char *path)
{
	pmg_autofree char *dir = pmg_xstrdup(path);
	char *real;

	while (!(real = pmg_path_real(dir))) {
		char *up = pmg_path_dir(dir);

		if (strcmp(up, dir) == 0) {
			free(up);
			return pmg_xstrdup(path);
		}
		free(dir);
		dir = up;
	}
	if (strlen(dir) < strlen(path)) {
		char *whole = pmg_xasprintf("%s%s", strcmp(real, "/") == 0 ? "" : real,
					    path + (strcmp(dir, "/") == 0 ? 0 : strlen(dir)));

		free(real);
		real = whole;
	}
	return real;
}

bool pmg_places_is_within(const char *path, const char *dir)
{
	pmg_autofree char *real = pmg_places_real(path);
	pmg_autofree char *real_dir = pmg_places_real(dir);

	return pmg_path_is_under(real, real_dir);
}

void pmg_places_add(struct pmg_strv *list, const char *path)
{
	pmg_autofree char *clean = pmg_path_clean(path);
	pmg_autofree char *real = pmg_places_real(clean);

	(void)pmg_strv_add_once(list, clean);
	(void)pmg_strv_add_once(list, real);
}

void pmg_places_add_own(struct pmg_strv *list, const struct pmg_place *place, const char *path)
{
	pmg_autofree char *clean = pmg_path_clean(path);
	pmg_autofree char *real = pmg_places_real(clean);

	/* "cache=/" would open the machine, "cache=~" the home. */
	if (strcmp(real, "/") == 0 || pmg_path_is_under(place->home, real) ||
	    pmg_path_is_under(place->home, clean))
		return;
	pmg_places_add(list, clean);
}

char *pmg_places_path(const struct pmg_place *place, const char *base, const char *value)
{
	bool home = value[0] == '~' && (value[1] == '/' || value[1] == '\0');
	pmg_autofree char *path = pmg_path_join(home ? place->home : base,
						home ? value + 1 + (value[1] == '/') : value);

	return pmg_path_clean(path);
}

bool pmg_places_has(const char *dir, const char *name)
{
	pmg_autofree char *path = pmg_path_join(dir, name);

	return access(path, F_OK) == 0;
}

char *pmg_places_base(const struct pmg_place *place, const char *name, const char *otherwise)
{
	const char *value = pmg_env_get(place->env, name);

	return value && value[0] == '/' ? pmg_path_clean(value)
					: pmg_path_join(place->home, otherwise);
}

/* Who writes a project must not choose what a run may write elsewhere: nor by a file of another
 * name, which its .npmrc calls the user's (userconfig=./x). */
static bool is_of_project(const struct pmg_place *place, const struct pmg_places *out,
			  const struct pmg_setting *s)
{
	const char *name = pmg_path_name(s->what);

	if (s->line == 0 || (pmg_path_is_under(s->what, place->home) &&
			     strcmp(s->what + strlen(place->home), "/.npmrc") == 0))
		return false;
	return strcmp(name, ".npmrc") == 0 || strcmp(name, "pnpm-workspace.yaml") == 0 ||
	       (s->what[0] == '/' && out->project && pmg_places_is_within(s->what, out->project));
}

/* The folder that a setting names; NULL when none may. */
static char *named(const struct pmg_settings *settings, const struct pmg_place *place,
		   const struct pmg_places *out, const char *key)
{
	size_t i;

	for (i = 0; i < settings->n; i++) {
		const struct pmg_setting *s = &settings->v[i];
		const char *value = strcmp(s->key, key) == 0 ? pmg_settings_use(s) : NULL;
		char *path;

		if (!value)
			continue;
		path = pmg_places_path(
			place, s->line > 0 && s->what[0] == '/' ? out->project : place->cwd, value);
		if (!is_of_project(place, out, s) || pmg_places_is_within(path, out->project))
			return path;
		free(path);
	}
	return NULL;
}

/* A setting's folder, else the default. */
static void add_setting(struct pmg_strv *list, const struct pmg_settings *settings,
			const struct pmg_place *place, const struct pmg_places *out,
			const char *key, const char *otherwise)
{
	pmg_autofree char *path = named(settings, place, out, key);

	if (path || otherwise)
		pmg_places_add_own(list, place, path ? path : otherwise);
}

static bool is_owned(const char *path)
{
	pmg_autofree char *dir = pmg_xstrdup(path);
	struct stat st;

	while (stat(dir, &st) < 0 && strcmp(dir, "/") != 0) {
		char *up = pmg_path_dir(dir);

		free(dir);
		dir = up;
	}
	return stat(dir, &st) == 0 && st.st_uid == geteuid();
}

static void add_prefix(const struct pmg_place *place, struct pmg_places *out, const char *path)
{
	if (is_owned(path))
		pmg_places_add_own(&out->prefixes, place, path);
}

/* A setting that is not the project's. */
static bool is_set(const struct pmg_npmlike *n, const struct pmg_places *out, const char *key,
		   const char *to)
{
	size_t i;

	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];

		if (strcmp(s->key, key) == 0 && pmg_settings_use(s) &&
		    !is_of_project(n->place, out, s))
			return strcmp(pmg_settings_use(s), to) == 0;
	}
	return false;
}

/* -g, --location=global, and the verbs that make links in the global folder. Not "global=true" in
 * the project's .npmrc, by which its scripts could write into programs of the user. */
static bool is_global(const struct pmg_npmlike *n, const struct pmg_places *out)
{
	static const char *const verbs[] = { "link",        "ln",      "env", "setup",
					     "self-update", "runtime", "rt" };
	size_t i;

	for (i = 0; n->operands.n > 0 && i < PMG_ARRAY_LEN(verbs); i++)
		if (strcmp(n->operands.v[0], verbs[i]) == 0)
			return true;
	return is_set(n, out, "global", "true") || is_set(n, out, "location", "global");
}

/* PREFIX of a program PREFIX/bin/x, links resolved. */
static char *prefix_of(const char *program)
{
	pmg_autofree char *real = pmg_path_real(program);
	pmg_autofree char *bin = pmg_path_dir(real ? real : program);

	return pmg_path_dir(bin);
}

static void npm_prefix(const struct pmg_npmlike *n, struct pmg_places *out)
{
	pmg_autofree char *set = named(&n->settings, n->place, out, "prefix");
	const char *env = pmg_env_get(n->place->env, "PREFIX");
	pmg_autofree char *node = pmg_env_search(n->place->env, "node");
	pmg_autofree char *of_node = node ? prefix_of(node) : NULL;

	if (!is_global(n, out))
		return;
	if (set)
		add_prefix(n->place, out, set);
	else if (env && env[0] == '/')
		add_prefix(n->place, out, env);
	else if (of_node)
		add_prefix(n->place, out, of_node);
}

/* The user's own files, there or not; those of the project are read with the project. */
static void npm_configs(const struct pmg_npmlike *n, struct pmg_places *out)
{
	pmg_autofree char *npmrc = pmg_path_join(n->place->home, ".npmrc");
	size_t i;

	pmg_places_add(&out->configs, npmrc);
	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];

		if (s->line > 0 && s->what[0] == '/' && !is_of_project(n->place, out, s))
			pmg_places_add(&out->configs, s->what);
	}
}

static void outputs(const struct pmg_settings *settings, const struct pmg_place *place,
		    struct pmg_places *out, const char *const *keys)
{
	for (; *keys; keys++)
		add_setting(&out->outputs, settings, place, out, *keys, NULL);
}

static void corepack(const struct pmg_place *place, struct pmg_places *out)
{
	pmg_autofree char *cache = pmg_places_base(place, "XDG_CACHE_HOME", ".cache");
	pmg_autofree char *home = pmg_path_join(cache, "node/corepack");
	const char *named_home = pmg_env_get(place->env, "COREPACK_HOME");

	if (pmg_is_corepack(place->program))
		pmg_places_add_own(&out->caches, place,
				   named_home && named_home[0] == '/' ? named_home : home);
}

static void npm_places(const struct pmg_npmlike *n, struct pmg_places *out)
{
	static const char *const keys[] = { "pack-destination", NULL };
	pmg_autofree char *cache = pmg_path_join(n->place->home, ".npm");

	add_setting(&out->caches, &n->settings, n->place, out, "cache", cache);
	npm_prefix(n, out);
	outputs(&n->settings, n->place, out, keys);
}

/* Where hard links out of the home's store cannot lead, pnpm keeps one at the top of the file
 * system that the project is on. */
static void store_of_mount(const struct pmg_place *place, struct pmg_places *out)
{
	pmg_autofree char *top = pmg_xstrdup(out->project);
	struct stat home, here, above;

	if (stat(place->home, &home) < 0 || stat(top, &here) < 0 || home.st_dev == here.st_dev)
		return;
	while (strcmp(top, "/") != 0) {
		pmg_autofree char *up = pmg_path_dir(top);

		if (stat(up, &above) < 0 || above.st_dev != here.st_dev)
			break;
		free(top);
		top = pmg_steal_ptr(&up);
	}
	pmg_strv_addf(&out->stores, "%s/.pnpm-store", strcmp(top, "/") == 0 ? "" : top);
}

static void pnpm_places(const struct pmg_npmlike *n, struct pmg_places *out)
{
	static const char *const keys[] = { "pack-destination", "modules-dir", "virtual-store-dir",
					    "lockfile-dir", NULL };
	const struct pmg_place *place = n->place;
	const char *own = pmg_env_get(place->env, "PNPM_HOME");
	pmg_autofree char *share = pmg_places_base(place, "XDG_DATA_HOME", ".local/share");
	pmg_autofree char *cache = pmg_places_base(place, "XDG_CACHE_HOME", ".cache");
	pmg_autofree char *state = pmg_places_base(place, "XDG_STATE_HOME", ".local/state");
	pmg_autofree char *config = pmg_places_base(place, "XDG_CONFIG_HOME", ".config");
	pmg_autofree char *data =
		own && own[0] == '/' ? pmg_xstrdup(own) : pmg_path_join(share, "pnpm");
	pmg_autofree char *store = pmg_path_join(data, "store");
	pmg_autofree char *pnpm_cache = pmg_path_join(cache, "pnpm");
	pmg_autofree char *pnpm_state = pmg_path_join(state, "pnpm");
	pmg_autofree char *pnpm_config = pmg_path_join(config, "pnpm");

	add_setting(&out->stores, &n->settings, place, out, "store-dir", store);
	store_of_mount(place, out);
	add_setting(&out->caches, &n->settings, place, out, "cache-dir", pnpm_cache);
	add_setting(&out->caches, &n->settings, place, out, "state-dir", pnpm_state);
	pmg_places_add(&out->configs, pnpm_config);
	if (is_global(n, out)) {
		add_prefix(place, out, data);
		add_setting(&out->prefixes, &n->settings, place, out, "global-dir", NULL);
		add_setting(&out->prefixes, &n->settings, place, out, "global-bin-dir", NULL);
	}
	outputs(&n->settings, place, out, keys);
}

/* pip outside an environment: where its interpreter installs to, and where the user may. */
static void pip_bare(const struct pmg_place *place, const char *python, struct pmg_places *out)
{
	static const char *const user[] = { ".local/lib", ".local/bin", ".local/include" };
	pmg_autofree char *prefix = python ? prefix_of(python) : NULL;
	size_t i;

	/* Debian's python installs beside itself. */
	if (prefix && strcmp(prefix, "/usr") == 0)
		add_prefix(place, out, "/usr/local");
	else if (prefix)
		add_prefix(place, out, prefix);
	for (i = 0; i < PMG_ARRAY_LEN(user); i++) {
		pmg_autofree char *dir = pmg_path_join(place->home, user[i]);

		pmg_places_add_own(&out->prefixes, place, dir);
	}
}

static void pip_prefixes(const struct pmg_place *place, char **python, struct pmg_places *out)
{
	pmg_autofree char *bin = NULL;
	pmg_autofree char *root = NULL;

	/* "#!/usr/bin/env python3" */
	if (*python && strcmp(pmg_path_name(*python), "env") == 0) {
		free(*python);
		*python = pmg_env_search(place->env, "python3");
	}
	if (!*python)
		*python = pmg_env_search(place->env, "python3");
	bin = pmg_path_dir(*python ? *python : place->program);
	root = pmg_path_dir(bin);
	if (pmg_places_has(root, "pyvenv.cfg"))
		pmg_places_add_own(&out->prefixes, place, root);
	else
		pip_bare(place, *python, out);
}

static int pip_places(const struct pmg_place *place, struct pmg_places *out, struct pmg_err *err)
{
	static const char *const keys[] = { "dest",   "wheel-dir", "target", "prefix", "root",
					    "report", "log",       "src",    "output", NULL };
	static const char *const files[] = { "pip/pip.conf", ".pip/pip.conf" };
	pmg_auto(settings) struct pmg_settings settings = { 0 };
	pmg_autofree char *cache = pmg_places_base(place, "XDG_CACHE_HOME", ".cache");
	pmg_autofree char *config = pmg_places_base(place, "XDG_CONFIG_HOME", ".config");
	pmg_autofree char *pip_cache = pmg_path_join(cache, "pip");
	const char *own = pmg_env_get(place->env, "PIP_CONFIG_FILE");
	pmg_autofree char *python = NULL;
	size_t i;
	int r = pmg_pip_settings(place, &settings, &python, err);

	if (r < 0)
		return r;
	add_setting(&out->caches, &settings, place, out, "cache-dir", pip_cache);
	pip_prefixes(place, &python, out);
	outputs(&settings, place, out, keys);
	for (i = 0; i < PMG_ARRAY_LEN(files); i++) {
		pmg_autofree char *path = pmg_path_join(i == 0 ? config : place->home, files[i]);

		pmg_places_add(&out->configs, path);
	}
	if (own && *own && strcmp(own, "/dev/null") != 0) {
		pmg_autofree char *path = pmg_places_path(place, place->cwd, own);

		pmg_places_add(&out->configs, path);
	}
	return 0;
}

/* "workspaces": [...] or {"packages": [...]} of a folder's package.json: do they name `member`? */
static bool has_member(const char *dir, const char *member)
{
	pmg_autofree char *file = pmg_path_join(dir, "package.json");
	pmg_auto(strv) struct pmg_strv folders = { 0 };
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const struct json_t *list;
	pmg_autofree char *text = NULL;
	size_t len = 0, i;

	if (pmg_io_slurp(file, MANIFEST_MAX, &text, &len, &err) < 0 ||
	    pmg_json_parse(file, text, len, &json, &err) < 0)
		return false;
	list = pmg_json_get(json, "workspaces");
	if (pmg_json_is_object(list))
		list = pmg_json_get(list, "packages");
	for (i = 0; i < pmg_json_len(list); i++)
		if (pmg_json_text(pmg_json_at(list, i)))
			pmg_project_expand(dir, pmg_json_text(pmg_json_at(list, i)), &folders);
	return pmg_strv_has(&folders, member);
}

static bool is_root(const struct pmg_pm *pm, const char *dir, const char *found)
{
	static const char *const node[] = { "package.json", "pnpm-workspace.yaml", NULL };
	static const char *const python[] = { "pyproject.toml", "setup.py", "setup.cfg", NULL };
	const char *const *name = pm->eco == PMG_ECO_NPM ? node : python;

	/* Above the nearest one only the root of its workspace counts. */
	if (found)
		return pm->eco == PMG_ECO_NPM &&
		       ((strcmp(pm->name, "pnpm") == 0 && pmg_places_has(dir, node[1])) ||
			has_member(dir, found));
	for (; *name; name++)
		if (pmg_places_has(dir, *name))
			return true;
	return false;
}

static char *project_of(const struct pmg_pm *pm, const struct pmg_place *place, const char *start,
			const char *repository)
{
	pmg_autofree char *real = pmg_path_real(start);
	char *found = NULL;
	char *dir = pmg_xstrdup(real ? real : start), *up;
	unsigned level;

	for (level = 0; pm && level < PMG_PROJECT_LEVELS_MAX; level++) {
		/* A package.json that lies about in the home does not make all of it a project. */
		if (level > 0 && pmg_path_is_under(place->home, dir))
			break;
		if (is_root(pm, dir, found)) {
			free(found);
			found = pmg_xstrdup(dir);
		}
		if (strcmp(dir, "/") == 0 || pmg_streq(dir, repository))
			break;
		up = pmg_path_dir(dir);
		free(dir);
		dir = up;
	}
	free(dir);
	return found ? found : pmg_xstrdup(real ? real : start);
}

static int npmlike_places(const struct pmg_pm *pm, const struct pmg_place *place,
			  struct pmg_places *out, struct pmg_err *err)
{
	pmg_auto(facts) struct pmg_facts scratch = { 0 };
	pmg_auto(npmlike) struct pmg_npmlike n = { .place = place, .facts = &scratch };
	bool pnpm = strcmp(pm->name, "pnpm") == 0;
	pmg_autofree char *start = NULL;
	int r = pnpm ? pmg_pnpm_settings(&n, &start, err) : pmg_npm_settings(&n, &start, err);

	if (r < 0)
		return r;
	/* "npm -g --prefix X" installs into X, it does not work there. */
	if (is_global(&n, out)) {
		free(start);
		start = pmg_xstrdup(place->cwd);
	}
	pmg_places_git(place, start, out);
	out->project = project_of(pm, place, start, out->repository);
	npm_configs(&n, out);
	if (pnpm)
		pnpm_places(&n, out);
	else
		npm_places(&n, out);
	corepack(place, out);
	return 0;
}

int pmg_places_find(const struct pmg_pm *pm, const struct pmg_place *place, struct pmg_places *out,
		    struct pmg_err *err)
{
	pmg_auto(places) struct pmg_places found = { 0 };
	int r = 0;

	if (pm && pm->eco == PMG_ECO_NPM) {
		r = npmlike_places(pm, place, &found, err);
	} else {
		pmg_places_git(place, place->cwd, &found);
		found.project = project_of(pm, place, place->cwd, found.repository);
		if (pm)
			r = pip_places(place, &found, err);
	}
	if (r < 0)
		return r;
	pmg_places_programs(place, &found);
	*out = found;
	found = (struct pmg_places){ 0 };
	return 0;
}
