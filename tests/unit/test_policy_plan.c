#include "policy/plan.h"

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"

static const char *const rules[][4] = {
	{ "tunnel", "*", "built-in", "so far" },
	{ "fetch", "http://registry.test/", "manager", "/p/.npmrc:3" },
	{ "artifact", "http://h.test/x.tgz", "lockfile", "/p/package-lock.json" },
	{ "fetch", "http://registry.test/", "manager", "/p/.npmrc:3" },
	{ "fetch", "http://a.test/", "manager", "environment X" },
};

/* The rules above, starting with `from` and going round. */
static struct pmg_plan *plan_of(size_t from)
{
	struct pmg_plan *plan = pmg_plan_new();
	size_t i, n = PMG_ARRAY_LEN(rules);

	plan->tool = pmg_xstrdup("npx");
	plan->manager = pmg_xstrdup("npm");
	plan->program = pmg_xstrdup("/usr/bin/npx");
	plan->cwd = pmg_xstrdup("/p\033[2J");
	plan->profile = pmg_xstrdup("npm");
	for (i = 0; i < n; i++) {
		const char *const *row = rules[(from + i) % n];

		pmg_plan_add(plan, row[0], row[1], row[2], row[3], PMG_ENFORCED_PROXY);
	}
	pmg_plan_seal(plan);
	return plan;
}

static void the_text_shows_each_rule_once_in_order_and_safely(void **state)
{
	pmg_auto(plan) struct pmg_plan *plan = plan_of(0);
	pmg_autofree char *text = pmg_plan_text(plan);
	const char *end = strstr(text, "fingerprint: ");

	(void)state;
	assert_non_null(end);
	assert_int_equal(strlen(end), strlen("fingerprint: ") + 64 + 1);
	text[end - text] = '\0';
	assert_string_equal(text, "tool: npx\nmanager: npm\nprogram: /usr/bin/npx\n"
				  "folder: /p\\x1b[2J\nprofile: npm\n"
				  "artifact http://h.test/x.tgz  (lockfile: /p/package-lock.json) "
				  "by proxy\n"
				  "fetch http://a.test/  (manager: environment X) by proxy\n"
				  "fetch http://registry.test/  (manager: /p/.npmrc:3) by proxy\n"
				  "tunnel *  (built-in: so far) by proxy\n");
}

static void the_order_of_adding_changes_nothing(void **state)
{
	char first[PMG_SHA256_HEX], other[PMG_SHA256_HEX];
	pmg_auto(plan) struct pmg_plan *plan = plan_of(0);
	pmg_autofree char *text = pmg_plan_text(plan);
	size_t i;

	(void)state;
	pmg_plan_fingerprint(plan, first);
	for (i = 1; i < PMG_ARRAY_LEN(rules); i++) {
		pmg_auto(plan) struct pmg_plan *turned = plan_of(i);
		pmg_autofree char *turned_text = pmg_plan_text(turned);

		pmg_plan_fingerprint(turned, other);
		assert_string_equal(other, first);
		assert_string_equal(turned_text, text);
	}
}

/* Each row changes one thing of the plan; the fingerprint must notice exactly what decides. */
static void only_what_decides_is_in_the_fingerprint(void **state)
{
	static const struct {
		const char *op, *target, *layer, *source, *profile, *cwd;
		bool differs;
	} rows[] = {
		{ "fetch", "http://a.test/", "manager", "elsewhere:9", "npm", "/q", false },
		{ "fetch", "http://b.test/", "manager", "/p/.npmrc:1", "npm", "/p", true },
		{ "artifact", "http://a.test/", "manager", "/p/.npmrc:1", "npm", "/p", true },
		{ "fetch", "http://a.test/", "manager", "/p/.npmrc:1", "my-npm", "/p", true },
	};
	char first[PMG_SHA256_HEX], other[PMG_SHA256_HEX];
	pmg_auto(plan) struct pmg_plan *base = pmg_plan_new();
	size_t i;

	(void)state;
	base->profile = pmg_xstrdup("npm");
	pmg_plan_add(base, "fetch", "http://a.test/", "manager", "/p/.npmrc:1", PMG_ENFORCED_PROXY);
	pmg_plan_seal(base);
	pmg_plan_fingerprint(base, first);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(plan) struct pmg_plan *plan = pmg_plan_new();

		plan->profile = pmg_xstrdup(rows[i].profile);
		plan->cwd = pmg_xstrdup(rows[i].cwd);
		pmg_plan_add(plan, rows[i].op, rows[i].target, rows[i].layer, rows[i].source,
			     PMG_ENFORCED_PROXY);
		pmg_plan_seal(plan);
		pmg_plan_fingerprint(plan, other);
		assert_int_equal(strcmp(first, other) != 0, rows[i].differs);
	}
}

static void an_empty_plan_has_a_text_and_a_fingerprint(void **state)
{
	pmg_auto(plan) struct pmg_plan *plan = pmg_plan_new();
	pmg_autofree char *text = NULL;

	(void)state;
	pmg_plan_seal(plan);
	text = pmg_plan_text(plan);
	assert_true(pmg_str_has_prefix(text, "fingerprint: "));
	pmg_plan_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_shows_each_rule_once_in_order_and_safely),
		cmocka_unit_test(the_order_of_adding_changes_nothing),
		cmocka_unit_test(only_what_decides_is_in_the_fingerprint),
		cmocka_unit_test(an_empty_plan_has_a_text_and_a_fingerprint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
