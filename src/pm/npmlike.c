#include "pm/npmlike.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/facts.h"
#include "pm/project.h"
#include "pm/surroundings.h"

#define LEVELS_MAX 64U

/* Options that would lead round pmg's proxy or bundle. They beat every variable, so they go. */
static const char *const steering[] = { "proxy",    "https-proxy", "http-proxy", "noproxy",
					"no-proxy", "cafile",      "ca",         NULL };

void pmg_npmlike_done(struct pmg_npmlike *n)
{
	pmg_settings_done(&n->settings);
	pmg_strv_done(&n->operands);
	free(n->prefix);
	*n = (struct pmg_npmlike){ 0 };
}

static bool is_steering(const char *name)
{
	const char *const *s;

	for (s = steering; *s; s++)
		if (strcmp(*s, name) == 0)
			return true;
	return false;
}

/* "--@acme:registry URL": a name that is in no table, so the next word was not taken. */
static const char *value_of(const struct pmg_arg *arg, char *const *argv)
{
	const char *next = argv[arg->first + arg->n];

	if (arg->value || arg->name[0] != '@' || !pmg_str_has_suffix(arg->name, ":registry"))
		return arg->value;
	return next && strstr(next, "://") ? next : NULL;
}

/* "config.httpsProxy" of pnpm is "https-proxy". */
static char *setting_name(const char *name)
{
	if (strncmp(name, "config.", 7) == 0)
		return pmg_settings_kebab(name + 7);
	return pmg_xstrdup(name);
}

static int take_option(struct pmg_npmlike *n, const struct pmg_arg *arg, const char *name,
		       struct pmg_err *err)
{
	const char *value = value_of(arg, n->place->argv);

	if (arg->negated)
		value = "false";
	if (!value)
		value = "true";
	if (n->cwd_is_folder ? strcmp(name, "cwd") == 0
			     : strcmp(name, "prefix") == 0 || strcmp(name, "dir") == 0) {
		free(n->prefix);
		n->prefix = pmg_xstrdup(value);
	}
	return pmg_settings_add(&n->settings, name, value, "command line", 0, err);
}

static void keep(struct pmg_npmlike *n, size_t from, size_t to)
{
	for (; from < to; from++)
		pmg_strv_add(&n->facts->argv, n->place->argv[from]);
}

/* "--no-proxy HOSTS" or "--no-proxy=HOSTS": the table took it for the negation of --proxy. */
static void as_no_proxy(struct pmg_args *args, struct pmg_arg *arg)
{
	const char *word = args->argv[arg->first], *eq = strchr(word, '=');

	arg->negated = false;
	arg->name = "no-proxy";
	arg->value = eq ? eq + 1 : args->argv[arg->first + 1];
	arg->n = !eq && arg->value ? 2 : 1;
	args->next = arg->first + arg->n;
}

static int do_option(struct pmg_npmlike *n, struct pmg_args *args, struct pmg_arg *arg,
		     struct pmg_err *err)
{
	pmg_autofree char *name = NULL;

	if (n->no_proxy_takes_word && arg->negated && strcmp(arg->name, "proxy") == 0)
		as_no_proxy(args, arg);
	name = setting_name(arg->name);
	if (is_steering(name))
		pmg_facts_note(n->facts, "--%s%s: taken over by pmg, %s does not get to see it",
			       arg->negated ? "no-" : "", name, pmg_path_name(n->place->argv[0]));
	else
		keep(n, arg->first, arg->first + arg->n);
	return take_option(n, arg, name, err);
}

int pmg_npmlike_line(struct pmg_npmlike *n, const struct pmg_arg_table *table, unsigned stop_after,
		     struct pmg_err *err)
{
	pmg_auto(args) struct pmg_args args = { .table = table, .argv = n->place->argv };
	size_t done = 0;
	struct pmg_arg arg;
	int r = 0;

	while (r == 0 && !(stop_after > 0 && n->operands.n >= stop_after) &&
	       pmg_args_next(&args, &arg)) {
		keep(n, done, arg.first); /* the program, "--" */
		if (arg.kind == PMG_ARG_OPERAND) {
			pmg_strv_add(&n->operands, arg.value);
			keep(n, arg.first, arg.first + arg.n);
		} else {
			r = do_option(n, &args, &arg, err);
		}
		done = arg.first + arg.n;
	}
	if (r == 0)
		pmg_strv_extend(&n->facts->argv, n->place->argv + done);
	pmg_settings_reverse(&n->settings); /* of an option given twice the last counts */
	return r;
}

