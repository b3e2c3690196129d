#ifndef PMG_KERNEL_NOTIFY_H
#define PMG_KERNEL_NOTIFY_H
/**
 * Seccomp user notification: a call of a filtered process waits until the
 * holder of the listener has said what becomes of it. Own ioctls, since
 * libseccomp 2.5.4 cannot ask for WAIT_KILLABLE_RECV.
 *
 * Source: seccomp_unotify(2); linux/seccomp.h of 6.6.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct pmg_notify {
	uint64_t id;
	pid_t tid;     /* thread that called, in the reader's pid namespace; 0: cannot be named */
	uint32_t arch; /* AUDIT_ARCH_* */
	int nr;
	uint64_t args[6];
};

/** Ask the kernel to wake us on the caller's CPU (6.6); older kernels: nothing. */
void pmg_notify_sync_wake(int fd);
/** Is there SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (5.19), and ADDFD? @return 0; -PMG_E_UNSUPPORTED
 */
int pmg_notify_probe(struct pmg_err *err) PMG_MUST_CHECK;
/** Wait for one. It knows of nothing that could end the waiting but a signal whose handler does
 * nothing. @return 1; -EINTR; -ENOENT: the caller was killed meanwhile, or (6.11) nobody is left;
 * -errno */
int pmg_notify_take(int fd, struct pmg_notify *out) PMG_MUST_CHECK;
/** Does one wait to be received, now? */
bool pmg_notify_is_pending(int fd);
/** Wait until nobody is left, or stop_fd is readable. @return 0 or -PMG_E_SYS */
int pmg_notify_wait_end(int fd, int stop_fd, struct pmg_err *err) PMG_MUST_CHECK;
/** Does the caller still wait? Ask after reading its memory, before believing it. */
bool pmg_notify_is_valid(int fd, uint64_t id);
/* Answers; a caller that is gone meanwhile is no error. */
void pmg_notify_continue(int fd, uint64_t id);
void pmg_notify_return(int fd, uint64_t id, int64_t value);
void pmg_notify_fail(int fd, uint64_t id, int errnum);
/**
 * Put a descriptor of ours into the caller; the answer is still to be given.
 * @return its number there; -errno: EMFILE, ENOENT (gone), ...
 */
int pmg_notify_add_fd(int fd, uint64_t id, int ours, bool cloexec);
/**
 * The same, and its number is the answer: one waking of the caller less. But the caller goes on
 * while we still hold the file.
 * @return its number there; -errno, as above: the answer is still to be given
 */
int pmg_notify_return_fd(int fd, uint64_t id, int ours, bool cloexec);

/** Copy from the caller's memory. @return bytes, fewer at the end of a mapping; -errno */
ssize_t pmg_notify_read(pid_t tid, uint64_t address, void *out, size_t len);
/** A text, NUL included. @return its length; -ENAMETOOLONG; -EFAULT; -EPERM: may not be read */
ssize_t pmg_notify_read_text(pid_t tid, uint64_t address, char *out, size_t size);

#endif
