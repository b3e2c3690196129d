#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/yamlscan.h"
#include "pm/ask.h"
#include "pm/facts.h"
#include "pm/managers.h"
#include "pm/npm_sources.h"
#include "pm/npmlike.h"
#include "pm/project.h"

#define YAML_MAX     1048576U
#define MANIFEST_MAX 1048576U

/* Known already, perhaps for a scope. */
static bool is_said(const struct pmg_strv *out, const char *url)
{
	size_t i;

	for (i = 0; i < out->n; i++)
		if (pmg_str_has_suffix(out->v[i], url))
			return true;
	return false;
}

/*
 * {"registry": URL, "@jsr:registry": URL, "registries": {URL: {"prefix": "gh"}}} of
 * `config list --json`. What has but a prefix is asked for "gh:NAME" alone: no name of a project
 * is its business, and where it cannot be reached nothing else waits for it.
 */
static void read_answer(const char *said, struct pmg_strv *out)
{
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_json_parse("pnpm config list", said, strlen(said), &json, &err) < 0)
		return;
	if (pmg_json_str(json, "registry"))
		pmg_strv_add(out, pmg_json_str(json, "registry"));
	pmg_json_object_each (json, it) {
		const char *key = pmg_json_iter_key(it);
		const char *url = pmg_json_text(pmg_json_iter_value(it));

		if (url && key[0] == '@' && pmg_str_has_suffix(key, ":registry"))
			pmg_strv_addf(out, "%.*s %s", (int)(strlen(key) - strlen(":registry")), key,
				      url);
	}
	pmg_json_object_each (pmg_json_get(json, "registries"), it) {
		if (strstr(pmg_json_iter_key(it), "://") && !is_said(out, pmg_json_iter_key(it)))
			pmg_strv_addf(out, PMG_ASK_ASIDE " %s", pmg_json_iter_key(it));
	}
}

static const char *const question_args[] = { "config", "list", "--json", NULL };
static const char *const question_env[] = { "npm_config_userconfig=%s/none-user",
					    "npm_config_globalconfig=%s/none-global",
					    "NPM_CONFIG_WORKSPACE_DIR=%s", NULL };
static const struct pmg_question question = {
	.tool = "pnpm", .args = question_args, .env = question_env, .read = read_answer
};

/* Where a scan of pnpm-workspace.yaml or config.yaml puts what it finds. */
struct into {
	struct pmg_settings *settings;
	const char *path;
	struct pmg_err *err;
};

/*
 * "httpsProxy: X" is https-proxy; "registries: {default: X, '@acme': Y}" are
 * registry and @acme:registry. pnpm 11 and 12 also write "registries: {URL: {scopes: [...]}}"
 * and "namedRegistries: {work: URL}", which is asked for "work:NAME" alone. What the former is
 * asked for its scopes say, which are not read: it may be anything.
 */
static char *yaml_key(const struct pmg_yamlscan_at *at)
{
	const char *top = at->depth > 0 ? at->keys[0] : NULL;
	const char *below = at->depth > 1 ? at->keys[1] : NULL;
	bool named = pmg_streq(top, "namedRegistries");

	if (at->depth == 1)
		return top ? pmg_settings_kebab(top) : NULL;
	if (!below || (!named && !pmg_streq(top, "registries")))
		return NULL;
	if (strstr(below, "://"))
		return pmg_xstrdup(PMG_NPMLIKE_OTHER);
	if (at->depth != 2)
		return NULL;
	if (named)
		return pmg_xstrdup(PMG_NPMLIKE_NAMED);
	return below[0] != '@' ? pmg_xstrdup("registry") : pmg_xasprintf("%s:registry", below);
}

/* Stands for settings that pnpm sees in a file and we do not. */
static const char unread[] = "<<";

/* "*x" for a key, or where a setting or registry is expected; "<<: *x" or "<<: {...}". */
static bool is_unread(const struct pmg_yamlscan_at *at, const char *key)
{
	unsigned i;

	for (i = 0; i < at->depth && i < 2; i++)
		if (at->keys[i] && (at->keys[i][0] == '\0' || strcmp(at->keys[i], unread) == 0))
			return i == 0 || key || pmg_streq(at->keys[0], "registries");
	return at->kind == PMG_YAMLSCAN_ALIAS && key && at->depth > 0 &&
	       (at->depth > 1 || pmg_streq(key, "registry") || pmg_streq(key, "registries") ||
		pmg_streq(key, "named-registries"));
}

