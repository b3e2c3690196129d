#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"

#define MODE_BITS  07777U
#define EXEC_BITS  0111U
#define UMASK_BITS 0777U
#define NUMBER_LEN 16
#define MICRO      1000000

static int flags_of(const struct pmg_request *request)
{
	const struct pmg_call_row *row = request->row;

	return row->flags < 0 ? row->fixed : (int)(int32_t)request->call.args[row->flags];
}

static void answer_with(struct pmg_answer *answer, int r)
{
	if (r < 0)
		pmg_answer_fail(answer, -r);
	else
		answer->kind = PMG_ANSWER_RETURN;
}

/* A descriptor's object is judged by where it lies now, not by what the descriptor may. */
static int descriptor(struct pmg_request *request, struct pmg_object *out)
{
	int r = pmg_resolve_fd(request, pmg_arg_fd(request, request->row->dirfd), out);

	if (r == 0 && (fcntl(out->fd, F_GETFL) & O_PATH))
		r = -EBADF;
	out->held = 0;
	return r;
}

static int named(struct pmg_request *request, int flags, struct pmg_object *out)
{
	int r = pmg_resolve(request, request->row->dirfd, request->row->path,
			    (flags & AT_SYMLINK_NOFOLLOW ? 0 : PMG_RESOLVE_FOLLOW) |
				    (flags & AT_EMPTY_PATH ? PMG_RESOLVE_EMPTY : 0),
			    out);

	out->held = 0;
	return r;
}

static int object_of(struct pmg_request *request, int flags, struct pmg_object *out)
{
	return request->row->path < 0 ? descriptor(request, out) : named(request, flags, out);
}

/* The object whose metadata is to change; it may. */
static int target_of(struct pmg_request *request, int flags, struct pmg_object *out)
{
	int r = object_of(request, flags, out);

	return r < 0 ? r : pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_METADATA, out);
}

/* A program that runs as its owner, whoever starts it, would outlive the walls. */
static int judge_set_id(struct pmg_request *request, mode_t mode, const struct pmg_object *object)
{
	mode_t added = mode & ~object->st.st_mode & PMG_SET_ID_BITS;

	if (added == 0 || S_ISDIR(object->st.st_mode))
		return 0;
	pmg_refuse_always(request, PMG_CODE_METADATA, PMG_EVENT_METADATA, object->path);
	return -EPERM;
}

/*
 * A mode that is there already harms nobody, where it is the file's: over what is closed lies a
 * mask. And npm makes programs of what the bin of a linked package names, which lies where else it
 * may not write: the manager may let be started by mode what may be started by rule.
 */
static bool is_harmless_mode(struct pmg_request *request, mode_t mode,
			     const struct pmg_object *object)
{
	mode_t now = object->st.st_mode & MODE_BITS;

	if (!pmg_may(request, PMG_ACCESS_READ, object->path))
		return false;
	return mode == now || (request->who.role == PMG_ROLE_MANAGER && (mode & now) == now &&
			       !((mode ^ now) & ~EXEC_BITS) && S_ISREG(object->st.st_mode) &&
			       pmg_may(request, PMG_ACCESS_EXEC, object->path));
}

void pmg_act_chmod(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	mode_t mode = (mode_t)request->call.args[request->row->mode] & MODE_BITS;
	int r = object_of(request, 0, &object);
	char name[NUMBER_LEN];

	if (r >= 0 && !is_harmless_mode(request, mode, &object))
		r = pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_METADATA, &object);
	if (r >= 0)
		r = judge_set_id(request, mode, &object);
	(void)snprintf(name, sizeof name, "%d", object.fd);
	if (r == 0 && fchmodat(request->broker->fds, name, mode, 0) < 0)
		r = -errno;
	answer_with(answer, r);
}

void pmg_act_chown(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	const uint64_t *ids = &request->call.args[request->row->mode];
	int flags = flags_of(request);
	int r = flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) ? -EINVAL
							       : target_of(request, flags, &object);

	if (r == 0 && fchownat(object.fd, "", (uid_t)ids[0], (gid_t)ids[1], AT_EMPTY_PATH) < 0)
		r = -errno;
	answer_with(answer, r);
}

static int copy_in(struct pmg_request *request, uint64_t address, void *out, size_t len)
{
	ssize_t n = pmg_notify_read(request->who.tid, address, out, len);

	if (n < 0 || (size_t)n < len)
		return -EFAULT;
	return pmg_notify_is_valid(request->broker->listener, request->call.id) ? 0 : -ESRCH;
}

