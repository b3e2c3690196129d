#include "verdict/pinned.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

/* Ones and twos of a digest's length. */
#define HEX1 "1111111111111111111111111111111111111111111111111111111111111111"
#define HEX2 "2222222222222222222222222222222222222222222222222222222222222222"
#define A43  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define SRI0 "sha512-" A43 A43 "=="

static struct pmg_str asked = PMG_STR_INIT(4096);

int __wrap_pmg_judge_decide(struct pmg_judge *judge, const struct pmg_question *q,
			    struct pmg_judgement *out, struct pmg_err *err);
/* Knows one name, and one digest that begins with twos. */
int __wrap_pmg_judge_decide(struct pmg_judge *judge, const struct pmg_question *q,
			    struct pmg_judgement *out, struct pmg_err *err)
{
	bool hit = strcmp(q->name, "bad") == 0 || (q->sha256 && q->sha256[0] == 0x22);

	(void)judge;
	assert_int_equal(q->published, PMG_DATE_UNASKED);
	assert_int_equal(q->origin, PMG_PLACE_PRIVATE);
	assert_true(q->any_version);
	assert_int_equal(pmg_str_addf(&asked, "%s@%s %s\n", q->name, q->version ? q->version : "-",
				      q->sha256   ? "256"
				      : q->sha512 ? "512"
						  : "-"),
			 0);
	if (strcmp(q->name, "broken") == 0)
		return pmg_err_set(err, PMG_E_DB, 0, "database is locked");
	out->verdict = hit ? PMG_VERDICT_BLOCK : PMG_VERDICT_ALLOW;
	out->reason = hit ? PMG_REASON_HASH : PMG_REASON_NONE;
	return 0;
}

static const struct {
	const char *name, *version, *hashes;
	int r; /* or the verdict */
	const char *asked;
} rows[] = {
	{ "x", "1", NULL, PMG_VERDICT_ALLOW, "x@1 -\n" },
	{ "x", "", "", PMG_VERDICT_ALLOW, "x@- -\n" },
	{ "bad", NULL, NULL, PMG_VERDICT_BLOCK, "bad@- -\n" },
	{ "x", "1", "sha256:" HEX1 " sha256:" HEX2 " sha256:" HEX1, PMG_VERDICT_BLOCK,
	  "x@1 256\nx@1 256\n" },
	{ "x", "1", SRI0, PMG_VERDICT_ALLOW, "x@1 512\n" },
	/* md5 and what is cut say nothing, and do not end the asking. */
	{ "x", "1", "md5:aa sha256:22 sha1-x sha256:" HEX2, PMG_VERDICT_BLOCK, "x@1 256\n" },
	{ "broken", "1", NULL, -PMG_E_DB, "broken@1 -\n" },
};

static void a_name_and_each_digest_are_asked(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
		const struct pmg_question q = { .eco = PMG_ECO_PYPI,
						.name = rows[i].name,
						.version = rows[i].version,
						.origin = PMG_PLACE_PRIVATE,
						.published = PMG_DATE_UNASKED };
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		pmg_str_clear(&asked);
		r = pmg_pinned_judge(NULL, &q, rows[i].hashes, &judgement, &err);
		assert_int_equal(r < 0 ? r : (int)judgement.verdict, rows[i].r);
		assert_string_equal(asked.s, rows[i].asked);
	}
	pmg_str_done(&asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_and_each_digest_are_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
