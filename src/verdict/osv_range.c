/*
 * The schema evaluates events in the order of their versions: `introduced`
 * turns on, `fixed` turns off at itself, `last_affected` turns off behind
 * itself. Here that is done once, at import, and leaves intervals.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/version.h"
#include "verdict/osv_priv.h"

/* In the order in which they act at the same version: introduced and last affected at 1.0 is 1.0
   alone; fixed and introduced again at 1.0 leaves no gap. */
enum kind { FIXED, INTRODUCED, LAST };

struct event {
	enum kind kind;
	enum pmg_eco eco;
	char *at; /* canonical; "" is before all */
};

struct events {
	struct event *v;
	size_t n, cap;
};

static void events_done(struct events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		free(events->v[i].at);
	free(events->v);
}
PMG_DEFINE_AUTO_DONE(events, struct events, events_done);

static const struct {
	const char *key;
	enum kind kind;
} kinds[] = { { "introduced", INTRODUCED }, { "fixed", FIXED }, { "last_affected", LAST } };

/* PyPI's old versions have an order among themselves, but none that a feed could have meant. */
static void add_event(struct events *events, enum kind kind, enum pmg_eco eco, const char *at,
		      struct pmg_strv *notes)
{
	pmg_autofree char *canonical = NULL;

	if (kind == INTRODUCED && pmg_streq(at, "0")) {
		canonical = pmg_xstrdup("");
	} else if (pmg_version_is_valid(eco, at)) {
		canonical = pmg_version_canonical(eco, at);
	} else {
		pmg_autofree char *shown = pmg_str_quote(at, strlen(at), PMG_OSV_SHOWN_MAX);

		pmg_strv_addf(notes, "bound \"%s\" is no version: the range is taken as open there",
			      shown);
		if (kind != INTRODUCED)
			return;
		canonical = pmg_xstrdup("");
	}
	events->v = pmg_grow(events->v, events->n, &events->cap, sizeof *events->v);
	events->v[events->n++] = (struct event){ kind, eco, pmg_steal_ptr(&canonical) };
}

static int read_events(const struct json_t *list, enum pmg_eco eco, struct events *events,
		       struct pmg_strv *notes, struct pmg_err *err)
{
	size_t i, k, n = pmg_json_len(list);
	const char *at;

	if (n > PMG_OSV_VERSIONS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u events",
				   PMG_OSV_VERSIONS_MAX);
	for (i = 0; i < n; i++) {
		for (k = 0; k < PMG_ARRAY_LEN(kinds); k++) {
			at = pmg_json_str(pmg_json_at(list, i), kinds[k].key);
			if (at)
				add_event(events, kinds[k].kind, eco, at, notes);
		}
	}
	return 0;
}

static int by_version(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	int c;

	if (*x->at == '\0' || *y->at == '\0')
		c = (*x->at != '\0') - (*y->at != '\0');
	else
		c = pmg_version_compare(x->eco, x->at, y->at);
	return c ? c : (int)x->kind - (int)y->kind;
}

static void add_interval(struct pmg_osv_affected *out, const char *low, const char *high,
			 bool inclusive)
{
	out->intervals = pmg_grow(out->intervals, out->n_intervals, &out->cap_intervals,
				  sizeof *out->intervals);
	out->intervals[out->n_intervals++] =
		(struct pmg_osv_interval){ pmg_xstrdup(low), pmg_xstrdup(high), inclusive };
}

static void to_intervals(struct events *events, struct pmg_osv_affected *out)
{
	const char *low = NULL;   /* not NULL: inside */
	const char *fixed = NULL; /* where the last `fixed` stood that had nothing to end */
	const struct event *e;
	size_t i;

	if (events->n > 0)
		qsort(events->v, events->n, sizeof *events->v, by_version);
	for (i = 0; i < events->n; i++) {
		e = &events->v[i];
		if (e->kind == INTRODUCED) {
			if (!low && !pmg_streq(fixed, e->at)) /* else nothing lies between */
				low = e->at;
		} else if (!low) {
			fixed = e->kind == FIXED ? e->at : fixed;
		} else {
			add_interval(out, low, e->at, e->kind == LAST);
			low = NULL;
		}
	}
	if (low)
		add_interval(out, low, "", false);
}

int pmg_osv_read_ranges(const struct json_t *list, struct pmg_osv_affected *out,
			struct pmg_strv *notes, struct pmg_err *err)
{
	const struct json_t *range;
	size_t i, n = pmg_json_len(list);
	int r;

	if (n > PMG_OSV_VERSIONS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u ranges",
				   PMG_OSV_VERSIONS_MAX);
	for (i = 0; i < n; i++) {
		pmg_auto(events) struct events events = { 0 };

		range = pmg_json_at(list, i);
		if (pmg_streq(pmg_json_str(range, "type"), "GIT"))
			continue; /* bounds are commits */
		r = read_events(pmg_json_get(range, "events"), out->eco, &events, notes, err);
		if (r < 0)
			return r;
		to_intervals(&events, out);
	}
	return 0;
}
