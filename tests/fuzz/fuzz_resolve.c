/*
 * Paths as a process in a run may write them: they lead where the kernel leads them, or fail as
 * there. The caller is this process itself, in a small tree of the build folder.
 */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "sandbox/broker_priv.h"
#include "tests/helper/folder.h"

#define ABSOLUTE 0x10U /* in the first byte, beside PMG_RESOLVE_* */
#define TEXT_MAX 3000U

bool __wrap_pmg_notify_is_valid(int fd, uint64_t id);
bool __wrap_pmg_notify_is_valid(int fd, uint64_t id)
{
	(void)fd;
	(void)id;
	return true;
}

static struct pmg_broker broker;
static char *root;
static int top = -1; /* root, opened: our own working folder stays, corpora are named from it */

static void end(void)
{
	pmg_broker_done(&broker);
	pmg_who_table_free(broker.who);
	pmg_events_done(&broker.events);
	(void)close(top);
	folder_free(root);
}

static void begin(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	root = folder_new();
	top = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0 || mkdirat(top, "d", 0700) < 0 || mkdirat(top, "d/e", 0700) < 0 ||
	    symlinkat("d", top, "l") < 0 || symlinkat("../f", top, "d/up") < 0 ||
	    symlinkat("loop", top, "loop") < 0 || symlinkat("nothing", top, "d/dangling") < 0 ||
	    symlinkat("/", top, "d/e/top") < 0)
		abort();
	(void)close(openat(top, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	broker.listener = broker.wire = broker.proxy = -1;
	broker.proc = pmg_procfs_open(&err);
	broker.run_proc = broker.proc;
	if (broker.proc < 0 || pmg_broker_begin(&broker, &err) < 0)
		abort();
	broker.who = pmg_who_table_new(broker.proc, getpid());
	(void)atexit(end);
}

/* Descriptors come and go while we look: what lies in /proc or /dev is only resolved. */
static void compare(const char *path, unsigned flags, int r, const struct pmg_object *object)
{
	int fd = openat(top, path,
			O_PATH | O_CLOEXEC | (flags & PMG_RESOLVE_FOLLOW ? 0 : O_NOFOLLOW));
	int errnum = fd < 0 ? errno : 0;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) < 0)
		abort();
	if (fd >= 0)
		(void)close(fd);
	if (r == 0 && object->fd >= 0 &&
	    (fd < 0 || st.st_ino != object->st.st_ino || st.st_dev != object->st.st_dev))
		abort();
	if (r == 0 && object->fd < 0 && errnum != ENOENT)
		abort();
	if (r < 0 && errnum != -r)
		abort();
}

static void check(const char *path, unsigned flags, int r, const struct pmg_object *object)
{
	if (r == 0 && object->fd < 0 && object->parent < 0)
		abort();
	if (r == 0 && object->path[0] != '/' && !object->is_magic)
		abort();
	if (r == 0 && object->parent >= 0 && !object->is_dots &&
	    (object->name[0] == '\0' ||
	     strchr(object->name, '/') != strchr(object->name, '\0') - 1) &&
	    strchr(object->name, '/'))
		abort();
	if (!(flags & PMG_RESOLVE_PARENT) && !strstr(path, "proc") && !strstr(path, "dev"))
		compare(path, flags, r, object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmg_request request = { .broker = &broker };
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	pmg_autofree char *text = NULL;
	pmg_autofree char *path = NULL;
	unsigned flags;
	int r;

	if (!root)
		begin();
	if (size < 1 || size > TEXT_MAX)
		return 0;
	flags = data[0] & (PMG_RESOLVE_FOLLOW | PMG_RESOLVE_MAKE | PMG_RESOLVE_PARENT);
	text = pmg_xstrndup((const char *)data + 1, size - 1);
	path = data[0] & ABSOLUTE ? pmg_xasprintf("%s/%s", root, text) : pmg_xstrdup(text);
	request.who = (struct pmg_who){ .tid = getpid(), .tgid = getpid() };
	request.call.tid = getpid();
	r = pmg_resolve_text(&request, top, path, flags, &object);
	check(path, flags, r, &object);
	return 0;
}
