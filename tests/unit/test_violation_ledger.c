#include "violation/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "store/store.h"

static const struct pmg_ledger_keep keep_all = { 0, 0 };

/* A fresh folder in the build tree; the ledger's path in it. */
static char *ledger_path(char **dir)
{
	*dir = pmg_xstrdup("ledger-test-XXXXXX");
	assert_non_null(mkdtemp(*dir));
	return pmg_xasprintf("%s/state/pmg/ledger.db", *dir);
}

static void clean(const char *dir)
{
	static const char *const names[] = { "state/pmg/ledger.db",
					     "state/pmg/ledger.db-wal",
					     "state/pmg/ledger.db-shm",
					     "state/pmg",
					     "state",
					     "" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		pmg_autofree char *path = pmg_path_join(dir, names[i]);

		(void)remove(path);
	}
}

static void add(struct pmg_record *record, const char *name, const char *verdict, int diag)
{
	struct pmg_wire_judged m = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup(name),
		.version = pmg_xstrdup("1.0.0"),
		.verdict = pmg_xstrdup(verdict),
		.reason = diag ? pmg_xstrdup("known malware") : NULL,
		.diag = diag,
		.url = pmg_xstrdup("http://registry.test/x"),
	};

	if (diag)
		pmg_strv_add(&m.ids, "MAL-1");
	(void)pmg_record_judged(record, &m);
}

static void fill(struct pmg_record *record, const char *id, int64_t started, bool blocked)
{
	struct pmg_wire_passed p = { pmg_xstrdup("h.test:443"), pmg_xstrdup("tunnel") };
	struct pmg_wire_trouble t = { pmg_xstrdup("r.test:443"), pmg_xstrdup("refused"), 4001 };

	(void)snprintf(record->id, sizeof record->id, "%s", id);
	record->started = started;
	record->ended = started + 2;
	record->tool = pmg_xstrdup("npm");
	record->cwd = pmg_xstrdup("/p");
	record->fingerprint = pmg_xstrdup("abc");
	record->exit = blocked;
	record->index_present = true;
	record->index_built = 86400;
	record->index_state = pmg_xstrdup("stale");
	record->index_checked = 172800;
	record->index_records = 7;
	pmg_strv_add(&record->argv, "npm");
	pmg_strv_add(&record->argv, "i");
	add(record, "ok", "allow", 0);
	add(record, "ok", "allow", 0);
	if (blocked)
		add(record, "bad", "block", 3001);
	(void)pmg_record_passed(record, &p);
	(void)pmg_record_trouble(record, &t);
}

static void write_run(const char *path, const char *id, int64_t started, bool blocked,
		      const struct pmg_ledger_keep *keep)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	fill(&record, id, started, blocked);
	assert_int_equal(pmg_ledger_write(path, &record, keep, &err), 0);
}

static struct json_t *list(const char *path, uint64_t limit, const char *run, bool blocked)
{
	struct pmg_ledger_query query = { limit, run, blocked };
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *out = NULL;

	assert_int_equal(pmg_ledger_list(path, &query, &out, &err), 0);
	return out;
}

static void what_is_written_is_listed_in_the_documented_shape(void **state)
{
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(json) struct json_t *out = NULL;
	pmg_autofree char *text = NULL;
	struct stat st;

	(void)state;
	write_run(path, "r-19700101-0001", 100, true, &keep_all);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	out = list(path, 10, NULL, false);
	text = pmg_json_dump(out);
	assert_string_equal(
		text,
		"[{\"run\":\"r-19700101-0001\",\"started\":\"1970-01-01T00:01:40Z\","
		"\"ended\":\"1970-01-01T00:01:42Z\",\"tool\":\"npm\",\"argv\":[\"npm\",\"i\"],"
		"\"cwd\":\"/p\",\"exit\":1,\"fingerprint\":\"abc\",\"lost\":0,"
		"\"index\":{\"present\":true,\"state\":\"stale\",\"built\":\"1970-01-02T00:00:"
		"00Z\","
		"\"checked\":\"1970-01-03T00:00:00Z\",\"records\":7},"
		"\"packages\":[{\"ecosystem\":\"npm\",\"name\":\"bad\",\"version\":\"1.0.0\","
		"\"verdict\":\"block\",\"reason\":\"known malware\",\"code\":\"PMG3001\","
		"\"ids\":[\"MAL-1\"],\"sources\":[],\"findings\":[],\"waivers\":[],\"url\":\"http:/"
		"/registry.test/"
		"x\","
		"\"count\":1},{\"ecosystem\":\"npm\",\"name\":\"ok\",\"version\":\"1.0.0\","
		"\"verdict\":\"allow\",\"ids\":[],\"sources\":[],\"findings\":[],\"waivers\":[],"
		"\"url\":\"http://registry.test/x\",\"count\":2}],"
		"\"passed\":[{\"target\":\"h.test:443\",\"why\":\"tunnel\",\"count\":1}],"
		"\"troubles\":[{\"target\":\"r.test:443\",\"what\":\"refused\","
		"\"code\":\"PMG4001\",\"count\":1}],\"violations\":[]}]");
	clean(dir);
}

