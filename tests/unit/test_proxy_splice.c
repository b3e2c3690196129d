#include "proxy/splice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "splicing.h"

struct one {
	uint64_t at, len;
	const char *text;
};

static int make(struct pmg_splice *splice, const struct one *cuts, uint64_t total,
		struct pmg_err *err)
{
	for (; cuts->text; cuts++)
		assert_int_equal(pmg_splice_cut(splice, cuts->at, cuts->len, cuts->text, err), 0);
	return pmg_splice_seal(splice, total, err);
}

static void cuts_are_applied_whatever_the_pieces(void **state)
{
	static const struct {
		const char *text, *want;
		struct one cuts[4];
	} rows[] = {
		{ "abcdef", "abcdef", { { 0 } } },
		{ "", "", { { 0 } } },
		{ "abcdef", "bcdef", { { 0, 1, "" } } },
		{ "abcdef", "abcde", { { 5, 1, "" } } },
		{ "abcdef", "", { { 0, 6, "" } } },
		{ "abcdef", "XYZ", { { 0, 6, "XYZ" } } },
		{ "abcdef", "aXef", { { 1, 3, "X" } } },
		{ "abcdef", "aXY", { { 1, 2, "X" }, { 3, 3, "Y" } } },
		{ "abcdef", "1ab2cdef3", { { 0, 0, "1" }, { 2, 0, "2" }, { 6, 0, "3" } } },
		{ "abcdef",
		  "long text-bc-long text-ef",
		  { { 3, 1, "-long text-" }, { 0, 1, "long text-" } } },
		{ "", "X", { { 0, 0, "X" } } },
	};
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(splice) struct pmg_splice splice = PMG_SPLICE_INIT;
		struct pmg_err err = PMG_ERR_INIT;
		size_t len = strlen(rows[i].text);

		assert_int_equal(make(&splice, rows[i].cuts, len, &err), 0);
		for (piece = 1; piece < 8; piece++) {
			pmg_autofree char *got = splicing_apply(&splice, rows[i].text, len, piece);

			assert_string_equal(got, rows[i].want);
		}
	}
}

static void cuts_that_cannot_be_are_refused(void **state)
{
	static const struct one rows[][3] = {
		{ { 0, 7, "" } },
		{ { 7, 0, "" } },
		{ { 1, UINT64_MAX, "" } },
		{ { UINT64_MAX, 2, "" } },
		{ { 0, 2, "" }, { 1, 2, "" } },
		{ { 3, 2, "" }, { 0, 4, "" } },
		{ { 3, 1, "" }, { 3, 1, "" } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(splice) struct pmg_splice splice = PMG_SPLICE_INIT;
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(make(&splice, rows[i], 6, &err), -PMG_E_INTERNAL);
		assert_non_null(strstr(err.msg, "of a document is not where it can be"));
	}
}

static void another_document_is_refused(void **state)
{
	static const struct one cuts[] = { { 1, 2, "" }, { 0 } };
	pmg_auto(splice) struct pmg_splice splice = PMG_SPLICE_INIT;
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(100);
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_splicer splicer;

	(void)state;
	assert_int_equal(make(&splice, cuts, 6, &err), 0);
	pmg_splicer_init(&splicer, &splice, splicing_sink, &out);
	assert_int_equal(pmg_splicer_feed(&splicer, "abcde", 5), 0);
	assert_int_equal(pmg_splicer_finish(&splicer), -PMG_E_INTERNAL);
	assert_int_equal(pmg_splicer_feed(&splicer, "fg", 2), -PMG_E_INTERNAL);
	assert_int_equal(pmg_splicer_feed(&splicer, "f", 1), 0);
	assert_int_equal(pmg_splicer_finish(&splicer), 0);
	assert_string_equal(out.s, "adef");
}

static int full(void *ctx, const char *bytes, size_t len)
{
	(void)ctx, (void)bytes, (void)len;
	return -PMG_E_LIMIT;
}

static void what_the_sink_says_ends_it(void **state)
{
	static const struct one cuts[] = { { 0, 2, "X" }, { 0 } };
	pmg_auto(splice) struct pmg_splice splice = PMG_SPLICE_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_splicer splicer;

	(void)state;
	assert_int_equal(make(&splice, cuts, 2, &err), 0);
	pmg_splicer_init(&splicer, &splice, full, NULL);
	assert_int_equal(pmg_splicer_feed(&splicer, "ab", 2), 0);
	assert_int_equal(pmg_splicer_finish(&splicer), -PMG_E_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_are_applied_whatever_the_pieces),
		cmocka_unit_test(cuts_that_cannot_be_are_refused),
		cmocka_unit_test(another_document_is_refused),
		cmocka_unit_test(what_the_sink_says_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
