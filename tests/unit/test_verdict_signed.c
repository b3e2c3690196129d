#include "verdict/signed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/str.h"
#include "tests/helper/folder.h"
#include "tests/helper/signing.h"
#include "verdict/import.h"
#include "verdict/index.h"

#define NOW 1780000000

/* A publisher's folder and ours, each with an index. */
static char *top, *theirs, *ours, *file;
static struct pmg_sign_key *key;

static void import(const char *index, const char *feed, const char *id)
{
	pmg_autofree char *record =
		pmg_xasprintf("{\"id\":\"%s\",\"modified\":\"2026-01-01T00:00:00Z\",\"affected\":[{"
			      "\"package\":{\"ecosystem\":\"npm\",\"name\":\"x\"},"
			      "\"versions\":[\"1.0.0\"]}]}",
			      id);
	pmg_auto(import_report) struct pmg_import_report report = { 0 };
	pmg_autofree char *path = pmg_path_join(top, "r.json");
	const struct pmg_import_want want = {
		.path = path, .index = index, .feed = feed, .now = NOW, .accept = true
	};
	struct pmg_err err = PMG_ERR_INIT;

	folder_write(top, "r.json", record, strlen(record));
	assert_int_equal(pmg_import(&want, &report, &err), 0);
}

static int setup(void **state)
{
	pmg_autofree char *a = NULL;
	pmg_autofree char *b = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	top = folder_new();
	a = pmg_path_join(top, "theirs");
	b = pmg_path_join(top, "ours");
	if (mkdir(a, 0700) < 0 || mkdir(b, 0700) < 0)
		return -1;
	theirs = pmg_path_join(a, "intel.db");
	ours = pmg_path_join(b, "intel.db");
	file = pmg_path_join(top, "fleet.db");
	import(theirs, "feed", "MAL-1");
	return pmg_sign_key_read("key", SIGN_KEY, strlen(SIGN_KEY), &key, &err);
}

static int teardown(void **state)
{
	(void)state;
	pmg_sign_key_free(key);
	free(theirs);
	free(ours);
	free(file);
	folder_free(top);
	return 0;
}

static struct pmg_manifest export(uint64_t sequence)
{
	struct pmg_manifest m = { .sequence = sequence, .created = NOW, .expires = NOW + 100 };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_signed_export(theirs, file, &m, key, &err), 0);
	return m;
}

static char *bytes_of(const char *path, size_t *len)
{
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;

	return pmg_io_slurp(path, 1 << 24, &text, len, &err) < 0 ? NULL : text;
}

static void assert_same_file(const char *a, const char *b)
{
	size_t len, n;
	pmg_autofree char *x = bytes_of(a, &len);
	pmg_autofree char *y = bytes_of(b, &n);

	assert_non_null(x);
	assert_non_null(y);
	assert_int_equal(len, n);
	assert_memory_equal(x, y, n);
}

static void what_is_exported_is_taken_as_it_was(void **state)
{
	struct pmg_manifest m = export(7), read;
	pmg_autofree char *json = pmg_xasprintf("%s.json", file);
	pmg_autofree char *text = NULL;
	struct pmg_pubkey pinned;
	struct pmg_err err = PMG_ERR_INIT;
	char sha256[PMG_SHA256_HEX];
	uint64_t last;
	size_t len;

	(void)state;
	text = bytes_of(json, &len);
	assert_non_null(text);
	assert_int_equal(pmg_manifest_parse(json, text, len, &read, &err), 0);
	pmg_sign_public(key, &pinned);
	assert_int_equal(pmg_manifest_verify(&read, &pinned, 1, NOW, &err), 0);
	assert_false(pmg_signed_last(ours, &last, sha256));
	assert_int_equal(pmg_signed_take(ours, file, &read, false, &err), 0);
	assert_same_file(ours, theirs);
	assert_true(pmg_signed_last(ours, &last, sha256));
	assert_int_equal(last, 7);
	assert_string_equal(sha256, m.sha256);
	/* Once more is no harm. */
	assert_int_equal(pmg_signed_take(ours, file, &read, false, &err), 0);
}

