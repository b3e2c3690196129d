#include "verdict/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

#define STEP_MS 50

int pmg_lock_take(const char *path, uint64_t wait_ms, int *out, struct pmg_err *err)
{
	pmg_autofree char *name = pmg_xasprintf("%s.lock", path);
	pmg_autofd int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	uint64_t until = pmg_clock_ms() + wait_ms;
	const struct timespec step = { 0, STEP_MS * 1000000L };

	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open %s", name);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return pmg_err_set(err, PMG_E_SYS, errno, "lock %s", name);
		if (pmg_clock_ms() >= until) {
			(void)pmg_err_set(err, PMG_E_TIMEOUT, 0, "%s: another pmg is writing it",
					  path);
			return pmg_err_hint(err, "wait for it to end and try again");
		}
		(void)nanosleep(&step, NULL);
	}
	*out = pmg_steal_fd(&fd);
	return 0;
}
