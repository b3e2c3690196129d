#include "verdict/index.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/str.h"
#include "store/store.h"

static const char *const feed[] = {
	RECORD("MAL-1", "ever", EVER),
	RECORD("MAL-2", "listed", VERSIONS("\"1.0.0\",\"odd one\"")),
	RECORD("MAL-3", "fixed", RANGE("{\"introduced\":\"1.0.0\"},{\"fixed\":\"2.0.0\"}")),
	RECORD("MAL-4", "last", RANGE("{\"introduced\":\"0\"},{\"last_affected\":\"2.0.0\"}")),
	RECORD("MAL-5", "both",
	       VERSIONS("\"9.0.0\"") "," RANGE("{\"introduced\":\"1.0.0\"},{\"fixed\":\"1.1.0\"}")),
	RECORD("MAL-6", "both", VERSIONS("\"9.0.0\"")),
	RECORD("MAL-8", "mixed", RANGE("{\"introduced\":\"1.0.0\"}")),
	RECORD("MAL-9", "mixed", VERSIONS("\"odd\"")),
	RECORD("MAL-A", "file",
	       VERSIONS("\"1.0.0\"") "," HASH("sha512_sri", "sha512-" ABC512_BASE64)),
	RECORD_PYPI("MAL-B", "other", HASH("sha512", ABC512)),
	"{\"id\":\"MAL-C\",\"withdrawn\":\"2026-01-01T00:00:00Z\",\"affected\":[{\"package\":{"
	"\"ecosystem\":\"npm\",\"name\":\"gone\"}," HASH("sha256", ABC256) "}]}",
	RECORD_PYPI("MAL-7", "name", RANGE("{\"introduced\":\"1.0\"},{\"fixed\":\"2.0\"}")),
	NULL,
};

struct question {
	enum pmg_eco eco;
	const char *name, *version;
	bool readable;
	const char *ids;
	bool unsure; /* else ids say whether it is a hit */
};

static const struct question questions[] = {
	{ PMG_ECO_NPM, "ever", "0.0.1", true, "MAL-1", false },
	{ PMG_ECO_NPM, "ever", "what is this", false, "MAL-1", false },
	{ PMG_ECO_NPM, "ever", NULL, false, "MAL-1", false },
	{ PMG_ECO_PYPI, "ever", "0.0.1", true, "", false },
	{ PMG_ECO_NPM, "EVER", "0.0.1", true, "", false },
	{ PMG_ECO_NPM, "listed", "1.0.0", true, "MAL-2", false },
	{ PMG_ECO_NPM, "listed", "1.0.1", true, "", false },
	{ PMG_ECO_NPM, "listed", "odd one", false, "MAL-2", false },
	{ PMG_ECO_NPM, "listed", "odd two", false, "", false },
	{ PMG_ECO_NPM, "listed", NULL, false, "", false },
	{ PMG_ECO_NPM, "fixed", "0.9.9", true, "", false },
	{ PMG_ECO_NPM, "fixed", "1.0.0-rc.1", true, "", false },
	{ PMG_ECO_NPM, "fixed", "1.0.0", true, "MAL-3", false },
	{ PMG_ECO_NPM, "fixed", "2.0.0-rc.1", true, "MAL-3", false },
	{ PMG_ECO_NPM, "fixed", "2.0.0", true, "", false },
	{ PMG_ECO_NPM, "fixed", "odd", false, "MAL-3", true },
	{ PMG_ECO_NPM, "fixed", NULL, false, "", false },
	{ PMG_ECO_NPM, "last", "0.0.0", true, "MAL-4", false },
	{ PMG_ECO_NPM, "last", "2.0.0", true, "MAL-4", false },
	{ PMG_ECO_NPM, "last", "2.0.1-0", true, "", false },
	{ PMG_ECO_NPM, "both", "1.0.5", true, "MAL-5", false },
	{ PMG_ECO_NPM, "both", "9.0.0", true, "MAL-5 MAL-6", false },
	{ PMG_ECO_NPM, "both", "8.0.0", true, "", false },
	{ PMG_ECO_NPM, "both", "odd", false, "MAL-5", true },
	{ PMG_ECO_NPM, "mixed", "odd", false, "MAL-9", false },
	{ PMG_ECO_PYPI, "name", "1.0.post1", true, "MAL-7", false },
	{ PMG_ECO_PYPI, "name", "2", true, "", false },
	{ PMG_ECO_NPM, "", "1.0.0", true, "", false },
	{ PMG_ECO_NPM, "listed", "", false, "", false },
	{ PMG_ECO_NPM, "fixed", "", false, "MAL-3", true },
};

