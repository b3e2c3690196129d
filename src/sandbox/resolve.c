#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "sandbox/resolve_priv.h"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* 6.9 */
#endif

#define NUMBER_LEN 16 /* of a descriptor, and "fd/" before it */
#define DELETED    " (deleted)"
#define MEMFD      "/memfd:"

void pmg_object_done(struct pmg_object *object)
{
	pmg_auto_closep(&object->fd);
	pmg_auto_closep(&object->parent);
	object->fd = object->parent = -1;
}

int pmg_open_path(int base, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = { .flags = (unsigned)(flags | O_PATH | O_CLOEXEC),
				.resolve = resolve };
	long fd = syscall(SYS_openat2, base, path, &how, sizeof how);

	return fd < 0 ? -errno : (int)fd;
}

ssize_t pmg_own_path(struct pmg_broker *broker, int fd, char *out, size_t size)
{
	char name[NUMBER_LEN];
	ssize_t n;

	(void)snprintf(name, sizeof name, "%d", fd);
	n = readlinkat(broker->fds, name, out, size);
	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	out[n] = '\0';
	return n;
}

int pmg_reopen(struct pmg_broker *broker, int fd, int flags)
{
	char name[NUMBER_LEN];
	int again;

	(void)snprintf(name, sizeof name, "%d", fd);
	again = openat(broker->fds, name, flags | O_CLOEXEC | O_NOCTTY);
	return again < 0 ? -errno : again;
}

/*
 * What has no name any more is judged by the name it had. A file may also really be called
 * "x (deleted)"; then it is found there. A memfd has no place at all.
 */
static void name_of_deleted(struct pmg_object *out, size_t len)
{
	const size_t tail = sizeof DELETED - 1;
	pmg_autofd int fd = -1;
	struct stat st;

	if (len <= tail || memcmp(out->path + len - tail, DELETED, tail) != 0)
		return;
	fd = pmg_open_path(-1, out->path, O_NOFOLLOW, RESOLVE_NO_SYMLINKS);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == out->st.st_ino &&
	    st.st_dev == out->st.st_dev)
		return;
	out->path[len - tail] = '\0';
	if (out->st.st_nlink == 0 && memcmp(out->path, MEMFD, sizeof MEMFD - 1) == 0)
		memmove(out->path, out->path + 1, len - tail);
}

int pmg_object_fill(struct pmg_request *request, struct pmg_object *out)
{
	ssize_t n;

	if (fstat(out->fd, &out->st) < 0)
		return -errno;
	n = pmg_own_path(request->broker, out->fd, out->path, PATH_MAX);
	if (n < 0)
		return (int)n;
	if (out->path[0] == '/')
		name_of_deleted(out, (size_t)n);
	if (out->st.st_dev == request->broker->proc_dev)
		out->is_own_proc = pmg_proc_is_own(request, out->path);
	return 0;
}

/* out->path holds the folder, n bytes of it: add the name. */
static int name_in(const char *name, size_t len, bool slash, size_t n, struct pmg_object *out)
{
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(out->name, name, len);
	out->name[len] = '\0';
	out->is_dots = strcmp(out->name, ".") == 0 || strcmp(out->name, "..") == 0 ||
		       strcmp(out->name, "/") == 0;
	if (n > 1)
		out->path[n++] = '/';
	memcpy(out->path + n, name, len);
	out->path[n + len] = '\0';
	out->wants_folder = slash;
	if (slash && !out->is_dots)
		memcpy(out->name + len, "/", 2); /* so that the call itself minds it */
	return 0;
}

int pmg_object_place(struct pmg_request *request, const char *name, size_t len, bool slash,
		     struct pmg_object *out)
{
	ssize_t n = pmg_own_path(request->broker, out->parent, out->path, PATH_MAX);

	if (n < 0)
		return (int)n;
	if (out->path[0] != '/')
		return -ENOTDIR;
	if (pmg_hidden_judge(request, out->parent, name) < 0)
		return -EACCES;
	if (n > (ssize_t)sizeof DELETED &&
	    strcmp(out->path + n - sizeof DELETED + 1, DELETED) == 0 &&
	    (fstat(out->parent, &out->st) < 0 || out->st.st_nlink == 0))
		return -ENOENT; /* nothing can be made in it */
	memset(&out->st, 0, sizeof out->st);
	return name_in(name, len, slash, (size_t)n, out);
}

