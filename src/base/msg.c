#include "base/msg.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

void pmg_msg_done(struct pmg_msg *msg)
{
	pmg_json_free(msg->body);
	msg->body = NULL;
}

int pmg_msg_pair(int fds[2], struct pmg_err *err)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "socketpair");
	return 0;
}

int pmg_msg_send(int fd, uint16_t type, const struct json_t *body, struct pmg_err *err)
{
	pmg_autofree char *text = body ? pmg_json_dump(body) : pmg_xstrdup("{}");
	struct iovec iov[2] = { { &type, sizeof type }, { text, strlen(text) } };
	struct msghdr head = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t n;

	if (iov[1].iov_len > PMG_MSG_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "message %u: %zu bytes", type,
				   iov[1].iov_len);
	do
		n = sendmsg(fd, &head, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return pmg_err_set(err, PMG_E_PEER, errno, "send message %u", type);
	return 0;
}

static int decode(const char *buf, size_t len, struct pmg_msg *msg, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *body = NULL;
	uint16_t type;
	int r;

	if (len < sizeof type)
		return pmg_err_set(err, PMG_E_PEER, 0, "message of %zu bytes", len);
	memcpy(&type, buf, sizeof type);
	r = pmg_json_parse("message", buf + sizeof type, len - sizeof type, &body, err);
	if (r < 0 || !pmg_json_is_object(body))
		return pmg_err_set(err, PMG_E_PEER, 0, "message %u is no object", type);
	msg->type = type;
	msg->body = pmg_steal_ptr(&body);
	return 1;
}

int pmg_msg_recv(int fd, struct pmg_msg *msg, struct pmg_err *err)
{
	static const size_t room = PMG_MSG_MAX + sizeof(uint16_t);
	pmg_autofree char *buf = pmg_xmalloc(room);
	struct iovec iov = { buf, room };
	struct msghdr head = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	do
		n = recvmsg(fd, &head, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return pmg_err_set(err, PMG_E_TIMEOUT, 0, "no message");
	if (n < 0 && errno != ECONNRESET)
		return pmg_err_set(err, PMG_E_PEER, errno, "receive message");
	if (n <= 0)
		return 0;
	if (head.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return pmg_err_set(err, PMG_E_PEER, 0, "message too long");
	return decode(buf, (size_t)n, msg, err);
}
