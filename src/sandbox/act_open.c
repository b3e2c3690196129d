#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sandbox/device_priv.h"
#include "sandbox/resolve_priv.h"

#define TRIES     8 /* somebody makes and removes the same name all the time */
#define MODE_BITS (07777U & ~PMG_SET_ID_BITS)

struct want {
	int dirfd;
	int flags;
	mode_t mode;
	uint64_t resolve; /* of openat2(2) */
	char path[PATH_MAX];
};

static bool reads(int flags)
{
	return (flags & O_ACCMODE) != O_WRONLY;
}

static bool writes(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
}

/* A file that is to be made is written, however it is opened. */
static int judge(struct pmg_request *request, int flags, bool makes,
		 const struct pmg_object *object)
{
	int r = 0;

	if (makes || writes(flags))
		r = pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_WRITE, object);
	if (r == 0 && reads(flags))
		r = pmg_judge_object(request, PMG_ACCESS_READ, PMG_EVENT_READ, object);
	return r;
}

static int look(struct pmg_request *request, const struct want *want, unsigned flags,
		struct pmg_object *out)
{
	if (want->flags & O_NOFOLLOW)
		flags &= ~PMG_RESOLVE_FOLLOW;
	return want->resolve ? pmg_resolve_how(request, want->dirfd, want->path, flags,
					       want->resolve, out)
			     : pmg_resolve_text(request, want->dirfd, want->path, flags, out);
}

static void give(struct pmg_answer *answer, int fd, int flags)
{
	if (fd < 0) {
		pmg_answer_fail(answer, -fd);
		return;
	}
	answer->kind = PMG_ANSWER_FD;
	answer->fd = fd;
	answer->cloexec = (flags & O_CLOEXEC) != 0;
}

/* As the kernel says it, before it looks at permissions. */
static int mind_type(int flags, mode_t mode)
{
	if ((flags & O_DIRECTORY) && !S_ISDIR(mode))
		return -ENOTDIR;
	if (S_ISLNK(mode))
		return -ELOOP;
	if (S_ISDIR(mode) && (writes(flags) || (flags & O_CREAT)))
		return -EISDIR;
	return 0;
}

/* Has the caller a descriptor left? Size of the folder: number of open ones (6.2; before that 0).
 */
static bool has_room(struct pmg_request *request)
{
	struct rlimit limit;
	char name[32];
	struct stat st;

	(void)snprintf(name, sizeof name, "%d/fd", (int)request->who.tid);
	return prlimit(request->who.tid, RLIMIT_NOFILE, NULL, &limit) < 0 ||
	       fstatat(request->broker->proc, name, &st, 0) < 0 ||
	       (rlim_t)st.st_size < limit.rlim_cur;
}

/* A file that is closed for everybody may be hidden behind this device. */
static bool is_null(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/* yarn ends at a configuration file that is there and cannot be read, bun at a .env. One that is
 * refused reads as empty where the rule says so; that it was refused is told all the same. */
static bool give_empty(struct pmg_request *request, int flags, const struct pmg_object *object,
		       struct pmg_answer *answer)
{
	struct pmg_decision decision;
	int fd;

	if (writes(flags) || object->path[0] != '/' ||
	    (!S_ISREG(object->st.st_mode) && !is_null(&object->st)))
		return false;
	decision = pmg_policy_ask(request->broker->policy, PMG_ACCESS_READ, request->who.role,
				  object->path);
	if (decision.allowed || !decision.rule || !decision.rule->reads_empty ||
	    judge(request, flags, false, object) == 0)
		return false;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	give(answer, fd < 0 ? -errno : fd, flags);
	return true;
}

/*
 * By far most of what is opened are programs' own files, to be read: the caller of these need not
 * wait until we have closed ours. Of others it would be seen: a lock that the caller gives up is
 * held for as long as we hold the file, and one that it has written cannot be started. Who may not
 * write a file does not lock it, but for programs that make their lock files as they open them.
 */
static bool may_linger(const struct pmg_request *request, const struct want *want,
		       const struct pmg_object *object)
{
	return !writes(want->flags) && !(want->flags & O_CREAT) &&
	       (S_ISREG(object->st.st_mode) || S_ISDIR(object->st.st_mode)) &&
	       object->path[0] == '/' && !pmg_may(request, PMG_ACCESS_WRITE, object->path);
}

/* Open again what was judged; never by its name, which may lead elsewhere by now. */
static void open_object(struct pmg_request *request, const struct want *want,
			const struct pmg_object *object, struct pmg_answer *answer)
{
	int flags = want->flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW);
	int r = mind_type(want->flags, object->st.st_mode);

	if (r == 0 && give_empty(request, flags, object, answer))
		return;
	if (r == 0 && pmg_device_open(request, object, flags, answer))
		return;
	if (r == 0)
		r = judge(request, want->flags, false, object);
	if (r == 0 && (flags & O_TRUNC) && !has_room(request))
		r = -EMFILE; /* before anything is lost */
	if (r < 0)
		pmg_answer_fail(answer, -r);
	else if (S_ISFIFO(object->st.st_mode) && !(flags & O_NONBLOCK) &&
		 (flags & O_ACCMODE) != O_RDWR)
		pmg_wait_open(request, object->fd, flags, answer);
	else
		give(answer, pmg_reopen(request->broker, object->fd, flags), flags);
	answer->may_linger = answer->kind == PMG_ANSWER_FD && may_linger(request, want, object);
}

