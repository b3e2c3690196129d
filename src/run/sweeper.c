#include "run/sweeper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/strv.h"
#include "run/ahead.h"
#include "run/folder.h"

/* What the run has started dies with the front, one after the other, and until it has, it may
 * still hold locks and make files. */
#define LOOK_NS  20000000L
#define LOOKS    500U
#define PATHS    64U
#define TEXT_MAX (PATH_MAX + 1)

/* The folders, which take what the run still writes with them; then those made ahead, from below.
 */
static void sweep(struct pmg_strv *list)
{
	const struct timespec pause = { 0, LOOK_NS };
	unsigned looks;
	bool gone = false;
	size_t i;

	for (looks = 0; !gone && looks < LOOKS; looks++) {
		gone = true;
		for (i = 0; i < list->n; i++)
			if (list->v[i][0] == PMG_SWEEPER_FOLDER)
				gone = pmg_folder_sweep(list->v[i] + 1) && gone;
		if (!gone)
			(void)nanosleep(&pause, NULL);
	}
	for (i = list->n; i > 0; i--)
		if (list->v[i - 1][0] == PMG_SWEEPER_AHEAD)
			pmg_ahead_remove(list->v[i - 1] + 1);
}

/* The socket closes when the front is gone, however it went. */
static void listen_to(int fd, struct pmg_strv *list)
{
	char text[TEXT_MAX + 1];
	ssize_t n;

	for (;;) {
		n = recv(fd, text, TEXT_MAX, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text[n] = '\0';
		if (list->n < PATHS)
			pmg_strv_add(list, text);
	}
}

static void sweeper_main(int fd)
{
	pmg_auto(strv) struct pmg_strv list = { 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), to;
	sigset_t all;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)prctl(PR_SET_NAME, "pmg-sweeper", 0, 0, 0);
	/* Whoever reads what the tool says must see its end, and the terminal must not end us. */
	if (setsid() < 0 || null < 0)
		_exit(PMG_EXIT_INTERNAL);
	for (to = 0; to <= STDERR_FILENO; to++)
		if (dup2(null, to) < 0)
			_exit(PMG_EXIT_INTERNAL);
	fd = dup2(fd, STDERR_FILENO + 1);
	pmg_io_close_from(STDERR_FILENO + 2);
	/* A folder that lies below a mounted one must not keep that from being taken away. */
	if (fd < 0 || chdir("/") < 0)
		_exit(PMG_EXIT_INTERNAL);
	listen_to(fd, &list);
	sweep(&list);
	_exit(0);
}

int pmg_sweeper_start(struct pmg_sweeper *out, struct pmg_err *err)
{
	pmg_autofd int ours = -1;
	pmg_autofd int theirs = -1;
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "socketpair");
	ours = fds[0];
	theirs = fds[1];
	pid = fork();
	if (pid < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (pid == 0)
		sweeper_main(theirs);
	out->pid = pid;
	out->fd = pmg_steal_fd(&ours);
	return 0;
}

void pmg_sweeper_add(const struct pmg_sweeper *sweeper, enum pmg_sweeper_kind kind,
		     const char *path)
{
	char text[TEXT_MAX];
	size_t len = strlen(path);

	if (sweeper->fd < 0 || len >= sizeof text)
		return;
	text[0] = (char)kind;
	memcpy(text + 1, path, len);
	(void)!send(sweeper->fd, text, len + 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void pmg_sweeper_done(struct pmg_sweeper *sweeper)
{
	if (sweeper->pid > 0) {
		(void)kill(sweeper->pid, SIGKILL); /* first: it must not take our end for a loss */
		while (waitpid(sweeper->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	pmg_auto_closep(&sweeper->fd);
	*sweeper = (struct pmg_sweeper)PMG_SWEEPER_INIT;
}
