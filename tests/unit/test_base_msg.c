#include "base/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

static int fds[2];

static int make_pair(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	return pmg_msg_pair(fds, &err);
}

static int drop_pair(void **state)
{
	(void)state;
	(void)close(fds[0]);
	(void)close(fds[1]);
	return 0;
}

static void a_message_arrives_as_it_was_sent(void **state)
{
	pmg_auto(json) struct json_t *body = pmg_json_object();
	pmg_auto(msg) struct pmg_msg first = { 0 };
	pmg_auto(msg) struct pmg_msg second = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	pmg_json_set_str(body, "k", "v");
	assert_int_equal(pmg_msg_send(fds[0], 65535, body, &err), 0);
	assert_int_equal(pmg_msg_send(fds[0], 2, NULL, &err), 0);
	assert_int_equal(pmg_msg_recv(fds[1], &first, &err), 1);
	assert_int_equal(first.type, 65535);
	assert_string_equal(pmg_json_str(first.body, "k"), "v");
	assert_int_equal(pmg_msg_recv(fds[1], &second, &err), 1);
	assert_int_equal(second.type, 2);
	assert_true(pmg_json_is_object(second.body));
}

static void both_ends_are_closed_on_exec(void **state)
{
	(void)state;
	assert_true(fcntl(fds[0], F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(fds[1], F_GETFD) & FD_CLOEXEC);
}

static void nonsense_breaks_the_connection(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{ "\1", 1 },                     /* no type */
		{ "\1\0", 2 },                   /* no body */
		{ "\1\0[]", 4 },                 /* not an object */
		{ "\1\0{\"a\":1,\"a\":2}", 15 }, /* two readers could disagree */
		{ "\1\0{}x", 5 },                /* something after it */
		{ "\1\0{\"a\":", 7 },            /* cut */
		{ "\1\0\0{}", 5 },
	};
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(send(fds[0], rows[i].bytes, rows[i].len, 0), rows[i].len);
		assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), -PMG_E_PEER);
		assert_null(msg.body);
		assert_int_equal(msg.type, 0);
	}
}

static void size_is_limited_on_both_sides(void **state)
{
	static char big[PMG_MSG_MAX + 100];
	pmg_auto(json) struct json_t *body = pmg_json_object();
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	static const size_t frame = sizeof "{\"k\":\"\"}" - 1;

	(void)state;
	memset(big, 'x', sizeof big - 1);
	pmg_json_set_str(body, "k", big);
	assert_int_equal(pmg_msg_send(fds[0], 1, body, &err), -PMG_E_LIMIT);
	big[PMG_MSG_MAX - frame] = '\0';
	pmg_json_set_str(body, "k", big);
	assert_int_equal(pmg_msg_send(fds[0], 1, body, &err), 0);
	assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), 1);
	memset(big, ' ', sizeof big);
	memcpy(big, "\1\0{}", 4);
	assert_int_equal(send(fds[0], big, PMG_MSG_MAX + 3, 0), PMG_MSG_MAX + 3);
	pmg_msg_done(&msg);
	assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), -PMG_E_PEER);
	assert_string_equal(err.msg, "message too long");
}

static int next_fd(void)
{
	int fd = fcntl(0, F_DUPFD, 3);

	(void)close(fd);
	return fd;
}

static void descriptors_come_with_a_message(void **state)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int ends[2], sent[PMG_MSG_FDS_MAX], taken;
	size_t i;
	char byte;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	for (i = 0; i < PMG_MSG_FDS_MAX; i++)
		sent[i] = i == PMG_MSG_FDS_MAX - 1 ? ends[1] : ends[0];
	assert_int_equal(pmg_msg_send_fds(fds[0], 7, NULL, sent, PMG_MSG_FDS_MAX, &err), 0);
	assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), 1);
	assert_int_equal(msg.type, 7);
	assert_int_equal(msg.n_fds, PMG_MSG_FDS_MAX);
	for (i = 0; i < PMG_MSG_FDS_MAX; i++)
		assert_true(fcntl(msg.fds[i], F_GETFD) & FD_CLOEXEC);
	taken = pmg_steal_fd(&msg.fds[PMG_MSG_FDS_MAX - 1]);
	pmg_msg_done(&msg);
	assert_int_equal(msg.n_fds, 0);
	assert_int_equal(write(taken, "x", 1), 1);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	(void)close(taken);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void too_many_descriptors_are_not_sent(void **state)
{
	int many[PMG_MSG_FDS_MAX + 1] = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_msg_send_fds(fds[0], 1, NULL, many, PMG_MSG_FDS_MAX + 1, &err),
			 -PMG_E_LIMIT);
	assert_string_equal(err.msg, "message 1: 49 descriptors");
}

