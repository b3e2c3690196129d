#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/str.h"
#include "cli/cmd_sandbox.h"
#include "cli/front.h"
#include "cli/subject.h"
#include "cli/table.h"
#include "conf/managed.h"
#include "pm/pm.h"
#include "run/bounds.h"
#include "run/links.h"
#include "run/question.h"
#include "run/self.h"
#include "sandbox/driver.h"

#define STATUS_MAX 1048576U
#define STATUS_MS  60000U
#define OLD_MAX    4096U
#define ALL_CAPS   (PMG_CAP_FS | PMG_CAP_NET | PMG_CAP_REPORT)

struct doctor_opts {
	bool json;
};
_Static_assert(sizeof(struct doctor_opts) == PMG_SANDBOX_DOCTOR_SIZE, "size in the header");

const struct pmg_opt pmg_sandbox_doctor_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct doctor_opts, json), 0, NULL, "print JSON" },
	{ 0 },
};

static const struct {
	unsigned cap;
	const char *name;
} caps[] = {
	{ PMG_CAP_FS, "files" },
	{ PMG_CAP_NET, "network" },
	{ PMG_CAP_REPORT, "report" },
};

/* What is told of this folder and of the programs on PATH, beside the walls. */
struct around {
	struct pmg_strv env;
	char *project;
	char *config; /* what is wrong with configuration; NULL: nothing */
	struct pmg_links links;
};
static void around_done(struct around *around)
{
	pmg_strv_done(&around->env);
	free(around->project);
	free(around->config);
	pmg_links_done(&around->links);
}
PMG_DEFINE_AUTO_DONE(around, struct around, around_done);

static void look_around(struct around *around)
{
	pmg_auto(subject) struct pmg_subject subject = { 0 };
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	pmg_auto(dirs) struct pmg_dirs dirs = { 0 };
	pmg_autofree char *cwd = pmg_path_real(".");
	pmg_autofree char *home = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	int r;

	pmg_front_environment(&around->env);
	pmg_front_environment(&subject.env);
	if (!cwd || pmg_dirs_find(&around->env, &dirs, &scratch) < 0)
		return;
	home = pmg_path_real(dirs.home);
	pmg_subject_tool(pmg_question_tool(cwd, home ? home : dirs.home), &subject);
	r = pmg_prepare_policy(&subject.want, &prepared, &scratch);
	if (r == -PMG_E_CONFIG)
		around->config = pmg_xstrdup(scratch.msg);
	/* Another policy that cannot be made is not for the doctor to tell. */
	around->project = r == 0 ? pmg_xstrdup(prepared.policy->project) : pmg_steal_ptr(&cwd);
	pmg_links_escaping(around->project, home ? home : dirs.home, &around->links);
}

static char *links_text(const struct around *around)
{
	const struct pmg_links *links = &around->links;

	return pmg_xasprintf("%zu %s out of %s%s", links->found,
			     links->found == 1 ? "link leads" : "links lead", around->project,
			     links->has_more ? ", of the files that were looked at" : "");
}

static struct json_t *links_json(const struct around *around)
{
	struct json_t *json = pmg_json_object(), *pairs = pmg_json_array();
	pmg_autofree char *detail = links_text(around);
	size_t i;

	for (i = 0; i < around->links.n; i++) {
		const struct pmg_link_pair *link = &around->links.v[i];
		struct json_t *pair = pmg_json_object();

		pmg_json_set_str(pair, "kind", link->is_hard ? "hard" : "symlink");
		pmg_json_set_str(pair, "path", link->path);
		pmg_json_set_str(pair, "target", link->target);
		pmg_json_add(pairs, pair);
	}
	pmg_json_set_str(json, "id", "links.escape");
	pmg_json_set_bool(json, "works", true); /* the walls judge what they lead to */
	pmg_json_set_str(json, "detail", detail);
	pmg_json_set_count(json, "found", around->links.found);
	pmg_json_set(json, "pairs", pairs);
	return json;
}

static void add_tool(const struct around *around, const char *name, struct json_t *list,
		     struct pmg_table *table)
{
	pmg_autofree char *path = pmg_env_search(&around->env, name);
	pmg_autofree char *real = path ? pmg_path_real(path) : NULL;
	struct json_t *json;

	if (!path)
		return;
	json = pmg_json_object();
	pmg_json_set_str(json, "name", name);
	pmg_json_set_str(json, "path", path);
	pmg_json_set_str(json, "real", real);
	pmg_json_add(list, json);
	pmg_table_add(table, (const char *[]){ name, path, real });
}

