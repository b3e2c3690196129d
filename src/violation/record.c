#include "violation/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/str.h"

/* Twice the most packages there can be: probing stays short. A power of two. */
#define SLOTS_MAX 131072U

_Static_assert(SLOTS_MAX / 2 >
		       PMG_RECORD_ALLOWED_MAX + PMG_RECORD_BLOCKED_MAX + PMG_RECORD_WITHHELD_MAX,
	       "room to probe");

void pmg_record_done(struct pmg_record *record)
{
	size_t i;

	for (i = 0; i < record->n_packages; i++)
		pmg_wire_judged_done(&record->packages[i].what);
	for (i = 0; i < record->n_passed; i++)
		pmg_wire_passed_done(&record->passed[i].what);
	for (i = 0; i < record->n_troubles; i++)
		pmg_wire_trouble_done(&record->troubles[i].what);
	free(record->packages);
	free(record->passed);
	free(record->troubles);
	free(record->slots);
	free(record->tool);
	free(record->cwd);
	free(record->fingerprint);
	free(record->profile);
	free(record->index_state);
	pmg_events_done(&record->events);
	pmg_strv_done(&record->argv);
	pmg_strv_done(&record->reach);
	*record = (struct pmg_record){ 0 };
}

int pmg_run_id(int64_t when, char out[PMG_RUN_ID], struct pmg_err *err)
{
	char date[PMG_RFC3339_LEN];
	uint16_t tail;
	int r = pmg_io_random(&tail, sizeof tail, err);

	if (r < 0)
		return r;
	pmg_clock_format(when, date);
	(void)snprintf(out, PMG_RUN_ID, "r-%.4s%.2s%.2s-%04x", date, date + 5, date + 8, tail);
	return 0;
}

bool pmg_judged_is_allowed(const struct pmg_wire_judged *judged)
{
	return strcmp(judged->verdict, "allow") == 0;
}

bool pmg_judged_is_withheld(const struct pmg_wire_judged *judged)
{
	return strcmp(judged->verdict, "withheld") == 0;
}

bool pmg_judged_is_refused(const struct pmg_wire_judged *judged)
{
	return !pmg_judged_is_allowed(judged) && !pmg_judged_is_withheld(judged);
}

bool pmg_record_is_empty(const struct pmg_record *record)
{
	return !record->no_walls && record->n_packages == 0 && record->n_passed == 0 &&
	       record->n_troubles == 0 && record->events.n == 0 && record->lost == 0;
}

/* Over the fields, with their ends. Flooding it costs the flooder's own run time only:
 * the table is bounded. */
static uint32_t hash(const struct pmg_wire_judged *m)
{
	const char *const fields[] = { m->eco, m->name, m->version, m->verdict };
	uint32_t h = PMG_FNV1A_INIT;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(fields); i++)
		h = pmg_fnv1a(h, fields[i], strlen(fields[i]) + 1);
	return h;
}

static bool same(const struct pmg_wire_judged *a, const struct pmg_wire_judged *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->version, b->version) == 0 &&
	       strcmp(a->verdict, b->verdict) == 0 && strcmp(a->eco, b->eco) == 0;
}

/* The slot that holds m, or the free one where it would go. */
static uint32_t *slot_of(const struct pmg_record *record, const struct pmg_wire_judged *m)
{
	uint32_t i = hash(m) & (SLOTS_MAX - 1);

	while (record->slots[i] && !same(&record->packages[record->slots[i] - 1].what, m))
		i = (i + 1) & (SLOTS_MAX - 1);
	return &record->slots[i];
}

bool pmg_record_has(const struct pmg_record *record, const char *eco, const char *name,
		    const char *version)
{
	static const char *const verdicts[] = { "allow", "block" };
	size_t i;

	for (i = 0; record->slots && i < PMG_ARRAY_LEN(verdicts); i++) {
		pmg_auto(wire_judged) struct pmg_wire_judged m = {
			.eco = pmg_xstrdup(eco),
			.name = pmg_xstrdup(name),
			.version = pmg_xstrdup(version),
			.verdict = pmg_xstrdup(verdicts[i]),
		};

		if (*slot_of(record, &m))
			return true;
	}
	return false;
}

static bool has_room(const struct pmg_record *record, const struct pmg_wire_judged *m)
{
	if (pmg_judged_is_allowed(m))
		return record->n_packages - record->n_blocked - record->n_withheld <
		       PMG_RECORD_ALLOWED_MAX;
	if (pmg_judged_is_withheld(m))
		return record->n_withheld < PMG_RECORD_WITHHELD_MAX;
	return record->n_blocked < PMG_RECORD_BLOCKED_MAX;
}

