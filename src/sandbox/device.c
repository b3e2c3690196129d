#include "sandbox/device_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#define MEM_MAJOR     1U /* null, zero, random: never wait */
#define TTY_MAJOR     5U
#define TTY_MINOR     0U
#define PTMX_MINOR    2U
#define PTS_MAJOR     136U /* to 143, of 256 each */
#define PTS_MAJORS    8U
#define STAT_MAX      512
#define FIELDS_TO_TTY 4 /* of PID/stat, after the name: state ppid pgrp session tty */
#define NAME_LEN      32
#define STANDARD_FDS  3

static bool is_pts(dev_t dev)
{
	return major(dev) >= PTS_MAJOR && major(dev) < PTS_MAJOR + PTS_MAJORS;
}

static unsigned pts_number(dev_t dev)
{
	return (major(dev) - PTS_MAJOR) * 256 + minor(dev);
}

/* Controlling terminal of the caller; 0: none. */
static dev_t terminal_of(struct pmg_request *request)
{
	char name[NAME_LEN], text[STAT_MAX];
	pmg_autofd int fd = -1;
	const char *at;
	unsigned long n;
	ssize_t len;
	int i;

	(void)snprintf(name, sizeof name, "%d/stat", (int)request->who.tid);
	fd = openat(request->broker->proc, name, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (len < 0)
		return 0;
	text[len] = '\0';
	at = strrchr(text, ')'); /* the name before it may hold anything */
	for (i = 0; at && i <= FIELDS_TO_TTY; i++)
		at = strchr(at + 1, ' ');
	n = at ? strtoul(at, NULL, 10) : 0;
	return makedev((n >> 8) & 0xfff, (n & 0xff) | ((n >> 12) & 0xfff00));
}

/* By a descriptor that the caller has of it: a name in /dev may be another terminal's here. */
static int own_terminal(struct pmg_request *request, dev_t terminal)
{
	struct stat st;
	int number;

	for (number = 0; number < STANDARD_FDS; number++) {
		int fd = pmg_caller_fd(request, number);

		if (fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == terminal)
			return fd;
		if (fd >= 0)
			(void)close(fd);
	}
	return -ENXIO;
}

static int named_terminal(dev_t terminal)
{
	char name[NAME_LEN];
	struct stat st;
	int fd;

	if (!is_pts(terminal))
		return -ENXIO;
	(void)snprintf(name, sizeof name, "/dev/pts/%u", pts_number(terminal));
	fd = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && st.st_rdev == terminal)
		return fd;
	(void)close(fd);
	return -ENXIO;
}

/* /dev/tty is another device for each session, and ours has none: hand in the caller's own. */
static int open_terminal(struct pmg_request *request, int flags)
{
	dev_t terminal = terminal_of(request);
	pmg_autofd int fd = -1;

	if (terminal == 0)
		return -ENXIO;
	fd = own_terminal(request, terminal);
	if (fd < 0)
		fd = named_terminal(terminal);
	return fd < 0 ? fd : pmg_reopen(request->broker, fd, flags);
}

static int open_ptmx(struct pmg_request *request, const struct pmg_object *object, int flags)
{
	int fd = pmg_reopen(request->broker, object->fd, flags);
	unsigned number;

	if (fd >= 0 && ioctl(fd, TIOCGPTN, &number) == 0 && number < PMG_PTYS_MAX)
		(void)__atomic_or_fetch(&request->broker->ptys[number / 8],
					(uint8_t)(1U << number % 8), __ATOMIC_SEQ_CST);
	return fd;
}

/* The caller's own terminal, or one that the run has made: not those of other windows. */
static bool is_own_pts(struct pmg_request *request, dev_t dev)
{
	unsigned number = pts_number(dev);

	if (!is_pts(dev))
		return false;
	if (number < PMG_PTYS_MAX && request->broker->ptys[number / 8] & (1U << number % 8))
		return true;
	return terminal_of(request) == dev;
}

static int judge(struct pmg_request *request, const struct pmg_object *object, int flags)
{
	int r = 0;

	if ((flags & O_ACCMODE) != O_RDONLY)
		r = pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_WRITE, object);
	if (r == 0 && (flags & O_ACCMODE) != O_WRONLY)
		r = pmg_judge_object(request, PMG_ACCESS_READ, PMG_EVENT_READ, object);
	return r;
}

bool pmg_device_open(struct pmg_request *request, const struct pmg_object *object, int flags,
		     struct pmg_answer *answer)
{
	dev_t dev = object->st.st_rdev;
	int fd = -EACCES;

	if (!S_ISCHR(object->st.st_mode) || major(dev) == MEM_MAJOR)
		return false;
	if (!is_own_pts(request, dev))
		fd = judge(request, object, flags);
	else
		fd = 0;
	if (fd == 0 && dev == makedev(TTY_MAJOR, TTY_MINOR))
		fd = open_terminal(request, flags);
	else if (fd == 0 && dev == makedev(TTY_MAJOR, PTMX_MINOR))
		fd = open_ptmx(request, object, flags);
	else if (fd == 0 && is_pts(dev))
		fd = pmg_reopen(request->broker, object->fd, flags);
	else if (fd == 0) {
		pmg_wait_open(request, object->fd, flags, answer);
		return true;
	}
	if (fd < 0) {
		pmg_answer_fail(answer, -fd);
		return true;
	}
	answer->kind = PMG_ANSWER_FD;
	answer->fd = fd;
	answer->cloexec = (flags & O_CLOEXEC) != 0;
	return true;
}
