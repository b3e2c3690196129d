#ifndef PMG_PROXY_ASK_PRIV_H
#define PMG_PROXY_ASK_PRIV_H
/** What ask.c and asks.c share. */
#include "proxy/ask.h"
#include "violation/wire.h"

/** @param[out] ask  zeroed before; its lists are of one length. @return as pmg_ask_answer() */
int pmg_ask_read(const struct pmg_msg *msg, struct pmg_wire_ask *ask, enum pmg_eco *eco,
		 struct pmg_err *err) PMG_MUST_CHECK;
/** Is there anything against one of a question whatever its age is? Then no registry is asked. */
bool pmg_ask_bars(const struct pmg_gate *gate, const struct pmg_wire_ask *ask, enum pmg_eco eco,
		  size_t at);
/**
 * Judge one of a question, and say what there is against it.
 * @param published  as a question to the judge has it
 * @param unasked    why its registry could not be asked; NULL
 * @return does it pass?
 */
bool pmg_ask_judge(const struct pmg_gate *gate, struct pmg_link *link,
		   const struct pmg_wire_ask *ask, enum pmg_eco eco, size_t at, int64_t published,
		   const char *unasked);
void pmg_ask_end(struct pmg_link *link, const struct pmg_wire_ask *ask); /* ANSWERED */

#endif
