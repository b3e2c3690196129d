#ifndef PMG_POLICY_DIFF_H
#define PMG_POLICY_DIFF_H
/**
 * What one policy allows more, or less, than another of the same folder. Rules are compared by what
 * they come to, not by where they were written: what the other one allows or denies by a wider rule
 * of its own is no difference. Of patterns the least that they stand for is asked about, so that
 * two that overlap in part are both named.
 */
#include "policy/policy.h"

struct pmg_difference {
	bool more;                          /* b allows more by it; else less */
	const struct pmg_policy_rule *rule; /* that is in one of them alone; borrowed */
	bool is_in_b;
	unsigned roles; /* enum pmg_role: for whom it makes the difference */
};

/* A setting that is not a rule. */
struct pmg_switched {
	const char *name; /* its key in a profile; static */
	uint64_t a, b;    /* of a switch 0 or 1 */
	bool is_switch;
};
#define PMG_SWITCHES_MAX 7U

struct pmg_differences {
	struct pmg_difference *v; /* more before less; each by access, then pattern */
	size_t n, cap;
	struct pmg_switched switched[PMG_SWITCHES_MAX];
	size_t n_switched;
};
void pmg_differences_done(struct pmg_differences *differences);
PMG_DEFINE_AUTO_DONE(differences, struct pmg_differences, pmg_differences_done);

/** @param a, b  sealed; out borrows from them. @param[out] out  zeroed before */
void pmg_policy_diff(const struct pmg_policy *a, const struct pmg_policy *b,
		     struct pmg_differences *out);

#endif
