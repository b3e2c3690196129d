#ifndef PMG_TESTS_HELPER_BROKER_H
#define PMG_TESTS_HELPER_BROKER_H
/** A broker that serves one child under a small filter: in a thread of the test, over a policy. */
#include <stddef.h>

#include "sandbox/broker_priv.h"

/** Add a rule; a pattern that does not compile ends the test program. */
void broker_rule(struct pmg_policy *policy, enum pmg_access access, enum pmg_rank rank,
		 const char *pattern);
/** Sealed: all may be read and written, as far as no more rules are added before sealing. */
struct pmg_policy *broker_policy(const char *project);

/**
 * Run body(arg) in a child whose calls are served over policy; what it changes in memory shared
 * with us is its result.
 * @param prepare  of the broker before it serves, or NULL
 * @param[out] events  refusals; pmg_events_done()
 * @return status as of waitpid(2)
 */
int broker_serve_child(const struct pmg_policy *policy, void (*prepare)(struct pmg_broker *broker),
		       void (*body)(void *arg), void *arg, struct pmg_events *events);
/** The same body without a filter. */
int broker_bare_child(void (*body)(void *arg), void *arg);
/** Zeroed memory that a child shares with us. */
void *broker_shared(size_t size);

#endif
