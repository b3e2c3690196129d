#ifndef PMG_PROXY_ASK_H
#define PMG_PROXY_ASK_H
/**
 * Answers to ASK: the judge is asked of packages that nobody fetches now. Those of the broker,
 * whose script is about to run, are answered at once and their age is not judged: what was let in
 * before need not be young again. Those of the front say of each package whether its age counts;
 * its date may have to be asked of a registry first.
 *
 *   ask.c   what is said of a package
 *   asks.c  questions of the front, and what they wait for
 */
#include "base/msg.h"
#include "proxy/ages.h"

#define PMG_ASKS_MS 60000U /* most for the dates of one question; beyond, none is known */

struct pmg_link;

/**
 * Answer one message of the broker's.
 * @return 0; -PMG_E_PEER: it is no ASK, or not one that can be read
 */
int pmg_ask_answer(const struct pmg_gate *gate, struct pmg_link *link, const struct pmg_msg *msg,
		   struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_asks;
/** @param service, link  borrowed until the end */
struct pmg_asks *pmg_asks_new(struct pmg_service *service, struct pmg_link *link) PMG_MUST_CHECK;
/** Questions without an answer get none. */
void pmg_asks_free(struct pmg_asks *asks);
PMG_DEFINE_AUTO(asks, struct pmg_asks *, pmg_asks_free);
/** Answer one message of the front's, now or when dates have come. @return as above */
int pmg_asks_take(struct pmg_asks *asks, const struct pmg_msg *msg,
		  struct pmg_err *err) PMG_MUST_CHECK;

#endif