/* What was found in another file of that version. */
static void add_findings(struct pmg_wire_judged *to, const struct pmg_wire_judged *from)
{
	size_t i;

	for (i = 0; i < from->findings.n && to->findings.n < PMG_WIRE_LIST_MAX; i++)
		(void)pmg_strv_add_once(&to->findings, from->findings.v[i]);
}

/* The keep functions move what is new into the record; else the texts stay with the caller. */
static bool keep_judged(struct pmg_record *record, struct pmg_wire_judged *m)
{
	bool withheld = pmg_judged_is_withheld(m), refused = pmg_judged_is_refused(m);
	uint32_t *slot;

	if (!record->slots)
		record->slots = pmg_xcalloc(SLOTS_MAX, sizeof *record->slots);
	slot = slot_of(record, m);
	if (*slot) {
		record->packages[*slot - 1].count++;
		add_findings(&record->packages[*slot - 1].what, m);
		return false;
	}
	if (!has_room(record, m)) {
		record->lost++;
		return false;
	}
	record->packages = pmg_grow(record->packages, record->n_packages, &record->cap_packages,
				    sizeof *record->packages);
	record->packages[record->n_packages++] = (struct pmg_record_package){ *m, 1 };
	*m = (struct pmg_wire_judged){ 0 };
	*slot = (uint32_t)record->n_packages;
	record->n_blocked += refused;
	record->n_withheld += withheld;
	return true;
}

static bool keep_passed(struct pmg_record *record, struct pmg_wire_passed *m)
{
	struct pmg_record_passed *old;
	size_t i;

	for (i = 0; i < record->n_passed; i++) {
		old = &record->passed[i];
		if (strcmp(old->what.target, m->target) == 0 &&
		    strcmp(old->what.why, m->why) == 0) {
			old->count++;
			return false;
		}
	}
	if (record->n_passed == PMG_RECORD_OTHERS_MAX) {
		record->lost++;
		return false;
	}
	record->passed = pmg_grow(record->passed, record->n_passed, &record->cap_passed,
				  sizeof *record->passed);
	record->passed[record->n_passed++] = (struct pmg_record_passed){ *m, 1 };
	*m = (struct pmg_wire_passed){ 0 };
	return true;
}

static bool keep_trouble(struct pmg_record *record, struct pmg_wire_trouble *m)
{
	struct pmg_record_trouble *old;
	size_t i;

	for (i = 0; i < record->n_troubles; i++) {
		old = &record->troubles[i];
		if (strcmp(old->what.target, m->target) == 0 &&
		    strcmp(old->what.what, m->what) == 0) {
			old->count++;
			return false;
		}
	}
	if (record->n_troubles == PMG_RECORD_OTHERS_MAX) {
		record->lost++;
		return false;
	}
	record->troubles = pmg_grow(record->troubles, record->n_troubles, &record->cap_troubles,
				    sizeof *record->troubles);
	record->troubles[record->n_troubles++] = (struct pmg_record_trouble){ *m, 1 };
	*m = (struct pmg_wire_trouble){ 0 };
	return true;
}

bool pmg_record_judged(struct pmg_record *record, struct pmg_wire_judged *taken)
{
	bool is_new = keep_judged(record, taken);

	pmg_wire_judged_done(taken);
	return is_new;
}

bool pmg_record_passed(struct pmg_record *record, struct pmg_wire_passed *taken)
{
	bool is_new = keep_passed(record, taken);

	pmg_wire_passed_done(taken);
	return is_new;
}

bool pmg_record_trouble(struct pmg_record *record, struct pmg_wire_trouble *taken)
{
	bool is_new = keep_trouble(record, taken);

	pmg_wire_trouble_done(taken);
	return is_new;
}

bool pmg_record_denied(struct pmg_record *record, struct pmg_event *taken)
{
	return pmg_events_add(&record->events, taken) != NULL;
}

int pmg_record_denied_read(struct pmg_record *record, const struct json_t *body,
			   struct pmg_err *err)
{
	pmg_auto(event) struct pmg_event event = { 0 };
	int r = pmg_event_decode(body, &event, err);

	if (r == 0)
		(void)pmg_record_denied(record, &event);
	return r;
}

bool pmg_record_has_refusals(const struct pmg_record *record)
{
	size_t i;

	for (i = 0; i < record->events.n; i++)
		if (record->events.v[i].op != PMG_EVENT_ENV)
			return true;
	return record->n_blocked > 0;
}

bool pmg_record_has_sensitive(const struct pmg_record *record)
{
	return record->events.n_sensitive > 0;
}
