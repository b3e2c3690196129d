#ifndef PMG_PROXY_MULTI_H
#define PMG_PROXY_MULTI_H
/**
 * libcurl's transfers within our loop. Its functions are never called from
 * inside its own callbacks: ends of transfers are told after it has returned.
 */
#include <netinet/in.h>

#include "net/upstream.h"
#include "proxy/loop.h"

struct pmg_multi;
/**
 * @param own  borrowed for the call; where the proxy itself listens: no transfer may lead there
 * @return 0 or -PMG_E_INTERNAL
 */
int pmg_multi_new(struct pmg_loop *loop, const struct sockaddr_storage *own, struct pmg_multi **out,
		  struct pmg_err *err) PMG_MUST_CHECK;
void pmg_multi_free(struct pmg_multi *multi); /* after all jobs were stopped */
PMG_DEFINE_AUTO(multi, struct pmg_multi *, pmg_multi_free);

/* One transfer, in the caller's memory. */
struct pmg_job {
	CURL *easy;   /* pmg_job_open() */
	bool stays;   /* a connection that goes on to be used after it is made: not removed */
	bool is_loop; /* it would have led back to the proxy */
	void (*done)(void *ctx, int curlcode); /* once; may stop and close the job */
	void *ctx;
	struct pmg_multi *multi;
	bool is_running;
	bool is_whole; /* it ended, and well */
};

struct pmg_loop *pmg_multi_loop(const struct pmg_multi *multi);

/** A handle to set up: pmg_upstream_prepare(). @return 0 or -PMG_E_INTERNAL */
int pmg_job_open(struct pmg_multi *multi, struct pmg_job *job, struct pmg_err *err) PMG_MUST_CHECK;
/** @return 0 or -PMG_E_INTERNAL */
int pmg_job_start(struct pmg_job *job, struct pmg_err *err) PMG_MUST_CHECK;
/** Stop if it runs, drop the handle. Not from within libcurl's callbacks. A zeroed job is fine. */
void pmg_job_close(struct pmg_job *job);

#endif
