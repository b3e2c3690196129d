#include "proxy/ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/ask_priv.h"
#include "proxy/link.h"
#include "verdict/pinned.h"

#define IDS_MAX     64U /* of one answer, and as many feeds: keeps the message small enough */
#define WAIVERS_MAX 16U /* lines of some hundred bytes each */

static struct pmg_strv head_of(const struct pmg_strv *list, size_t max)
{
	return (struct pmg_strv){ .v = list->v, .n = list->n < max ? list->n : max };
}

/* What cannot be judged does not pass: fail closed. */
static void say(struct pmg_link *link, const struct pmg_wire_ask *ask, size_t at,
		const struct pmg_judgement *judgement, char *why)
{
	pmg_autofree char *verdict = pmg_xstrdup(pmg_verdict_name(judgement->verdict));
	struct pmg_wire_answer answer = {
		.number = ask->number,
		.at = at,
		.verdict = verdict,
		.reason = why,
		.diag = pmg_reason_diag(judgement->reason),
		.rule = judgement->rule,
		.note = judgement->note,
		.ids = head_of(&judgement->ids, IDS_MAX),
		.sources = head_of(&judgement->sources, IDS_MAX),
		.waivers = head_of(&judgement->waivers, WAIVERS_MAX),
	};

	pmg_link_send(link, PMG_WIRE_ANSWER, pmg_wire_answer_encode(&answer));
}

static int judge(const struct pmg_gate *gate, const struct pmg_wire_ask *ask, enum pmg_eco eco,
		 size_t at, int64_t published, struct pmg_judgement *out, struct pmg_err *err)
{
	const char *name = ask->names.v[at];
	bool open = strcmp(ask->ages.v[at], "open") == 0;
	const struct pmg_question q = {
		.eco = eco,
		.name = name,
		.version = open ? NULL : ask->versions.v[at],
		.origin = pmg_catalog_owns_scope(gate->catalog, eco, name) ? PMG_PLACE_PRIVATE
									   : PMG_PLACE_UNKNOWN,
		.published = published,
	};

	if (open)
		return pmg_judge_decide(gate->judge, &q, out, err);
	return pmg_pinned_judge(gate->judge, &q, ask->hashes.v[at], out, err);
}

bool pmg_ask_bars(const struct pmg_gate *gate, const struct pmg_wire_ask *ask, enum pmg_eco eco,
		  size_t at)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;

	return judge(gate, ask, eco, at, PMG_DATE_UNASKED, &judgement, &scratch) < 0 ||
	       judgement.verdict != PMG_VERDICT_ALLOW;
}

bool pmg_ask_judge(const struct pmg_gate *gate, struct pmg_link *link,
		   const struct pmg_wire_ask *ask, enum pmg_eco eco, size_t at, int64_t published,
		   const char *unasked)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *why = NULL;

	if (judge(gate, ask, eco, at, published, &judgement, &err) < 0) {
		judgement.verdict = PMG_VERDICT_INDETERMINATE;
		judgement.reason = PMG_REASON_INDETERMINATE;
		(void)pmg_err_wrap(&err, "it could not be judged");
		why = pmg_xstrdup(err.msg);
	} else {
		why = unasked && judgement.reason == PMG_REASON_TOO_YOUNG
			      ? pmg_xasprintf("no publish time is known: %s", unasked)
			      : pmg_judgement_text(&judgement);
	}
	if (unasked && judgement.verdict != PMG_VERDICT_ALLOW) {
		free(judgement.note);
		judgement.note = pmg_xstrdup("--skip-dependency-cooldown leaves the wait out for "
					     "one run");
	}
	if (judgement.verdict != PMG_VERDICT_ALLOW || judgement.waivers.n > 0)
		say(link, ask, at, &judgement, why);
	return judgement.verdict == PMG_VERDICT_ALLOW;
}

int pmg_ask_read(const struct pmg_msg *msg, struct pmg_wire_ask *out, enum pmg_eco *eco,
		 struct pmg_err *err)
{
	pmg_auto(wire_ask) struct pmg_wire_ask ask = { 0 };
	size_t n;
	int r;

	if (msg->type != PMG_WIRE_ASK)
		return pmg_err_set(err, PMG_E_PEER, 0, "message %u is no question", msg->type);
	r = pmg_wire_ask_decode(msg->body, &ask, err);
	if (r == 0 && pmg_eco_parse(ask.eco, eco, err) < 0)
		r = pmg_err_as(err, PMG_E_PEER);
	n = ask.names.n;
	if (r == 0 &&
	    (ask.versions.n != n || ask.hashes.n != n || ask.ages.n != n || ask.urls.n != n))
		r = pmg_err_set(err, PMG_E_PEER, 0, "lists of a question differ in length");
	if (r < 0)
		return r;
	*out = ask;
	ask = (struct pmg_wire_ask){ 0 };
	return 0;
}

void pmg_ask_end(struct pmg_link *link, const struct pmg_wire_ask *ask)
{
	const struct pmg_wire_answered answered = { .number = ask->number };

	pmg_link_send(link, PMG_WIRE_ANSWERED, pmg_wire_answered_encode(&answered));
}

int pmg_ask_answer(const struct pmg_gate *gate, struct pmg_link *link, const struct pmg_msg *msg,
		   struct pmg_err *err)
{
	pmg_auto(wire_ask) struct pmg_wire_ask ask = { 0 };
	enum pmg_eco eco;
	size_t i;
	int r = pmg_ask_read(msg, &ask, &eco, err);

	for (i = 0; r == 0 && i < ask.names.n; i++)
		(void)pmg_ask_judge(gate, link, &ask, eco, i, PMG_DATE_UNASKED, NULL);
	if (r == 0)
		pmg_ask_end(link, &ask);
	return r;
}
