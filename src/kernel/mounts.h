#ifndef PMG_KERNEL_MOUNTS_H
#define PMG_KERNEL_MOUNTS_H
/**
 * Mounts by descriptor: open_tree, mount_setattr, move_mount (5.2, 5.12), so
 * that no path is looked up twice. Descriptors are to be opened in the mount
 * namespace in which they are used (EINVAL otherwise): after pmg_ns_enter().
 * Source: their man pages.
 */
#include "base/err.h"

/** All mounts here become private: nothing comes in or goes out. */
int pmg_mount_private(struct pmg_err *err) PMG_MUST_CHECK;
/** Bind `from` (O_PATH), with what is mounted below it, over `at` (O_PATH): nosuid, nodev, and with
 *  flags of MOUNT_ATTR_* (<sys/mount.h>). A file goes over a file, a folder over a folder.
 *  @param at  if it is a link, it is not followed: what the descriptor refers to counts */
int pmg_mount_bind(int from, int at, unsigned flags, const char *name,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** A fresh proc of the caller's pid namespace over /proc. nosuid,nodev,noexec.
 *  @return 0; -PMG_E_UNSUPPORTED: not allowed here (a container's masked /proc) */
int pmg_mount_proc(struct pmg_err *err) PMG_MUST_CHECK;
/** A small read-only tmpfs, mode 000, no content: to hide folders. @return a descriptor to bind
 * from as often as needed, or -code */
int pmg_mount_empty(struct pmg_err *err) PMG_MUST_CHECK;
/** Make what is mounted at path, and below, read-only. A path that is no mount becomes one.
 *  @return 0; -PMG_E_NOTFOUND; -PMG_E_SYS */
int pmg_mount_readonly(const char *path, struct pmg_err *err) PMG_MUST_CHECK;
/** Is what is now called `name` below `at` a mount of its own? When the mounts of this namespace
 *  change, poll(POLLPRI) on an open /proc/self/mountinfo says so.
 *  @return 1, 0; -PMG_E_NOTFOUND: no such name; -PMG_E_SYS */
int pmg_mount_is_point(int at, const char *name, struct pmg_err *err) PMG_MUST_CHECK;

#endif
