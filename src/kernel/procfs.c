#include "kernel/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "kernel/procfs_priv.h"

#define NAME_MAX_LEN  64  /* "PID/fd/N" */
#define STAT_MAX      512 /* read of PID/stat: what we want stands in front */
#define STATUS_MAX    1024
#define START_FIELD   22U   /* of PID/stat, proc(5) */
#define UMASK_DEFAULT 0077U /* a process without a file table: the strictest */

int pmg_procfs_open(struct pmg_err *err)
{
	pmg_autofd int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open /proc");
	if ((unsigned long)fs.f_type != PROC_SUPER_MAGIC) {
		(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "/proc is no proc file system");
		return pmg_err_hint(err, "mount it: mount -t proc proc /proc");
	}
	return pmg_steal_fd(&fd);
}

/* @return false: what is too long for a name of ours */
static bool name_of(pid_t tid, const char *what, char out[NAME_MAX_LEN])
{
	int n = snprintf(out, NAME_MAX_LEN, "%d/%s", (int)tid, what);

	return tid > 0 && n > 0 && n < NAME_MAX_LEN;
}

static int open_below(int proc, pid_t tid, const char *what, int flags)
{
	char name[NAME_MAX_LEN];
	int fd;

	if (!name_of(tid, what, name))
		return -EINVAL;
	fd = openat(proc, name, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* @return length or -errno */
static ssize_t read_start(int proc, pid_t tid, const char *what, char *out, size_t size)
{
	pmg_autofd int fd = open_below(proc, tid, what, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, out, size - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	return n;
}

/* The value of a line "Key:\tvalue", ended. The first line may hold any name, but escapes line
 * ends, so no process can forge a line. */
static bool line_value(const char *text, const char *key, char *out, size_t size)
{
	const char *at = text;
	size_t len = strlen(key), n;

	while (at && strncmp(at, key, len) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return false;
	at += len;
	at += strspn(at, " \t");
	n = strcspn(at, "\n");
	if (n >= size)
		return false;
	memcpy(out, at, n);
	out[n] = '\0';
	return true;
}

static bool line_number(const char *text, const char *key, pid_t *out)
{
	char value[24];
	uint64_t number;

	if (!line_value(text, key, value, sizeof value) ||
	    pmg_parse_uint(value, INT32_MAX, &number) < 0)
		return false;
	*out = (pid_t)number;
	return true;
}

/* Octal, "0022". */
static unsigned umask_of(const char *text)
{
	char value[8];
	const char *at;
	unsigned mask = 0;

	if (!line_value(text, "Umask:", value, sizeof value))
		return UMASK_DEFAULT;
	for (at = value; *at >= '0' && *at <= '7'; at++)
		mask = mask * 8 + (unsigned)(*at - '0');
	return *at ? UMASK_DEFAULT : mask & 0777U;
}

bool pmg_procfs_parse_status(const char *text, struct pmg_procfs_stat *out)
{
	if (!line_number(text, "Tgid:", &out->tgid) || !line_number(text, "PPid:", &out->ppid))
		return false;
	out->umask = umask_of(text);
	return true;
}

/* "PID (name) S PPID ...": the name may hold anything, so the last ")" counts. */
bool pmg_procfs_parse_stat(char *text, struct pmg_procfs_stat *out)
{
	char *open = strchr(text, '('), *at = strrchr(text, ')');
	size_t len;
	unsigned field;

	if (!open || !at || at < open)
		return false;
	len = (size_t)(at - open) - 1;
	len = len < sizeof out->comm ? len : sizeof out->comm - 1;
	memcpy(out->comm, open + 1, len);
	out->comm[len] = '\0';
	for (field = 2; at && field < START_FIELD; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	at++;
	at[strcspn(at, " \n")] = '\0';
	return pmg_parse_uint(at, UINT64_MAX, &out->start) == 0;
}

static int gone(pid_t tid, ssize_t r, struct pmg_err *err)
{
	if (r == -ENOENT || r == -ESRCH)
		return pmg_err_set(err, PMG_E_NOTFOUND, (int)-r, "process %d", (int)tid);
	return pmg_err_set(err, PMG_E_SYS, (int)-r, "read of process %d", (int)tid);
}

/* name and start are those of the process: its threads come and go. */
int pmg_procfs_stat(int proc, pid_t tid, struct pmg_procfs_stat *out, struct pmg_err *err)
{
	struct pmg_procfs_stat st = { 0 };
	char status[STATUS_MAX], stat[STAT_MAX];
	ssize_t r = read_start(proc, tid, "status", status, sizeof status);

	if (r < 0)
		return gone(tid, r, err);
	if (!pmg_procfs_parse_status(status, &st))
		return pmg_err_set(err, PMG_E_PARSE, 0, "status of process %d", (int)tid);
	r = read_start(proc, st.tgid, "stat", stat, sizeof stat);
	if (r < 0)
		return gone(tid, r, err);
	if (!pmg_procfs_parse_stat(stat, &st))
		return pmg_err_set(err, PMG_E_PARSE, 0, "stat of process %d", (int)tid);
	*out = st;
	return 0;
}

int pmg_procfs_follow(int proc, pid_t tid, const char *what)
{
	return open_below(proc, tid, what, O_PATH);
}

static ssize_t link_text(int proc, const char *name, char *out, size_t size)
{
	ssize_t n = readlinkat(proc, name, out, size);

	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	out[n] = '\0';
	return n;
}

ssize_t pmg_procfs_readlink(int proc, pid_t tid, const char *what, char *out, size_t size)
{
	char name[NAME_MAX_LEN];

	return name_of(tid, what, name) ? link_text(proc, name, out, size) : -EINVAL;
}

ssize_t pmg_procfs_fd_path(int proc, int fd, char *out, size_t size)
{
	char name[NAME_MAX_LEN];

	(void)snprintf(name, sizeof name, "self/fd/%d", fd);
	return link_text(proc, name, out, size);
}
