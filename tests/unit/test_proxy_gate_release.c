#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "proxy/gate.h"
#include "proxy/loop.h"
#include "tests/unit/linked.h"
#include "violation/wire.h"

/* The judge of these tests: a digest that begins with 1 is on record, one that begins with 2
 * cannot be looked up; "trusted" is. */
int __wrap_pmg_judge_decide(struct pmg_judge *judge, const struct pmg_question *q,
			    struct pmg_judgement *out, struct pmg_err *err);
int __wrap_pmg_judge_decide(struct pmg_judge *judge, const struct pmg_question *q,
			    struct pmg_judgement *out, struct pmg_err *err)
{
	(void)judge;
	assert_int_equal(q->published, PMG_DATE_UNASKED);
	if (q->sha512 && q->sha512[0] == 2)
		return pmg_err_set(err, PMG_E_DB, 0, "database is locked");
	if (strcmp(q->name, "bad") == 0 && strcmp(q->version, "3") == 0) {
		out->verdict = PMG_VERDICT_BLOCK;
		out->reason = PMG_REASON_MALWARE;
	}
	if ((q->sha512 && q->sha512[0] == 1) || (q->sha256 && q->sha256[0] == 1)) {
		out->verdict = PMG_VERDICT_BLOCK;
		out->reason = PMG_REASON_HASH;
		pmg_strv_add(&out->ids, "MAL-1");
	}
	return 0;
}

char *__wrap_pmg_judge_trusts(struct pmg_judge *judge, enum pmg_eco eco, const char *name,
			      const char *version);
char *__wrap_pmg_judge_trusts(struct pmg_judge *judge, enum pmg_eco eco, const char *name,
			      const char *version)
{
	(void)judge;
	(void)eco;
	(void)version;
	return strcmp(name, "trusted") == 0 ? pmg_xstrdup("an entry") : NULL;
}

struct world {
	struct linked front;
	struct pmg_report *report;
};

static int setup(void **state)
{
	struct world *w = pmg_xcalloc(1, sizeof *w);

	linked_begin(&w->front);
	w->report = pmg_report_new(w->front.link);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	pmg_report_free(w->report);
	linked_end(&w->front);
	free(w);
	return 0;
}

/* The one message, in short. */
static char *told(struct world *w)
{
	pmg_auto(wire_judged) struct pmg_wire_judged m = { 0 };
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	pmg_autofree char *findings = NULL;
	pmg_autofree char *waivers = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_msg_recv(w->front.fds[1], &msg, &err), 1);
	assert_int_equal(msg.type, PMG_WIRE_JUDGED);
	assert_int_equal(pmg_wire_judged_decode(msg.body, &m, &err), 0);
	findings = pmg_strv_join(&m.findings, ", ", 1000);
	waivers = pmg_strv_join(&m.waivers, "; ", 1000);
	return pmg_xasprintf("%s %d [%s]%s%s", m.verdict, m.diag, findings, *waivers ? " " : "",
			     waivers);
}

#define LINK   PMG_TRAIT_BIT(PMG_TRAIT_LINK)
#define NATIVE PMG_TRAIT_BIT(PMG_TRAIT_NATIVE)

static const struct {
	const char *name, *other; /* readings of its address */
	unsigned char sha512;     /* first byte; 0: not computed */
	bool has_link;            /* found in it; a native library is in any case */
	uint32_t block, report;
	const char *failed;
	const char *text; /* of the refusal; NULL: it may go on */
	const char *told;
} rows[] = {
	{ "a", NULL, 0, false, LINK, ~0U, NULL, NULL, "allow 0 [native: x.so]" },
	{ "a", NULL, 9, false, LINK, ~0U, NULL, NULL, "allow 0 [native: x.so]" },
	{ "a", NULL, 9, true, 0, 0, NULL, NULL, "allow 0 []" },
	{ "a", NULL, 9, true, LINK, NATIVE, NULL, "pmg blocked a@1: it has links: a -> b [PMG3009]",
	  "block 3009 [link: a -> b, native: x.so]" },
	{ "a", NULL, 9, true, LINK, 0, NULL, "pmg blocked a@1: it has links: a -> b [PMG3009]",
	  "block 3009 [link: a -> b]" },
	{ "trusted", NULL, 9, true, LINK, NATIVE, NULL, NULL,
	  "allow 0 [link: a -> b, native: x.so] what was found in it, waived by an entry" },
	/* It may be another one that is not trusted. */
	{ "trusted", "a", 9, true, LINK, 0, NULL,
	  "pmg blocked trusted@1: it has links: a -> b [PMG3009]", "block 3009 [link: a -> b]" },
	{ "a", NULL, 1, true, LINK, 0, NULL,
	  "pmg blocked a@1: the file itself is known malware (MAL-1) [PMG3002]", "block 3002 []" },
	{ "trusted", NULL, 1, false, 0, 0, NULL,
	  "pmg blocked trusted@1: the file itself is known malware (MAL-1) [PMG3002]",
	  "block 3002 []" },
	{ "a", NULL, 2, false, 0, 0, NULL,
	  "pmg blocked a@1: it could not be judged: database is locked [PMG3005]",
	  "block 3005 []" },
	{ "trusted", NULL, 9, false, 0, 0, "no thread",
	  "pmg blocked trusted@1: it could not be looked into: no thread [PMG3009]",
	  "block 3009 []" },
};

