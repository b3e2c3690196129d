/* What poetry keeps, and where it installs to. */
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"
#include "pm/places_priv.h"
#include "pm/settings.h"

/* "{cache-dir}/virtualenvs" of a setting, with the cache put in. */
static char *environments(const struct pmg_settings *settings, const struct pmg_place *place,
			  const struct pmg_places *out, const char *cache)
{
	static const char mark[] = "{cache-dir}";
	const struct pmg_setting *s = pmg_settings_find(settings, "virtualenvs-path");
	const char *rest = s ? s->value + sizeof mark - 1 : NULL;

	if (!s)
		return pmg_path_join(cache, "virtualenvs");
	if (pmg_str_has_prefix(s->value, mark))
		return pmg_path_join(cache, rest + strspn(rest, "/"));
	return pmg_places_named(settings, place, out, "virtualenvs-path");
}

void pmg_poetry_mark(const char *project, char out[PMG_POETRY_MARK])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	char hex[PMG_SHA256_HEX];
	unsigned long long bits;
	unsigned i;

	pmg_sha256_hex(project, strlen(project), hex);
	hex[12] = '\0'; /* 48 bits */
	bits = strtoull(hex, NULL, 16);
	for (i = 0; i < PMG_POETRY_MARK - 1; i++)
		out[i] = digits[bits >> (42 - 6 * i) & 63];
	out[i] = '\0';
}

/* Those of the project: NAME-MARK-pyVERSION. The run may be what makes the first one. */
static void add_environments(const struct pmg_settings *settings, const struct pmg_place *place,
			     const char *cache, struct pmg_places *out)
{
	pmg_autofree char *own = environments(settings, place, out, cache);
	pmg_auto(strv) struct pmg_strv dirs = { 0 };
	char mark[PMG_POETRY_MARK];
	pmg_autofree char *below = NULL;
	size_t i;

	pmg_poetry_mark(out->project, mark);
	below = pmg_xasprintf("*-%s-py*", mark);
	pmg_strv_take(&dirs, pmg_path_join(cache, "virtualenvs"));
	if (own)
		pmg_strv_add(&dirs, own);
	pmg_places_said(&dirs, settings, place, out, "virtualenvs-path");
	for (i = 0; i < dirs.n; i++)
		pmg_places_pattern(&out->envs, dirs.v[i], below);
}

/* `poetry self` changes poetry itself, `poetry python` interpreters of its own. */
static void add_own(const struct pmg_place *place, const struct pmg_strv *verbs,
		    struct pmg_places *out)
{
	const char *value = pmg_env_get(place->env, "POETRY_DATA_DIR");
	pmg_autofree char *data = pmg_places_base(place, "XDG_DATA_HOME", ".local/share");
	pmg_autofree char *own = value && *value ? pmg_places_path(place, place->cwd, value)
						 : pmg_path_join(data, "pypoetry");
	pmg_autofree char *prefix = pmg_places_prefix_of(place->program);
	bool self = verbs->n > 0 && strcmp(verbs->v[0], "self") == 0;
	bool python = verbs->n > 0 && strcmp(verbs->v[0], "python") == 0;

	pmg_places_add_own(self || python ? &out->prefixes : &out->stores, place, own);
	if (self && pmg_places_has(prefix, "pyvenv.cfg"))
		pmg_places_add_prefix(place, out, prefix);
}

/* `poetry build` and `publish --build`. */
static void add_dist(const struct pmg_settings *settings, const struct pmg_place *place,
		     struct pmg_places *out)
{
	const char *given = pmg_settings_value(settings, "output");
	const char *older = pmg_settings_value(settings, "dist-dir");
	const char *name = given ? given : older ? older : "dist";
	pmg_autofree char *dist = pmg_places_path(place, out->project, name);

	pmg_places_add_own(&out->dists, place, out->project);
	pmg_places_add_own(&out->dists, place, dist);
}

int pmg_places_poetry(const struct pmg_place *place, struct pmg_places *out, struct pmg_err *err)
{
	/* virtualenv, by which poetry makes environments, keeps seeds and what it knows of pythons.
	 */
	static const char *const seeds[][2] = { { "XDG_CACHE_HOME", ".cache" },
						{ "XDG_DATA_HOME", ".local/share" } };
	pmg_auto(settings) struct pmg_settings settings = { 0 };
	pmg_auto(strv) struct pmg_strv typed = { 0 };
	pmg_auto(strv) struct pmg_strv verbs = { 0 };
	pmg_autofree char *base = pmg_places_base(place, "XDG_CACHE_HOME", ".cache");
	pmg_autofree char *config = pmg_poetry_config(place);
	const char *venv = pmg_env_get(place->env, "VIRTUAL_ENV");
	pmg_autofree char *named = NULL, *cache = NULL, *envs = NULL;
	size_t i;
	int r = pmg_poetry_settings(place, &settings, &typed, &verbs, err);

	if (r < 0)
		return r;
	named = pmg_places_named(&settings, place, out, "cache-dir");
	cache = named ? pmg_xstrdup(named) : pmg_path_join(base, "pypoetry");
	envs = environments(&settings, place, out, cache);
	pmg_places_add_own(&out->caches, place, cache);
	for (i = 0; i < PMG_ARRAY_LEN(seeds); i++) {
		pmg_autofree char *dir = pmg_places_base(place, seeds[i][0], seeds[i][1]);
		pmg_autofree char *seed = pmg_path_join(dir, "virtualenv");

		pmg_places_add_own(&out->caches, place, seed);
	}
	if (envs)
		pmg_places_add_own(&out->prefixes, place, envs);
	add_environments(&settings, place, cache, out);
	if (venv && venv[0] == '/')
		pmg_places_add_own(&out->prefixes, place, venv);
	add_own(place, &verbs, out);
	if (verbs.n > 0 && (strcmp(verbs.v[0], "build") == 0 || strcmp(verbs.v[0], "publish") == 0))
		add_dist(&settings, place, out);
	pmg_places_pip_operands(place, &settings, &typed, out);
	pmg_places_add(&out->configs, config);
	if (verbs.n > 0 && strcmp(verbs.v[0], "config") == 0)
		pmg_places_add_own(&out->prefixes, place, config);
	return 0;
}