/* Where a name on PATH really leads is what rules are about. */
static void each_tool(const struct around *around, struct json_t *list, struct pmg_table *table)
{
	static const char *const others[] = { "node", "python3", "git" };
	const struct pmg_pm *const *pm;
	const char *const *tool;
	size_t i;

	for (pm = pmg_pm_all(); *pm; pm++)
		for (tool = (*pm)->tools; *tool; tool++)
			add_tool(around, *tool, list, table);
	for (i = 0; i < PMG_ARRAY_LEN(others); i++)
		add_tool(around, others[i], list, table);
}

static struct json_t *tools_json(const struct around *around)
{
	static const char *const heads[] = { "TOOL", "PATH", "REALLY", NULL };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	struct json_t *json = pmg_json_object(), *list = pmg_json_array();

	each_tool(around, list, table);
	pmg_json_set_str(json, "id", "tools");
	pmg_json_set_bool(json, "works", true);
	pmg_json_set(json, "tools", list);
	return json;
}

static void print_around(const struct around *around, FILE *to)
{
	static const char *const heads[] = { "TOOL", "PATH", "REALLY", NULL };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	pmg_auto(json) struct json_t *list = pmg_json_array();
	pmg_autofree char *text = links_text(around);
	pmg_autofree char *safe = pmg_out_quote(text);
	size_t i;

	each_tool(around, list, table);
	pmg_table_print(table, to);
	(void)fprintf(to, "%s%s\n", safe, around->links.n > 0 ? ":" : "");
	for (i = 0; i < around->links.n; i++) {
		const struct pmg_link_pair *link = &around->links.v[i];
		pmg_autofree char *path = pmg_out_quote(link->path);
		pmg_autofree char *target = pmg_out_quote(link->target);

		(void)fprintf(to, "  %s %s %s\n", path, link->is_hard ? "=" : "->",
			      link->target ? target : "a file elsewhere");
	}
}

static struct json_t *item_json(const struct pmg_probe_item *item)
{
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "id", item->id);
	pmg_json_set_bool(json, "works", item->works);
	pmg_json_set_str(json, "detail", item->detail);
	return json;
}

static struct json_t *driver_json(const struct pmg_driver *driver, const struct pmg_probe *probe,
				  const struct around *around)
{
	struct json_t *json = pmg_json_object(), *items = pmg_json_array(),
		      *gives = pmg_json_array();
	size_t i;

	pmg_json_set_str(json, "driver", driver->name);
	pmg_json_set_bool(json, "usable", (probe->caps & ALL_CAPS) == ALL_CAPS);
	for (i = 0; i < PMG_ARRAY_LEN(caps); i++)
		if (probe->caps & caps[i].cap)
			pmg_json_add_str(gives, caps[i].name);
	pmg_json_set(json, "gives", gives);
	for (i = 0; i < probe->n; i++)
		pmg_json_add(items, item_json(&probe->items[i]));
	if (around->project)
		pmg_json_add(items, links_json(around));
	pmg_json_add(items, tools_json(around));
	pmg_json_set(json, "items", items);
	pmg_json_set_str(json, "missing", probe->missing);
	pmg_json_set_str(json, "hint", probe->hint);
	return json;
}

static void print_driver(const struct pmg_driver *driver, const struct pmg_probe *probe, FILE *to)
{
	static const char *const heads[] = { "WALL", "WORKS", "DETAIL", NULL };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	bool usable = (probe->caps & ALL_CAPS) == ALL_CAPS;
	size_t i;

	for (i = 0; i < probe->n; i++) {
		const struct pmg_probe_item *item = &probe->items[i];
		const char *const cells[] = { item->id, item->works ? "yes" : "no", item->detail };

		pmg_table_add(table, cells);
	}
	(void)fprintf(to, "driver %s: %s\n", driver->name, usable ? "usable" : "not usable");
	pmg_table_print(table, to);
	if (probe->missing)
		(void)fprintf(to, "%s\n", probe->missing);
	if (probe->hint)
		(void)fprintf(to, "%s\n", probe->hint);
}

/* The index is read by pmg-intel alone. @return caller frees; NULL: it could not say */
static struct json_t *ask_intel(const struct around *around)
{
	pmg_autofree char *path = NULL;
	pmg_autofree char *text = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	char *argv[] = { (char[]){ "pmg-intel" }, (char[]){ "intel" }, (char[]){ "status" },
			 (char[]){ "--json" }, NULL };
	struct pmg_proc proc = {
		.argv = argv, .envp = around->env.v, .max = STATUS_MAX, .timeout_ms = STATUS_MS
	};
	struct json_t *json = NULL;
	int status = -1;

