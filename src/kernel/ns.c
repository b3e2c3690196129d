#include "kernel/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "kernel/ns_priv.h"

#define VALUE_MAX 64 /* of a sysctl that we read */
#define MAP_MAX   4096

/* The first row that fits says why. `file` NULL: whatever is set. */
static const struct reason {
	int errnum;
	const char *file;
	const char *value;
	const char *why;
	const char *hint;
} reasons[] = {
	{ EPERM, "kernel/apparmor_restrict_unprivileged_userns", "1",
	  "AppArmor restricts user namespaces on this host",
	  "install the AppArmor profile that comes with pmg, or: "
	  "sysctl kernel.apparmor_restrict_unprivileged_userns=0" },
	{ EACCES, "kernel/apparmor_restrict_unprivileged_userns", "1",
	  "AppArmor restricts user namespaces on this host",
	  "install the AppArmor profile that comes with pmg, or: "
	  "sysctl kernel.apparmor_restrict_unprivileged_userns=0" },
	{ EPERM, "kernel/unprivileged_userns_clone", "0",
	  "user namespaces are switched off for ordinary users",
	  "sysctl kernel.unprivileged_userns_clone=1" },
	{ ENOSPC, "user/max_user_namespaces", "0", "user namespaces are switched off on this host",
	  "set the sysctl user.max_user_namespaces to a larger number" },
	{ ENOSPC, NULL, NULL, "all namespaces that may be are in use, or they are nested too deep",
	  "end what holds them, or set a larger number: sysctl -a | grep '^user.max_'" },
	{ EUSERS, NULL, NULL, "namespaces are nested too deep",
	  "run outside of another sandbox or container" },
	{ EINVAL, NULL, NULL, "this kernel has not all kinds of namespaces",
	  "CONFIG_USER_NS, CONFIG_NET_NS and CONFIG_IPC_NS are needed" },
	{ 0, NULL, NULL, "namespaces are not allowed here",
	  "in a container its filter forbids them: let it run with unshare(2) allowed" },
};

static bool has_value(const char *sysctl, const char *name, const char *value)
{
	pmg_autofree char *path = pmg_path_join(sysctl, name);
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;

	if (pmg_io_slurp(path, VALUE_MAX, &text, &len, &err) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return pmg_streq(text, value);
}

int pmg_ns_refused(int errnum, const char *sysctl, struct pmg_err *err)
{
	const struct reason *row = reasons;

	while ((row->errnum != 0 && row->errnum != errnum) ||
	       (row->file && !has_value(sysctl, row->file, row->value)))
		row++;
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, errnum, "%s", row->why);
	return pmg_err_hint(err, "%s", row->hint);
}

/* The kernel takes each of these files in one write. */
static int write_file(const char *path, const char *text, struct pmg_err *err)
{
	pmg_autofd int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return pmg_err_set(err, PMG_E_SYS, errno, "write %s", path);
	return 0;
}

static int map_to_itself(const char *path, unsigned id, struct pmg_err *err)
{
	char text[64];

	(void)snprintf(text, sizeof text, "%u %u 1", id, id);
	return write_file(path, text, err);
}

/* Nobody but the user is mapped: files of others belong to nobody here, and no capability of this
 * namespace counts for them. setgroups is denied, as the kernel asks for (user_namespaces(7)). */
static int map_ids(uid_t uid, gid_t gid, struct pmg_err *err)
{
	int r = write_file("/proc/self/setgroups", "deny", err);

	if (r == 0)
		r = map_to_itself("/proc/self/uid_map", uid, err);
	if (r == 0)
		r = map_to_itself("/proc/self/gid_map", gid, err);
	return r < 0 ? pmg_ns_refused(err->errnum, "/proc/sys", err) : 0;
}

int pmg_ns_enter(int flags, bool *own_user, struct pmg_err *err)
{
	bool own = (pmg_caps_effective() & 1ULL << CAP_SYS_ADMIN) == 0;
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int r = 0;

	if (unshare(own ? flags | CLONE_NEWUSER : flags) < 0)
		return pmg_ns_refused(errno, "/proc/sys", err);
	if (own)
		r = map_ids(uid, gid, err);
	if (r == 0)
		*own_user = own;
	return r;
}

/* The map of a namespace that pmg_ns_enter() made: one line, one id. */
static bool in_own_namespace(void)
{
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;
	const char *end;

	if (pmg_io_slurp("/proc/self/uid_map", MAP_MAX, &text, &len, &err) < 0)
		return false;
	end = strchr(text, '\n');
	return end && end[1] == '\0' && end - text > 2 && end[-1] == '1' && end[-2] == ' ';
}

int pmg_ns_no_more_users(struct pmg_err *err)
{
	if (!in_own_namespace())
		return pmg_err_set(err, PMG_E_INTERNAL, 0,
				   "max_user_namespaces would be set for others too");
	return write_file("/proc/sys/user/max_user_namespaces", "0", err);
}

/* Refused to all but the host's root, whatever our capabilities are: as if it were not there. */
int pmg_ns_memfd_noexec(struct pmg_err *err)
{
	int r;

	/* The value is that of the pid namespace: one who is not its first process may be in the
	 * host's. */
	if (getpid() != 1)
		return 0;
	r = write_file("/proc/sys/vm/memfd_noexec", "1", err);
	if (r == 0)
		return 1;
	return err->errnum == ENOENT || err->errnum == EACCES || err->errnum == EPERM ? 0 : r;
}