static void questions_pick_runs_newest_first(void **state)
{
	static const struct {
		uint64_t limit;
		const char *run;
		bool blocked;
		size_t n;
		const char *first;
	} rows[] = {
		{ 10, NULL, false, 3, "r-19700101-0003" },
		{ 2, NULL, false, 2, "r-19700101-0003" },
		{ 0, NULL, false, 0, NULL },
		{ 10, "r-19700101-0001", false, 1, "r-19700101-0001" },
		{ 10, "r-19700101-9999", false, 0, NULL },
		{ 10, NULL, true, 1, "r-19700101-0002" },
		{ 10, "r-19700101-0001", true, 0, NULL },
	};
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	size_t i;

	(void)state;
	write_run(path, "r-19700101-0001", 100, false, &keep_all);
	write_run(path, "r-19700101-0002", 200, true, &keep_all);
	write_run(path, "r-19700101-0003", 300, false, &keep_all);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(json) struct json_t *out =
			list(path, rows[i].limit, rows[i].run, rows[i].blocked);
		const struct json_t *packages = pmg_json_get(pmg_json_at(out, 0), "packages");

		assert_int_equal(pmg_json_len(out), rows[i].n);
		if (rows[i].n)
			assert_string_equal(pmg_json_str(pmg_json_at(out, 0), "run"),
					    rows[i].first);
		if (rows[i].n && rows[i].blocked)
			assert_int_equal(pmg_json_len(packages), 1);
	}
	clean(dir);
}

static void no_ledger_is_an_empty_list_and_makes_no_file(void **state)
{
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(json) struct json_t *out = list(path, 10, NULL, false);

	(void)state;
	assert_int_equal(pmg_json_len(out), 0);
	assert_int_equal(access(path, F_OK), -1);
	clean(dir);
}

static void a_taken_id_is_drawn_again(void **state)
{
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(record) struct pmg_record record = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	write_run(path, "r-19700101-0001", 100, false, &keep_all);
	fill(&record, "r-19700101-0001", 100, false);
	assert_int_equal(pmg_ledger_write(path, &record, &keep_all, &err), 0);
	assert_string_not_equal(record.id, "r-19700101-0001");
	assert_memory_equal(record.id, "r-19700101-", 11);
	clean(dir);
}

static void old_runs_and_what_they_hold_are_forgotten(void **state)
{
	const struct pmg_ledger_keep day = { 86400, 0 };
	const struct pmg_ledger_keep tiny = { 0, 1 };
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(json) struct json_t *first = NULL;
	pmg_auto(json) struct json_t *second = NULL;
	int64_t now = pmg_clock_now();

	(void)state;
	write_run(path, "r-19700101-0001", now - 90000, true, &keep_all);
	write_run(path, "r-19700101-0002", now - 1000, true, &day);
	first = list(path, 10, NULL, false);
	assert_int_equal(pmg_json_len(first), 1);
	assert_string_equal(pmg_json_str(pmg_json_at(first, 0), "run"), "r-19700101-0002");
	/* Far above the size: the oldest go, the run just written stays. */
	write_run(path, "r-19700101-0003", now, true, &tiny);
	second = list(path, 10, NULL, false);
	assert_int_equal(pmg_json_len(second), 1);
	assert_string_equal(pmg_json_str(pmg_json_at(second, 0), "run"), "r-19700101-0003");
	clean(dir);
}

static void runs_at_the_same_time_all_get_in(void **state)
{
	enum { WRITERS = 6 };
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(json) struct json_t *out = NULL;
	pid_t pids[WRITERS];
	int i, status;

	(void)state;
	for (i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			pmg_auto(record) struct pmg_record record = { 0 };
			struct pmg_err err = PMG_ERR_INIT;

			/* The same id for all: each but one has to draw anew. */
			fill(&record, "r-19700101-0001", 100, false);
			_exit(pmg_ledger_write(path, &record, &keep_all, &err) < 0);
		}
	}
	for (i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	out = list(path, 100, NULL, false);
	assert_int_equal(pmg_json_len(out), WRITERS);
	clean(dir);
}

