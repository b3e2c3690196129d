#include <inttypes.h>

#include "base/clock.h"
#include "cli/cmd_intel.h"
#include "verdict/publish.h"

static struct json_t *side_json(const struct pmg_rollback_side *side)
{
	return side->usable ? pmg_intel_index_json(side->built, side->records) : pmg_json_object();
}

static void print_json(const struct pmg_out *out, const struct pmg_rollback *r)
{
	pmg_auto(json) struct json_t *json = pmg_json_object();

	pmg_json_set(json, "index", side_json(&r->to));
	pmg_json_set(json, "previous", side_json(&r->from));
	pmg_out_json(out, json);
}

static void print_text(const struct pmg_out *out, const struct pmg_rollback *r)
{
	char to[PMG_RFC3339_LEN], from[PMG_RFC3339_LEN];

	pmg_clock_format(r->to.built, to);
	(void)fprintf(out->to, "in force now: the index of %s, %" PRIu64 " record%s\n", to,
		      r->to.records, pmg_out_plural(r->to.records));
	if (!r->from.usable) {
		(void)fprintf(out->to, "kept as the previous one: what was there, unusable\n");
		return;
	}
	pmg_clock_format(r->from.built, from);
	(void)fprintf(out->to, "kept as the previous one: that of %s, %" PRIu64 " record%s\n", from,
		      r->from.records, pmg_out_plural(r->from.records));
}

int pmg_cmd_intel_rollback(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_rollback_opts *opts = call->opts;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	struct pmg_rollback rollback;
	int r = pmg_intel_place_find(&place, err);

	if (r == 0)
		r = pmg_rollback(place.index, &rollback, err);
	if (r < 0)
		return r;
	if (opts->json)
		print_json(call->out, &rollback);
	else
		print_text(call->out, &rollback);
	return 0;
}
