#include "sandbox/broker_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE_BITS 07777U

static int place_of(struct pmg_request *request, struct pmg_object *out)
{
	return pmg_resolve(request, request->row->dirfd, request->row->path, PMG_RESOLVE_PARENT,
			   out);
}

static void answer_with(struct pmg_answer *answer, int r)
{
	if (r < 0)
		pmg_answer_fail(answer, -r);
	else
		answer->kind = PMG_ANSWER_RETURN;
}

/*
 * May something be made here? What is there already is EEXIST before it is a question of rights:
 * "mkdir -p" walks down from the root. Dots are left to the call, which fails.
 */
static int judge_new(struct pmg_request *request, const struct pmg_object *place)
{
	struct stat st;

	if (place->is_dots || pmg_may(request, PMG_ACCESS_WRITE, place->path))
		return 0;
	if (fstatat(place->parent, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	if (errno != ENOENT)
		return -errno;
	return pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_WRITE, place);
}

/* Is it a folder with something in it? What cannot be looked into is none. */
static bool is_full(const struct pmg_object *place)
{
	int fd =
		openat(place->parent, place->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	unsigned n = 0;

	if (!stream) {
		pmg_auto_closep(&fd);
		return false;
	}
	while (n <= 2 && (entry = readdir(stream)) != NULL)
		n++; /* "." and ".." are two */
	(void)closedir(stream);
	return n > 2;
}

/*
 * May what is here be taken away? What is not there is not refused; nor is a folder that would not
 * go, since it is full: git tries that with .git whenever it has stashed.
 */
static int judge_gone(struct pmg_request *request, const struct pmg_object *place, bool folder)
{
	struct stat st;

	if (place->is_dots || pmg_may(request, PMG_ACCESS_WRITE, place->path))
		return 0;
	if (fstatat(place->parent, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (folder && S_ISDIR(st.st_mode) && is_full(place))
		return -ENOTEMPTY;
	return pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_DELETE, place);
}

static mode_t mode_of(const struct pmg_request *request)
{
	return (mode_t)request->call.args[request->row->mode];
}

/* Managers make each folder of each file, and nearly all are there: whoever asks may know. */
static int place_of_folder(struct pmg_request *request, struct pmg_object *out)
{
	int dirfd = pmg_arg_fd(request, request->row->dirfd);
	char path[PATH_MAX];
	int r = pmg_read_path(request, request->row->path, path);

	if (r == 0 && pmg_resolve_is_there(request, dirfd, path))
		r = -EEXIST;
	return r == 0 ? pmg_resolve_text(request, dirfd, path, PMG_RESOLVE_PARENT, out) : r;
}

void pmg_act_mkdir(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object place = PMG_OBJECT_INIT;
	int r = place_of_folder(request, &place);

	if (r == 0)
		r = judge_new(request, &place);
	if (r == 0) {
		(void)umask(request->who.umask);
		r = mkdirat(place.parent, place.name, mode_of(request) & MODE_BITS) < 0 ? -errno
											: 0;
		r = pmg_mind_names(request, PMG_EVENT_WRITE, &place, r);
	}
	answer_with(answer, r);
}

/* A device would be a way around every rule for paths. */
static int judge_node(struct pmg_request *request, mode_t mode, const struct pmg_object *place)
{
	int r = judge_new(request, place);

	if (r < 0 || (!S_ISCHR(mode) && !S_ISBLK(mode)))
		return r;
	pmg_refuse_always(request, PMG_CODE_WRITE, PMG_EVENT_WRITE, place->path);
	return -EPERM;
}

void pmg_act_mknod(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object place = PMG_OBJECT_INIT;
	dev_t dev = (dev_t)request->call.args[request->row->mode + 1];
	mode_t mode = mode_of(request) & ~PMG_SET_ID_BITS;
	int r = place_of(request, &place);

	if (r == 0)
		r = judge_node(request, mode, &place);
	if (r == 0) {
		(void)umask(request->who.umask);
		r = mknodat(place.parent, place.name, mode, dev) < 0 ? -errno : 0;
		r = pmg_mind_names(request, PMG_EVENT_WRITE, &place, r);
	}
	answer_with(answer, r);
}

/* Where a link leads is judged by whoever goes there. */
void pmg_act_symlink(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object place = PMG_OBJECT_INIT;
	char text[PATH_MAX];
	int r = pmg_read_path(request, request->row->mode, text);

	if (r == 0 && text[0] == '\0')
		r = -ENOENT;
	if (r == 0)
		r = place_of(request, &place);
	if (r == 0)
		r = judge_new(request, &place);
	if (r == 0)
		r = pmg_mind_names(request, PMG_EVENT_WRITE, &place,
				   symlinkat(text, place.parent, place.name) < 0 ? -errno : 0);
	answer_with(answer, r);
}

void pmg_act_unlink(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object place = PMG_OBJECT_INIT;
	const struct pmg_call_row *row = request->row;
	int flags = row->flags < 0 ? row->fixed : (int)request->call.args[row->flags];
	int r = (flags & ~AT_REMOVEDIR) != 0 ? -EINVAL : place_of(request, &place);

	if (r == 0)
		r = judge_gone(request, &place, (flags & AT_REMOVEDIR) != 0);
	if (r == 0)
		r = pmg_mind_names(request, PMG_EVENT_DELETE, &place,
				   unlinkat(place.parent, place.name, flags) < 0 ? -errno : 0);
	answer_with(answer, r);
}
