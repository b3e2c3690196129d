/* What uv keeps, and where it installs to. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"
#include "pm/places_priv.h"
#include "pm/settings.h"
#include "pm/version.h"

/* One reading: what the line and the variables say. */
struct uv {
	const struct pmg_place *place;
	const struct pmg_settings *settings;
	const struct pmg_strv *verbs;
	struct pmg_places *out;
};

static bool is_verb(const struct uv *uv, const char *verb, const char *second)
{
	const struct pmg_strv *v = uv->verbs;

	return v->n > 0 && strcmp(v->v[0], verb) == 0 &&
	       (!second || (v->n > 1 && strcmp(v->v[1], second) == 0));
}

/* A folder of uv's data: $NAME, else DATA/uv/`below`. */
static char *data_folder(const struct uv *uv, const char *name, const char *below)
{
	const char *value = pmg_env_get(uv->place->env, name);
	pmg_autofree char *data = pmg_places_base(uv->place, "XDG_DATA_HOME", ".local/share");
	pmg_autofree char *folder = pmg_path_join(data, "uv");

	return value && *value ? pmg_places_path(uv->place, uv->place->cwd, value)
			       : pmg_path_join(folder, below);
}

/* Where `uv tool install` links programs to. */
static char *tool_bin(const struct uv *uv)
{
	static const char *const names[] = { "UV_TOOL_BIN_DIR", "XDG_BIN_HOME" };
	const char *data = pmg_env_get(uv->place->env, "XDG_DATA_HOME");
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		const char *value = pmg_env_get(uv->place->env, names[i]);

		if (value && *value)
			return pmg_places_path(uv->place, uv->place->cwd, value);
	}
	if (data && data[0] == '/') {
		pmg_autofree char *up = pmg_path_join(data, "../bin");

		return pmg_path_clean(up);
	}
	return pmg_path_join(uv->place->home, ".local/bin");
}

/* Environments of tools and interpreters of uv's own: to be run, and written by the verbs that
 * make them. uvx leaves marks beside those that there are. */
static void add_data(const struct uv *uv)
{
	pmg_autofree char *tools = data_folder(uv, "UV_TOOL_DIR", "tools");
	pmg_autofree char *pythons = data_folder(uv, "UV_PYTHON_INSTALL_DIR", "python");
	pmg_autofree char *bin = tool_bin(uv);
	bool runs =
		strcmp(pmg_path_name(uv->place->argv[0]), "uvx") == 0 || is_verb(uv, "tool", "run");
	bool tool = runs || is_verb(uv, "tool", NULL), python = is_verb(uv, "python", NULL);

	pmg_places_add_own(tool ? &uv->out->prefixes : &uv->out->stores, uv->place, tools);
	pmg_places_add_own(python ? &uv->out->prefixes : &uv->out->stores, uv->place, pythons);
	if ((tool || python) && !runs)
		pmg_places_add_own(&uv->out->prefixes, uv->place, bin);
}

/* The environment that `--python X` or UV_PYTHON means by a path. */
static void add_python(const struct uv *uv, const char *value)
{
	pmg_autofree char *path = pmg_places_path(uv->place, uv->place->cwd, value);
	pmg_autofree char *bin = pmg_path_dir(path);
	pmg_autofree char *root = pmg_path_dir(bin);

	if (!strchr(value, '/'))
		return;
	if (pmg_places_has(path, "pyvenv.cfg"))
		pmg_places_add_own(&uv->out->prefixes, uv->place, path);
	else if (pmg_places_has(root, "pyvenv.cfg"))
		pmg_places_add_own(&uv->out->prefixes, uv->place, root);
}

static void add_environments(const struct uv *uv)
{
	static const char *const names[] = { "VIRTUAL_ENV", "CONDA_PREFIX" };
	const char *python = pmg_settings_value(uv->settings, "python");
	const char *own = pmg_env_get(uv->place->env, "UV_PROJECT_ENVIRONMENT");
	pmg_autofree char *system = NULL;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		const char *value = pmg_env_get(uv->place->env, names[i]);

		if (value && value[0] == '/')
			pmg_places_add_own(&uv->out->prefixes, uv->place, value);
	}
	if (own && *own) {
		pmg_autofree char *path = pmg_places_path(uv->place, uv->out->project, own);

		pmg_places_add_own(&uv->out->prefixes, uv->place, path);
	}
	if (python)
		add_python(uv, python);
	if (!is_verb(uv, "pip", NULL) || (!pmg_settings_value(uv->settings, "system") &&
					  !pmg_settings_value(uv->settings, "system-python")))
		return;
	system = pmg_env_search(uv->place->env, "python3");
	if (system)
		pmg_places_pip_bare(uv->place, system, uv->out);
}

