#ifndef PMG_PROXY_LINK_H
#define PMG_PROXY_LINK_H
/**
 * The socket to the front, within the loop. Sending never blocks: while the
 * front is busy or stopped, messages wait here, in a bounded queue.
 */
#include <stdbool.h>

#include "base/msg.h"
#include "proxy/loop.h"

#define PMG_LINK_QUEUE_MAX 65536U /* messages; a front that lets more pile up is taken for gone */

/* What the owner wants to know; none may be NULL. */
struct pmg_link_user {
	void *ctx;
	void (*message)(void *ctx, const struct pmg_msg *msg);
	void (*sent)(void *ctx); /* the queue has become empty */
	void (*gone)(void *ctx); /* the front has closed, or speaks nonsense; called once */
};

struct pmg_link;
/** @param fd  borrowed; becomes non-blocking. @return 0 or -PMG_E_SYS */
int pmg_link_new(struct pmg_loop *loop, int fd, const struct pmg_link_user *user,
		 struct pmg_link **out, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_link_free(struct pmg_link *link);
PMG_DEFINE_AUTO(link, struct pmg_link *, pmg_link_free);

/** @param body  taken. A body that is too large for a message is dropped: callers bound theirs. */
void pmg_link_send(struct pmg_link *link, uint16_t type, struct json_t *body);
/** Take what has come already, at once. */
void pmg_link_poll(struct pmg_link *link);
bool pmg_link_is_idle(const struct pmg_link *link); /* all is sent */

#endif
