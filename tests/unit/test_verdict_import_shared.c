/* The shared feeds: every row of golden.tsv, every version of the whole feeds. */
#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "../helper/shared.h"
#include "../helper/zip.h"
#include "base/json.h"
#include "base/str.h"
#include "verdict/import.h"
#include "verdict/judge.h"

#define GOLDEN_MAX (4U << 20)

struct world {
	char *dir;
	struct pmg_judge *judge;
	struct pmg_import_report report;
};

/* An index of these feeds, end with NULL; judge is opened on it. */
static struct world build(const char *const *feeds)
{
	struct world w = { .dir = folder_new() };
	pmg_autofree char *index = pmg_path_join(w.dir, "intel.db");
	pmg_autofree char *none = pmg_path_join(w.dir, "none.yml");
	struct pmg_err err = PMG_ERR_INIT;

	for (; *feeds; feeds++) {
		pmg_autofree char *name = pmg_import_name(*feeds);
		pmg_autofree char *path = shared_path(*feeds);

		pmg_import_report_done(&w.report);
		if (records_import(path, index, name, &w.report, &err) < 0)
			fail_msg("%s", err.msg);
	}
	if (pmg_judge_open(index, none, &w.judge, &err) < 0)
		fail_msg("%s", err.msg);
	return w;
}

static void world_done(struct world *w)
{
	pmg_judge_close(w->judge);
	pmg_import_report_done(&w->report);
	folder_free(w->dir);
}

static void check_golden_row(struct pmg_judge *judge, char *line)
{
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	pmg_auto(str) struct pmg_str ids = PMG_STR_INIT(10000);
	struct pmg_err err = PMG_ERR_INIT;
	char *cell[5];
	enum pmg_eco eco;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(cell); i++)
		assert_non_null(cell[i] = strsep(&line, "\t"));
	assert_int_equal(pmg_eco_parse(cell[0], &eco, &err), 0);
	assert_int_equal(pmg_judge_ask(judge, eco, cell[1], cell[2], &j, &err), 0);
	for (i = 0; i < j.ids.n; i++)
		assert_int_equal(pmg_str_addf(&ids, "%s%s", i ? "," : "", j.ids.v[i]), 0);
	if (strcasecmp(pmg_verdict_name(j.verdict), cell[3]) != 0 ||
	    !pmg_streq(ids.s ? ids.s : "", cell[4]))
		fail_msg("%s %s %s: %s %s, not %s %s", cell[0], cell[1], cell[2],
			 pmg_verdict_name(j.verdict), ids.s, cell[3], cell[4]);
}

static void every_golden_row_is_right(void **state)
{
	static const char *const feeds[] = { "data/osv/fixture", NULL };
	struct world w = build(feeds);
	pmg_autofree char *path = shared_path("data/osv/golden.tsv");
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0, rows = 0;
	char *line, *next;

	(void)state;
	assert_int_equal(w.report.unread, 0);
	assert_int_equal(w.report.notes.n, 0);
	assert_int_equal(w.report.read, 502);
	assert_int_equal(pmg_io_slurp(path, GOLDEN_MAX, &text, &len, &err), 0);
	for (next = text; (line = strsep(&next, "\n"));) {
		if (*line == '\0' || *line == '#')
			continue;
		check_golden_row(w.judge, line);
		rows++;
	}
	assert_int_equal(rows, 4737);
	world_done(&w);
}

static void ask_digest(struct pmg_index *index, const char *integrity, enum pmg_digest_alg alg,
		       const char *ids)
{
	pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
	pmg_autofree char *got = NULL;
	struct pmg_digest d = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int r = alg == PMG_DIGEST_SHA256 ? pmg_digest_hex(alg, integrity, &d, &err)
					 : pmg_digest_sri(integrity, &d, &err);

	assert_int_equal(r, 0);
	assert_int_equal(
		pmg_index_find_digest(index, d.alg, d.bytes, pmg_digest_len(d.alg), &answer, &err),
		0);
	got = pmg_strv_join(&answer.ids, ",", 100);
	assert_string_equal(got, ids);
}