static void add_configs(const struct uv *uv)
{
	pmg_autofree char *config = pmg_places_base(uv->place, "XDG_CONFIG_HOME", ".config");
	pmg_autofree char *file = pmg_path_join(config, "uv");
	pmg_autofree char *credentials = data_folder(uv, "UV_CREDENTIALS_DIR", "credentials");
	const char *named = pmg_settings_value(uv->settings, "config-file");

	pmg_places_add(&uv->out->configs, file);
	pmg_places_add(&uv->out->configs, credentials);
	if (named) {
		pmg_autofree char *path = pmg_places_path(uv->place, uv->place->cwd, named);

		pmg_places_add(&uv->out->configs, path);
	}
}

/* `uv build FOLDER` puts archives of that project into FOLDER/dist, or beside those of its
 * workspace. */
static void add_dist(const struct uv *uv)
{
	const char *given = pmg_settings_value(uv->settings, "out-dir");
	/* "-o" is --out-dir here, --output-file elsewhere. */
	const char *out_dir = given ? given : pmg_settings_value(uv->settings, "output-file");
	pmg_autofree char *folder = pmg_places_path(uv->place, uv->place->cwd,
						    uv->verbs->n > 1 ? uv->verbs->v[1] : ".");
	pmg_autofree char *own = pmg_path_join(folder, "dist");
	pmg_autofree char *root = pmg_path_join(uv->out->project, "dist");

	pmg_places_add_own(&uv->out->dists, uv->place, folder);
	if (out_dir) {
		pmg_autofree char *path = pmg_places_path(uv->place, uv->place->cwd, out_dir);

		pmg_places_add_output(&uv->out->dists, uv->place, uv->out, path);
		return;
	}
	pmg_places_add_output(&uv->out->dists, uv->place, uv->out, own);
	pmg_places_add_own(&uv->out->dists, uv->place, root);
}

static void add_cache(const struct uv *uv)
{
	pmg_autofree char *cache = pmg_places_base(uv->place, "XDG_CACHE_HOME", ".cache");
	pmg_autofree char *own = pmg_path_join(cache, "uv");

	pmg_places_add_setting(&uv->out->caches, uv->settings, uv->place, uv->out, "cache-dir",
			       own);
}

/* The name of the folder of a script's environment, up to "-DIGEST": of "My script.py" "my-script".
 * NULL: there is nothing left of it. Caller frees. */
static char *script_name(const char *path)
{
	pmg_autofree char *name = pmg_xstrdup(pmg_path_name(path));
	char *dot = strrchr(name, '.'), *to = name;
	const char *from;

	if (dot && dot > name)
		*dot = '\0';
	for (from = name; *from; from++)
		if (isalnum((unsigned char)*from) && (unsigned char)*from < 0x80)
			*to++ = (char)tolower((unsigned char)*from);
		else if (to == name || to[-1] != '-')
			*to++ = '-';
	if (to > name && to[-1] == '-')
		to--;
	*to = '\0';
	return *name ? pmg_steal_ptr(&name) : NULL;
}

/* The script that this line runs, or a command; "" for none. */
static const char *script_of(const struct uv *uv)
{
	const char *given = pmg_settings_value(uv->settings, "script");

	if (!is_verb(uv, "run", NULL))
		return "";
	return given ? given : uv->verbs->n > 1 ? uv->verbs->v[1] : "";
}

/* The environment of a script: "NAME-DIGEST". */
static void add_script(const struct uv *uv, const char *script, const struct pmg_strv *caches)
{
	pmg_autofree char *name = script_name(script);
	pmg_autofree char *below = name ? pmg_xasprintf("environments-v*/%s-*", name) : NULL;
	size_t i;

	for (i = 0; below && i < caches->n; i++)
		pmg_places_pattern(&uv->out->envs, caches->v[i], below);
}

/* That of an installed tool, which uvx takes for its own. */
static void add_tool(const struct uv *uv, const char *tools, const char *word)
{
	const char *from = pmg_settings_value(uv->settings, "from");
	const char *wanted = from ? from : word;
	pmg_autofree char *given = pmg_xstrndup(wanted, strcspn(wanted, " =<>!~;@["));
	pmg_autofree char *name = pmg_name_canonical(PMG_ECO_PYPI, given);

	if (name && pmg_name_is_valid(PMG_ECO_PYPI, name))
		pmg_places_pattern(&uv->out->envs, tools, name);
}

