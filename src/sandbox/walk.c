#include "sandbox/resolve_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

#define PROC       "/proc"
#define STATUS_MAX 8192 /* of PID/status; a long list of groups stands before what we want */
#define NAME_LEN   64
#define REST_MAX   (2 * PATH_MAX)

/* The caller by the numbers of its own pid namespace. */
struct numbers {
	unsigned tgid, tid;
};

struct walk {
	struct pmg_request *request;
	struct pmg_object *out;
	unsigned flags;
	unsigned links;
	int here;            /* O_PATH */
	size_t at;           /* in rest */
	char rest[REST_MAX]; /* what is still to be gone */
};

/* One component of rest. */
struct part {
	char name[NAME_MAX + 1];
	bool last;
	bool slash;
};

/* Last number of a line "\nNSpid:\t812\t7": the innermost namespace. 0: none */
static unsigned last_number(const char *status, const char *field)
{
	const char *line = strstr(status, field);
	unsigned long n = 0;

	if (!line)
		return 0;
	for (line += strlen(field); *line == '\t';) {
		char *end = NULL;

		n = strtoul(line + 1, &end, 10);
		line = end;
	}
	return n > INT_MAX ? 0 : (unsigned)n;
}

static int caller_numbers(struct pmg_request *request, struct numbers *out)
{
	char status[STATUS_MAX], name[NAME_LEN];
	pmg_autofd int fd = -1;
	ssize_t n;

	(void)snprintf(name, sizeof name, "%d/status", (int)request->who.tid);
	fd = openat(request->broker->proc, name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, status, sizeof status - 1);
	if (n < 0)
		return -ESRCH;
	status[n] = '\0';
	out->tgid = last_number(status, "\nNStgid:");
	out->tid = last_number(status, "\nNSpid:");
	return out->tgid == 0 || out->tid == 0 ? -ESRCH : 0;
}

