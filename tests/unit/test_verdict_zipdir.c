#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "verdict/zipdir.h"

#define START 1000U

static void put(struct pmg_str *out, uint64_t value, unsigned bytes)
{
	unsigned char byte;

	for (; bytes > 0; bytes--, value >>= 8) {
		byte = (unsigned char)value;
		assert_int_equal(pmg_str_add(out, &byte, 1), 0);
	}
}

/* A file's record. @param zip64  sizes and offset stand in an extra field */
static void put_file(struct pmg_str *out, const char *name, uint64_t size, uint64_t offset,
		     bool zip64)
{
	assert_int_equal(pmg_str_add(out, "PK\1\2\24\3\24\0\0\0\0\0\0\0\0\0\0\0\0\0", 20), 0);
	put(out, zip64 ? UINT32_MAX : 5, 4);
	put(out, zip64 ? UINT32_MAX : size, 4);
	put(out, strlen(name), 2);
	put(out, zip64 ? 28 : 0, 2);
	put(out, 0, 2 + 2 + 2);
	put(out, UINT64_C(0100644) << 16, 4);
	put(out, zip64 ? UINT32_MAX : offset, 4);
	assert_int_equal(pmg_str_adds(out, name), 0);
	if (!zip64)
		return;
	put(out, 1, 2);
	put(out, 24, 2);
	put(out, size, 8);
	put(out, 5, 8);
	put(out, offset, 8);
}

static void put_end(struct pmg_str *out, uint64_t n, uint64_t start, const char *comment)
{
	uint64_t size = out->len;

	put(out, 0x06054b50, 4);
	put(out, 0, 4);
	put(out, n, 2);
	put(out, n, 2);
	put(out, size, 4);
	put(out, start, 4);
	put(out, strlen(comment), 2);
	assert_int_equal(pmg_str_adds(out, comment), 0);
}

static void put_zip64_end(struct pmg_str *out, uint64_t n)
{
	uint64_t size = out->len;

	put(out, 0x06064b50, 4);
	put(out, 44, 8);
	put(out, 45, 2);
	put(out, 45, 2);
	put(out, 0, 8);
	put(out, n, 8);
	put(out, n, 8);
	put(out, size, 8);
	put(out, START, 8);
	put(out, 0x07064b50, 4);
	put(out, 0, 4);
	put(out, START + size, 8);
	put(out, 1, 4);
	put(out, 0x06054b50, 4);
	put(out, 0, 4);
	put(out, UINT16_MAX, 2);
	put(out, UINT16_MAX, 2);
	put(out, UINT32_MAX, 4);
	put(out, UINT32_MAX, 4);
	put(out, 0, 2);
}

/* In pieces of every size the same. @return what it says, "" for nothing */
static void assert_says(const struct pmg_str *bytes, const char *expected)
{
	size_t piece, at, n;

	for (piece = 1; piece <= bytes->len; piece += 1 + piece / 3) {
		struct pmg_zip_local locals[] = {
			{ .offset = 0, .name = "a/", .size = UINT64_MAX },
			{ .offset = 40, .name = "a/b", .size = 7 },
		};
		pmg_auto(zipdir) struct pmg_zipdir *dir =
			pmg_zipdir_new(START, locals, PMG_ARRAY_LEN(locals));
		struct pmg_err err = PMG_ERR_INIT;
		int r = 0;

		for (at = 0; r == 0 && at < bytes->len; at += n) {
			n = bytes->len - at < piece ? bytes->len - at : piece;
			r = pmg_zipdir_feed(dir, bytes->s + at, n, &err);
		}
		if (r == 0)
			r = pmg_zipdir_end(dir, &err);
		assert_string_equal(err.msg, expected);
		assert_int_equal(r, *expected ? -PMG_E_PARSE : 0);
		if (!*expected)
			assert_int_equal(locals[1].mode, 0100644);
	}
}

static void a_directory_that_says_the_same_is_silent(void **state)
{
	bool zip64;

	(void)state;
	for (zip64 = false;; zip64 = true) {
		pmg_auto(str) struct pmg_str out = PMG_STR_INIT(10000);

		put_file(&out, "a/b", 7, 40, zip64); /* in any order */
		put_file(&out, "a/", 0, 0, zip64);
		if (zip64)
			put_zip64_end(&out, 2);
		else
			put_end(&out, 2, START, "a comment");
		assert_says(&out, "");
		if (zip64)
			break;
	}
}

static void each_way_to_disagree_is_told(void **state)
{
	static const struct {
		const char *name; /* of the second file's record */
		uint64_t size, offset, n, start;
		const char *behind;
		const char *expected;
	} rows[] = {
		{ "a/c", 7, 40, 2, START, "", "a/c: it has another name before its bytes" },
		{ "a/b", 8, 40, 2, START, "", "a/b: the directory says another size" },
		{ "a/b", 7, 41, 2, START, "", "a/b: the directory has it, the archive does not" },
		{ "a", 0, 0, 2, START, "", "a: the directory has it twice" },
		{ "a/b", 7, 40, 3, START, "", "its directory counts other files" },
		{ "a/b", 7, 40, 2, START + 1, "", "its end points to another directory" },
		{ "a/b", 7, 40, 2, START, "x", "bytes follow its end" },
		{ NULL, 0, 0, 1, START, "", "a/b: the directory does not have it" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str out = PMG_STR_INIT(10000);

		put_file(&out, "a", 0, 0, false);
		if (rows[i].name)
			put_file(&out, rows[i].name, rows[i].size, rows[i].offset, false);
		put_end(&out, rows[i].n, rows[i].start, "");
		assert_int_equal(pmg_str_adds(&out, rows[i].behind), 0);
		assert_says(&out, rows[i].expected);
	}
}

static void what_is_cut_or_something_else_is_told(void **state)
{
	pmg_auto(str) struct pmg_str cut = PMG_STR_INIT(10000);
	pmg_auto(str) struct pmg_str other = PMG_STR_INIT(10000);

	(void)state;
	put_file(&cut, "a", 0, 0, false);
	assert_says(&cut, "its directory is cut");
	put_file(&other, "a", 0, 0, false);
	assert_int_equal(pmg_str_adds(&other, "PK\3\4"), 0);
	assert_says(&other, "its directory is followed by something else");
	pmg_zipdir_free(NULL);
}

static void a_file_with_a_second_name_is_told(void **state)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(10000);

	(void)state;
	put_file(&out, "a", 0, 0, false);
	out.s[30] = 4;
	put(&out, 0x7075, 2);
	put(&out, 0, 2);
	assert_says(&out, "a: it has a second name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_that_says_the_same_is_silent),
		cmocka_unit_test(each_way_to_disagree_is_told),
		cmocka_unit_test(what_is_cut_or_something_else_is_told),
		cmocka_unit_test(a_file_with_a_second_name_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