/* Frames that no pmg sends, with descriptors: none may stay open with us. */
static void send_with(const char *frame, size_t len, size_t n)
{
	char control[CMSG_SPACE((PMG_MSG_FDS_MAX + 1) * sizeof(int))] = { 0 };
	struct iovec iov = { NULL, len };
	struct msghdr head = { .msg_iov = &iov,
			       .msg_iovlen = 1,
			       .msg_control = control,
			       .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&head);
	pmg_autofree char *copy = pmg_xmalloc(len);
	size_t i;

	memcpy(copy, frame, len);
	iov.iov_base = copy;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	for (i = 0; i < n; i++)
		memcpy(CMSG_DATA(c) + i * sizeof(int), &fds[0], sizeof(int));
	assert_int_equal(sendmsg(fds[0], &head, 0), len);
}

static void descriptors_of_refused_messages_are_closed(void **state)
{
	static char big[PMG_MSG_MAX + 100];
	static const struct {
		const char *frame;
		size_t len, n_fds;
		const char *msg;
	} rows[] = {
		{ "\1\0[]", 4, 3, "message 1 is no object" },
		{ "\1", 1, 1, "message of 1 bytes" },
		{ "\1\0{}", 4, PMG_MSG_FDS_MAX + 1, "message with too many descriptors" },
		{ big, sizeof big, 2, "message too long" },
	};
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int before = next_fd();
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		send_with(rows[i].frame, rows[i].len, rows[i].n_fds);
		assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), -PMG_E_PEER);
		assert_string_equal(err.msg, rows[i].msg);
		assert_int_equal(msg.n_fds, 0);
		assert_int_equal(next_fd(), before);
	}
}

static void unexpected_descriptors_go_with_the_message(void **state)
{
	struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int before = next_fd();

	(void)state;
	send_with("\1\0{}", 4, 2);
	assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), 1);
	assert_int_equal(msg.n_fds, 2);
	pmg_msg_done(&msg);
	assert_int_equal(next_fd(), before);
}

static void the_end_is_told_from_waiting(void **state)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), -PMG_E_TIMEOUT);
	assert_int_equal(shutdown(fds[0], SHUT_RDWR), 0);
	assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), 0);
	assert_int_equal(pmg_msg_send(fds[1], 1, NULL, &err), -PMG_E_PEER);
	assert_int_equal(err.errnum, EPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_message_arrives_as_it_was_sent, make_pair,
						drop_pair),
		cmocka_unit_test_setup_teardown(both_ends_are_closed_on_exec, make_pair, drop_pair),
		cmocka_unit_test_setup_teardown(nonsense_breaks_the_connection, make_pair,
						drop_pair),
		cmocka_unit_test_setup_teardown(size_is_limited_on_both_sides, make_pair,
						drop_pair),
		cmocka_unit_test_setup_teardown(descriptors_come_with_a_message, make_pair,
						drop_pair),
		cmocka_unit_test_setup_teardown(too_many_descriptors_are_not_sent, make_pair,
						drop_pair),
		cmocka_unit_test_setup_teardown(descriptors_of_refused_messages_are_closed,
						make_pair, drop_pair),
		cmocka_unit_test_setup_teardown(unexpected_descriptors_go_with_the_message,
						make_pair, drop_pair),
		cmocka_unit_test_setup_teardown(the_end_is_told_from_waiting, make_pair, drop_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
