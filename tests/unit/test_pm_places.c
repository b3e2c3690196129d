#include "pm/places.h"

#include "learning.h"
#include "pm/places_priv.h"

static bool has(const struct learning *l, const struct pmg_strv *list, const char *text)
{
	pmg_autofree char *path = learning_text(l, text);

	return pmg_strv_has(list, path);
}

static void assert_has(const struct learning *l, const struct pmg_strv *list, const char *text)
{
	size_t i;

	if (has(l, list, text))
		return;
	for (i = 0; i < list->n; i++)
		print_message("  %s\n", list->v[i]);
	fail_msg("no %s", text);
}

static void find(struct learning *l, const char *line, struct pmg_places *out)
{
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_places_find(l->pm, learning_place(l, line), out, &err) < 0)
		fail_msg("%s", err.msg);
}

static void link_to(const struct learning *l, const char *from, const char *to)
{
	pmg_autofree char *path = learning_text(l, from);
	pmg_autofree char *target = learning_text(l, to);
	pmg_autofree char *dir = pmg_path_dir(path);
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_io_mkdirs(dir, 0700, &err), 0);
	assert_int_equal(symlink(target, path), 0);
}

/* Which list of places a row is about. */
enum list {
	CACHES,
	STORES,
	PREFIXES,
	OUTPUTS,
	CONFIGS,
	PROGRAMS,
	DISTS,
	PLAIN,
	PARTS,
	MADE,
	FILES,
	MODULES,
	BASES,
	TARGETS,
	ENVS,
	BESIDE,
	ASKED,
	LOCKS
};

static const struct pmg_strv *list_of(const struct pmg_places *places, enum list list)
{
	const struct pmg_strv *const lists[] = {
		[CACHES] = &places->caches,     [STORES] = &places->stores,
		[PREFIXES] = &places->prefixes, [OUTPUTS] = &places->outputs,
		[CONFIGS] = &places->configs,   [PROGRAMS] = &places->programs,
		[DISTS] = &places->dists,       [PLAIN] = &places->plain_configs,
		[PARTS] = &places->parts,       [MADE] = &places->made,
		[FILES] = &places->made_files,  [MODULES] = &places->modules,
		[BASES] = &places->bases,       [TARGETS] = &places->targets,
		[ENVS] = &places->envs,         [BESIDE] = &places->beside,
		[ASKED] = &places->asked,       [LOCKS] = &places->locks,
	};

	return lists[list];
}

