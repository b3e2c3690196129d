#include "run/target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/policy.h"
#include "tests/helper/folder.h"

static char *top;

static void link_to(const char *name, const char *to)
{
	pmg_autofree char *path = pmg_path_join(top, name);

	assert_int_equal(symlink(to, path), 0);
}

static int make(void **state)
{
	pmg_autofree char *made = folder_new();

	(void)state;
	top = pmg_path_real(made);
	folder_write(top, "p/package.json", "{}", 2);
	folder_write(top, "p/node_modules/x/index.js", "", 0);
	folder_write(top, "keys/id", "k", 1);
	folder_write(top, "p/secret/id", "k", 1);
	folder_write(top, "p/node_modules/.cache/secret/id", "k", 1);
	link_to("p/keys", "../keys");
	link_to("p/dangling", "made/later");
	link_to("p/loop", "loop");
	link_to("p/secret/out", "../package.json");
	link_to("p/secret/up", "..");
	link_to("p/way", "secret/up/package.json");
	link_to("p/node_modules/.cache/secret/out", "../../../package.json");
	return 0;
}

static int take_away(void **state)
{
	(void)state;
	folder_free(top);
	return 0;
}

struct row {
	const char *path, *target; /* "@" is the top; NULL: it fails with errnum */
	bool there;
	int errnum;
};

static void check(const struct pmg_policy *policy, const struct row *rows, size_t n)
{
	pmg_autofree char *cwd = pmg_path_join(top, "p");
	size_t i;

	for (i = 0; i < n; i++) {
		struct stat st;
		pmg_autofree char *found = pmg_target_find(policy, cwd, rows[i].path, &st);
		int errnum = found ? 0 : errno;
		const char *target = rows[i].target;
		pmg_autofree char *expected = !target ? NULL
					      : target[0] == '@'
						      ? pmg_xasprintf("%s%s", top, target + 1)
						      : pmg_xstrdup(target);

		if (!pmg_streq(found, expected) || errnum != rows[i].errnum ||
		    (found && (st.st_mode != 0) != rows[i].there))
			fail_msg("row %zu: %s (%d)", i, found ? found : "(none)", errnum);
	}
}

static void a_path_leads_where_the_kernel_would_go(void **state)
{
	static const struct row rows[] = {
		{ "package.json", "@/p/package.json", true, 0 },
		{ "./node_modules/../package.json", "@/p/package.json", true, 0 },
		{ "keys/id", "@/keys/id", true, 0 },
		{ "keys/..", "@", true, 0 }, /* as the kernel goes, not as the text reads */
		{ "keys/new/er", "@/keys/new/er", false, 0 },
		{ "dangling", "@/p/made/later", false, 0 },
		{ "//usr/./", "/usr", true, 0 },
		{ "/", "/", true, 0 },
		{ "/proc/self/status", "/proc/self/status", true, 0 },
		{ "gone/../x", "@/p/x", false, 0 },
		{ "way", "@/p/package.json", true, 0 },
		{ "secret/out", "@/p/package.json", true, 0 },
		{ "loop", NULL, false, ELOOP },
		{ "package.json/x", NULL, false, ENOTDIR },
	};

	(void)state;
	check(NULL, rows, PMG_ARRAY_LEN(rows));
}

/* Within a run there is nothing in it: no link of it leads anywhere. */
static void what_is_hidden_in_a_run_is_not_gone_into(void **state)
{
	static const struct row rows[] = {
		{ "package.json", "@/p/package.json", true, 0 },
		{ "secret", "@/p/secret", true, 0 },
		{ "secret/id", "@/p/secret/id", false, 0 },
		{ "secret/out", "@/p/secret/out", false, 0 },
		{ "secret/up/package.json", "@/p/secret/up/package.json", false, 0 },
		{ "secret/../package.json", "@/p/package.json", true, 0 },
		{ "way", "@/p/secret/up/package.json", false, 0 },
		/* Not where managers replace folders: that is judged when it is asked for. */
		{ "node_modules/.cache/secret/out", "@/p/package.json", true, 0 },
	};
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	pmg_autofree char *open = pmg_path_join(top, "p/**");
	pmg_autofree char *closed = pmg_path_join(top, "p/**/secret/**");
	const struct pmg_policy_rule texts[] = {
		{ .rank = PMG_RANK_ALLOW, .roles = PMG_ROLE_ANY, .text = open },
		{ .rank = PMG_RANK_DENY, .roles = PMG_ROLE_ANY, .text = closed },
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	pmg_strv_add(&policy->dependency_names, "node_modules");
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++)
		assert_int_equal(pmg_policy_add(policy, &texts[i], &err), 0);
	pmg_policy_seal(policy);
	check(policy, rows, PMG_ARRAY_LEN(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_leads_where_the_kernel_would_go),
		cmocka_unit_test(what_is_hidden_in_a_run_is_not_gone_into),
	};

	return cmocka_run_group_tests(tests, make, take_away);
}
