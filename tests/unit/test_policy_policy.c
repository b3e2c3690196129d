#include "policy/policy.h"

#include "cases.h"

/* tests/policy/README says what a case is. */

static const char *const ranks[] = { "managed-deny", "hooks", "opt-out",
				     "mandatory",    "deny",  "allow" };

struct runner {
	struct cases c;
	struct pmg_policy *policy;
	bool sealed;
};

static enum pmg_access access_of(const struct runner *runner)
{
	unsigned i;

	for (i = 0; i < PMG_ACCESS_MAX; i++)
		if (pmg_streq(pmg_access_name((enum pmg_access)i), cases_word(&runner->c, 1)))
			return (enum pmg_access)i;
	cases_wrong(&runner->c, "no such access");
}

static enum pmg_role role_of(const struct runner *runner, size_t at)
{
	static const char *const roles[] = { "", "manager", "script", "any" };

	return (enum pmg_role)cases_one_of(&runner->c, cases_word(&runner->c, at), roles, 4);
}

static enum pmg_rank rank_of(const struct runner *runner)
{
	return (enum pmg_rank)cases_one_of(&runner->c, cases_word(&runner->c, 2), ranks,
					   PMG_RANK_MAX);
}

static void answer_bool(struct runner *runner, bool got)
{
	cases_answer(&runner->c, got ? "yes" : "no");
}

static void do_policy(struct runner *runner)
{
	pmg_policy_free(runner->policy);
	runner->policy = pmg_policy_new();
	runner->sealed = false;
}

static void do_place(struct runner *runner)
{
	struct pmg_policy *policy = runner->policy;
	char **out = pmg_streq(cases_word(&runner->c, 0), "project") ? &policy->project
		     : pmg_streq(cases_word(&runner->c, 0), "cwd")   ? &policy->cwd
								     : &policy->home;

	*out = pmg_xstrdup(cases_word(&runner->c, 1));
}

static void do_dependencies(struct runner *runner)
{
	size_t i;

	for (i = 1; i < runner->c.words.n; i++)
		pmg_strv_add(&runner->policy->dependency_names, runner->c.words.v[i]);
}

static void do_any_bind(struct runner *runner)
{
	runner->policy->any_bind = true;
}

static void do_rule(struct runner *runner)
{
	pmg_autofree char *source = pmg_xasprintf("%s:%u", runner->c.file, runner->c.line);
	char *text = pmg_xstrdup(cases_word(&runner->c, 4));
	struct pmg_policy_rule rule = {
		.access = access_of(runner),
		.rank = rank_of(runner),
		.layer = PMG_LAYER_PROFILE,
		.roles = role_of(runner, 3),
		.text = text,
		.source = source,
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	for (i = 5; i < runner->c.words.n; i++) {
		rule.packages_exempt |= pmg_streq(cases_word(&runner->c, i), "exempt");
		rule.sensitive |= pmg_streq(cases_word(&runner->c, i), "sensitive");
	}
	if (pmg_policy_add(runner->policy, &rule, &err) < 0)
		cases_wrong(&runner->c, err.msg);
	free(text);
}

static void do_bad(struct runner *runner)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	pmg_autofree char *says = cases_join(&runner->c, 4, runner->c.words.n);
	struct pmg_policy_rule rule = {
		.access = access_of(runner),
		.rank = rank_of(runner),
		.roles = PMG_ROLE_ANY,
		.text = runner->c.words.v[3],
	};
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_policy_add(policy, &rule, &err) != -PMG_E_CONFIG)
		cases_wrong(&runner->c, "accepted");
	if (!says || !strstr(err.msg, says))
		cases_wrong(&runner->c, err.msg);
	assert_int_equal(policy->n_rules, 0);
	runner->c.questions++;
}

static void do_ask(struct runner *runner)
{
	enum pmg_access access = access_of(runner);
	enum pmg_role role = role_of(runner, 2);
	struct pmg_decision decision;
	pmg_autofree char *got = NULL;
	uint64_t port = 0;

	if (access == PMG_ACCESS_CONNECT || access == PMG_ACCESS_BIND) {
		if (pmg_parse_uint(cases_word(&runner->c, 4), 65535, &port) < 0)
			cases_wrong(&runner->c, "port");
		decision = pmg_policy_ask_net(runner->policy, access, role,
					      cases_word(&runner->c, 3), (uint16_t)port);
	} else {
		decision = pmg_policy_ask(runner->policy, access, role, cases_word(&runner->c, 3));
	}
	got = pmg_xasprintf("%s %s", decision.allowed ? "allow" : "deny",
			    decision.rule ? decision.rule->text : "-");
	cases_answer(&runner->c, got);
}

static void do_pure(struct runner *runner)
{
	answer_bool(runner, pmg_policy_is_pure(runner->policy, access_of(runner),
					       cases_word(&runner->c, 2)));
}

static void do_package(struct runner *runner)
{
	answer_bool(runner, pmg_policy_in_package(runner->policy, cases_word(&runner->c, 1)));
}

static void do_opens(struct runner *runner)
{
	answer_bool(runner, pmg_policy_opens_package(runner->policy, cases_word(&runner->c, 1)));
}

static void do_anchor(struct runner *runner)
{
	const struct pmg_policy_rule *rule = pmg_policy_anchors_below(
		runner->policy, access_of(runner), cases_word(&runner->c, 2));

	cases_answer(&runner->c, rule ? rule->text : "-");
}

