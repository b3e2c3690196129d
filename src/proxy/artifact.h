#ifndef PMG_PROXY_ARTIFACT_H
#define PMG_PROXY_ARTIFACT_H
/**
 * An artifact on its way to the client is looked into (verdict/inspect.h), and its end is held back
 * until that is done: one that is small comes late, a large one stays short of its last bytes. So
 * nothing that is refused ever looks whole, and of what is small not a byte gets out.
 *
 * A part of an artifact tells neither its digest nor its contents: requests for parts, and for
 * whether something has changed, are asked upstream for the whole.
 */
#include "proxy/exchange.h"
#include "proxy/gate.h"
#include "verdict/earlier.h"
#include "verdict/inspect.h"

#define PMG_ARTIFACT_HELD        ((size_t)256 << 10) /* bytes held back, of one */
#define PMG_ARTIFACT_HEAD_MAX    ((size_t)2 * PMG_HTTP_HEAD_MAX)
#define PMG_ARTIFACT_REFUSED_MAX 1024U   /* addresses that are refused at once when asked again */
#define PMG_ARTIFACT_JUDGE_MS    300000U /* until what is held back is judged */

/* What of all that can be found matters: bits of conf/trait.h. */
struct pmg_artifact_policy {
	bool enabled; /* archives are opened; digests are taken in any case where there are any */
	uint32_t block;
	uint32_t report;
	struct pmg_earlier *earlier; /* borrowed; compared with, and added to */
};

struct pmg_loop;
struct pmg_artifacts;
/** @param gate  borrowed. @return 0 or -PMG_E_SYS */
int pmg_artifacts_new(struct pmg_loop *loop, const struct pmg_gate *gate,
		      const struct pmg_artifact_policy *policy, struct pmg_artifacts **out,
		      struct pmg_err *err) PMG_MUST_CHECK;
/** After all artifacts were freed. NULL is fine. */
void pmg_artifacts_free(struct pmg_artifacts *artifacts);
/** Is the answer to this request to be looked into? */
bool pmg_artifacts_want(const struct pmg_artifacts *artifacts, const struct pmg_asked *asked,
			const struct pmg_url *url);
/** Does the request ask for a metadata file, at a distribution's address with ".metadata" behind it
 * (PEP 658)? It is not looked into, but has to be plain text: a document or a redirect could name
 * such an address for an archive. */
bool pmg_artifacts_want_text(const struct pmg_artifacts *artifacts, const struct pmg_asked *asked,
			     const struct pmg_url *url);
/** Was what lies at this address refused before for what is in it? @param[out] out  filled if so */
bool pmg_artifacts_refuse(const struct pmg_artifacts *artifacts, const struct pmg_url *url,
			  struct pmg_refusal *out);
/** Change a request so that the body comes in no coding. */
void pmg_artifact_ask_plain(struct pmg_head *head);
/** Change a request so that all of it comes, in no coding: no range, no condition. */
void pmg_artifact_ask_whole(struct pmg_head *head);

struct pmg_artifact;
/* Who gets it. */
struct pmg_artifact_user {
	void *ctx;
	/** Bytes of the body that may go on. @return GO, or STOP: nobody takes them any more */
	enum pmg_flow (*pass)(void *ctx, const char *bytes, size_t len);
	/** More may be fed, or it is done. Not called from within a function below. */
	void (*moved)(void *ctx);
};

/**
 * @param asked, path      borrowed for the call; the path of its address
 * @param head             of the answer, with a body that clients may take; is changed
 * @param framing, length  of its body
 * @param user             copied
 */
struct pmg_artifact *pmg_artifact_new(struct pmg_artifacts *artifacts,
				      const struct pmg_asked *asked, const char *path,
				      struct pmg_head *head, enum pmg_framing framing,
				      uint64_t length,
				      const struct pmg_artifact_user *user) PMG_MUST_CHECK;
void pmg_artifact_free(struct pmg_artifact *artifact); /* at any time; NULL is fine */
/** Where the head waits until the first bytes may go on. */
struct pmg_str *pmg_artifact_head(struct pmg_artifact *artifact);

/** @return GO: taken; WAIT: not, moved() will tell; STOP */
enum pmg_flow pmg_artifact_feed(struct pmg_artifact *artifact, const char *bytes, size_t len);
/** All has come. moved() will tell when it is looked through. */
void pmg_artifact_finish(struct pmg_artifact *artifact);
bool pmg_artifact_is_done(struct pmg_artifact *artifact);
/**
 * It is done: may its end go on? The front is told in either case, and the address of what is
 * refused is remembered.
 * @param[out] out  filled when it may not
 */
bool pmg_artifact_judge(struct pmg_artifact *artifact, const struct pmg_asked *asked,
			const struct pmg_url *url, struct pmg_refusal *out) PMG_MUST_CHECK;
/** Hand what is held back to pass(). @return as pass() */
enum pmg_flow pmg_artifact_release(struct pmg_artifact *artifact);

#endif
