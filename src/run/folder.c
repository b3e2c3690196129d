#include "run/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "run/remove.h"

#define PREFIX     "run-"
#define SWEEP_MAX  64U /* folders looked at in one sweep */
#define BASE_TRIES 100

/* A folder of ours that nobody else may enter. @return -1 with errno, EPERM when it is another's */
static int open_private(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) == 0)
		return fd;
	if (fd >= 0)
		errno = EPERM;
	pmg_auto_closep(&fd);
	return -1;
}

/* What is in a folder. fd stays where it is: the listing has a descriptor of its own. */
static DIR *list(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (!dir)
		pmg_auto_closep(&copy);
	return dir;
}

/* Whoever gets the lock of a run's folder knows that its run is gone: the lock dies with it. */
static bool sweep_one(int base, const char *name)
{
	pmg_autofd int fd = open_private(base, name);

	if (fd < 0)
		return errno == ENOENT;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return false;
	pmg_remove_below(fd);
	return unlinkat(base, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

static void sweep(int base)
{
	DIR *dir = list(base);
	const struct dirent *entry;
	unsigned n = 0;

	if (!dir)
		return;
	while (n < SWEEP_MAX && (entry = readdir(dir)))
		if (pmg_str_has_prefix(entry->d_name, PREFIX)) {
			(void)sweep_one(base, entry->d_name);
			n++;
		}
	(void)closedir(dir);
}

/* Is fd still what `path` names? The base folder goes when its last run goes. */
static bool is_at(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static int lock_wait(int fd)
{
	int r;

	do
		r = flock(fd, LOCK_EX);
	while (r < 0 && errno == EINTR);
	return r;
}

/* The base folder, made when missing, under its lock. @return descriptor or -PMG_E_SYS */
static int open_base(const char *base, struct pmg_err *err)
{
	int tries;

	for (tries = 0; tries < BASE_TRIES; tries++) {
		pmg_autofd int fd = -1;

		if (mkdir(base, 0700) < 0 && errno != EEXIST)
			return pmg_err_set(err, PMG_E_SYS, errno, "make %s", base);
		fd = open_private(AT_FDCWD, base);
		if (fd < 0 && errno == ENOENT)
			continue; /* another run has just taken it away */
		if (fd < 0)
			return pmg_err_set(err, PMG_E_SYS, 0, "%s is not a private folder of ours",
					   base);
		if (lock_wait(fd) < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "lock %s", base);
		if (is_at(fd, base))
			return pmg_steal_fd(&fd);
	}
	return pmg_err_set(err, PMG_E_SYS, 0, "%s comes and goes", base);
}

/* Made under the lock of the base folder, so that no sweep sees one before it is locked. */
static int make_below(const char *base, struct pmg_folder *out, struct pmg_err *err)
{
	pmg_autofree char *path = pmg_path_join(base, PREFIX "XXXXXX");
	pmg_autofd int base_fd = open_base(base, err);
	pmg_autofd int fd = -1;

	if (base_fd < 0)
		return base_fd;
	sweep(base_fd);
	if (!mkdtemp(path))
		return pmg_err_set(err, PMG_E_SYS, errno, "make %s", path);
	fd = open_private(AT_FDCWD, path);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0) {
		(void)pmg_err_set(err, PMG_E_SYS, errno, "lock %s", path);
		(void)rmdir(path);
		return -PMG_E_SYS;
	}
	out->path = pmg_steal_ptr(&path);
	out->lock = pmg_steal_fd(&fd);
	return 0;
}

/* Takes the base folder away when no run is left in it; who makes one now waits for our lock. */
static void remove_base(const char *base)
{
	pmg_autofd int fd = open_private(AT_FDCWD, base);

	if (fd >= 0 && lock_wait(fd) == 0 && is_at(fd, base))
		(void)rmdir(base); /* fails when it is not empty */
}

/* Below TMPDIR or /tmp. */
static int make_in_tmp(const struct pmg_strv *env, struct pmg_folder *out, struct pmg_err *err)
{
	const char *tmp = pmg_env_get(env, "TMPDIR");
	pmg_autofree char *base = NULL;

	tmp = tmp && tmp[0] == '/' ? tmp : "/tmp";
	base = pmg_xasprintf("%s/pmg-%lu", tmp, (unsigned long)geteuid());
	if (make_below(base, out, err) == 0)
		return 0;
	(void)pmg_err_wrap(err, "folder of the run");
	return pmg_err_hint(err, "set TMPDIR to a folder you can write to");
}

int pmg_folder_make(const struct pmg_strv *env, struct pmg_folder *out, struct pmg_err *err)
{
	const char *runtime = pmg_env_get(env, "XDG_RUNTIME_DIR");
	pmg_autofree char *base = NULL;
	pmg_autofd int fd = -1;

	if (runtime && runtime[0] == '/') {
		/* Only in a folder that really is private: XDG_RUNTIME_DIR stays set under su. */
		fd = open_private(AT_FDCWD, runtime);
		base = pmg_path_join(runtime, "pmg");
		if (fd >= 0 && make_below(base, out, err) == 0)
			return 0;
	}
	return make_in_tmp(env, out, err);
}

int pmg_folder_make_large(const struct pmg_strv *env, struct pmg_folder *out, struct pmg_err *err)
{
	return make_in_tmp(env, out, err);
}

int pmg_folder_mkdir(const struct pmg_folder *folder, const char *name, char **path,
		     struct pmg_err *err)
{
	if (mkdirat(folder->lock, name, 0700) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "make %s in %s", name, folder->path);
	*path = pmg_path_join(folder->path, name);
	return 0;
}

int pmg_folder_create(const struct pmg_folder *folder, const char *name, struct pmg_err *err)
{
	int fd = openat(folder->lock, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			0600);

	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "create %s in %s", name, folder->path);
	return fd;
}

void pmg_folder_done(struct pmg_folder *folder)
{
	pmg_autofree char *base = folder->path ? pmg_path_dir(folder->path) : NULL;

	if (folder->lock >= 0)
		pmg_remove_below(folder->lock);
	if (folder->path)
		(void)rmdir(folder->path);
	pmg_auto_closep(&folder->lock);
	pmg_auto_freep(&folder->path);
	folder->path = NULL;
	folder->lock = -1;
	if (base)
		remove_base(base);
}

bool pmg_folder_sweep(const char *path)
{
	pmg_autofree char *base = pmg_path_dir(path);
	pmg_autofd int fd = open_private(AT_FDCWD, base);

	if (fd < 0)
		return errno == ENOENT;
	if (!sweep_one(fd, pmg_path_name(path)))
		return false;
	remove_base(base);
	return true;
}

bool pmg_folder_is_live(const char *path)
{
	pmg_autofd int fd = open_private(AT_FDCWD, path);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}