int pmg_caller_fd(struct pmg_request *request, int fd)
{
	pmg_autofd int pidfd = -1;
	long r;

	if (fd < 0)
		return -EBADF;
	pidfd = (int)syscall(SYS_pidfd_open, request->who.tid, PIDFD_THREAD);
	if (pidfd < 0 && errno == EINVAL)
		pidfd = (int)syscall(SYS_pidfd_open, request->who.tgid, 0);
	if (pidfd < 0)
		return -errno;
	if (!pmg_notify_is_valid(request->broker->listener, request->call.id))
		return -ESRCH; /* the number may be somebody else's by now */
	r = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	return r < 0 ? -errno : (int)r;
}

static unsigned held_by(int fd)
{
	static const unsigned held[O_ACCMODE + 1] = {
		[O_RDONLY] = PMG_HELD_READ,
		[O_WRONLY] = PMG_HELD_WRITE,
		[O_RDWR] = PMG_HELD_READ | PMG_HELD_WRITE,
	};
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || (flags & O_PATH) ? 0 : held[flags & O_ACCMODE];
}

int pmg_resolve_fd(struct pmg_request *request, int fd, struct pmg_object *out)
{
	out->fd = pmg_caller_fd(request, fd);
	if (out->fd < 0)
		return out->fd;
	out->is_magic = true;
	out->held = held_by(out->fd);
	return pmg_object_fill(request, out);
}

/* Folder at which a path begins; stays -1 for an absolute one. */
static int caller_base(struct pmg_request *request, int dirfd, const char *path, int *base)
{
	char what[NUMBER_LEN];
	int fd;

	if (path[0] == '/')
		return 0;
	if (dirfd != AT_FDCWD && dirfd < 0)
		return -EBADF;
	(void)snprintf(what, sizeof what, "fd/%d", dirfd);
	fd = pmg_procfs_follow(request->broker->proc, request->who.tid,
			       dirfd == AT_FDCWD ? "cwd" : what);
	if (fd < 0)
		return dirfd != AT_FDCWD && fd == -ENOENT ? -EBADF : fd;
	*base = fd;
	return 0;
}

#define WALK 1 /* only by hand can it be said */

/*
 * The kernel follows plain links for us, in one call. Links of /proc that mean the caller ("self",
 * and so /dev/fd and /dev/stdin) lead nowhere for us, who are in no pid namespace of the run, and
 * magic ones are refused: both end in ENOENT or ELOOP. Where no link was met ENOENT is the truth.
 */
static int quick_open(int base, const char *path, int flags)
{
	int fd = pmg_open_path(base, path, flags, RESOLVE_NO_MAGICLINKS);
	int again;

	if (fd >= 0 || (fd != -ENOENT && fd != -ELOOP))
		return fd;
	if (fd == -ELOOP)
		return -ELOOP;
	again = pmg_open_path(base, path, flags, RESOLVE_NO_SYMLINKS);
	if (again >= 0)
		(void)close(again);
	return again == -ENOENT ? -ENOENT : -ELOOP;
}

static int quick(struct pmg_request *request, int base, const char *path, unsigned flags,
		 struct pmg_object *out)
{
	int r;

	out->fd = quick_open(base, path, flags & PMG_RESOLVE_FOLLOW ? 0 : O_NOFOLLOW);
	if (out->fd == -ELOOP || out->fd == -EACCES ||
	    (out->fd == -ENOENT && flags & PMG_RESOLVE_MAKE))
		return WALK;
	if (out->fd == -ENOENT && pmg_hidden_above(request, base, path, 0) < 0)
		return -EACCES;
	if (out->fd < 0)
		return out->fd;
	r = pmg_object_fill(request, out);
	return r == 0 && out->st.st_dev == request->broker->proc_dev ? WALK : r;
}

/* Where the last component begins, and its length. @return whether slashes follow it */
static bool split(const char *path, size_t *begin, size_t *len)
{
	size_t end = strlen(path), all = end;

	while (end > 0 && path[end - 1] == '/')
		end--;
	*begin = end;
	while (*begin > 0 && path[*begin - 1] != '/')
		--*begin;
	*len = end - *begin;
	return end < all;
}

