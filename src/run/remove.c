#include "run/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strv.h"

/* The folder that is being emptied, and the names that lead to it from the first. */
struct walk {
	int fd;
	dev_t device;
	struct pmg_strv names;
};

/* Opened by a descriptor of its own; a folder without rights gets them first, since it is ours. */
static int open_folder(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 || errno != EACCES)
		return fd;
	if (fchmodat(at, name, 0700, 0) < 0) /* follows a link only where there is none: EACCES
					      * came from a folder */
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/*
 * Removes what is no folder, and empty folders, from walk->fd.
 * @return name of a folder that is to be emptied first, or NULL. Caller frees
 */
static char *sweep(const struct walk *walk)
{
	int copy = openat(walk->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	char *found = NULL;

	if (!dir) {
		pmg_auto_closep(&copy);
		return NULL;
	}
	while (!found && (entry = readdir(dir))) {
		if (is_dots(entry->d_name) || unlinkat(walk->fd, entry->d_name, 0) == 0)
			continue;
		if (errno != EISDIR && errno != EPERM && errno != EACCES)
			continue;
		if (unlinkat(walk->fd, entry->d_name, AT_REMOVEDIR) < 0 && errno == ENOTEMPTY)
			found = pmg_xstrdup(entry->d_name);
	}
	(void)closedir(dir);
	return found;
}

/* @return false: it cannot be entered, and stays */
static bool go_down(struct walk *walk, const char *name)
{
	int fd = open_folder(walk->fd, name);
	struct stat st;

	if (fd < 0)
		return false;
	if (walk->names.n >= PMG_REMOVE_DEPTH_MAX || fstat(fd, &st) < 0 ||
	    st.st_dev != walk->device) {
		(void)close(fd);
		return false;
	}
	(void)fchmod(fd, 0700);
	(void)close(walk->fd);
	walk->fd = fd;
	pmg_strv_add(&walk->names, name);
	return true;
}

/* One descriptor at a time, however deep: ".." of a folder that nobody moves leads back. */
static bool go_up(struct walk *walk)
{
	int fd = openat(walk->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool removed;

	if (fd < 0)
		return false;
	(void)close(walk->fd);
	walk->fd = fd;
	removed = unlinkat(fd, walk->names.v[walk->names.n - 1], AT_REMOVEDIR) == 0;
	pmg_strv_remove(&walk->names, walk->names.n - 1);
	return removed;
}

void pmg_remove_below(int fd)
{
	struct walk walk = { .fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	struct stat st;

	if (walk.fd < 0)
		return;
	if (fstat(walk.fd, &st) == 0) {
		walk.device = st.st_dev;
		for (;;) {
			pmg_autofree char *name = sweep(&walk);

			if (name ? !go_down(&walk, name) : walk.names.n == 0 || !go_up(&walk))
				break; /* done, or something that will not go */
		}
	}
	(void)close(walk.fd);
	pmg_strv_done(&walk.names);
}
