/* Where the programs that a manager and its scripts start really lie. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/places_priv.h"

#define PATH_FOLDERS_MAX 128U
#define PROGRAMS_MAX     256U

/* What every profile can read and run anyway. */
static const char *const system_trees[] = { "/usr",   "/bin", "/sbin", "/lib",
					    "/lib64", "/opt", "/nix",  "/gnu/store" };

/* Tools' own homes: whoever has a folder of one on PATH starts programs in all of it. */
static const struct {
	const char *variable;
	const char *folder;  /* below the home */
	const char *through; /* another folder on PATH that leads there; NULL: itself */
} homes[] = {
	{ "NVM_DIR", ".nvm", NULL },
	{ "VOLTA_HOME", ".volta", NULL },
	{ "ASDF_DATA_DIR", ".asdf", NULL },
	{ "ASDF_DIR", ".asdf", NULL },
	{ "MISE_DATA_DIR", ".local/share/mise", NULL },
	{ "FNM_DIR", ".local/share/fnm", NULL },
	{ "PYENV_ROOT", ".pyenv", NULL },
	{ "NODENV_ROOT", ".nodenv", NULL },
	{ "RBENV_ROOT", ".rbenv", NULL },
	{ "N_PREFIX", "n", NULL },
	{ "PROTO_HOME", ".proto", NULL },
	{ "BUN_INSTALL", ".bun", NULL },
	{ "DENO_INSTALL", ".deno", NULL },
	{ "PNPM_HOME", ".local/share/pnpm", NULL },
	{ "RUSTUP_HOME", ".rustup", ".cargo/bin" },
	{ "UV_PYTHON_INSTALL_DIR", ".local/share/uv/python", ".local/bin" },
	{ "PIPX_HOME", ".local/share/pipx", ".local/bin" },
};

/* Programs whose links are followed, one by one, to the folder they lead into. */
static const char *const programs[] = {
	"node",    "npm",    "npx", "pnpm",  "pnpx", "corepack", "yarn",  "bun",
	"python3", "python", "pip", "pip3",  "git",  "sh",       "bash",  "cc",
	"c++",     "gcc",    "g++", "clang", "make", "cmake",    "ninja", "pkg-config",
	"cargo",   "rustc",  "go",  "ruby",  "perl", "java",     "uv",    "tsc",
};

static bool is_system(const char *path)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(system_trees); i++)
		if (pmg_path_is_under(path, system_trees[i]))
			return true;
	return false;
}

/* Never a folder that holds the home, nor the home's common folders with everybody's things. */
static void add(const struct pmg_place *place, struct pmg_places *out, const char *path)
{
	static const char *const common[] = { ".local", ".config", ".cache", ".local/share" };
	pmg_autofree char *clean = pmg_path_clean(path);
	pmg_autofree char *real = pmg_path_real(clean);
	size_t i;

	if (!real || is_system(real) || out->programs.n >= PROGRAMS_MAX ||
	    pmg_path_is_under(place->home, real) || pmg_path_is_under(place->home, clean))
		return;
	for (i = 0; i < PMG_ARRAY_LEN(common); i++) {
		pmg_autofree char *dir = pmg_path_join(place->home, common[i]);

		if (strcmp(dir, clean) == 0 || strcmp(dir, real) == 0)
			return;
	}
	pmg_places_add(&out->programs, clean);
}

/* X of X/bin is one installation when it has libraries of node or python, or is an environment. */
static void add_prefix(const struct pmg_place *place, struct pmg_places *out, const char *bin)
{
	static const char *const signs[] = {
		"lib/node_modules", "include/node", "pyvenv.cfg",
		"conda-meta",       "libexec",      "include/python3"
	};
	pmg_autofree char *prefix = pmg_path_dir(bin);
	size_t i;

	if (strcmp(pmg_path_name(bin), "shims") == 0) {
		add(place, out, prefix); /* the tool's own home */
		return;
	}
	if (strcmp(pmg_path_name(bin), "bin") != 0)
		return;
	for (i = 0; i < PMG_ARRAY_LEN(signs); i++)
		if (pmg_places_has(prefix, signs[i])) {
			add(place, out, prefix);
			return;
		}
	if (pmg_places_has(bin, "python3")) {
		pmg_autofree char *lib = pmg_path_join(prefix, "lib");
		pmg_autofree char *include = pmg_path_join(prefix, "include");

		add(place, out, lib);
		add(place, out, include);
	}
}

