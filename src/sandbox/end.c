#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "sandbox/walls_priv.h"

#define LINGER_S 5

int pmg_walls_die_with(pid_t parent, struct pmg_err *err)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "ask to die with the parent");
	if (getppid() != parent)
		return pmg_err_set(err, PMG_E_PEER, 0, "the parent is gone");
	return 0;
}

int pmg_walls_detach(bool debug, struct pmg_err *err)
{
	pmg_autofd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fd;

	if (setsid() < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "setsid");
	if (null < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open /dev/null");
	for (fd = 0; fd <= (debug ? 1 : 2); fd++)
		if (dup2(null, fd) < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "dup2");
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "set not dumpable");
	return 0;
}

void pmg_walls_close_but(const int *keep, size_t n)
{
	int from = 3, next;
	size_t i;

	for (;;) {
		next = -1;
		for (i = 0; i < n; i++)
			if (keep[i] >= from && (next < 0 || keep[i] < next))
				next = keep[i];
		if (next < 0)
			break;
		pmg_io_close_between(from, next - 1);
		from = next + 1;
	}
	pmg_io_close_between(from, INT32_MAX);
}

/* Who closes a socket with something unread in it makes the other side see a reset, before what
 * was sent last: a GO that crosses our FAILED would hide it. */
void pmg_walls_hang_up(int wire)
{
	const struct timeval most = { LINGER_S, 0 };
	char byte;

	(void)shutdown(wire, SHUT_WR);
	(void)setsockopt(wire, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
	while (recv(wire, &byte, 1, 0) > 0)
		;
}

void pmg_walls_failed(int wire, const struct pmg_err *err)
{
	pmg_auto(json) struct json_t *body = pmg_wire_failed_encode(err);
	struct pmg_err scratch = PMG_ERR_INIT;

	(void)!pmg_msg_send(wire, PMG_WIRE_FAILED, body,
			    &scratch); /* the front is gone: so are we */
	pmg_walls_hang_up(wire);
}

void pmg_walls_stage(const struct pmg_sandbox_want *want, const char *what)
{
	struct timespec now;

	if (!want->debug)
		return;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	pmg_log_debug("walls at %ld.%06ld s: %s", (long)now.tv_sec, now.tv_nsec / 1000, what);
}
