#ifndef PMG_SANDBOX_FILTER_PRIV_H
#define PMG_SANDBOX_FILTER_PRIV_H
/**
 * The filter of a run, in this order, of which the first row that is met
 * counts: rows that let certain arguments pass (a TCP socket); what is trapped,
 * rows with conditions before those without; calls that pass whatever they ask;
 * the rest is ENOSYS, as on a kernel that never had it.
 */
#include <stdbool.h>

#include "kernel/seccomp.h"

/* filter_calls.c */
extern const struct pmg_seccomp_table pmg_filter_first;  /* pass by their arguments */
extern const struct pmg_seccomp_table pmg_filter_always; /* pass */

/**
 * @param trapped  rows of any action, in any order; a call that has one without conditions needs
 *                 not be missing in the tables above
 */
int pmg_filter_compile(const struct pmg_seccomp_rule *trapped, size_t n, bool has_memfd_noexec,
		       struct pmg_seccomp_code *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
