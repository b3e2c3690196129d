#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "cli/summary.h"
#include "violation/explain.h"

static void way_out(const struct pmg_out *out, const struct pmg_event *event)
{
	pmg_autofree char *command = pmg_explain_command(event);
	char code[PMG_DIAG_LEN];

	pmg_diag_text(event->code, code);
	/* A command that is cut allows something else. */
	if (command && strlen(command) <= PMG_OUT_TEXT_MAX)
		pmg_out_note(out, "  \"%s\" allows it; why: \"pmg sandbox explain %s\"", command,
			     code);
	else if (event->sensitive)
		pmg_out_note(out, "  do not allow it; why: \"pmg sandbox explain %s\"", code);
	else
		pmg_out_note(out, "  why: \"pmg sandbox explain %s\"", code);
}

static void say(const struct pmg_out *out, const struct pmg_event *event)
{
	pmg_autofree char *line = pmg_explain_line(event);
	pmg_autofree char *safe = pmg_out_quote(line);
	pmg_autofree char *code = pmg_out_code(out, event->code);

	pmg_out_note(out, "%s%s", code, safe);
	way_out(out, event);
}

/* Of the sensitive ones, or of the others, the first `most`. */
static void say_some(const struct pmg_out *out, const struct pmg_events *events, bool sensitive,
		     size_t most)
{
	size_t i, n = 0;

	for (i = 0; i < events->n && n < most; i++) {
		const struct pmg_event *event = &events->v[i];

		if (event->sensitive != sensitive || pmg_explain_is_notice(event))
			continue;
		say(out, event);
		n++;
	}
}

/* Never left to -v, -q or the tool's status: what is missing here may be what mattered. */
static void say_incomplete(const struct pmg_out *out, const struct pmg_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		if (events->v[i].code != PMG_DIAG_INCOMPLETE)
			continue;
		say(out, &events->v[i]);
		return;
	}
}

/* "[PMG2003] variables left out: A, B": what a script may miss, or (2008) by what it could have
 * reached other programs. */
static void say_left_out(const struct pmg_out *out, const struct pmg_events *events, int diag)
{
	pmg_auto(str) struct pmg_str names = PMG_STR_INIT(PMG_OUT_TEXT_MAX);
	pmg_autofree char *code = pmg_out_code(out, diag);
	size_t i;

	for (i = 0; i < events->n; i++) {
		const struct pmg_event *event = &events->v[i];

		if (event->op != PMG_EVENT_ENV || event->code != diag)
			continue;
		if (pmg_str_addf(&names, "%s%s", names.len ? ", " : "", event->target) < 0)
			break; /* enough of them */
	}
	if (!names.len)
		return;
	pmg_out_note(out, "%svariables left out: %s", code, names.s);
	if (diag == 2003)
		pmg_out_note(out, "  \"pmg sandbox allow env=NAME\" lets one through");
}

static size_t count_denied(const struct pmg_events *events)
{
	size_t i, n = 0;

	for (i = 0; i < events->n; i++)
		n += !pmg_explain_is_notice(&events->v[i]);
	return n;
}

void pmg_summary_denied(const struct pmg_out *out, const struct pmg_record *record,
			const struct pmg_summary_how *how)
{
	const struct pmg_events *events = &record->events;
	size_t n = count_denied(events);

	say_some(out, events, true, PMG_SUMMARY_SENSITIVE);
	say_incomplete(out, events);
	if (how->failed || how->details) {
		say_some(out, events, false,
			 how->details ? PMG_SUMMARY_SENSITIVE : PMG_SUMMARY_TROUBLES);
	}
	if (how->details || (how->notes && (how->failed || how->command)))
		say_left_out(out, events, 2003);
	if (how->details)
		say_left_out(out, events, 2008);
	if (n > 0 && (how->failed || how->notes || events->n_sensitive > 0))
		pmg_out_note(out, "%zu denied: \"pmg violations list --run %s\" shows %s", n,
			     record->id, n == 1 ? "it" : "them");
}
