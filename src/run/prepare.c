#include "run/prepare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/places.h"
#include "policy/build.h"
#include "run/cooldown.h"
#include "run/lasting.h"

void pmg_prepared_done(struct pmg_prepared *prepared)
{
	pmg_found_done(&prepared->found);
	pmg_dirs_done(&prepared->dirs);
	pmg_bounds_done(&prepared->bounds);
	pmg_facts_done(&prepared->facts);
	pmg_policy_free(prepared->policy);
	free(prepared->cwd);
	free(prepared->repository);
	pmg_settled_done(&prepared->settled);
	pmg_cached_done(&prepared->cached);
	pmg_strv_done(&prepared->folders);
	pmg_strv_done(&prepared->files);
	*prepared = (struct pmg_prepared){ 0 };
}

static const char *manager_of(const struct pmg_prepared *prepared)
{
	return prepared->pm ? prepared->pm->name : "exec";
}

int pmg_prepare_program(const struct pmg_run_want *want, struct pmg_prepared *out,
			struct pmg_err *err)
{
	pmg_autofree char *cwd = getcwd(NULL, 0);
	int r;

	out->pm = want->command ? NULL : pmg_pm_find(want->tool);
	if (!out->pm && !want->command)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "%s: no package manager has it",
				   want->tool);
	if (!cwd || cwd[0] != '/') /* "(unreachable)/...", getcwd(3) */
		return pmg_err_set(err, PMG_E_SYS, cwd ? ENOENT : errno, "current folder");
	out->cwd = pmg_steal_ptr(&cwd);
	r = pmg_find_program(want->tool, want->env, out->cwd, &out->found, err);
	if (r == 0)
		out->verb = out->pm ? pmg_pm_classify(out->pm, out->found.program, want->argv)
				    : PMG_VERB_RUN;
	return r;
}

static int load_config(const struct pmg_run_want *want, struct pmg_prepared *out,
		       struct pmg_config *config, struct pmg_err *err)
{
	const struct pmg_config_policy *policy;
	pmg_autofree char *path = NULL;
	pmg_autofree char *home = NULL;
	int r = pmg_dirs_find(want->env, &out->dirs, err);

	if (r < 0)
		return r;
	path = pmg_path_join(out->dirs.config, "config.yml");
	home = pmg_path_real(out->dirs.home);
	r = pmg_config_load(path, config, err);
	if (r == 0)
		r = pmg_bounds_load(PMG_MANAGED_PATH, out->cwd, home ? home : out->dirs.home,
				    config, &out->bounds, err);
	if (r < 0)
		return r;
	policy = pmg_config_policy(&config->sandbox, manager_of(out));
	out->walls = !want->no_sandbox && config->sandbox.enabled && (!policy || policy->enabled);
	return 0;
}

int pmg_prepare_config(const struct pmg_run_want *want, struct pmg_prepared *out,
		       struct pmg_config *config, struct pmg_err *err)
{
	int r = load_config(want, out, config, err);

	if (r == 0)
		r = pmg_bounds_check(&out->bounds, want, manager_of(out), err);
	return r < 0 ? r
		     : pmg_cooldown_apply(want, &out->bounds.managed, pmg_clock_now(),
					  &config->packages, &out->bounds.notes, err);
}

/* Registries of config.yml join those the manager knows by itself. */
static int add_configured(struct pmg_prepared *out, const struct pmg_config *config,
			  struct pmg_err *err)
{
	struct pmg_facts *facts = &out->facts;
	size_t i;

	for (i = 0; i < config->n_registries; i++) {
		const struct pmg_config_registry *from = &config->registries[i];
		pmg_autofree char *text = pmg_url_text(&from->url);
		struct pmg_registry registry = { 0 };
		int r = pmg_eco_parse(from->ecosystem, &registry.eco, err);

		if (r == 0 && registry.eco != out->pm->eco)
			continue;
		if (r == 0)
			r = pmg_url_parse(text, &registry.base, err);
		if (r < 0)
			return r;
		registry.scope = from->scope ? pmg_xstrdup(from->scope) : NULL;
		registry.is_private = from->is_private || from->scope;
		registry.origin.what = pmg_xstrdup(from->file ? from->file : config->path);
		registry.origin.line = from->line;
		facts->registries = pmg_grow(facts->registries, facts->n_registries,
					     &facts->cap_registries, sizeof *facts->registries);
		facts->registries[facts->n_registries++] = registry;
	}
	return 0;
}

