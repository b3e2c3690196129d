#include "policy/reach.h"

static bool counts(const struct pmg_policy_rule *rule)
{
	if ((rule->rank != PMG_RANK_ALLOW && rule->rank != PMG_RANK_OPT_OUT) ||
	    !(rule->roles & PMG_ROLE_SCRIPT) || rule->layer == PMG_LAYER_RUN)
		return false;
	if (rule->access == PMG_ACCESS_WRITE || rule->access == PMG_ACCESS_CONNECT ||
	    rule->access == PMG_ACCESS_UNIX)
		return true;
	return rule->layer != PMG_LAYER_BUILTIN && rule->layer != PMG_LAYER_MANDATORY;
}

void pmg_policy_reach(const struct pmg_policy *policy, struct pmg_strv *out)
{
	size_t i, n = 0;

	for (i = 0; i < policy->n_rules; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		if (!counts(rule))
			continue;
		if (n++ < PMG_REACH_MAX)
			pmg_strv_addf(out, "%s%s=%s",
				      rule->layer == PMG_LAYER_BUILTIN ||
						      rule->layer == PMG_LAYER_MANDATORY
					      ? PMG_REACH_BUILTIN
					      : "",
				      pmg_access_name(rule->access), rule->text);
	}
	if (n > PMG_REACH_MAX)
		pmg_strv_addf(out, "and %zu more", n - PMG_REACH_MAX);
}
