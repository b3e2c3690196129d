/* Handlers that are still to come: until then what they would decide is refused. */
#include <errno.h>

#include "sandbox/broker_priv.h"

#define PENDING(name)                                                                              \
	__attribute__((weak)) void name(struct pmg_request *request, struct pmg_answer *answer)    \
	{                                                                                          \
		(void)request;                                                                     \
		pmg_answer_fail(answer, EPERM);                                                    \
	}                                                                                          \
	struct pmg_request

PENDING(pmg_act_exec);
PENDING(pmg_act_connect);
PENDING(pmg_act_bind);
PENDING(pmg_act_send);
PENDING(pmg_act_surface);