static int quick_parent(struct pmg_request *request, int *base, const char *path,
			struct pmg_object *out)
{
	char folder[PATH_MAX];
	size_t begin, len;
	bool slash = split(path, &begin, &len);

	if (begin == 0 && len > 0) {
		out->parent = pmg_steal_fd(base);
		return pmg_object_place(request, path, len, slash, out);
	}
	if (len == 0) { /* "/" */
		out->parent = pmg_open_path(-1, "/", O_DIRECTORY, 0);
		return out->parent < 0 ? out->parent : pmg_object_place(request, "/", 1, true, out);
	}
	memcpy(folder, path, begin);
	folder[begin] = '\0';
	out->parent = quick_open(*base, folder, O_DIRECTORY);
	if (out->parent == -ELOOP || out->parent == -EACCES)
		return WALK;
	if (out->parent == -ENOENT && pmg_hidden_above(request, *base, path, 0) < 0)
		return -EACCES;
	return out->parent < 0 ? out->parent
			       : pmg_object_place(request, path + begin, len, slash, out);
}

/* Absolute, and each part a name: what it leads to, if by no link, has just this path. */
static bool is_plain(const char *path)
{
	while (*path == '/') {
		size_t len = strcspn(++path, "/");

		if (len == 0 || (path[0] == '.' && (len == 1 || (len == 2 && path[1] == '.'))))
			return false;
		path += len;
	}
	return *path == '\0';
}

/* The caller's folder and a path from it, as one. @return false: something stands against it */
static bool plain_path(struct pmg_request *request, int dirfd, const char *path, char *out)
{
	ssize_t n = 0;

	if (path[0] != '/') {
		n = dirfd != AT_FDCWD ? -1
				      : pmg_procfs_readlink(request->broker->proc, request->who.tid,
							    "cwd", out, PATH_MAX);
		if (n <= 1 || out[0] != '/')
			return false;
		out[n++] = '/';
	}
	if ((size_t)n + strlen(path) >= PATH_MAX)
		return false;
	memcpy(out + n, path, strlen(path) + 1);
	return is_plain(out);
}

bool pmg_resolve_is_there(struct pmg_request *request, int dirfd, const char *path)
{
	char text[2 * PATH_MAX];
	struct stat st;

	return plain_path(request, dirfd, path, text) && lstat(text, &st) == 0;
}

/*
 * Most paths meet no link at all. Then the kernel's word that there is none (RESOLVE_NO_SYMLINKS)
 * makes the text itself the object's path, and neither the caller's folder need be opened nor the
 * object's path asked for. Whatever else comes of it is left to the ways below.
 * @return 0, or WALK: not so
 */
static int plain(struct pmg_request *request, int dirfd, const char *path, unsigned flags,
		 struct pmg_object *out)
{
	bool parent = flags & PMG_RESOLVE_PARENT;
	char text[2 * PATH_MAX];
	char *name = NULL;
	int fd;

	if (!plain_path(request, dirfd, path, text))
		return WALK;
	if (parent) {
		name = strrchr(text, '/');
		*name++ = '\0';
	}
	if (parent && text[0] == '\0')
		return WALK; /* in "/" */
	if (!pmg_notify_is_valid(request->broker->listener, request->call.id))
		return -ESRCH;
	fd = pmg_open_path(-1, text,
			   parent                       ? O_DIRECTORY
			   : flags & PMG_RESOLVE_FOLLOW ? 0
							: O_NOFOLLOW,
			   RESOLVE_NO_SYMLINKS);
	if (fd < 0 && (fd != -ENOENT || path[0] != '/' || flags & PMG_RESOLVE_MAKE))
		return WALK;
	if (fd < 0)
		return pmg_hidden_above(request, -1, path, 0) < 0 ? -EACCES : fd;
	memcpy(out->path, text, strlen(text) + 1);
	if (parent) {
		out->parent = fd;
		if (pmg_hidden_judge(request, fd, name) < 0)
			return -EACCES;
		return name_in(name, strlen(name), false, strlen(text), out);
	}
	out->fd = fd;
	if (fstat(fd, &out->st) < 0)
		return -errno;
	return out->st.st_dev == request->broker->proc_dev ? WALK : 0;
}