static int take_yaml(void *ctx, const struct pmg_yamlscan_at *at, const char *value)
{
	pmg_autofree char *key = yaml_key(at);
	struct into *into = ctx;

	if (is_unread(at, key))
		return pmg_settings_add(into->settings, unread, "", into->path, at->line,
					into->err);
	/* A list or an alias is a setting too; what it says does not matter where one is refused.
	 */
	if (!key || (at->kind != PMG_YAMLSCAN_SCALAR && at->depth > 1))
		return 0;
	if (at->depth > 1 && strstr(at->keys[1], "://"))
		value = at->keys[1];
	return pmg_settings_add(into->settings, key, value, into->path, at->line, into->err);
}

static int read_yaml(struct pmg_npmlike *n, const char *path, struct pmg_err *err)
{
	struct into into = { .settings = &n->settings, .path = path, .err = err };
	struct pmg_err why = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_io_slurp_optional(path, YAML_MAX, &text, &len, err);

	if (r < 0 || !text)
		return r;
	r = pmg_yamlscan(path, text, len, take_yaml, &into, &why);
	if (r == -PMG_E_PARSE) { /* which pnpm may read to its end all the same */
		pmg_log_debug("not read to its end: %s", why.msg);
		return pmg_settings_add(&n->settings, unread, "", path, 1, err);
	}
	return r;
}

/* pnpm-workspace.yaml of the nearest folder that has one. */
static int read_workspace(struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	pmg_autofree char *top = pmg_project_up(start, "pnpm-workspace.yaml");
	pmg_autofree char *file = top ? pmg_path_join(top, "pnpm-workspace.yaml") : NULL;
	int r;

	n->settings.of_project = file && strcmp(top, n->place->home) != 0;
	r = file ? read_yaml(n, file, err) : 0;
	n->settings.of_project = false;
	return r;
}

/* $XDG_CONFIG_HOME/pnpm: rc up to pnpm 10, auth.ini and config.yaml from 11 on. */
static int read_own_config(struct pmg_npmlike *n, struct pmg_err *err)
{
	const char *xdg = pmg_env_get(n->place->env, "XDG_CONFIG_HOME");
	pmg_autofree char *base =
		xdg && xdg[0] == '/' ? pmg_xstrdup(xdg) : pmg_path_join(n->place->home, ".config");
	pmg_autofree char *yaml = pmg_path_join(base, "pnpm/config.yaml");
	pmg_autofree char *auth = pmg_path_join(base, "pnpm/auth.ini");
	pmg_autofree char *rc = pmg_path_join(base, "pnpm/rc");
	int r;

	r = read_yaml(n, yaml, err);
	if (r == 0)
		r = pmg_settings_npmrc(&n->settings, auth, n->place->env, err);
	if (r == 0)
		r = pmg_settings_npmrc(&n->settings, rc, n->place->env, err);
	return r;
}

/* "version" of the package.json in a folder, when it is pnpm's own: its first number, else 0. */
static unsigned major_in(const char *dir)
{
	pmg_autofree char *file = pmg_path_join(dir, "package.json");
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	const char *version;
	size_t len = 0;

	if (pmg_io_slurp(file, MANIFEST_MAX, &text, &len, &err) < 0 ||
	    pmg_json_parse(file, text, len, &json, &err) < 0 ||
	    !pmg_streq(pmg_json_str(json, "name"), "pnpm"))
		return 0;
	version = pmg_json_str(json, "version");
	return version ? (unsigned)strtoul(version, NULL, 10) : 0;
}

/* .../pnpm/bin/pnpm.cjs up to 11, .../pnpm/pnpm from 12 on; 0 when it lies somewhere else. */
static unsigned major_of(const char *program)
{
	pmg_autofree char *real = pmg_path_real(program);
	pmg_autofree char *bin = real ? pmg_path_dir(real) : NULL;
	pmg_autofree char *package = bin ? pmg_path_dir(bin) : NULL;
	unsigned major = bin ? major_in(bin) : 0;

	return major == 0 && package ? major_in(package) : major;
}