char *pmg_npmlike_start(const struct pmg_npmlike *n)
{
	pmg_autofree char *path = NULL;

	if (!n->prefix)
		return pmg_xstrdup(n->place->cwd);
	path = pmg_path_join(n->place->cwd, n->prefix);
	return pmg_path_clean(path);
}

/* A path as npm reads one: "~/" is the home, the rest is seen from the working folder. */
static char *path_of(const struct pmg_place *place, const char *value)
{
	bool home = value[0] == '~' && value[1] == '/';
	pmg_autofree char *path =
		pmg_path_join(home ? place->home : place->cwd, home ? value + 2 : value);

	return pmg_path_clean(path);
}

static int read_npmrc(struct pmg_npmlike *n, const char *path, struct pmg_err *err)
{
	return pmg_settings_npmrc(&n->settings, path, n->place->env, err);
}

static int upward(struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	pmg_autofree char *dir = pmg_path_clean(start);
	unsigned level;
	int r = 0;

	for (level = 0; r == 0 && level < LEVELS_MAX; level++) {
		pmg_autofree char *file = pmg_path_join(dir, ".npmrc");
		char *up = pmg_path_dir(dir);

		n->settings.of_project = strcmp(dir, n->place->home) != 0;
		r = read_npmrc(n, file, err);
		n->settings.of_project = false;
		if (strcmp(up, dir) == 0) {
			free(up);
			break;
		}
		free(dir);
		dir = up;
	}
	return r;
}

/* PREFIX/etc/npmrc */
static int global_of(struct pmg_npmlike *n, const char *prefix, struct pmg_err *err)
{
	pmg_autofree char *file = pmg_path_join(prefix, "etc/npmrc");

	return read_npmrc(n, file, err);
}

static int global_of_node(struct pmg_npmlike *n, const char *node, struct pmg_err *err)
{
	pmg_autofree char *bin = pmg_path_dir(node);
	pmg_autofree char *prefix = pmg_path_dir(bin);

	return global_of(n, prefix, err);
}

/*
 * Every file or folder that a setting of that key names: the first is the strongest, but of an
 * option, or of two spellings of a variable, the last counts. Read are all.
 * @return how many, or an error
 */
static int each_named(struct pmg_npmlike *n, const char *key,
		      int (*fn)(struct pmg_npmlike *n, const char *path, struct pmg_err *err),
		      struct pmg_err *err)
{
	size_t i, known = n->settings.n; /* what is read adds more */
	int r = 0, count = 0;

	for (i = 0; r == 0 && i < known; i++) {
		const char *value = pmg_settings_use(&n->settings.v[i]);
		pmg_autofree char *path = NULL;

		if (!value || strcmp(n->settings.v[i].key, key) != 0)
			continue;
		path = path_of(n->place, value);
		n->settings.of_project = n->settings.v[i].of_project;
		r = fn(n, path, err);
		n->settings.of_project = false;
		count++;
	}
	return r < 0 ? r : count;
}

/* npm derives the prefix from the node it runs on, links and all, unless told otherwise. */
static int globals(struct pmg_npmlike *n, struct pmg_err *err)
{
	const char *env_prefix = pmg_env_get(n->place->env, "PREFIX");
	/* as npm's "#!/usr/bin/env node" finds it */
	pmg_autofree char *node = pmg_env_search(n->place->env, "node");
	pmg_autofree char *real = node ? pmg_path_real(node) : NULL;
	int r = each_named(n, "globalconfig", read_npmrc, err);

	if (r != 0)
		return r < 0 ? r : 0;
	r = each_named(n, "prefix", global_of, err);
	if (r > 0)
		r = 0;
	if (r == 0 && env_prefix && *env_prefix)
		r = global_of(n, env_prefix, err);
	if (r == 0 && node)
		r = global_of_node(n, node, err);
	if (r == 0 && real && !pmg_streq(node, real))
		r = global_of_node(n, real, err);
	return r;
}

