#include "fuzz.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/msg.h"

/* A frame as another process could send it: type and JSON, whatever they are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2], r;

	if (size == 0 || size > PMG_MSG_MAX + 2)
		return 0;
	if (pmg_msg_pair(fds, &err) < 0)
		abort();
	if (send(fds[0], data, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size) {
		r = pmg_msg_recv(fds[1], &msg, &err);
		if (r != 1 && r != -PMG_E_PEER)
			abort();
		if (r == 1 && !pmg_json_is_object(msg.body))
			abort();
		if (r == 1 && pmg_msg_send(fds[1], msg.type, msg.body, &err) < 0 &&
		    err.code != PMG_E_LIMIT)
			abort();
	}
	(void)close(fds[0]);
	(void)close(fds[1]);
	return 0;
}