static void plan_registry(struct pmg_plan *plan, const struct pmg_registry *registry)
{
	pmg_autofree char *base = pmg_url_text(&registry->base);
	pmg_autofree char *target = pmg_xasprintf("%s%s%s", base, registry->scope ? " for " : "",
						  registry->scope ? registry->scope : "");
	pmg_autofree char *source =
		registry->origin.line
			? pmg_xasprintf("%s:%u", registry->origin.what, registry->origin.line)
			: pmg_xstrdup(registry->origin.what);

	pmg_plan_add(plan, "fetch", target, "registry", source, PMG_ENFORCED_PROXY);
}

/* A lockfile names thousands of artifacts on a few hosts: the hosts are what the plan says. */
static void plan_source(struct pmg_plan *plan, const struct pmg_source *source)
{
	pmg_autofree char *authority = pmg_url_authority(&source->url);
	pmg_autofree char *target = pmg_xasprintf("%s://%s", source->url.scheme, authority);

	pmg_plan_add(plan, "artifact", target, "manifest",
		     "addresses in command line, manifest or lockfile", PMG_ENFORCED_PROXY);
}

struct pmg_plan *pmg_prepare_plan(const struct pmg_run_want *want,
				  const struct pmg_prepared *prepared,
				  const struct pmg_config *config)
{
	const struct pmg_facts *facts = &prepared->facts;
	struct pmg_plan *plan = pmg_plan_new();
	size_t i;

	plan->tool = pmg_xstrdup(want->tool);
	plan->manager = pmg_xstrdup(manager_of(prepared));
	plan->program = pmg_xstrdup(prepared->found.program);
	plan->cwd = pmg_xstrdup(prepared->cwd);
	plan->profile = pmg_xstrdup(prepared->policy ? prepared->policy->profile : "none");
	for (i = 0; i < facts->n_registries; i++)
		plan_registry(plan, &facts->registries[i]);
	for (i = 0; i < facts->n_sources; i++)
		plan_source(plan, &facts->sources[i]);
	if (prepared->policy)
		pmg_plan_policy(plan, prepared->policy);
	else
		pmg_plan_add(plan, "tunnel", "*", "flag", "no sandbox", PMG_ENFORCED_PROXY);
	pmg_bounds_plan(&prepared->bounds, plan);
	pmg_cooldown_plan(&config->packages, plan);
	pmg_plan_seal(plan);
	return plan;
}

static bool has_loopback(const struct pmg_facts *facts)
{
	size_t i;

	for (i = 0; i < facts->n_registries; i++)
		if (pmg_host_is_loopback(facts->registries[i].base.host))
			return true;
	for (i = 0; i < facts->n_sources; i++)
		if (pmg_host_is_loopback(facts->sources[i].url.host))
			return true;
	return false;
}

const char *pmg_prepared_tmp(const struct pmg_prepared *prepared)
{
	return prepared->tmp_shared ? PMG_PREPARE_TMP "/" PMG_PREPARE_TMP_BELOW : PMG_PREPARE_TMP;
}

/* What the policy's variables stand for; borrows, but for the lists. */
static void fill_facts(const struct pmg_run_want *want, const struct pmg_prepared *out,
		       const struct pmg_config_sandbox *sandbox, const struct pmg_place *place,
		       const char *run_dir, struct pmg_places *places,
		       struct pmg_policy_facts *facts)
{
	*facts = (struct pmg_policy_facts){
		.manager = manager_of(out),
		.tool = want->command ? "exec" : want->tool,
		.cwd = out->cwd,
		.project = places->project,
		.runs_code = places->runs_code,
		.home = place->home,
		.tmp = pmg_prepared_tmp(out),
		.repository = places->repository,
		.outputs = places->outputs,
		.operands = places->operands,
		.source_dirs = places->source_dirs,
		.dists = places->dists,
		.git_secret = places->git_secret,
		.config_dir = out->dirs.config,
		.templates = sandbox->templates,
		.n_templates = sandbox->n_templates,
		.state_dir = out->dirs.state,
		.cache_dir = out->dirs.cache,
		.run_dir = run_dir,
		.caches = places->caches,
		.stores = places->stores,
		.prefixes = places->prefixes,
		.programs = places->programs,
		.configs = places->configs,
		.plain_configs = places->plain_configs,
		.modules = places->modules,
		.parts = places->parts,
		.git_configs = places->git_configs,
		.git_dirs = places->git_dirs,
		.hooks = places->hooks,
	};
}

static void keep_folders(const struct pmg_strv *from, struct pmg_strv *to)
{
	if (from->n > 0)
		pmg_strv_extend(to, from->v);
}

