#include <stdio.h>

#include "base/json.h"
#include "cli/cmd_sandbox.h"
#include "cli/table.h"
#include "conf/managed.h"
#include "run/bounds.h"
#include "sandbox/driver.h"

#define ALL_CAPS (PMG_CAP_FS | PMG_CAP_NET | PMG_CAP_REPORT)

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

static struct json_t *item_json(const struct pmg_probe_item *item)
{
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "id", item->id);
	pmg_json_set_bool(json, "works", item->works);
	pmg_json_set_str(json, "detail", item->detail);
	return json;
}

static struct json_t *driver_json(const struct pmg_driver *driver, const struct pmg_probe *probe)
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

/* What bounds every run here stands with what holds it. @return false: no run is started */
static bool add_managed(struct pmg_probe *probe)
{
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	bool works = pmg_managed_load(PMG_MANAGED_PATH, &managed, &err) == 0;
	char *detail = works ? pmg_bounds_text(&managed) : pmg_xstrdup(err.msg);

	if (!detail)
		return true;
	probe->items = pmg_grow(probe->items, probe->n, &probe->cap, sizeof *probe->items);
	probe->items[probe->n++] = (struct pmg_probe_item){ "managed", works, detail };
	return works;
}

int pmg_cmd_sandbox_doctor(const struct pmg_call *call, struct pmg_err *err)
{
	const struct doctor_opts *opts = call->opts;
	const struct pmg_driver *const *driver;
	pmg_auto(json) struct json_t *all = pmg_json_array();
	bool usable = false, runs = true;

	for (driver = pmg_driver_all(); *driver; driver++) {
		pmg_auto(probe) struct pmg_probe probe = { 0 };
		int r = (*driver)->probe(&probe, err);

		if (r < 0)
			return r;
		runs = add_managed(&probe);
		usable = usable || (probe.caps & ALL_CAPS) == ALL_CAPS;
		if (opts->json)
			pmg_json_add(all, driver_json(*driver, &probe));
		else
			print_driver(*driver, &probe, call->out->to);
	}
	if (opts->json)
		pmg_out_json(call->out, all);
	return usable && runs ? 0 : 1;
}
