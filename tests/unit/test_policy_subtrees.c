#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/glob.h"
#include "policy/policy.h"

/*
 * What tests/policy/subtrees.case shows by example, for policies that nobody thought of. The same
 * ones every time: the numbers come from a fixed start.
 */
#define POLICIES 400U
#define PATHS    120U
#define RULES    14U

static uint32_t random_below(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525U + 1013904223U;
	return (*state >> 8) % n;
}

static void random_text(uint32_t *state, const char *const *parts, uint32_t n, uint32_t least,
			char *out, size_t size)
{
	uint32_t i, depth = least + random_below(state, 5 - least);
	size_t len = 0;

	out[0] = '\0';
	for (i = 0; i < depth; i++)
		len += (size_t)snprintf(out + len, size - len, "/%s",
					parts[random_below(state, n)]);
	if (depth == 0)
		(void)snprintf(out, size, "/");
}

static void random_path(uint32_t *state, char *out, size_t size)
{
	static const char *const parts[] = { "a",    "b",  "ab",           "p",
					     ".env", "@s", "node_modules", ".venv" };

	random_text(state, parts, PMG_ARRAY_LEN(parts), 0, out, size);
}

static void random_pattern(uint32_t *state, char *out, size_t size)
{
	static const char *const parts[] = { "a",  "b",  "p",  ".env", "node_modules",
					     "**", "**", "a*", "*",    "[!a]*" };

	random_text(state, parts, PMG_ARRAY_LEN(parts), 1, out, size);
}

static struct pmg_policy *random_policy(uint32_t *state)
{
	struct pmg_policy *policy = pmg_policy_new();
	struct pmg_err err = PMG_ERR_INIT;
	uint32_t i;

	policy->project = pmg_xstrdup(random_below(state, 2) ? "/p" : "/p/node_modules/a");
	pmg_strv_add(&policy->dependency_names, "node_modules");
	pmg_strv_add(&policy->dependency_names, ".venv");
	for (i = 0; i < RULES; i++) {
		char text[128], source[] = "x";
		struct pmg_policy_rule rule = { .text = text, .source = source };

		random_pattern(state, text, sizeof text);
		rule.access = (enum pmg_access)random_below(state, 3);
		/* As many allows as all the others together, else hardly anything is allowed. */
		rule.rank = random_below(state, 2)
				    ? PMG_RANK_ALLOW
				    : (enum pmg_rank)random_below(state, PMG_RANK_MAX);
		rule.roles = 1 + random_below(state, 3);
		rule.packages_exempt = random_below(state, 3) == 0;
		assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
	}
	pmg_policy_seal(policy);
	return policy;
}

static bool has_access(const struct pmg_subtree *tree, enum pmg_access access)
{
	return access == PMG_ACCESS_READ    ? tree->read
	       : access == PMG_ACCESS_WRITE ? tree->write
					    : tree->exec;
}

static bool is_granted(const struct pmg_subtrees *trees, enum pmg_access access, const char *path)
{
	size_t i;

	for (i = 0; i < trees->n; i++)
		if (has_access(&trees->v[i], access) && pmg_path_is_under(path, trees->v[i].path))
			return true;
	return false;
}

static bool is_said_pure(const struct pmg_policy *policy, const struct pmg_subtrees *trees,
			 enum pmg_access access, const char *path)
{
	size_t i;

	for (i = 0; i < trees->n; i++) {
		const struct pmg_subtree *tree = &trees->v[i];

		if (pmg_path_is_under(path, tree->path) &&
		    ((access == PMG_ACCESS_READ && tree->read &&
		      pmg_policy_is_pure(policy, access, tree->path)) ||
		     (access == PMG_ACCESS_WRITE && tree->pure_write)))
			return true;
	}
	return false;
}

static bool is_exempt_plainly(const struct pmg_policy *policy, enum pmg_access access,
			      const char *path)
{
	pmg_autofree char *dir = pmg_path_dir(path);

	if (access != PMG_ACCESS_WRITE)
		return pmg_policy_in_package(policy, path);
	return strlen(path) > 1 && !pmg_streq(path, policy->project) &&
	       pmg_policy_opens_package(policy, dir);
}

/* Does it hold for path, or for a folder above that it names, and that is not exempt? */
static bool holds_plainly(const struct pmg_policy *policy, const struct pmg_policy_rule *rule,
			  enum pmg_access access, const char *path)
{
	pmg_autofree char *at = pmg_xstrdup(path);
	pmg_autofree char *named = NULL;

	if (!pmg_glob_match(rule->glob, path))
		return false;
	while (strlen(at) > 1) {
		char *up = pmg_path_dir(at);

		if (pmg_glob_match(rule->glob, at)) {
			free(named);
			named = pmg_xstrdup(at);
		}
		free(at);
		at = up;
	}
	return !rule->packages_exempt || !is_exempt_plainly(policy, access, path) ||
	       (named && !is_exempt_plainly(policy, access, named));
}

/* The strongest of all rules that meet the question; PMG_RANK_MAX: none does. */
static enum pmg_rank best_plainly(const struct pmg_policy *policy, enum pmg_access access,
				  enum pmg_access exempt, enum pmg_role role, const char *path)
{
	enum pmg_rank best = PMG_RANK_MAX;
	size_t i;

