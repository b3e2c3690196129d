/* Starting programs. Whatever is refused also starts without the broker. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/broker.h"
#include "tests/helper/folder.h"

static struct pmg_policy *policy;
static char *top;

static char *at(const char *name)
{
	return pmg_path_join(top, name);
}

static void put(const char *name, const char *text, size_t len, mode_t mode)
{
	pmg_autofree char *path = at(name);

	folder_write(top, name, text, len);
	assert_int_equal(chmod(path, mode), 0);
}

static void put_program(const char *name, mode_t mode)
{
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;

	assert_int_equal(pmg_io_slurp("/bin/true", 1U << 22, &text, &len, &err), 0);
	put(name, text, len, mode);
}

static void put_script(const char *name, const char *interpreter)
{
	pmg_autofree char *path =
		interpreter[0] == '/' ? pmg_xstrdup(interpreter) : at(interpreter);
	pmg_autofree char *text = pmg_xasprintf("#! %s\n", path);

	put(name, text, strlen(text), 0755);
}

static int setup(void **state)
{
	pmg_autofree char *closed = NULL, *link = NULL, *target = NULL;

	(void)state;
	top = folder_new();
	put_program("open/true", 0755);
	put_program("open/plain", 0644);
	put_program("closed/true", 0755);
	put_program("closed/plain", 0644);
	put_script("open/script", "open/true");
	put_script("open/to-closed", "closed/true");
	put_script("open/nested", "open/to-closed");
	put_script("open/to-nothing", "open/nothing");
	link = at("open/link");
	target = at("closed/true");
	assert_int_equal(symlink(target, link), 0);
	policy = broker_policy(top);
	closed = at("closed/**");
	broker_rule(policy, PMG_ACCESS_EXEC, PMG_RANK_DENY, closed);
	pmg_policy_seal(policy);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	pmg_policy_free(policy);
	folder_free(top);
	return 0;
}

struct attempt {
	const char *program;
	const char *argument;
	int dir;   /* AT_FDCWD: execve */
	int flags; /* of execveat */
	bool by_path;
	int result; /* errno; 0: it ran and ended well */
};

static int memfd_of(const char *program)
{
	int from = open(program, O_RDONLY), to = memfd_create("x", 0);
	char buf[65536];
	ssize_t n;

	while ((n = read(from, buf, sizeof buf)) > 0)
		if (write(to, buf, (size_t)n) != n)
			_exit(1);
	(void)close(from);
	return to;
}

static void execute(struct attempt *attempt)
{
	char path[64];
	char *program = pmg_xstrdup(attempt->program);
	char *argument = attempt->argument ? pmg_xstrdup(attempt->argument) : NULL;
	char *argv[] = { program, argument, NULL }, *envp[] = { NULL };

	if (attempt->by_path) {
		(void)snprintf(path, sizeof path, "/proc/self/fd/%d", attempt->dir);
		(void)execve(path, argv, envp);
	} else if (attempt->dir == AT_FDCWD) {
		(void)execve(program, argv, envp);
	} else {
		(void)syscall(SYS_execveat, attempt->dir, program, argv, envp, attempt->flags);
	}
	attempt->result = errno;
	_exit(1);
}

static void attempt_exec(void *arg)
{
	struct attempt *attempt = arg;
	int status = 0;
	pid_t pid;

	attempt->result = 0;
	pid = fork();
	if (pid == 0)
		execute(attempt);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || (status != 0 && attempt->result == 0))
		attempt->result = 1000 + status;
}

static char *told_of(const struct pmg_events *events)
{
	pmg_auto(str) struct pmg_str all = PMG_STR_INIT(8192);
	size_t i;

	for (i = 0; i < events->n; i++)
		assert_int_equal(
			pmg_str_addf(&all, "%d %s", events->v[i].code, events->v[i].target), 0);
	return pmg_str_steal(&all);
}

/* refused: NULL, "CODE NAME" below top, or "CODE PATH" */
static void check(struct attempt *attempt, int bare, int result, const char *refused)
{
	pmg_auto(events) struct pmg_events events = { 0 };
	pmg_autofree char *told = NULL, *expected = NULL;

	assert_int_equal(broker_bare_child(attempt_exec, attempt), 0);
	assert_int_equal(attempt->result, bare);
	assert_int_equal(broker_serve_child(policy, NULL, attempt_exec, attempt, &events), 0);
	assert_int_equal(attempt->result, result);
	told = told_of(&events);
	expected = !refused               ? pmg_xstrdup("")
		   : refused[5] == '/'    ? pmg_xstrdup(refused)
		   : strchr(refused, '/') ? pmg_xasprintf("%.5s%s/%s", refused, top, refused + 5)
					  : pmg_xstrdup(refused);
	assert_string_equal(told, expected);
}

static void programs_are_judged_by_what_they_are(void **state)
{
	static const struct {
		const char *name;
		int bare, result;
		const char *refused;
	} rows[] = {
		{ "open/true", 0, 0, NULL },
		{ "open/script", 0, 0, NULL },
		{ "closed/true", 0, EACCES, "2007 closed/true" },
		{ "open/link", 0, EACCES, "2007 closed/true" },
		{ "open/../closed/true", 0, EACCES, "2007 closed/true" },
		{ "open/to-closed", 0, EACCES, "2007 closed/true" },
		{ "open/nested", 0, EACCES, "2007 closed/true" },
		/* What the kernel refuses by itself is no refusal of ours. */
		{ "open/plain", EACCES, EACCES, NULL },
		{ "closed/plain", EACCES, EACCES, NULL },
		{ "open", EACCES, EACCES, NULL },
		{ "closed", EACCES, EACCES, NULL },
		{ "open/nothing", ENOENT, ENOENT, NULL },
		{ "closed/nothing", ENOENT, ENOENT, NULL },
		{ "open/to-nothing", ENOENT, ENOENT, NULL },
	};
	struct attempt *attempt = broker_shared(sizeof *attempt);
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *path = at(rows[i].name);

		*attempt = (struct attempt){ .program = path, .dir = AT_FDCWD };
		check(attempt, rows[i].bare, rows[i].result, rows[i].refused);
	}
}

