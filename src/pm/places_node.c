/* What npm and pnpm keep, and what this command line has them write to. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"
#include "pm/npmlike.h"
#include "pm/places_priv.h"

#define MANIFEST_MAX 1048576U

/* A setting that is not the project's. */
static bool is_set(const struct pmg_npmlike *n, const struct pmg_places *out, const char *key,
		   const char *to)
{
	size_t i;

	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];

		if (strcmp(s->key, key) == 0 && pmg_settings_use(s) &&
		    !pmg_places_is_of_project(n->place, out, s))
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

static bool runs_program(const struct pmg_npmlike *n)
{
	return strcmp(pmg_path_name(n->place->argv[0]), "npx") == 0 ||
	       (n->operands.n > 0 &&
		(strcmp(n->operands.v[0], "exec") == 0 || strcmp(n->operands.v[0], "x") == 0));
}

/* npx starts what is installed globally, whether or not that is on PATH. */
static void add_global_programs(const struct pmg_npmlike *n, const char *prefix,
				struct pmg_places *out)
{
	static const char *const below[] = { "bin", "lib/node_modules" };
	size_t i;

	for (i = 0; prefix && prefix[0] == '/' && i < PMG_ARRAY_LEN(below); i++) {
		pmg_autofree char *dir = pmg_path_join(prefix, below[i]);

		pmg_places_add_own(&out->programs, n->place, dir);
	}
}

static void npm_prefix(const struct pmg_npmlike *n, struct pmg_places *out)
{
	pmg_autofree char *set = pmg_places_named(&n->settings, n->place, out, "prefix");
	const char *env = pmg_env_get(n->place->env, "PREFIX");
	pmg_autofree char *node = pmg_env_search(n->place->env, "node");
	pmg_autofree char *of_node = node ? pmg_places_prefix_of(node) : NULL;

	if (runs_program(n))
		add_global_programs(n, set ? set : env, out);
	if (!is_global(n, out))
		return;
	if (set)
		pmg_places_add_prefix(n->place, out, set);
	else if (env && env[0] == '/')
		pmg_places_add_prefix(n->place, out, env);
	else if (of_node)
		pmg_places_add_prefix(n->place, out, of_node);
}

/* The user's own files, there or not; those of the project are read with the project. */
static void npm_configs(const struct pmg_npmlike *n, bool is_berry, struct pmg_places *out)
{
	pmg_autofree char *npmrc = pmg_path_join(n->place->home, ".npmrc");
	size_t i;

	/* Berry reads none, and what its own shell opens for a script it opens itself. */
	if (!is_berry)
		pmg_places_add(&out->configs, npmrc);
	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];

		if (s->line > 0 && s->what[0] == '/' && !pmg_places_is_of_project(n->place, out, s))
			pmg_places_add(&out->configs, s->what);
	}
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

	pmg_places_add_setting(&out->caches, &n->settings, n->place, out, "cache", cache);
	npm_prefix(n, out);
	pmg_places_outputs(&n->settings, n->place, out, keys);
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

	pmg_places_add_setting(&out->stores, &n->settings, place, out, "store-dir", store);
	store_of_mount(place, out);
	pmg_places_add_setting(&out->caches, &n->settings, place, out, "cache-dir", pnpm_cache);
	pmg_places_add_setting(&out->caches, &n->settings, place, out, "state-dir", pnpm_state);
	pmg_places_add(&out->configs, pnpm_config);
	if (is_global(n, out)) {
		pmg_places_add_prefix(place, out, data);
		pmg_places_add_setting(&out->prefixes, &n->settings, place, out, "global-dir",
				       NULL);
		pmg_places_add_setting(&out->prefixes, &n->settings, place, out, "global-bin-dir",
				       NULL);
	}
	pmg_places_outputs(&n->settings, place, out, keys);
}

/*
 * Where a script starts yarn or bun again, that ends at a configuration file which it may not read,
 * while npm goes on. One that holds no credential is nobody's secret.
 */
static void open_configs(const struct pmg_npmlike *n, struct pmg_places *out)
{
	size_t i;

	for (i = 0; n->cwd_is_folder && i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];

		if (s->line > 0 && s->what[0] == '/' &&
		    !pmg_strv_has(&out->plain_configs, s->what) && pmg_places_is_plain(s->what))
			pmg_places_add(&out->plain_configs, s->what);
	}
}

/* "pnpm": {"supportedArchitectures": ...} of a package.json. One that cannot be read may say so. */
static bool manifest_names_systems(const char *dir)
{
	pmg_autofree char *file = pmg_path_join(dir, "package.json");
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;

	if (pmg_io_slurp(file, MANIFEST_MAX, &text, &len, &err) < 0)
		return err.code != PMG_E_NOTFOUND;
	return pmg_json_parse(file, text, len, &json, &err) < 0 ||
	       pmg_json_get(pmg_json_get(json, "pnpm"), "supportedArchitectures");
}

/* Settings, whoever has written them, with which packages for other systems are installed. */
static bool takes_any_system(const struct pmg_npmlike *n)
{
	static const char *const keys[] = { "os", "cpu", "libc", "supported-architectures",
					    /* of which nobody knows what it says */ "<<" };
	size_t i, k;

	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];

		if (strcmp(s->key, "force") == 0 && strcmp(s->value, "false") != 0)
			return true;
		for (k = 0; k < PMG_ARRAY_LEN(keys); k++)
			if (strcmp(s->key, keys[k]) == 0)
				return true;
	}
	return false;
}

/* What is each manager's own. */
struct keeping {
	const char *name;
	int (*settings)(struct pmg_npmlike *n, char **start, struct pmg_err *err);
	void (*places)(const struct pmg_npmlike *n, struct pmg_places *out);
};

static const struct keeping *keeping_of(const struct pmg_pm *pm)
{
	static const struct keeping rows[] = {
		{ "npm", pmg_npm_settings, npm_places },
		{ "pnpm", pmg_pnpm_settings, pnpm_places },
		{ "yarn", pmg_yarn_settings, pmg_places_yarn },
		{ "bun", pmg_bun_settings, pmg_places_bun },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, pm->name) == 0)
			return &rows[i];
	return &rows[0];
}

int pmg_places_node(const struct pmg_pm *pm, const struct pmg_place *place, struct pmg_places *out,
		    struct pmg_err *err)
{
	pmg_auto(facts) struct pmg_facts scratch = { 0 };
	pmg_auto(npmlike) struct pmg_npmlike n = { .place = place, .facts = &scratch };
	const struct keeping *keeping = keeping_of(pm);
	pmg_autofree char *start = NULL;
	int r = keeping->settings(&n, &start, err);

	if (r < 0)
		return r;
	/* "npm -g --prefix X" installs into X, it does not work there. */
	if (!n.cwd_is_folder && is_global(&n, out)) {
		free(start);
		start = pmg_xstrdup(place->cwd);
	}
	pmg_places_git(place, start, out);
	out->project = pmg_places_project(pm, place, start, out->repository);
	npm_configs(&n, strcmp(pm->name, "yarn") == 0 && !pmg_yarn_is_classic(&n), out);
	pmg_places_operands(&n, start, out);
	keeping->places(&n, out);
	pmg_places_modules(&n, start, out);
	open_configs(&n, out);
	corepack(place, out);
	out->any_system = takes_any_system(&n) || manifest_names_systems(out->project) ||
			  manifest_names_systems(start);
	return 0;
}
