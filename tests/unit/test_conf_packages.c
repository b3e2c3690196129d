#include "conf/packages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/strv.h"

#define NOW 1796000000

static void add(struct pmg_packages_list *list, const char *purl, int64_t expires)
{
	struct pmg_packages_entry entry = {
		.purl = purl ? pmg_xstrdup(purl) : NULL,
		.where = pmg_xstrdup("/c.yml:3"),
		.expires = expires,
		.layer = PMG_PACKAGES_MANAGED,
	};

	pmg_packages_add(list, &entry);
	assert_null(entry.where);
}

static void all_of_it_survives_the_way(void **state)
{
	pmg_auto(packages) struct pmg_packages from = { 0 };
	pmg_auto(packages) struct pmg_packages to = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	pmg_autofree char *again = NULL;

	(void)state;
	pmg_packages_init(&from);
	from.mode = PMG_COOLDOWN_FAIL;
	from.managed_wait = true;
	add(&from.ages, NULL, 0);
	from.ages.v[0].age_s = 7U * 86400U;
	add(&from.skip, "pkg:npm/@acme/*", 0);
	add(&from.trusted, "pkg:npm/x@1.0.0", NOW - 1);
	from.trusted.v[0].reason = pmg_xstrdup("\xc3\xa4 \"quoted\"");
	add(&from.overrides, "pkg:npm/y@1.0.0", NOW + 1);
	from.overrides.v[0].id = pmg_xstrdup("MAL-1");
	pmg_packages_date(&from, NOW, NULL);
	text = pmg_packages_encode(&from);
	assert_int_equal(pmg_packages_decode(text, strlen(text), &to, &err), 0);
	again = pmg_packages_encode(&to);
	assert_string_equal(text, again);
	assert_int_equal(to.now, NOW);
	assert_true(to.enabled);
	assert_int_equal(to.undated, PMG_UNDATED_BLOCK);
	assert_null(to.ages.v[0].purl);
	assert_int_equal(to.ages.v[0].age_s, 7 * 86400);
	assert_string_equal(to.trusted.v[0].reason, "\xc3\xa4 \"quoted\"");
	assert_true(to.trusted.v[0].expired);
	assert_false(to.overrides.v[0].expired);
	assert_string_equal(to.overrides.v[0].id, "MAL-1");
	assert_int_equal(to.skip.v[0].layer, PMG_PACKAGES_MANAGED);
}

static void what_has_expired_is_said(void **state)
{
	pmg_auto(packages) struct pmg_packages p = { .now = 5 };
	pmg_auto(strv) struct pmg_strv notes = { 0 };

	(void)state;
	add(&p.trusted, "pkg:npm/a", NOW);
	add(&p.trusted, "pkg:npm/b", NOW + 1);
	add(&p.skip, "pkg:npm/c", 0);
	pmg_packages_date(&p, NOW, &notes);
	assert_int_equal(p.now, 5); /* of --as-of: dates of entries go by the clock */
	assert_true(p.trusted.v[0].expired);
	assert_false(p.trusted.v[1].expired);
	assert_false(p.skip.v[0].expired);
	assert_int_equal(notes.n, 1);
	assert_string_equal(notes.v[0],
			    "/c.yml:3: trusted_packages: the entry pkg:npm/a expired on "
			    "2026-11-30: it has no effect");
}

/* The whole text, and what of it is replaced by what. */
static const struct {
	const char *from, *to, *msg;
} broken[] = {
	{ "\"enabled\":true", "\"enabled\":1", "\"enabled\" is neither true nor false" },
	{ "\"enabled\":true,", "", "\"enabled\" is missing" },
	{ "\"mode\":0", "\"mode\":2", "\"mode\" is too large" },
	{ "\"mode\":0", "\"mode\":-1", "\"mode\" is no count" },
	{ "\"now\":0", "\"now\":\"0\"", "\"now\" is no count" },
	{ "\"ages\":[]", "\"ages\":{}", "\"ages\" is no list" },
	{ "\"skip\":[]", "\"more\":[]", "\"skip\" is no list" },
	{ "\"skip\":[]", "\"skip\":[],\"more\":[]", "an unknown field" },
	{ "\"skip\":[]", "\"skip\":[1]", "is no object" },
	{ "\"skip\":[]", "\"skip\":[{}]", "\"where\" is missing" },
	{ "{", "[", "policy on packages:1:" },
};

static void what_is_not_understood_whole_is_refused(void **state)
{
	struct pmg_packages from = { 0 };
	pmg_autofree char *text = NULL;
	size_t i;

	(void)state;
	pmg_packages_init(&from);
	text = pmg_packages_encode(&from);
	for (i = 0; i < PMG_ARRAY_LEN(broken); i++) {
		const char *at = strstr(text, broken[i].from);
		struct pmg_packages to = { .now = 7 };
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *bad = NULL;

		assert_non_null(at);
		bad = pmg_xasprintf("%.*s%s%s", (int)(at - text), text, broken[i].to,
				    at + strlen(broken[i].from));
		assert_int_equal(pmg_packages_decode(bad, strlen(bad), &to, &err), -PMG_E_PEER);
		if (!strstr(err.msg, broken[i].msg))
			fail_msg("row %zu: %s", i, err.msg);
		assert_int_equal(to.now, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_survives_the_way),
		cmocka_unit_test(what_has_expired_is_said),
		cmocka_unit_test(what_is_not_understood_whole_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