/* Three records of the fixture have digests; two of them are withdrawn. */
static void artifacts_are_found_by_their_digests(void **state)
{
	static const char *const feeds[] = { "data/osv/fixture", NULL };
	struct world w = build(feeds);
	pmg_autofree char *path = pmg_path_join(w.dir, "intel.db");
	pmg_auto(index) struct pmg_index *index = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_index_open(path, &index, &err), 0);
	assert_true(pmg_index_has_digests(index, PMG_DIGEST_SHA256));
	assert_false(pmg_index_has_digests(index, PMG_DIGEST_SHA512));
	ask_digest(index, "c8784cf0aa8fa13a43614fbd6d51902feeecafdc06fc4db2695fd2572db66db8",
		   PMG_DIGEST_SHA256, "MAL-2026-15859");
	ask_digest(index, "99aed88269a370198174a549985d8ae7ccc0690aab5185685b960b77914ba31f",
		   PMG_DIGEST_SHA256, "MAL-2026-15859");
	/* of a file within the package: says nothing of an artifact */
	ask_digest(index, "b2a6588476f40845a2df173d57d436dc47c0dfd044bcffdc936be1b509cffd3d",
		   PMG_DIGEST_SHA256, "");
	ask_digest(index, "3d2a69bdf04b7e9f3afa292c3bc7a98816bbfafa10bc9b45f3f3700d2f761620",
		   PMG_DIGEST_SHA256, "");
	ask_digest(index,
		   "sha512-jePuUoidz7OHUOAYSnLBrBNWISj2+dy6t7oIRCVGZbj/rFOgFpic1Nwuks2IPoZ0J6J7kTKR"
		   "0+yXyRzBLkafuw==",
		   PMG_DIGEST_SHA512, "");
	world_done(&w);
}

static void ordinary_vulnerabilities_add_nothing_and_break_nothing(void **state)
{
	static const char *const feeds[] = { "data/osv/control-nonmal", NULL };
	struct world w = build(feeds);
	struct pmg_index_info info;

	(void)state;
	pmg_judge_info(w.judge, &info);
	assert_int_equal(w.report.read, 11);
	assert_int_equal(w.report.not_malware, 11);
	assert_int_equal(w.report.unread, 0);
	assert_int_equal(info.records, 0);
	assert_int_equal(info.packages, 0);
	world_done(&w);
}

/* What the feed itself says of a record, read here once more by other means. */
static size_t check_record(struct pmg_judge *judge, const struct json_t *json)
{
	const struct json_t *affected = pmg_json_at(pmg_json_get(json, "affected"), 0);
	const struct json_t *package = pmg_json_get(affected, "package");
	const struct json_t *versions = pmg_json_get(affected, "versions");
	bool withdrawn = pmg_json_str(json, "withdrawn");
	struct pmg_err err = PMG_ERR_INIT;
	enum pmg_eco eco;
	const char *version;
	size_t i, n = pmg_json_len(versions);

	assert_int_equal(pmg_eco_parse(pmg_json_str(package, "ecosystem"), &eco, &err), 0);
	for (i = 0; i < n || (i == 0 && n == 0); i++) {
		pmg_auto(judgement) struct pmg_judgement j = { 0 };
		const char *name = pmg_json_str(package, "name");

		version = n > 0 ? pmg_json_text(pmg_json_at(versions, i)) : "2.0.0";
		assert_int_equal(pmg_judge_ask(judge, eco, name, version, &j, &err), 0);
		if (pmg_strv_has(&j.ids, pmg_json_str(json, "id")) == !withdrawn)
			continue;
		if (withdrawn || n > 0) /* a range alone need not hold 2.0.0 */
			fail_msg("%s %s %s", pmg_json_str(json, "id"), name, version);
	}
	return n;
}

static size_t check_archive(struct pmg_judge *judge, const char *path)
{
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	pmg_autofree char *text = pmg_xmalloc(1U << 20);
	struct pmg_err err = PMG_ERR_INIT;
	size_t n = 0;
	la_ssize_t len;

	assert_int_equal(archive_read_support_format_zip(a), ARCHIVE_OK);
	assert_int_equal(archive_read_open_filename(a, path, 65536), ARCHIVE_OK);
	while (archive_read_next_header(a, &entry) == ARCHIVE_OK) {
		pmg_auto(json) struct json_t *json = NULL;

		len = archive_read_data(a, text, 1U << 20);
		assert_true(len > 0);
		assert_int_equal(pmg_json_parse("x", text, (size_t)len, &json, &err), 0);
		n += check_record(judge, json);
	}
	(void)archive_read_free(a);
	return n;
}

static void every_version_that_is_listed_is_blocked_and_nothing_withdrawn(void **state)
{
	static const char *const feeds[] = { "data/osv/npm-all.zip", "data/osv/PyPI-all.zip",
					     NULL };
	pmg_autofree char *npm = shared_path(feeds[0]);
	pmg_autofree char *pypi = shared_path(feeds[1]);
	struct world w = build(feeds);
	struct pmg_index_info info;

	(void)state;
	pmg_judge_info(w.judge, &info);
	assert_int_equal(info.records, 22241 + 9207);
	assert_int_equal(w.report.result.withdrawn, 1);
	assert_true(check_archive(w.judge, npm) > 9000);
	assert_true(check_archive(w.judge, pypi) > 2800);
	world_done(&w);
}

