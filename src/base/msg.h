#ifndef PMG_BASE_MSG_H
#define PMG_BASE_MSG_H
/**
 * The one framed message that pmg's processes speak: over SOCK_SEQPACKET, a
 * 16-bit type in host order, then a JSON object of at most PMG_MSG_MAX bytes.
 * What types there are and what they carry: violation/wire.h.
 *
 * The receiver believes nothing: a frame that is cut, too long, with more than
 * PMG_MSG_FDS_MAX descriptors or not an object is -PMG_E_PEER, after which the
 * connection is of no more use; what descriptors it brought are closed. Who
 * expects none, or fewer, needs only call pmg_msg_done().
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

#define PMG_MSG_MAX     65536U
#define PMG_MSG_FDS_MAX 48U

struct pmg_msg {
	uint16_t type;
	struct json_t *body;      /* an object; pmg_msg_done() */
	int fds[PMG_MSG_FDS_MAX]; /* that came with it, close-on-exec; pmg_msg_done() closes them;
				   * take one with pmg_steal_fd() */
	size_t n_fds;
};

void pmg_msg_done(struct pmg_msg *msg);
PMG_DEFINE_AUTO_DONE(msg, struct pmg_msg, pmg_msg_done);

/** A connected pair, both close-on-exec. @return 0 or -PMG_E_SYS */
int pmg_msg_pair(int fds[2], struct pmg_err *err) PMG_MUST_CHECK;

/** @param body  borrowed; NULL for an empty object. @return 0; -PMG_E_LIMIT; -PMG_E_PEER: gone */
int pmg_msg_send(int fd, uint16_t type, const struct json_t *body,
		 struct pmg_err *err) PMG_MUST_CHECK;

/** The same, with descriptors (borrowed), at most PMG_MSG_FDS_MAX. @return also -PMG_E_LIMIT */
int pmg_msg_send_fds(int fd, uint16_t type, const struct json_t *body, const int *fds, size_t n_fds,
		     struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Receive one, with the descriptors that it brings.
 * @return 1: *msg is filled; 0: the peer closed; -PMG_E_TIMEOUT: fd is non-blocking and nothing
 *         is there; -PMG_E_PEER
 */
int pmg_msg_recv(int fd, struct pmg_msg *msg, struct pmg_err *err) PMG_MUST_CHECK;

#endif