/* The link stays, but another day nobody types its target. */
static void note_links(const struct pmg_places *places, struct pmg_policy *policy)
{
	size_t i;

	for (i = 0; places->links_dirs && i < places->source_dirs.n; i++) {
		const char *dir = places->source_dirs.v[i];
		pmg_autofree char *read = pmg_xasprintf("read=%s/", dir);
		pmg_autofree char *exec = pmg_xasprintf("exec=%s/", dir);
		pmg_autofree char *read_word = pmg_str_shell(read);
		pmg_autofree char *exec_word = pmg_str_shell(exec);

		pmg_strv_addf(&policy->notes,
			      "%s is open for this run; \"pmg sandbox allow %s %s\" opens it for "
			      "later ones",
			      dir, read_word, exec_word);
	}
}

/* Else all of a project, or of whatever else is opened in /tmp, could be written. */
static int build_policy(const struct pmg_policy_want *want, struct pmg_policy_facts *facts,
			struct pmg_prepared *out, struct pmg_err *err)
{
	int r = pmg_policy_build(want, &out->policy, err);

	if (r < 0 || out->tmp_shared || !pmg_lasting_shares_tmp(out->policy))
		return r;
	pmg_policy_free(out->policy);
	out->policy = NULL;
	out->tmp_shared = true;
	facts->tmp = pmg_prepared_tmp(out);
	return pmg_policy_build(want, &out->policy, err);
}

/* What lies where, for what is to be judged though nobody fetches it. */
static void know_places(const struct pmg_run_want *want, const struct pmg_places *places,
			struct pmg_prepared *out)
{
	pmg_settled_find(out->pm, out->cwd, places, want->argv, &out->settled);
	pmg_cached_find(out->pm, places, &out->cached);
	out->any_system = places->any_system;
}

static int make_policy(const struct pmg_run_want *want, const struct pmg_config *config,
		       const struct pmg_place *place, const char *run_dir, struct pmg_prepared *out,
		       struct pmg_err *err)
{
	pmg_auto(places) struct pmg_places places = { 0 };
	const struct pmg_config_policy *said = pmg_config_policy(&config->sandbox, manager_of(out));
	struct pmg_policy_facts facts; /* borrows from places */
	struct pmg_policy_want policy = {
		.facts = &facts,
		.profile = want->profile ? want->profile
			   : said        ? said->profile
					 : NULL,
		.allows = want->allows,
		.no_overlay = want->no_overlay,
		.no_proxy = want->no_proxy,
		.project = &out->bounds.project,
		.managed = &out->bounds.managed,
		.pinned = !want->profile && said && said->pinned,
	};
	int r = pmg_places_find(out->pm, place, &places, err);

	if (r == 0)
		r = pmg_lasting_check(&places, out->cwd, place->home, err);
	if (r < 0)
		return r;
	out->repository = pmg_xstrdup(places.repository ? places.repository : out->cwd);
	/* npm reads what cafile names before it asks its environment. */
	keep_folders(&out->facts.ca_files, &places.configs);
	keep_folders(&places.caches, &out->folders);
	keep_folders(&places.stores, &out->folders);
	keep_folders(&places.made, &out->folders);
	keep_folders(&places.made_files, &out->files);
	out->tmp_shared = pmg_lasting_is_in_tmp(places.project) ||
			  pmg_lasting_is_in_tmp(out->cwd) || pmg_lasting_is_in_tmp(place->home);
	fill_facts(want, out, &config->sandbox, place, run_dir, &places, &facts);
	r = build_policy(&policy, &facts, out, err);
	if (r < 0)
		return r;
	pmg_policy_program_folders(out->policy, &out->folders);
	pmg_policy_write_folders(out->policy, &out->folders);
	note_links(&places, out->policy);
	if (out->pm)
		know_places(want, &places, out);
	return 0;
}

int pmg_prepare_check(const struct pmg_run_want *want, const struct pmg_prepared *out,
		      struct pmg_err *err)
{
	const char *const tops[] = { out->policy->project, out->repository };
	bool is_path = want->profile && pmg_library_is_path(want->profile);
	pmg_autofree char *path = is_path ? pmg_path_real(want->profile) : NULL;
	size_t i;

	for (i = 0; path && i < PMG_ARRAY_LEN(tops); i++) {
		if (!pmg_path_is_under(path, tops[i]) ||
		    pmg_path_is_under(out->dirs.config, tops[i]))
			continue;
		(void)pmg_err_set(err, PMG_E_CONFIG, 0, "profile %s lies in the project", path);
		return pmg_err_hint(err, "keep it elsewhere, or name it in "
					 "sandbox.policy_templates of config.yml");
	}
	return 0;
}

/* Without walls nothing else asks where things are. */
static int find_settled(const struct pmg_run_want *want, const struct pmg_place *place,
			struct pmg_prepared *out, struct pmg_err *err)
{
	pmg_auto(places) struct pmg_places places = { 0 };
	int r = pmg_places_find(out->pm, place, &places, err);

