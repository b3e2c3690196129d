#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "sandbox/walls_priv.h"

#define BY_FILTER 2 /* SECCOMP_MODE_FILTER */
#define ADDRESSES 16U

/*
 * Tries, in the process that is about to become the tool, what the walls are there to refuse. An
 * error number proves little, since much can fail: what counts is whether the secret was read, the
 * file is there, the connection stands.
 */

void pmg_canary_done(struct pmg_canary *canary)
{
	free(canary->secret);
	free(canary->written);
	pmg_auto_closep(&canary->listener);
	*canary = (struct pmg_canary)PMG_CANARY_INIT;
}

static bool may_list_root(const struct pmg_subtrees *list)
{
	return list->n > 0 && strcmp(list->v[0].path, "/") == 0 && list->v[0].read;
}

/* A name in HOME at which nothing is, and nobody may write. */
static char *outside(const struct pmg_policy *policy)
{
	pmg_autofree char *path = pmg_xasprintf("%s/.pmg-canary-%ld", policy->home, (long)getpid());

	if (pmg_policy_ask(policy, PMG_ACCESS_WRITE, PMG_ROLE_MANAGER, path).allowed ||
	    pmg_policy_ask(policy, PMG_ACCESS_WRITE, PMG_ROLE_SCRIPT, path).allowed)
		return NULL;
	return pmg_steal_ptr(&path);
}

/* One of loopback that the policy does not open at this port, as a rule for 127.0.0.1 does; 0: it
 * opens all. In the run's network each of them is there. */
static in_addr_t closed_address(const struct pmg_policy *policy, in_port_t port)
{
	in_addr_t i;

	for (i = INADDR_LOOPBACK; i < INADDR_LOOPBACK + ADDRESSES; i++) {
		const struct in_addr at = { htonl(i) };
		char text[INET_ADDRSTRLEN];

		if (inet_ntop(AF_INET, &at, text, sizeof text) &&
		    !pmg_policy_ask_net(policy, PMG_ACCESS_CONNECT, PMG_ROLE_MANAGER, text,
					ntohs(port))
			     .allowed)
			return at.s_addr;
	}
	return 0;
}

/* Somebody to talk to, so that a refused connection can only be the broker's doing. */
static int listen_inside(const struct pmg_policy *policy, struct pmg_canary *canary,
			 struct pmg_err *err)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof at;

	canary->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (canary->listener < 0 || bind(canary->listener, (struct sockaddr *)&at, len) < 0 ||
	    listen(canary->listener, 1) < 0 ||
	    getsockname(canary->listener, (struct sockaddr *)&at, &len) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "listen for the canary");
	canary->port = at.sin_port;
	canary->address = closed_address(policy, at.sin_port);
	return 0;
}

int pmg_canary_prepare(const struct pmg_sandbox_want *want, const struct pmg_subtrees *subtrees,
		       struct pmg_canary *out, struct pmg_err *err)
{
	int fd, r = pmg_io_random(out->content, sizeof out->content, err);

	out->secret = pmg_path_join(want->run_dir, "canary");
	out->written = outside(want->policy);
	out->root_closed = !may_list_root(subtrees);
	if (r < 0)
		return r;
	fd = open(out->secret, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "make %s", out->secret);
	r = pmg_io_write_all(fd, out->content, sizeof out->content, err);
	(void)close(fd);
	return r == 0 ? listen_inside(want->policy, out, err) : r;
}

static int broken(struct pmg_err *err, const char *wall)
{
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "a wall does not hold: %s", wall);
	return pmg_err_hint(err, "nothing was started; \"pmg sandbox doctor\" says what this host "
				 "gives");
}

static bool can_read_secret(const struct pmg_canary *canary)
{
	pmg_autofd int fd = open(canary->secret, O_RDONLY | O_CLOEXEC);
	char found[sizeof canary->content];

	return fd >= 0 && read(fd, found, sizeof found) == (ssize_t)sizeof found &&
	       memcmp(found, canary->content, sizeof found) == 0;
}

static bool can_write(const struct pmg_canary *canary)
{
	pmg_autofd int fd = -1;
	struct stat st;

	if (!canary->written)
		return false;
	fd = open(canary->written, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && lstat(canary->written, &st) < 0)
		return false;
	(void)unlink(canary->written);
	return true;
}

static bool can_list_root(const struct pmg_canary *canary)
{
	pmg_autofd int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 && canary->root_closed;
}

static bool can_connect(const struct pmg_canary *canary)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
					.sin_port = canary->port,
					.sin_addr.s_addr = canary->address };
	pmg_autofd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return canary->address && fd >= 0 &&
	       connect(fd, (const struct sockaddr *)&at, sizeof at) == 0;
}

static bool has_rights(uint64_t allowed)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	int cap;

	if (syscall(SYS_capget, &head, data) < 0)
		return true;
	for (cap = 0; cap < 64; cap++) {
		uint32_t bit = 1U << (cap % 32);

		if (allowed & 1ULL << cap)
			continue;
		if ((data[cap / 32].permitted | data[cap / 32].inheritable) & bit ||
		    prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
			return true;
	}
	return false;
}

static const struct {
	enum pmg_walls_ns ns;
	const char *path, *wall;
} namespaces[] = {
	{ PMG_WALLS_MNT, "/proc/self/ns/mnt", "mounts of its own" },
	{ PMG_WALLS_NET, "/proc/self/ns/net", "network of its own" },
	{ PMG_WALLS_IPC, "/proc/self/ns/ipc", "IPC of its own" },
	{ PMG_WALLS_PID, "/proc/self/ns/pid", "processes of its own" },
	{ PMG_WALLS_USER, "/proc/self/ns/user", "user namespace of its own" },
};

static int check_namespaces(const struct pmg_broker_setup *setup, struct pmg_err *err)
{
	struct stat st;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(namespaces); i++) {
		if (namespaces[i].ns == PMG_WALLS_USER && !setup->own_user)
			continue;
		if (stat(namespaces[i].path, &st) < 0 || st.st_ino == setup->host[namespaces[i].ns])
			return broken(err, namespaces[i].wall);
	}
	return 0;
}

int pmg_canary_bare(const struct pmg_broker_setup *setup, struct pmg_err *err)
{
	const struct pmg_canary *canary = setup->canary;
	int r = check_namespaces(setup, err);

	if (r < 0)
		return r;
	if (can_write(canary))
		return broken(err, "Landlock (a file was written where none may be)");
	if (can_list_root(canary))
		return broken(err, "Landlock (a folder was read that is closed)");
	if (can_read_secret(canary))
		return broken(err, "masks (a hidden file was read)");
	if (has_rights(setup->caps))
		return broken(err, "capabilities (more are left than the tool needs)");
	return 0;
}

int pmg_canary_guarded(const struct pmg_broker_setup *setup, struct pmg_err *err)
{
	const struct pmg_canary *canary = setup->canary;

	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return broken(err, "no_new_privs");
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != BY_FILTER)
		return broken(err, "filter of system calls");
	if (unshare(CLONE_NEWUSER) == 0)
		return broken(err, "filter of system calls (a user namespace was made)");
	if (can_read_secret(canary))
		return broken(err, "broker (a hidden file was read)");
	if (can_write(canary))
		return broken(err, "broker (a file was written where none may be)");
	if (can_connect(canary))
		return broken(err, "broker (a connection was made that none may make)");
	return 0;
}
