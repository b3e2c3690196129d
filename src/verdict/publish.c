#include "verdict/publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "verdict/fetched.h"
#include "verdict/index.h"
#include "verdict/lock.h"

/* Folders cannot be made in it by who builds (kernel/confine.h): one that is there stays, and what
   is wrong is said by who makes the folder or the file. */
static void empty(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		(void)closedir(dir);
}

int pmg_publish_folder(const char *path, char **folder, struct pmg_err *err)
{
	pmg_autofree char *made = pmg_xasprintf("%s.build", path);

	if (mkdir(made, 0700) < 0 && errno != EEXIST)
		return pmg_err_set(err, PMG_E_SYS, errno, "make folder %s", made);
	empty(made);
	*folder = pmg_steal_ptr(&made);
	return 0;
}

char *pmg_publish_file(const char *folder)
{
	return pmg_path_join(folder, "intel.db");
}

void pmg_publish_clear(const char *folder)
{
	empty(folder);
	(void)rmdir(folder);
}

/* Neither another's file under a second name, nor anything that is none. */
static int sync_file(const char *temp, struct pmg_err *err)
{
	pmg_autofd int fd = open(temp, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "%s", temp);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return pmg_err_set(err, PMG_E_PARSE, 0, "%s: not a file of its own", temp);
	if (fchmod(fd, 0600) < 0 || fsync(fd) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "sync %s", temp);
	return 0;
}

/* A link first, so that there is no moment without an index. */
static int keep_previous(const char *path, struct pmg_err *err)
{
	pmg_autofree char *prev = pmg_xasprintf("%s.prev", path);
	pmg_autofree char *temp = pmg_xasprintf("%s.prev.new", path);

	(void)unlink(temp);
	if (link(path, temp) < 0) {
		if (errno == ENOENT)
			return 0;
		if (errno == EPERM || errno == EOPNOTSUPP) { /* a file system without hard links */
			pmg_log_debug("%s: the previous index is not kept", path);
			return 0;
		}
		return pmg_err_set(err, PMG_E_SYS, errno, "keep %s", path);
	}
	if (rename(temp, prev) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "rename %s", temp);
	(void)unlink(temp); /* rename does nothing when both are one file already */
	return 0;
}

static int sync_folder(const char *path, struct pmg_err *err)
{
	pmg_autofree char *dir = pmg_path_dir(path);
	pmg_autofd int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "sync %s", dir);
	return 0;
}

int pmg_publish(const char *temp, const char *path, struct pmg_err *err)
{
	int r = sync_file(temp, err);

	if (r == 0)
		r = keep_previous(path, err);
	if (r < 0)
		return r;
	if (rename(temp, path) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "replace %s", path);
	return sync_folder(path, err);
}

/* @return 0 with the side filled; what pmg_index_open() and _check() return */
static int look(const char *path, struct pmg_rollback_side *side, struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	int r = pmg_index_open(path, &index, err);

	if (r == 0)
		r = pmg_index_check(index, err);
	if (r < 0)
		return r;
	*side = (struct pmg_rollback_side){ true, pmg_index_built(index),
					    pmg_index_records(index) };
	return 0;
}

/* A file system that cannot swap two names: the index is one of the two at each moment, and what
   a power cut could lose is the previous one. */
static int swap_by_links(const char *path, const char *prev, struct pmg_err *err)
{
	pmg_autofree char *temp = pmg_xasprintf("%s.prev.new", path);

	(void)unlink(temp);
	if (link(path, temp) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "keep %s", path);
	if (rename(prev, path) < 0 || rename(temp, prev) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "swap %s and %s", path, prev);
	return 0;
}

static int swap(const char *path, const char *prev, struct pmg_err *err)
{
	if (renameat2(AT_FDCWD, prev, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
		return 0;
	if (errno == EINVAL || errno == ENOSYS)
		return swap_by_links(path, prev, err);
	if (errno == ENOENT && rename(prev, path) == 0) /* the present one is missing */
		return 0;
	return pmg_err_set(err, PMG_E_SYS, errno, "swap %s and %s", path, prev);
}

int pmg_rollback(const char *path, struct pmg_rollback *out, struct pmg_err *err)
{
	pmg_autofree char *prev = pmg_xasprintf("%s.prev", path);
	pmg_autofree char *feeds = pmg_fetched_folder(path);
	pmg_autofd int lock = -1;
	struct pmg_rollback sides = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	int r;

	if (access(prev, F_OK) < 0 && errno == ENOENT) {
		(void)pmg_err_set(err, PMG_E_NOTFOUND, 0, "there is no index before this one");
		return pmg_err_hint(err, "%s is made by the second import", prev);
	}
	r = pmg_lock_take(path, PMG_LOCK_MS, &lock, err);
	if (r == 0)
		r = look(prev, &sides.to, err);
	if (r < 0)
		return pmg_err_wrap(err, "the previous index");
	(void)!look(path, &sides.from, &scratch); /* then nothing is known of it */
	r = pmg_fetched_forget(feeds, err);
	if (r == 0)
		r = swap(path, prev, err);
	if (r == 0)
		r = sync_folder(path, err);
	if (r == 0)
		*out = sides;
	return r;
}