static int resolve_empty(struct pmg_request *request, int dirfd, struct pmg_object *out)
{
	if (dirfd != AT_FDCWD)
		return pmg_resolve_fd(request, dirfd, out);
	out->fd = pmg_procfs_follow(request->broker->proc, request->who.tid, "cwd");
	if (out->fd < 0)
		return out->fd;
	return pmg_object_fill(request, out);
}

/* Empty, for another try; the large texts are written before they are read. */
static void again(struct pmg_object *object)
{
	pmg_object_done(object);
	object->held = 0;
	object->is_magic = object->is_own_proc = object->wants_folder = object->is_dots = false;
	memset(&object->st, 0, sizeof object->st);
	object->name[0] = object->path[0] = '\0';
}

int pmg_resolve_text(struct pmg_request *request, int dirfd, const char *path, unsigned flags,
		     struct pmg_object *out)
{
	pmg_autofd int base = -1;
	int r;

	if (path[0] == '\0')
		return flags & PMG_RESOLVE_EMPTY ? resolve_empty(request, dirfd, out) : -ENOENT;
	r = plain(request, dirfd, path, flags, out);
	if (r != WALK)
		return r;
	again(out);
	r = caller_base(request, dirfd, path, &base);
	if (r < 0)
		return r;
	if (!pmg_notify_is_valid(request->broker->listener, request->call.id))
		return -ESRCH; /* memory and folder may be another process's */
	r = flags & PMG_RESOLVE_PARENT ? quick_parent(request, &base, path, out)
				       : quick(request, base, path, flags, out);
	if (r != WALK)
		return r;
	again(out);
	return pmg_walk(request, base, path, flags, out);
}

int pmg_resolve_how(struct pmg_request *request, int dirfd, const char *path, unsigned flags,
		    uint64_t resolve, struct pmg_object *out)
{
	const bool parent = flags & PMG_RESOLVE_PARENT;
	pmg_autofd int base = -1;
	char folder[PATH_MAX];
	size_t begin, len;
	bool slash = split(path, &begin, &len);
	/* With RESOLVE_IN_ROOT an absolute path, too, begins at the descriptor. */
	int fd, r = path[0] == '\0' ? -ENOENT : caller_base(request, dirfd, ".", &base);

	if (r < 0)
		return r;
	if (!pmg_notify_is_valid(request->broker->listener, request->call.id))
		return -ESRCH;
	memcpy(folder, path, begin);
	memcpy(folder + begin, begin == 0 ? "." : "", begin == 0 ? 2 : 1);
	fd = pmg_open_path(base, parent ? folder : path,
			   parent                         ? O_DIRECTORY
			   : (flags & PMG_RESOLVE_FOLLOW) ? 0
							  : O_NOFOLLOW,
			   resolve | RESOLVE_NO_MAGICLINKS);
	if ((fd == -ENOENT || fd == -EACCES) && pmg_hidden_above(request, base, path, resolve) < 0)
		return -EACCES;
	if (fd < 0)
		return fd;
	*(parent ? &out->parent : &out->fd) = fd;
	if (!parent)
		return pmg_object_fill(request, out);
	return len == 0 ? pmg_object_place(request, "/", 1, true, out)
			: pmg_object_place(request, path + begin, len, slash, out);
}

int pmg_arg_fd(const struct pmg_request *request, int arg)
{
	return arg < 0 ? AT_FDCWD : (int)(int32_t)request->call.args[arg];
}

int pmg_read_path(struct pmg_request *request, int path_arg, char *out)
{
	ssize_t n =
		pmg_notify_read_text(request->who.tid, request->call.args[path_arg], out, PATH_MAX);

	if (n == -EPERM)
		pmg_refuse(request, PMG_CODE_UNREADABLE, PMG_EVENT_KERNEL, NULL,
			   request->row ? request->row->name : "");
	return n < 0 ? (int)n : 0;
}

int pmg_resolve(struct pmg_request *request, int dirfd_arg, int path_arg, unsigned flags,
		struct pmg_object *out)
{
	char path[PATH_MAX];
	int r = pmg_read_path(request, path_arg, path);

	if (r < 0)
		return r;
	return pmg_resolve_text(request, pmg_arg_fd(request, dirfd_arg), path, flags, out);
}
