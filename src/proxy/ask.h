#ifndef PMG_PROXY_ASK_H
#define PMG_PROXY_ASK_H
/**
 * Answers to ASK, of the front and of the broker: the judge is asked of packages that nobody
 * fetches now. Their age is not judged: what was let in before need not be young again.
 */
#include "base/msg.h"
#include "proxy/gate.h"

struct pmg_link;

/**
 * Answer one message.
 * @return 0; -PMG_E_PEER: it is no ASK, or not one that can be read
 */
int pmg_ask_answer(const struct pmg_gate *gate, struct pmg_link *link, const struct pmg_msg *msg,
		   struct pmg_err *err) PMG_MUST_CHECK;

#endif
