#include "proxy/report.h"

#include <assert.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/url.h"
#include "proxy/link.h"
#include "violation/wire.h"

#define WAIVERS_MAX 16U
#define IDS_MAX     64U /* of one judgement, and as many feeds: keeps the message small enough */

/* A bounded set of texts. */
struct seen {
	void *root;
	size_t n, max;
};

struct pmg_report {
	struct pmg_link *link;
	struct seen judged, passed, trouble;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

enum novelty { SEEN, NEW, FULL };

static enum novelty seen_add(struct seen *seen, const char *text)
{
	char *copy;
	void *place;

	if (tfind(text, &seen->root, by_text))
		return SEEN;
	if (seen->n >= seen->max)
		return FULL;
	copy = pmg_xstrdup(text);
	place = tsearch(copy, &seen->root, by_text);
	assert(place);
	seen->n++;
	return NEW;
}

struct pmg_report *pmg_report_new(struct pmg_link *link)
{
	struct pmg_report *report = pmg_xcalloc(1, sizeof *report);

	report->link = link;
	report->judged.max = PMG_REPORT_JUDGED_MAX;
	report->passed.max = PMG_REPORT_PASSED_MAX;
	report->trouble.max = PMG_REPORT_TROUBLE_MAX;
	return report;
}

void pmg_report_free(struct pmg_report *report)
{
	if (!report)
		return;
	tdestroy(report->judged.root, free);
	tdestroy(report->passed.root, free);
	tdestroy(report->trouble.root, free);
	free(report);
}

/* The first of a list; not owned. */
static struct pmg_strv head_of(const struct pmg_strv *list)
{
	return (struct pmg_strv){ .v = list->v, .n = list->n < IDS_MAX ? list->n : IDS_MAX };
}

static char *as_text(const char *s)
{
	return (char *)(size_t)s; /* the message only reads it */
}

/* Lines of some hundred bytes each. */
static struct pmg_strv waivers_of(const struct pmg_judgement *judgement)
{
	const struct pmg_strv *list = &judgement->waivers;

	return (struct pmg_strv){ .v = list->v,
				  .n = list->n < WAIVERS_MAX ? list->n : WAIVERS_MAX };
}

/* What is told is the same for each verdict. */
static void tell_judged(struct pmg_report *report, const struct pmg_identity *who,
			const char *verdict, const struct pmg_judgement *judgement,
			struct pmg_wire_judged *m, const struct pmg_url *url)
{
	const char *version = who->version ? who->version : "";
	pmg_autofree char *where = pmg_url_text(url);
	pmg_autofree char *key =
		pmg_xasprintf("%s%d %s@%s", verdict, (int)who->eco, who->name, version);
	pmg_autofree char *file = pmg_xasprintf("%s %s", key, where);
	bool is_new = seen_add(&report->judged, key) != SEEN;

	/* A version may have several files, with something in each. */
	if (judgement->findings.n > 0)
		is_new = seen_add(&report->judged, file) != SEEN;
	if (!is_new)
		return;
	m->eco = as_text(pmg_eco_name(who->eco));
	m->name = who->name;
	m->version = as_text(version);
	m->verdict = as_text(verdict);
	m->rule = judgement->rule;
	m->note = judgement->note;
	m->url = where;
	m->ids = head_of(&judgement->ids);
	m->sources = head_of(&judgement->sources);
	m->findings = head_of(&judgement->findings);
	m->waivers = waivers_of(judgement);
	pmg_link_send(report->link, PMG_WIRE_JUDGED, pmg_wire_judged_encode(m));
}

void pmg_report_judged(struct pmg_report *report, const struct pmg_identity *who, bool allowed,
		       const struct pmg_judgement *judgement, const char *why,
		       const struct pmg_url *url)
{
	struct pmg_wire_judged m = {
		.reason = as_text(why),
		.diag = allowed ? 0 : pmg_reason_diag(judgement->reason),
	};

	tell_judged(report, who, allowed ? "allow" : "block", judgement, &m, url);
}

void pmg_report_withheld(struct pmg_report *report, const struct pmg_identity *who,
			 const struct pmg_judgement *judgement, const char *instead,
			 int64_t published, uint64_t more, const struct pmg_url *url)
{
	pmg_autofree char *why = pmg_judgement_text(judgement);
	char when[PMG_RFC3339_LEN];
	struct pmg_wire_judged m = {
		.reason = why,
		.diag = pmg_reason_diag(judgement->reason),
		.instead = as_text(instead),
		.more = more,
		.published = published > 0 ? when : NULL,
	};

	if (published > 0)
		pmg_clock_format(published, when);
	tell_judged(report, who, "withheld", judgement, &m, url);
}

void pmg_report_passed(struct pmg_report *report, const char *target, const char *why)
{
	pmg_autofree char *key = pmg_xasprintf("%s %s", why, target);
	struct pmg_wire_passed m = { .target = as_text(target), .why = as_text(why) };
	enum novelty novelty = seen_add(&report->passed, key);

	if (novelty == FULL && report->passed.max == PMG_REPORT_PASSED_MAX) {
		report->passed.max = 0; /* so that this is said once */
		m.target = as_text("(and more)");
	} else if (novelty != NEW) {
		return;
	}
	pmg_link_send(report->link, PMG_WIRE_PASSED, pmg_wire_passed_encode(&m));
}

/* Messages begin with the target, which has a field of its own here. */
static const char *without_target(const char *msg, const char *target)
{
	size_t n = strlen(target);

	return strncmp(msg, target, n) == 0 && strncmp(msg + n, ": ", 2) == 0 ? msg + n + 2 : msg;
}

void pmg_report_trouble(struct pmg_report *report, const char *target, const struct pmg_err *err)
{
	pmg_autofree char *key = pmg_xasprintf("%s %s", target, err->msg);
	struct pmg_wire_trouble m = { .target = as_text(target),
				      .what = as_text(without_target(err->msg, target)),
				      .diag = err->diag };

	if (seen_add(&report->trouble, key) == NEW)
		pmg_link_send(report->link, PMG_WIRE_TROUBLE, pmg_wire_trouble_encode(&m));
}
