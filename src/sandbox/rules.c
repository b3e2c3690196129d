#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/uapi.h"
#include "sandbox/walls_priv.h"

/*
 * Two domains, one inside the other. The broker and the tool share the outer one: whatever the
 * broker is talked into, it cannot exceed what the policy can at all allow. The tool alone has the
 * inner one: a call that goes on after the broker looked at its path, which may have been changed
 * since, meets it. So the inner one grants writing only where no name is denied.
 */

#define DEVICE                                                                                     \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |                            \
	 LANDLOCK_ACCESS_FS_IOCTL_DEV)

/* What every program may count on, whatever the policy says: none of them holds or keeps anything.
 */
static const struct {
	const char *path;
	uint64_t rights;
} always[] = {
	{ "/dev/null", DEVICE },
	{ "/dev/zero", DEVICE },
	{ "/dev/full", DEVICE },
	{ "/dev/random", DEVICE },
	{ "/dev/urandom", DEVICE },
	{ "/dev/tty", DEVICE },
	{ "/dev/shm", PMG_LANDLOCK_READ | PMG_LANDLOCK_WRITE },
};

struct domains {
	struct pmg_landlock *outer, *inner;
	/* The run's temporary folder, when other folders are bound below it: Landlock looks upwards
	 * from mount to mount, so what it grants there it grants in those too. */
	bool mixed;
	struct stat tmp;
};

static uint64_t rights_of(const struct pmg_subtree *subtree, bool write)
{
	uint64_t rights = 0;

	if (subtree->read)
		rights |= PMG_LANDLOCK_READ;
	/* To the kernel a program that is started is one that is read as well. Who opens it for
	 * reading meets the broker, which knows the difference. */
	if (subtree->exec)
		rights |= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
	if (write)
		rights |= PMG_LANDLOCK_WRITE;
	return rights;
}

/* A pipe or socket, which is what /dev/stderr may lead to, is no matter of Landlock's. */
static int grant(struct pmg_landlock *ruleset, int fd, const char *name, uint64_t rights,
		 struct pmg_err *err)
{
	int r = pmg_landlock_allow_fd(ruleset, fd, name, rights, err);

	return r < 0 && err->errnum == EBADFD ? 0 : r;
}

static int grant_both(const struct domains *domains, int fd, const char *name, uint64_t rights,
		      struct pmg_err *err)
{
	int r = grant(domains->outer, fd, name, rights, err);

	return r == 0 ? grant(domains->inner, fd, name, rights, err) : r;
}

/* Where a link leads is for no rule to write that names the link: a project could have brought a
 * node_modules that is one, to HOME. To read and start, the broker judges what is there. */
static int open_subtree(const char *path, bool *write)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);

	if (fd >= 0 || errno != ELOOP)
		return fd;
	*write = false;
	return open(path, O_PATH | O_CLOEXEC);
}

/*
 * What is not there, or may not even be looked at, is not granted: the safe side.
 *
 * Landlock moves and links nothing to where it grants more than it did (EXDEV). What may be read
 * and written could be copied there as well, so in the outer domain all that may be written is
 * alike: the broker starts no programs, and who does is in the inner one too.
 */
static int grant_subtree(const struct domains *domains, const struct pmg_subtree *subtree,
			 struct pmg_err *err)
{
	bool write = subtree->write, pure;
	pmg_autofd int fd = open_subtree(subtree->path, &write);
	struct stat st;
	int r;

	pure = write && subtree->pure_write;
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP))
		return 0;
	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open %s", subtree->path);
	if (domains->mixed && fstat(fd, &st) == 0 && st.st_dev == domains->tmp.st_dev &&
	    st.st_ino == domains->tmp.st_ino)
		pure = false;
	r = grant(domains->outer, fd, subtree->path,
		  rights_of(subtree, write) | (write ? LANDLOCK_ACCESS_FS_EXECUTE : 0), err);
	if (r == 0)
		r = grant(domains->inner, fd, subtree->path, rights_of(subtree, pure), err);
	return r;
}

