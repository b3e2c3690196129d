#ifndef PMG_PROXY_EXCHANGE_H
#define PMG_PROXY_EXCHANGE_H
/**
 * One request to an upstream and its response, streamed both ways under
 * back-pressure: what the client does not take is not read from upstream.
 */
#include "proxy/framing.h"
#include "proxy/multi.h"

enum pmg_flow {
	PMG_FLOW_GO,
	PMG_FLOW_WAIT, /* later: pmg_exchange_resume() */
	PMG_FLOW_END,  /* pull: the body is complete */
	PMG_FLOW_STOP  /* the client is of no more use: break off */
};

/* Where the exchange gets its body from and where it delivers. All are called from within libcurl
 * but done(): they may not free, start or resume an exchange. None may be NULL. */
struct pmg_exchange_user {
	void *ctx;
	/** The head, to be changed at will. @return false: it cannot be delivered, stop */
	bool (*head)(void *ctx, struct pmg_head *head, enum pmg_framing framing, uint64_t length);
	/** Body bytes. @return GO: taken whole; WAIT: not taken, offer them again; STOP */
	enum pmg_flow (*body)(void *ctx, const char *bytes, size_t len);
	/** Bytes of the request's body. @param[out] n  how many were put, for GO, at least one */
	enum pmg_flow (*pull)(void *ctx, char *to, size_t room, size_t *n);
	/** The last call. @param err  NULL: the response is complete. @param status  to answer
	 *  with when no head was delivered: 502, 504, 508, or what a parent proxy said */
	void (*done)(void *ctx, const struct pmg_err *err, int status);
};

/* What all exchanges share; borrowed. */
struct pmg_upstream {
	struct pmg_multi *multi;
	struct pmg_route *route;
	struct pmg_bundle *bundle;
};

struct pmg_exchange;
/**
 * @param url   borrowed until the end
 * @param head  borrowed for the call; ready for upstream (pmg_request_clean())
 * @param framing, length  of the request's body: NONE, LENGTH or CHUNKED
 * @param user  copied
 * @return 0 or -PMG_E_INTERNAL
 */
int pmg_exchange_start(const struct pmg_upstream *upstream, const struct pmg_url *url,
		       const struct pmg_head *head, enum pmg_framing framing, uint64_t length,
		       const struct pmg_exchange_user *user, struct pmg_exchange **out,
		       struct pmg_err *err) PMG_MUST_CHECK;
/** What had to wait may go on. Not from within the user's functions. */
void pmg_exchange_resume(struct pmg_exchange *exchange);
/** Ends it without a word. From done() or outside of the user's functions. NULL is fine. */
void pmg_exchange_free(struct pmg_exchange *exchange);

#endif
