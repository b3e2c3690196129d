#include "kernel/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"

#define TREE (OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE)

int pmg_mount_private(struct pmg_err *err)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "make mounts private");
	return 0;
}

static int set_attributes(int tree, unsigned flags, const char *name, struct pmg_err *err)
{
	struct mount_attr attr = { .attr_set = flags };

	if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "set attributes of the mount on %s",
				   name);
	return 0;
}

static int put(int tree, int at, const char *name, struct pmg_err *err)
{
	if (move_mount(tree, "", at, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "mount on %s", name);
	return 0;
}

/* One block is what the kernel lets nobody set to less; there is an inode for the root alone. */
static int empty_tree(void)
{
	static const char *const settings[][2] = { { "mode", "000" },
						   { "size", "4096" },
						   { "nr_inodes", "1" } };
	pmg_autofd int fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
	size_t i;

	if (fs < 0)
		return -1;
	for (i = 0; i < PMG_ARRAY_LEN(settings); i++)
		if (fsconfig(fs, FSCONFIG_SET_STRING, settings[i][0], settings[i][1], 0) < 0)
			return -1;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return fsmount(fs, FSMOUNT_CLOEXEC,
		       MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
			       MOUNT_ATTR_NOEXEC);
}

static bool is_empty_tree(int fd)
{
	struct statfs fs;
	struct stat st;

	return fstatfs(fd, &fs) == 0 && (unsigned long)fs.f_type == TMPFS_MAGIC &&
	       fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 07777) == 0;
}

/* Before 6.15 what is mounted nowhere cannot be copied: the empty folder, made anew, is the same.
 */
static int copy_of(int from)
{
	int tree = open_tree(from, "", TREE | AT_EMPTY_PATH);

	return tree < 0 && errno == EINVAL && is_empty_tree(from) ? empty_tree() : tree;
}

int pmg_mount_bind(int from, int at, unsigned flags, const char *name, struct pmg_err *err)
{
	pmg_autofd int tree = copy_of(from);
	int r;

	if (tree < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "copy what is to be mounted on %s", name);
	r = set_attributes(tree, flags | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, name, err);
	return r == 0 ? put(tree, at, name, err) : r;
}

int pmg_mount_proc(struct pmg_err *err)
{
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0)
		return 0;
	if (errno != EPERM && errno != EACCES)
		return pmg_err_set(err, PMG_E_SYS, errno, "mount /proc");
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, errno, "a fresh /proc may not be mounted here");
	return pmg_err_hint(err,
			    "in a container parts of /proc are hidden, and then the kernel lets "
			    "nobody mount it anew: run the container with all of it");
}

int pmg_mount_empty(struct pmg_err *err)
{
	int tree = empty_tree();

	return tree < 0 ? pmg_err_set(err, PMG_E_SYS, errno, "make an empty folder") : tree;
}

/* The copy is read-only before anybody can reach it. */
int pmg_mount_readonly(const char *path, struct pmg_err *err)
{
	pmg_autofd int at = open(path, O_PATH | O_CLOEXEC);
	pmg_autofd int tree = -1;
	int r;

	if (at < 0)
		return pmg_err_set(err, errno == ENOENT ? PMG_E_NOTFOUND : PMG_E_SYS, errno,
				   "open %s", path);
	tree = open_tree(at, "", TREE | AT_EMPTY_PATH);
	if (tree < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "copy the mount on %s", path);
	r = set_attributes(tree, MOUNT_ATTR_RDONLY, path, err);
	return r == 0 ? put(tree, at, path, err) : r;
}

int pmg_mount_is_point(int at, const char *name, struct pmg_err *err)
{
	struct statx st;
	const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*name ? 0 : AT_EMPTY_PATH);

	if (statx(at, name, flags, 0, &st) < 0)
		return pmg_err_set(err, errno == ENOENT ? PMG_E_NOTFOUND : PMG_E_SYS, errno,
				   "look at %s", name);
	if ((st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0)
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "this kernel does not tell mounts");
	return (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}
