#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/io.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/toml.h"
#include "pm/ask.h"
#include "pm/facts.h"
#include "pm/managers.h"
#include "pm/npm_sources.h"
#include "pm/npmlike.h"

#define BUNFIG_MAX 1048576U

/*
 * bun has no command that says its registry. So a script asks it, in the question's empty folder:
 * it starts `bun add x` with a proxy of the script's own, and what that is asked for is the answer.
 * Nothing goes out.
 */
static const char script[] =
	"let p;const s=Bun.listen({hostname:'127.0.0.1',port:0,socket:{data(c,d){"
	"const m=/^CONNECT ([^ ]+):443 /.exec(d.toString());if(!m)return;"
	"console.log('https://'+m[1]+'/');p.kill(9);process.exit(0)}}});"
	"const u='http://127.0.0.1:'+s.port;"
	"p=Bun.spawn([process.execPath,'add','x'],{stdout:'ignore',stderr:'ignore',"
	"env:{...process.env,HTTPS_PROXY:u,https_proxy:u,NO_PROXY:'none.invalid'}});";
static const char *const args[] = { "-e", script, NULL };
static const char *const env[] = { "BUN_INSTALL=%s", NULL };

static void read_answer(const char *said, struct pmg_strv *out)
{
	size_t n = strcspn(said, " \t\r\n");

	if (strncmp(said, "https://", 8) == 0)
		pmg_strv_take(out, pmg_xstrndup(said, n));
}

static const struct pmg_question question = {
	.tool = "bun", .args = args, .env = env, .read = read_answer
};

struct into {
	struct pmg_settings *settings;
	const char *path;
	struct pmg_err *err;
};

static int put(const struct into *into, const char *key, const char *value, unsigned line)
{
	return pmg_settings_add(into->settings, key, value, into->path, line, into->err);
}

/* registry = "URL" or {url = "URL", token = ...} */
static int put_registry(const struct into *into, const char *key, const struct pmg_toml *at)
{
	const char *url = !at                          ? NULL
			  : at->kind == PMG_TOML_TABLE ? pmg_toml_str(at, "url")
						       : at->text;

	return url ? put(into, key, url, at->line) : 0;
}

static int put_scopes(const struct into *into, const struct pmg_toml *scopes)
{
	int r = 0;

	pmg_toml_each(scopes, it)
	{
		pmg_autofree char *key =
			pmg_xasprintf("%s%s:registry", it->key[0] == '@' ? "" : "@", it->key);

		r = put_registry(into, key, it);
		if (r < 0)
			break;
	}
	return r;
}

/* [install] of a bunfig.toml; keys become npm's. */
static int put_bunfig(const struct into *into, const struct pmg_toml *root)
{
	static const struct {
		const char *path, *key;
	} rows[] = {
		{ "install.cafile", "cafile" },        { "install.ca", "ca" },
		{ "install.cache", "cache-dir" },      { "install.cache.dir", "cache-dir" },
		{ "install.globalDir", "global-dir" }, { "install.globalBinDir", "global-bin-dir" },
	};
	size_t i;
	int r = put_registry(into, "registry", pmg_toml_at(root, "install.registry"));

	if (r == 0)
		r = put_scopes(into, pmg_toml_at(root, "install.scopes"));
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(rows); i++) {
		const struct pmg_toml *at = pmg_toml_at(root, rows[i].path);

		if (at && (at->text || strcmp(rows[i].key, "ca") == 0))
			r = put(into, rows[i].key, at->text ? at->text : "", at->line);
	}
	return r;
}

static int read_bunfig(struct pmg_npmlike *n, const char *path, struct pmg_err *err)
{
	struct into into = { .settings = &n->settings, .path = path, .err = err };
	pmg_auto(toml) struct pmg_toml *root = NULL;
	struct pmg_err why = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_io_slurp(path, BUNFIG_MAX, &text, &len, &why);

	if (r < 0 && r != -PMG_E_LIMIT) {
		pmg_log_debug("not read: %s", why.msg);
		return 0;
	}
	if (r == 0)
		r = pmg_toml_parse(path, text, len, &root, &why);
	if (r < 0) {
		*err = why;
		return r;
	}
	return put_bunfig(&into, root);
}

/* --config, the project's, the user's. */
static int read_bunfigs(struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	const char *xdg = pmg_env_get(n->place->env, "XDG_CONFIG_HOME");
	const char *named = pmg_settings_value(&n->settings, "config");
	pmg_autofree char *given = named ? pmg_path_join(start, named) : NULL;
	pmg_autofree char *own = pmg_path_join(start, "bunfig.toml");
	pmg_autofree char *home = pmg_path_join(n->place->home, ".bunfig.toml");
	pmg_autofree char *config = xdg && *xdg ? pmg_path_join(xdg, ".bunfig.toml") : NULL;
	int r = given ? read_bunfig(n, given, err) : 0;

	n->settings.of_project = strcmp(start, n->place->home) != 0;
	if (r == 0)
		r = read_bunfig(n, own, err);
	n->settings.of_project = false;
	if (r == 0 && config)
		r = read_bunfig(n, config, err);
	return r == 0 ? read_bunfig(n, home, err) : r;
}

