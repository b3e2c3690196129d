#ifndef PMG_PROXY_PROBE_H
#define PMG_PROXY_PROBE_H
/**
 * Ask PyPI indexes for their artifact hosts. pip may have every page in its
 * cache and ask none, so that nothing is learned from what goes by. When a host
 * that nobody knows is connected to, each such index is asked once a run for
 * the page of one project that all of them have; the connection waits for it.
 */
#include "proxy/service.h"

#define PMG_PROBE_MS       8000U              /* for all indexes together */
#define PMG_PROBE_BODY_MAX ((size_t)16 << 20) /* bytes of a page that are read */
#define PMG_PROBE_HOPS     3U                 /* redirects that are followed */

struct pmg_probe;
struct pmg_probe *pmg_probe_new(struct pmg_service *service) PMG_MUST_CHECK;
void pmg_probe_free(struct pmg_probe *probe);
PMG_DEFINE_AUTO(probe, struct pmg_probe *, pmg_probe_free);

/**
 * Is there an index to be asked, or being asked?
 * @param task  queued when that is over, unless pmg_probe_forget() comes first
 * @return false: no, nothing to wait for
 */
bool pmg_probe_wait(struct pmg_probe *probe, struct pmg_task *task);
void pmg_probe_forget(struct pmg_probe *probe, struct pmg_task *task); /* not waiting: fine */

#endif
