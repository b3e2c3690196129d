#include "kernel/landlock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "base/io.h"
#include "base/path.h"
#include "kernel/seccomp.h"
#include "kernel/uapi.h"

static char folder[64]; /* with the file "file" and the folder "open" */

static char *at(const char *name)
{
	return pmg_path_join(folder, name);
}

static int setup(void **state)
{
	pmg_autofree char *open_folder = NULL, *file = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	(void)snprintf(folder, sizeof folder, "test-landlock-%ld", (long)getpid());
	open_folder = at("open");
	file = at("file");
	return pmg_io_mkdirs(open_folder, 0700, &err) < 0
		       ? -1
		       : pmg_io_replace(file, "x", 1, 0600, &err);
}

static int teardown(void **state)
{
	static const char *const names[] = { "open/new", "open", "file", "" };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		pmg_autofree char *path = at(names[i]);

		(void)remove(path);
	}
	return 0;
}

static const struct pmg_landlock_abi everything = { .fs = UINT64_MAX,
						    .net = UINT64_MAX,
						    .scope = UINT64_MAX };

static void a_newer_kernel_is_the_last_row_we_know(void **state)
{
	const struct pmg_landlock_abi *last = pmg_landlock_abi_row(7);

	(void)state;
	assert_int_equal(last->version, 7);
	assert_ptr_equal(pmg_landlock_abi_row(8), last);
	assert_ptr_equal(pmg_landlock_abi_row(1000), last);
}

static void no_row_knows_less_than_the_one_before(void **state)
{
	int i;

	(void)state;
	for (i = 2; i <= 7; i++) {
		const struct pmg_landlock_abi *row = pmg_landlock_abi_row(i);
		const struct pmg_landlock_abi *before = pmg_landlock_abi_row(i - 1);

		assert_int_equal(row->version, i);
		assert_int_equal(before->fs & ~row->fs, 0);
		assert_int_equal(before->net & ~row->net, 0);
		assert_int_equal(before->scope & ~row->scope, 0);
		assert_string_not_equal(row->kernel, before->kernel);
	}
	assert_false(pmg_landlock_abi_row(1)->fs & LANDLOCK_ACCESS_FS_REFER);
	assert_false(pmg_landlock_abi_row(2)->fs & LANDLOCK_ACCESS_FS_TRUNCATE);
	assert_false(pmg_landlock_abi_row(3)->net);
	assert_false(pmg_landlock_abi_row(4)->fs & LANDLOCK_ACCESS_FS_IOCTL_DEV);
	assert_false(pmg_landlock_abi_row(5)->scope);
}

static void only_what_the_kernel_knows_is_handled(void **state)
{
	pmg_auto(landlock) struct pmg_landlock *ruleset = NULL;
	const struct pmg_landlock_abi *row = NULL, *handled;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_landlock_probe(&row, &err), 0);
	assert_int_equal(pmg_landlock_new(&everything, &ruleset, &err), 0);
	handled = pmg_landlock_handled(ruleset);
	assert_int_equal(handled->version, row->version);
	assert_int_equal(handled->fs, row->fs);
	assert_int_equal(handled->net, row->net);
	assert_int_equal(handled->scope, row->scope);
}

static void a_missing_path_is_told_apart(void **state)
{
	pmg_auto(landlock) struct pmg_landlock *ruleset = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_landlock_new(&everything, &ruleset, &err), 0);
	assert_int_equal(pmg_landlock_allow_path(ruleset, "no/such/path", PMG_LANDLOCK_READ, &err),
			 -PMG_E_NOTFOUND);
	assert_non_null(strstr(err.msg, "no/such/path"));
	assert_int_equal(pmg_landlock_allow_fd(ruleset, -1, "nothing", PMG_LANDLOCK_READ, &err),
			 -PMG_E_SYS);
	assert_int_equal(err.errnum, EBADF);
}

static int open_as(const char *name, int flags)
{
	pmg_autofree char *path = at(name);

	return open(path, flags | O_CLOEXEC, 0600) < 0 ? errno : 0;
}

static int write_file(void)
{
	return open_as("file", O_WRONLY);
}

static int read_file(void)
{
	return open_as("file", O_RDONLY);
}

static int make_inside(void)
{
	return open_as("open/new", O_WRONLY | O_CREAT);
}

static int make_outside(void)
{
	return open_as("new", O_WRONLY | O_CREAT);
}

/* Folder rights are granted on a file too: the builder leaves them out, or it were EINVAL. */
static int confine(uint64_t on_file, uint64_t on_folder)
{
	pmg_auto(landlock) struct pmg_landlock *ruleset = NULL;
	pmg_autofree char *file = at("file");
	pmg_autofree char *open_folder = at("open");
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_landlock_abi want = { .fs = UINT64_MAX };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
			       pmg_landlock_new(&want, &ruleset, &err) == 0 &&
			       pmg_landlock_allow_path(ruleset, file, on_file, &err) == 0 &&
			       pmg_landlock_allow_path(ruleset, open_folder, on_folder, &err) ==
				       0 &&
			       pmg_landlock_restrict(ruleset, &err) == 0
		       ? 0
		       : -1;
}

