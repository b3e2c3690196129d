#include "base/msg.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Room for the descriptors of one message, aligned as cmsg(3) wants it. */
union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(PMG_MSG_FDS_MAX * sizeof(int))];
};

static void close_all(struct pmg_msg *msg)
{
	size_t i;

	for (i = 0; i < msg->n_fds; i++)
		pmg_auto_closep(&msg->fds[i]);
	msg->n_fds = 0;
}

void pmg_msg_done(struct pmg_msg *msg)
{
	pmg_json_free(msg->body);
	msg->body = NULL;
	close_all(msg);
}

int pmg_msg_pair(int fds[2], struct pmg_err *err)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "socketpair");
	return 0;
}

static void attach(struct msghdr *head, union control *control, const int *fds, size_t n_fds)
{
	struct cmsghdr *rights;

	memset(control, 0, sizeof *control);
	head->msg_control = control->room;
	head->msg_controllen = CMSG_SPACE(n_fds * sizeof *fds);
	rights = CMSG_FIRSTHDR(head);
	assert(rights); /* there is room for it */
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(n_fds * sizeof *fds);
	memcpy(CMSG_DATA(rights), fds, n_fds * sizeof *fds);
}

int pmg_msg_send_fds(int fd, uint16_t type, const struct json_t *body, const int *fds, size_t n_fds,
		     struct pmg_err *err)
{
	pmg_autofree char *text = body ? pmg_json_dump(body) : pmg_xstrdup("{}");
	struct iovec iov[2] = { { &type, sizeof type }, { text, strlen(text) } };
	struct msghdr head = { .msg_iov = iov, .msg_iovlen = 2 };
	union control control;
	ssize_t n;

	if (iov[1].iov_len > PMG_MSG_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "message %u: %zu bytes", type,
				   iov[1].iov_len);
	if (n_fds > PMG_MSG_FDS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "message %u: %zu descriptors", type, n_fds);
	if (n_fds)
		attach(&head, &control, fds, n_fds);
	do
		n = sendmsg(fd, &head, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return pmg_err_set(err, PMG_E_PEER, errno, "send message %u", type);
	return 0;
}

int pmg_msg_send(int fd, uint16_t type, const struct json_t *body, struct pmg_err *err)
{
	return pmg_msg_send_fds(fd, type, body, NULL, 0, err);
}

/* Every descriptor that came in is ours to close from here on, whatever else the message is. Room
 * never runs out: the kernel hands over no more than the control buffer takes. */
static void take_fds(struct msghdr *head, struct pmg_msg *msg)
{
	struct cmsghdr *c;
	size_t n;

	msg->n_fds = 0;
	for (c = CMSG_FIRSTHDR(head); c; c = CMSG_NXTHDR(head, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		assert(n <= PMG_MSG_FDS_MAX - msg->n_fds);
		memcpy(msg->fds + msg->n_fds, CMSG_DATA(c), n * sizeof(int));
		msg->n_fds += n;
	}
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
	union control control;
	struct msghdr head = { .msg_iov = &iov,
			       .msg_iovlen = 1,
			       .msg_control = control.room,
			       .msg_controllen = sizeof control.room };
	ssize_t n;
	int r;

	do
		n = recvmsg(fd, &head, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return pmg_err_set(err, PMG_E_TIMEOUT, 0, "no message");
	if (n < 0 && errno != ECONNRESET)
		return pmg_err_set(err, PMG_E_PEER, errno, "receive message");
	if (n < 0)
		return 0;
	take_fds(&head, msg);
	if (n == 0)
		r = 0;
	else if (head.msg_flags & MSG_CTRUNC)
		r = pmg_err_set(err, PMG_E_PEER, 0, "message with too many descriptors");
	else if (head.msg_flags & MSG_TRUNC)
		r = pmg_err_set(err, PMG_E_PEER, 0, "message too long");
	else
		r = decode(buf, (size_t)n, msg, err);
	if (r != 1)
		close_all(msg);
	return r;
}