bool pmg_proc_is_own(struct pmg_request *request, const char *path)
{
	struct numbers own;
	char name[NAME_LEN];
	unsigned long n;
	struct stat st;
	char *end = NULL;

	if (!pmg_str_has_prefix(path, PROC "/"))
		return false;
	path += sizeof PROC;
	if (*path < '1' || *path > '9')
		return false;
	n = strtoul(path, &end, 10);
	if (n > INT_MAX || (*end != '/' && *end != '\0') || caller_numbers(request, &own) < 0)
		return false;
	if (n == own.tgid)
		return true;
	/* /proc/TID is there for each thread, though not listed. */
	(void)snprintf(name, sizeof name, "%u/task/%lu", own.tgid, n);
	return fstatat(request->broker->run_proc, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int stand_on(struct walk *walk, int *fd)
{
	(void)close(walk->here);
	walk->here = pmg_steal_fd(fd);
	return 1;
}

/* Take the next component. @return false: none is left */
static bool take(struct walk *walk, struct part *out, int *r)
{
	const char *text;
	size_t len;

	walk->at += strspn(walk->rest + walk->at, "/");
	text = walk->rest + walk->at;
	len = strcspn(text, "/");
	*r = len > NAME_MAX ? -ENAMETOOLONG : 0;
	if (len == 0 || *r < 0)
		return false;
	memcpy(out->name, text, len);
	out->name[len] = '\0';
	out->slash = text[len] == '/';
	out->last = text[len + strspn(text + len, "/")] == '\0';
	walk->at += len;
	return true;
}

static int arrive(struct walk *walk, int *fd, bool slash)
{
	walk->out->fd = pmg_steal_fd(fd);
	walk->out->wants_folder = slash;
	return pmg_object_fill(walk->request, walk->out);
}

static int place(struct walk *walk, const struct part *part)
{
	walk->out->parent = pmg_steal_fd(&walk->here);
	return pmg_object_place(walk->request, part->name, strlen(part->name), part->slash,
				walk->out);
}

/* Put a link's text in front of what is left. */
static int prepend(struct walk *walk, const char *text)
{
	char *left = pmg_xstrdup(walk->rest + walk->at);
	int n = snprintf(walk->rest, sizeof walk->rest, "%s%s", text, left);
	pmg_autofd int root = -1;

	free(left);
	walk->at = 0;
	if (n < 0 || (size_t)n >= sizeof walk->rest)
		return -ENAMETOOLONG;
	if (text[0] != '/')
		return 1;
	root = pmg_open_path(-1, "/", O_DIRECTORY, 0);
	return root < 0 ? root : stand_on(walk, &root);
}

/* A link that is no text: it leads to an object, which is judged by itself. Of others it is
 * refused: a thread that we act for must not reach through it into its manager. */
static int magic(struct walk *walk, const char *where, const struct part *part)
{
	struct pmg_request *request = walk->request;
	bool is_fd = pmg_str_has_suffix(where, "/fd");
	pmg_autofd int fd = -1;
	uint64_t number = 0;
	struct stat st;

	if (!pmg_proc_is_own(request, where)) {
		pmg_autofree char *target = pmg_xasprintf("%s/%s", where, part->name);

		pmg_refuse_always(request, PMG_CODE_PROCESS, PMG_EVENT_READ, target);
		return -EACCES;
	}
	if (is_fd && pmg_parse_uint(part->name, INT_MAX, &number) < 0)
		return -ENOENT;
	if (is_fd && part->last && !part->slash)
		return pmg_resolve_fd(request, (int)number, walk->out);
	fd = openat(walk->here, part->name, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if ((!part->last || part->slash) && !S_ISDIR(st.st_mode))
		return -ENOTDIR;
	walk->out->is_magic = part->last;
	return part->last ? arrive(walk, &fd, part->slash) : stand_on(walk, &fd);
}

static int proc_link(struct walk *walk, int link, const struct part *part)
{
	char where[PATH_MAX], text[PATH_MAX];
	struct numbers own;
	ssize_t n = pmg_own_path(walk->request->broker, walk->here, where, sizeof where);

	if (n < 0)
		return (int)n;
	if (strcmp(where, PROC) != 0)
		return magic(walk, where, part);
	if (strcmp(part->name, "self") != 0 && strcmp(part->name, "thread-self") != 0) {
		n = readlinkat(link, "", text, sizeof text - 1); /* "mounts", "net" */
		if (n < 0)
			return -errno;
		text[n] = '\0';
		return prepend(walk, text);
	}
	if (caller_numbers(walk->request, &own) < 0)
		return -ESRCH;
	(void)snprintf(text, sizeof text, part->name[0] == 's' ? "%u" : "%u/task/%u", own.tgid,
		       own.tid);
	return prepend(walk, text);
}

static int follow(struct walk *walk, int link, const struct stat *st, const struct part *part)
{
	char text[PATH_MAX];
	ssize_t n;

	if (++walk->links > PMG_RESOLVE_LINKS_MAX)
		return -ELOOP;
	if (st->st_dev == walk->request->broker->proc_dev)
		return proc_link(walk, link, part);
	n = readlinkat(link, "", text, sizeof text - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	return n == 0 ? -ENOENT : prepend(walk, text);
}

/* There is nothing of this name, or the folder may not be entered. */
static int missed(struct walk *walk, const struct part *part, int errnum)
{
	pmg_autofree char *rest =
		pmg_xasprintf("%s%s", part->name, walk->rest + walk->at); /* begins with "/" */
	int r = errnum == ENOENT || errnum == EACCES
			? pmg_hidden_judge(walk->request, walk->here, rest)
			: 0;

	return r < 0 ? r : -errnum;
}

static int enter(struct walk *walk, const struct part *part)
{
	bool stays = part->last && !part->slash;
	pmg_autofd int fd = openat(walk->here, part->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT && part->last && walk->flags & PMG_RESOLVE_MAKE)
		return place(walk, part);
	if (fd < 0)
		return missed(walk, part, errno);
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode) && !(stays && !(walk->flags & PMG_RESOLVE_FOLLOW)))
		return follow(walk, fd, &st, part);
	if (!stays && !S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return part->last ? arrive(walk, &fd, part->slash) : stand_on(walk, &fd);
}

/* @return 1: go on; 0: arrived; -errno */
static int step(struct walk *walk)
{
	struct part part;
	int r;

	if (!take(walk, &part, &r))
		return r < 0 ? r : arrive(walk, &walk->here, true);
	if (part.last && walk->flags & PMG_RESOLVE_PARENT)
		return place(walk, &part);
	return enter(walk, &part);
}

int pmg_walk(struct pmg_request *request, int base, const char *path, unsigned flags,
	     struct pmg_object *out)
{
	struct walk walk = { .request = request, .out = out, .flags = flags, .here = -1 };
	int r;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(walk.rest, path, strlen(path) + 1);
	walk.here = path[0] == '/' ? pmg_open_path(-1, "/", O_DIRECTORY, 0)
				   : fcntl(base, F_DUPFD_CLOEXEC, 0);
	if (walk.here < 0)
		return path[0] == '/' ? walk.here : -errno;
	do
		r = step(&walk);
	while (r > 0);
	if (walk.here >= 0)
		(void)close(walk.here);
	return r;
}