	if (r == 0)
		know_places(want, &places, out);
	return r;
}

int pmg_prepare_facts(const struct pmg_run_want *want, const struct pmg_config *config,
		      const char *run_dir, int cancel_fd, struct pmg_prepared *out,
		      struct pmg_err *err)
{
	pmg_autofree char *home = pmg_path_real(out->dirs.home);
	struct pmg_place place = {
		.program = out->found.program,
		.cwd = out->cwd,
		.home = home ? home : out->dirs.home,
		.cache_dir = out->dirs.cache,
		.run_dir = run_dir,
		.env = want->env,
		.argv = want->argv,
		.cancel_fd = cancel_fd,
	};
	int r = 0;

	if (out->pm)
		r = out->pm->learn(&place, &out->facts, err);
	if (r == 0 && out->pm)
		r = add_configured(out, config, err);
	if (r == 0 && out->walls)
		r = make_policy(want, config, &place, run_dir, out, err);
	if (r == 0 && out->walls)
		r = pmg_prepare_check(want, out, err);
	if (r < 0)
		return r;
	if (out->pm && !out->walls)
		r = find_settled(want, &place, out, err);
	if (r < 0)
		return r;
	out->has_loopback = has_loopback(&out->facts);
	return 0;
}

void pmg_shelf_done(struct pmg_shelf *shelf)
{
	pmg_dirs_done(&shelf->dirs);
	pmg_bounds_done(&shelf->bounds);
	pmg_config_done(&shelf->config);
	*shelf = (struct pmg_shelf){ 0 };
}

int pmg_shelf_open(const struct pmg_strv *env, struct pmg_shelf *out, struct pmg_err *err)
{
	pmg_autofree char *path = NULL;
	int r = pmg_dirs_find(env, &out->dirs, err);

	if (r < 0)
		return r;
	path = pmg_path_join(out->dirs.config, "config.yml");
	r = pmg_config_load(path, &out->config, err);
	if (r == 0)
		r = pmg_bounds_load(PMG_MANAGED_PATH, NULL, NULL, &out->config, &out->bounds, err);
	if (r < 0)
		return r;
	out->library.config_dir = out->dirs.config;
	out->library.templates = out->config.sandbox.templates;
	out->library.n_templates = out->config.sandbox.n_templates;
	return 0;
}

int pmg_prepare_policy(const struct pmg_run_want *want, struct pmg_prepared *out,
		       struct pmg_err *err)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	pmg_autofree char *home = NULL;
	struct pmg_place place = { .program = "/bin/sh", .env = want->env, .argv = want->argv };
	int r = pmg_prepare_program(want, out, err);

	if (r == -PMG_E_NOTFOUND)
		r = 0;
	if (r == 0)
		r = load_config(want, out, &config, err); /* nothing is run, so nothing refused */
	if (r < 0)
		return r;
	if (out->found.program)
		place.program = out->found.program;
	home = pmg_path_real(out->dirs.home);
	place.cwd = out->cwd;
	place.home = home ? home : out->dirs.home;
	place.cache_dir = out->dirs.cache;
	return make_policy(want, &config, &place, NULL, out, err);
}

int pmg_prepare_repository(const struct pmg_strv *env, const char *path, struct pmg_prepared *out,
			   struct pmg_err *err)
{
	char sh[] = "sh", *argv[] = { sh, NULL };
	pmg_auto(places) struct pmg_places places = { 0 };
	pmg_autofree char *cwd = getcwd(NULL, 0);
	pmg_autofree char *typed = NULL;
	pmg_autofree char *real = NULL;
	struct pmg_place place = { .program = "/bin/sh", .env = env, .argv = argv };
	int r = pmg_dirs_find(env, &out->dirs, err);

	if (r < 0)
		return r;
	if (!cwd || cwd[0] != '/')
		return pmg_err_set(err, PMG_E_SYS, cwd ? ENOENT : errno, "current folder");
	typed = path ? pmg_path_join(cwd, path) : NULL;
	out->cwd = path && path[0] == '/' ? pmg_path_clean(path)
		   : path                 ? pmg_path_clean(typed)
					  : pmg_steal_ptr(&cwd);
	real = pmg_path_real(out->cwd);
	if (!real) {
		out->repository = pmg_xstrdup(out->cwd);
		return 0;
	}
	place.cwd = real;
	place.home = out->dirs.home;
	place.cache_dir = out->dirs.cache;
	r = pmg_places_find(NULL, &place, &places, err);
	if (r == 0)
		out->repository = pmg_xstrdup(places.repository ? places.repository : real);
	return r;
}
