#include "proxy/ask.h"

#include <stdlib.h>

#include "proxy/link.h"
#include "verdict/pinned.h"
#include "violation/wire.h"

#define IDS_MAX     64U /* of one answer, and as many feeds: keeps the message small enough */
#define WAIVERS_MAX 16U /* lines of some hundred bytes each */

static char *copy(const char *text)
{
	return text ? pmg_xstrdup(text) : NULL;
}

static struct pmg_strv head_of(const struct pmg_strv *list, size_t max)
{
	return (struct pmg_strv){ .v = list->v, .n = list->n < max ? list->n : max };
}

/* What cannot be judged does not pass: fail closed. */
static void say(struct pmg_link *link, const struct pmg_wire_ask *ask, size_t at,
		const struct pmg_judgement *judgement, const char *why)
{
	pmg_autofree char *verdict = pmg_xstrdup(pmg_verdict_name(judgement->verdict));
	pmg_autofree char *reason = pmg_xstrdup(why ? why : pmg_reason_text(judgement->reason));
	struct pmg_wire_answer answer = {
		.number = ask->number,
		.at = at,
		.verdict = verdict,
		.reason = reason,
		.diag = pmg_reason_diag(judgement->reason),
		.rule = judgement->rule,
		.note = judgement->note,
		.ids = head_of(&judgement->ids, IDS_MAX),
		.sources = head_of(&judgement->sources, IDS_MAX),
		.waivers = head_of(&judgement->waivers, WAIVERS_MAX),
	};

	pmg_link_send(link, PMG_WIRE_ANSWER, pmg_wire_answer_encode(&answer));
}

static void judge_one(const struct pmg_gate *gate, struct pmg_link *link,
		      const struct pmg_wire_ask *ask, enum pmg_eco eco, size_t at)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	const char *name = ask->names.v[at];
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *why = NULL;

	if (pmg_pinned_judge(gate->judge, eco, name, ask->versions.v[at], ask->hashes.v[at],
			     pmg_catalog_owns_scope(gate->catalog, eco, name) ? PMG_PLACE_PRIVATE
									      : PMG_PLACE_UNKNOWN,
			     &judgement, &err) < 0) {
		judgement.verdict = PMG_VERDICT_INDETERMINATE;
		judgement.reason = PMG_REASON_INDETERMINATE;
		(void)pmg_err_wrap(&err, "it could not be judged");
		why = copy(err.msg);
	}
	if (judgement.verdict != PMG_VERDICT_ALLOW || judgement.waivers.n > 0)
		say(link, ask, at, &judgement, why);
}

int pmg_ask_answer(const struct pmg_gate *gate, struct pmg_link *link, const struct pmg_msg *msg,
		   struct pmg_err *err)
{
	pmg_auto(wire_ask) struct pmg_wire_ask ask = { 0 };
	struct pmg_wire_answered answered = { 0 };
	enum pmg_eco eco;
	size_t i;
	int r;

	if (msg->type != PMG_WIRE_ASK)
		return pmg_err_set(err, PMG_E_PEER, 0, "message %u is no question", msg->type);
	r = pmg_wire_ask_decode(msg->body, &ask, err);
	if (r == 0 && pmg_eco_parse(ask.eco, &eco, err) < 0)
		r = pmg_err_as(err, PMG_E_PEER);
	if (r == 0 && (ask.names.n != ask.versions.n || ask.names.n != ask.hashes.n))
		r = pmg_err_set(err, PMG_E_PEER, 0, "lists of a question differ in length");
	if (r < 0)
		return r;
	for (i = 0; i < ask.names.n; i++)
		judge_one(gate, link, &ask, eco, i);
	answered.number = ask.number;
	pmg_link_send(link, PMG_WIRE_ANSWERED, pmg_wire_answered_encode(&answered));
	return 0;
}
