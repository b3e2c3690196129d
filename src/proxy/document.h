#ifndef PMG_PROXY_DOCUMENT_H
#define PMG_PROXY_DOCUMENT_H
/**
 * The answer of a registry that says what there is of a package, on its way to
 * the client: it is put aside until all of it has come, read, dated where it
 * does not say when things came out, and handed on: byte for byte when nothing
 * of it has to be withheld, else without that. What cannot be read is refused:
 * nobody knows what is in it.
 *
 *   new() before the request goes out: it must not ask "has it changed?"
 *   begin(), feed() each piece, end() as the answer comes
 *   the task, when it had to wait
 *   start(), and pull() until there is nothing more
 */
#include "proxy/exchange.h"
#include "proxy/request.h"
#include "proxy/respond.h"
#include "proxy/service.h"

/* No document, or no date of an artifact, since the registry did not say what is needed.
 * docs/codes/PMG3011.md */
#define PMG_DIAG_DOCUMENT 3011

struct pmg_document;
void pmg_document_free(struct pmg_document *document);
PMG_DEFINE_AUTO(document, struct pmg_document *, pmg_document_free);

/**
 * Is the answer to that request to be read before it goes on? Then the head is changed so that it
 * can be: nothing in it makes the answer depend on what the client has in its cache, its coding is
 * one that is read, and HEAD has become GET: the caller leaves the body out.
 * @param service  borrowed until the end
 * @param asked, url  borrowed for the call
 * @param head  of the client, cleaned (pmg_request_clean())
 * @param task  borrowed; queued when feed() had said WAIT and may go on, and when end() had said
 *              that it is not over
 * @return NULL: no
 */
struct pmg_document *pmg_document_new(struct pmg_service *service, const struct pmg_asked *asked,
				      const struct pmg_url *url, struct pmg_head *head,
				      struct pmg_task *task) PMG_MUST_CHECK;
/** The head of the answer. @return true: it is kept, and taken from the caller; false: such an
 *  answer has no document, it goes on as it is */
bool pmg_document_begin(struct pmg_document *document, struct pmg_head *head);
enum pmg_flow pmg_document_feed(struct pmg_document *document, const char *bytes, size_t len);
/** All of it has come, or the task has run. @return true: start(); false: the task comes: when a
 *  registry has said when things came out, or when others were served */
bool pmg_document_end(struct pmg_document *document);

/** feed() said STOP: it cannot be put aside, and start() will say so. */
bool pmg_document_is_lost(const struct pmg_document *document);

/**
 * A tag's document is of a version that is withheld: which one's is to be asked for in its place?
 * @return borrowed; NULL: none, go on with start()
 */
const char *pmg_document_instead(const struct pmg_document *document);

/**
 * The head of what the client gets.
 * @param minor, keeps  of its request
 * @param[out] outgoing, out  as pmg_response_write()
 * @param[out] err  when negative is returned: why it gets no document; diag is PMG_DIAG_DOCUMENT
 * @return 1: the body follows by pull(); 0: there is none (304); -PMG_E_...: refuse it
 */
int pmg_document_start(struct pmg_document *document, int minor, bool keeps,
		       struct pmg_outgoing *outgoing, struct pmg_str *out,
		       struct pmg_err *err) PMG_MUST_CHECK;
/**
 * The next bytes of the body.
 * @param[out] bytes, len  borrowed until the next call; len is 0 at its end
 * @return 0; -PMG_E_...: it cannot be completed
 */
int pmg_document_pull(struct pmg_document *document, const char **bytes, size_t *len,
		      struct pmg_err *err) PMG_MUST_CHECK;

#endif
