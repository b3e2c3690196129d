/*
 * An import whose reader was taken over by what it read: in the place of
 * pmg_import() stands what an attacker would do. All of it is done by this
 * process too, where it succeeds.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/json.h"
#include "cli/cmd_intel.h"
#include "kernel/confine.h"

int __real_pmg_import(const struct pmg_import_want *want, struct pmg_import_report *out,
		      struct pmg_err *err);
int __wrap_pmg_import(const struct pmg_import_want *want, struct pmg_import_report *out,
		      struct pmg_err *err);

static char *dir, *index_path, *feed_path;
static int (*hostile)(const struct pmg_import_want *want, struct pmg_err *err);

int __wrap_pmg_import(const struct pmg_import_want *want, struct pmg_import_report *out,
		      struct pmg_err *err)
{
	return hostile ? hostile(want, err) : __real_pmg_import(want, out, err);
}

static int import(struct pmg_err *err)
{
	const struct pmg_import_want want = {
		.path = feed_path, .index = index_path, .feed = "feed", .now = RECORDS_NOW
	};
	struct json_t *report = NULL;
	int r = pmg_intel_import_apart(&want, &report, err);

	assert_true((r == 0) == (report != NULL));
	pmg_json_free(report);
	return r;
}

static int setup(void **state)
{
	static const char ledger[] = "what was installed";
	static const char feed[] = RECORD("MAL-1", "x", EVER);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	dir = folder_new();
	index_path = pmg_path_join(dir, "intel.db");
	feed_path = pmg_path_join(dir, "feed.json");
	folder_write(dir, "ledger.db", ledger, strlen(ledger));
	folder_write(dir, "feed.json", feed, strlen(feed));
	hostile = NULL;
	records_must(import(&err), &err);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	folder_free(dir);
	free(index_path);
	free(feed_path);
	return 0;
}

static void assert_index_is_whole(void)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	pmg_autofree char *left = pmg_xasprintf("%s.build", index_path);
	struct pmg_err err = PMG_ERR_INIT;

	records_must(pmg_index_open(index_path, &index, &err), &err);
	records_must(pmg_index_check(index, &err), &err);
	assert_int_equal(pmg_index_records(index), 1);
	assert_int_equal(access(left, F_OK), -1);
}

/* Each attempt: 0 when it worked. */
static int at(const char *name, int (*what)(const char *path))
{
	pmg_autofree char *path = pmg_path_join(dir, name);

	return what(path);
}

static int overwrite(const char *path)
{
	pmg_autofd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -1 : 0;
}

static int make(const char *path)
{
	pmg_autofd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	(void)unlink(path);
	return 0;
}

static int look(const char *path)
{
	pmg_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : 0;
}

static int move(const char *path)
{
	pmg_autofree char *to = pmg_xasprintf("%s.moved", path);

	return rename(path, to) < 0 || rename(to, path) < 0 ? -1 : 0;
}

static int give_second_name(const char *path)
{
	pmg_autofree char *to = pmg_xasprintf("%s.second", path);

	return link(path, to) < 0 || unlink(to) < 0 ? -1 : 0;
}

static int call_out(const char *path)
{
	pmg_autofd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)path;
	return fd < 0 ? -1 : 0;
}

static const struct attempt {
	const char *name;
	int (*what)(const char *path);
} attempts[] = {
	{ "ledger.db", overwrite },
	{ "ledger.db", look },
	{ "ledger.db", move },
	{ "ledger.db", give_second_name },
	{ "intel.db", overwrite },
	{ "intel.db", move },
	{ "new", make },
	{ "", call_out },
};

static int try_all(const struct pmg_import_want *want, struct pmg_err *err)
{
	pmg_autofree char *mine = pmg_path_join(want->folder, "mine");
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(attempts); i++) {
		if (at(attempts[i].name, attempts[i].what) == 0)
			return pmg_err_set(err, PMG_E_INTERNAL, 0, "attempt %zu worked", i);
		if (errno != EACCES && errno != EPERM)
			return pmg_err_set(err, PMG_E_INTERNAL, errno, "attempt %zu", i);
	}
	if (make(mine) < 0 || look(want->index) < 0 || look(want->path) < 0)
		return pmg_err_set(err, PMG_E_INTERNAL, errno, "what it needs");
	return pmg_err_set(err, PMG_E_LIMIT, 0, "all was refused");
}

static void a_reader_writes_nowhere_but_in_its_folder(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(attempts); i++)
		if (at(attempts[i].name, attempts[i].what) < 0)
			fail_msg("attempt %zu fails unguarded: %s", i, strerror(errno));
	hostile = try_all;
	(void)import(&err);
	assert_string_equal(err.msg, "all was refused");
	assert_index_is_whole();
}

