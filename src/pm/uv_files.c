/* What uv reads of files. */
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/toml.h"
#include "pm/facts.h"
#include "pm/managers.h"
#include "pm/project.h"
#include "pm/uv_priv.h"

#define MANIFEST_MAX 8388608U
#define LINES_MAX    1048576U /* bytes of inline metadata */

static int read_manifest(struct pmg_uv *uv, const char *path);

static int add_setting(struct pmg_uv *uv, const char *key, const struct pmg_toml *value,
		       const char *path)
{
	return value->text ? pmg_settings_add(&uv->pip.settings, key, value->text, path,
					      value->line, uv->pip.err)
			   : 0;
}

/* A text, a list of texts, or uv's list of tables with an address in each. */
static int take_setting(struct pmg_uv *uv, const char *key, const struct pmg_toml *value,
			const char *path)
{
	int r = add_setting(uv, key, value, path);

	pmg_toml_each(value->kind == PMG_TOML_ARRAY ? value : NULL, it)
	{
		const struct pmg_toml *url = it->text ? it : pmg_toml_get(it, "url");
		bool is_default = !it->text && pmg_streq(pmg_toml_str(it, "default"), "true");

		if (r == 0 && url)
			r = add_setting(uv, is_default ? "default-index" : key, url, path);
	}
	return r;
}

static int take_source(struct pmg_uv *uv, const char *name, const struct pmg_toml *source)
{
	const char *url = pmg_toml_str(source, "url");

	return url ? pmg_facts_source(uv->pip.facts, PMG_ECO_PYPI, url, name, NULL, uv->pip.err)
		   : 0;
}

/* [tool.uv.sources]: a table of a package, or a list of such with markers. */
static int take_sources(struct pmg_uv *uv, const struct pmg_toml *sources)
{
	int r = 0;

	pmg_toml_each(sources, package)
	{
		if (r == 0 && package->key)
			r = take_source(uv, package->key, package);
		pmg_toml_each(package->kind == PMG_TOML_ARRAY ? package : NULL, it) if (r == 0) r =
			take_source(uv, package->key, it);
	}
	return r;
}

static int take_members(struct pmg_uv *uv, const struct pmg_toml *members, const char *path)
{
	pmg_autofree char *dir = pmg_path_dir(path);
	pmg_auto(strv) struct pmg_strv folders = { 0 };
	size_t i;
	int r = 0;

	pmg_toml_each(members, it) if (it->text) pmg_project_expand(dir, it->text, &folders);
	for (i = 0; r == 0 && i < folders.n; i++) {
		pmg_autofree char *file = pmg_path_join(folders.v[i], "pyproject.toml");

		r = read_manifest(uv, file);
	}
	return r;
}

/* Nothing that a run could set beats these (docs/adding-a-package-manager.md). */
static int check_steerable(struct pmg_uv *uv, const struct pmg_toml *table, const char *path)
{
	static const char *const keys[] = { "https-proxy", "http-proxy" };
	size_t i;

	for (i = 0; !uv->no_config && i < PMG_ARRAY_LEN(keys); i++) {
		const struct pmg_toml *value = pmg_toml_get(table, keys[i]);

		if (!value)
			continue;
		(void)pmg_err_set(uv->pip.err, PMG_E_UNSUPPORTED, 0,
				  "%s:%u: with \"%s\" set here uv cannot be led through pmg", path,
				  value->line, keys[i]);
		return pmg_err_hint(uv->pip.err, "use HTTPS_PROXY and HTTP_PROXY in place of the "
						 "setting: pmg goes by them");
	}
	return 0;
}

/* uv.toml, [tool.uv] of pyproject.toml or of a script; [tool.uv.pip] is one within, whose index
 * only `uv pip` asks in place of the default. */
static int take_table(struct pmg_uv *uv, const struct pmg_toml *table, const char *path,
		      bool is_within)
{
	static const char *const keys[] = { "index",      "index-url", "extra-index-url",
					    "find-links", "cache-dir", "default-index",
					    "target",     "prefix" };
	bool in_pip = is_within && !(uv->operands.n > 0 && strcmp(uv->operands.v[0], "pip") == 0);
	size_t i;
	int r = check_steerable(uv, table, path);

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(keys); i++) {
		const struct pmg_toml *value = pmg_toml_get(table, keys[i]);

		if (value)
			r = take_setting(uv,
					 in_pip && strcmp(keys[i], "index-url") == 0
						 ? "extra-index-url"
						 : keys[i],
					 value, path);
	}
	if (r == 0)
		r = take_sources(uv, pmg_toml_get(table, "sources"));
	if (r == 0)
		r = take_members(uv, pmg_toml_at(table, "workspace.members"), path);
	return r == 0 && pmg_toml_get(table, "pip")
		       ? take_table(uv, pmg_toml_get(table, "pip"), path, true)
		       : r;
}

static int parse_table(struct pmg_uv *uv, const char *path, const char *text, size_t len,
		       const char *at)
{
	pmg_auto(toml) struct pmg_toml *doc = NULL;
	int r = pmg_toml_parse(path, text, len, &doc, uv->pip.err);

	return r < 0 ? r : take_table(uv, pmg_toml_at(doc, at), path, false);
}

