#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/ask.h"
#include "pm/facts.h"
#include "pm/managers.h"
#include "pm/npm_sources.h"
#include "pm/npmlike.h"
#include "pm/project.h"
#include "pm/surroundings.h"
#include "pm/yarn_rc.h"

#define MANIFEST_MAX 1048576U

/* `yarn config get` prints the address alone; "undefined" for what it does not know. */
static void read_answer(const char *said, struct pmg_strv *out)
{
	size_t n = strcspn(said, " \t\r\n");

	if (strncmp(said, "http", 4) == 0 && n > 0)
		pmg_strv_take(out, pmg_xstrndup(said, n));
}

static const char *const classic_args[] = { "config", "get", "registry", NULL };
static const char *const berry_args[] = { "config", "get", "npmRegistryServer", NULL };
static const char *const question_env[] = { "npm_config_userconfig=%s/none-user",
					    "npm_config_globalconfig=%s/none-global",
					    "npm_config_prefix=%s",
					    "PREFIX=%s",
					    "YARN_IGNORE_PATH=1",
					    "YARN_ENABLE_TELEMETRY=0",
					    NULL };
static const struct pmg_question classic_question = {
	.tool = "yarn", .args = classic_args, .env = question_env, .read = read_answer
};
static const struct pmg_question berry_question = {
	.tool = "yarn", .args = berry_args, .env = question_env, .read = read_answer
};

/* One file of a folder and of all above it. */
static int upward(struct pmg_npmlike *n, const char *start, const char *name,
		  int (*read)(struct pmg_npmlike *n, const char *path, struct pmg_err *err),
		  struct pmg_err *err)
{
	char *dir = pmg_path_clean(start);
	unsigned level;
	int r = 0;

	for (level = 0; r == 0 && level < PMG_PROJECT_LEVELS_MAX; level++) {
		pmg_autofree char *file = pmg_path_join(dir, name);
		char *up = pmg_path_dir(dir);
		bool top = strcmp(up, dir) == 0;

		n->settings.of_project = strcmp(dir, n->place->home) != 0;
		r = read(n, file, err);
		n->settings.of_project = false;
		free(dir);
		dir = up;
		if (top)
			break;
	}
	free(dir);
	return r;
}

static int read_rc(struct pmg_npmlike *n, const char *path, struct pmg_err *err)
{
	return pmg_yarnrc_read(&n->settings, path, err);
}

static int read_yml(struct pmg_npmlike *n, const char *path, struct pmg_err *err)
{
	return pmg_yarnrc_yml_read(&n->settings, path, n->place->env, err);
}

/* The user's and the machine's, in yarn 1's order. As root it takes another folder for its home. */
static int read_rcs(struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	static const char *const at_home[] = { ".yarnrc", ".config/yarn/config", ".config/yarn",
					       ".yarn/config" };
	static const char *const fixed[] = { "/usr/local/share/.yarnrc", "/etc/yarnrc",
					     "/etc/yarn/config" };
	const char *named = pmg_env_get(n->place->env, "YARN_CONFIG");
	size_t i, known = n->settings.n;
	int r = upward(n, start, ".yarnrc", read_rc, err);

	for (i = 0; r == 0 && i < known; i++)
		if (strcmp(n->settings.v[i].key, "use-yarnrc") == 0) {
			pmg_autofree char *file =
				pmg_path_join(n->place->cwd, n->settings.v[i].value);

			r = read_rc(n, file, err);
		}
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(at_home); i++) {
		pmg_autofree char *file = pmg_path_join(n->place->home, at_home[i]);

		r = read_rc(n, file, err);
	}
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(fixed); i++)
		if (i > 0 || geteuid() == 0)
			r = read_rc(n, fixed[i], err);
	return r == 0 && named && *named ? read_rc(n, named, err) : r;
}

static int read_ymls(struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	const char *named = pmg_env_get(n->place->env, "YARN_RC_FILENAME");
	const char *name = named && *named && !strchr(named, '/') ? named : ".yarnrc.yml";
	pmg_autofree char *home = pmg_path_join(n->place->home, name);
	int r = upward(n, start, name, read_yml, err);

	if (r == 0 && strcmp(name, ".yarnrc.yml") != 0)
		r = upward(n, start, ".yarnrc.yml", read_yml, err);
	return r == 0 ? read_yml(n, home, err) : r;
}

