#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#define READ_STEP 65536U

int pmg_io_slurp_fd(int fd, const char *name, size_t max, char **text, size_t *len,
		    struct pmg_err *err)
{
	pmg_auto(str) struct pmg_str buf = PMG_STR_INIT(max + 1);
	size_t step;
	ssize_t n;

	for (;;) {
		step = buf.max - buf.len;
		step = step < READ_STEP ? step : READ_STEP;
		if (step == 0 || pmg_str_reserve(&buf, step) < 0)
			return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: larger than %zu bytes", name,
					   max);
		n = read(fd, buf.s + buf.len, step);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "read %s", name);
		if (n == 0)
			break;
		buf.len += (size_t)n;
	}
	if (buf.len > max)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: larger than %zu bytes", name, max);
	buf.s[buf.len] = '\0';
	*len = buf.len;
	*text = pmg_str_steal(&buf);
	return 0;
}

int pmg_io_open(const char *path, int *fd, struct stat *st, struct pmg_err *err)
{
	pmg_autofd int made = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (made < 0)
		return pmg_err_set(err,
				   errno == ENOENT || errno == ENOTDIR ? PMG_E_NOTFOUND : PMG_E_SYS,
				   errno, "open %s", path);
	if (fstat(made, st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "stat %s", path);
	*fd = pmg_steal_fd(&made);
	return 0;
}

int pmg_io_slurp(const char *path, size_t max, char **text, size_t *len, struct pmg_err *err)
{
	pmg_autofd int fd = -1;
	struct stat st;
	int r = pmg_io_open(path, &fd, &st, err);

	if (r < 0)
		return r;
	if (!S_ISREG(st.st_mode))
		return pmg_err_set(err, PMG_E_SYS, 0, "%s: not a regular file", path);
	return pmg_io_slurp_fd(fd, path, max, text, len, err);
}

int pmg_io_slurp_optional(const char *path, size_t max, char **text, size_t *len,
			  struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;
	int r = pmg_io_slurp(path, max, text, len, &why);

	if (r == -PMG_E_LIMIT) {
		*err = why;
		return r;
	}
	if (r < 0)
		pmg_log_debug("not read: %s", why.msg);
	return 0;
}

int pmg_io_write_all(int fd, const void *bytes, size_t len, struct pmg_err *err)
{
	const char *p = bytes;
	ssize_t n;

	while (len > 0) {
		n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "write");
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int sync_dir(const char *dir, struct pmg_err *err)
{
	pmg_autofd int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "sync %s", dir);
	return 0;
}

static int fill_and_rename(int fd, const char *tmp, const char *path, const void *bytes, size_t len,
			   mode_t mode, struct pmg_err *err)
{
	int r;

	if (fchmod(fd, mode) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "chmod %s", tmp);
	r = pmg_io_write_all(fd, bytes, len, err);
	if (r < 0)
		return pmg_err_wrap(err, "%s", tmp);
	if (fsync(fd) < 0 || rename(tmp, path) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "replace %s", path);
	return 0;
}

int pmg_io_replace(const char *path, const void *bytes, size_t len, mode_t mode,
		   struct pmg_err *err)
{
	pmg_autofree char *dir = pmg_path_dir(path);
	pmg_autofree char *tmp = pmg_xasprintf("%s.XXXXXX", path);
	pmg_autofd int fd = mkostemp(tmp, O_CLOEXEC);
	int r;

	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "create %s", tmp);
	r = fill_and_rename(fd, tmp, path, bytes, len, mode, err);
	if (r < 0) {
		(void)unlink(tmp); /* the first error is the one to report */
		return r;
	}
	return sync_dir(dir, err);
}

int pmg_io_mkdirs(const char *path, mode_t mode, struct pmg_err *err)
{
	pmg_autofree char *copy = pmg_xstrdup(path);
	struct stat st;
	char *p;

	for (p = copy + strspn(copy, "/"); *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			return pmg_err_set(err, PMG_E_SYS, errno, "make folder %s", copy);
		*p = '/';
	}
	if (mkdir(copy, mode) < 0 && errno != EEXIST)
		return pmg_err_set(err, PMG_E_SYS, errno, "make folder %s", copy);
	if (stat(copy, &st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "stat %s", copy);
	if (!S_ISDIR(st.st_mode)) /* EEXIST also means that a file stands there */
		return pmg_err_set(err, PMG_E_SYS, ENOTDIR, "make folder %s", copy);
	return 0;
}

/* Most that a process may have, unless fs.nr_open was raised. */
#define FDS (1 << 20)

void pmg_io_close_between(int from, int to)
{
	int fd;

	if (from > to || syscall(SYS_close_range, (unsigned)from, (unsigned)to, 0U) == 0)
		return;
	/* Before Linux 5.9, and where a container's filter does not know the call. */
	for (fd = from; fd <= to && fd < FDS; fd++)
		(void)close(fd);
}

void pmg_io_close_from(int from)
{
	pmg_io_close_between(from, INT_MAX);
}

int pmg_io_random(void *bytes, size_t len, struct pmg_err *err)
{
	ssize_t n = getrandom(bytes, len, 0);

	if (n < 0 || (size_t)n != len) /* up to 256 bytes are never cut (getrandom(2)) */
		return pmg_err_set(err, PMG_E_SYS, errno, "getrandom");
	return 0;
}
