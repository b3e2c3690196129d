#include "kernel/confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/confine_priv.h"
#include "kernel/landlock.h"
#include "kernel/uapi.h"

static const char *const resolver_paths[] = {
	"/etc/resolv.conf", "/etc/hosts",           "/etc/host.conf", "/etc/nsswitch.conf",
	"/etc/gai.conf",    "/etc/services",        "/etc/protocols", "/etc/ld.so.cache",
	"/etc/ssl",         "/run/systemd/resolve", "/lib",           "/lib64",
	"/usr/lib",         "/usr/lib64",           "/usr/local/lib",
};

void pmg_confine_resolver_paths(struct pmg_strv *list)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(resolver_paths); i++)
		(void)pmg_strv_add_once(list, resolver_paths[i]);
}

/* Landlock binds the calling thread only: another one would stay free. */
static int require_one_thread(struct pmg_err *err)
{
	struct stat st;

	if (stat("/proc/self/task", &st) == 0 && st.st_nlink != 3)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "%lu threads are running",
				   (unsigned long)st.st_nlink - 2);
	return 0;
}

static int drop_capabilities(struct pmg_err *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capset, &head, none) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "drop capabilities");
	return 0;
}

static int drop_privileges(struct pmg_err *err)
{
	const struct rlimit none = { 0, 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "set no_new_privs");
	if (setrlimit(RLIMIT_CORE, &none) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "forbid core files");
	if (prctl(PR_SET_DUMPABLE, pmg_confine_dumpable, 0, 0, 0) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "set not dumpable");
	return drop_capabilities(err);
}

/* What cannot be opened is not granted, which is the safe side. */
static int allow_reading(struct pmg_landlock *ruleset, const char *path, struct pmg_err *err)
{
	int r = pmg_landlock_allow_path(ruleset, path, PMG_LANDLOCK_READ, err);

	return r == -PMG_E_NOTFOUND || (r < 0 && err->errnum == EACCES) ? 0 : r;
}

#define WRITING                                                                                    \
	(PMG_LANDLOCK_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |      \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_TRUNCATE)

static int restrict_files(const struct pmg_confine *what, struct pmg_err *err)
{
	pmg_auto(landlock) struct pmg_landlock *ruleset = NULL;
	const char *const *path;
	struct pmg_landlock_abi want = { .fs = UINT64_MAX, .scope = UINT64_MAX };
	size_t i;
	int r;

	if (!what->may_bind)
		want.net |= LANDLOCK_ACCESS_NET_BIND_TCP;
	if (!what->network)
		want.net |= LANDLOCK_ACCESS_NET_CONNECT_TCP;
	r = pmg_landlock_new(&want, &ruleset, err);
	for (i = 0; r == 0 && i < what->read_files.n; i++)
		r = allow_reading(ruleset, what->read_files.v[i], err);
	for (i = 0; r == 0 && i < what->write_folders.n; i++)
		r = pmg_landlock_allow_path(ruleset, what->write_folders.v[i], WRITING, err);
	for (path = pmg_confine_sanitizer_paths; r == 0 && *path; path++)
		r = allow_reading(ruleset, *path, err);
	return r == 0 ? pmg_landlock_restrict(ruleset, err) : r;
}

static int restrict_calls(const struct pmg_confine *what, struct pmg_err *err)
{
	struct pmg_seccomp_table tables[5] = { pmg_confine_always, pmg_confine_sanitizer };
	struct pmg_seccomp_program program = {
		.otherwise = PMG_SECCOMP_ERRNO, .errnum = EPERM, .tables = tables, .n = 2
	};

	if (what->write_folders.n > 0)
		tables[program.n++] = pmg_confine_writing;
	if (what->network)
		tables[program.n++] = pmg_confine_network;
	if (what->network && what->may_bind)
		tables[program.n++] = pmg_confine_listen;
	return pmg_seccomp_load(&program, err);
}

int pmg_confine_self(const struct pmg_confine *what, struct pmg_err *err)
{
	int r = require_one_thread(err);

	if (r == 0)
		r = drop_privileges(err);
	if (r == 0)
		r = restrict_files(what, err);
	if (r == 0)
		r = restrict_calls(what, err);
	return r < 0 ? pmg_err_wrap(err, "confine") : 0;
}