static int read_manifest(struct pmg_uv *uv, const char *path)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_pip_text(&uv->pip, path, MANIFEST_MAX, &text, &len);

	if (r < 0 || !text)
		return r;
	r = pmg_pip_scan_text(&uv->pip, path, text, len);
	return r == 0 ? parse_table(uv, path, text, len, "tool.uv") : r;
}

static int read_own(struct pmg_uv *uv, const char *dir, const char *name)
{
	pmg_autofree char *path = pmg_path_join(dir, name);
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_pip_text(&uv->pip, path, MANIFEST_MAX, &text, &len);

	return r < 0 || !text ? r : parse_table(uv, path, text, len, "");
}

/* uv takes the nearest one that has something to say, and the root of its workspace. */
static int read_upward(struct pmg_uv *uv)
{
	pmg_autofree char *dir = pmg_path_clean(uv->start);
	unsigned level;
	int r = 0;

	for (level = 0; r == 0 && level < PMG_PROJECT_LEVELS_MAX; level++) {
		pmg_autofree char *manifest = pmg_path_join(dir, "pyproject.toml");
		pmg_autofree char *lock = pmg_path_join(dir, "uv.lock");
		char *up = pmg_path_dir(dir);

		uv->pip.settings.of_project = strcmp(dir, uv->pip.place->home) != 0;
		r = read_own(uv, dir, "uv.toml");
		if (r == 0)
			r = read_manifest(uv, manifest);
		uv->pip.settings.of_project = false;
		if (r == 0)
			r = pmg_pip_lock(&uv->pip, lock);
		if (strcmp(up, dir) == 0)
			level = PMG_PROJECT_LEVELS_MAX;
		free(dir);
		dir = up;
	}
	return r;
}

static int read_global(struct pmg_uv *uv)
{
	const char *dirs = pmg_env_get(uv->pip.place->env, "XDG_CONFIG_DIRS");
	pmg_auto(strv) struct pmg_strv global = { 0 };
	size_t i;
	int r = 0;

	pmg_strv_split(&global, dirs && *dirs ? dirs : "/etc/xdg", ":");
	pmg_strv_add(&global, "/etc");
	for (i = 0; r == 0 && i < global.n; i++)
		r = read_own(uv, global.v[i], "uv/uv.toml");
	return r;
}

int pmg_uv_files(struct pmg_uv *uv)
{
	const struct pmg_place *place = uv->pip.place;
	const char *named = pmg_settings_value(&uv->pip.settings, "config-file");
	const char *xdg = pmg_env_get(place->env, "XDG_CONFIG_HOME");
	int r = named ? read_own(uv, place->cwd, named) : 0;

	if (r == 0)
		r = read_upward(uv);
	if (r == 0 && xdg && xdg[0] == '/')
		r = read_own(uv, xdg, "uv/uv.toml");
	if (r == 0)
		r = read_own(uv, place->home, ".config/uv/uv.toml");
	return r == 0 ? read_global(uv) : r;
}

/* What a script says that it needs. */
static int take_wanted(struct pmg_uv *uv, const char *path, const struct pmg_str *text)
{
	pmg_auto(toml) struct pmg_toml *doc = NULL;
	int r = pmg_toml_parse(path, text->s, text->len, &doc, uv->pip.err);

	if (r < 0)
		return r;
	r = 0;
	pmg_toml_each(pmg_toml_get(doc, "dependencies"), it) if (r == 0) r =
		add_setting(uv, PMG_UV_WANTS, it, path);
	return r;
}

/* The lines between "# /// script" and "# ///", without their "# ". */
static int inline_metadata(const char *text, size_t len, struct pmg_str *out)
{
	static const char begin[] = "# /// script", close[] = "# ///";
	const char *end = text + len, *eol;
	bool inside = false;
	int r = 0;

	for (; r == 0 && text < end; text = eol + 1) {
		pmg_autofree char *line = NULL;

		eol = memchr(text, '\n', (size_t)(end - text));
		if (!eol)
			eol = end;
		line = pmg_xstrndup(text, (size_t)(eol - text));
		line[strcspn(line, "\r")] = '\0';
		if (inside && strcmp(line, close) == 0)
			return 0;
		if (inside && line[0] == '#')
			r = pmg_str_addf(out, "%s\n", line + (line[1] == ' ' ? 2 : 1));
		inside = inside || strcmp(line, begin) == 0;
	}
	return r;
}

int pmg_uv_script(struct pmg_uv *uv, const char *name)
{
	pmg_autofree char *path = pmg_path_join(uv->pip.place->cwd, name);
	pmg_auto(str) struct pmg_str toml = PMG_STR_INIT(LINES_MAX);
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_pip_text(&uv->pip, path, MANIFEST_MAX, &text, &len);

	if (r < 0 || !text)
		return r;
	if (inline_metadata(text, len, &toml) < 0)
		return pmg_err_set(uv->pip.err, PMG_E_LIMIT, 0,
				   "%s: more than %u bytes of inline metadata", path, LINES_MAX);
	if (toml.len == 0)
		return 0;
	r = pmg_pip_scan_text(&uv->pip, path, toml.s, toml.len);
	if (r == 0)
		r = take_wanted(uv, path, &toml);
	uv->pip.settings.of_project = true; /* who wrote it did not write this machine's settings */
	if (r == 0)
		r = parse_table(uv, path, toml.s, toml.len, "tool.uv");
	uv->pip.settings.of_project = false;
	return r;
}