/* The npmrc that lies in the program's own package: .../npm/bin/npm-cli.js -> .../npm/npmrc. */
static int builtin(struct pmg_npmlike *n, struct pmg_err *err)
{
	pmg_autofree char *real = pmg_path_real(n->place->program);
	pmg_autofree char *bin = real ? pmg_path_dir(real) : NULL;
	pmg_autofree char *package = bin ? pmg_path_dir(bin) : NULL;
	pmg_autofree char *file = package ? pmg_path_join(package, "npmrc") : NULL;

	return file ? read_npmrc(n, file, err) : 0;
}

int pmg_npmlike_npmrcs(struct pmg_npmlike *n, const char *start, struct pmg_err *err)
{
	pmg_autofree char *user = pmg_path_join(n->place->home, ".npmrc");
	int r;

	r = upward(n, start, err);
	if (r == 0)
		r = each_named(n, "userconfig", read_npmrc, err);
	if (r == 0)
		r = read_npmrc(n, user, err);
	if (r > 0)
		r = 0;
	if (r == 0)
		r = globals(n, err);
	if (r == 0)
		r = builtin(n, err);
	return r;
}

/* Does a file lie in the project that is worked in? A clone may lie anywhere, below ~/.config too.
 */
static bool is_in_project(const struct pmg_place *place, const char *file)
{
	static const char *const marks[] = { ".git", "package.json", "pnpm-workspace.yaml" };
	bool found = pmg_path_is_under(file, place->cwd);
	size_t i;

	for (i = 0; !found && i < PMG_ARRAY_LEN(marks); i++) {
		pmg_autofree char *top = pmg_project_up(place->cwd, marks[i]);

		/* What lies about in the home does not make all of it a project. */
		found = top && !pmg_path_is_under(place->home, top) && pmg_path_is_under(file, top);
	}
	return found;
}

/* A file of the project must not make its packages less suspicious. */
static bool is_users(const struct pmg_place *place, const struct pmg_setting *s)
{
	return !s->of_project && (s->what[0] != '/' || !is_in_project(place, s->what));
}

static bool has(const char *dir, const char *name)
{
	pmg_autofree char *file = pmg_path_join(dir, name);

	return access(file, F_OK) == 0;
}

/* Does the manager read it for sure, so that none that is weaker counts? Of a project's files it
 * reads one, that of its root. */
static bool is_settled(const struct pmg_npmlike *from, const struct pmg_setting *s)
{
	pmg_autofree char *dir = pmg_path_dir(s->what);
	pmg_autofree char *above = pmg_path_dir(dir);
	pmg_autofree char *other = NULL;

	if (from->reads && !from->reads(from, s))
		return false;
	if (is_users(from->place, s) || strcmp(dir, from->place->home) == 0)
		return true;
	other = pmg_project_up(above, "package.json");
	return (!other || pmg_path_is_under(from->place->home, other)) &&
	       (has(dir, "package.json") || has(dir, "pnpm-workspace.yaml"));
}

/* Registries that are asked for nothing but what they are for, whatever the name. */
static bool is_aside(const struct pmg_setting *s)
{
	return strcmp(s->key, "publish-registry") == 0 || strcmp(s->key, PMG_NPMLIKE_NAMED) == 0;
}

static int apply_registries(const struct pmg_npmlike *from, struct pmg_err *err)
{
	const struct pmg_settings *settings = &from->settings;
	struct pmg_facts *facts = from->facts;
	bool has_default = facts->has_default;
	size_t i, n;
	int r = 0;

	for (i = 0; r == 0 && i < settings->n; i++) {
		const struct pmg_setting *s = &settings->v[i];
		pmg_autofree char *scope = NULL;

		if (s->key[0] == '@' && pmg_str_has_suffix(s->key, ":registry")) {
			n = strlen(s->key) - strlen(":registry");
			scope = pmg_xstrndup(s->key, n);
		} else if (strcmp(s->key, "registry") != 0 && !is_aside(s) &&
			   strcmp(s->key, PMG_NPMLIKE_OTHER) != 0) {
			continue;
		}
		facts->by_user = scope && is_users(from->place, s);
		facts->has_default = has_default || is_aside(s);
		r = pmg_facts_try_registry(facts, PMG_ECO_NPM, s->value, scope, s->what, s->line,
					   err);
		facts->by_user = false;
		facts->has_default = has_default;
		if (strcmp(s->key, "registry") == 0 && is_settled(from, s))
			pmg_facts_settle(facts, s->value);
		has_default = facts->has_default;
	}
	return r;
}

