#include "pm/places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"
#include "pm/places_priv.h"
#include "pm/settings.h"

void pmg_places_done(struct pmg_places *places)
{
	free(places->project);
	free(places->repository);
	pmg_strv_done(&places->caches);
	pmg_strv_done(&places->stores);
	pmg_strv_done(&places->prefixes);
	pmg_strv_done(&places->modules);
	pmg_strv_done(&places->asked);
	pmg_strv_done(&places->locks);
	pmg_strv_done(&places->moved);
	pmg_strv_done(&places->bases);
	pmg_strv_done(&places->targets);
	pmg_strv_done(&places->envs);
	pmg_strv_done(&places->beside);
	pmg_strv_done(&places->made);
	pmg_strv_done(&places->made_files);
	pmg_strv_done(&places->outputs);
	pmg_strv_done(&places->operands);
	pmg_strv_done(&places->source_dirs);
	pmg_strv_done(&places->dists);
	pmg_strv_done(&places->programs);
	pmg_strv_done(&places->configs);
	pmg_strv_done(&places->plain_configs);
	pmg_strv_done(&places->parts);
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

bool pmg_places_is_of_project(const struct pmg_place *place, const struct pmg_places *out,
			      const struct pmg_setting *s)
{
	/* Wherever they lie: one above the project is written by who has that folder. */
	static const char *const names[] = { ".npmrc",      ".yarnrc",      ".yarnrc.yml",
					     "bunfig.toml", ".bunfig.toml", "pnpm-workspace.yaml" };
	pmg_autofree char *dir = pmg_path_dir(s->what);
	bool known = false;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		known = known || strcmp(pmg_path_name(s->what), names[i]) == 0;
	if (s->line == 0 || (known && strcmp(dir, place->home) == 0))
		return false;
	return known || s->of_project ||
	       (s->what[0] == '/' && out->project && pmg_places_is_within(s->what, out->project));
}

/* A folder in it: "store-dir=." would open all of the project to scripts, and what is beside a
 * store (policy/vars.c, STOREROOT) is then beside the project. */
static bool may_name(const struct pmg_places *out, const char *path)
{
	pmg_autofree char *real = pmg_places_real(path);

	return pmg_places_is_within(path, out->project) &&
	       !pmg_places_is_within(out->project, real);
}

char *pmg_places_named(const struct pmg_settings *settings, const struct pmg_place *place,
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
		if (!pmg_places_is_of_project(place, out, s) || may_name(out, path))
			return path;
		free(path);
	}
	return NULL;
}

void pmg_places_add_setting(struct pmg_strv *list, const struct pmg_settings *settings,
			    const struct pmg_place *place, const struct pmg_places *out,
			    const char *key, const char *otherwise)
{
	pmg_autofree char *path = pmg_places_named(settings, place, out, key);

	if (path || otherwise)
		pmg_places_add_own(list, place, path ? path : otherwise);
}

static bool is_in(const struct pmg_place *place, const char *dir, const char *path)
{
	return dir && !pmg_path_is_under(place->home, dir) && pmg_path_is_under(path, dir);
}

bool pmg_places_is_open(const struct pmg_place *place, const struct pmg_places *out,
			const char *path)
{
	return is_in(place, out->project, path) || is_in(place, place->cwd, path);
}

void pmg_places_add_output(struct pmg_strv *list, const struct pmg_place *place,
			   struct pmg_places *out, const char *path)
{
	pmg_places_add_own(list, place, path);
	if (!pmg_places_is_open(place, out, path))
		pmg_places_add_own(&out->made, place, path);
}

void pmg_places_outputs(const struct pmg_settings *settings, const struct pmg_place *place,
			struct pmg_places *out, const char *const *keys)
{
	for (; *keys; keys++) {
		pmg_autofree char *path = pmg_places_named(settings, place, out, *keys);

		if (path)
			pmg_places_add_output(&out->outputs, place, out, path);
	}
}

void pmg_places_output_files(const struct pmg_settings *settings, const struct pmg_place *place,
			     struct pmg_places *out, const char *const *keys)
{
	for (; *keys; keys++) {
		pmg_autofree char *path = pmg_places_named(settings, place, out, *keys);

		if (!path)
			continue;
		pmg_places_add_own(&out->outputs, place, path);
		if (!pmg_places_is_open(place, out, path))
			pmg_places_add_own(&out->made_files, place, path);
	}
}

/* What is not there yet is the user's once it has been made, in /tmp too. */
static bool is_owned(const char *path)
{
	pmg_autofree char *dir = pmg_xstrdup(path);
	struct stat st;

	if (stat(dir, &st) == 0)
		return st.st_uid == geteuid();
	while (stat(dir, &st) < 0 && strcmp(dir, "/") != 0) {
		char *up = pmg_path_dir(dir);

		free(dir);
		dir = up;
	}
	return access(dir, W_OK | X_OK) == 0;
}

void pmg_places_add_prefix(const struct pmg_place *place, struct pmg_places *out, const char *path)
{
	if (is_owned(path))
		pmg_places_add_own(&out->prefixes, place, path);
}

char *pmg_places_prefix_of(const char *program)
{
	pmg_autofree char *real = pmg_path_real(program);
	pmg_autofree char *bin = pmg_path_dir(real ? real : program);

	return pmg_path_dir(bin);
}

/* Python's managers, and none. */
static const struct {
	const char *name;
	char *(*start)(const struct pmg_place *place); /* NULL: the working folder */
	int (*find)(const struct pmg_place *place, struct pmg_places *out, struct pmg_err *err);
} pythons[] = {
	{ "pip", NULL, pmg_places_pip },
	{ "uv", pmg_uv_start, pmg_places_uv },
	{ "pipx", NULL, pmg_places_pipx },
	{ "poetry", pmg_poetry_start, pmg_places_poetry },
};

static int find_python(const struct pmg_pm *pm, const struct pmg_place *place,
		       struct pmg_places *out, struct pmg_err *err)
{
	pmg_autofree char *start = NULL;
	size_t i = 0;

	while (pm && strcmp(pythons[i].name, pm->name) != 0)
		i++;
	start = pm && pythons[i].start ? pythons[i].start(place) : pmg_xstrdup(place->cwd);
	pmg_places_git(place, start, out);
	out->project = pmg_places_project(pm, place, start, out->repository);
	return pm ? pythons[i].find(place, out, err) : 0;
}

int pmg_places_find(const struct pmg_pm *pm, const struct pmg_place *place, struct pmg_places *out,
		    struct pmg_err *err)
{
	pmg_auto(places) struct pmg_places found = { 0 };
	int r = pm && pm->eco == PMG_ECO_NPM ? pmg_places_node(pm, place, &found, err)
					     : find_python(pm, place, &found, err);

	if (r < 0)
		return r;
	if (found.project && access(found.project, F_OK) < 0) /* npm i --prefix DIR */
		pmg_places_add_own(&found.made, place, found.project);
	pmg_places_programs(place, &found);
	*out = found;
	found = (struct pmg_places){ 0 };
	return 0;
}
