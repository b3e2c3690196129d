/* Rows that are still to come. */
#include "sandbox/broker_priv.h"

<<<<<<< Updated upstream
#define PENDING(name)                                                                              \
	__attribute__((weak)) void name(struct pmg_request *request, struct pmg_answer *answer)    \
	{                                                                                          \
		(void)request;                                                                     \
		pmg_answer_fail(answer, EPERM);                                                    \
	}                                                                                          \
	struct pmg_request

	PENDING(pmg_act_connect);
PENDING(pmg_act_bind);
PENDING(pmg_act_send);
=======
__attribute__((weak)) const struct pmg_call_row *pmg_surface_rows(void)
{
	static const struct pmg_call_row none[1];

	return none;
}
>>>>>>> Stashed changes
