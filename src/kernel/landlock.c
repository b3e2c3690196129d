#include "kernel/landlock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/uapi.h"

/* Rights that a file can have; the rest belong to folders and are EINVAL on a file. */
#define OF_FILES                                                                                   \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |                              \
	 LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |                              \
	 LANDLOCK_ACCESS_FS_IOCTL_DEV)

#define FS_1    ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#define FS_2    (FS_1 | LANDLOCK_ACCESS_FS_REFER)
#define FS_3    (FS_2 | LANDLOCK_ACCESS_FS_TRUNCATE)
#define FS_5    (FS_3 | LANDLOCK_ACCESS_FS_IOCTL_DEV)
#define NET_4   (LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP)
#define SCOPE_6 (LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL)

/* Without REFER (1) every rename between folders is refused; without TRUNCATE (1, 2) a file can
 * be emptied through O_TRUNC by who may read it: the filter has to refuse that. */
static const struct pmg_landlock_abi abis[] = {
	{ 1, "5.13", FS_1, 0, 0 },
	{ 2, "5.19", FS_2, 0, 0 },
	{ 3, "6.2", FS_3, 0, 0 },
	{ 4, "6.7", FS_3, NET_4, 0 },
	{ 5, "6.10", FS_5, NET_4, 0 },
	{ 6, "6.12", FS_5, NET_4, SCOPE_6 },
	{ 7, "6.15", FS_5, NET_4, SCOPE_6 },
};

struct pmg_landlock {
	int fd;
	struct pmg_landlock_abi handled;
};

const struct pmg_landlock_abi *pmg_landlock_abi_row(int version)
{
	assert(version >= 1);
	return &abis[version < (int)PMG_ARRAY_LEN(abis) ? version - 1
							: (int)PMG_ARRAY_LEN(abis) - 1];
}

static int no_landlock(int errnum, struct pmg_err *err)
{
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, errnum, "this kernel has no Landlock");
	return pmg_err_hint(err, "%s",
			    errnum == EOPNOTSUPP
				    ? "it is built in and switched off: add landlock to the "
				      "boot parameter lsm="
				    : "Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK is "
				      "needed; in a container its filter may hide it");
}

/* A kernel has the three calls or none: of some only a filter takes one away. */
static int hidden(const char *call, int errnum, struct pmg_err *err)
{
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, errnum, "Landlock cannot be used: %s", call);
	return pmg_err_hint(err,
			    "a filter, perhaps that of a container, keeps %s(2) back: let it "
			    "pass",
			    call);
}

/* Asked with a descriptor that is none, a call that is there says so and does nothing. (EPERM
 * tells nothing yet: restrict_self also says it to whoever has not set no_new_privs.) */
static int probe_calls(struct pmg_err *err)
{
	const struct landlock_path_beneath_attr attr = { .parent_fd = -1 };

	if (syscall(SYS_landlock_add_rule, -1, LANDLOCK_RULE_PATH_BENEATH, &attr, 0UL) < 0 &&
	    errno == ENOSYS)
		return hidden("landlock_add_rule", errno, err);
	if (syscall(SYS_landlock_restrict_self, -1, 0UL) < 0 && errno == ENOSYS)
		return hidden("landlock_restrict_self", errno, err);
	return 0;
}

int pmg_landlock_probe(const struct pmg_landlock_abi **out, struct pmg_err *err)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0UL,
			       (unsigned long)LANDLOCK_CREATE_RULESET_VERSION);
	int r = version < 1 ? no_landlock(errno, err) : probe_calls(err);

	if (r == 0)
		*out = pmg_landlock_abi_row((int)version);
	return r;
}

void pmg_landlock_free(struct pmg_landlock *ruleset)
{
	if (!ruleset)
		return;
	pmg_auto_closep(&ruleset->fd);
	free(ruleset);
}

int pmg_landlock_new(const struct pmg_landlock_abi *want, struct pmg_landlock **out,
		     struct pmg_err *err)
{
	pmg_auto(landlock) struct pmg_landlock *ruleset = pmg_xcalloc(1, sizeof *ruleset);
	const struct pmg_landlock_abi *row = NULL;
	struct pmg_landlock_ruleset_attr attr;
	int r;

	ruleset->fd = -1;
	r = pmg_landlock_probe(&row, err);
	if (r < 0)
		return r;
	attr = (struct pmg_landlock_ruleset_attr){
		.handled_access_fs = want->fs & row->fs,
		.handled_access_net = want->net & row->net,
		.scoped = want->scope & row->scope,
	};
	ruleset->fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0UL);
	if (ruleset->fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "create a Landlock ruleset");
	ruleset->handled =
		(struct pmg_landlock_abi){ row->version, row->kernel, attr.handled_access_fs,
					   attr.handled_access_net, attr.scoped };
	*out = pmg_steal_ptr(&ruleset);
	return 0;
}

const struct pmg_landlock_abi *pmg_landlock_handled(const struct pmg_landlock *ruleset)
{
	return &ruleset->handled;
}

int pmg_landlock_allow_fd(struct pmg_landlock *ruleset, int fd, const char *name, uint64_t rights,
			  struct pmg_err *err)
{
	struct landlock_path_beneath_attr attr = { .parent_fd = fd };
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "stat %s", name);
	attr.allowed_access = rights & ruleset->handled.fs;
	if (!S_ISDIR(st.st_mode))
		attr.allowed_access &= OF_FILES;
	if (attr.allowed_access == 0)
		return 0;
	if (syscall(SYS_landlock_add_rule, ruleset->fd, LANDLOCK_RULE_PATH_BENEATH, &attr, 0UL) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "Landlock rule for %s", name);
	return 0;
}

int pmg_landlock_allow_path(struct pmg_landlock *ruleset, const char *path, uint64_t rights,
			    struct pmg_err *err)
{
	pmg_autofd int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return pmg_err_set(err,
				   errno == ENOENT || errno == ENOTDIR ? PMG_E_NOTFOUND : PMG_E_SYS,
				   errno, "open %s", path);
	return pmg_landlock_allow_fd(ruleset, fd, path, rights, err);
}

int pmg_landlock_allow_port(struct pmg_landlock *ruleset, uint16_t port, uint64_t rights,
			    struct pmg_err *err)
{
	struct pmg_landlock_net_port_attr attr = {
		.allowed_access = rights & ruleset->handled.net,
		.port = port,
	};

	if (attr.allowed_access == 0)
		return 0;
	if (syscall(SYS_landlock_add_rule, ruleset->fd, PMG_LANDLOCK_RULE_NET_PORT, &attr, 0UL) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "Landlock rule for port %u", port);
	return 0;
}

int pmg_landlock_restrict(const struct pmg_landlock *ruleset, struct pmg_err *err)
{
	if (syscall(SYS_landlock_restrict_self, ruleset->fd, 0UL) == 0)
		return 0;
	if (errno == EPERM) /* some filters say so of what they do not know */
		return hidden("landlock_restrict_self", errno, err);
	return pmg_err_set(err, PMG_E_SYS, errno, "enforce Landlock");
}