static char *dir;
static char *path;

static int setup(void **state)
{
	(void)state;
	dir = folder_new();
	path = pmg_path_join(dir, "intel.db");
	(void)records_build(dir, "osv", feed);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	folder_free(dir);
	free(path);
	return 0;
}

static void ask(struct pmg_index *index, const struct question *q)
{
	pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
	struct pmg_index_question question = { q->eco, q->name, q->version, q->readable };
	pmg_auto(str) struct pmg_str ids = PMG_STR_INIT(1000);
	enum pmg_index_hit hit = q->unsure ? PMG_INDEX_UNSURE
				 : *q->ids ? PMG_INDEX_HIT
					   : PMG_INDEX_MISS;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	assert_int_equal(pmg_index_find(index, &question, &answer, &err), 0);
	for (i = 0; i < answer.ids.n; i++)
		assert_int_equal(pmg_str_addf(&ids, "%s%s", i ? " " : "", answer.ids.v[i]), 0);
	if (!pmg_streq(ids.s ? ids.s : "", q->ids) || answer.hit != hit)
		fail_msg("%s@%s: %s, hit %d", q->name, q->version, ids.s, answer.hit);
	assert_int_equal(answer.sources.n, answer.ids.n > 0);
	if (answer.sources.n > 0)
		assert_string_equal(answer.sources.v[0], "osv");
}

static void questions_are_answered(void **state)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_index_open(path, &index, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(questions); i++)
		ask(index, &questions[i]);
	assert_int_equal(pmg_index_check(index, &err), 0);
}

/* By what is in it, whatever its name; a withdrawn record takes its digests with it. */
static void a_file_is_found_by_its_digest(void **state)
{
	static const struct {
		const char *text;
		const char *ids;
		size_t cut;
	} rows[] = { { "sha512-" ABC512_BASE64, "MAL-A,MAL-B", 0 },
		     { "sha512-" ABC512_BASE64, "", 1 },
		     { "sha256-" ABC256_BASE64, "", 0 } };
	pmg_auto(index) struct pmg_index *index = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_index_open(path, &index, &err), 0);
	assert_true(pmg_index_has_digests(index, PMG_DIGEST_SHA512));
	assert_false(pmg_index_has_digests(index, PMG_DIGEST_SHA256));
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
		struct pmg_digest d = { 0 };
		pmg_autofree char *ids = NULL;

		assert_int_equal(pmg_digest_sri(rows[i].text, &d, &err), 0);
		assert_int_equal(pmg_index_find_digest(index, d.alg, d.bytes,
						       pmg_digest_len(d.alg) - rows[i].cut, &answer,
						       &err),
				 0);
		ids = pmg_strv_join(&answer.ids, ",", 100);
		assert_string_equal(ids, rows[i].ids);
		assert_int_equal(answer.hit, *rows[i].ids ? PMG_INDEX_HIT : PMG_INDEX_MISS);
		assert_int_equal(answer.sources.n, *rows[i].ids ? 1 : 0);
	}
}

static void no_index_is_not_found(void **state)
{
	pmg_autofree char *none = pmg_path_join(dir, "none.db");
	struct pmg_index *index = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_index_open(none, &index, &err), -PMG_E_NOTFOUND);
	assert_null(index);
}

static void assert_refused(const char *file, const char *why)
{
	struct pmg_index *index = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_index_open(file, &index, &err), -PMG_E_DB);
	assert_null(index);
	if (!strstr(err.msg, file) || !strstr(err.msg, why))
		fail_msg("%s", err.msg);
	assert_string_equal(err.hint, "remove the file and import the feeds again");
}

