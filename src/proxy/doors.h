#ifndef PMG_PROXY_DOORS_H
#define PMG_PROXY_DOORS_H
/**
 * The listeners of the run's own network, where all that wants to get out
 * arrives. A connection is not read from before the broker has told who made
 * it; one that nobody owns up to in time is closed.
 */
#include "base/msg.h"
#include "base/strv.h"
#include "proxy/service.h"

#define PMG_DOORS_WAITING_MAX                                                                      \
	256U                    /* connections that wait; of those without a word the oldest goes */
#define PMG_DOORS_WAIT_MS 5000U /* then one is closed */

struct pmg_doors;
/**
 * @param kinds  as PMG_WIRE_LISTEN has them: one for each descriptor, "broker" last
 * @param fds    borrowed
 * @return 0; -PMG_E_PEER: kinds that do not fit; -PMG_E_SYS
 */
int pmg_doors_new(struct pmg_service *service, const struct pmg_strv *kinds, const int *fds,
		  size_t n_fds, struct pmg_doors **out, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_doors_free(struct pmg_doors *doors);
PMG_DEFINE_AUTO(doors, struct pmg_doors *, pmg_doors_free);
void pmg_doors_resume(struct pmg_doors *doors); /* there may be room again */
/** The first "proxy" listener among them; -1: there is none. */
int pmg_doors_own(const struct pmg_strv *kinds, const int *fds, size_t n_fds);

#endif