/* What berry calls otherwise than npm. */
static void rename_keys(struct pmg_settings *settings)
{
	static const struct {
		const char *from;
		const char *to;
	} rows[] = {
		{ "npm-registry-server", "registry" },
		{ "npm-publish-registry", "publish-registry" },
		{ "npm-audit-registry", "publish-registry" },
		{ "enable-strict-ssl", "strict-ssl" },
	};
	size_t i, k;

	for (i = 0; i < settings->n; i++)
		for (k = 0; k < PMG_ARRAY_LEN(rows); k++)
			if (strcmp(settings->v[i].key, rows[k].from) == 0) {
				free(settings->v[i].key);
				settings->v[i].key = pmg_xstrdup(rows[k].to);
			}
}

int pmg_yarn_settings(struct pmg_npmlike *n, char **start, struct pmg_err *err)
{
	int r;

	n->cwd_is_folder = true;
	r = pmg_npmlike_line(n, &pmg_yarn_args, pmg_yarn_own_operands(n->place->argv), err);
	if (r == 0)
		r = pmg_settings_env(&n->settings, "yarn_", n->place->env, err);
	if (r < 0)
		return r;
	*start = pmg_npmlike_start(n);
	r = read_rcs(n, *start, err);
	if (r == 0)
		r = read_ymls(n, *start, err);
	if (r == 0)
		r = pmg_settings_env(&n->settings, "npm_config_", n->place->env, err);
	if (r == 0)
		r = pmg_npmlike_npmrcs(n, *start, err);
	rename_keys(&n->settings);
	return r;
}

const char *pmg_yarn_path(const struct pmg_npmlike *n)
{
	const char *ignore = pmg_env_get(n->place->env, "YARN_IGNORE_PATH");
	size_t i;

	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];

		if (strcmp(s->key, "yarn-path") == 0 && s->line > 0)
			return ignore && *ignore && strcmp(ignore, "0") != 0 &&
					       strcmp(ignore, "false") != 0
				       ? NULL
				       : pmg_settings_use(s);
	}
	return NULL;
}

/* "version" of the package that the program lies in, when that is yarn: its first number, else 0.
 * Up to 1 it is another program than from 2 on. */
static unsigned major_of(const char *program)
{
	pmg_autofree char *real = pmg_path_real(program);
	pmg_autofree char *bin = real ? pmg_path_dir(real) : NULL;
	pmg_autofree char *package = bin ? pmg_path_dir(bin) : NULL;
	pmg_autofree char *file = package ? pmg_path_join(package, "package.json") : NULL;
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	const char *name, *version;
	size_t len = 0;

	if (!file || pmg_io_slurp(file, MANIFEST_MAX, &text, &len, &err) < 0 ||
	    pmg_json_parse(file, text, len, &json, &err) < 0)
		return 0;
	name = pmg_json_str(json, "name");
	version = pmg_json_str(json, "version");
	if (!version || !name || (!strstr(name, "yarn") && !strstr(name, "Yarn")))
		return 0;
	return (unsigned)strtoul(version, NULL, 10);
}

/* yarn 1 reads .yarnrc, and variables that berry ends at. Where nobody can tell, the file says. */
bool pmg_yarn_is_classic(const struct pmg_npmlike *n)
{
	const char *path = pmg_yarn_path(n);

	if (path)
		return pmg_str_has_prefix(pmg_path_name(path), "yarn-1.") ||
		       pmg_str_has_prefix(pmg_path_name(path), "yarn-legacy");
	return major_of(n->place->program) <= 1;
}

static bool is_rc(const struct pmg_setting *s)
{
	return s->line > 0 && !pmg_str_has_suffix(s->what, ".yml") &&
	       !pmg_str_has_suffix(s->what, "npmrc");
}

/* Variables by which a file of this yarn's own is overruled. */
static void add_variables(const struct pmg_npmlike *n)
{
	bool classic = pmg_yarn_is_classic(n);
	size_t i;

	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];
		struct pmg_facts *facts = n->facts;

		if (classic && is_rc(s) && strcmp(s->key, "proxy") == 0)
			(void)pmg_strv_add_once(&facts->proxy_variables, "YARN_PROXY");
		else if (classic && is_rc(s) &&
			 (strcmp(s->key, "cafile") == 0 || strcmp(s->key, "ca") == 0))
			(void)pmg_strv_add_once(&facts->bundle_variables, "YARN_CAFILE");
		else if (!classic && strcmp(s->key, "https-ca-file-path") == 0)
			(void)pmg_strv_add_once(&facts->bundle_variables,
						"YARN_HTTPS_CA_FILE_PATH");
		else if (!classic && strcmp(s->key, "ca-file-path") == 0)
			(void)pmg_strv_add_once(&facts->bundle_variables, "YARN_CA_FILE_PATH");
	}
}

