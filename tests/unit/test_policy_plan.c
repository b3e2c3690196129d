#include "policy/plan.h"

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "policy/plan_priv.h"
#include "policy/policy.h"

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
				  "fetch http://a.test/  (manager: environment X) by proxy\n"
				  "fetch http://registry.test/  (manager: /p/.npmrc:3) by proxy\n"
				  "artifact http://h.test/x.tgz  (lockfile: /p/package-lock.json) "
				  "by proxy\n"
				  "tunnel *  (built-in: so far) by proxy\n");
}

static void what_one_run_has_of_its_own_is_not_in_the_fingerprint(void **state)
{
	char without[PMG_SHA256_HEX], with[PMG_SHA256_HEX];
	pmg_auto(plan) struct pmg_plan *plan = plan_of(0);

	(void)state;
	pmg_plan_fingerprint(plan, without);
	pmg_plan_add_terms(plan, "read", "allow opt-out", "/run/pmg/run-1/**", "run",
			   "built-in run", PMG_ENFORCED_KERNEL);
	pmg_plan_seal(plan);
	pmg_plan_fingerprint(plan, with);
	assert_string_equal(with, without);
	pmg_plan_add_terms(plan, "read", "allow opt-out", "/run/pmg/run-1/**", "flag", "x",
			   PMG_ENFORCED_KERNEL);
	pmg_plan_seal(plan);
	pmg_plan_fingerprint(plan, with);
	assert_string_not_equal(with, without);
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

/* What is the same in each run is counted. */
static void in_brief_it_shows_what_is_this_run_s_own(void **state)
{
	static const struct {
		const char *op, *terms, *target, *layer;
		bool shown;
	} rows[] = {
		{ "fetch", "", "http://a.test/", "built-in", true },
		{ "read", "allow", "/usr/**", "built-in", false },
		{ "read", "deny mandatory", "/h/.ssh/**", "mandatory", false },
		{ "read", "allow", "/run/x", "run", false },
		{ "write", "allow", "/p/dist/**", "overlay", true },
		{ "read", "deny", "/p/x/**", "managed", true },
		{ "set", "", "allow_pty true", "built-in", true },
	};
	pmg_auto(plan) struct pmg_plan *plan = pmg_plan_new();
	pmg_autofree char *text = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		pmg_plan_add_terms(plan, rows[i].op, rows[i].terms, rows[i].target, rows[i].layer,
				   "x:1", PMG_ENFORCED_BROKER);
	pmg_plan_seal(plan);
	text = pmg_plan_brief(plan);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if ((strstr(text, rows[i].target) != NULL) != rows[i].shown)
			fail_msg("row %zu: %s", i, text);
	assert_non_null(strstr(text, "\n3 built-in rules: -v shows them\nfingerprint: "));
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

struct row {
	enum pmg_access access;
	enum pmg_rank rank;
	unsigned roles;
	bool sensitive, exempt;
	const char *text;
};

static struct pmg_policy *policy_of(const struct row *rows, size_t n)
{
	struct pmg_policy *policy = pmg_policy_new();
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	policy->profile = pmg_xstrdup("my-npm");
	policy->project = pmg_xstrdup("/p");
	policy->proxy_only = true;
	policy->max_processes = 512;
	pmg_strv_add(&policy->dependency_names, "node_modules");
	for (i = 0; i < n; i++) {
		pmg_autofree char *text = pmg_xstrdup(rows[i].text);
		pmg_autofree char *source = pmg_xasprintf("/x.yml:%zu", i);
		struct pmg_policy_rule rule = {
			.access = rows[i].access,
			.rank = rows[i].rank,
			.layer = PMG_LAYER_PROFILE,
			.roles = rows[i].roles,
			.sensitive = rows[i].sensitive,
			.packages_exempt = rows[i].exempt,
			.text = text,
			.source = source,
		};

		assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
	}
	pmg_policy_seal(policy);
	return policy;
}

static const struct row policy_rows[] = {
	{ PMG_ACCESS_READ, PMG_RANK_ALLOW, PMG_ROLE_ANY, false, false, "/p/**" },
	{ PMG_ACCESS_READ, PMG_RANK_ALLOW, PMG_ROLE_MANAGER, false, false, "/h/.npmrc" },
	{ PMG_ACCESS_READ, PMG_RANK_MANDATORY_DENY, PMG_ROLE_ANY, true, true, "/p/**/.env" },
	{ PMG_ACCESS_READ, PMG_RANK_MANDATORY_DENY, PMG_ROLE_ANY, true, false, "/h/.ssh/**" },
	{ PMG_ACCESS_READ, PMG_RANK_OPT_OUT, PMG_ROLE_ANY, false, false, "/p/.env" },
	{ PMG_ACCESS_WRITE, PMG_RANK_ALLOW, PMG_ROLE_ANY, false, false, "/p/node_modules/**" },
	{ PMG_ACCESS_WRITE, PMG_RANK_ALLOW, PMG_ROLE_ANY, false, false, "/p/**/x" },
	{ PMG_ACCESS_WRITE, PMG_RANK_HOOKS, PMG_ROLE_ANY, true, false, "/p/.git/hooks/**" },
	{ PMG_ACCESS_EXEC, PMG_RANK_ALLOW, PMG_ROLE_ANY, false, false, "/usr/**" },
	{ PMG_ACCESS_EXEC, PMG_RANK_DENY, PMG_ROLE_SCRIPT, false, false, "/usr/bin/curl" },
	{ PMG_ACCESS_CONNECT, PMG_RANK_ALLOW, PMG_ROLE_MANAGER, false, false, "registry" },
	{ PMG_ACCESS_BIND, PMG_RANK_ALLOW, PMG_ROLE_ANY, false, false, "localhost:1" },
	{ PMG_ACCESS_UNIX, PMG_RANK_MANAGED_DENY, PMG_ROLE_ANY, false, false, "@x" },
	{ PMG_ACCESS_ENV, PMG_RANK_ALLOW, PMG_ROLE_ANY, false, false, "A_*" },
};

static void the_text_shows_every_rule_of_the_policy_and_how_it_is_held(void **state)
{
	pmg_auto(policy) struct pmg_policy *policy =
		policy_of(policy_rows, PMG_ARRAY_LEN(policy_rows));
	pmg_auto(plan) struct pmg_plan *plan = pmg_plan_new();
	pmg_autofree char *text = NULL;
	char *end;

	(void)state;
	plan->profile = pmg_xstrdup("npm");
	pmg_plan_policy(plan, policy);
	pmg_plan_seal(plan);
	text = pmg_plan_text(plan);
	end = strstr(text, "fingerprint: ");
	assert_non_null(end);
	*end = '\0';
	assert_string_equal(
		text,
		"profile: my-npm\n"
		"net-connect allow manager registry  (profile: /x.yml:10) by proxy\n"
		"net-bind allow localhost:1  (profile: /x.yml:11) by broker\n"
		"read allow manager /h/.npmrc  (profile: /x.yml:1) by broker\n"
		"read deny mandatory sensitive /h/.ssh/**  (profile: /x.yml:3) by kernel\n"
		"read allow /p/**  (profile: /x.yml:0) by kernel\n"
		"read deny mandatory sensitive not-in-packages /p/**/.env  (profile: /x.yml:2) by "
		"broker\n"
		"read allow opt-out /p/.env  (profile: /x.yml:4) by kernel\n"
		"write allow /p/**/x  (profile: /x.yml:6) by broker\n"
		"write deny hooks sensitive /p/.git/hooks/**  (profile: /x.yml:7) by broker\n"
		"write allow /p/node_modules/**  (profile: /x.yml:5) by kernel\n"
		"exec allow /usr/**  (profile: /x.yml:8) by kernel\n"
		"exec deny script /usr/bin/curl  (profile: /x.yml:9) by observed\n"
		"unix deny managed @x  (profile: /x.yml:12) by broker\n"
		"set allow_direct_dns=false  (profile: my-npm) by proxy\n"
		"set allow_network_bind=false  (profile: my-npm) by broker\n"
		"set allow_pty=false  (profile: my-npm) by kernel\n"
		"set dependency_folder=node_modules  (profile: my-npm) by broker\n"
		"set limits.processes=512  (profile: my-npm) by kernel\n"
		"set network_via_proxy_only=true  (profile: my-npm) by kernel\n"
		"set project=/p  (profile: my-npm) by broker\n"
		"env allow A_*  (profile: /x.yml:13) by front\n");
}

/* Each row is the one rule of a policy; none decides as another. */
static void whatever_a_rule_says_is_in_the_fingerprint(void **state)
{
	static const struct row rows[] = {
		{ PMG_ACCESS_READ, PMG_RANK_DENY, PMG_ROLE_ANY, false, false, "/a" },
		{ PMG_ACCESS_WRITE, PMG_RANK_DENY, PMG_ROLE_ANY, false, false, "/a" },
		{ PMG_ACCESS_READ, PMG_RANK_MANDATORY_DENY, PMG_ROLE_ANY, false, false, "/a" },
		{ PMG_ACCESS_READ, PMG_RANK_HOOKS, PMG_ROLE_ANY, false, false, "/a" },
		{ PMG_ACCESS_READ, PMG_RANK_ALLOW, PMG_ROLE_ANY, false, false, "/a" },
		{ PMG_ACCESS_READ, PMG_RANK_OPT_OUT, PMG_ROLE_ANY, false, false, "/a" },
		{ PMG_ACCESS_READ, PMG_RANK_DENY, PMG_ROLE_SCRIPT, false, false, "/a" },
		{ PMG_ACCESS_READ, PMG_RANK_DENY, PMG_ROLE_MANAGER, false, false, "/a" },
		{ PMG_ACCESS_READ, PMG_RANK_DENY, PMG_ROLE_ANY, true, false, "/a" },
		{ PMG_ACCESS_READ, PMG_RANK_DENY, PMG_ROLE_ANY, false, true, "/a" },
		{ PMG_ACCESS_READ, PMG_RANK_DENY, PMG_ROLE_ANY, false, false, "/b" },
		{ PMG_ACCESS_READ, PMG_RANK_DENY, PMG_ROLE_ANY, false, false, "/\n" },
		{ PMG_ACCESS_READ, PMG_RANK_DENY, PMG_ROLE_ANY, false, false, "/\\x0a" },
	};
	char prints[PMG_ARRAY_LEN(rows)][PMG_SHA256_HEX];
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(policy) struct pmg_policy *policy = policy_of(&rows[i], 1);
		pmg_auto(plan) struct pmg_plan *plan = pmg_plan_new();

		pmg_plan_policy(plan, policy);
		pmg_plan_seal(plan);
		pmg_plan_fingerprint(plan, prints[i]);
		for (k = 0; k < i; k++)
			assert_string_not_equal(prints[i], prints[k]);
	}
}

static void every_switch_is_in_the_fingerprint(void **state)
{
	char prints[9][PMG_SHA256_HEX];
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(prints); i++) {
		pmg_auto(policy) struct pmg_policy *policy = policy_of(policy_rows, 1);
		pmg_auto(plan) struct pmg_plan *plan = pmg_plan_new();

		policy->proxy_only ^= i == 1;
		policy->direct_dns ^= i == 2;
		policy->any_bind ^= i == 3;
		policy->pty ^= i == 4;
		policy->max_processes += i == 5;
		policy->max_open_files += i == 6;
		if (i == 7)
			pmg_strv_add(&policy->dependency_names, ".venv");
		if (i == 8)
			policy->project[1] = 'q';
		pmg_plan_policy(plan, policy);
		pmg_plan_seal(plan);
		pmg_plan_fingerprint(plan, prints[i]);
		for (k = 0; k < i; k++)
			assert_string_not_equal(prints[i], prints[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_shows_each_rule_once_in_order_and_safely),
		cmocka_unit_test(the_order_of_adding_changes_nothing),
		cmocka_unit_test(what_one_run_has_of_its_own_is_not_in_the_fingerprint),
		cmocka_unit_test(only_what_decides_is_in_the_fingerprint),
		cmocka_unit_test(in_brief_it_shows_what_is_this_run_s_own),
		cmocka_unit_test(an_empty_plan_has_a_text_and_a_fingerprint),
		cmocka_unit_test(the_text_shows_every_rule_of_the_policy_and_how_it_is_held),
		cmocka_unit_test(whatever_a_rule_says_is_in_the_fingerprint),
		cmocka_unit_test(every_switch_is_in_the_fingerprint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
