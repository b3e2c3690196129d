#include "verdict/build.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/str.h"
#include "verdict/known.h"
#include "verdict/publish.h"

#define WITHDRAWN(id, when)                                                                        \
	"{\"id\":\"" id "\",\"modified\":\"" when "\",\"withdrawn\":\"" when "\"}"
#define AT(id, when, version)                                                                      \
	"{\"id\":\"" id "\",\"modified\":\"" when "\",\"affected\":[{\"package\":{\"ecosystem\":"  \
	"\"npm\",\"name\":\"x\"},\"versions\":[\"" version "\"]}]}"

static const char *const feed_a[] = {
	RECORD("MAL-2", "b", VERSIONS("\"1.0.0\",\"v1.0.0\",\"2.0.0+x\"")),
	RECORD("MAL-1", "a", EVER),
	WITHDRAWN("MAL-3", "2025-06-04T00:00:00Z"),
	RECORD_PYPI("MAL-4", "Some.Name", VERSIONS("\"1.0\"")),
	NULL,
};
static const char *const feed_a_turned[] = {
	RECORD_PYPI("MAL-4", "Some.Name", VERSIONS("\"1.0\"")),
	WITHDRAWN("MAL-3", "2025-06-04T00:00:00Z"),
	RECORD("MAL-1", "a", EVER),
	RECORD("MAL-2", "b", VERSIONS("\"1.0.0\",\"v1.0.0\",\"2.0.0+x\"")),
	NULL,
};
static const char *const feed_b[] = {
	RECORD("LWA-1", "b", VERSIONS("\"3.0.0\"")),
	RECORD("LWA-2", "a", VERSIONS("\"1.0.0\"")),
	NULL,
};
static const char *const none[] = { NULL };

static struct pmg_index *must_open(const char *folder)
{
	pmg_autofree char *path = pmg_path_join(folder, "intel.db");
	struct pmg_index *index = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	records_must(pmg_index_open(path, &index, &err), &err);
	return index;
}

/* Ids that match, "A B"; "" for none. */
static char *ids_of(const char *folder, enum pmg_eco eco, const char *name, const char *version)
{
	pmg_auto(index) struct pmg_index *index = must_open(folder);
	pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
	struct pmg_index_question q = { eco, name, version, true };
	struct pmg_str out = PMG_STR_INIT(1000);
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	records_must(pmg_index_find(index, &q, &answer, &err), &err);
	for (i = 0; i < answer.ids.n; i++)
		records_must(pmg_str_addf(&out, "%s%s", i ? " " : "", answer.ids.v[i]), &err);
	return pmg_str_steal(&out);
}

static void assert_ids(const char *folder, const char *name, const char *version, const char *ids)
{
	pmg_autofree char *got = ids_of(folder, PMG_ECO_NPM, name, version);

	assert_string_equal(got, ids);
}

static void slurp(const char *folder, const char *name, char **text, size_t *len)
{
	pmg_autofree char *path = pmg_path_join(folder, name);
	struct pmg_err err = PMG_ERR_INIT;

	records_must(pmg_io_slurp(path, 1U << 24, text, len, &err), &err);
}

static void a_feed_is_counted(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	struct pmg_build_result r = records_build(dir, "a", feed_a);

	(void)state;
	assert_int_equal(r.records, 3);
	assert_int_equal(r.withdrawn, 1);
	assert_int_equal(r.duplicates, 0);
	assert_int_equal(r.total, 3);
	assert_int_equal(r.packages, 3);
}

static void the_same_input_gives_the_same_bytes(void **state)
{
	pmg_auto(folder) char *one = folder_new();
	pmg_auto(folder) char *two = folder_new();
	pmg_autofree char *x = NULL, *y = NULL;
	size_t n = 0, m = 0;

	(void)state;
	(void)records_build(one, "a", feed_a);
	(void)records_build(one, "b", feed_b);
	(void)records_build(two, "b", feed_b);
	(void)records_build(two, "a", feed_a_turned);
	slurp(one, "intel.db", &x, &n);
	slurp(two, "intel.db", &y, &m);
	assert_int_equal(n, m);
	assert_memory_equal(x, y, n);
}