static int list_open(const struct pmg_import_want *want, struct pmg_err *err)
{
	struct stat st, null;
	int fd;

	(void)want;
	for (fd = 4; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return pmg_err_set(err, PMG_E_INTERNAL, 0, "%d is open", fd);
	for (fd = 0; fd < 3; fd++)
		if (fstat(fd, &st) < 0 || stat("/dev/null", &null) < 0 ||
		    st.st_rdev != null.st_rdev)
			return pmg_err_set(err, PMG_E_INTERNAL, 0, "%d is not /dev/null", fd);
	if (fstat(PMG_INTEL_ANSWER_FD, &st) < 0 || !S_ISFIFO(st.st_mode))
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "no way to answer");
	return pmg_err_set(err, PMG_E_LIMIT, 0, "no other is open");
}

static void a_reader_has_only_its_answer_open(void **state)
{
	pmg_autofree char *ledger = pmg_path_join(dir, "ledger.db");
	struct pmg_err err = PMG_ERR_INIT;
	int inherited = open(ledger, O_RDWR),
	    in = dup(STDIN_FILENO); /* on purpose not closed by exec */
	int i;

	(void)state;
	assert_true(inherited >= 0);
	hostile = list_open;
	(void)import(&err);
	assert_string_equal(err.msg, "no other is open");
	/* The same where the pipe itself gets a low number. */
	for (i = 0; i < 2; i++) {
		(void)close(STDIN_FILENO);
		(void)import(&err);
		assert_string_equal(err.msg, "no other is open");
	}
	(void)dup2(in, STDIN_FILENO);
	(void)close(in);
	(void)close(inherited);
}

static int build_nothing(const struct pmg_import_want *want, struct pmg_err *err)
{
	(void)want;
	(void)err;
	return 0;
}

/* Two names for one file: of them one would stay writable for whoever holds it. */
static int build_with_second_name(const struct pmg_import_want *want, struct pmg_err *err)
{
	pmg_autofree char *mine = pmg_path_join(want->folder, "mine");
	pmg_autofree char *built = pmg_path_join(want->folder, "intel.db");
	pmg_autofd int fd = open(mine, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	return fd < 0 || link(mine, built) < 0 ? pmg_err_set(err, PMG_E_SYS, errno, "link") : 0;
}

static int die(const struct pmg_import_want *want, struct pmg_err *err)
{
	pmg_autofree char *left = pmg_path_join(want->folder, "left");
	pmg_autofd int fd = open(left, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	(void)err;
	_exit(fd < 0 ? 2 : 1);
}

static void what_is_no_index_file_of_its_own_is_not_taken(void **state)
{
	static int (*const tried[])(const struct pmg_import_want *,
				    struct pmg_err *) = { build_nothing, build_with_second_name,
							  die };
	static const int codes[] = { -PMG_E_SYS, -PMG_E_PARSE, -PMG_E_PEER };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(tried); i++) {
		struct pmg_err err = PMG_ERR_INIT;

		hostile = tried[i];
		if (import(&err) != codes[i])
			fail_msg("%zu: %s", i, err.msg);
		assert_index_is_whole();
	}
}

static const char *nonsense;

static int answer_nonsense(const struct pmg_import_want *want, struct pmg_err *err)
{
	(void)want;
	(void)err;
	_exit(write(PMG_INTEL_ANSWER_FD, nonsense, strlen(nonsense)) < 0 ? 2 : 0);
}

static void what_it_answers_is_read_strictly(void **state)
{
	static const char *const tried[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"error\":{}}",
		"{\"error\":[]}",
		"{\"error\":{\"code\":0,\"errnum\":0,\"diag\":0,\"msg\":\"\",\"hint\":\"\"}}",
		"{\"error\":{\"code\":999,\"errnum\":0,\"diag\":0,\"msg\":\"\",\"hint\":\"\"}}",
		"{\"error\":{\"code\":4,\"errnum\":0,\"diag\":0,\"msg\":7,\"hint\":\"\"}}",
	};
	size_t i;

	(void)state;
	hostile = answer_nonsense;
	for (i = 0; i < PMG_ARRAY_LEN(tried); i++) {
		struct pmg_err err = PMG_ERR_INIT;

		nonsense = tried[i];
		if (import(&err) != -PMG_E_PEER)
			fail_msg("%zu: %s", i, err.msg);
		assert_index_is_whole();
	}
}

static void what_a_killed_import_left_is_removed_by_the_next(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *left = pmg_path_join(dir, "intel.db.build/intel.db");

	(void)state;
	folder_write(dir, "intel.db.build/intel.db", "left", 4);
	folder_write(dir, "intel.db.build/etilqs_1", "left", 4);
	assert_int_equal(access(left, F_OK), 0);
	records_must(import(&err), &err);
	assert_index_is_whole();
}

CHILD_CONFINED(confine)

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_reader_writes_nowhere_but_in_its_folder),
		TEST(a_reader_has_only_its_answer_open),
		TEST(what_is_no_index_file_of_its_own_is_not_taken),
		TEST(what_it_answers_is_read_strictly),
		TEST(what_a_killed_import_left_is_removed_by_the_next),
	};

	if (in_child(confine, false) != 0) /* then no feed is read */
		return child_skip("a process cannot be confined here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
