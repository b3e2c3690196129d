#ifndef PMG_NET_FETCH_H
#define PMG_NET_FETCH_H
/**
 * Fetch a file by http or https: whole, or not at all. It grows in "TO.part", and
 * is synced and renamed to TO when all of it is there. A fetch that was cut off is
 * continued the next time where it ended, if the server's ETag says that it still
 * has the same file.
 *
 * A few redirects are followed, never from https to http; each address is read as
 * strictly as the first. Parent proxy and root certificates: net/upstream.h.
 */
#include <stdbool.h>
#include <stdint.h>

#include "net/upstream.h"

#define PMG_FETCH_REDIRECTS_MAX 5U
#define PMG_FETCH_TAG_MAX       1024U /* bytes of an ETag or a date; longer ones are ignored */

struct pmg_fetch;
void pmg_fetch_free(struct pmg_fetch *fetch);
PMG_DEFINE_AUTO(fetch, struct pmg_fetch *, pmg_fetch_free);

/** For several files, one after the other: connections are kept. @param route, bundle  borrowed */
int pmg_fetch_new(const struct pmg_route *route, struct pmg_bundle *bundle, struct pmg_fetch **out,
		  struct pmg_err *err) PMG_MUST_CHECK;

/* What to fetch. All borrowed. */
struct pmg_fetch_want {
	const char *url;
	const char *to;   /* path; its folder exists, and nobody else can write in it */
	const char *etag; /* of the file that the caller has, with quotes as it was sent; NULL */
	const char *last_modified; /* the same; used only without an etag */
	const char *accept;        /* value of the header Accept; NULL: none */
	const char *authorization; /* sent to the host of url alone; NULL */
	uint64_t max;              /* bytes that the file may have */
	/** Called now and then, with bytes. @param total  of the file; 0: not known */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/* What the server answered. */
struct pmg_fetch_got {
	bool unchanged;      /* 304, the caller has this file: nothing was written */
	char *etag;          /* NULL: the server gave none */
	char *last_modified; /* the same */
	char *challenge;     /* WWW-Authenticate of a 401; NULL */
	long status;         /* of HTTP, errors included; 0: there was no answer */
	uint64_t bytes;      /* of the file */
	uint64_t resumed;    /* how many of them an earlier fetch had left */
};
void pmg_fetch_got_done(struct pmg_fetch_got *got);
PMG_DEFINE_AUTO_DONE(fetch_got, struct pmg_fetch_got, pmg_fetch_got_done);

/**
 * @param[out] got  zeroed by the caller; status and challenge are filled also on failure
 * @return 0; with PMG4009 -PMG_E_NOTFOUND: 404 or 410, -PMG_E_NETWORK: another status, a redirect
 *         that is not followed, an answer that does not fit the request; -PMG_E_LIMIT: larger than
 *         max; what pmg_upstream_error() returns; -PMG_E_SYS
 */
int pmg_fetch_file(struct pmg_fetch *fetch, const struct pmg_fetch_want *want,
		   struct pmg_fetch_got *got, struct pmg_err *err) PMG_MUST_CHECK;

/** Remove what an unfinished fetch left of a file, so that the next one begins anew. */
void pmg_fetch_forget(const char *to);

#endif