static void add_certificates(const struct pmg_npmlike *n)
{
	size_t i;

	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];
		pmg_autofree char *path = NULL;
		pmg_autofree char *what = NULL;

		if (strcmp(s->key, "https-cert-file-path") == 0)
			pmg_facts_warn(n->facts,
				       "%s:%u: pmg cannot show a client certificate to a registry",
				       s->what, s->line);
		if ((strcmp(s->key, "https-ca-file-path") != 0 &&
		     strcmp(s->key, "ca-file-path") != 0) ||
		    !pmg_settings_use(s))
			continue;
		path = pmg_path_join(n->place->cwd, s->value);
		what = s->line > 0 ? pmg_xasprintf("%s:%u", s->what, s->line)
				   : pmg_xstrdup(s->what);
		pmg_surroundings_ca_file(n->facts, what, path);
	}
}

/* What a file puts above every variable. */
static int check_steerable(const struct pmg_npmlike *n, struct pmg_err *err)
{
	static const struct {
		const char *key;
		const char *hint;
	} rows[] = {
		{ "--https-proxy",
		  "write \"https-proxy\" without dashes, which pmg can take over" },
		{ "--proxy", "write \"proxy\" without dashes, which pmg can take over" },
		{ "networkSettings",
		  "set httpProxy, httpsProxy and httpsCaFilePath for all hosts, outside of it" },
		{ PMG_YARN_UNREAD, "write settings and registries out, without \"*\"" },
	};
	size_t i, k;

	for (i = 0; i < n->settings.n; i++)
		for (k = 0; k < PMG_ARRAY_LEN(rows); k++) {
			const struct pmg_setting *s = &n->settings.v[i];
			bool unread = strcmp(rows[k].key, PMG_YARN_UNREAD) == 0;

			if (strcmp(s->key, rows[k].key) != 0 || s->line == 0)
				continue;
			if (unread)
				(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
						  "%s:%u: pmg cannot tell what yarn reads here",
						  s->what, s->line);
			else
				(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
						  "%s:%u: with \"%s\" as it is set here yarn "
						  "cannot be led through pmg",
						  s->what, s->line, s->key);
			return pmg_err_hint(err, "%s", rows[k].hint);
		}
	return 0;
}

/* corepack may have to download yarn before anybody can ask it. Where from, its own variable or npm
 * says. Which yarn a shim stands for, the answer tells. */
static int ask(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	const char *named = pmg_env_get(place->env, "COREPACK_NPM_REGISTRY");
	bool berry = major_of(place->program) > 1;
	pmg_auto(strv) struct pmg_strv none = { 0 };
	struct pmg_err first = PMG_ERR_INIT;
	int r = 0;

	if (named && *named)
		r = pmg_facts_try_registry(out, PMG_ECO_NPM, named, NULL,
					   "environment COREPACK_NPM_REGISTRY", 0, err);
	if (r < 0)
		return r;
	r = pmg_ask(berry ? &berry_question : &classic_question, place, &none, &first);
	if (r == 0)
		return pmg_ask_registries(berry ? &berry_question : &classic_question, place,
					  PMG_ECO_NPM, out, err);
	if (pmg_is_corepack(place->program))
		return pmg_ask_registries(&pmg_npm_question, place, PMG_ECO_NPM, out, err);
	return pmg_ask_registries(berry ? &classic_question : &berry_question, place, PMG_ECO_NPM,
				  out, err);
}

/* npm's is what `yarn import` reads. */
static const char *const locks[] = { "yarn.lock", "package-lock.json", NULL };

/* yarn 1 fetches what its lockfile has addresses for from there, whatever is set elsewhere: for it
 * nothing is replaced. Which yarn a shim stands for, nobody can tell. */
static bool reads(const struct pmg_npmlike *n, const struct pmg_setting *s)
{
	return !pmg_yarn_is_classic(n) &&
	       (pmg_str_has_suffix(s->what, ".yml") ||
		pmg_str_has_prefix_nocase(s->what, "environment yarn_npm_registry_server"));
}

int pmg_yarn_learn(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	pmg_auto(npmlike) struct pmg_npmlike n = { .place = place, .facts = out, .reads = reads };
	pmg_autofree char *start = NULL;
	int r;

	r = pmg_yarn_settings(&n, &start, err);
	if (r == 0)
		r = check_steerable(&n, err);
	if (r == 0)
		r = pmg_npmlike_apply(&n, err);
	if (r < 0)
		return r;
	add_certificates(&n);
	add_variables(&n);
	r = ask(place, out, err);
	if (r == 0)
		r = pmg_npm_sources(&n, start, locks, err);
	return r;
}
