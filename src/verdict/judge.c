#include "verdict/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "conf/managed.h"
#include "pm/version.h"
#include "verdict/fetched.h"
#include "verdict/judge_priv.h"

static const char *const verdicts[] = {
	[PMG_VERDICT_ALLOW] = "allow",
	[PMG_VERDICT_BLOCK] = "block",
	[PMG_VERDICT_INDETERMINATE] = "indeterminate",
};

static const struct {
	int diag;
	const char *text;
} reasons[PMG_REASON_MAX] = {
	[PMG_REASON_NONE] = { 0, "nothing known against it" },
	[PMG_REASON_MALWARE] = { 3001, "known malware" },
	[PMG_REASON_HASH] = { 3002, "the file itself is known malware" },
	[PMG_REASON_TOO_YOUNG] = { 3003, "too young" },
	[PMG_REASON_BLOCKLIST] = { 3006, "on your block list" },
	[PMG_REASON_MANAGED] = { 3006, "blocked by managed policy" },
	[PMG_REASON_INSPECTION] = { 3009, "what is in it is refused" },
	[PMG_REASON_INDETERMINATE] = { 3005, "its name or version cannot be read" },
};

const char *pmg_verdict_name(enum pmg_verdict verdict)
{
	return verdicts[verdict];
}

int pmg_reason_diag(enum pmg_reason reason)
{
	return reasons[reason].diag;
}

const char *pmg_reason_text(enum pmg_reason reason)
{
	return reasons[reason].text;
}

char *pmg_judgement_text(const struct pmg_judgement *judgement)
{
	const char *rule = judgement->age_rule;
	bool says_rule = rule && strcmp(rule, "default") != 0;
	char age[PMG_SPAN_LEN], min[PMG_SPAN_LEN];

	if (judgement->reason != PMG_REASON_TOO_YOUNG)
		return pmg_xstrdup(pmg_reason_text(judgement->reason));
	/* Other ways lead out of it than out of a wait: who tells of it has to know. */
	if (pmg_streq(rule, PMG_AGE_RULE_AS_OF))
		return pmg_xstrdup("too young by " PMG_AGE_RULE_AS_OF);
	if (judgement->age_s < 0)
		return pmg_xstrdup(pmg_reason_text(judgement->reason));
	pmg_clock_span(judgement->age_s, age);
	pmg_clock_span((int64_t)judgement->min_age_s, min);
	return pmg_xasprintf("%s old, min age %s%s%s", age, min, says_rule ? " by " : "",
			     says_rule ? rule : "");
}

void pmg_judgement_done(struct pmg_judgement *judgement)
{
	pmg_strv_done(&judgement->ids);
	pmg_strv_done(&judgement->sources);
	pmg_strv_done(&judgement->waivers);
	pmg_strv_done(&judgement->findings);
	free(judgement->rule);
	free(judgement->note);
	free(judgement->age_rule);
	*judgement = (struct pmg_judgement){ 0 };
}

void pmg_judge_close(struct pmg_judge *judge)
{
	if (!judge)
		return;
	pmg_index_close(judge->index);
	pmg_blocklist_done(&judge->blocklist);
	pmg_blocklist_done(&judge->managed);
	pmg_waivers_free(judge->waivers);
	free(judge);
}

static int set_defaults(struct pmg_judge *judge, struct pmg_err *err)
{
	pmg_auto(packages) struct pmg_packages packages = { 0 };

	pmg_packages_init(&packages);
	pmg_packages_date(&packages, pmg_clock_now(), NULL);
	return pmg_judge_set_packages(judge, &packages, err);
}

int pmg_judge_open(const char *index_path, const char *blocklist_path, struct pmg_judge **out,
		   struct pmg_err *err)
{
	pmg_auto(judge) struct pmg_judge *judge = pmg_xcalloc(1, sizeof *judge);
	int r = pmg_index_open(index_path, &judge->index, err);

	if (r < 0 && r != -PMG_E_NOTFOUND)
		return r;
	r = judge->index ? pmg_fetched_checked(index_path, judge->index, &judge->checked, err) : 0;
	if (r == 0)
		r = pmg_blocklist_load(blocklist_path, &judge->blocklist, err);
	if (r == 0)
		r = set_defaults(judge, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&judge);
	return 0;
}

int pmg_judge_add_managed(struct pmg_judge *judge, const char *path, struct pmg_err *err)
{
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	int r = pmg_managed_load(path, &managed, err);

	return r < 0 ? r : pmg_blocklist_managed(&managed, &judge->managed, err);
}

void pmg_judge_info(const struct pmg_judge *judge, struct pmg_index_info *out)
{
	*out = (struct pmg_index_info){ .blocklist = judge->blocklist.n + judge->managed.n };
	if (!judge->index)
		return;
	out->present = true;
	out->built = pmg_index_built(judge->index);
	out->checked = judge->checked;
	out->records = pmg_index_records(judge->index);
	out->packages = pmg_index_packages(judge->index);
}

int pmg_judge_set_packages(struct pmg_judge *judge, const struct pmg_packages *packages,
			   struct pmg_err *err)
{
	struct pmg_waivers *fresh = NULL;
	int r = pmg_waivers_new(packages, &fresh, err);

	if (r < 0)
		return r;
	pmg_waivers_free(judge->waivers);
	judge->waivers = fresh;
	return 0;
}

int pmg_judge_hear_packages(struct pmg_judge *judge, const char *text, size_t len,
			    struct pmg_err *err)
{
	pmg_auto(packages) struct pmg_packages packages = { 0 };
	int r = pmg_packages_decode(text, len, &packages, err);

	return r < 0 ? r : pmg_judge_set_packages(judge, &packages, err);
}

bool pmg_judge_filters(const struct pmg_judge *judge)
{
	return pmg_waivers_policy(judge->waivers)->mode == PMG_COOLDOWN_FILTER;
}

int pmg_judge_ask(struct pmg_judge *judge, enum pmg_eco eco, const char *name, const char *version,
		  struct pmg_judgement *out, struct pmg_err *err)
{
	const struct pmg_question q = {
		.eco = eco, .name = name, .version = version, .published = PMG_DATE_UNASKED
	};

	return pmg_judge_decide(judge, &q, out, err);
}
