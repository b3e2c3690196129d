#ifndef PMG_PROXY_LISTENER_H
#define PMG_PROXY_LISTENER_H
/** The socket that was handed to the proxy: takes connections while there is room for them. */
#include "proxy/service.h"

struct pmg_listener;
/** @param fd  borrowed; listening. @return 0 or -PMG_E_SYS */
int pmg_listener_new(struct pmg_service *service, int fd, struct pmg_listener **out,
		     struct pmg_err *err) PMG_MUST_CHECK;
void pmg_listener_free(struct pmg_listener *listener);
PMG_DEFINE_AUTO(listener, struct pmg_listener *, pmg_listener_free);
void pmg_listener_resume(struct pmg_listener *listener); /* there may be room again */

#endif
