#ifndef PMG_SANDBOX_DEVICE_PRIV_H
#define PMG_SANDBOX_DEVICE_PRIV_H
/** Devices: terminals, which mean the caller's, and what may keep us waiting. */
#include "sandbox/broker_priv.h"

/** @return false: nothing special, the caller goes on; true: answered */
bool pmg_device_open(struct pmg_request *request, const struct pmg_object *object, int flags,
		     struct pmg_answer *answer) PMG_MUST_CHECK;

#endif
