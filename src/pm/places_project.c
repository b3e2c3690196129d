/* The folder that a manager takes for its project. */
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/toml.h"
#include "pm/places_priv.h"
#include "pm/project.h"

#define MANIFEST_MAX 1048576U

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

/* [tool.uv.workspace] members of a folder's pyproject.toml: do they name `member`? */
static bool has_uv_member(const char *dir, const char *member)
{
	pmg_autofree char *file = pmg_path_join(dir, "pyproject.toml");
	pmg_auto(strv) struct pmg_strv folders = { 0 };
	pmg_auto(toml) struct pmg_toml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;

	if (pmg_io_slurp(file, MANIFEST_MAX, &text, &len, &err) < 0 ||
	    pmg_toml_parse(file, text, len, &doc, &err) < 0)
		return false;
	pmg_toml_each(pmg_toml_at(doc, "tool.uv.workspace.members"), it) if (it->text)
		pmg_project_expand(dir, it->text, &folders);
	return pmg_strv_has(&folders, member);
}

/* Above the nearest manifest only the root of its workspace counts. */
static bool is_workspace(const struct pmg_pm *pm, const char *dir, const char *found)
{
	if (strcmp(pm->name, "uv") == 0)
		return has_uv_member(dir, found);
	return pm->eco == PMG_ECO_NPM &&
	       ((strcmp(pm->name, "pnpm") == 0 && pmg_places_has(dir, "pnpm-workspace.yaml")) ||
		has_member(dir, found));
}

static bool is_root(const struct pmg_pm *pm, const char *dir, const char *found)
{
	static const char *const node[] = { "package.json", "pnpm-workspace.yaml", NULL };
	static const char *const python[] = { "pyproject.toml", "setup.py", "setup.cfg", NULL };
	const char *const *name = pm->eco == PMG_ECO_NPM ? node : python;

	if (found)
		return is_workspace(pm, dir, found);
	for (; *name; name++)
		if (pmg_places_has(dir, *name))
			return true;
	return false;
}

char *pmg_places_project(const struct pmg_pm *pm, const struct pmg_place *place, const char *start,
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
