#ifndef PMG_POLICY_PLAN_PRIV_H
#define PMG_POLICY_PLAN_PRIV_H
/** What plan.c has for plan_policy.c. */
#include "policy/plan.h"

/** pmg_plan_add() with terms. */
void pmg_plan_add_terms(struct pmg_plan *plan, const char *op, const char *terms,
			const char *target, const char *layer, const char *source,
			enum pmg_enforced enforced);

#endif