static void what_is_no_index_is_refused(void **state)
{
	static const struct {
		const char *name, *sql, *why;
	} rows[] = {
		{ "other.db", "CREATE TABLE t(a)", "not an index" },
		{ "newer.db",
		  "CREATE TABLE info(key, value);PRAGMA application_id=0x504d4749;"
		  "PRAGMA user_version=99",
		  "not an index" },
		{ "older.db",
		  "CREATE TABLE info(key, value);PRAGMA application_id=0x504d4749;"
		  "PRAGMA user_version=1",
		  "not an index" },
		{ "hollow.db", "PRAGMA application_id=0x504d4749;PRAGMA user_version=5", "info" },
		{ "dateless.db",
		  "CREATE TABLE info(key, value);"
		  "PRAGMA application_id=0x504d4749;PRAGMA user_version=5",
		  "no date" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *file = pmg_path_join(dir, rows[i].name);
		pmg_auto(store) struct pmg_store *store = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_store_open(file, PMG_STORE_BUILD, &store, &err), 0);
		assert_int_equal(pmg_store_exec(store, rows[i].sql, &err), 0);
		pmg_store_close(pmg_steal_ptr(&store));
		assert_refused(file, rows[i].why);
	}
	folder_write(dir, "empty.db", "", 0);
	{
		pmg_autofree char *file = pmg_path_join(dir, "empty.db");

		assert_refused(file, "not an index");
	}
}

static void an_index_that_was_cut_is_refused_wherever_that_was(void **state)
{
	pmg_autofree char *file = pmg_path_join(dir, "cut.db");
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0, cut;

	(void)state;
	assert_int_equal(pmg_io_slurp(path, 1U << 24, &text, &len, &err), 0);
	for (cut = 1; cut < len; cut += 997) {
		folder_write(dir, "cut.db", text, cut);
		assert_refused(file, "");
	}
	folder_write(dir, "cut.db", text, len);
	{
		pmg_auto(index) struct pmg_index *index = NULL;

		assert_int_equal(pmg_index_open(file, &index, &err), 0);
	}
}

/* Every byte that is flipped: an error with a hint or an answer, never a crash or a hang. */
static void flipped_bits_are_survived(void **state)
{
	pmg_autofree char *file = pmg_path_join(dir, "flip.db");
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0, at, i, refused = 0;
	pmg_autofd int fd = -1;
	char flipped;

	(void)state;
	assert_int_equal(pmg_io_slurp(path, 1U << 24, &text, &len, &err), 0);
	folder_write(dir, "flip.db", text, len);
	fd = open(file, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	for (at = 0; at < len; at += at < 4096 ? 3 : 31) {
		pmg_auto(index) struct pmg_index *index = NULL;
		int r;

		flipped = (char)(text[at] ^ 0xff);
		assert_int_equal(pwrite(fd, &flipped, 1, (off_t)at), 1);
		r = pmg_index_open(file, &index, &err);
		for (i = 0; r == 0 && i < PMG_ARRAY_LEN(questions); i++) {
			pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
			struct pmg_index_question q = { questions[i].eco, questions[i].name,
							questions[i].version,
							questions[i].readable };

			r = pmg_index_find(index, &q, &answer, &err);
		}
		for (i = 0; r == 0 && i < 2; i++) {
			pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };

			r = pmg_index_find_digest(index, PMG_DIGEST_SHA512, text, i ? 64 : 32,
						  &answer, &err);
		}
		if (r < 0) {
			refused++;
			assert_int_equal(r, -PMG_E_DB);
			assert_string_equal(err.hint, "remove the file and import the feeds again");
		}
		assert_int_equal(pwrite(fd, &text[at], 1, (off_t)at), 1);
	}
	assert_true(refused > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions_are_answered),
		cmocka_unit_test(a_file_is_found_by_its_digest),
		cmocka_unit_test(no_index_is_not_found),
		cmocka_unit_test(what_is_no_index_is_refused),
		cmocka_unit_test(an_index_that_was_cut_is_refused_wherever_that_was),
		cmocka_unit_test(flipped_bits_are_survived),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