/* An address that is none: npm takes these words for "no proxy named here". */
static char *proxy_value(const struct pmg_settings *settings, const char *key)
{
	const char *value = pmg_settings_value(settings, key);

	if (!value || strcmp(value, "false") == 0 || strcmp(value, "true") == 0)
		return NULL;
	return pmg_xstrdup(value);
}

/* npm: https-proxy, else the environment, else proxy; for http the same the other way round. */
static void apply_proxy(const struct pmg_settings *settings, const struct pmg_place *place,
			struct pmg_facts *facts)
{
	pmg_autofree char *http = proxy_value(settings, "proxy");

	facts->https_proxy = proxy_value(settings, "https-proxy");
	if (!http)
		http = proxy_value(settings, "http-proxy");
	facts->http_proxy = http ? pmg_xstrdup(http) : NULL;
	facts->no_proxy = proxy_value(settings, "noproxy");
	if (!facts->no_proxy)
		facts->no_proxy = proxy_value(settings, "no-proxy");
	pmg_surroundings_proxy(facts, place->env);
	if (!facts->https_proxy && http)
		facts->https_proxy = pmg_steal_ptr(&http);
	if (!facts->http_proxy && facts->https_proxy)
		facts->http_proxy = pmg_xstrdup(facts->https_proxy);
}

static void apply_ca(const struct pmg_settings *settings, const struct pmg_place *place,
		     struct pmg_facts *facts)
{
	const struct pmg_setting *cafile = pmg_settings_find(settings, "cafile");
	const char *value = pmg_settings_value(settings, "cafile");
	const char *strict = pmg_settings_value(settings, "strict-ssl");
	const struct pmg_setting *ca = pmg_settings_find(settings, "ca");
	size_t i;

	facts->has_cafile = cafile || ca;
	for (i = 0; i < settings->n; i++) /* "//host/:cafile" of pnpm */
		if (pmg_str_has_suffix(settings->v[i].key, ":cafile") ||
		    pmg_str_has_suffix(settings->v[i].key, ":ca"))
			facts->has_cafile = true;
	if (cafile && value) {
		pmg_autofree char *path = path_of(place, value);
		pmg_autofree char *what =
			cafile->line > 0 ? pmg_xasprintf("%s:%u", cafile->what, cafile->line)
					 : pmg_xstrdup(cafile->what);

		pmg_surroundings_ca_file(facts, what, path);
	}
	for (i = 0; ca && i < settings->n; i++)
		/* "ca[]" is one setting in several lines; a stronger file hides the rest. */
		if (strcmp(settings->v[i].key, "ca") == 0 &&
		    strcmp(settings->v[i].what, ca->what) == 0 &&
		    strcmp(settings->v[i].value, "null") != 0)
			pmg_surroundings_ca_text(facts, ca->what, settings->v[i].value,
						 place->cache_dir);
	if (strict && strcmp(strict, "false") == 0)
		pmg_facts_note(facts,
			       "strict-ssl=false in %s: pmg verifies registries all the same",
			       pmg_settings_find(settings, "strict-ssl")->what);
	pmg_surroundings_ca(facts, place);
}

/* A certificate of the client's own cannot go through pmg: its key stays with the tool. */
static void note_client_certs(const struct pmg_settings *settings, struct pmg_facts *facts)
{
	static const char *const ends[] = { ":certfile", ":keyfile", ":cert", ":key" };
	size_t i, k;

	for (i = 0; i < settings->n; i++)
		for (k = 0; k < PMG_ARRAY_LEN(ends); k++)
			if (pmg_str_has_prefix(settings->v[i].key, "//") &&
			    pmg_str_has_suffix(settings->v[i].key, ends[k]))
				pmg_facts_warn(facts,
					       "%s:%u: pmg cannot show a client certificate to a "
					       "registry",
					       settings->v[i].what, settings->v[i].line);
}

int pmg_npmlike_apply(struct pmg_npmlike *n, struct pmg_err *err)
{
	apply_proxy(&n->settings, n->place, n->facts);
	apply_ca(&n->settings, n->place, n->facts);
	note_client_certs(&n->settings, n->facts);
	return apply_registries(n, err);
}