static void a_broken_file_is_an_error_with_a_hint(void **state)
{
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir), *log = NULL;
	pmg_auto(record) struct pmg_record record = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	FILE *f;
	int i;

	(void)state;
	write_run(path, "r-19700101-0001", 100, false, &keep_all);
	log = pmg_xasprintf("%s-wal", path);
	assert_int_equal(unlink(log), 0); /* in which all of it stands */
	f = fopen(path, "w");
	assert_non_null(f);
	for (i = 0; i < 2000; i++)
		(void)fputs("no database ", f);
	assert_int_equal(fclose(f), 0);
	fill(&record, "r-19700101-0002", 100, false);
	assert_int_equal(pmg_ledger_write(path, &record, &keep_all, &err), -PMG_E_DB);
	assert_non_null(strstr(err.hint, "move it away"));
	clean(dir);
}

/* A limit on file sizes stands for the full disk: SQLite sees the same failing write. */
static void a_full_disk_leaves_the_ledger_as_it_was(void **state)
{
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(json) struct json_t *out = NULL;
	struct rlimit limit = { 0, 0 };
	int status;
	pid_t pid;

	(void)state;
	write_run(path, "r-19700101-0001", 100, false, &keep_all);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		pmg_auto(record) struct pmg_record record = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		(void)sigaction(SIGXFSZ, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
		limit.rlim_cur = limit.rlim_max = 40000;
		if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
			_exit(9);
		fill(&record, "r-19700101-0002", 200, true);
		for (int i = 0; i < 2000; i++) {
			pmg_autofree char *name = pmg_xasprintf("package-%d", i);

			add(&record, name, "block", 3001);
		}
		_exit(pmg_ledger_write(path, &record, &keep_all, &err) == -PMG_E_DB ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	out = list(path, 10, NULL, false);
	assert_int_equal(pmg_json_len(out), 1);
	write_run(path, "r-19700101-0003", 300, false, &keep_all);
	clean(dir);
}

static void deny(struct pmg_record *record, int code, const char *target, const char *package,
		 bool sensitive)
{
	struct pmg_event event = { .code = code,
				   .op = PMG_EVENT_READ,
				   .by = PMG_EVENT_BY_BROKER,
				   .target = pmg_xstrdup(target),
				   .package = package ? pmg_xstrdup(package) : NULL,
				   .sensitive = sensitive,
				   .first = record->started,
				   .last = record->started + 1 };

	(void)pmg_record_denied(record, &event);
}

static int note_landed(void *ctx, const struct pmg_ledger_landed *l, struct pmg_err *err)
{
	(void)err;
	return pmg_str_addf(ctx, "%s %s@%s %s %lld %s\n", l->eco, l->name, l->version, l->run,
			    (long long)l->started, l->reach ? l->reach : "-");
}

static void write_landed(const char *path, const char *id, int64_t started, const char *reach)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	fill(&record, id, started, true);
	if (reach)
		pmg_strv_add(&record.reach, reach);
	else
		record.fingerprint[0] = '\0';
	assert_int_equal(pmg_ledger_write(path, &record, &keep_all, &err), 0);
}

/* What was refused is not among them; runs of one fingerprint share what could be reached. */
static void what_was_let_in_comes_the_oldest_run_first(void **state)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(4096);
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_ledger_each_landed(path, note_landed, &text, &err), 0);
	assert_int_equal(text.len, 0);
	write_landed(path, "r-3", 300, "write=/p/out");
	write_landed(path, "r-2", 200, "write=/p/out");
	write_landed(path, "r-1", 100, NULL);
	assert_int_equal(pmg_ledger_each_landed(path, note_landed, &text, &err), 0);
	assert_string_equal(text.s, "npm ok@1.0.0 r-1 100 -\n"
				    "npm ok@1.0.0 r-2 200 [\"write=/p/out\"]\n"
				    "npm ok@1.0.0 r-3 300 [\"write=/p/out\"]\n");
	clean(dir);
}

static void write_denied(const char *path, const char *id, int64_t started,
			 const struct pmg_ledger_keep *keep)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	fill(&record, id, started, false);
	record.profile = pmg_xstrdup("npm");
	deny(&record, 2001, "/a", "x@1.0.0", true);
	deny(&record, 2002, "/b", "xy@1.0.0", false);
	deny(&record, 2001, "/c", NULL, false);
	deny(&record, 2001, "/c", NULL, false);
	assert_int_equal(pmg_ledger_write(path, &record, keep, &err), 0);
}