static void add_folder(const struct pmg_place *place, struct pmg_places *out, const char *dir)
{
	pmg_autofree char *real = pmg_path_real(dir);

	if (!real || is_system(real))
		return;
	add(place, out, dir);
	add_prefix(place, out, real);
}

/* .../lib/node_modules/pnpm/bin/pnpm.cjs: the package; else the folder of the program. */
static void add_program(const struct pmg_place *place, struct pmg_places *out, const char *program)
{
	static const char modules[] = "/node_modules/";
	pmg_autofree char *real = pmg_path_real(program);
	pmg_autofree char *dir = NULL;
	pmg_autofree char *lexical = pmg_path_dir(program);
	const char *at, *end;

	/* Wherever it lies (/usr/bin of a distribution): the programs that it starts are in its
	 * home. */
	if (real && pmg_streq(pmg_path_name(real), "rustup")) {
		pmg_autofree char *home = pmg_places_base(place, "RUSTUP_HOME", ".rustup");

		add(place, out, home);
	}
	if (!real || is_system(real))
		return;
	at = strstr(real, modules);
	if (at) {
		end = at + sizeof modules - 1;
		end += strcspn(end, "/");
		if (at[sizeof modules - 1] == '@' && *end == '/')
			end += 1 + strcspn(end + 1, "/");
		dir = pmg_xstrndup(real, (size_t)(end - real));
		add(place, out, dir);
		return;
	}
	dir = pmg_path_dir(real);
	if (strcmp(dir, lexical) != 0)
		add_folder(place, out, dir);
}

static void add_homes(const struct pmg_place *place, struct pmg_places *out,
		      const struct pmg_strv *folders)
{
	size_t i, k;

	for (i = 0; i < PMG_ARRAY_LEN(homes); i++) {
		pmg_autofree char *home =
			pmg_places_base(place, homes[i].variable, homes[i].folder);
		pmg_autofree char *through = homes[i].through
						     ? pmg_path_join(place->home, homes[i].through)
						     : pmg_xstrdup(home);

		for (k = 0; k < folders->n; k++)
			if (pmg_path_is_under(folders->v[k], through)) {
				add(place, out, home);
				break;
			}
	}
}

void pmg_places_programs(const struct pmg_place *place, struct pmg_places *out)
{
	const char *path = pmg_env_get(place->env, "PATH");
	pmg_auto(strv) struct pmg_strv listed = { 0 };
	pmg_auto(strv) struct pmg_strv folders = { 0 };
	pmg_autofree char *own = pmg_path_dir(place->program);
	size_t i;

	pmg_strv_split(&listed, path ? path : "", ":");
	for (i = 0; i < listed.n && i < PATH_FOLDERS_MAX; i++) {
		pmg_autofree char *clean = pmg_path_clean(listed.v[i]);
		pmg_autofree char *real = pmg_path_real(clean);

		if (clean[0] != '/' || !real)
			continue;
		(void)pmg_strv_add_once(&folders, clean);
		(void)pmg_strv_add_once(&folders, real);
		add_folder(place, out, clean);
	}
	add_homes(place, out, &folders);
	add_folder(place, out, own);
	add_program(place, out, place->program);
	for (i = 0; i < PMG_ARRAY_LEN(programs); i++) {
		pmg_autofree char *program = pmg_env_search(place->env, programs[i]);

		if (program)
			add_program(place, out, program);
	}
}