/* Three shapes of two times; a row says which in fixed. */
static int times_of(struct pmg_request *request, struct timespec out[2])
{
	uint64_t address = request->call.args[request->row->mode];
	struct timeval micro[2];
	time_t whole[2];
	int r, i;

	if (request->row->fixed == PMG_TIMES_NANO)
		return copy_in(request, address, out, 2 * sizeof out[0]);
	r = request->row->fixed == PMG_TIMES_WHOLE ? copy_in(request, address, whole, sizeof whole)
						   : copy_in(request, address, micro, sizeof micro);
	for (i = 0; r == 0 && i < 2; i++) {
		if (request->row->fixed == PMG_TIMES_WHOLE)
			micro[i] = (struct timeval){ .tv_sec = whole[i] };
		if (micro[i].tv_usec < 0 || micro[i].tv_usec >= MICRO)
			return -EINVAL;
		out[i].tv_sec = micro[i].tv_sec;
		out[i].tv_nsec = micro[i].tv_usec * 1000;
	}
	return r;
}

static int utime_target(struct pmg_request *request, int flags, struct pmg_object *out)
{
	int r;

	/* utimensat and futimesat without a path mean the descriptor. */
	if (request->row->dirfd < 0 || request->call.args[request->row->path] != 0)
		return target_of(request, flags, out);
	if (flags & ~AT_EMPTY_PATH)
		return -EINVAL;
	if (pmg_arg_fd(request, request->row->dirfd) == AT_FDCWD)
		return -EFAULT;
	r = descriptor(request, out);
	return r < 0 ? r : pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_METADATA, out);
}

void pmg_act_utime(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	bool now = request->call.args[request->row->mode] == 0;
	int flags = request->row->flags < 0 ? 0 : flags_of(request);
	struct timespec times[2];
	int r = flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) ? -EINVAL : 0;

	if (r == 0 && !now)
		r = times_of(request, times);
	if (r == 0)
		r = utime_target(request, flags, &object);
	if (r == 0 && utimensat(object.fd, "", now ? NULL : times, AT_EMPTY_PATH) < 0)
		r = -errno;
	answer_with(answer, r);
}

/* Name and value as the caller has them. */
static int xattr_value(struct pmg_request *request, char **value, size_t *size)
{
	const uint64_t *args = &request->call.args[request->row->mode];
	int r;

	*size = (size_t)args[2];
	if (*size > XATTR_SIZE_MAX)
		return -E2BIG;
	*value = pmg_xmalloc(*size + 1);
	r = *size == 0 ? 0 : copy_in(request, args[1], *value, *size);
	return r;
}

static int xattr_name(struct pmg_request *request, char out[XATTR_NAME_MAX + 1])
{
	ssize_t n = pmg_notify_read_text(request->who.tid, request->call.args[request->row->mode],
					 out, XATTR_NAME_MAX + 1);

	if (n == -ENAMETOOLONG || n == 0)
		return -ERANGE;
	return n < 0 ? (int)n : 0;
}

static int xattr(struct pmg_request *request, const char *name, const char *value, size_t size)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	bool sets = request->row->flags >= 0;
	char number[NUMBER_LEN];
	int r = target_of(request, request->row->fixed, &object);

	if (r < 0)
		return r;
	if (S_ISLNK(object.st.st_mode))
		return -EPERM; /* a link has none that a package may set */
	/* This thread stands in /proc/self/fd: there is no such call by descriptor and name. */
	(void)snprintf(number, sizeof number, "%d", object.fd);
	r = sets ? setxattr(number, name, value, size, flags_of(request))
		 : removexattr(number, name);
	return r < 0 ? -errno : 0;
}

void pmg_act_xattr(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_autofree char *value = NULL;
	char name[XATTR_NAME_MAX + 1];
	size_t size = 0;
	int r = xattr_name(request, name);

	if (r == 0 && request->row->flags >= 0)
		r = xattr_value(request, &value, &size);
	if (r == 0)
		r = xattr(request, name, value, size);
	answer_with(answer, r);
}

/* The call goes on: the mask lies in a register. */
void pmg_act_umask(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_who_umask(request->broker, &request->who,
		      (unsigned)request->call.args[request->row->mode] & UMASK_BITS);
	answer->kind = PMG_ANSWER_CONTINUE;
}
