#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "kernel/mounts.h"
#include "sandbox/walls_priv.h"

/*
 * What lies below a folder that is replaced and must be there nevertheless: the project of somebody
 * who works in /tmp, the run's own folder. Held by descriptor, since its path is about to lead
 * elsewhere.
 */
struct back {
	char *path;
	int fd;
	bool is_folder;
};
struct backs {
	struct back *v;
	size_t n, cap;
};

static void backs_done(struct backs *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].path);
		pmg_auto_closep(&list->v[i].fd);
	}
	free(list->v);
	*list = (struct backs){ 0 };
}
PMG_DEFINE_AUTO_DONE(backs, struct backs, backs_done);

/* All that the policy and the run speak of, outermost first. */
static void wanted(const struct pmg_sandbox_want *want, const struct pmg_subtrees *subtrees,
		   struct pmg_strv *out)
{
	const struct pmg_policy *policy = want->policy;
	const char *const own[] = { policy->project, policy->cwd,   policy->home,
				    want->cwd,       want->run_dir, want->program };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(own); i++)
		if (own[i])
			(void)pmg_strv_add_once(out, own[i]);
	for (i = 0; i < subtrees->n; i++)
		(void)pmg_strv_add_once(out, subtrees->v[i].path);
	pmg_strv_sort(out);
}

static bool is_held(const struct backs *list, const char *path)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->v[i].is_folder && pmg_path_is_under(path, list->v[i].path))
			return true;
	return false;
}

static void hold(struct backs *list, const char *path)
{
	pmg_autofd int fd = -1;
	struct stat st;

	if (is_held(list, path))
		return;
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return; /* not there: nothing to bring back */
	list->v = pmg_grow(list->v, list->n, &list->cap, sizeof *list->v);
	list->v[list->n++] = (struct back){ pmg_xstrdup(path), fd, S_ISDIR(st.st_mode) };
	fd = -1;
}

/* A place in the run's folder on which what is brought back is bound. */
static int make_place(const char *tmp, const char *below, bool is_folder, struct pmg_err *err)
{
	pmg_autofree char *place = pmg_path_join(tmp, below);
	pmg_autofree char *dir = pmg_path_dir(place);
	int fd, r = pmg_io_mkdirs(is_folder ? place : dir, 0700, err);

	if (r < 0 || is_folder)
		return r;
	fd = open(place, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "make %s", place);
	(void)close(fd);
	return 0;
}

static int bind_over(int from, const char *path, unsigned flags, struct pmg_err *err)
{
	pmg_autofd int at = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (at < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open %s", path);
	return pmg_mount_bind(from, at, flags, path, err);
}

static int replace(const char *dir, int tmp, const char *tmp_path, const struct backs *list,
		   struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < list->n; i++)
		r = make_place(tmp_path, list->v[i].path + strlen(dir) + 1, list->v[i].is_folder,
			       err);
	if (r == 0)
		r = bind_over(tmp, dir, 0, err);
	for (i = 0; r == 0 && i < list->n; i++)
		r = bind_over(list->v[i].fd, list->v[i].path, 0, err);
	return r;
}

static bool must_stay(const struct pmg_sandbox_want *want, const char *dir)
{
	return pmg_streq(dir, want->policy->project) || pmg_streq(dir, want->cwd) ||
	       pmg_streq(dir, want->policy->home);
}

/* @return 1: replaced, or there is no such folder; 0: it cannot be, since the project is it */
static int replace_one(const struct pmg_sandbox_want *want, const char *dir, int tmp,
		       const struct pmg_strv *paths, bool *mixed, struct pmg_err *err)
{
	pmg_auto(backs) struct backs list = { 0 };
	struct stat st;
	size_t i;

	if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
		return 1;
	if (must_stay(want, dir))
		return 0;
	for (i = 0; i < paths->n; i++)
		if (pmg_path_is_under(paths->v[i], dir) && strcmp(paths->v[i], dir) != 0)
			hold(&list, paths->v[i]);
	for (i = 0; i < list.n; i++)
		*mixed = *mixed || strcmp(list.v[i].path, want->run_dir) != 0;
	return replace(dir, tmp, want->tmp, &list, err) < 0 ? -(int)err->code : 1;
}

static const char *own_tmpdir(char *const *envp)
{
	for (; *envp; envp++)
		if (pmg_str_has_prefix(*envp, "TMPDIR=/"))
			return *envp + strlen("TMPDIR=");
	return NULL;
}

/* What lies below another of them is replaced with it. */
static void folders(const struct pmg_sandbox_want *want, struct pmg_strv *out)
{
	const char *own = own_tmpdir(want->envp);
	pmg_autofree char *real = own ? pmg_path_real(own) : NULL;

	pmg_strv_add(out, "/tmp");
	pmg_strv_add(out, "/var/tmp");
	if (real && !pmg_path_is_under(real, "/tmp") && !pmg_path_is_under(real, "/var/tmp") &&
	    strcmp(real, "/") != 0)
		pmg_strv_add(out, real);
}

/* Shared memory by name: what another run or program keeps there is nobody's business inside. */
static int private_shm(struct pmg_err *err)
{
	struct stat st;

	if (lstat("/dev/shm", &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	if (mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=1777") < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "mount /dev/shm");
	return 0;
}

/* Bundle and certificates are read by the tool and written by nobody inside: wherever the folder
 * lies, and whatever may be written around it. */
static int protect_run_dir(const struct pmg_sandbox_want *want, struct pmg_err *err)
{
	pmg_autofd int fd = open(want->run_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open %s", want->run_dir);
	return bind_over(fd, want->run_dir, MOUNT_ATTR_RDONLY, err);
}

int pmg_walls_private(const struct pmg_sandbox_want *want, const struct pmg_subtrees *subtrees,
		      bool *mixed, struct pmg_strv *notes, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv paths = { 0 }, dirs = { 0 };
	pmg_autofd int tmp = open(want->tmp, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i;
	int r = 1;

	if (tmp < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open %s", want->tmp);
	wanted(want, subtrees, &paths);
	folders(want, &dirs);
	for (i = 0; r >= 0 && i < dirs.n; i++) {
		r = replace_one(want, dirs.v[i], tmp, &paths, mixed, err);
		if (r == 0)
			pmg_strv_addf(
				notes,
				"[PMG2005] %s is the project or HOME itself: it is not private "
				"to the run",
				dirs.v[i]);
	}
	if (r >= 0)
		r = protect_run_dir(want, err);
	return r < 0 ? r : private_shm(err);
}
