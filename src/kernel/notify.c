#include "kernel/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernel/uapi.h"

/* Memory is copied in pieces that lie in one page each, whatever the size of pages here: what
 * process_vm_readv(2) says of partial transfers holds for whole pieces. */
#define PIECE  4096U
#define PIECES 16U
/* First look at a text: most paths are short, and a whole page costs more to copy. */
#define TEXT_STEP 256U

/* A signal for us, not for the caller: nothing has been done yet (kernel/seccomp.c). */
static int tell(int fd, unsigned long what, void *arg)
{
	int r;

	do
		r = ioctl(fd, what, arg);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

void pmg_notify_sync_wake(int fd)
{
	(void)ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
}

static int unsupported(struct pmg_err *err, int errnum)
{
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, errnum,
			  "this kernel cannot hand over system calls");
	return pmg_err_hint(err, "Linux 5.19 or newer with CONFIG_SECCOMP_FILTER is needed");
}

/* Flags are looked at before the program is: EFAULT says that all of them are known. */
int pmg_notify_probe(struct pmg_err *err)
{
	const unsigned long flags =
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	struct seccomp_notif_sizes sizes = { 0 };

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0UL, &sizes) < 0)
		return unsupported(err, errno);
	if (sizes.seccomp_notif != sizeof(struct seccomp_notif) ||
	    sizes.seccomp_notif_resp != sizeof(struct seccomp_notif_resp))
		return unsupported(err, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, NULL) < 0 && errno != EFAULT)
		return unsupported(err, errno);
	return 0;
}

/* The kernel wants the struct zeroed each time. */
int pmg_notify_take(int fd, struct pmg_notify *out)
{
	struct seccomp_notif notif;
	size_t i;

	memset(&notif, 0, sizeof notif);
	if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &notif) < 0)
		return -errno;
	out->id = notif.id;
	out->tid = (pid_t)notif.pid;
	out->arch = notif.data.arch;
	out->nr = notif.data.nr;
	for (i = 0; i < PMG_ARRAY_LEN(out->args); i++)
		out->args[i] = notif.data.args[i];
	return 1;
}

bool pmg_notify_is_pending(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	return poll(&one, 1, 0) > 0 && (one.revents & POLLIN) != 0;
}

int pmg_notify_wait_end(int fd, int stop_fd, struct pmg_err *err)
{
	/* Of the listener only what comes unasked: its end. */
	struct pollfd fds[] = { { .fd = fd }, { .fd = stop_fd, .events = POLLIN } };
	int r;

	do
		r = poll(fds, PMG_ARRAY_LEN(fds), -1);
	while (r < 0 && errno == EINTR);
	return r < 0 ? pmg_err_set(err, PMG_E_SYS, errno, "wait for the end of a run") : 0;
}

bool pmg_notify_is_valid(int fd, uint64_t id)
{
	return tell(fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) >= 0;
}

static void answer(int fd, struct seccomp_notif_resp *resp)
{
	(void)tell(fd, SECCOMP_IOCTL_NOTIF_SEND, resp);
}

void pmg_notify_continue(int fd, uint64_t id)
{
	struct seccomp_notif_resp resp = { .id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

	answer(fd, &resp);
}

void pmg_notify_return(int fd, uint64_t id, int64_t value)
{
	struct seccomp_notif_resp resp = { .id = id, .val = value };

	answer(fd, &resp);
}

void pmg_notify_fail(int fd, uint64_t id, int errnum)
{
	/* An error of 0 would be success: no caller means that. */
	struct seccomp_notif_resp resp = { .id = id, .error = errnum > 0 ? -errnum : -EPERM };

	answer(fd, &resp);
}

static int put_fd(int fd, uint64_t id, int ours, bool cloexec, uint32_t flags)
{
	struct seccomp_notif_addfd add = { .id = id, .flags = flags, .srcfd = (uint32_t)ours };

	add.newfd_flags = cloexec ? O_CLOEXEC : 0;
	return tell(fd, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
}

int pmg_notify_add_fd(int fd, uint64_t id, int ours, bool cloexec)
{
	return put_fd(fd, id, ours, cloexec, 0);
}

int pmg_notify_return_fd(int fd, uint64_t id, int ours, bool cloexec)
{
	return put_fd(fd, id, ours, cloexec, SECCOMP_ADDFD_FLAG_SEND); /* 5.14 */
}

/* Up to PIECES pieces. @return bytes or -errno */
static ssize_t copy_some(pid_t tid, uint64_t address, void *out, size_t len)
{
	struct iovec local = { .iov_base = out }, remote[PIECES];
	unsigned long n = 0;
	ssize_t r;

	for (; n < PIECES && local.iov_len < len; n++) {
		size_t left = len - local.iov_len;
		size_t size = PIECE - (size_t)(address % PIECE);

		size = size < left ? size : left;
		/* The caller's number, never followed by us.
		 * NOLINTNEXTLINE(performance-no-int-to-ptr) */
		remote[n].iov_base = (void *)(uintptr_t)address;
		remote[n].iov_len = size;
		local.iov_len += size;
		address += size;
	}
	r = process_vm_readv(tid, &local, 1, remote, n, 0);
	return r < 0 ? -errno : r;
}

/* A tid of 0 is a caller outside our pid namespace, and no process of ours: never 0 to the kernel,
 * which would take it for a search that fails, nor our own memory. */
ssize_t pmg_notify_read(pid_t tid, uint64_t address, void *out, size_t len)
{
	size_t done = 0;
	ssize_t r = 0;

	if (tid <= 0)
		return -ESRCH;
	while (done < len) {
		size_t want = len - done;

		want = want < (size_t)PIECE * (PIECES - 1) ? want : (size_t)PIECE * (PIECES - 1);
		r = copy_some(tid, address + done, (char *)out + done, want);
		if (r <= 0)
			break;
		done += (size_t)r;
	}
	return done > 0 || r == 0 ? (ssize_t)done : r;
}

/* Step by step to the NUL: what follows it may not be there, and may be gone while we look. */
ssize_t pmg_notify_read_text(pid_t tid, uint64_t address, char *out, size_t size)
{
	size_t done = 0, step = TEXT_STEP;

	while (done < size) {
		size_t want = size - done < step ? size - done : step;
		ssize_t r = pmg_notify_read(tid, address + done, out + done, want);
		const char *end;

		if (r <= 0)
			return r < 0 ? r : -EFAULT;
		end = memchr(out + done, '\0', (size_t)r);
		if (end)
			return end - out;
		done += (size_t)r;
		step = size;
	}
	return -ENAMETOOLONG;
}