static int ending(int (*action)(void), bool confined, uint64_t on_file, uint64_t on_folder)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(confined && confine(on_file, on_folder) < 0 ? 200 : action());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void what_is_not_granted_is_refused(void **state)
{
	static const struct {
		const char *name;
		int (*action)(void);
		uint64_t on_file, on_folder;
		int end;
	} rows[] = {
		{ "read", read_file, PMG_LANDLOCK_READ, 0, 0 },
		{ "read without", read_file, 0, PMG_LANDLOCK_READ, EACCES },
		{ "write", write_file, PMG_LANDLOCK_READ | PMG_LANDLOCK_WRITE, 0, 0 },
		{ "write without", write_file, PMG_LANDLOCK_READ, 0, EACCES },
		{ "make", make_inside, 0, PMG_LANDLOCK_WRITE, 0 },
		{ "make without", make_inside, PMG_LANDLOCK_WRITE, PMG_LANDLOCK_READ, EACCES },
		{ "make elsewhere", make_outside, 0, PMG_LANDLOCK_WRITE, EACCES },
	};
	pmg_autofree char *outside = at("new"), *inside = at("open/new");
	size_t i;
	int end;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(ending(rows[i].action, false, 0, 0), 0);
		(void)unlink(outside);
		(void)unlink(inside);
		end = ending(rows[i].action, true, rows[i].on_file, rows[i].on_folder);
		if (end != rows[i].end)
			fail_msg("%s: %d, not %d", rows[i].name, end, rows[i].end);
	}
}

static uint16_t open_port, shut_port;

static int connect_to(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	pmg_autofd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
}

static int listen_on(uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	*port = ntohs(address.sin_port);
	return fd;
}

/* 0: the granted port connects and the other is refused. */
static int ports_end(void)
{
	pmg_auto(landlock) struct pmg_landlock *ruleset = NULL;
	const struct pmg_landlock_abi want = { .net = LANDLOCK_ACCESS_NET_CONNECT_TCP };
	struct pmg_err err = PMG_ERR_INIT;

	if (connect_to(open_port) != 0 || connect_to(shut_port) != 0)
		return 1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    pmg_landlock_new(&want, &ruleset, &err) < 0 ||
	    pmg_landlock_allow_port(ruleset, open_port, UINT64_MAX, &err) < 0 ||
	    pmg_landlock_restrict(ruleset, &err) < 0)
		return 2;
	if (connect_to(open_port) != 0)
		return 3;
	return connect_to(shut_port) == EACCES ? 0 : 4;
}

static void only_granted_ports_connect(void **state)
{
	pmg_autofd int open_fd = listen_on(&open_port);
	pmg_autofd int shut_fd = listen_on(&shut_port);
	const struct pmg_landlock_abi *row = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_landlock_probe(&row, &err), 0);
	if (row->version < 4) {
		assert_null(getenv("PMG_MUST_WORK"));
		print_message("SKIPPED: this kernel's Landlock knows no ports (6.7)\n");
		skip();
	}
	assert_true(open_fd >= 0 && shut_fd >= 0);
	assert_int_equal(ending(ports_end, false, 0, 0), 0);
}

/* A filter such as a container's that does not know all three calls. */
static const struct hidden {
	const char *call;
	int errnum;
	const char *says;
	bool told_early; /* by the probe; else when it is enforced */
} hidden[] = {
	{ "landlock_create_ruleset", ENOSYS, "no Landlock", true },
	{ "landlock_create_ruleset", EPERM, "no Landlock", true },
	{ "landlock_add_rule", ENOSYS, "landlock_add_rule", true },
	{ "landlock_restrict_self", ENOSYS, "landlock_restrict_self", true },
	{ "landlock_restrict_self", EPERM, "landlock_restrict_self", false },
};
static const struct hidden *now;

static int hide(void)
{
	struct pmg_seccomp_rule rule = { now->call, PMG_SECCOMP_ERRNO, now->errnum, { { 0 } } };
	struct pmg_seccomp_table table = { &rule, 1 };
	struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
					       .tables = &table,
					       .n = 1 };
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_seccomp_load(&program, &err);
}

static bool is_told(int r, const struct pmg_err *err)
{
	return r == -PMG_E_UNSUPPORTED && err->errnum == now->errnum &&
	       strstr(err->msg, now->says) && err->hint[0];
}

/* 0: as the row has it */
static int missing_end(void)
{
	pmg_auto(landlock) struct pmg_landlock *ruleset = NULL;
	const struct pmg_landlock_abi *row = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	int r;

	if (hide() < 0)
		return 1;
	r = pmg_landlock_probe(&row, &err);
	if (now->told_early)
		return is_told(r, &err) && !row ? 0 : 2;
	if (r < 0 || pmg_landlock_new(&everything, &ruleset, &err) < 0)
		return 3;
	return is_told(pmg_landlock_restrict(ruleset, &err), &err) ? 0 : 4;
}

static void a_call_that_is_kept_back_is_told(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(hidden); i++) {
		now = &hidden[i];
		if (ending(missing_end, false, 0, 0) != 0)
			fail_msg("%s, %d: %d", now->call, now->errnum,
				 ending(missing_end, false, 0, 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_newer_kernel_is_the_last_row_we_know),
		cmocka_unit_test(no_row_knows_less_than_the_one_before),
		cmocka_unit_test(only_what_the_kernel_knows_is_handled),
		cmocka_unit_test(a_missing_path_is_told_apart),
		cmocka_unit_test(what_is_not_granted_is_refused),
		cmocka_unit_test(only_granted_ports_connect),
		cmocka_unit_test(a_call_that_is_kept_back_is_told),
	};
	const struct pmg_landlock_abi *row = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_landlock_probe(&row, &err) < 0)
		return child_skip(err.msg);
	return cmocka_run_group_tests(tests, setup, teardown);
}
