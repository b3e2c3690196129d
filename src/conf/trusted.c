#include "conf/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
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
	pmg_autofree char *dir = pmg_path_dir(path);
	struct stat st;

	if (stat(dir, &st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "stat %s", dir);
	return check(dir, &st, S_ISVTX, err);
}

/* A link can be replaced where it lies, a file where the link leads to. */
static int check_folders(const char *path, struct pmg_err *err)
{
	pmg_autofree char *real = pmg_path_real(path);
	int r = check_folder(path, err);

	return r == 0 && real ? check_folder(real, err) : r;
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
		r = check_folders(path, err);
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

/* The caller's own files do not count, and a sticky folder is no excuse: a name that is not there
 * yet is anybody's in it. */
static int check_root(const char *path, const struct stat *st, struct pmg_err *err)
{
	if (st->st_uid != 0) {
		(void)pmg_err_set(err, PMG_E_CONFIG, 0,
				  "%s belongs to user %u and not to root, so it is not believed",
				  path, (unsigned)st->st_uid);
		return pmg_err_hint(err, "chown root:root %s", path);
	}
	if (st->st_mode & (S_IWGRP | S_IWOTH)) {
		(void)pmg_err_set(err, PMG_E_CONFIG, 0,
				  "%s can be written to by others than root, so it is not believed",
				  path);
		return pmg_err_hint(err, "chmod go-w %s", path);
	}
	return 0;
}

/* On the way down from "/". */
struct walk {
	const char *path, *next; /* next: what of path is still to be entered */
	int fd;
	struct stat st;
};

static int looked_at(struct walk *walk, const char *path, struct pmg_err *err)
{
	if (walk->fd >= 0 && fstat(walk->fd, &walk->st) == 0)
		return 0;
	if (errno == ENOENT)
		return pmg_err_set(err, PMG_E_NOTFOUND, ENOENT, "%s", path);
	if (errno == ELOOP || errno == ENOTDIR)
		return pmg_err_set(err, PMG_E_CONFIG, 0,
				   "%s is a link, or no folder, so it is not believed", path);
	return pmg_err_set(err, PMG_E_SYS, errno, "open %s", path);
}

static int enter(struct walk *walk, char **seen, struct pmg_err *err)
{
	size_t n = strcspn(walk->next, "/");
	pmg_autofree char *name = pmg_xstrndup(walk->next, n);
	bool last = walk->next[n] == '\0';
	int how = last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
	int fd = openat(walk->fd, name, how | O_NOFOLLOW | O_CLOEXEC);

	pmg_auto_closep(&walk->fd);
	walk->fd = fd;
	walk->next += n + !last;
	free(*seen);
	*seen = pmg_xstrndup(walk->path, (size_t)(walk->next - walk->path) - !last);
	return looked_at(walk, *seen, err);
}

/* A folder that is wrong matters once there is a file in it: who has none is to be left alone, in a
 * container too, where / may belong to anybody. */
static int walk_down(struct walk *walk, struct pmg_err *err)
{
	pmg_autofree char *seen = pmg_xstrdup("/");
	struct pmg_err first = PMG_ERR_INIT;
	int fault, r = looked_at(walk, seen, err);

	fault = r == 0 ? check_root(seen, &walk->st, &first) : 0;
	while (r == 0 && *walk->next) {
		r = enter(walk, &seen, err);
		if (r == 0 && fault == 0)
			fault = check_root(seen, &walk->st, &first);
	}
	if (r == 0 && fault == 0 && !S_ISREG(walk->st.st_mode))
		return pmg_err_set(err, PMG_E_CONFIG, 0, "%s: not a regular file", seen);
	if (r == 0 && fault < 0)
		*err = first;
	return r < 0 ? r : fault;
}

static int open_root(const char *path, int *out, struct pmg_err *err)
{
	struct walk walk = { .path = path,
			     .next = path + 1,
			     .fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) };
	int r = walk_down(&walk, err);

	if (r < 0)
		pmg_auto_closep(&walk.fd);
	else
		*out = walk.fd;
	return r;
}

int pmg_trusted_root_check(const char *path, struct pmg_err *err)
{
	pmg_autofd int fd = -1;

	return open_root(path, &fd, err);
}

int pmg_trusted_root_slurp(const char *path, size_t max, char **text, size_t *len,
			   struct pmg_err *err)
{
	pmg_autofd int fd = -1;
	int r = open_root(path, &fd, err);

	return r < 0 ? r : pmg_io_slurp_fd(fd, path, max, text, len, err);
}