static void do_trees(struct runner *runner)
{
	pmg_auto(subtrees) struct pmg_subtrees trees = { 0 };
	pmg_auto(str) struct pmg_str got = PMG_STR_INIT(8192);
	size_t i;

	pmg_policy_subtrees(runner->policy, &trees);
	for (i = 0; i < trees.n; i++) {
		const struct pmg_subtree *tree = &trees.v[i];

		if (pmg_str_addf(&got, "%s%s:%s%s%s%s", i ? " " : "", tree->path,
				 tree->read ? "r" : "", tree->write ? "w" : "",
				 tree->exec ? "x" : "", tree->pure_write ? "W" : "") < 0)
			abort();
	}
	cases_answer(&runner->c, got.s ? got.s : "-");
}

static void do_folders(struct runner *runner)
{
	pmg_auto(strv) struct pmg_strv folders = { 0 };
	pmg_auto(str) struct pmg_str got = PMG_STR_INIT(8192);
	size_t i;

	pmg_policy_program_folders(runner->policy, &folders);
	for (i = 0; i < folders.n; i++)
		if (pmg_str_addf(&got, "%s%s", i ? " " : "", folders.v[i]) < 0)
			abort();
	cases_answer(&runner->c, got.s ? got.s : "-");
}

static void do_hidden(struct runner *runner)
{
	pmg_auto(hidden) struct pmg_hidden hidden = { { 0 }, { 0 } };
	pmg_auto(str) struct pmg_str got = PMG_STR_INIT(8192);
	const struct pmg_strv *list;
	size_t i;

	pmg_policy_hidden(runner->policy, &hidden);
	list = pmg_streq(cases_word(&runner->c, 0), "roots") ? &hidden.roots : &hidden.paths;
	for (i = 0; i < list->n; i++)
		if (pmg_str_addf(&got, "%s%s", i ? " " : "", list->v[i]) < 0)
			abort();
	cases_answer(&runner->c, got.s ? got.s : "-");
}

static void do_hides(struct runner *runner)
{
	answer_bool(runner, pmg_policy_hides_below(runner->policy, cases_word(&runner->c, 1)));
}

static const struct {
	const char *name;
	void (*run)(struct runner *runner);
	bool asks; /* of the sealed policy */
} statements[] = {
	{ "policy", do_policy, false },
	{ "project", do_place, false },
	{ "cwd", do_place, false },
	{ "home", do_place, false },
	{ "dependencies", do_dependencies, false },
	{ "any-bind", do_any_bind, false },
	{ "rule", do_rule, false },
	{ "bad", do_bad, false },
	{ "ask", do_ask, true },
	{ "pure", do_pure, true },
	{ "package", do_package, true },
	{ "opens", do_opens, true },
	{ "anchor", do_anchor, true },
	{ "trees", do_trees, true },
	{ "folders", do_folders, true },
	{ "roots", do_hidden, true },
	{ "paths", do_hidden, true },
	{ "hides", do_hides, true },
};

static void run_line(struct runner *runner)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(statements); i++) {
		if (!pmg_streq(statements[i].name, cases_word(&runner->c, 0)))
			continue;
		if (statements[i].asks && !runner->sealed)
			pmg_policy_seal(runner->policy);
		runner->sealed |= statements[i].asks;
		statements[i].run(runner);
		return;
	}
	cases_wrong(&runner->c, "no such statement");
}

static unsigned run_case(const char *path, char *text)
{
	struct runner runner = { .c = { .file = path }, .policy = pmg_policy_new() };
	char *line;

	while ((line = cases_line(&runner.c, &text)))
		if (cases_split(&runner.c, line))
			run_line(&runner);
	pmg_strv_done(&runner.c.words);
	pmg_policy_free(runner.policy);
	return runner.c.questions;
}

static void every_case_answers_as_it_says(void **state)
{
	(void)state;
	assert_true(cases_read("tests/policy", run_case) >= 5);
}

static void add(struct pmg_policy *policy, enum pmg_rank rank, unsigned roles, const char *pattern,
		const char *source)
{
	pmg_autofree char *text = pmg_xstrdup(pattern), *from = pmg_xstrdup(source);
	struct pmg_policy_rule rule = {
		.access = PMG_ACCESS_READ,
		.rank = rank,
		.roles = roles,
		.text = text,
		.source = from,
	};
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
}

static void rules_that_say_the_same_are_one(void **state)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();

	(void)state;
	add(policy, PMG_RANK_ALLOW, PMG_ROLE_ANY, "/b", "two:2");
	add(policy, PMG_RANK_ALLOW, PMG_ROLE_ANY, "/b", "one:1");
	add(policy, PMG_RANK_ALLOW, PMG_ROLE_SCRIPT, "/b", "three:3");
	add(policy, PMG_RANK_DENY, PMG_ROLE_ANY, "/b", "four:4");
	add(policy, PMG_RANK_ALLOW, PMG_ROLE_ANY, "/a", "five:5");
	pmg_policy_seal(policy);
	assert_int_equal(policy->n_rules, 4);
	assert_string_equal(policy->rules[0].source, "four:4");
	assert_string_equal(policy->rules[1].text, "/a");
	assert_string_equal(policy->rules[2].source, "three:3");
	assert_string_equal(policy->rules[3].source, "one:1");
}

static void every_access_and_layer_has_a_name(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < PMG_ACCESS_MAX; i++)
		assert_non_null(pmg_access_name((enum pmg_access)i));
	for (i = 0; i < PMG_LAYER_MAX; i++)
		assert_non_null(pmg_layer_name((enum pmg_layer)i));
	pmg_policy_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_answers_as_it_says),
		cmocka_unit_test(rules_that_say_the_same_are_one),
		cmocka_unit_test(every_access_and_layer_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
