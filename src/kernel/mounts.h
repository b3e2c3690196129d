#ifndef PMG_KERNEL_MOUNTS_H
#define PMG_KERNEL_MOUNTS_H
/**
 * Mounts by descriptor: open_tree, mount_setattr, move_mount (5.2, 5.12), so
 * that no path is looked up twice. Source: their man pages.
 */
#include "base/err.h"

/** All mounts here become private: nothing comes in or goes out. */
int pmg_mount_private(struct pmg_err *err) PMG_MUST_CHECK;
/** Bind `from` (O_PATH) over `at` (O_PATH), nosuid, nodev, and with flags of MOUNT_ATTR_*.
 *  @param at  if it is a link, it is not followed: what the descriptor refers to counts */
int pmg_mount_bind(int from, int at, unsigned flags, const char *name,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** A fresh proc of the caller's pid namespace over /proc. nosuid,nodev,noexec.
 *  @return 0; -PMG_E_UNSUPPORTED: not allowed here (a container's masked /proc) */
int pmg_mount_proc(struct pmg_err *err) PMG_MUST_CHECK;
/** A small read-only tmpfs, mode 000, no content: to hide folders. @return its O_PATH descriptor or
 *  -code */
int pmg_mount_empty(struct pmg_err *err) PMG_MUST_CHECK;
/** Make what is mounted at path, and below, read-only. A path that is no mount becomes one. */
int pmg_mount_readonly(const char *path, struct pmg_err *err) PMG_MUST_CHECK;
/** Number that changes when the mounts of this namespace do: poll(POLLPRI) on an open
 *  /proc/self/mountinfo. @return 1 when `path` is a mount point of its own, 0 not, -code */
int pmg_mount_is_point(int at, const char *name, struct pmg_err *err) PMG_MUST_CHECK;

#endif
