#include "policy/sensitive.h"

#include <stdlib.h>
#include <string.h>

#include "policy/build.h"
#include "policy/glob.h"
#include "policy/host.h"
#include "policy/mandatory.h"
#include "policy/scrub.h"
#include "policy/vars.h"

/* What the policy is asked about: of a pattern the shortest path that it matches.
 * @param[out] exact  the value names one thing. @return NULL: nothing can be said of it */
static char *object_of(const struct pmg_policy *policy, const char *value, bool *exact)
{
	struct pmg_policy_facts facts = { .cwd = policy->cwd,
					  .project = policy->project,
					  .home = policy->home };
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	pmg_autofree char *typed = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	const char *missing;

	*exact = true;
	if (value[0] == '@')
		return pmg_xstrdup(value);
	if (pmg_vars_expand(&facts, value, &texts, &missing) > 0 || texts.n != 1)
		return NULL;
	typed = pmg_vars_typed(&facts, texts.v[0]);
	if (pmg_glob_new(typed, &glob, &scratch) < 0)
		return NULL;
	*exact = pmg_glob_is_exact(glob) && !pmg_glob_is_subtree(glob);
	return *exact ? pmg_vars_unescape(typed) : pmg_glob_shortest(glob);
}

static struct pmg_decision ask(const struct pmg_policy *policy, enum pmg_access access,
			       enum pmg_role role, const char *object, uint16_t port)
{
	if (access == PMG_ACCESS_CONNECT || access == PMG_ACCESS_BIND)
		return pmg_policy_ask_net(policy, access, role, object, port);
	return pmg_policy_ask(policy, access, role, object);
}

static bool is_file(enum pmg_access access)
{
	return access == PMG_ACCESS_READ || access == PMG_ACCESS_WRITE || access == PMG_ACCESS_EXEC;
}

/* Both roles are asked: what only scripts may not have is as secret. */
static const struct pmg_policy_rule *closed_by(const struct pmg_policy *policy,
					       enum pmg_access access, const char *object,
					       uint16_t port)
{
	static const enum pmg_role roles[] = { PMG_ROLE_SCRIPT, PMG_ROLE_MANAGER };
	struct pmg_decision decision;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(roles); i++) {
		decision = ask(policy, access, roles[i], object, port);
		if (!decision.allowed && decision.rule &&
		    decision.rule->rank <= PMG_RANK_MANDATORY_DENY)
			return decision.rule;
	}
	return NULL;
}

static const struct pmg_policy_rule *closed_host(const struct pmg_policy *policy,
						 enum pmg_access access, const char *value)
{
	pmg_auto(host) struct pmg_host *host = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;

	if (pmg_host_new(value, access == PMG_ACCESS_BIND, &host, &scratch) < 0 ||
	    !pmg_host_is_exact(host))
		return NULL;
	return closed_by(policy, access, pmg_host_name(host), pmg_host_port(host));
}

enum pmg_sensitive pmg_sensitive_ask(const struct pmg_policy *policy, enum pmg_access access,
				     const char *value, const struct pmg_policy_rule **rule)
{
	pmg_autofree char *object = NULL;
	bool exact = true;

	*rule = NULL;
	if (access == PMG_ACCESS_CONNECT || access == PMG_ACCESS_BIND)
		*rule = closed_host(policy, access, value);
	else if (access == PMG_ACCESS_ENV)
		*rule = closed_by(policy, access, value, 0);
	else
		object = object_of(policy, value, &exact);
	if (object && is_file(access) && pmg_mandatory_is_hook(object))
		return PMG_SENSITIVE_NEVER;
	if (object)
		*rule = closed_by(policy, access, object, 0);
	/* Of variables the look is enough: no rule is needed to take them out. */
	if (!*rule)
		return access == PMG_ACCESS_ENV && !strchr(value, '*') &&
				       pmg_scrub_is_secret_name(value)
			       ? PMG_SENSITIVE_FORCE
			       : PMG_SENSITIVE_NOT;
	if ((*rule)->rank < PMG_RANK_OPT_OUT)
		return PMG_SENSITIVE_NEVER;
	return exact ? PMG_SENSITIVE_FORCE : PMG_SENSITIVE_VAIN;
}