static void places_follow_line_environment_files_and_defaults(void **state)
{
	static const struct {
		const char *tool, *line, *env, *file, *text; /* env "NAME=VALUE"; may be NULL */
		enum list list;
		const char *has, *has_not;
	} rows[] = {
		{ "npm", "npm i", NULL, NULL, NULL, CACHES, "{home}/.npm", NULL },
		{ "npm", "npm i --cache /elsewhere", NULL, NULL, NULL, CACHES, "/elsewhere",
		  "{home}/.npm" },
		{ "npm", "npm i", "npm_config_cache={top}/c", NULL, NULL, CACHES, "{top}/c",
		  "{home}/.npm" },
		{ "npm", "npm i", NULL, "home/.npmrc", "cache={top}/d\n", CACHES, "{top}/d",
		  "{home}/.npm" },
		/* A project names a folder of its own, not one elsewhere. */
		{ "npm", "npm i", NULL, "home/project/.npmrc", "cache={home}/other\n", CACHES,
		  "{home}/.npm", "{home}/other" },
		{ "npm", "npm i", NULL, "home/project/.npmrc", "cache=.npm-cache\n", CACHES,
		  "{project}/.npm-cache", "{home}/.npm" },
		/* Nor itself, or what holds it. */
		{ "npm", "npm i", NULL, "home/project/.npmrc", "cache=.\n", CACHES, "{home}/.npm",
		  "{project}" },
		{ "pnpm", "pnpm i", NULL, "home/project/.npmrc", "store-dir=.\n", STORES,
		  "{home}/.local/share/pnpm/store", "{project}" },
		{ "pnpm", "pnpm i", NULL, "home/project/pnpm-workspace.yaml", "storeDir: x/..\n",
		  STORES, "{home}/.local/share/pnpm/store", "{project}" },
		{ "pnpm", "pnpm i", NULL, "home/project/.npmrc", "store-dir=..\n", STORES,
		  "{home}/.local/share/pnpm/store", "{home}" },
		{ "pnpm", "pnpm i", NULL, "home/project/.npmrc", "store-dir=.store\n", STORES,
		  "{project}/.store", NULL },
		/* Nobody opens the home. */
		{ "npm", "npm i --cache {home}", NULL, NULL, NULL, CACHES, NULL, "{home}" },
		{ "npm", "npm i --cache /", NULL, NULL, NULL, CACHES, NULL, "/" },
		{ "npm", "npm i x --prefix {top}/p", NULL, NULL, NULL, PREFIXES, NULL, "{top}/p" },
		{ "npm", "npm i -g x --prefix {top}/p", NULL, NULL, NULL, PREFIXES, "{top}/p",
		  NULL },
		{ "npm", "npm link x", "npm_config_prefix={top}/p", NULL, NULL, PREFIXES, "{top}/p",
		  NULL },
		/* npx starts what is installed globally, on PATH or not. */
		{ "npm", "npx x", "npm_config_prefix={top}/p", NULL, NULL, PROGRAMS, "{top}/p/bin",
		  "{top}/p" },
		{ "npm", "npm exec x", NULL, "home/.npmrc", "prefix={top}/p\n", PROGRAMS,
		  "{top}/p/lib/node_modules", "{top}/p" },
		{ "npm", "npm i x", NULL, "home/.npmrc", "prefix={top}/p\n", PROGRAMS, NULL,
		  "{top}/p/bin" },
		{ "npm", "npm exec x", NULL, "home/project/.npmrc", "prefix={top}/p\n", PROGRAMS,
		  NULL, "{top}/p/bin" },
		{ "npm", "npm pack --pack-destination {top}/o", NULL, NULL, NULL, OUTPUTS,
		  "{top}/o", NULL },
		{ "npm", "npm i", NULL, NULL, NULL, CONFIGS, "{home}/.npmrc", "{project}/.npmrc" },
		{ "pnpm", "pnpm i", NULL, NULL, NULL, STORES, "{home}/.local/share/pnpm/store",
		  NULL },
		{ "pnpm", "pnpm i", "XDG_DATA_HOME={top}/data", NULL, NULL, STORES,
		  "{top}/data/pnpm/store", NULL },
		{ "pnpm", "pnpm i", "PNPM_HOME={top}/ph", NULL, NULL, STORES, "{top}/ph/store",
		  NULL },
		{ "pnpm", "pnpm i --store-dir {top}/s", NULL, NULL, NULL, STORES, "{top}/s", NULL },
		{ "pnpm", "pnpm i", NULL, "home/project/pnpm-workspace.yaml",
		  "storeDir: {home}/other\n", STORES, "{home}/.local/share/pnpm/store",
		  "{home}/other" },
		{ "pnpm", "pnpm i", NULL, NULL, NULL, CACHES, "{home}/.cache/pnpm", NULL },
		{ "pnpm", "pnpm i", NULL, NULL, NULL, CACHES, "{home}/.local/state/pnpm", NULL },
		{ "pnpm", "pnpm add -g x", NULL, NULL, NULL, PREFIXES, "{home}/.local/share/pnpm",
		  NULL },
		{ "yarn", "yarn", NULL, NULL, NULL, CACHES, "{home}/.yarn/berry", NULL },
		{ "yarn", "yarn", "XDG_CACHE_HOME={top}/x", NULL, NULL, CACHES, "{top}/x/yarn",
		  NULL },
		{ "yarn", "yarn", "YARN_CACHE_FOLDER={top}/c", NULL, NULL, CACHES, "{top}/c",
		  NULL },
		{ "yarn", "yarn", "YARN_GLOBAL_FOLDER={top}/g", NULL, NULL, CACHES, "{top}/g",
		  NULL },
		{ "yarn", "yarn", NULL, "home/project/.yarnrc", "--install.cwd sub\n", MODULES,
		  "{project}/sub/node_modules", NULL },
		{ "yarn", "yarn", NULL, "home/project/.yarnrc",
		  "--cwd sub\n--install.modules-folder d\n", MODULES, "{project}/sub/d", NULL },
		{ "yarn", "yarn", NULL, "home/project/.yarnrc", "cwd sub\n", MODULES,
		  "{project}/node_modules", NULL },
		{ "yarn", "yarn", NULL, "home/.yarnrc.yml", "globalFolder: ../g\n", CACHES,
		  "{top}/g", NULL },
		{ "yarn", "yarn", NULL, "home/project/.yarnrc.yml", "cacheFolder: {home}/other\n",
		  CACHES, "{home}/.yarn/berry", "{home}/other" },
		{ "yarn", "yarn", NULL, "home/project/.yarnrc", "cache-folder \"./c\"\n", CACHES,
		  "{project}/c", NULL },
		{ "yarn", "yarn add x", "XDG_DATA_HOME={top}/d", NULL, NULL, PREFIXES, NULL,
		  "{top}/d/yarn/global" },
		{ "yarn", "yarn global add x", "XDG_DATA_HOME={top}/d", NULL, NULL, PREFIXES,
		  "{top}/d/yarn/global", NULL },
		{ "yarn", "yarn global add x --prefix {top}/p", NULL, NULL, NULL, PREFIXES,
		  "{top}/p/bin", NULL },
		{ "yarn", "yarn", NULL, NULL, NULL, CONFIGS, "{home}/.yarnrc.yml", NULL },
		{ "yarn", "yarn", NULL, NULL, NULL, CONFIGS, "{home}/.npmrc", NULL },
		{ "yarn", "yarn", NULL, "home/project/.yarnrc.yml", "yarnPath: r/yarn-4.cjs\n",
		  CONFIGS, "{home}/.yarnrc.yml", "{home}/.npmrc" },
		{ "yarn", "yarn add x", NULL, NULL, NULL, OUTPUTS, NULL, "{project}/.yarn" },
		{ "yarn", "yarn set version 4", NULL, NULL, NULL, OUTPUTS, "{project}/.yarn",
		  NULL },
		{ "yarn", "yarn config set a b", NULL, NULL, NULL, OUTPUTS, "{home}/.yarnrc.yml",
		  NULL },
		/* What scripts may read: only where there is no credential in it. */
		{ "yarn", "yarn", NULL, "home/.yarnrc.yml", "npmAuthToken: \"${X}\"\n", PLAIN,
		  "{home}/.yarnrc.yml", NULL },
		{ "yarn", "yarn", NULL, "home/.yarnrc.yml", "npmAuthToken: abc\n", PLAIN, NULL,
		  "{home}/.yarnrc.yml" },
		{ "yarn", "yarn", NULL, "home/.yarnrc.yml", "npmAuthToken: \"${X-abc}\"\n", PLAIN,
		  NULL, "{home}/.yarnrc.yml" },
		{ "yarn", "yarn", NULL, "home/project/.npmrc",
		  "registry=https://r.test\nalways-auth=true\n", PLAIN, "{project}/.npmrc", NULL },
		{ "yarn", "yarn", NULL, "home/project/.npmrc", "registry=https://u:p@r.test\n",
		  PLAIN, NULL, "{project}/.npmrc" },
		{ "yarn", "yarn", NULL, "home/project/.npmrc", "//r.test/:_authToken=${X} y\n",
		  PLAIN, NULL, "{project}/.npmrc" },
		{ "bun", "bun i", NULL, NULL, NULL, CACHES, "{home}/.bun/install/cache", NULL },
		{ "bun", "bun i", "BUN_INSTALL={top}/b", NULL, NULL, CACHES,
		  "{top}/b/install/cache", NULL },
		{ "bun", "bun i", "BUN_INSTALL_CACHE_DIR={top}/c", NULL, NULL, CACHES, "{top}/c",
		  NULL },
		{ "bun", "bun i", NULL, "home/.bunfig.toml", "[install.cache]\ndir = '{top}/c'\n",
		  CACHES, "{top}/c", NULL },
		{ "bun", "bun i", NULL, "home/project/bunfig.toml",
		  "install.cache.dir = '{home}/other'\n", CACHES, "{home}/.bun/install/cache",
		  "{home}/other" },
		{ "bun", "bun add x", NULL, NULL, NULL, PREFIXES, NULL, "{home}/.bun/bin" },
		{ "bun", "bun add -g x", NULL, NULL, NULL, PREFIXES, "{home}/.bun/bin", NULL },
		{ "bun", "bun add -g x", NULL, NULL, NULL, PREFIXES, "{home}/.bun/install/global",
		  NULL },
		{ "bun", "bun i", NULL, NULL, NULL, CONFIGS, "{home}/.bunfig.toml", NULL },
		{ "bun", "bun i", NULL, NULL, NULL, PLAIN, "{home}", "{project}" },
		{ "bun", "bun init", NULL, NULL, NULL, OUTPUTS, "{project}/index.ts", NULL },
		{ "npm", "npm i", NULL, "home/project/.npmrc", "registry=https://r.test\n", PLAIN,
		  NULL, "{project}/.npmrc" },
		{ "yarn", "yarn", NULL, "home/project/.yarnrc.yml", "yarnPath: r/yarn-4.cjs\n",
		  PARTS, "{project}/r/yarn-4.cjs", NULL },
		{ "yarn", "yarn", "YARN_IGNORE_PATH=1", "home/project/.yarnrc.yml",
		  "yarnPath: r/yarn-4.cjs\n", PARTS, NULL, "{project}/r/yarn-4.cjs" },
		{ "pip", "pip install x", NULL, NULL, NULL, CACHES, "{home}/.cache/pip", NULL },
		{ "pip", "pip install --cache-dir {top}/c x", NULL, NULL, NULL, CACHES, "{top}/c",
		  NULL },
		{ "pip", "pip install x", NULL, "home/.config/pip/pip.conf",
		  "[global]\ncache-dir = {top}/c\n", CACHES, "{top}/c", NULL },
		{ "pip", "pip install --target {top}/t x", NULL, NULL, NULL, OUTPUTS, "{top}/t",
		  NULL },
		{ "pip", "pip download -d out x", NULL, NULL, NULL, OUTPUTS, "{project}/out",
		  NULL },
		{ "pip", "pip install x", NULL, NULL, NULL, CONFIGS, "{home}/.config/pip/pip.conf",
		  NULL },
		{ "uv", "uv sync", NULL, NULL, NULL, CACHES, "{home}/.cache/uv", NULL },
		{ "uv", "uv sync", "UV_CACHE_DIR={top}/c", NULL, NULL, CACHES, "{top}/c",
		  "{home}/.cache/uv" },
		{ "uv", "uv --cache-dir {top}/c sync", NULL, NULL, NULL, CACHES, "{top}/c", NULL },
		{ "uv", "uv sync", NULL, "home/.config/uv/uv.toml", "cache-dir = '{top}/c'\n",
		  CACHES, "{top}/c", NULL },
		{ "uv", "uv sync", NULL, "home/project/uv.toml", "cache-dir = '{home}/other'\n",
		  CACHES, "{home}/.cache/uv", "{home}/other" },
		{ "uv", "uv sync", "VIRTUAL_ENV={top}/v", NULL, NULL, PREFIXES, "{top}/v", NULL },
		{ "uv", "uv sync", "UV_PROJECT_ENVIRONMENT=env", NULL, NULL, PREFIXES,
		  "{project}/env", NULL },
		{ "uv", "uv pip install -p {top}/v x", NULL, "v/pyvenv.cfg", "", PREFIXES,
		  "{top}/v", NULL },
		{ "uv", "uv pip install --python {top}/v/bin/python x", NULL, "v/pyvenv.cfg", "",
		  PREFIXES, "{top}/v", NULL },
		{ "uv", "uv pip install --target {top}/t x", NULL, NULL, NULL, OUTPUTS, "{top}/t",
		  NULL },
		{ "pip", "pip install --report {top}/r x", NULL, NULL, NULL, OUTPUTS, "{top}/r",
		  NULL },
		{ "pip", "pip install --report {top}/r x", NULL, NULL, NULL, FILES, "{top}/r",
		  NULL },
		{ "pip", "pip install --report r x", NULL, NULL, NULL, FILES, NULL, "{project}/r" },
		{ "pip", "pip install --report {top}/r x", NULL, NULL, NULL, MADE, NULL,
		  "{top}/r" },
		{ "pip", "pip install --target {top}/t x", NULL, NULL, NULL, MADE, "{top}/t",
		  NULL },
		{ "pip", "pip install --target t x", NULL, NULL, NULL, MADE, NULL, "{project}/t" },
		{ "npm", "npm i x --prefix {top}/new", NULL, NULL, NULL, MADE, "{top}/new", NULL },
		{ "npm", "npm i x", NULL, NULL, NULL, MADE, NULL, "{project}" },
		{ "uv", "uv pip compile -o {top}/r x", NULL, NULL, NULL, FILES, "{top}/r", NULL },
		{ "uv", "uv build -o {top}/o", NULL, NULL, NULL, FILES, NULL, "{top}/o" },
		{ "uv", "uv build -o {top}/o", NULL, NULL, NULL, MADE, "{top}/o", NULL },
		{ "uv", "uv init {top}/v", NULL, NULL, NULL, MADE, "{top}/v", NULL },
		{ "uv", "uv venv {top}/v", NULL, NULL, NULL, OUTPUTS, "{top}/v", NULL },
		{ "uv", "uv sync", NULL, NULL, NULL, STORES, "{home}/.local/share/uv/tools", NULL },
		{ "uv", "uv sync", NULL, NULL, NULL, PREFIXES, NULL, "{home}/.local/bin" },
		{ "uv", "uv tool install x", "UV_TOOL_DIR={top}/t", NULL, NULL, PREFIXES, "{top}/t",
		  "{home}/.local/share/uv/tools" },
		{ "uv", "uv tool install x", NULL, NULL, NULL, PREFIXES, "{home}/.local/bin",
		  NULL },
		{ "uv", "uv tool install x", "XDG_DATA_HOME={top}/data", NULL, NULL, PREFIXES,
		  "{top}/bin", "{home}/.local/bin" },
		{ "uv", "uv tool install x", "UV_TOOL_BIN_DIR={top}/b", NULL, NULL, PREFIXES,
		  "{top}/b", "{home}/.local/bin" },
		{ "uvx", "uvx x", NULL, NULL, NULL, PREFIXES, "{home}/.local/share/uv/tools",
		  "{home}/.local/bin" },
		{ "uv", "uv python install", "UV_PYTHON_INSTALL_DIR={top}/p", NULL, NULL, PREFIXES,
		  "{top}/p", NULL },
		{ "uv", "uv sync", NULL, NULL, NULL, CONFIGS, "{home}/.config/uv", NULL },
		{ "uv", "uv build", NULL, NULL, NULL, DISTS, "{project}/dist", NULL },
		{ "uv", "uv build -o {top}/o", NULL, NULL, NULL, DISTS, "{top}/o",
		  "{project}/dist" },
		{ "uv", "uv sync", NULL, NULL, NULL, DISTS, NULL, "{project}/dist" },
		{ "pipx", "pipx install x", NULL, NULL, NULL, PREFIXES, "{home}/.local/share/pipx",
		  "{home}/.local/pipx" },
		{ "pipx", "pipx install x", NULL, "home/.local/pipx/x", "", PREFIXES,
		  "{home}/.local/pipx", NULL },
		{ "pipx", "pipx install x", "PIPX_HOME={top}/p", NULL, NULL, PREFIXES, "{top}/p",
		  "{home}/.local/share/pipx" },
		{ "pipx", "pipx run x", NULL, NULL, NULL, PREFIXES, "{home}/.local/bin", NULL },
		{ "pipx", "pipx run x", "PIPX_BIN_DIR={top}/b", NULL, NULL, PREFIXES, "{top}/b",
		  "{home}/.local/bin" },
		{ "pipx", "pipx install x", "XDG_DATA_HOME={top}/d", NULL, NULL, PREFIXES,
		  "{top}/d/man", "{home}/.local/share/man" },
		{ "pipx", "pipx run x", NULL, NULL, NULL, PREFIXES, "{home}/.local/share/uv/tools",
		  NULL },
		{ "pipx", "pipx run x", NULL, NULL, NULL, CACHES, "{home}/.cache/pipx", NULL },
		{ "pipx", "pipx run x", "UV_CACHE_DIR={top}/c", NULL, NULL, CACHES, "{top}/c",
		  "{home}/.cache/uv" },
		{ "pipx", "pipx run x", "PIP_CACHE_DIR={top}/c", NULL, NULL, CACHES, "{top}/c",
		  "{home}/.cache/pip" },
		{ "pipx", "pipx run x", NULL, NULL, NULL, CONFIGS, "{home}/.config/uv", NULL },
		{ "uv", "uv run My-Script_1.py", NULL, NULL, NULL, ENVS,
		  "{home}/.cache/uv/environments-v*/my-script-1-*", NULL },
		{ "uv", "uv run --script x", "UV_CACHE_DIR={top}/c", NULL, NULL, ENVS,
		  "{top}/c/environments-v*/x-*", "{home}/.cache/uv/environments-v*/x-*" },
		{ "uv", "uv run x.py", NULL, "home/project/uv.toml", "cache-dir = \".\"\n", ENVS,
		  "{project}/environments-v*/x-*", NULL },
		{ "uv", "uv tool run A_b[c]@1 x.py", NULL, NULL, NULL, ENVS,
		  "{home}/.local/share/uv/tools/a-b", "{home}/.cache/uv/environments-v*/x-*" },
		{ "uv", "uv tool uninstall x", NULL, NULL, NULL, BESIDE,
		  "{home}/.local/share/uv/tools/*", NULL },
		{ "uv", "uv tool uninstall x", NULL, NULL, NULL, ENVS, NULL,
		  "{home}/.local/share/uv/tools/x" },
		{ "uv", "uv sync", NULL, NULL, NULL, BESIDE, "{home}/.cache/uv/environments-v*/*/*",
		  NULL },
		{ "pipx", "pipx run x", "PIPX_HOME={top}/p", NULL, NULL, BESIDE, "{top}/p/venvs/*",
		  "{home}/.local/share/pipx/venvs/*" },
		{ "pipx", "pipx run x", NULL, NULL, NULL, BESIDE, "{home}/.cache/pipx/*", NULL },
		{ "pipx", "pipx run x==1 y", NULL, NULL, NULL, ASKED, "x==1", "y" },
		{ "pipx", "pipx run --spec z x y", NULL, NULL, NULL, ASKED, "z", "x" },
		{ "pipx", "pipx inject x y z", NULL, NULL, NULL, ASKED, "z", "x" },
		{ "pipx", "pipx uninstall x", NULL, NULL, NULL, ASKED, NULL, "x" },
		{ "uv", "uvx --with a[b,c]>=1,<2,d x@1 y", NULL, NULL, NULL, ASKED, "a[b,c]>=1,<2",
		  "y" },
		{ "uv", "uvx --with a,d x@1 y", NULL, NULL, NULL, ASKED, "d", "a,d" },
		{ "uv", "uvx --with a x@1 y", NULL, NULL, NULL, ASKED, "x@1", NULL },
		{ "uv", "uvx --from a x", NULL, NULL, NULL, ASKED, "a", "x" },
		{ "uv", "uv tool uninstall x", NULL, NULL, NULL, ASKED, NULL, "x" },
		{ "uv", "uv run --with a x", NULL, NULL, NULL, ASKED, "a", "x" },
		{ "uv", "uv run s.py", NULL, "home/project/s.py",
		  "# /// script\n# dependencies = [\"a\",\n# \"b>=1\"]\n# ///\n", ASKED, "b>=1",
		  NULL },
		{ "uv", "uv run s.py", NULL, NULL, NULL, LOCKS, "{project}/s.py.lock", NULL },
		{ "poetry", "poetry add x", NULL, NULL, NULL, CACHES, "{home}/.cache/pypoetry",
		  NULL },
		{ "poetry", "poetry add x", NULL, NULL, NULL, PREFIXES,
		  "{home}/.cache/pypoetry/virtualenvs", NULL },
		{ "poetry", "poetry add x", "POETRY_CACHE_DIR={top}/c", NULL, NULL, PREFIXES,
		  "{top}/c/virtualenvs", "{home}/.cache/pypoetry/virtualenvs" },
		{ "poetry", "poetry add x", "POETRY_VIRTUALENVS_PATH={top}/v", NULL, NULL, PREFIXES,
		  "{top}/v", "{home}/.cache/pypoetry/virtualenvs" },
		{ "poetry", "poetry add x", NULL, "home/.config/pypoetry/config.toml",
		  "[virtualenvs]\npath = '{cache-dir}/own'\n", PREFIXES,
		  "{home}/.cache/pypoetry/own", NULL },
		{ "poetry", "poetry add x", NULL, "home/.config/pypoetry/config.toml",
		  "cache-dir = '{top}/c'\n", CACHES, "{top}/c", "{home}/.cache/pypoetry" },
		/* A project names a folder of its own, not one elsewhere. */
		{ "poetry", "poetry -C {project} add x", NULL, "home/project/pyproject.toml", "",
		  CACHES, "{home}/.cache/pypoetry", NULL },
		{ "poetry", "poetry self add x", NULL, NULL, NULL, PREFIXES,
		  "{home}/.local/share/pypoetry", NULL },
		{ "poetry", "poetry add x", NULL, NULL, NULL, PREFIXES, NULL,
		  "{home}/.local/share/pypoetry" },
		{ "poetry", "poetry build -o {top}/o", NULL, NULL, NULL, DISTS, "{top}/o",
		  "{project}/dist" },
		{ "poetry", "poetry config --list", NULL, NULL, NULL, PREFIXES,
		  "{home}/.config/pypoetry", NULL },
		{ "poetry", "poetry add x", "POETRY_CONFIG_DIR={top}/p", NULL, NULL, CONFIGS,
		  "{top}/p", "{home}/.config/pypoetry" },
		{ "pip", "pip install --user x", NULL, NULL, NULL, PREFIXES, "{home}/.local/bin",
		  NULL },
		/* Where it comes to lie, whoever says so. */
		{ "npm", "npm i", NULL, NULL, NULL, MODULES, "{project}/node_modules", NULL },
		{ "npm", "npm i -g x", "npm_config_prefix={top}/g", NULL, NULL, MODULES,
		  "{top}/g/lib/node_modules", NULL },
		{ "npm", "npm i x", "npm_config_prefix={top}/g", NULL, NULL, MODULES,
		  "{project}/node_modules", "{top}/g/lib/node_modules" },
		{ "pnpm", "pnpm add -g x", "PNPM_HOME={top}/g", NULL, NULL, MODULES,
		  "{top}/g/global/5/node_modules", NULL },
		{ "yarn", "yarn global add x --global-folder {top}/g", NULL, NULL, NULL, MODULES,
		  "{top}/g/node_modules", NULL },
		{ "bun", "bun add -g x", NULL, NULL, NULL, MODULES,
		  "{home}/.bun/install/global/node_modules", NULL },
		{ "npm", "npm i --prefix sub", NULL, "home/project/sub/package.json", "{}", MODULES,
		  "{project}/sub/node_modules", NULL },
		{ "pnpm", "pnpm i", NULL, "home/project/.npmrc", "modules-dir=deps\n", MODULES,
		  "{project}/deps", NULL },
		{ "pnpm", "pnpm i", NULL, "home/project/.npmrc", "virtual-store-dir={top}/vs\n",
		  MODULES, "{top}/vs", NULL },
		{ "pnpm", "pnpm i", NULL, "home/project/pnpm-workspace.yaml", "modulesDir: deps\n",
		  MODULES, "{project}/deps", NULL },
		{ "pnpm", "pnpm i", NULL, "home/project/pnpm-workspace.yaml",
		  "virtualStoreDir: vs\n", MODULES, "{project}/vs", NULL },
		{ "pnpm", "pnpm i --modules-dir deps", NULL, NULL, NULL, MODULES, "{project}/deps",
		  NULL },
		{ "pnpm", "pnpm i --config.virtualStoreDir=vs", NULL, NULL, NULL, MODULES,
		  "{project}/vs", NULL },
		{ "pnpm", "pnpm --dir sub i", NULL, "home/project/sub/package.json", "{}", MODULES,
		  "{project}/sub/node_modules", NULL },
		{ "yarn", "yarn --modules-folder deps", NULL, NULL, NULL, MODULES, "{project}/deps",
		  NULL },
		{ "yarn", "yarn", NULL, "home/project/.yarnrc", "--install.modules-folder deps\n",
		  MODULES, "{project}/deps", NULL },
		{ "yarn", "yarn", NULL, "home/project/.yarnrc.yml", "pnpmStoreFolder: ./st\n",
		  MODULES, "{project}/st", NULL },
		{ "yarn", "yarn", "YARN_PNPM_STORE_FOLDER=st", NULL, NULL, MODULES, "{project}/st",
		  NULL },
		{ "yarn", "yarn", NULL, NULL, NULL, MODULES, "{project}/.yarn/unplugged", NULL },
		{ "bun", "bun --cwd sub i", NULL, "home/project/sub/package.json", "{}", MODULES,
		  "{project}/sub/node_modules", NULL },
		{ "pip", "pip install --target t x", NULL, NULL, NULL, TARGETS, "{project}/t",
		  NULL },
		{ "pip", "pip install x", "PIP_TARGET={top}/t", NULL, NULL, TARGETS, "{top}/t",
		  NULL },
		{ "pip", "pip install x", NULL, "home/.config/pip/pip.conf",
		  "[install]\ntarget = {top}/t\n", TARGETS, "{top}/t", NULL },
		{ "pip", "pip install --prefix p x", NULL, NULL, NULL, BASES, "{project}/p", NULL },
		{ "pip", "pip install --root {top}/r x", NULL, NULL, NULL, BASES,
		  "{top}/r/usr/local", NULL },
		{ "pip", "pip install --root {top}/r --prefix /p x", NULL, NULL, NULL, BASES,
		  "{top}/r/p", NULL },
		{ "uv", "uv pip install --target t x", NULL, NULL, NULL, TARGETS, "{project}/t",
		  NULL },
		{ "uv", "uv pip install x", NULL, "home/project/uv.toml", "[pip]\ntarget = \"t\"\n",
		  TARGETS, "{project}/t", NULL },
		{ "uv", "uv pip install --prefix p x", NULL, NULL, NULL, BASES, "{project}/p",
		  NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		const struct pmg_strv *list;
		struct learning l;

		learning_begin(&l, rows[i].tool);
		learning_program(&l, rows[i].tool, "exit 1");
		if (rows[i].env)
			pmg_strv_take(&l.env, learning_text(&l, rows[i].env));
		if (rows[i].file)
			learning_write(&l, rows[i].file, rows[i].text);
		find(&l, rows[i].line, &places);
		list = list_of(&places, rows[i].list);
		if (rows[i].has)
			assert_has(&l, list, rows[i].has);
		if (rows[i].has_not && has(&l, list, rows[i].has_not))
			fail_msg("%s has %s", rows[i].line, rows[i].has_not);
		learning_end(&l);
	}
}

static void what_is_typed_is_meant_to_be_read(void **state)
{
	static const struct {
		const char *tool, *line;
		const char *operand, *source_dir; /* NULL: none at all */
	} rows[] = {
		{ "npm", "npm i ../a", "{home}/a", "{home}/a" },
		{ "npm", "npm install --save-dev {home}/a.tgz", "{home}/a.tgz", NULL },
		{ "npm", "npm i x@file:../a y", "{home}/a", "{home}/a" },
		{ "npm", "npm i @s/x@../a.tgz", "{home}/a.tgz", NULL },
		{ "npm", "npm i file:~/a.tgz", "{home}/a.tgz", NULL },
		{ "npm", "npm link ../a", "{home}/a", "{home}/a" },
		{ "npm", "npm pack ../a", "{home}/a", "{home}/a" },
		{ "npm", "npm exec ../a ../a.tgz", "{home}/a", "{home}/a" },
		{ "npm", "npx ../a.tgz ../a", "{home}/a.tgz", NULL },
		{ "pnpm", "pnpm add link:../a", "{home}/a", "{home}/a" },
		{ "pip", "pip install ../a.whl", "{home}/a.whl", NULL },
		{ "pip", "pip install -r ../req.txt", "{home}/req.txt", NULL },
		{ "pip", "pip install -c ../req.txt x", "{home}/req.txt", NULL },
		{ "pip", "pip install -e ../a[test]", "{home}/a", "{home}/a" },
		{ "pip", "pip install --find-links ../a x", "{home}/a", "{home}/a" },
		/* A script's argument is none of the manager's. */
		{ "npm", "npm run x ../a", NULL, NULL },
		{ "npm", "npm i a", NULL, NULL },
		{ "pip", "pip install a", NULL, NULL },
		/* Nobody opens the home; what is not there, or lies in the project, needs nothing.
		 */
		{ "npm", "npm i ~/", NULL, NULL },
		{ "npm", "npm i /", NULL, NULL },
		{ "npm", "npm i ../none", NULL, NULL },
		{ "npm", "npm i ./own", NULL, NULL },
		/* Nor does a link that came with the project, or a file of requirements. */
		{ "npm", "npm i ./link", NULL, NULL },
		{ "pip", "pip install -r own/req.txt", NULL, NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		struct learning l;

		learning_begin(&l, rows[i].tool);
		learning_program(&l, rows[i].tool, "exit 1");
		learning_write(&l, "home/a/package.json", "{}");
		learning_write(&l, "home/a.tgz", "");
		learning_write(&l, "home/a.whl", "");
		learning_write(&l, "home/req.txt", "-e ./inner\n");
		learning_write(&l, "home/inner/x", "");
		learning_write(&l, "home/project/own/req.txt", "../../a.whl\n-r ../../req.txt\n");
		link_to(&l, "{project}/link", "{home}/a");
		find(&l, rows[i].line, &places);
		if (rows[i].operand)
			assert_has(&l, &places.operands, rows[i].operand);
		if (rows[i].source_dir)
			assert_has(&l, &places.source_dirs, rows[i].source_dir);
		if (places.operands.n != (rows[i].operand ? 1 : 0) ||
		    places.source_dirs.n != (rows[i].source_dir ? 1 : 0))
			fail_msg("%s: %zu operands, %zu folders", rows[i].line, places.operands.n,
				 places.source_dirs.n);
		learning_end(&l);
	}
}

/* Two packages of one clone: what lies beside may be a link that came with it. */
static void a_typed_link_of_a_repository_does_not_lead_out_of_it(void **state)
{
	pmg_auto(places) struct pmg_places places = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *cwd = NULL;
	struct pmg_place place;
	struct learning l;

	(void)state;
	learning_begin(&l, "npm");
	learning_program(&l, "npm", "exit 1");
	learning_write(&l, "home/docs/diary", "");
	learning_write(&l, "home/project/.git/HEAD", "");
	learning_write(&l, "home/project/b/package.json", "{}");
	learning_write(&l, "home/project/c/package.json", "{}");
	link_to(&l, "{project}/a", "{home}/docs");
	place = *learning_place(&l, "npm i ../a ../c");
	place.cwd = cwd = learning_text(&l, "{project}/b");
	assert_int_equal(pmg_places_find(l.pm, &place, &places, &err), 0);
	assert_int_equal(places.operands.n, 1);
	assert_has(&l, &places.operands, "{project}/c");
	learning_end(&l);
}

static void pip_in_an_environment_installs_there(void **state)
{
	pmg_auto(places) struct pmg_places places = { 0 };
	pmg_autofree char *script = NULL;
	struct learning l;

	(void)state;
	learning_begin(&l, "pip");
	script = learning_text(&l, "#!{project}/.venv/bin/python\n");
	folder_write(l.top, "bin/pip", script, strlen(script));
	learning_write(&l, "home/project/.venv/pyvenv.cfg", "");
	find(&l, "pip install x", &places);
	assert_has(&l, &places.prefixes, "{project}/.venv");
	assert_false(has(&l, &places.prefixes, "{home}/.local/bin"));
	learning_end(&l);
}

static void poetry_environments_of_the_project_are_found(void **state)
{
	pmg_auto(places) struct pmg_places places = { 0 };
	pmg_autofree char *own = NULL;
	char mark[PMG_POETRY_MARK];
	struct learning l;

	(void)state;
	/* As poetry says it of that path. */
	pmg_poetry_mark("/home/u/my project", mark);
	assert_string_equal(mark, "DzrcvvZC");
	learning_begin(&l, "poetry");
	learning_program(&l, "poetry", "exit 1");
	pmg_poetry_mark(l.project, mark);
	own = pmg_xasprintf("/home/.cache/pypoetry/virtualenvs/*-%s-py*", mark);
	find(&l, "poetry install", &places);
	assert_int_equal(places.envs.n, 1);
	assert_true(pmg_str_has_suffix(places.envs.v[0], own));
	learning_end(&l);
}

static void the_project_is_the_root_that_the_manager_uses(void **state)
{
	static const struct {
		const char *tool, *file, *text, *cwd, *project, *member;
	} rows[] = {
		{ "npm", "home/project/a/x", "", "home/project/a", "home/project", NULL },
		{ "npm", "home/project/a/package.json", "{}", "home/project/a", "home/project/a",
		  NULL },
		{ "npm", "home/project/package.json", "{\"workspaces\": [\"a\"]}", "home/project/a",
		  "home/project", "home/project/a/package.json" },
		{ "uv", "home/project/pyproject.toml", "[tool.uv.workspace]\nmembers = ['*']\n",
		  "home/project/a", "home/project", "home/project/a/pyproject.toml" },
		{ "uv", "home/project/pyproject.toml", "[tool.uv.workspace]\nmembers = ['b']\n",
		  "home/project/a", "home/project/a", "home/project/a/pyproject.toml" },
		{ "pnpm", "home/project/pnpm-workspace.yaml", "packages: [a]\n", "home/project/a",
		  "home/project", "home/project/a/package.json" },
		/* never above the repository */
		{ "npm", "home/project/a/.git/HEAD", "", "home/project/a/b", "home/project/a/b",
		  NULL },
		/* nor the home for a folder in it */
		{ "npm", "home/package.json", "{}", "home/other", "home/other", NULL },
		{ "pip", "home/project/pyproject.toml", "", "home/project/a", "home/project",
		  NULL },
		{ "pip", "home/project/x", "", "home/project/a", "home/project/a", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		pmg_autofree char *cwd = NULL;
		pmg_autofree char *wanted = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		struct pmg_place place;
		struct learning l;

		learning_begin(&l, rows[i].tool);
		learning_program(&l, rows[i].tool, "exit 1");
		cwd = pmg_path_join(l.top, rows[i].cwd);
		wanted = pmg_path_join(l.top, rows[i].project);
		assert_int_equal(pmg_io_mkdirs(cwd, 0700, &err), 0);
		if (rows[i].member)
			learning_write(&l, rows[i].member, "{}");
		learning_write(&l, rows[i].file, rows[i].text);
		place = *learning_place(&l, rows[i].tool);
		place.cwd = cwd;
		assert_int_equal(pmg_places_find(l.pm, &place, &places, &err), 0);
		if (strcmp(places.project, wanted) != 0)
			fail_msg("row %zu: %s, not %s", i, places.project, wanted);
		learning_end(&l);
	}
}

static void caches_behind_links_have_both_names(void **state)
{
	pmg_auto(places) struct pmg_places places = { 0 };
	struct learning l;

	(void)state;
	learning_begin(&l, "pnpm");
	learning_program(&l, "pnpm", "exit 1");
	learning_write(&l, "big/cache/x", "");
	link_to(&l, "{home}/.cache", "{top}/big/cache");
	find(&l, "pnpm i", &places);
	assert_has(&l, &places.caches, "{home}/.cache/pnpm");
	assert_has(&l, &places.caches, "{top}/big/cache/pnpm");
	learning_end(&l);
}

static void programs_are_found_behind_version_managers(void **state)
{
	static const struct {
		const char *path;      /* folder on PATH */
		const char *file;      /* that is there */
		const char *link, *to; /* may be NULL */
		const char *has, *not ;
	} rows[] = {
		{ "{home}/.nvm/versions/node/v22/bin", "home/.nvm/versions/node/v22/bin/node", NULL,
		  NULL, "{home}/.nvm", NULL },
		{ "{home}/.asdf/shims", "home/.asdf/shims/node", NULL, NULL, "{home}/.asdf", NULL },
		{ "{home}/.local/bin", "home/.local/bin/x", NULL, NULL, "{home}/.local/bin",
		  "{home}/.local" },
		{ "{home}/bin", "home/bin/x", NULL, NULL, "{home}/bin", "{home}" },
		{ "{home}/n2/bin", "home/n2/lib/node_modules/npm/x", "{home}/n2/bin/x",
		  "../lib/node_modules/npm/x", "{home}/n2", NULL },
		{ "{home}/links", "home/Cellar/node/bin/node", "{home}/links/python3",
		  "{home}/Cellar/node/bin/node", "{home}/Cellar/node/bin", NULL },
		{ "{home}", "home/x", NULL, NULL, NULL, "{home}" },
		{ "{home}/multi/bin", "home/.fnm/v20/lib/node_modules/npm/x", "{home}/multi",
		  "{home}/.fnm/v20", "{home}/.fnm/v20", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		pmg_autofree char *folder = NULL;
		pmg_autofree char *path = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		struct learning l;

		learning_begin(&l, "npm");
		learning_program(&l, "npm", "exit 1");
		learning_write(&l, rows[i].file, "");
		if (strstr(rows[i].path, "multi"))
			learning_write(&l, "home/.fnm/v20/bin/x", "");
		if (rows[i].link)
			link_to(&l, rows[i].link, rows[i].to);
		folder = learning_text(&l, rows[i].path);
		assert_int_equal(pmg_io_mkdirs(folder, 0700, &err), 0);
		if (strstr(rows[i].path, "links")) {
			pmg_autofree char *program =
				learning_text(&l, "{home}/Cellar/node/bin/node");

			assert_int_equal(chmod(program, 0700), 0);
		}
		path = pmg_xasprintf("%s:%s", folder, pmg_env_get(&l.env, "PATH"));
		pmg_env_set(&l.env, "PATH", path);
		find(&l, "npm i", &places);
		if (rows[i].has)
			assert_has(&l, &places.programs, rows[i].has);
		if (rows[i].not &&has(&l, &places.programs, rows[i].not ))
			fail_msg("%s is a folder of programs", rows[i].not );
		assert_false(has(&l, &places.programs, "/usr/bin"));
		learning_end(&l);
	}
}

/* A distribution's rustup stands in the place of rustc, and starts what is in the home. */
static void a_rustup_that_lies_anywhere_has_its_home(void **state)
{
	bool is_rustup;

	(void)state;
	for (is_rustup = false;; is_rustup = true) {
		pmg_auto(places) struct pmg_places places = { 0 };
		struct learning l;

		learning_begin(&l, "pip");
		learning_program(&l, "pip", "exit 1");
		learning_program(&l, is_rustup ? "rustup" : "other", "exit 1");
		link_to(&l, "{top}/bin/rustc", is_rustup ? "rustup" : "other");
		learning_write(&l, "home/.rustup/settings.toml", "");
		find(&l, "pip install x", &places);
		assert_int_equal(has(&l, &places.programs, "{home}/.rustup"), is_rustup);
		learning_end(&l);
		if (is_rustup)
			return;
	}
}

static void a_project_opens_nothing_outside_by_its_settings(void **state)
{
	static const struct {
		const char *npmrc, *other; /* ./other.conf */
	} rows[] = {
		{ "cache=./link\n", NULL },
		{ "cache=link/below/new\n", NULL },
		{ "userconfig=./other.conf\n", "cache={home}/docs\n" },
		{ "globalconfig=./other.conf\n", "cache={home}/docs\n" },
		{ "prefix=./link\n", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		struct learning l;

		learning_begin(&l, "npm");
		learning_program(&l, "npm", "exit 1");
		learning_write(&l, "home/docs/diary", "");
		learning_write(&l, "home/docs/etc/npmrc", "");
		learning_write(&l, "home/project/package.json", "{}");
		learning_write(&l, "home/project/.npmrc", rows[i].npmrc);
		if (rows[i].other)
			learning_write(&l, "home/project/other.conf", rows[i].other);
		link_to(&l, "{project}/link", "{home}/docs");
		find(&l, "npm i", &places);
		assert_false(has(&l, &places.caches, "{home}/docs"));
		assert_false(has(&l, &places.caches, "{home}/docs/below/new"));
		assert_has(&l, &places.caches, "{home}/.npm");
		learning_end(&l);
	}
}

/* A repository around the project, and what its files name, is of the same people. */
static void nor_by_files_that_lie_outside_of_it(void **state)
{
	static const struct {
		const char *tool, *line, *file, *text, *above; /* above: repo/../conf */
	} rows[] = {
		{ "npm", "npm i", ".npmrc", "userconfig=../conf\n", "cache={home}/docs\n" },
		{ "npm", "npm i", ".npmrc", "globalconfig=../conf\n", "cache={home}/docs\n" },
		{ "pnpm", "pnpm i", ".npmrc", "userconfig=../conf\n", "store-dir={home}/docs\n" },
		{ "yarn", "yarn install", ".yarnrc", "use-yarnrc \"../conf\"\n",
		  "cache-folder \"{home}/docs\"\n" },
		{ "uv", "uv sync", "../uv.toml", "cache-dir = \"{home}/docs\"\n", "" },
		{ "uv", "uv sync", "../pyproject.toml", "[tool.uv]\ncache-dir = \"{home}/docs\"\n",
		  "" },
		{ "pipx", "pipx run x", "../uv.toml", "cache-dir = \"{home}/docs\"\n", "" },
		{ "uv", "uv run ../s.py", "../s.py",
		  "# /// script\n# [tool.uv]\n# cache-dir = \"{home}/docs\"\n# ///\n", "" },
		{ "uv", "uv pip install -r ../r.txt", "../r.txt", "--cache-dir {home}/docs\n", "" },
		{ "pip", "pip install -r ../r.txt", "../r.txt", "--target {home}/docs\n", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		pmg_autofree char *file = pmg_xasprintf("home/src/repo/%s", rows[i].file);
		struct learning l;

		learning_begin(&l, rows[i].tool);
		learning_program(&l, rows[i].tool, "exit 1");
		free(l.project);
		l.project = pmg_xasprintf("%s/src/repo", l.home);
		learning_write(&l, "home/docs/pyvenv.cfg", "");
		learning_write(&l, "home/src/repo/package.json", "{}");
		learning_write(&l, "home/src/repo/pyproject.toml", "[project]\nname = \"x\"\n");
		learning_write(&l, "home/src/conf", rows[i].above);
		learning_write(&l, file, rows[i].text);
		find(&l, rows[i].line, &places);
		if (has(&l, &places.caches, "{home}/docs") ||
		    has(&l, &places.stores, "{home}/docs") ||
		    has(&l, &places.prefixes, "{home}/docs") ||
		    has(&l, &places.outputs, "{home}/docs") ||
		    has(&l, &places.configs, "{home}/src/conf"))
			fail_msg("row %zu", i);
		learning_end(&l);
	}
}

static void bun_is_known_to_run_code(void **state)
{
	static const struct {
		const char *line;
		bool runs;
	} rows[] = {
		{ "bun x.ts", true },       { "bun run x.ts", true }, { "bun test", true },
		{ "bun build x.ts", true }, { "bun s", true },        { "bun -r y x.ts", true },
		{ "bun install", false },   { "bun add x", false },   { "bun x y", false },
		{ "bun create x", false },  { "bun pm ls", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		struct learning l;

		learning_begin(&l, "bun");
		learning_program(&l, "bun", "exit 1");
		find(&l, rows[i].line, &places);
		if (places.runs_code != rows[i].runs)
			fail_msg("%s", rows[i].line);
		learning_end(&l);
	}
}

static void settings_that_bring_in_other_systems_are_known(void **state)
{
	static const struct {
		const char *line, *file, *text;
		bool any;
	} rows[] = {
		{ "npm ci", ".npmrc", "force=true\n", true },
		{ "npm ci", ".npmrc", "force=false\nsave-exact=true\n", false },
		{ "npm ci", ".npmrc", "os=darwin\n", true },
		{ "npm ci -f", "x", "", true },
		{ "npm ci --libc musl", "x", "", true },
		{ "npm ci --no-force", "x", "", false },
		{ "pnpm i --force", "x", "", true },
		{ "pnpm i", "pnpm-workspace.yaml", "supportedArchitectures:\n  os: [win32]\n",
		  true },
		{ "pnpm i", "pnpm-workspace.yaml", "<<: {a: b}\n", true },
		{ "pnpm i", "package.json", "{\"pnpm\": {\"supportedArchitectures\": {}}}", true },
		{ "pnpm i", "package.json", "{\"pnpm\": {}, \"pnpm\": {}}", true },
		{ "pnpm i", "package.json", "{\"pnpm\": {\"overrides\": {}}}", false },
		{ "bun i --os=darwin", "x", "", true },
		{ "bun i", "x", "", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		pmg_autofree char *tool = pmg_xstrndup(rows[i].line, strcspn(rows[i].line, " "));
		pmg_autofree char *file = pmg_xasprintf("home/project/%s", rows[i].file);
		struct learning l;

		learning_begin(&l, tool);
		learning_program(&l, tool, "exit 1");
		learning_write(&l, file, rows[i].text);
		find(&l, rows[i].line, &places);
		if (places.any_system != rows[i].any)
			fail_msg("row %zu: %s", i, rows[i].line);
		learning_end(&l);
	}
}

static void a_project_does_not_make_a_run_global(void **state)
{
	static const struct {
		const char *line, *project, *user; /* .npmrc */
		bool global;
	} rows[] = {
		{ "npm i", "global=true\n", "", false },
		{ "npm i", "location=global\n", "", false },
		{ "npm i", "", "global=true\n", true },
		{ "npm i -g", "", "", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *user = pmg_xasprintf("prefix={home}/all\n%s", rows[i].user);
		pmg_auto(places) struct pmg_places places = { 0 };
		struct learning l;

		learning_begin(&l, "npm");
		learning_program(&l, "npm", "exit 1");
		learning_write(&l, "home/project/package.json", "{}");
		learning_write(&l, "home/project/.npmrc", rows[i].project);
		learning_write(&l, "home/.npmrc", user);
		find(&l, rows[i].line, &places);
		if (has(&l, &places.prefixes, "{home}/all") != rows[i].global)
			fail_msg("row %zu", i);
		learning_end(&l);
	}
}

static void a_repository_opens_nothing_outside(void **state)
{
	pmg_auto(places) struct pmg_places places = { 0 };
	struct learning l;

	(void)state;
	learning_begin(&l, "npm");
	learning_program(&l, "npm", "exit 1");
	learning_write(&l, "home/docs/diary", "");
	learning_write(&l, "home/project/.git/commondir", "{home}/docs\n");
	learning_write(&l, "home/project/.git/config", "[core]\n\texcludesFile = ../link\n");
	link_to(&l, "{project}/link", "{home}/docs/diary");
	find(&l, "npm i", &places);
	assert_has(&l, &places.git_dirs, "{project}/.git");
	assert_false(has(&l, &places.git_dirs, "{home}/docs"));
	assert_false(has(&l, &places.git_configs, "{home}/docs/diary"));
	learning_end(&l);
}

static void git_is_found_with_what_configures_it(void **state)
{
	pmg_auto(places) struct pmg_places places = { 0 };
	struct learning l;

	(void)state;
	learning_begin(&l, "npm");
	learning_program(&l, "npm", "exit 1");
	learning_write(&l, "home/project/.git/config",
		       "[core]\n\thooksPath = .husky/_\n[remote \"origin\"]\n\turl = "
		       "git@host.test:a/b.git\n[branch \"token-x\"]\n\tremote = origin\n"
		       "[include]\n\tpath = {home}/private\n");
	learning_write(&l, "home/.gitconfig",
		       "[include]\n\tpath = ~/.gitwork\n"
		       "[core]\n\texcludesFile = ~/.ignore\n");
	find(&l, "npm i", &places);
	assert_string_equal(places.repository, l.project);
	assert_has(&l, &places.git_dirs, "{project}/.git");
	assert_has(&l, &places.hooks, "{project}/.husky/_");
	assert_has(&l, &places.git_configs, "{home}/.gitconfig");
	assert_has(&l, &places.git_configs, "{home}/.config/git/config");
	assert_has(&l, &places.git_configs, "{home}/.gitwork");
	assert_has(&l, &places.git_configs, "{home}/.ignore");
	/* Of the project's: a stranger may have written it. */
	assert_false(has(&l, &places.git_configs, "{home}/private"));
	assert_false(places.git_secret);
	learning_end(&l);
}

static void credentials_in_git_configuration_are_seen(void **state)
{
	static const struct {
		const char *text;
		bool secret;
	} rows[] = {
		{ "[remote \"o\"]\n\turl = https://host.test/a/b\n", false },
		{ "[remote \"o\"]\n\turl = https://ann@host.test/a/b\n", false },
		{ "[remote \"o\"]\n\turl = https://ann:pw@host.test/a/b\n", true },
		{ "[remote \"o\"]\n\turl = https://abcdefghijklmnopqrstuvwx@host.test/a\n", true },
		{ "[http \"https://host.test/\"]\n\textraHeader = AUTHORIZATION: basic x\n", true },
		{ "[credential]\n\thelper = \"!f() { echo password=x; }; f\"\n", true },
		{ "[x]\n\tToken = y\n", true },
		{ "[branch \"secret-token\"]\n\tmerge = refs/heads/password\n", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		struct learning l;

		learning_begin(&l, "npm");
		learning_program(&l, "npm", "exit 1");
		learning_write(&l, "home/project/.git/config", rows[i].text);
		find(&l, "npm i", &places);
		if (places.git_secret != rows[i].secret)
			fail_msg("%s", rows[i].text);
		learning_end(&l);
	}
}

static void a_git_file_leads_only_where_it_is_known(void **state)
{
	struct learning l;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		pmg_auto(places) struct pmg_places places = { 0 };

		learning_begin(&l, "npm");
		learning_program(&l, "npm", "exit 1");
		learning_write(&l, "home/main/.git/worktrees/w/HEAD", "");
		learning_write(&l, "home/main/.git/worktrees/w/commondir", "../..\n");
		learning_write(&l, "home/main/.git/worktrees/w/gitdir",
			       i == 0 ? "{project}/.git\n" : "{home}/other/.git\n");
		learning_write(&l, "home/project/.git", "gitdir: {home}/main/.git/worktrees/w\n");
		find(&l, "npm i", &places);
		assert_int_equal(has(&l, &places.git_dirs, "{home}/main/.git"), i == 0);
		assert_int_equal(has(&l, &places.git_dirs, "{home}/main/.git/worktrees/w"), i == 0);
		learning_end(&l);
	}
}

static void hooks_that_are_off_or_everything_are_no_place(void **state)
{
	static const char *const values[] = { "/dev/null", ".", "..", "/" };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(values); i++) {
		pmg_auto(places) struct pmg_places places = { 0 };
		pmg_autofree char *text = pmg_xasprintf("[core]\n\thooksPath = %s\n", values[i]);
		struct learning l;

		learning_begin(&l, "npm");
		learning_program(&l, "npm", "exit 1");
		learning_write(&l, "home/project/.git/config", text);
		find(&l, "npm i", &places);
		assert_int_equal(places.hooks.n, 0);
		learning_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_follow_line_environment_files_and_defaults),
		cmocka_unit_test(what_is_typed_is_meant_to_be_read),
		cmocka_unit_test(a_typed_link_of_a_repository_does_not_lead_out_of_it),
		cmocka_unit_test(pip_in_an_environment_installs_there),
		cmocka_unit_test(poetry_environments_of_the_project_are_found),
		cmocka_unit_test(the_project_is_the_root_that_the_manager_uses),
		cmocka_unit_test(caches_behind_links_have_both_names),
		cmocka_unit_test(programs_are_found_behind_version_managers),
		cmocka_unit_test(git_is_found_with_what_configures_it),
		cmocka_unit_test(a_rustup_that_lies_anywhere_has_its_home),
		cmocka_unit_test(a_project_opens_nothing_outside_by_its_settings),
		cmocka_unit_test(nor_by_files_that_lie_outside_of_it),
		cmocka_unit_test(bun_is_known_to_run_code),
		cmocka_unit_test(settings_that_bring_in_other_systems_are_known),
		cmocka_unit_test(a_repository_opens_nothing_outside),
		cmocka_unit_test(a_project_does_not_make_a_run_global),
		cmocka_unit_test(credentials_in_git_configuration_are_seen),
		cmocka_unit_test(a_git_file_leads_only_where_it_is_known),
		cmocka_unit_test(hooks_that_are_off_or_everything_are_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