static void a_program_is_found_from_a_folder_too(void **state)
{
	struct attempt *attempt = broker_shared(sizeof *attempt);
	pmg_autofree char *closed = at("closed"), *open_dir = at("open");
	pmg_autofd int in_closed = open(closed, O_PATH), in_open = open(open_dir, O_PATH);

	(void)state;
	*attempt = (struct attempt){ .program = "true", .dir = in_open };
	check(attempt, 0, 0, NULL);
	*attempt = (struct attempt){ .program = "true", .dir = in_closed };
	check(attempt, 0, EACCES, "2007 closed/true");
	*attempt =
		(struct attempt){ .program = "link", .dir = in_open, .flags = AT_SYMLINK_NOFOLLOW };
	check(attempt, ELOOP, ELOOP, NULL);
	*attempt = (struct attempt){ .program = "true", .dir = in_open, .flags = 1 };
	check(attempt, EINVAL, EINVAL, NULL);
}

static void memory_is_no_program(void **state)
{
	struct attempt *attempt = broker_shared(sizeof *attempt);
	pmg_autofd int memfd =
		memfd_of("/bin/true"); /* from before the filter, which knows it too */

	(void)state;
	*attempt = (struct attempt){ .program = "", .dir = memfd, .flags = AT_EMPTY_PATH };
	check(attempt, 0, EACCES, "2016 memfd execution");
	*attempt = (struct attempt){ .program = "x", .dir = memfd, .by_path = true };
	check(attempt, 0, EACCES, "2016 memfd execution");
}

static void a_descriptor_alone_starts_nothing(void **state)
{
	struct attempt *attempt = broker_shared(sizeof *attempt);
	pmg_autofree char *program = at("open/true"), *closed = at("closed/true");
	pmg_autofd int fd = open(program, O_PATH), denied = open(closed, O_PATH);

	(void)state;
	*attempt = (struct attempt){ .program = "", .dir = fd, .flags = AT_EMPTY_PATH };
	check(attempt, 0, EACCES, "2007 open/true");
	/* By its name in /proc it is judged as what it is. */
	*attempt = (struct attempt){ .program = "x", .dir = fd, .by_path = true };
	check(attempt, 0, 0, NULL);
	*attempt = (struct attempt){ .program = "x", .dir = denied, .by_path = true };
	check(attempt, 0, EACCES, "2007 closed/true");
}

static void the_loader_starts_no_more_than_execve(void **state)
{
	static const char loader[] = "/lib64/ld-linux-x86-64.so.2";
	struct attempt *attempt = broker_shared(sizeof *attempt);
	pmg_autofree char *program = at("open/true"), *closed = at("closed/true");

	(void)state;
	if (access(loader, X_OK) < 0)
		skip(); /* another architecture */
	*attempt = (struct attempt){ .program = loader, .argument = program, .dir = AT_FDCWD };
	check(attempt, 0, 0, NULL);
	*attempt = (struct attempt){ .program = loader, .argument = closed, .dir = AT_FDCWD };
	check(attempt, 0, EACCES, "2007 closed/true");
}

/* Closed by the profile, it still says what it is: that is how uv learns of the libc. */
static void a_closed_loader_may_be_asked_for_its_version(void **state)
{
	static const char loader[] = "/lib64/ld-linux-x86-64.so.2";
	struct attempt *attempt = broker_shared(sizeof *attempt);
	pmg_autofree char *program = at("open/true");
	pmg_autofree char *real = pmg_path_real(loader);
	struct pmg_policy *open = policy;
	size_t i;

	(void)state;
	if (!real)
		skip(); /* another architecture */
	for (i = 0; i < 3; i++) {
		/* The last: closed by somebody else, who means it. A deny is kept with what is
		 * below. */
		enum pmg_layer layer = i < 2 ? PMG_LAYER_BUILTIN : PMG_LAYER_PROFILE;
		pmg_autofree char *dir = pmg_path_dir(real);
		pmg_autofree char *pattern = pmg_xasprintf("%s/ld-*%s", dir, i > 0 ? "/**" : "");
		pmg_autofree char *refused = pmg_xasprintf("2007 %s", real);
		pmg_autofree char *source = pmg_xstrdup("test");
		struct pmg_policy_rule rule = { .access = PMG_ACCESS_EXEC,
						.rank = PMG_RANK_DENY,
						.layer = layer,
						.roles = PMG_ROLE_ANY,
						.text = pattern,
						.source = source };
		struct pmg_err err = PMG_ERR_INIT;

		policy = broker_policy(top);
		assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
		pmg_policy_seal(policy);
		*attempt = (struct attempt){ .program = loader, .dir = AT_FDCWD };
		attempt->argument = "--version";
		check(attempt, 0, i < 2 ? 0 : EACCES, i < 2 ? NULL : refused);
		attempt->argument = program;
		check(attempt, 0, EACCES, refused);
		pmg_policy_free(policy);
	}
	policy = open;
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(programs_are_judged_by_what_they_are),
		ROW(a_program_is_found_from_a_folder_too),
		ROW(memory_is_no_program),
		ROW(a_descriptor_alone_starts_nothing),
		ROW(the_loader_starts_no_more_than_execve),
		ROW(a_closed_loader_may_be_asked_for_its_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
