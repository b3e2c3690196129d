#include <errno.h>

#include "kernel/seccomp.h"
#include "sandbox/walls_priv.h"

#define ALLOW(name)                                                                                \
	{                                                                                          \
		.call = name, .action = PMG_SECCOMP_ALLOW                                          \
	}

/* What looking at masks and laying them takes, and nothing else: no file is opened but without
 * following a link, none is written, no process is reached. */
static const struct pmg_seccomp_rule rows[] = {
	/* to wait for the broker's end, and for mounts that change */
	ALLOW("poll"),
	ALLOW("ppoll"),
	ALLOW("read"),
	ALLOW("lseek"),
	ALLOW("clock_gettime"),
	ALLOW("clock_gettime64"),
	ALLOW("restart_syscall"),
	/* to look and to hide */
	ALLOW("openat2"),
	ALLOW("statx"),
	ALLOW("fstat"),
	ALLOW("newfstatat"),
	ALLOW("fstatfs"),
	ALLOW("open_tree"),
	ALLOW("mount_setattr"),
	ALLOW("move_mount"),
	ALLOW("fsopen"),
	ALLOW("fsconfig"),
	ALLOW("fsmount"),
	ALLOW("close"),
	/* memory, messages of --debug, the end */
	ALLOW("brk"),
	ALLOW("mmap"),
	ALLOW("mremap"),
	ALLOW("munmap"),
	ALLOW("madvise"),
	ALLOW("futex"),
	ALLOW("write"),
	ALLOW("rt_sigprocmask"),
	ALLOW("rt_sigreturn"),
	ALLOW("getpid"),
	ALLOW("gettid"),
	ALLOW("tgkill"), /* abort(3) */
	ALLOW("exit"),
	ALLOW("exit_group"),
};

int pmg_keeper_confine(struct pmg_err *err)
{
	static const struct pmg_seccomp_table table = { rows, PMG_ARRAY_LEN(rows) };
	const struct pmg_seccomp_program program = {
		.otherwise = PMG_SECCOMP_ERRNO, .errnum = EPERM, .tables = &table, .n = 1
	};
	int r = pmg_seccomp_load(&program, err);

	return r < 0 ? pmg_err_wrap(err, "keeper") : 0;
}
