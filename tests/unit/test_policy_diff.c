#include "policy/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "building.h"

/* What stands in a profile that is nothing else. */
static struct pmg_policy *build(struct building *b, const char *body)
{
	pmg_autofree char *text = pmg_xasprintf("schema_version: 1\nname: x\n%s", body);
	struct pmg_policy_want want = { .facts = &b->facts, .profile = "x" };
	struct pmg_policy *policy = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	building_write(b, "home/.config/pmg/profiles/x.yml", text);
	if (pmg_policy_build(&want, &policy, &err) < 0)
		fail_msg("%s", err.msg);
	return policy;
}

#define READ(LIST)  "filesystem: {allow_read: [" LIST "]}\n"
#define WRITE(LIST) "filesystem: {allow_write: [" LIST "]}\n"

static const struct {
	const char *a, *b;
	const char *lines[6]; /* sign, direction, role where it is one, pattern */
} rows[] = {
	{ READ("/a/**"), READ("/a/**"), { NULL } },
	{ READ("/a/**"), READ("/a/**, /b"), { "+ read /b" } },
	{ READ("/a/**, /b"), READ("/a/**"), { "- read /b" } },
	/* What a wider rule allows anyway is no difference. */
	{ READ("/a/**"), READ("/a/**, /a/b/**, /a/c"), { NULL } },
	{ READ("/a/b/**"), READ("/a/**"), { "+ read /a/**" } },
	{ READ("/a"), WRITE("/a"), { "+ write /a", "- read /a" } },
	{ READ("/a/*.x"), READ("/a/*.y"), { "+ read /a/*.y", "- read /a/*.x" } },
	/* A deny takes away only what is allowed. */
	{ READ("/a/**"), "filesystem: {allow_read: [/a/**], deny_read: [/b]}\n", { NULL } },
	{ READ("/a/**"),
	  "filesystem: {allow_read: [/a/**], deny_read: [/a/b]}\n",
	  { "- read /a/b/**" } },
	{ "filesystem: {allow_read: [/a/**], deny_read: [/a/b]}\n",
	  READ("/a/**"),
	  { "+ read /a/b/**" } },
	/* What stays closed opens by its name alone. */
	{ READ("\"${HOME}/.ssh/**\""), READ("\"${HOME}/.ssh/id\""), { "+ read {home}/.ssh/id" } },
	{ "network: {allow_outbound: [\"a.test:443\"]}\n",
	  "network: {allow_outbound: [\"a.test:443\", \"b.test\"]}\n",
	  { "+ net-connect manager b.test" } },
	{ "network: {allow_outbound: [\"a.test\"]}\n",
	  "network: {script_outbound: [\"a.test\"]}\n",
	  { "+ net-connect script a.test", "- net-connect manager a.test" } },
	{ "environment: {allow: [NPM_TOKEN]}\n", "", { "- env NPM_TOKEN" } },
	{ "", "environment: {allow: [PLAIN]}\n", { NULL } }, /* it stays in both */
	{ "", "environment: {deny: [PLAIN]}\n", { "- env PLAIN" } },
	{ "",
	  "allow_pty: true\n",
	  { "+ read /dev/ptmx", "+ read /dev/pts/ptmx", "+ write /dev/ptmx",
	    "+ write /dev/pts/ptmx", "allow_pty 0 1" } },
	{ "limits: {processes: 9}\n", "limits: {processes: 10}\n", { "limits.processes 9 10" } },
};

static char *text_of(const struct pmg_differences *found)
{
	static const char *const roles[] = {
		[PMG_ROLE_MANAGER] = "manager ", [PMG_ROLE_SCRIPT] = "script ", [PMG_ROLE_ANY] = ""
	};
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(65536);
	size_t i;

	for (i = 0; i < found->n; i++)
		assert_int_equal(pmg_str_addf(&out, "%c %s %s%s\n", found->v[i].more ? '+' : '-',
					      pmg_access_name(found->v[i].rule->access),
					      roles[found->v[i].roles], found->v[i].rule->text),
				 0);
	for (i = 0; i < found->n_switched; i++)
		assert_int_equal(pmg_str_addf(&out, "%s %u %u\n", found->switched[i].name,
					      (unsigned)found->switched[i].a,
					      (unsigned)found->switched[i].b),
				 0);
	return pmg_str_steal(&out);
}

static void what_one_allows_more_or_less_is_named(void **state)
{
	struct building b;
	size_t i, k;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(policy) struct pmg_policy *one = build(&b, rows[i].a);
		pmg_auto(policy) struct pmg_policy *other = build(&b, rows[i].b);
		pmg_auto(differences) struct pmg_differences found = { 0 };
		pmg_auto(str) struct pmg_str expected = PMG_STR_INIT(65536);
		pmg_autofree char *said = NULL;
		pmg_autofree char *wanted = NULL;

		for (k = 0; k < 6 && rows[i].lines[k]; k++)
			assert_int_equal(pmg_str_addf(&expected, "%s\n", rows[i].lines[k]), 0);
		wanted = expected.s ? building_text(&b, expected.s) : pmg_xstrdup("");
		pmg_policy_diff(one, other, &found);
		said = text_of(&found);
		if (!pmg_streq(said ? said : "", wanted))
			fail_msg("row %zu:\n%s", i, said);
	}
	building_end(&b);
}

/* The same, asked the other way round, has the other sign. */
static void more_of_one_is_less_of_the_other(void **state)
{
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(policy) struct pmg_policy *one = build(&b, rows[i].a);
		pmg_auto(policy) struct pmg_policy *other = build(&b, rows[i].b);
		pmg_auto(differences) struct pmg_differences there = { 0 };
		pmg_auto(differences) struct pmg_differences back = { 0 };
		size_t more = 0, less = 0, k;

		pmg_policy_diff(one, other, &there);
		pmg_policy_diff(other, one, &back);
		assert_int_equal(there.n, back.n);
		for (k = 0; k < there.n; k++) {
			more += there.v[k].more;
			less += !back.v[k].more;
		}
		assert_int_equal(more, less);
	}
	building_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_one_allows_more_or_less_is_named),
		cmocka_unit_test(more_of_one_is_less_of_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