	if (pmg_self_helper("pmg-intel", &path, &scratch) < 0)
		return NULL;
	proc.path = path;
	if (pmg_proc_capture(&proc, &text, &status, &scratch) < 0 || status != 0 ||
	    pmg_json_parse("status", text, strlen(text), &json, &scratch) < 0)
		return NULL;
	return json;
}

/* Of an index that is missing or old what a run does about it, too. */
static char *index_detail(const struct json_t *index)
{
	const char *state = pmg_json_str(index, "state");
	bool present = pmg_json_bool(index, "present");
	bool block = pmg_streq(pmg_json_str(index, "on_missing"), "block");
	int64_t age_s = pmg_json_int(index, "age_s");
	pmg_autofree char *age = pmg_clock_age(0, age_s);
	pmg_autofree char *held =
		present ? pmg_xasprintf(", %lld records, brought up to date %s ago",
					(long long)pmg_json_int(index, "records"), age)
			: pmg_xstrdup("");
	const struct json_t *warnings = pmg_json_get(index, "warnings");
	pmg_auto(strv) struct pmg_strv old = { 0 };
	pmg_autofree char *all = NULL;
	size_t i;

	for (i = 0; i < pmg_json_len(warnings); i++)
		pmg_strv_addf(&old, "; %s", pmg_json_text(pmg_json_at(warnings, i)));
	all = pmg_strv_join(&old, "", OLD_MAX);
	return pmg_xasprintf("%s%s%s%s", state, held, all,
			     pmg_streq(state, "fresh") ? ""
			     : block ? "; runs are refused until \"pmg intel update\""
				     : "; \"pmg intel update\" fetches one");
}

static void add_item(struct pmg_probe *probe, const char *name, bool works, char *detail)
{
	probe->items = pmg_grow(probe->items, probe->n, &probe->cap, sizeof *probe->items);
	probe->items[probe->n++] = (struct pmg_probe_item){ name, works, detail };
}

/* @param readable  is the configuration, which says where it is looked for? */
static void add_index(struct pmg_probe *probe, const struct json_t *answer, bool readable)
{
	const struct json_t *index = pmg_json_get(answer, "index");
	const char *state = pmg_json_str(index, "state");

	add_item(probe, "intel.index", pmg_streq(state, "fresh"),
		 state       ? index_detail(index)
		 : !readable ? pmg_xstrdup("not looked at: mend the configuration first")
			     : pmg_xstrdup("cannot be used, so no run is started; \"pmg intel "
					   "status\" says why"));
}

/* What bounds every run here stands with what holds it. @return false: no run is started */
static bool add_managed(struct pmg_probe *probe)
{
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	bool works = pmg_managed_load(PMG_MANAGED_PATH, &managed, &err) == 0;
	char *detail = works ? pmg_bounds_text(&managed) : pmg_xstrdup(err.msg);

	if (!detail)
		return true;
	add_item(probe, "managed", works, detail);
	return works;
}

int pmg_cmd_sandbox_doctor(const struct pmg_call *call, struct pmg_err *err)
{
	const struct doctor_opts *opts = call->opts;
	const struct pmg_driver *const *driver;
	pmg_auto(json) struct json_t *all = pmg_json_array();
	pmg_auto(around) struct around around = { 0 };
	pmg_auto(json) struct json_t *intel = NULL;
	bool usable = false, runs = true;

	look_around(&around);
	intel = ask_intel(&around);
	for (driver = pmg_driver_all(); *driver; driver++) {
		pmg_auto(probe) struct pmg_probe probe = { 0 };
		int r = (*driver)->probe(&probe, err);

		if (r < 0)
			return r;
		runs = add_managed(&probe);
		if (runs && around.config) {
			add_item(&probe, "config", false, pmg_xstrdup(around.config));
			runs = false;
		}
		add_index(&probe, intel, runs);
		usable = usable || (probe.caps & ALL_CAPS) == ALL_CAPS;
		if (opts->json)
			pmg_json_add(all, driver_json(*driver, &probe, &around));
		else
			print_driver(*driver, &probe, call->out->to);
	}
	if (opts->json)
		pmg_out_json(call->out, all);
	else if (around.project)
		print_around(&around, call->out->to);
	return usable && runs ? 0 : 1;
}