/* O_EXCL follows no link. @return fd or -errno; -EEXIST also for a link */
static int make(struct pmg_request *request, const struct want *want,
		const struct pmg_object *place)
{
	int fd;

	(void)umask(request->who.umask);
	fd = openat(place->parent, place->name,
		    want->flags | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, want->mode);
	return fd < 0 ? pmg_mind_names(request, PMG_EVENT_WRITE, place, -errno) : fd;
}

/* A caller without a free descriptor makes no file. */
static void give_made(struct pmg_request *request, const struct want *want,
		      const struct pmg_object *place, int fd, struct pmg_answer *answer)
{
	int r;

	r = pmg_notify_add_fd(request->broker->listener, request->call.id, fd,
			      (want->flags & O_CLOEXEC) != 0);
	(void)close(fd);
	if (r < 0) {
		(void)unlinkat(place->parent, place->name, 0);
		pmg_answer_fail(answer, -r);
		return;
	}
	answer->kind = PMG_ANSWER_RETURN;
	answer->value = r;
}

/* The place is free, or what lies there may be opened: most files are made by the first call.
 * @return 0: answered; -EEXIST: there is something; -EACCES: no file may be made here */
static int make_first(struct pmg_request *request, const struct want *want,
		      const struct pmg_object *place, struct pmg_answer *answer)
{
	int fd;

	if (!pmg_may(request, PMG_ACCESS_WRITE, place->path) ||
	    (reads(want->flags) && !pmg_may(request, PMG_ACCESS_READ, place->path)))
		return -EACCES;
	fd = make(request, want, place);
	if (fd == -EEXIST)
		return fd;
	if (fd < 0)
		pmg_answer_fail(answer, -fd);
	else
		give_made(request, want, place, fd, answer);
	return 0;
}

/* In folders like /tmp the kernel may refuse O_CREAT of what others made (fs.protected_regular). */
static int mind_sticky(const struct want *want, const struct pmg_object *place,
		       const struct pmg_object *object)
{
	struct stat st;
	int fd;

	if (!S_ISREG(object->st.st_mode) || strcmp(place->path, object->path) != 0 ||
	    fstat(place->parent, &st) < 0 || !(st.st_mode & S_ISVTX))
		return 0;
	fd = openat(place->parent, place->name,
		    (want->flags & ~(O_EXCL | O_TRUNC)) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		    want->mode);
	if (fd < 0)
		return -errno;
	(void)close(fd);
	return 0;
}

/* O_CREAT of what is there, or where a link leads. @return -EAGAIN: it has changed, try again */
static int open_or_make(struct pmg_request *request, const struct want *want,
			const struct pmg_object *place, struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	int r = look(request, want, PMG_RESOLVE_FOLLOW | PMG_RESOLVE_MAKE, &object);

	if (r < 0)
		return r;
	if (object.fd >= 0) {
		if (pmg_may(request, PMG_ACCESS_WRITE, place->path))
			r = mind_sticky(want, place, &object);
		if (r == 0)
			open_object(request, want, &object, answer);
		return r;
	}
	if (object.wants_folder)
		return -EISDIR;
	r = judge(request, want->flags, true, &object);
	if (r == 0)
		r = make_first(request, want, &object, answer);
	return r == -EEXIST ? -EAGAIN : r;
}