static struct json_t *refusals(const char *path, const struct pmg_ledger_events_query *query)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *out = NULL;

	assert_int_equal(pmg_ledger_events(path, query, &out, &err), 0);
	return out;
}

static void refusals_are_listed_in_the_documented_shape(void **state)
{
	static const struct pmg_ledger_events_query query = { .limit = 10 };
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(json) struct json_t *none = refusals(path, &query);
	pmg_auto(json) struct json_t *out = NULL;
	pmg_autofree char *first = NULL, *last = NULL;

	(void)state;
	assert_int_equal(pmg_json_len(none), 0);
	assert_int_equal(access(path, F_OK), -1);
	write_denied(path, "r-19700101-0001", 100, &keep_all);
	out = refusals(path, &query);
	assert_int_equal(pmg_json_len(out), 3);
	first = pmg_json_dump(pmg_json_at(out, 0));
	assert_string_equal(
		first,
		"{\"id\":3,\"run\":\"r-19700101-0001\",\"cwd\":\"/"
		"p\",\"first\":\"1970-01-01T00:01:40Z\","
		"\"last\":\"1970-01-01T00:01:41Z\",\"count\":2,\"code\":\"PMG2001\","
		"\"op\":\"read\",\"target\":\"/c\",\"process\":[],\"enforced_by\":\"broker\","
		"\"profile\":\"npm\",\"fingerprint\":\"abc\",\"sensitive\":false}");
	last = pmg_json_dump(pmg_json_at(out, 2));
	assert_non_null(strstr(last, "\"package\":\"x@1.0.0\""));
	clean(dir);
}

static void questions_pick_refusals(void **state)
{
	static const struct {
		struct pmg_ledger_events_query query;
		size_t n;
		int64_t first; /* id */
	} rows[] = {
		{ { .limit = 10 }, 6, 6 },
		{ { .limit = 2 }, 2, 6 },
		{ { .limit = 10, .id = 2 }, 1, 2 },
		{ { .limit = 10, .id = 7 }, 0, 0 },
		{ { .limit = 10, .run = "r-19700101-0001" }, 3, 3 },
		{ { .limit = 10, .run = "r" }, 0, 0 },
		{ { .limit = 10, .last_run = true }, 3, 6 },
		{ { .limit = 10, .code = 2002 }, 2, 5 },
		{ { .limit = 10, .package = "x" }, 2, 4 },
		{ { .limit = 10, .package = "x@1.0.0" }, 2, 4 },
		{ { .limit = 10, .package = "x@1.0" }, 0, 0 },
		{ { .limit = 10, .since = 150 }, 3, 6 },
		{ { .limit = 10, .sensitive = true }, 2, 4 },
	};
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	size_t i;

	(void)state;
	write_denied(path, "r-19700101-0001", 100, &keep_all);
	write_denied(path, "r-19700101-0002", 200, &keep_all);
	write_run(path, "r-19700101-0003", 300, false, &keep_all);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(json) struct json_t *out = refusals(path, &rows[i].query);

		assert_int_equal(pmg_json_len(out), rows[i].n);
		assert_int_equal(pmg_json_int(pmg_json_at(out, 0), "id"), rows[i].first);
	}
	clean(dir);
}

static void forgotten_refusals_leave_their_ids_unused(void **state)
{
	static const struct pmg_ledger_events_query query = { .limit = 10 };
	const struct pmg_ledger_keep day = { 86400, 0 };
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(json) struct json_t *out = NULL;

	(void)state;
	write_denied(path, "r-19700101-0001", 100, &keep_all);
	write_run(path, "r-19700101-0002", pmg_clock_now(), false, &day);
	write_denied(path, "r-19700101-0003", pmg_clock_now(), &day);
	out = refusals(path, &query);
	assert_int_equal(pmg_json_len(out), 3);
	assert_int_equal(pmg_json_int(pmg_json_at(out, 0), "id"), 6);
	clean(dir);
}