static void a_feed_replaces_its_own_records_only(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_auto(index) struct pmg_index *index = NULL;
	pmg_auto(index_feeds) struct pmg_index_feeds feeds = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_build_result r;

	(void)state;
	(void)records_build(dir, "b", feed_b);
	r = records_build(dir, "a", feed_a);
	assert_int_equal(r.records, 3);
	assert_int_equal(r.total, 5);
	assert_int_equal(r.packages, 3);
	assert_ids(dir, "a", "1.0.0", "LWA-2 MAL-1");
	assert_ids(dir, "b", "3.0.0", "LWA-1");
	r = records_build(dir, "a", none);
	assert_int_equal(r.total, 2);
	assert_ids(dir, "a", "1.0.0", "LWA-2");
	assert_ids(dir, "a", "1.0.1", "");
	index = must_open(dir);
	assert_int_equal(pmg_index_feeds(index, &feeds, &err), 0);
	assert_int_equal(feeds.n, 2);
	assert_string_equal(feeds.v[0].name, "a");
	assert_int_equal(feeds.v[0].records, 0);
	assert_string_equal(feeds.v[1].name, "b");
	assert_int_equal(feeds.v[1].records, 2);
	assert_int_equal(feeds.v[1].imported, RECORDS_NOW);
	assert_int_equal(pmg_index_records(index), 2);
	assert_int_equal(pmg_index_packages(index), 2);
	assert_int_equal(pmg_index_built(index), RECORDS_NOW);
}

static const struct {
	const char *texts[4];
	const char *one, *two; /* ids for x@1.0.0, x@2.0.0 */
	uint64_t duplicates, withdrawn;
} same_id[] = {
	{ { AT("MAL-1", "2025-01-01T00:00:00Z", "1.0.0"),
	    AT("MAL-1", "2025-01-02T00:00:00Z", "2.0.0") },
	  "",
	  "MAL-1",
	  1,
	  0 },
	{ { AT("MAL-1", "2025-01-02T00:00:00Z", "2.0.0"),
	    AT("MAL-1", "2025-01-01T00:00:00Z", "1.0.0") },
	  "",
	  "MAL-1",
	  1,
	  0 },
	{ { AT("MAL-1", "2025-01-01T00:00:00Z", "1.0.0"),
	    WITHDRAWN("MAL-1", "2025-01-02T00:00:00Z") },
	  "",
	  "",
	  1,
	  1 },
	{ { WITHDRAWN("MAL-1", "2025-01-01T00:00:00Z"),
	    AT("MAL-1", "2025-01-02T00:00:00Z", "1.0.0") },
	  "MAL-1",
	  "",
	  1,
	  0 },
	/* the same time: rather keep it */
	{ { AT("MAL-1", "2025-01-01T00:00:00Z", "1.0.0"),
	    WITHDRAWN("MAL-1", "2025-01-01T00:00:00Z") },
	  "MAL-1",
	  "",
	  1,
	  0 },
	{ { AT("MAL-1", "2025-01-01T00:00:00Z", "1.0.0"),
	    AT("MAL-1", "2025-01-01T00:00:00Z", "1.0.0") },
	  "MAL-1",
	  "",
	  1,
	  0 },
};

static void of_records_with_one_id_the_latest_counts(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(same_id); i++) {
		pmg_auto(folder) char *dir = folder_new();
		struct pmg_build_result r = records_build(dir, "a", same_id[i].texts);

		assert_int_equal(r.duplicates, same_id[i].duplicates);
		assert_int_equal(r.withdrawn, same_id[i].withdrawn);
		assert_ids(dir, "x", "1.0.0", same_id[i].one);
		assert_ids(dir, "x", "2.0.0", same_id[i].two);
	}
}

static void the_index_is_private_and_the_previous_one_is_kept(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *db = pmg_path_join(dir, "intel.db");
	pmg_autofree char *prev = pmg_path_join(dir, "intel.db.prev");
	pmg_autofree char *old = NULL, *kept = NULL;
	size_t n = 0, m = 0;
	struct stat st;

	(void)state;
	(void)records_build(dir, "a", feed_a);
	assert_int_equal(stat(db, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_not_equal(access(prev, F_OK), 0);
	slurp(dir, "intel.db", &old, &n);
	(void)records_build(dir, "b", feed_b);
	slurp(dir, "intel.db.prev", &kept, &m);
	assert_int_equal(n, m);
	assert_memory_equal(old, kept, n);
	(void)records_build(dir, "b", none);
	assert_int_equal(stat(prev, &st), 0);
	assert_int_equal(st.st_nlink, 1);
}

static void a_build_that_is_given_up_leaves_nothing(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "intel.db");
	pmg_autofree char *folder = pmg_path_join(dir, "intel.db.build");
	pmg_autofree char *temp = pmg_publish_file(folder);
	struct pmg_build *build = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_build_open(path, "a", &build, &err), 0);
	records_add(build, feed_a[0]);
	assert_int_equal(access(temp, F_OK), 0);
	pmg_build_close(build);
	assert_int_not_equal(access(folder, F_OK), 0);
	assert_int_not_equal(access(path, F_OK), 0);
}