static int create_once(struct pmg_request *request, const struct want *want,
		       struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object place = PMG_OBJECT_INIT;
	struct stat st;
	int r = look(request, want, PMG_RESOLVE_PARENT, &place);

	if (r < 0)
		return r;
	if (place.wants_folder || place.is_dots)
		return -EISDIR;
	r = make_first(request, want, &place, answer);
	if (r == 0)
		return 0;
	if (!(want->flags & O_EXCL))
		return open_or_make(request, want, &place, answer);
	if (r == -EEXIST || fstatat(place.parent, place.name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	if (errno != ENOENT)
		return -errno;
	return judge(request, want->flags, true, &place);
}

static int create(struct pmg_request *request, const struct want *want, struct pmg_answer *answer)
{
	int tries, r;

	if (want->flags & O_DIRECTORY)
		return -EINVAL;
	for (tries = 0; tries < TRIES; tries++) {
		r = create_once(request, want, answer);
		if (r != -EAGAIN)
			break;
	}
	return r;
}

/* A file without a name: the folder is what is written to. */
static int make_unnamed(struct pmg_request *request, const struct want *want,
			struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object folder = PMG_OBJECT_INIT;
	char name[] = ".";
	int r;

	if ((want->flags & O_CREAT) || !((want->flags & O_ACCMODE) & (O_WRONLY | O_RDWR)))
		return -EINVAL;
	r = look(request, want, PMG_RESOLVE_FOLLOW, &folder);
	if (r == 0 && !S_ISDIR(folder.st.st_mode))
		r = -ENOTDIR;
	if (r == 0)
		r = judge(request, O_WRONLY, true, &folder);
	if (r < 0)
		return r;
	(void)umask(request->who.umask);
	r = openat(folder.fd, name, want->flags | O_CLOEXEC, want->mode);
	give(answer, r < 0 ? -errno : r, want->flags);
	return 0;
}

static int open_existing(struct pmg_request *request, const struct want *want,
			 struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	int r = look(request, want, PMG_RESOLVE_FOLLOW, &object);

	if (r == 0)
		open_object(request, want, &object, answer);
	return r;
}

static void act(struct pmg_request *request, struct want *want, struct pmg_answer *answer)
{
	int r = pmg_read_path(request, request->row->path, want->path);

	if (r == 0 && (want->flags & O_TMPFILE) == O_TMPFILE)
		r = make_unnamed(request, want, answer);
	else if (r == 0 && (want->flags & O_CREAT))
		r = create(request, want, answer);
	else if (r == 0)
		r = open_existing(request, want, answer);
	if (r < 0)
		pmg_answer_fail(answer, -r);
}

void pmg_act_open(struct pmg_request *request, struct pmg_answer *answer)
{
	const struct pmg_call_row *row = request->row;
	struct want want;

	want.dirfd = pmg_arg_fd(request, row->dirfd);
	want.flags = row->flags < 0 ? row->fixed : (int)request->call.args[row->flags];
	want.mode = (mode_t)request->call.args[row->mode] & MODE_BITS;
	want.resolve = 0;
	/* Opens no content; each later use of it is judged. The flags lie in a register: what goes
	 * on is what was seen. */
	if (want.flags & O_PATH) {
		answer->kind = PMG_ANSWER_CONTINUE;
		return;
	}
	act(request, &want, answer);
}

void pmg_act_creat(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_act_open(request, answer);
}

/* What openat2(2) says of flags that it does not know; with "" for a path it does nothing else. */
static int mind_how(const struct open_how *how)
{
	long r = syscall(SYS_openat2, AT_FDCWD, "", how, sizeof *how);

	return r < 0 && errno == EINVAL ? -EINVAL : 0;
}

static int read_how(struct pmg_request *request, struct open_how *out)
{
	uint64_t address = request->call.args[2], size = request->call.args[3];
	char more[256];
	ssize_t n;

	if (size < sizeof *out)
		return -EINVAL;
	if (size > sizeof more)
		return -E2BIG;
	n = pmg_notify_read(request->who.tid, address, more, size);
	if (n < 0 || (uint64_t)n < size)
		return -EFAULT;
	memcpy(out, more, sizeof *out);
	for (n = sizeof *out; n < (ssize_t)size; n++)
		if (more[n] != 0)
			return -E2BIG;
	return mind_how(out);
}

/* The flags lie in memory that another thread can change, so that O_PATH, which cannot be handed
 * over, may not go on either: there is no such call, and callers have another way. */
void pmg_act_openat2(struct pmg_request *request, struct pmg_answer *answer)
{
	struct want want = { .dirfd = pmg_arg_fd(request, request->row->dirfd) };
	struct open_how how;
	int r = read_how(request, &how);

	if (r == 0 && (how.flags & O_PATH))
		r = -ENOSYS;
	if (r < 0) {
		pmg_answer_fail(answer, -r);
		return;
	}
	want.flags = (int)how.flags;
	want.mode = (mode_t)how.mode & MODE_BITS;
	want.resolve = how.resolve & ~(uint64_t)RESOLVE_CACHED;
	act(request, &want, answer);
}

void pmg_act_truncate(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	off_t length = (off_t)request->call.args[request->row->mode];
	pmg_autofd int fd = -1;
	int r = length < 0 ? -EINVAL
			   : pmg_resolve(request, request->row->dirfd, request->row->path,
					 PMG_RESOLVE_FOLLOW, &object);

	if (r == 0 && !S_ISREG(object.st.st_mode))
		r = S_ISDIR(object.st.st_mode) ? -EISDIR : -EINVAL;
	if (r == 0)
		r = pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_WRITE, &object);
	if (r == 0) {
		fd = pmg_reopen(request->broker, object.fd, O_WRONLY);
		r = fd < 0 ? fd : ftruncate(fd, length) < 0 ? -errno : 0;
	}
	if (r < 0)
		pmg_answer_fail(answer, -r);
	else
		answer->kind = PMG_ANSWER_RETURN;
}