static bool is_workspace(const struct pmg_setting *s)
{
	return pmg_str_has_suffix(s->what, "/pnpm-workspace.yaml");
}

/* Settings of a file that this version of pnpm puts above every variable. */
static bool beats_variables(const struct pmg_setting *s, unsigned major)
{
	static const char *const any[] = { "proxy",    "http-proxy", "https-proxy", "noproxy",
					   "no-proxy", "cafile",     "ca",          NULL };
	const char *const *key;
	bool yaml = is_workspace(s);

	if (s->line == 0)
		return false;
	if (yaml && strcmp(s->key, unread) == 0)
		return major != 9;
	/* pnpm 11: certificates in an npmrc; npm's global and built-in ones it does not read. */
	if (major == 11 && !yaml && !pmg_str_has_suffix(s->what, "/npmrc"))
		return strcmp(s->key, "cafile") == 0 || strcmp(s->key, "ca") == 0 ||
		       pmg_str_has_suffix(s->key, ":cafile") || pmg_str_has_suffix(s->key, ":ca");
	/* Up to 10 an npmrc may say "no-proxy", and only npm_config_no_proxy would win, which npm
	 * complains of in everything that pnpm starts. */
	if (major <= 10 && !yaml)
		return strcmp(s->key, "no-proxy") == 0;
	/* pnpm 10: all of pnpm-workspace.yaml; 9 does not read it, from 11 on variables win. */
	for (key = any; yaml && (major == 10 || major == 0) && *key; key++)
		if (strcmp(s->key, *key) == 0)
			return true;
	return false;
}

static const char *hint_for(const struct pmg_setting *s, unsigned major)
{
	if (strcmp(s->key, unread) == 0)
		return "write settings and registries out, without \"*\" and \"<<\"";
	if (is_workspace(s))
		return "move it to ~/.npmrc, or set HTTPS_PROXY and NO_PROXY";
	if (major == 11)
		return "name the file in NODE_EXTRA_CA_CERTS instead";
	return "write \"noproxy\", which pmg can take over";
}

/*
 * The versions of pnpm that may read the files: the program's, and the one that a package.json
 * wants, which pnpm fetches and starts in its place. 0 stands for one that is not known.
 */
struct majors {
	unsigned v[3];
	size_t n;
};

static void want_major(const char *dir, struct majors *out)
{
	pmg_autofree char *file = dir ? pmg_path_join(dir, "package.json") : NULL;
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	const char *named, *at;
	size_t len = 0;

	if (!file || pmg_io_slurp(file, MANIFEST_MAX, &text, &len, &err) < 0 ||
	    pmg_json_parse(file, text, len, &json, &err) < 0)
		return;
	named = pmg_json_str(json, "packageManager");
	at = named ? strchr(named, '@') : NULL;
	if (named && pmg_str_has_prefix(named, "pnpm"))
		out->v[out->n++] = at ? (unsigned)strtoul(at + 1, NULL, 10) : 0;
	else if (pmg_json_get(pmg_json_get(json, "devEngines"), "packageManager"))
		out->v[out->n++] = 0;
}

static bool any_beats_variables(const struct pmg_setting *s, const struct majors *majors)
{
	size_t i;

	for (i = 0; i < majors->n; i++)
		if (beats_variables(s, majors->v[i]))
			return true;
	return false;
}

static int check_steerable(const struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	struct majors majors = { .v = { major_of(n->place->program) }, .n = 1 };
	pmg_autofree char *project = pmg_project_up(start, "package.json");
	pmg_autofree char *top = pmg_project_up(start, "pnpm-workspace.yaml");
	size_t i;

	want_major(project, &majors);
	want_major(top, &majors);
	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];

		if (!any_beats_variables(s, &majors))
			continue;
		if (strcmp(s->key, unread) == 0)
			(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
					  "%s:%u: pmg cannot tell what pnpm reads here", s->what,
					  s->line);
		else
			(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
					  "%s:%u: with \"%s\" set here pnpm cannot be led "
					  "through pmg",
					  s->what, s->line, s->key);
		return pmg_err_hint(err, "%s", hint_for(s, majors.v[0]));
	}
	return 0;
}

