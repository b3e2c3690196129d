#ifndef PMG_KERNEL_PROCFS_H
#define PMG_KERNEL_PROCFS_H
/**
 * Reading of processes below one open /proc, which stays that of our own pid
 * namespace whatever is mounted over it. Numbers are of that namespace.
 * Source: proc(5).
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/** @return descriptor (O_PATH, close-on-exec) of /proc, or -code */
int pmg_procfs_open(struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_procfs_stat {
	pid_t tgid, ppid;
	uint64_t start; /* clock ticks since boot */
	unsigned umask;
	char comm[17];
};
/** Of a thread or process; comm and start are the process's, whichever of its threads is asked for.
 *  @return 0; -PMG_E_NOTFOUND: gone */
int pmg_procfs_stat(int proc, pid_t tid, struct pmg_procfs_stat *out,
		    struct pmg_err *err) PMG_MUST_CHECK;
/** @return O_PATH descriptor of "cwd", "root", "exe" or "fd/N" of a thread, or -errno */
int pmg_procfs_follow(int proc, pid_t tid, const char *what) PMG_MUST_CHECK;
/** Where such a link leads, as text. @return length or -errno; cut texts are -ENAMETOOLONG */
ssize_t pmg_procfs_readlink(int proc, pid_t tid, const char *what, char *out,
			    size_t size) PMG_MUST_CHECK;
/** Path by which our own descriptor is known now. @return length or -errno */
ssize_t pmg_procfs_fd_path(int proc, int fd, char *out, size_t size) PMG_MUST_CHECK;

#endif
