#include "sandbox/broker_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "sandbox/walls_priv.h"

/* What is looked through before a folder moves into a package; a larger one is refused. */
#define BELOW_MAX   20000U
#define BELOW_DEPTH 64U
#define NUMBER_LEN  16

/* One side of a rename. */
struct side {
	struct pmg_object place;
	struct stat st;
	bool there;
	bool leaves; /* something that lies here will lie elsewhere */
};

struct search {
	struct pmg_request *request;
	unsigned seen;
};

/* What moves is judged for reading too: a name that may not be read would else be read by another,
 * and in a folder all that is in it. */
static int judge_side(struct pmg_request *request, const struct side *side)
{
	int r = pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_RENAME, &side->place);

	if (r == 0 && side->leaves)
		r = pmg_judge_object(request, PMG_ACCESS_READ, PMG_EVENT_RENAME, &side->place);
	return r;
}

/* "mv .git .git2" takes .git/hooks from under its rule. */
static int judge_anchors(struct pmg_request *request, const struct side *side)
{
	static const enum pmg_access accesses[] = { PMG_ACCESS_READ, PMG_ACCESS_WRITE,
						    PMG_ACCESS_EXEC };
	const char *path = side->place.path;
	size_t i;

	for (i = 0; S_ISDIR(side->st.st_mode) && i < PMG_ARRAY_LEN(accesses); i++) {
		const struct pmg_policy_rule *rule =
			pmg_policy_anchors_below(request->broker->policy, accesses[i], path);

		if (!rule)
			continue;
		pmg_refuse(request, PMG_CODE_TREE, PMG_EVENT_RENAME, rule, path);
		return -EACCES;
	}
	return 0;
}

static bool is_denied(const struct search *search, int dir, const char *name, const char *path)
{
	struct stat st;

	if (!pmg_may(search->request, PMG_ACCESS_READ, path) ||
	    !pmg_may(search->request, PMG_ACCESS_WRITE, path))
		return true;
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       pmg_is_secret(search->request, &st);
}

/* @return 0: nothing below is denied; -EACCES: something is, or too much to say */
static int search_below(struct search *search, int fd, const char *path, unsigned depth)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r = dir ? 0 : -EACCES;

	while (r == 0 && (entry = readdir(dir)) != NULL) {
		pmg_autofree char *below = NULL;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		below = pmg_xasprintf("%s/%s", path, entry->d_name);
		if (++search->seen > BELOW_MAX || depth == 0 || strlen(below) >= PATH_MAX ||
		    is_denied(search, dirfd(dir), entry->d_name, below))
			r = -EACCES;
		else if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)
			r = search_below(search,
					 openat(dirfd(dir), entry->d_name,
						O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
					 below, depth - 1);
	}
	if (dir)
		(void)closedir(dir);
	else if (fd >= 0)
		(void)close(fd);
	return r;
}

/* In a package's own folder some rules do not hold: nothing denied may come to lie in one, nor
 * become one. What lies among packages already (npm's node_modules/.x-ABC) is theirs. */