static void the_sequence_never_falls(void **state)
{
	struct pmg_manifest first = export(7), next, other;
	pmg_autofree char *dir = pmg_path_dir(ours);
	pmg_autofree char *before = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_signed_take(ours, file, &first, false, &err), 0);
	import(theirs, "feed", "MAL-2");
	other = export(7); /* another under the same number */
	assert_int_equal(pmg_signed_take(ours, file, &other, false, &err), -PMG_E_PARSE);
	assert_int_equal(err.diag, 3010);
	assert_non_null(strstr(err.msg, "another index with the sequence 7"));
	next = export(8);
	assert_int_equal(pmg_signed_take(ours, file, &next, false, &err), 0);
	assert_int_equal(pmg_signed_check_sequence(ours, &first, &err), -PMG_E_PARSE);
	assert_int_equal(pmg_signed_take(ours, file, &first, true, &err), -PMG_E_PARSE);
	assert_non_null(strstr(err.msg, "its sequence is 7, and one with 8 was taken before"));
	assert_same_file(ours, theirs);
	/* What was remembered is damaged: that is no way around it. */
	folder_write(dir, "signed.json", "{", 1);
	assert_int_equal(pmg_signed_take(ours, file, &first, true, &err), -PMG_E_PARSE);
	assert_non_null(strstr(err.msg, "signed.json: cannot be read"));
}

static void another_file_than_was_signed_is_not_taken(void **state)
{
	struct pmg_manifest m = export(7), resigned;
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len;

	(void)state;
	import(ours, "feed", "MAL-9");
	text = bytes_of(file, &len);
	text[len / 2] ^= 1;
	folder_write(top, "fleet.db", text, len);
	assert_int_equal(pmg_signed_take(ours, file, &m, false, &err), -PMG_E_PARSE);
	assert_int_equal(err.diag, 3010);
	assert_non_null(strstr(err.msg, "not the file that was signed"));
	folder_write(top, "fleet.db", text, len - 1);
	assert_int_equal(pmg_signed_take(ours, file, &m, false, &err), -PMG_E_PARSE);
	/* Signed, and yet no index. */
	folder_write(top, "fleet.db", "no index", 8);
	resigned = m;
	resigned.size = 8;
	pmg_sha256_hex("no index", 8, resigned.sha256);
	assert_int_equal(pmg_signed_take(ours, file, &resigned, false, &err), -PMG_E_DB);
	{
		pmg_auto(index) struct pmg_index *index = NULL;

		assert_int_equal(pmg_index_open(ours, &index, &err), 0);
		assert_int_equal(pmg_index_check(index, &err), 0);
	}
}

static void feeds_that_would_be_lost_are_named(void **state)
{
	struct pmg_manifest m = export(7);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	import(ours, "own", "MAL-3");
	assert_int_equal(pmg_signed_take(ours, file, &m, false, &err), -PMG_E_PARSE);
	assert_int_equal(err.diag, 3010);
	assert_non_null(strstr(err.msg, "the feed \"own\" of the present index"));
	assert_int_equal(pmg_signed_take(ours, file, &m, true, &err), 0);
	assert_same_file(ours, theirs);
}

static void a_name_that_no_manifest_may_have_is_not_written(void **state)
{
	pmg_autofree char *odd = pmg_path_join(top, "a b");
	struct pmg_manifest m = { .sequence = 1, .created = NOW, .expires = NOW + 1 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_signed_export(theirs, odd, &m, key, &err), -PMG_E_USAGE);
	assert_int_equal(access(odd, F_OK), -1);
	assert_int_equal(pmg_signed_export(theirs, odd, &m, NULL, &err), 0);
	assert_same_file(odd, theirs);
	assert_int_equal(pmg_signed_export(ours, file, &m, key, &err), -PMG_E_NOTFOUND);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_exported_is_taken_as_it_was),
		CASE(the_sequence_never_falls),
		CASE(another_file_than_was_signed_is_not_taken),
		CASE(feeds_that_would_be_lost_are_named),
		CASE(a_name_that_no_manifest_may_have_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
