#ifndef PMG_POLICY_PLAN_H
#define PMG_POLICY_PLAN_H
/**
 * The plan of one run: plain data, made before anything is done, printable,
 * with a fingerprint that every record carries: what will be fetched from
 * where and how it is judged, and every rule and switch of the policy.
 */
#include <stddef.h>

#include "base/hash.h"
#include "base/strv.h"

/* How a rule is held. */
enum pmg_enforced {
	PMG_ENFORCED_PROXY,
	PMG_ENFORCED_KERNEL,
	PMG_ENFORCED_BROKER,
	PMG_ENFORCED_OBSERVED, /* decided when asked, then done by the kernel */
	PMG_ENFORCED_FRONT,    /* before anything starts */
	PMG_ENFORCED_MAX
};

/* One line of the plan: what may be reached, and which line of which file says so. */
struct pmg_rule {
	char *op;     /* "fetch" (registry, judged), "artifact" (judged), "tunnel" (recorded);
		       * "read", "write", ...: pmg_access_name(); "set": a switch of the policy */
	char *terms;  /* of a rule of the policy: "allow", "deny mandatory script"; else "" */
	char *target; /* address, pattern, or "*" */
	char *layer;  /* "built-in", "manager", "lockfile", ... */
	char *source; /* "path:line", "environment NAME", "default of npm" */
	enum pmg_enforced enforced;
};

struct pmg_policy; /* policy/policy.h */

struct pmg_plan {
	char *tool;    /* "npx" */
	char *manager; /* "npm" */
	char *program; /* absolute path of what will be run */
	char *cwd;
	char *profile; /* profile name; "npm" */
	struct pmg_rule *rules;
	size_t n_rules;
	size_t cap_rules;
};

void pmg_plan_free(struct pmg_plan *plan);
PMG_DEFINE_AUTO(plan, struct pmg_plan *, pmg_plan_free);
struct pmg_plan *pmg_plan_new(void) PMG_MUST_CHECK;
/** Copies all texts. */
void pmg_plan_add(struct pmg_plan *plan, const char *op, const char *target, const char *layer,
		  const char *source, enum pmg_enforced enforced);
/** Add every rule of a sealed policy, how each is held, and its switches. Its profile becomes the
 *  plan's. */
void pmg_plan_policy(struct pmg_plan *plan, const struct pmg_policy *policy);
/** Rules by op, then target bytes; equal ones once. Call before printing or fingerprinting. */
void pmg_plan_seal(struct pmg_plan *plan);
/** Stable text, one rule a line. Caller frees. */
char *pmg_plan_text(const struct pmg_plan *plan) PMG_MUST_CHECK;
/** The same without what is built in, which is counted: where packages come from, switches, and
 *  what people have added. Caller frees. */
char *pmg_plan_brief(const struct pmg_plan *plan) PMG_MUST_CHECK;
/** SHA-256 in hex of what decides: profile and op, terms, target and enforcement of each rule; not
 *  where a rule was written, not cwd or program, not what a run is given of its own (layer "run").
 * Of a sealed plan: the order of adding does not matter. */
void pmg_plan_fingerprint(const struct pmg_plan *plan, char out[PMG_SHA256_HEX]);

#endif
