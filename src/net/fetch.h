#ifndef PMG_NET_FETCH_H
#define PMG_NET_FETCH_H
/**
 * Fetch a file by http or https: whole, or not at all. It grows in "TO.part" and
 * is synced and renamed when all of it is there; what was cut off goes on where
 * it ended the next time, if the server still has the same file by its ETag.
 *
 * Redirects are followed, a few, and never from https to http; each address is
 * read as strictly as the first. Parent proxy and roots: net/upstream.h.
 */
#include <stdbool.h>
#include <stdint.h>

#include "net/upstream.h"

#define PMG_FETCH_REDIRECTS_MAX 5U
#define PMG_FETCH_TAG_MAX       1024U /* bytes of a validator: a longer one is as none */

struct pmg_fetch;
void pmg_fetch_free(struct pmg_fetch *fetch);
PMG_DEFINE_AUTO(fetch, struct pmg_fetch *, pmg_fetch_free);

/** For several files, one after the other: connections are kept. Both borrowed. */
int pmg_fetch_new(const struct pmg_route *route, struct pmg_bundle *bundle, struct pmg_fetch **out,
		  struct pmg_err *err) PMG_MUST_CHECK;

/* All borrowed. */
struct pmg_fetch_want {
	const char *url;
	const char *to;            /* path; its folder is there and nobody else's */
	const char *etag;          /* of what the caller has: as it came, with its quotes; NULL */
	const char *last_modified; /* the same; used where there is no etag */
	const char *accept;        /* NULL: no such header */
	const char *authorization; /* sent to the host of url alone; NULL */
	uint64_t max;              /* bytes of the file */
	/** Called now and then. @param total  0: not known */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

struct pmg_fetch_got {
	bool unchanged;      /* 304: nothing was written */
	char *etag;          /* NULL: the server gave none */
	char *last_modified; /* the same */
	char *challenge;     /* WWW-Authenticate of a 401; NULL */
	long status;         /* also of an answer that is an error; 0: there was none */
	uint64_t bytes;      /* of the file */
	uint64_t resumed;    /* of them: what was there before */
};
void pmg_fetch_got_done(struct pmg_fetch_got *got);
PMG_DEFINE_AUTO_DONE(fetch_got, struct pmg_fetch_got, pmg_fetch_got_done);

/**
 * @param[out] got  zeroed before; status and challenge are filled also on failure
 * @return 0; with PMG4009 -PMG_E_NOTFOUND: 404 or 410, -PMG_E_NETWORK: another status; a redirect
 * that may not be, an answer that does not fit what was asked for; -PMG_E_LIMIT: larger than max;
 *         what pmg_upstream_error() returns; -PMG_E_SYS
 */
int pmg_fetch_file(struct pmg_fetch *fetch, const struct pmg_fetch_want *want,
		   struct pmg_fetch_got *got, struct pmg_err *err) PMG_MUST_CHECK;

/** Throw away what was begun of a file, that it is not gone on with. */
void pmg_fetch_forget(const char *to);

#endif