/* What is wanted, by name: of the words those that are packages. */
static void add_asked(const struct uv *uv, const char *script)
{
	static const char line[] = "command line";
	const struct pmg_strv *v = uv->verbs;
	bool uvx = strcmp(pmg_path_name(uv->place->argv[0]), "uvx") == 0;
	bool one = !uvx && (is_verb(uv, "tool", "run") || is_verb(uv, "tool", "install"));
	size_t i, at = uvx ? 0 : one ? 2 : v->n;

	if (at < v->n && !pmg_settings_value(uv->settings, "from")) /* else a command of that */
		pmg_places_ask(uv->out, line, v->v[at]);
	for (i = 0; i < uv->settings->n; i++) {
		const struct pmg_setting *s = &uv->settings->v[i];

		if (strcmp(s->key, "with") == 0 || strcmp(s->key, "from") == 0)
			pmg_places_ask(uv->out, line, s->value);
		else if (strcmp(s->key, PMG_UV_WANTS) == 0)
			pmg_places_ask(uv->out, s->what, s->value);
	}
	if (*script) {
		pmg_autofree char *path = pmg_path_join(uv->place->cwd, script);

		pmg_strv_take(&uv->out->locks, pmg_xasprintf("%s.lock", path));
	}
}

/* Environments of scripts, and of what --with and uvx want, lie in the cache; those of tools that
 * are installed among uv's data. */
static void add_beside(const struct uv *uv)
{
	const struct pmg_strv *v = uv->verbs;
	bool uvx = strcmp(pmg_path_name(uv->place->argv[0]), "uvx") == 0;
	pmg_auto(strv) struct pmg_strv caches = { 0 };
	pmg_autofree char *tools = data_folder(uv, "UV_TOOL_DIR", "tools");
	const char *script = uvx ? "" : script_of(uv);
	size_t i;

	add_asked(uv, script);
	pmg_strv_extend(&caches, pmg_strv_argv(&uv->out->caches));
	pmg_places_said(&caches, uv->settings, uv->place, uv->out, "cache-dir");
	pmg_places_pattern(&uv->out->beside, tools, "*");
	for (i = 0; i < caches.n; i++) {
		pmg_places_pattern(&uv->out->beside, caches.v[i], "environments-v*/*");
		pmg_places_pattern(&uv->out->beside, caches.v[i], "environments-v*/*/*");
	}
	if (*script)
		add_script(uv, script, &caches);
	else if (uvx && v->n > 0)
		add_tool(uv, tools, v->v[0]);
	else if (is_verb(uv, "tool", "run") && v->n > 2)
		add_tool(uv, tools, v->v[2]);
}

int pmg_places_uv(const struct pmg_place *place, struct pmg_places *out, struct pmg_err *err)
{
	static const char *const folders[] = { "target", "prefix", "out-dir", NULL };
	static const char *const files[] = { "output-file", NULL };
	pmg_auto(settings) struct pmg_settings settings = { 0 };
	pmg_auto(strv) struct pmg_strv typed = { 0 };
	pmg_auto(strv) struct pmg_strv verbs = { 0 };
	struct uv uv = { .place = place, .settings = &settings, .verbs = &verbs, .out = out };
	int r = pmg_uv_settings(place, &settings, &typed, &verbs, err);

	if (r < 0)
		return r;
	add_cache(&uv);
	add_beside(&uv);
	add_data(&uv);
	add_environments(&uv);
	pmg_places_outputs(&settings, place, out, folders);
	if (is_verb(&uv, "build", NULL))
		add_dist(&uv);
	else
		pmg_places_output_files(&settings, place, out, files);
	/* uv venv FOLDER, uv init FOLDER */
	if ((is_verb(&uv, "venv", NULL) || is_verb(&uv, "init", NULL)) && verbs.n > 1) {
		pmg_autofree char *path = pmg_places_path(place, place->cwd, verbs.v[1]);

		pmg_places_add_output(&out->outputs, place, out, path);
	}
	pmg_places_sites(&settings, place, out);
	pmg_places_pip_operands(place, &settings, &typed, out);
	add_configs(&uv);
	return 0;
}

int pmg_places_uv_files(const struct pmg_place *place, struct pmg_places *out, struct pmg_err *err)
{
	char name[] = "uvx", *const argv[] = { name, NULL };
	pmg_auto(settings) struct pmg_settings settings = { 0 };
	pmg_auto(strv) struct pmg_strv typed = { 0 };
	pmg_auto(strv) struct pmg_strv verbs = { 0 };
	struct pmg_place bare = *place;
	struct uv uv = { .place = &bare, .settings = &settings, .verbs = &verbs, .out = out };
	int r;

	bare.argv = argv;
	r = pmg_uv_settings(&bare, &settings, &typed, &verbs, err);
	if (r < 0)
		return r;
	add_cache(&uv);
	add_beside(&uv);
	add_data(&uv);
	add_configs(&uv);
	return 0;
}
