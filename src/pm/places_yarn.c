/* What yarn keeps: yarn 1 and berry each in folders of their own. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"
#include "pm/npmlike.h"
#include "pm/places_priv.h"

/* As root yarn 1 takes this folder for its home. */
static const char *home_of_classic(const struct pmg_place *place)
{
	return geteuid() == 0 ? "/usr/local/share" : place->home;
}

/* $NAME/yarn, else HOME/otherwise */
static char *classic_folder(const struct pmg_place *place, const char *name, const char *otherwise)
{
	const char *base = pmg_env_get(place->env, name);

	return base && base[0] == '/' ? pmg_path_join(base, "yarn")
				      : pmg_path_join(home_of_classic(place), otherwise);
}

static bool is_global(const char *verb)
{
	static const char *const verbs[] = { "global", "link", "unlink", "create" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(verbs); i++)
		if (strcmp(verbs[i], verb) == 0)
			return true;
	return false;
}

/* `yarn global add`, `yarn link`: packages in the data folder, their programs below a prefix. */
static void global_places(const struct pmg_npmlike *n, struct pmg_places *out)
{
	const struct pmg_place *place = n->place;
	const char *verb = n->operands.n > 0 ? n->operands.v[0] : "";
	pmg_autofree char *data = classic_folder(place, "XDG_DATA_HOME", ".config/yarn");
	pmg_autofree char *global = pmg_path_join(data, "global");
	pmg_autofree char *link = pmg_path_join(data, "link");
	pmg_autofree char *fallback = pmg_path_join(home_of_classic(place), ".yarn");
	pmg_autofree char *bin = pmg_path_join(fallback, "bin");
	pmg_autofree char *set = pmg_places_named(&n->settings, place, out, "prefix");
	pmg_autofree char *set_bin = pmg_path_join(set ? set : "/usr/local", "bin");

	if (!is_global(verb))
		return;
	pmg_places_add_setting(&out->prefixes, &n->settings, place, out, "link-folder", link);
	pmg_places_add_setting(&out->prefixes, &n->settings, place, out, "global-folder", global);
	pmg_places_add_prefix(place, out, bin);
	pmg_strv_extend(&out->made, pmg_strv_argv(&out->prefixes));
	pmg_places_add_prefix(place, out, set_bin);
}

/* Whatever it does, yarn 1 tries out whether it could install programs into this one. */
static void global_bin(const struct pmg_npmlike *n, struct pmg_places *out)
{
	pmg_autofree char *bin = pmg_path_join(home_of_classic(n->place), ".yarn/bin");

	pmg_places_add(&out->made, bin);
}

static void configs(const struct pmg_npmlike *n, struct pmg_places *out)
{
	static const char *const files[] = { ".yarnrc", ".yarnrc.yml" };
	const char *homes[] = { n->place->home, home_of_classic(n->place) };
	size_t i, k;

	for (i = 0; i < PMG_ARRAY_LEN(homes); i++)
		for (k = 0; k < PMG_ARRAY_LEN(files); k++) {
			pmg_autofree char *file = pmg_path_join(homes[i], files[k]);

			pmg_places_add(&out->configs, file);
		}
}

/*
 * What tells yarn how to work and which program to be is written only where the command line is
 * for that. Berry does what ">" and "<" of a package's script say itself, with its own rights, so
 * that else a script could write it.
 */
static void settings_places(const struct pmg_npmlike *n, struct pmg_places *out)
{
	static const char *const verbs[] = { "set",    "plugin", "policies", "config", "init",
					     "import", "npm",    "login",    "logout" };
	static const char *const in_project[] = { ".yarnrc.yml",  ".yarnrc",    ".yarn",
						  "README.md",    ".gitignore", ".gitattributes",
						  ".editorconfig" };
	pmg_autofree char *rc = pmg_path_join(home_of_classic(n->place), ".yarnrc");
	pmg_autofree char *yml = pmg_path_join(n->place->home, ".yarnrc.yml");
	const char *verb = n->operands.n > 0 ? n->operands.v[0] : "";
	bool is_for_it = false;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(verbs); i++)
		is_for_it = is_for_it || strcmp(verbs[i], verb) == 0;
	if (is_for_it || pmg_yarn_is_classic(n))
		pmg_places_add(&out->outputs,
			       rc); /* yarn 1 keeps when it last looked for a newer */
	if (!is_for_it)
		return;
	pmg_places_add(&out->outputs, yml);
	for (i = 0; i < PMG_ARRAY_LEN(in_project); i++) {
		pmg_autofree char *path = pmg_path_join(out->project, in_project[i]);

		pmg_places_add(&out->outputs, path);
	}
}

void pmg_places_yarn(const struct pmg_npmlike *n, struct pmg_places *out)
{
	static const char *const keys[] = { "modules-folder", NULL };
	const struct pmg_place *place = n->place;
	pmg_autofree char *classic = classic_folder(place, "XDG_CACHE_HOME", ".cache/yarn");
	pmg_autofree char *berry = pmg_path_join(place->home, ".yarn/berry");
	pmg_autofree char *config = pmg_places_base(place, "XDG_CONFIG_HOME", ".config");
	pmg_autofree char *own = pmg_path_join(config, "yarn");
	const char *path = pmg_yarn_path(n);

	/* yarn 1 opens this folder as a file, and ends at any error but that it is a folder. */
	pmg_places_add(&out->plain_configs, own);
	pmg_places_add_setting(&out->caches, &n->settings, place, out, "cache-folder", classic);
	pmg_places_add_own(&out->caches, place, classic);
	pmg_places_add_setting(&out->caches, &n->settings, place, out, "preferred-cache-folder",
			       NULL);
	pmg_places_add_setting(&out->caches, &n->settings, place, out, "global-folder", berry);
	pmg_places_add_own(&out->caches, place, berry);
	global_places(n, out);
	global_bin(n, out);
	configs(n, out);
	settings_places(n, out);
	pmg_places_outputs(&n->settings, place, out, keys);
	if (path)
		pmg_places_add(&out->parts, path);
}