/* Killed before its end, wherever that is: the old index answers, the next build works. */
static void a_build_that_is_killed_changes_nothing(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "intel.db");
	struct pmg_build *build = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	int status, ready[2];
	char byte;
	pid_t pid;

	(void)state;
	(void)records_build(dir, "a", feed_a);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (pmg_build_open(path, "b", &build, &err) < 0)
			_exit(1);
		records_add(build, feed_b[0]);
		(void)!write(ready[1], "r", 1);
		for (;;)
			records_add(build, feed_b[0]);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_ids(dir, "a", "1.0.0", "MAL-1");
	assert_ids(dir, "b", "3.0.0", "");
	(void)records_build(dir, "b", feed_b);
	assert_ids(dir, "a", "1.0.0", "LWA-2 MAL-1");
	assert_ids(dir, "b", "3.0.0", "LWA-1");
	(void)close(ready[0]);
	(void)close(ready[1]);
}

static void a_damaged_index_is_not_built_upon(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "intel.db");
	pmg_autofree char *old = NULL, *now = NULL;
	struct pmg_build *build = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t n = 0, m = 0;

	(void)state;
	(void)records_build(dir, "a", feed_a);
	slurp(dir, "intel.db", &old, &n);
	assert_int_equal(truncate(path, (off_t)n - 4096), 0);
	assert_int_equal(pmg_build_open(path, "b", &build, &err), -PMG_E_DB);
	assert_null(build);
	assert_non_null(strstr(err.msg, "the present index"));
	assert_non_null(strstr(err.hint, "import the feeds again"));
	slurp(dir, "intel.db", &now, &m);
	assert_int_equal(m, n - 4096);
	assert_memory_equal(now, old, m);
}

/* All at once, or some of it later as a change: the same bytes. */
static void a_change_of_single_records_gives_what_a_whole_feed_gives(void **state)
{
	static const char *const before[] = {
		AT("MAL-1", "2025-01-01T00:00:00Z", "1.0.0"),
		AT("MAL-2", "2025-01-02T00:00:00Z", "1.0.0"),
		WITHDRAWN("MAL-3", "2025-01-03T00:00:00Z"),
		WITHDRAWN("MAL-4", "2025-01-03T00:00:00Z"),
		RECORD("MAL-5", "f", VERSIONS("\"1.0.0\"") "," HASH("sha256", ABC256)),
		NULL,
	};
	static const char *const change[] = {
		WITHDRAWN("MAL-1", "2025-07-01T00:00:00Z"),
		AT("MAL-2", "2025-07-02T00:00:00Z", "2.0.0"),
		AT("MAL-4", "2025-07-03T00:00:00Z", "2.0.0"),
		NULL,
	};
	const char *const after[] = { change[0], change[1], change[2], before[2], before[4], NULL };
	pmg_auto(folder) char *one = folder_new();
	pmg_auto(folder) char *two = folder_new();
	pmg_auto(index) struct pmg_index *index = NULL;
	pmg_auto(index_feeds) struct pmg_index_feeds feeds = { 0 };
	pmg_autofree char *x = NULL, *y = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_build_result r;
	size_t n = 0, m = 0;

	(void)state;
	(void)records_build(one, "b", feed_b);
	(void)records_build(one, "a", before);
	r = records_merge(one, "a", change);
	assert_int_equal(r.records, 3);
	assert_int_equal(r.withdrawn, 2);
	assert_int_equal(r.total, 5);
	(void)records_build(two, "a", after);
	(void)records_build(two, "b", feed_b);
	slurp(one, "intel.db", &x, &n);
	slurp(two, "intel.db", &y, &m);
	assert_int_equal(n, m);
	assert_memory_equal(x, y, n);
	index = must_open(one);
	assert_int_equal(pmg_index_feeds(index, &feeds, &err), 0);
	assert_int_equal(feeds.v[0].newest, 1751500800);
	assert_int_equal(feeds.v[1].newest, 1748995200);
	assert_true(pmg_index_has_digests(index, PMG_DIGEST_SHA256));
	assert_ids(one, "x", "1.0.0", "");
	assert_ids(one, "x", "2.0.0", "MAL-2 MAL-4");
}