static int judge_into_package(struct pmg_request *request, const struct side *from,
			      const struct side *to)
{
	const struct pmg_policy *policy = request->broker->policy;
	struct search search = { .request = request };
	int r;

	if (!S_ISDIR(from->st.st_mode) || !pmg_policy_opens_package(policy, to->place.path) ||
	    pmg_policy_opens_package(policy, from->place.path))
		return 0;
	r = search_below(&search,
			 openat(from->place.parent, from->place.name,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			 from->place.path, BELOW_DEPTH);
	if (r < 0)
		pmg_refuse(request, PMG_CODE_TREE, PMG_EVENT_RENAME, NULL, from->place.path);
	return r;
}

static int judge_rename(struct pmg_request *request, const struct side *from, const struct side *to)
{
	int r = judge_side(request, from);

	if (r == 0)
		r = judge_side(request, to);
	if (r == 0)
		r = judge_anchors(request, from);
	if (r == 0 && to->leaves)
		r = judge_anchors(request, to);
	if (r == 0)
		r = judge_into_package(request, from, to);
	if (r == 0 && to->leaves)
		r = judge_into_package(request, to, from);
	return r;
}

static int look_at(struct pmg_request *request, int dirfd, int path, struct side *out)
{
	int r = pmg_resolve(request, dirfd, path, PMG_RESOLVE_PARENT, &out->place);

	if (r < 0)
		return r;
	out->there =
		fstatat(out->place.parent, out->place.name, &out->st, AT_SYMLINK_NOFOLLOW) == 0;
	return 0;
}

static int rename_now(struct pmg_request *request, unsigned flags, const struct side *from,
		      const struct side *to)
{
	int r = syscall(SYS_renameat2, from->place.parent, from->place.name, to->place.parent,
			to->place.name, flags) < 0
			? -errno
			: 0;

	/* Which of the names it was the kernel does not say. */
	if (r == -EACCES && !pmg_policy_can_name(request->broker->policy, from->place.path))
		return pmg_mind_names(request, PMG_EVENT_RENAME, &from->place, r);
	return pmg_mind_names(request, PMG_EVENT_RENAME, &to->place, r);
}

static int rename_sides(struct pmg_request *request, unsigned flags, struct side *from,
			struct side *to)
{
	const struct pmg_call_row *row = request->row;
	int r = look_at(request, row->dirfd, row->path, from);

	if (r == 0)
		r = look_at(request, row->dirfd2, row->path2, to);
	if (r < 0)
		return r;
	from->leaves = true;
	to->leaves = (flags & RENAME_EXCHANGE) != 0;
	/* Dots and what is not there: the call itself says what is wrong, and does nothing. */
	if (from->there && !from->place.is_dots && !to->place.is_dots)
		r = judge_rename(request, from, to);
	return r == 0 ? rename_now(request, flags, from, to) : r;
}

void pmg_act_rename(struct pmg_request *request, struct pmg_answer *answer)
{
	struct side from = { .place = PMG_OBJECT_INIT }, to = { .place = PMG_OBJECT_INIT };
	const struct pmg_call_row *row = request->row;
	unsigned flags = row->flags < 0 ? 0 : (unsigned)request->call.args[row->flags];
	/* RENAME_WHITEOUT makes a device. */
	int r = flags & ~(unsigned)(RENAME_NOREPLACE | RENAME_EXCHANGE)
			? -EINVAL
			: rename_sides(request, flags, &from, &to);

	pmg_object_done(&from.place);
	pmg_object_done(&to.place);
	if (r < 0)
		pmg_answer_fail(answer, -r);
	else
		answer->kind = PMG_ANSWER_RETURN;
}

/* By another name the file can be read and written as that name's rules have it. */
static int judge_link(struct pmg_request *request, const struct pmg_object *from,
		      const struct pmg_object *to)
{
	struct stat st;
	int r;

	if (fstatat(to->parent, to->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	r = pmg_judge_object(request, PMG_ACCESS_READ, PMG_EVENT_LINK, from);
	if (r == 0)
		r = pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_LINK, from);
	if (r == 0)
		r = pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_LINK, to);
	return r;
}

static int link_objects(struct pmg_request *request, int flags)
{
	pmg_auto(object) struct pmg_object from = PMG_OBJECT_INIT;
	pmg_auto(object) struct pmg_object to = PMG_OBJECT_INIT;
	const struct pmg_call_row *row = request->row;
	char name[NUMBER_LEN];
	int r;

	r = pmg_resolve(request, row->dirfd, row->path,
			(flags & AT_SYMLINK_FOLLOW ? PMG_RESOLVE_FOLLOW : 0) |
				(flags & AT_EMPTY_PATH ? PMG_RESOLVE_EMPTY : 0),
			&from);
	if (r == 0)
		r = pmg_resolve(request, row->dirfd2, row->path2, PMG_RESOLVE_PARENT, &to);
	if (r == 0 && !to.is_dots)
		r = judge_link(request, &from, &to);
	if (r == 0 && S_ISDIR(from.st.st_mode))
		r = -EPERM; /* before Landlock says EXDEV */
	if (r < 0)
		return r;
	(void)snprintf(name, sizeof name, "%d", from.fd);
	r = linkat(request->broker->fds, name, to.parent, to.name, AT_SYMLINK_FOLLOW) < 0 ? -errno
											  : 0;
	return pmg_mind_names(request, PMG_EVENT_LINK, &to, r);
}

void pmg_act_link(struct pmg_request *request, struct pmg_answer *answer)
{
	int flags = request->row->flags < 0 ? 0 : (int)request->call.args[request->row->flags];
	int r = flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH) ? -EINVAL
							     : link_objects(request, flags);

	if (r < 0)
		pmg_answer_fail(answer, -r);
	else
		answer->kind = PMG_ANSWER_RETURN;
}
