/*
 * Below a folder that is hidden there is nothing, and an ordinary user may not even enter it: what
 * is asked for there ends in ENOENT or EACCES before there is an object to judge. It is judged by
 * its name instead, else the theft of a key would go unseen where it is closed best.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/net_priv.h"
#include "sandbox/resolve_priv.h"

/* What a call wants of the path that it names first. A read, where there is no row. */
static const struct {
	pmg_handler handle;
	enum pmg_access access;
	enum pmg_event_op op;
} wants[] = {
	{ pmg_act_creat, PMG_ACCESS_WRITE, PMG_EVENT_WRITE },
	{ pmg_act_truncate, PMG_ACCESS_WRITE, PMG_EVENT_WRITE },
	{ pmg_act_mkdir, PMG_ACCESS_WRITE, PMG_EVENT_WRITE },
	{ pmg_act_mknod, PMG_ACCESS_WRITE, PMG_EVENT_WRITE },
	{ pmg_act_symlink, PMG_ACCESS_WRITE, PMG_EVENT_WRITE },
	{ pmg_act_unlink, PMG_ACCESS_WRITE, PMG_EVENT_DELETE },
	{ pmg_act_rename, PMG_ACCESS_WRITE, PMG_EVENT_RENAME },
	{ pmg_act_link, PMG_ACCESS_READ, PMG_EVENT_LINK },
	{ pmg_act_chmod, PMG_ACCESS_WRITE, PMG_EVENT_METADATA },
	{ pmg_act_chown, PMG_ACCESS_WRITE, PMG_EVENT_METADATA },
	{ pmg_act_utime, PMG_ACCESS_WRITE, PMG_EVENT_METADATA },
	{ pmg_act_xattr, PMG_ACCESS_WRITE, PMG_EVENT_METADATA },
	{ pmg_act_exec, PMG_ACCESS_EXEC, PMG_EVENT_EXEC },
	{ pmg_act_bind, PMG_ACCESS_WRITE, PMG_EVENT_WRITE },
	{ pmg_act_connect, PMG_ACCESS_UNIX, PMG_EVENT_UNIX },
	{ pmg_act_send, PMG_ACCESS_UNIX, PMG_EVENT_UNIX },
};

static bool opens_for_writing(const struct pmg_request *request)
{
	const struct pmg_call_row *row = request->row;

	return row->handle == pmg_act_open && row->flags >= 0 &&
	       (request->call.args[row->flags] & (O_ACCMODE | O_CREAT)) != O_RDONLY;
}

static int judge(struct pmg_request *request, const struct pmg_object *object)
{
	enum pmg_access access = PMG_ACCESS_READ;
	enum pmg_event_op op = PMG_EVENT_READ;
	size_t i;

	if (opens_for_writing(request)) {
		access = PMG_ACCESS_WRITE;
		op = PMG_EVENT_WRITE;
	}
	for (i = 0; i < PMG_ARRAY_LEN(wants); i++)
		if (wants[i].handle == request->row->handle) {
			access = wants[i].access;
			op = wants[i].op;
		}
	return op == PMG_EVENT_UNIX ? pmg_unix_judge(request, object->path, false)
				    : pmg_judge_object(request, access, op, object);
}

int pmg_hidden_judge(struct pmg_request *request, int folder, const char *rest)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	struct stat st;
	ssize_t n;

	if (!request->row || request->broker->hidden_dev == 0 || fstat(folder, &st) < 0 ||
	    st.st_dev != request->broker->hidden_dev)
		return 0;
	n = pmg_own_path(request->broker, folder, object.path, PATH_MAX);
	if (n < 0)
		return 0;
	(void)snprintf(object.path + n, sizeof object.path - (size_t)n, "/%s", rest);
	return judge(request, &object);
}

int pmg_hidden_above(struct pmg_request *request, int base, const char *path, uint64_t resolve)
{
	char head[PATH_MAX];
	size_t len = strlen(path);
	int fd, r;

	if (request->broker->hidden_dev == 0 || len >= sizeof head)
		return 0;
	memcpy(head, path, len + 1);
	do {
		while (len > 0 && head[len - 1] == '/')
			len--;
		while (len > 0 && head[len - 1] != '/')
			len--;
		head[len] = '\0';
		fd = pmg_open_path(base, len == 0 ? "." : head, O_DIRECTORY,
				   resolve | RESOLVE_NO_MAGICLINKS);
	} while (len > 0 && (fd == -ENOENT || fd == -EACCES));
	if (fd < 0)
		return 0;
	r = pmg_hidden_judge(request, fd, path + len);
	(void)close(fd);
	return r;
}