/* Builds with n faults, "K.json" from first on, and says that there were `unread`. */
static void build_with_faults(const char *folder, const char *feed, unsigned first, unsigned n,
			      uint64_t unread, bool merge)
{
	pmg_autofree char *path = pmg_path_join(folder, "intel.db");
	pmg_auto(build) struct pmg_build *build = NULL;
	struct pmg_build_result result;
	struct pmg_err err = PMG_ERR_INIT;
	unsigned i;

	records_must(pmg_build_open(path, feed, &build, &err), &err);
	if (merge)
		pmg_build_merge(build);
	records_add(build, feed_b[0]);
	for (i = first; i < first + n; i++) {
		pmg_autofree char *name = pmg_xasprintf("%03u.json", i);

		records_must(pmg_build_add_fault(build, name, "why", &err), &err);
	}
	pmg_build_set_unread(build, unread);
	records_must(pmg_build_finish(build, RECORDS_NOW, &result, &err), &err);
}

static void assert_faults(const char *folder, const char *feed, const char *first, const char *last,
			  size_t n, uint64_t unread)
{
	pmg_autofree char *path = pmg_path_join(folder, "intel.db");
	pmg_auto(index) struct pmg_index *index = must_open(folder);
	pmg_auto(index_feeds) struct pmg_index_feeds feeds = { 0 };
	pmg_auto(known_feed) struct pmg_known_feed known = { .n_faults = 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	records_must(pmg_known_of_feed(path, feed, &known, &err), &err);
	assert_int_equal(known.n_faults, n);
	if (n > 0) {
		assert_string_equal(known.faults[0].path, first);
		assert_string_equal(known.faults[n - 1].path, last);
	}
	records_must(pmg_index_feeds(index, &feeds, &err), &err);
	for (i = 0; i < feeds.n && strcmp(feeds.v[i].name, feed) != 0; i++)
		;
	assert_true(i < feeds.n);
	assert_int_equal(feeds.v[i].unread, unread);
}

/* Until the whole is read again: some of it that is read later leaves them. */
static void what_could_not_be_read_is_kept_by_feed(void **state)
{
	pmg_auto(folder) char *dir = folder_new();

	(void)state;
	build_with_faults(dir, "a", 1, 2, 7, false);
	build_with_faults(dir, "b", 1, 120, 5000, false);
	assert_faults(dir, "a", "001.json", "002.json", 2, 7);
	assert_faults(dir, "b", "001.json", "100.json", 100, 5000);
	build_with_faults(dir, "a", 2, 2, 2, true);
	assert_faults(dir, "a", "001.json", "003.json", 3, 9);
	build_with_faults(dir, "a", 0, 0, 0, false);
	assert_faults(dir, "a", NULL, NULL, 0, 0);
	assert_faults(dir, "b", "001.json", "100.json", 100, 5000);
}

static void a_feed_that_is_dropped_leaves_nothing(void **state)
{
	pmg_auto(folder) char *one = folder_new();
	pmg_auto(folder) char *two = folder_new();
	pmg_autofree char *path = pmg_path_join(one, "intel.db");
	pmg_autofree char *x = NULL, *y = NULL;
	pmg_auto(build) struct pmg_build *build = NULL;
	struct pmg_build_result result;
	struct pmg_err err = PMG_ERR_INIT;
	size_t n = 0, m = 0;

	(void)state;
	build_with_faults(one, "a", 1, 2, 2, false);
	(void)records_build(one, "a", feed_a);
	(void)records_build(one, "b", feed_b);
	(void)records_build(two, "b", feed_b);
	records_must(pmg_build_open(path, "a", &build, &err), &err);
	pmg_build_drop(build);
	records_must(pmg_build_finish(build, RECORDS_NOW, &result, &err), &err);
	assert_int_equal(result.records, 0);
	assert_int_equal(result.total, 2);
	assert_int_equal(result.packages, 2);
	slurp(one, "intel.db", &x, &n);
	slurp(two, "intel.db", &y, &m);
	assert_int_equal(n, m);
	assert_memory_equal(x, y, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_feed_is_counted),
		cmocka_unit_test(the_same_input_gives_the_same_bytes),
		cmocka_unit_test(a_feed_replaces_its_own_records_only),
		cmocka_unit_test(of_records_with_one_id_the_latest_counts),
		cmocka_unit_test(the_index_is_private_and_the_previous_one_is_kept),
		cmocka_unit_test(a_build_that_is_given_up_leaves_nothing),
		cmocka_unit_test(a_build_that_is_killed_changes_nothing),
		cmocka_unit_test(a_damaged_index_is_not_built_upon),
		cmocka_unit_test(a_change_of_single_records_gives_what_a_whole_feed_gives),
		cmocka_unit_test(what_could_not_be_read_is_kept_by_feed),
		cmocka_unit_test(a_feed_that_is_dropped_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
