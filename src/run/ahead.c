#include "run/ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

#define TRIES 10

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool is_empty_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

void pmg_ahead_remove(const char *path)
{
	pmg_autofd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	if (fd >= 0 && is_empty_file(fd))
		(void)unlink(path);
	else
		(void)rmdir(path); /* fails when it is used */
}

void pmg_ahead_done(struct pmg_ahead *ahead)
{
	while (ahead->n_locks > 0)
		(void)close(ahead->locks[--ahead->n_locks]);
	while (ahead->made.n > 0) {
		pmg_ahead_remove(ahead->made.v[ahead->made.n - 1]);
		pmg_strv_remove(&ahead->made, ahead->made.n - 1);
	}
	pmg_strv_done(&ahead->made);
}

/* @return false: it cannot be */
static bool make(struct pmg_ahead *ahead, char *partial)
{
	char *slash = partial;

	while (slash) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(partial, 0777) == 0)
			pmg_strv_add(&ahead->made, partial);
		else if (errno != EEXIST)
			return false;
		if (slash)
			*slash = '/';
	}
	return true;
}

/* @return false: whoever made it has taken it away before we held it */
static bool hold(struct pmg_ahead *ahead, const char *path)
{
	struct stat is, was;
	int fd;

	if (ahead->n_locks == PMG_AHEAD_LOCKS)
		return true;
	fd = open_folder(path);
	if (fd < 0)
		return errno != ENOENT;
	if (flock(fd, LOCK_SH) < 0 || fstat(fd, &was) < 0) {
		(void)close(fd); /* a file system without locks */
		return true;
	}
	if (stat(path, &is) < 0 || is.st_dev != was.st_dev || is.st_ino != was.st_ino) {
		(void)close(fd);
		return false;
	}
	ahead->locks[ahead->n_locks++] = fd;
	return true;
}

void pmg_ahead_make_file(struct pmg_ahead *ahead, const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC;
	int fd = open(path, flags | O_CREAT | O_EXCL, 0666);
	bool made = fd >= 0;

	/* One that is there and empty may be another run's, which must leave it to us then. */
	if (!made)
		fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	if (made)
		pmg_strv_add(&ahead->made, path);
	if (ahead->n_locks < PMG_AHEAD_LOCKS && is_empty_file(fd) && flock(fd, LOCK_SH) == 0)
		ahead->locks[ahead->n_locks++] = fd;
	else
		(void)close(fd);
}

void pmg_ahead_make(struct pmg_ahead *ahead, const char *path)
{
	pmg_autofree char *partial = pmg_path_clean(path);
	int tries = 0;

	while (make(ahead, partial) && !hold(ahead, partial) && ++tries < TRIES)
		;
}
