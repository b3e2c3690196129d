#include "violation/record.h"

#include "base/clock.h"
#include "base/json.h"

static void set_time(struct json_t *obj, const char *key, int64_t when)
{
	char text[PMG_RFC3339_LEN];

	if (when == 0)
		return;
	pmg_clock_format(when, text);
	pmg_json_set_str(obj, key, text);
}

static void set_code(struct json_t *obj, int diag)
{
	char text[PMG_DIAG_LEN];

	if (diag == 0)
		return;
	pmg_diag_text(diag, text);
	pmg_json_set_str(obj, "code", text);
}

static struct json_t *package_json(const struct pmg_record_package *package)
{
	const struct pmg_wire_judged *m = &package->what;
	struct json_t *obj = pmg_json_object();

	pmg_json_set_str(obj, "ecosystem", m->eco);
	pmg_json_set_str(obj, "name", m->name);
	pmg_json_set_str(obj, "version", m->version);
	pmg_json_set_str(obj, "verdict", m->verdict);
	pmg_json_set_str(obj, "reason", m->reason);
	set_code(obj, m->diag);
	pmg_json_set_str(obj, "note", m->note);
	pmg_json_set_str(obj, "instead", m->instead);
	pmg_json_set_str(obj, "published", m->published);
	if (m->more > 0)
		pmg_json_set_count(obj, "more", m->more);
	pmg_json_set(obj, "ids", pmg_json_strv(&m->ids));
	pmg_json_set(obj, "sources", pmg_json_strv(&m->sources));
	pmg_json_set(obj, "findings", pmg_json_strv(&m->findings));
	pmg_json_set(obj, "waivers", pmg_json_strv(&m->waivers));
	pmg_json_set_str(obj, "url", m->url);
	pmg_json_set_count(obj, "count", package->count);
	return obj;
}

static struct json_t *passed_json(const struct pmg_record_passed *passed)
{
	struct json_t *obj = pmg_json_object();

	pmg_json_set_str(obj, "target", passed->what.target);
	pmg_json_set_str(obj, "why", passed->what.why);
	pmg_json_set_count(obj, "count", passed->count);
	return obj;
}

static struct json_t *trouble_json(const struct pmg_record_trouble *trouble)
{
	struct json_t *obj = pmg_json_object();

	pmg_json_set_str(obj, "target", trouble->what.target);
	pmg_json_set_str(obj, "what", trouble->what.what);
	set_code(obj, trouble->what.diag);
	pmg_json_set_count(obj, "count", trouble->count);
	return obj;
}

static struct json_t *index_json(const struct pmg_record *record)
{
	struct json_t *obj = pmg_json_object();

	pmg_json_set_bool(obj, "present", record->index_present);
	pmg_json_set_str(obj, "state", record->index_state);
	set_time(obj, "built", record->index_built);
	set_time(obj, "checked", record->index_checked);
	pmg_json_set_count(obj, "records", record->index_records);
	return obj;
}

struct json_t *pmg_record_json(const struct pmg_record *record)
{
	struct json_t *obj = pmg_json_object(), *packages = pmg_json_array();
	struct json_t *passed = pmg_json_array(), *troubles = pmg_json_array();
	struct json_t *violations = pmg_json_array();
	size_t i;

	pmg_json_set_str(obj, "run", record->id);
	set_time(obj, "started", record->started);
	set_time(obj, "ended", record->ended);
	pmg_json_set_str(obj, "tool", record->tool);
	pmg_json_set(obj, "argv", pmg_json_strv(&record->argv));
	pmg_json_set_str(obj, "cwd", record->cwd);
	pmg_json_set_int(obj, "exit", record->exit);
	pmg_json_set_str(obj, "fingerprint", record->fingerprint);
	pmg_json_set_str(obj, "profile", record->profile);
	pmg_json_set_count(obj, "lost", record->lost);
	pmg_json_set(obj, "index", index_json(record));
	for (i = 0; i < record->n_packages; i++)
		pmg_json_add(packages, package_json(&record->packages[i]));
	for (i = 0; i < record->n_passed; i++)
		pmg_json_add(passed, passed_json(&record->passed[i]));
	for (i = 0; i < record->n_troubles; i++)
		pmg_json_add(troubles, trouble_json(&record->troubles[i]));
	pmg_json_set(obj, "packages", packages);
	pmg_json_set(obj, "passed", passed);
	for (i = 0; i < record->events.n; i++)
		pmg_json_add(violations, pmg_event_encode(&record->events.v[i]));
	pmg_json_set(obj, "troubles", troubles);
	pmg_json_set(obj, "violations", violations);
	return obj;
}