	for (i = 0; i < policy->n_rules; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		if (rule->access == access && (rule->roles & (unsigned)role) && rule->rank < best &&
		    holds_plainly(policy, rule, exempt, path))
			best = rule->rank;
	}
	return best;
}

static bool denies(enum pmg_rank rank)
{
	return rank != PMG_RANK_OPT_OUT && rank != PMG_RANK_ALLOW && rank != PMG_RANK_MAX;
}

/* The answer once more, said plainly: of all rules that meet the question, the strongest; and what
 * stronger rules close for everybody to read is not there to be written or started. */
static bool is_allowed_plainly(const struct pmg_policy *policy, enum pmg_access access,
			       enum pmg_role role, const char *path)
{
	enum pmg_rank best = best_plainly(policy, access, access, role, path);
	enum pmg_rank manager =
		best_plainly(policy, PMG_ACCESS_READ, access, PMG_ROLE_MANAGER, path);
	enum pmg_rank script = best_plainly(policy, PMG_ACCESS_READ, access, PMG_ROLE_SCRIPT, path);

	if (best == PMG_RANK_MAX || denies(best))
		return false;
	if (access == PMG_ACCESS_READ || (!denies(manager) && !denies(script)))
		return true;
	return (manager != PMG_RANK_MAX && (!denies(manager) || manager > best)) ||
	       (script != PMG_RANK_MAX && (!denies(script) || script > best));
}

struct seen {
	unsigned allowed, pure;
};

static void check(const struct pmg_policy *policy, const struct pmg_subtrees *trees,
		  enum pmg_access access, const char *path, struct seen *seen)
{
	bool both = true;
	int role;

	for (role = PMG_ROLE_MANAGER; role <= PMG_ROLE_SCRIPT; role++) {
		bool allowed = pmg_policy_ask(policy, access, (enum pmg_role)role, path).allowed;

		if (allowed != is_allowed_plainly(policy, access, (enum pmg_role)role, path))
			fail_msg("%s %s is decided in two ways", pmg_access_name(access), path);
		if (allowed && !is_granted(trees, access, path))
			fail_msg("%s %s is allowed and not granted", pmg_access_name(access), path);
		seen->allowed += allowed;
		both &= allowed;
	}
	if (!is_said_pure(policy, trees, access, path))
		return;
	if (!both)
		fail_msg("%s %s lies in a pure folder", pmg_access_name(access), path);
	seen->pure++;
}

static void what_is_allowed_is_granted_and_what_is_pure_is_allowed(void **state)
{
	uint32_t random = 20261130;
	struct seen seen = { 0, 0 };
	unsigned i, k;
	int access;

	(void)state;
	for (i = 0; i < POLICIES; i++) {
		pmg_auto(policy) struct pmg_policy *policy = random_policy(&random);
		pmg_auto(subtrees) struct pmg_subtrees trees = { 0 };

		pmg_policy_subtrees(policy, &trees);
		for (k = 0; k < PATHS; k++) {
			char path[128];

			random_path(&random, path, sizeof path);
			for (access = 0; access <= PMG_ACCESS_EXEC; access++)
				check(policy, &trees, (enum pmg_access)access, path, &seen);
		}
	}
	/* Else this has shown nothing. */
	assert_true(seen.allowed > POLICIES * PATHS / 10);
	assert_true(seen.pure > POLICIES * PATHS / 100);
}

/* @return 1: something denied there is allowed once its folder has another name */
static unsigned move(const struct pmg_policy *policy, enum pmg_access access, const char *dir,
		     const char *rest)
{
	pmg_autofree char *parent = pmg_path_dir(dir);
	pmg_autofree char *from = pmg_xasprintf("%s%s", dir, rest);
	pmg_autofree char *to = pmg_xasprintf("%s/.zz%s", parent[1] ? parent : "", rest);
	struct pmg_decision was = pmg_policy_ask(policy, access, PMG_ROLE_SCRIPT, from);
	struct pmg_decision is = pmg_policy_ask(policy, access, PMG_ROLE_SCRIPT, to);

	/* What is hidden is so for another role as well, which need not be told apart here. */
	if (was.allowed || !was.rule || was.rule->access != access || !is.allowed)
		return 0;
	if (!pmg_policy_anchors_below(policy, access, dir))
		fail_msg("%s escapes %s as %s", from, was.rule->text, to);
	return 1;
}

/* Where a denied thing is allowed once its folder has another name, moving the folder is refused.
 */
static void a_rule_that_a_move_escapes_is_found(void **state)
{
	uint32_t random = 42;
	unsigned i, k, found[2] = { 0, 0 };

	(void)state;
	for (i = 0; i < POLICIES; i++) {
		pmg_auto(policy) struct pmg_policy *policy = random_policy(&random);

		for (k = 0; k < PATHS; k++) {
			char dir[128], rest[128];

			random_path(&random, dir, sizeof dir);
			random_path(&random, rest, sizeof rest);
			if (!dir[1] || !rest[1])
				continue;
			found[0] += move(policy, PMG_ACCESS_READ, dir, rest);
			found[1] += move(policy, PMG_ACCESS_WRITE, dir, rest);
		}
	}
	assert_true(found[0] > 20 && found[1] > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_allowed_is_granted_and_what_is_pure_is_allowed),
		cmocka_unit_test(a_rule_that_a_move_escapes_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