static int grant_always(const struct domains *domains, struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(always); i++) {
		pmg_autofd int fd = open(always[i].path, O_PATH | O_CLOEXEC);

		if (fd >= 0)
			r = grant_both(domains, fd, always[i].path, always[i].rights, err);
	}
	return r;
}

/* The terminals that the tool is started on, by name: ttyname(3). Others of the user's stay closed:
 * what is typed there, and what is shown. */
static int grant_terminals(const struct domains *domains, struct pmg_err *err)
{
	int at, r = 0;

	for (at = 0; r == 0 && at <= 2; at++) {
		char path[64];
		pmg_autofd int fd = -1;

		if (ttyname_r(at, path, sizeof path) != 0)
			continue;
		fd = open(path, O_PATH | O_CLOEXEC);
		if (fd >= 0)
			r = grant_both(domains, fd, path, DEVICE, err);
	}
	return r;
}

static int grant_all(const struct domains *domains, const struct pmg_subtrees *subtrees, int proc,
		     struct pmg_err *err)
{
	size_t i;
	int r = grant_always(domains, err);

	if (r == 0)
		r = grant_terminals(domains, err);
	for (i = 0; r == 0 && i < subtrees->n; i++)
		r = grant_subtree(domains, &subtrees->v[i], err);
	if (r == 0) /* the tool has no way to this mount of it */
		r = pmg_landlock_allow_fd(domains->outer, proc, "/proc", PMG_LANDLOCK_READ, err);
	return r;
}

static int grant_run_dir(const struct domains *domains, const char *path, struct pmg_err *err)
{
	pmg_autofd int fd = open(path, O_PATH | O_CLOEXEC);

	return fd < 0 ? 0 : grant_both(domains, fd, path, PMG_LANDLOCK_READ, err);
}

void pmg_walls_degraded(const struct pmg_landlock_abi *held, struct pmg_strv *notes)
{
	static const struct {
		uint64_t fs, scope;
		const char *what;
	} rows[] = {
		{ LANDLOCK_ACCESS_FS_TRUNCATE, 0,
		  "files are kept from being cut by the broker alone" },
		{ LANDLOCK_ACCESS_FS_IOCTL_DEV, 0,
		  "what may be asked of an open device is not limited" },
		{ 0, LANDLOCK_SCOPE_SIGNAL,
		  "processes outside are kept from signals by the pid namespace alone" },
		{ 0, LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET,
		  "abstract sockets outside are kept closed by the network namespace alone" },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if ((held->fs & rows[i].fs) != rows[i].fs ||
		    (held->scope & rows[i].scope) != rows[i].scope)
			pmg_strv_addf(notes, "[PMG2005] Landlock ABI %d: %s", held->version,
				      rows[i].what);
}

int pmg_walls_domains(const struct pmg_sandbox_want *want, const struct pmg_subtrees *subtrees,
		      bool mixed, int proc, struct pmg_landlock **outer,
		      struct pmg_landlock **inner, struct pmg_err *err)
{
	/* No ports: in the run's own network there is nobody to reach but pmg. */
	const struct pmg_landlock_abi handled = { .fs = UINT64_MAX, .scope = UINT64_MAX };
	pmg_auto(landlock) struct pmg_landlock *first = NULL, *second = NULL;
	struct domains domains = { .mixed = mixed };
	int r = pmg_landlock_new(&handled, &first, err);

	if (r == 0)
		r = pmg_landlock_new(&handled, &second, err);
	domains.outer = first;
	domains.inner = second;
	if (r == 0 && stat("/tmp", &domains.tmp) < 0)
		domains.mixed = false;
	if (r == 0)
		r = grant_all(&domains, subtrees, proc, err);
	if (r == 0)
		r = grant_run_dir(&domains, want->run_dir, err);
	if (r < 0)
		return pmg_err_wrap(err, "Landlock");
	*outer = pmg_steal_ptr(&first);
	*inner = pmg_steal_ptr(&second);
	return 0;
}