static void only_what_was_seen_whole_and_is_not_refused_goes_on(void **state)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(asked) struct pmg_asked asked = { .kind = PMG_PATH_ARTIFACT };
		pmg_auto(traits) struct pmg_traits found = { 0 };
		pmg_auto(url) struct pmg_url url = { 0 };
		const unsigned char digest[64] = { rows[i].sha512 };
		const struct pmg_gate_artifact artifact = {
			.findings = &found,
			.sha512 = rows[i].sha512 ? digest : NULL,
			.block = rows[i].block,
			.report = rows[i].report,
			.failed = rows[i].failed,
		};
		struct pmg_refusal refusal = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *got = NULL;
		pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
		struct pmg_gate gate = { .catalog = catalog };

		assert_int_equal(i > 0 ? teardown(state) : 0, 0);
		assert_int_equal(i > 0 ? setup(state) : 0, 0);
		gate.report = ((struct world *)*state)->report;
		assert_int_equal(pmg_url_parse("https://r.test/x.tgz", &url, &err), 0);
		pmg_identities_add(&asked.who, PMG_ECO_NPM, rows[i].name, "1");
		if (rows[i].other)
			pmg_identities_add(&asked.who, PMG_ECO_NPM, rows[i].other, "1");
		pmg_traits_add(&found, PMG_TRAIT_NATIVE, "x.so");
		if (rows[i].has_link)
			pmg_traits_add(&found, PMG_TRAIT_LINK, "a -> b");
		assert_int_equal(pmg_gate_release(&gate, &asked, &url, &artifact, &refusal),
				 rows[i].text == NULL);
		assert_string_equal(refusal.text, rows[i].text ? rows[i].text : "");
		assert_int_equal(refusal.status, rows[i].text ? 403 : 0);
		got = told(*state);
		assert_string_equal(got, rows[i].told);
	}
}

static void what_let_it_in_is_told_with_what_was_found(void **state)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	pmg_auto(asked) struct pmg_asked asked = { .kind = PMG_PATH_ARTIFACT };
	pmg_auto(traits) struct pmg_traits found = { 0 };
	pmg_auto(url) struct pmg_url url = { 0 };
	const struct pmg_gate_artifact artifact = { .findings = &found, .block = LINK };
	struct pmg_gate gate = { .report = ((struct world *)*state)->report, .catalog = catalog };
	struct pmg_refusal refusal = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *got = NULL;

	assert_int_equal(pmg_url_parse("https://r.test/x.tgz", &url, &err), 0);
	pmg_identities_add(&asked.who, PMG_ECO_NPM, "trusted", "1");
	pmg_strv_add(&asked.waivers, "too young, waived by me");
	pmg_traits_add(&found, PMG_TRAIT_LINK, "a -> b");
	assert_true(pmg_gate_release(&gate, &asked, &url, &artifact, &refusal));
	got = told(*state);
	assert_true(pmg_str_has_prefix(got,
				       "allow 0 [link: a -> b] too young, waived by me; what was "
				       "found in it, waived by "));
}

/* A package that is on record stays that whatever address it comes from. */
static void what_it_says_to_be_inside_is_asked_about_too(void **state)
{
	static const char *const versions[] = { "2", "3" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(versions); i++) {
		pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
		pmg_auto(asked) struct pmg_asked asked = { .kind = PMG_PATH_ARTIFACT };
		pmg_auto(traits) struct pmg_traits found = { 0 };
		pmg_auto(strv) struct pmg_strv others = { 0 };
		pmg_auto(url) struct pmg_url url = { 0 };
		const struct pmg_gate_artifact artifact = { .findings = &found, .others = &others };
		struct pmg_gate gate = { .report = ((struct world *)*state)->report,
					 .catalog = catalog };
		struct pmg_refusal refusal = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *got = NULL;

		assert_int_equal(pmg_url_parse("https://r.test/x.tgz", &url, &err), 0);
		pmg_identities_add(&asked.who, PMG_ECO_NPM, "trusted", "1");
		pmg_strv_add(&others, "fine");
		pmg_strv_add(&others, "3");
		pmg_strv_add(&others, "bad");
		pmg_strv_add(&others, versions[i]);
		assert_int_equal(pmg_gate_release(&gate, &asked, &url, &artifact, &refusal),
				 i == 0);
		got = told(*state);
		assert_string_equal(got, i == 0 ? "allow 0 []" : "block 3001 []");
		assert_string_equal(refusal.text,
				    i == 0 ? "" : "pmg blocked bad@3: known malware [PMG3001]");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_it_says_to_be_inside_is_asked_about_too, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_let_it_in_is_told_with_what_was_found, setup,
						teardown),
		cmocka_unit_test_setup_teardown(only_what_was_seen_whole_and_is_not_refused_goes_on,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