static bool is_registry_variable(const char *name)
{
	static const char *const names[] = { "BUN_CONFIG_REGISTRY", "NPM_CONFIG_REGISTRY",
					     "npm_config_registry" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* bun takes variables of .env files for its own. Within walls those are closed. */
static int read_dotenvs(struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	static const char *const names[] = { ".env.local",
					     ".env.development.local",
					     ".env.production.local",
					     ".env.test.local",
					     ".env.development",
					     ".env.production",
					     ".env.test",
					     ".env" };
	size_t i, k;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(names); i++) {
		pmg_autofree char *file = pmg_path_join(start, names[i]);
		pmg_auto(settings) struct pmg_settings all = { 0 };

		r = pmg_settings_npmrc(&all, file, n->place->env, err);
		for (k = 0; r == 0 && k < all.n; k++)
			if (is_registry_variable(all.v[k].key))
				r = pmg_settings_add(&n->settings, "registry", all.v[k].value, file,
						     all.v[k].line, err);
	}
	return r;
}

static int read_environment(struct pmg_npmlike *n, struct pmg_err *err)
{
	const char *named = pmg_env_get(n->place->env, "BUN_CONFIG_REGISTRY");
	int r = 0;

	if (named && *named)
		r = pmg_settings_add(&n->settings, "registry", named,
				     "environment BUN_CONFIG_REGISTRY", 0, err);
	return r == 0 ? pmg_settings_env(&n->settings, "npm_config_", n->place->env, err) : r;
}

int pmg_bun_settings(struct pmg_npmlike *n, char **start, struct pmg_err *err)
{
	int r;

	n->cwd_is_folder = true;
	r = pmg_npmlike_line(n, &pmg_bun_args, pmg_bun_own_operands(n->place->argv), err);
	if (r == 0)
		r = read_environment(n, err);
	if (r < 0)
		return r;
	*start = pmg_npmlike_start(n);
	r = read_dotenvs(n, *start, err);
	if (r == 0)
		r = read_bunfigs(n, *start, err);
	return r == 0 ? pmg_npmlike_npmrcs(n, *start, err) : r;
}

/* bun reads the npmrc of the folder it works in and of the home, no global one. */
static bool reads(const struct pmg_npmlike *n, const char *start, const struct pmg_setting *s)
{
	pmg_autofree char *dir = pmg_path_dir(s->what);

	return s->line > 0 &&
	       (strcmp(pmg_path_name(s->what), ".npmrc") != 0
			? pmg_str_has_suffix(s->what, ".toml")
			: strcmp(dir, start) == 0 || strcmp(dir, n->place->home) == 0);
}

/* Certificates of a file beat those of every variable (1.4). */
static int check_steerable(const struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	size_t i;

	for (i = 0; i < n->settings.n; i++) {
		const struct pmg_setting *s = &n->settings.v[i];

		if ((strcmp(s->key, "cafile") != 0 && strcmp(s->key, "ca") != 0) ||
		    !reads(n, start, s))
			continue;
		(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
				  "%s:%u: with \"%s\" set here bun cannot be led through pmg",
				  s->what, s->line, s->key);
		return pmg_err_hint(err, "name the file in NODE_EXTRA_CA_CERTS instead");
	}
	return 0;
}

/* Within walls its .env files are closed to it. */
static bool reads_for_sure(const struct pmg_npmlike *n, const struct pmg_setting *s)
{
	pmg_autofree char *start = pmg_npmlike_start(n);

	return s->line == 0 || reads(n, start, s);
}

/* npm's are what bun takes over where it has none of its own. */
static const char *const locks[] = { "bun.lock", "package-lock.json", "yarn.lock", NULL };

int pmg_bun_learn(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	pmg_auto(npmlike) struct pmg_npmlike n = { .place = place,
						   .facts = out,
						   .reads = reads_for_sure };
	pmg_autofree char *start = NULL;
	int r;

	r = pmg_bun_settings(&n, &start, err);
	if (r == 0)
		r = check_steerable(&n, start, err);
	if (r == 0)
		r = pmg_npmlike_apply(&n, err);
	if (r == 0)
		r = pmg_ask_registries(&question, place, PMG_ECO_NPM, out, err);
	if (r == 0)
		r = pmg_npm_sources(&n, start, locks, err);
	return r;
}