static bool is_verb_of_two(const char *verb)
{
	static const char *const two[] = { "run", "run-script", "exec", "dlx", "create" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(two); i++)
		if (strcmp(two[i], verb) == 0)
			return true;
	return false;
}

/* How many operands are pnpm's own: what follows the name of a script or program is not. 0: all. */
static unsigned own_operands(char *const *argv)
{
	pmg_auto(args) struct pmg_args args = { .table = &pmg_pnpm_args, .argv = argv };
	const char *tool = pmg_path_name(argv[0]);
	struct pmg_arg arg;

	if (strcmp(tool, "pnpx") == 0 || strcmp(tool, "pnx") == 0)
		return 1;
	while (pmg_args_next(&args, &arg))
		if (arg.kind == PMG_ARG_OPERAND) {
			char *const verb[] = { argv[0], argv[arg.first], NULL };

			if (pmg_pm_pnpm.classify(verb) == PMG_VERB_FETCH)
				return 0;
			return is_verb_of_two(arg.value) ? 2 : 1;
		}
	return 1;
}

static int read_files(struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	int r;

	r = read_workspace(n, start, err);
	if (r == 0)
		r = pmg_npmlike_npmrcs(n, start, err);
	return r == 0 ? read_own_config(n, err) : r;
}

int pmg_pnpm_settings(struct pmg_npmlike *n, char **start, struct pmg_err *err)
{
	int r;

	n->no_proxy_takes_word = major_of(n->place->program) >= 12;
	r = pmg_npmlike_line(n, &pmg_pnpm_args, own_operands(n->place->argv), err);
	if (r == 0)
		r = pmg_settings_env(&n->settings, "npm_config_", n->place->env, err);
	if (r == 0)
		r = pmg_settings_env(&n->settings, "pnpm_config_", n->place->env, err);
	if (r < 0)
		return r;
	*start = pmg_npmlike_start(n);
	return read_files(n, *start, err);
}

/* corepack may have to download pnpm before anybody can ask it. Where from, its own variable or
 * npm says; the registry built into npm is pnpm's as well. */
static int ask(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	const char *named = pmg_env_get(place->env, "COREPACK_NPM_REGISTRY");
	int r = 0;

	if (named && *named)
		r = pmg_facts_try_registry(out, PMG_ECO_NPM, named, NULL,
					   "environment COREPACK_NPM_REGISTRY", 0, err);
	if (r == 0)
		r = pmg_ask_registries(&question, place, PMG_ECO_NPM, out, err);
	if (r == -PMG_E_UNSUPPORTED && pmg_is_corepack(place->program))
		r = pmg_ask_registries(&pmg_npm_question, place, PMG_ECO_NPM, out, err);
	return r;
}

/* npm's are what `pnpm import` reads. */
static const char *const locks[] = { "pnpm-lock.yaml", "package-lock.json", "npm-shrinkwrap.json",
				     NULL };

/* Up to 10 it reads npm's variables, from 11 on its own. */
static bool reads(const struct pmg_npmlike *n, const struct pmg_setting *s)
{
	unsigned major = major_of(n->place->program);

	if (pmg_str_has_prefix_nocase(s->what, "environment npm_config_"))
		return major > 0 && major <= 10;
	return !pmg_str_has_prefix_nocase(s->what, "environment ") || major > 10;
}

int pmg_pnpm_learn(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	pmg_auto(npmlike) struct pmg_npmlike n = { .place = place, .facts = out, .reads = reads };
	pmg_autofree char *start = NULL;
	int r;

	r = pmg_pnpm_settings(&n, &start, err);
	if (r == 0)
		r = check_steerable(&n, start, err);
	if (r == 0)
		r = pmg_npmlike_apply(&n, err);
	if (r == 0)
		r = ask(place, out, err);
	if (r == 0)
		r = pmg_npm_sources(&n, start, locks, err);
	return r;
}