struct shared_records {
	struct zip_entry *v;
	size_t n, cap;
};

static int keep_record(void *arg, const char *path, const char *text, size_t len,
		       struct pmg_err *err)
{
	struct shared_records *records = arg;

	(void)err;
	records->v = pmg_grow(records->v, records->n, &records->cap, sizeof *records->v);
	records->v[records->n++] =
		(struct zip_entry){ .name = pmg_xstrdup(path), .text = pmg_xstrndup(text, len) };
	return 0;
}

static void keep_nothing(void *arg, const char *path, const char *why)
{
	(void)arg;
	fail_msg("%s: %s", path, why);
}

static void keep_no_other(void *arg, const char *path)
{
	(void)arg;
	(void)path;
}

static void write_lines(const char *path, const struct shared_records *records)
{
	FILE *file = fopen(path, "we");
	size_t i;

	assert_non_null(file);
	for (i = 0; records->v[i].name; i++)
		assert_true(fprintf(file, "%s%s", records->v[i].text,
				    strchr(records->v[i].text, '\n') ? "" : "\n") > 0);
	assert_int_equal(fclose(file), 0);
}

static void same_index(const char *dir, const char *feed, const char *want, size_t n)
{
	pmg_autofree char *path = pmg_path_join(dir, feed);
	pmg_autofree char *index = pmg_xasprintf("%s/%s.db", dir, feed);
	pmg_autofree char *got = NULL;
	pmg_auto(import_report) struct pmg_import_report report = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t m = 0;

	if (records_import(path, index, "fixture", &report, &err) < 0)
		fail_msg("%s: %s", feed, err.msg);
	assert_int_equal(report.read, 502);
	assert_int_equal(report.unread, 0);
	assert_int_equal(pmg_io_slurp(index, 1U << 24, &got, &m, &err), 0);
	assert_int_equal(n, m);
	assert_memory_equal(got, want, n);
}

/* Hence the golden answers too, from whatever they were imported. */
static void the_same_records_give_the_same_bytes_in_every_format(void **state)
{
	static const char *const feeds[] = { "data/osv/fixture", NULL };
	struct world w = build(feeds);
	struct shared_records records = { 0 };
	const struct pmg_feed_sink sink = { keep_record, keep_nothing, keep_no_other, &records,
					    NULL };
	pmg_autofree char *fixture = shared_path(feeds[0]);
	pmg_autofree char *index = pmg_path_join(w.dir, "intel.db");
	pmg_autofree char *want = NULL;
	static const char *const names[] = { "x.zip", "x.tar", "x.tgz", "x.tar.zst", "x.jsonl" };
	struct pmg_err err = PMG_ERR_INIT;
	size_t n = 0, i;

	(void)state;
	assert_int_equal(pmg_io_slurp(index, 1U << 24, &want, &n, &err), 0);
	assert_int_equal(pmg_feed_read(fixture, pmg_feed_limits_default(), &sink, &err), 0);
	records.v = pmg_grow(records.v, records.n, &records.cap, sizeof *records.v);
	records.v[records.n] = (struct zip_entry){ 0 };
	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		pmg_autofree char *path = pmg_path_join(w.dir, names[i]);

		if (i == 0)
			zip_write(path, records.v, false);
		else if (i == 4)
			write_lines(path, &records);
		else
			zip_write_tar(path, records.v, (enum zip_tar_filter)(i - 1));
		same_index(w.dir, names[i], want, n);
	}
	for (i = 0; i < records.n; i++) {
		pmg_autofree char *name = (char *)(uintptr_t)records.v[i].name;
		pmg_autofree char *text = (char *)(uintptr_t)records.v[i].text;
	}
	free(records.v);
	world_done(&w);
}

static void a_second_feed_stands_beside_the_first(void **state)
{
	static const char *const feeds[] = { "data/osv/leitwacht-npm.zip",
					     "data/osv/ossf-2025-2026-sampled", NULL };
	struct world w = build(feeds);
	struct pmg_index_info info;

	(void)state;
	pmg_judge_info(w.judge, &info);
	assert_int_equal(info.records, 2990 + 7);
	assert_int_equal(w.report.result.withdrawn, 4);
	world_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_golden_row_is_right),
		cmocka_unit_test(artifacts_are_found_by_their_digests),
		cmocka_unit_test(ordinary_vulnerabilities_add_nothing_and_break_nothing),
		cmocka_unit_test(every_version_that_is_listed_is_blocked_and_nothing_withdrawn),
		cmocka_unit_test(the_same_records_give_the_same_bytes_in_every_format),
		cmocka_unit_test(a_second_feed_stands_beside_the_first),
	};

	if (shared_is_missing())
		return SHARED_SKIP;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