/* The schema of the version before there were walls, as it was released. */
static const char old_schema[] =
	"CREATE TABLE runs(id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE,"
	" started INTEGER NOT NULL, ended INTEGER NOT NULL, tool TEXT NOT NULL,"
	" argv TEXT NOT NULL, cwd TEXT NOT NULL, exit INTEGER NOT NULL,"
	" fingerprint TEXT NOT NULL, index_present INTEGER NOT NULL,"
	" index_built INTEGER NOT NULL, index_records INTEGER NOT NULL,"
	" lost INTEGER NOT NULL);"
	"CREATE INDEX runs_started ON runs(started);"
	"CREATE TABLE packages("
	" run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	" eco TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL,"
	" verdict TEXT NOT NULL, reason TEXT, diag INTEGER NOT NULL, note TEXT,"
	" url TEXT NOT NULL, ids TEXT NOT NULL, sources TEXT NOT NULL,"
	" count INTEGER NOT NULL);"
	"CREATE INDEX packages_run ON packages(run);"
	"CREATE INDEX packages_name ON packages(name);"
	"CREATE TABLE passed("
	" run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	" target TEXT NOT NULL, why TEXT NOT NULL, count INTEGER NOT NULL);"
	"CREATE INDEX passed_run ON passed(run);"
	"CREATE TABLE troubles("
	" run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	" target TEXT NOT NULL, what TEXT NOT NULL, diag INTEGER NOT NULL,"
	" count INTEGER NOT NULL);"
	"CREATE INDEX troubles_run ON troubles(run);";

static void make_old(const char *path)
{
	static const char *const steps[] = { old_schema };
	static const char rows[] =
		"INSERT INTO runs VALUES(1,'r-old',100,102,'npm','[]','/p',0,'f',0,0,0,0);"
		"INSERT INTO packages VALUES(1,'npm','x','1','allow',NULL,0,NULL,"
		"'http://r.test/','[]','[]',1)";
	pmg_auto(store) struct pmg_store *store = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_store_open(path, PMG_STORE_WRITE, &store, &err), 0);
	assert_int_equal(pmg_store_migrate(store, steps, 1, &err), 0);
	assert_int_equal(pmg_store_exec(store, rows, &err), 0);
}

static void a_ledger_from_before_the_walls_is_taken_over(void **state)
{
	static const struct pmg_ledger_events_query query = { .limit = 10 };
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(json) struct json_t *before = NULL;
	pmg_auto(json) struct json_t *after = NULL;
	pmg_auto(json) struct json_t *denied = NULL;
	const struct json_t *run;

	(void)state;
	make_old(path);
	before = list(path, 10, NULL, false);
	assert_int_equal(pmg_json_len(before), 1);
	run = pmg_json_at(before, 0);
	assert_string_equal(pmg_json_str(run, "run"), "r-old");
	assert_int_equal(pmg_json_len(pmg_json_get(run, "packages")), 1);
	assert_int_equal(pmg_json_len(pmg_json_get(run, "violations")), 0);
	write_denied(path, "r-19700101-0002", 200, &keep_all);
	after = list(path, 10, NULL, false);
	assert_int_equal(pmg_json_len(after), 2);
	denied = refusals(path, &query);
	assert_int_equal(pmg_json_len(denied), 3);
	clean(dir);
}

/* Whoever opened the old file keeps working when another process brings it up meanwhile. */
static void runs_at_the_same_time_bring_an_old_ledger_up(void **state)
{
	enum { WRITERS = 8 };
	pmg_autofree char *dir = NULL;
	pmg_autofree char *path = ledger_path(&dir);
	pmg_auto(json) struct json_t *out = NULL;
	pid_t pids[WRITERS];
	int i, status;

	(void)state;
	make_old(path);
	for (i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			write_denied(path, "r-19700101-0001", 100, &keep_all);
			_exit(0);
		}
	}
	for (i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	out = list(path, 100, NULL, false);
	assert_int_equal(pmg_json_len(out), WRITERS + 1);
	clean(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_listed_in_the_documented_shape),
		cmocka_unit_test(questions_pick_runs_newest_first),
		cmocka_unit_test(no_ledger_is_an_empty_list_and_makes_no_file),
		cmocka_unit_test(what_was_let_in_comes_the_oldest_run_first),
		cmocka_unit_test(a_taken_id_is_drawn_again),
		cmocka_unit_test(old_runs_and_what_they_hold_are_forgotten),
		cmocka_unit_test(runs_at_the_same_time_all_get_in),
		cmocka_unit_test(refusals_are_listed_in_the_documented_shape),
		cmocka_unit_test(questions_pick_refusals),
		cmocka_unit_test(forgotten_refusals_leave_their_ids_unused),
		cmocka_unit_test(a_ledger_from_before_the_walls_is_taken_over),
		cmocka_unit_test(runs_at_the_same_time_bring_an_old_ledger_up),
		cmocka_unit_test(a_broken_file_is_an_error_with_a_hint),
		cmocka_unit_test(a_full_disk_leaves_the_ledger_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
