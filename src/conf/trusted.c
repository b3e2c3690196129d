#include "conf/trusted.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"

/* sticky: in a folder such as /tmp others may write but not replace what is ours. */
static int check(const char *path, const struct stat *st, mode_t sticky, struct pmg_err *err)
{
	if (st->st_uid != geteuid() && st->st_uid != 0) {
		(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s belongs to user %u, so it is not read",
				  path, (unsigned)st->st_uid);
		return pmg_err_hint(err, "make it yours: chown %u %s", (unsigned)geteuid(), path);
	}
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) && !(st->st_mode & sticky)) {
		(void)pmg_err_set(err, PMG_E_CONFIG, 0,
				  "%s can be written to by others, so it is not read", path);
		return pmg_err_hint(err, "chmod go-w %s", path);
	}
	return 0;
}

static int check_folder(const char *path, struct pmg_err *err)
{
	pmg_autofree char *real = pmg_path_real(path);
	pmg_autofree char *dir = pmg_path_dir(real ? real : path);
	struct stat st;

	if (stat(dir, &st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "stat %s", dir);
	return check(dir, &st, S_ISVTX, err);
}

static int open_trusted(const char *path, int *out, struct pmg_err *err)
{
	pmg_autofd int fd = -1;
	struct stat st;
	int r = pmg_io_open(path, &fd, &st, err);

	if (r < 0)
		return r;
	if (!S_ISREG(st.st_mode))
		return pmg_err_set(err, PMG_E_CONFIG, 0, "%s: not a regular file", path);
	r = check(path, &st, 0, err);
	if (r == 0)
		r = check_folder(path, err);
	if (r == 0)
		*out = pmg_steal_fd(&fd);
	return r;
}

int pmg_trusted_check(const char *path, struct pmg_err *err)
{
	pmg_autofd int fd = -1;

	return open_trusted(path, &fd, err);
}

int pmg_trusted_slurp(const char *path, size_t max, char **text, size_t *len, struct pmg_err *err)
{
	pmg_autofd int fd = -1;
	int r = open_trusted(path, &fd, err);

	return r < 0 ? r : pmg_io_slurp_fd(fd, path, max, text, len, err);
}

int pmg_trusted_yaml(const char *path, struct pmg_yaml **out, struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r;

	r = pmg_trusted_slurp(path, PMG_YAML_TEXT_MAX, &text, &len, err);
	if (r < 0)
		return r;
	return pmg_yaml_parse(path, text, len, out, err);
}
