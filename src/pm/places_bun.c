/* What bun keeps: all of it below ~/.bun, unless told otherwise. */
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"
#include "pm/npmlike.h"
#include "pm/places_priv.h"

/* Setting, $NAME, else a folder below bun's own. */
static void add(struct pmg_strv *list, const struct pmg_npmlike *n, struct pmg_places *out,
		const char *key, const char *name, const char *below)
{
	pmg_autofree char *own = pmg_places_base(n->place, "BUN_INSTALL", ".bun");
	pmg_autofree char *usual = pmg_path_join(own, below);
	const char *named = pmg_env_get(n->place->env, name);

	pmg_places_add_setting(list, &n->settings, n->place, out, key,
			       named && named[0] == '/' ? named : usual);
}

static bool is_global(const struct pmg_npmlike *n)
{
	const char *verb = n->operands.n > 0 ? n->operands.v[0] : "";
	size_t i;

	if (strcmp(verb, "link") == 0 || strcmp(verb, "unlink") == 0)
		return true;
	for (i = 0; i < n->settings.n; i++)
		if (strcmp(n->settings.v[i].key, "global") == 0 && n->settings.v[i].line == 0)
			return true;
	return false;
}

/* `bun run` lists every folder above the one that it works in, to find modules and manifests. */
static void parents(const struct pmg_npmlike *n, struct pmg_places *out)
{
	const char *from[] = { out->project, n->place->cwd };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(from); i++) {
		char *dir = pmg_xstrdup(from[i]);

		while (strcmp(dir, "/") != 0) {
			char *up = pmg_path_dir(dir);

			free(dir);
			dir = up;
			(void)pmg_strv_add_once(&out->plain_configs, dir);
		}
		free(dir);
	}
}

static void init_places(const struct pmg_npmlike *n, struct pmg_places *out)
{
	static const char *const names[] = { ".gitignore",    "index.ts",   "index.tsx",
					     "tsconfig.json", "README.md",  "CLAUDE.md",
					     "src",           "bunfig.toml" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		pmg_autofree char *path = pmg_path_join(n->place->cwd, names[i]);

		pmg_places_add(&out->outputs, path);
	}
}

void pmg_places_bun(const struct pmg_npmlike *n, struct pmg_places *out)
{
	static const char *const keys[] = { "destination", NULL };
	const char *xdg = pmg_env_get(n->place->env, "XDG_CACHE_HOME");
	pmg_autofree char *bunfig = pmg_path_join(n->place->home, ".bunfig.toml");

	out->runs_code = pmg_bun_runs_code(n->place->argv[0], &n->operands);
	add(&out->caches, n, out, "cache-dir", "BUN_INSTALL_CACHE_DIR", "install/cache");
	if (xdg && xdg[0] == '/') {
		pmg_autofree char *cache = pmg_path_join(xdg, ".bun/install/cache");

		pmg_places_add_own(&out->caches, n->place, cache);
	}
	if (is_global(n)) {
		add(&out->prefixes, n, out, "global-dir", "BUN_INSTALL_GLOBAL_DIR",
		    "install/global");
		add(&out->prefixes, n, out, "global-bin-dir", "BUN_INSTALL_BIN", "bin");
		pmg_strv_extend(&out->made, pmg_strv_argv(&out->prefixes));
	}
	pmg_places_add(&out->configs, bunfig);
	parents(n, out);
	if (n->operands.n > 0 && strcmp(n->operands.v[0], "init") == 0)
		init_places(n, out);
	pmg_places_outputs(&n->settings, n->place, out, keys);
}
