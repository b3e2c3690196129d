/* What pip keeps, and where it installs to. */
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"
#include "pm/places_priv.h"
#include "pm/settings.h"

void pmg_places_pip_bare(const struct pmg_place *place, const char *python, struct pmg_places *out)
{
	static const char *const user[] = { ".local/lib", ".local/bin", ".local/include" };
	pmg_autofree char *prefix = python ? pmg_places_prefix_of(python) : NULL;
	size_t i;

	/* Debian's python installs beside itself. */
	if (prefix && strcmp(prefix, "/usr") == 0)
		pmg_places_add_prefix(place, out, "/usr/local");
	else if (prefix)
		pmg_places_add_prefix(place, out, prefix);
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
		pmg_places_pip_bare(place, *python, out);
}

void pmg_places_pip_operands(const struct pmg_place *place, const struct pmg_settings *settings,
			     const struct pmg_strv *typed, struct pmg_places *out)
{
	size_t i;

	for (i = 0; i < typed->n; i++)
		pmg_places_typed(place, typed->v[i], out);
	for (i = 0; i < settings->n; i++) {
		const struct pmg_setting *s = &settings->v[i];
		pmg_autofree char *path = NULL;

		if (strcmp(s->key, "find-links") != 0 || strcmp(s->what, "command line") != 0 ||
		    strstr(s->value, "://"))
			continue;
		path = pmg_places_path(place, place->cwd, s->value);
		pmg_places_typed(place, path, out);
	}
}

/* The cache, and what configuration there is. */
static void add_files(const struct pmg_place *place, const struct pmg_settings *settings,
		      struct pmg_places *out)
{
	static const char *const files[] = { "pip/pip.conf", ".pip/pip.conf" };
	pmg_autofree char *cache = pmg_places_base(place, "XDG_CACHE_HOME", ".cache");
	pmg_autofree char *config = pmg_places_base(place, "XDG_CONFIG_HOME", ".config");
	pmg_autofree char *pip_cache = pmg_path_join(cache, "pip");
	const char *own = pmg_env_get(place->env, "PIP_CONFIG_FILE");
	size_t i;

	pmg_places_add_setting(&out->caches, settings, place, out, "cache-dir", pip_cache);
	for (i = 0; i < PMG_ARRAY_LEN(files); i++) {
		pmg_autofree char *path = pmg_path_join(i == 0 ? config : place->home, files[i]);

		pmg_places_add(&out->configs, path);
	}
	if (own && *own && strcmp(own, "/dev/null") != 0) {
		pmg_autofree char *path = pmg_places_path(place, place->cwd, own);

		pmg_places_add(&out->configs, path);
	}
}

int pmg_places_pip(const struct pmg_place *place, struct pmg_places *out, struct pmg_err *err)
{
	static const char *const folders[] = { "dest", "wheel-dir", "target", "prefix",
					       "root", "src",       NULL };
	static const char *const files[] = { "report", "log", "output", NULL };
	pmg_auto(settings) struct pmg_settings settings = { 0 };
	pmg_auto(strv) struct pmg_strv typed = { 0 };
	pmg_autofree char *python = NULL;
	int r = pmg_pip_settings(place, &settings, &typed, &python, err);

	if (r < 0)
		return r;
	add_files(place, &settings, out);
	pip_prefixes(place, &python, out);
	pmg_places_outputs(&settings, place, out, folders);
	pmg_places_output_files(&settings, place, out, files);
	pmg_places_sites(&settings, place, out);
	pmg_places_pip_operands(place, &settings, &typed, out);
	return 0;
}

int pmg_places_pip_files(const struct pmg_place *place, struct pmg_places *out, struct pmg_err *err)
{
	char name[] = "pip", *const argv[] = { name, NULL };
	pmg_auto(settings) struct pmg_settings settings = { 0 };
	pmg_auto(strv) struct pmg_strv typed = { 0 };
	struct pmg_place bare = *place;
	pmg_autofree char *python = NULL;
	int r;

	bare.argv = argv;
	r = pmg_pip_settings(&bare, &settings, &typed, &python, err);
	if (r == 0)
		add_files(&bare, &settings, out);
	return r;
}
