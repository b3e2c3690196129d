#ifndef PMG_TESTS_UNIT_BUILDING_H
#define PMG_TESTS_UNIT_BUILDING_H
/** For the tests of what makes a policy: a home, a project in it, and pmg's folders, in a folder of
 * the test's own. Texts of rows name them as {home}, {project}, {config}, {top}. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/str.h"
#include "policy/build.h"

struct building {
	char *top, *home, *project, *config, *state, *run;
	struct pmg_policy_facts facts;
};

static inline char *building_text(const struct building *b, const char *text)
{
	const struct {
		const char *mark, *value;
	} rows[] = { { "{top}", b->top },         { "{home}", b->home },
		     { "{project}", b->project }, { "{config}", b->config },
		     { "{state}", b->state },     { "{run}", b->run } };
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(1048576);
	size_t i, n;
	int r = 0;

	while (*text && r == 0) {
		for (i = 0, n = 0; i < PMG_ARRAY_LEN(rows) && n == 0; i++)
			if (pmg_str_has_prefix(text, rows[i].mark)) {
				n = strlen(rows[i].mark);
				r = pmg_str_adds(&out, rows[i].value);
			}
		if (n == 0)
			r = pmg_str_add(&out, text, n = 1);
		text += n;
	}
	return r == 0 ? pmg_str_steal(&out) : NULL;
}

static inline void building_write(const struct building *b, const char *name, const char *text)
{
	pmg_autofree char *filled = building_text(b, text);

	folder_write(b->top, name, filled, strlen(filled));
}

static inline void building_add(const struct building *b, struct pmg_strv *list, const char *text)
{
	pmg_strv_take(list, building_text(b, text));
}

/** A project with a repository, a cache, a store, nvm, and nothing else. */
static inline void building_begin(struct building *b, const char *manager, const char *tool)
{
	*b = (struct building){ .top = folder_new() };
	b->home = pmg_path_join(b->top, "home");
	b->project = pmg_path_join(b->top, "home/project");
	b->config = pmg_path_join(b->top, "home/.config/pmg");
	b->state = pmg_path_join(b->top, "home/.local/state/pmg");
	b->run = pmg_path_join(b->top, "run/r-1");
	folder_write(b->top, "home/project/package.json", "{}", 2);
	folder_write(b->top, "home/.config/pmg/config.yml", "", 0);
	b->facts.manager = manager;
	b->facts.tool = tool;
	b->facts.cwd = b->project;
	b->facts.project = b->project;
	b->facts.repository = b->project;
	b->facts.home = b->home;
	b->facts.tmp = "/tmp";
	b->facts.config_dir = b->config;
	b->facts.state_dir = b->state;
	b->facts.cache_dir = "/tmp/cache/pmg"; /* as where a job keeps all caches in one folder */
	b->facts.run_dir = b->run;
	building_add(b, &b->facts.caches, "{home}/.npm");
	building_add(b, &b->facts.stores, "{home}/.local/share/pnpm/store");
	building_add(b, &b->facts.programs, "{home}/.nvm/versions/node/v22");
	building_add(b, &b->facts.configs, "{home}/.npmrc");
	building_add(b, &b->facts.git_configs, "{home}/.gitconfig");
	building_add(b, &b->facts.git_dirs, "{project}/.git");
	building_add(b, &b->facts.hooks, "{project}/.husky/_");
}

/** "NAME=PLACE": one place; "NAME+=PLACE": one more of several; "NAME=": none of them;
 * "git-secret".
 * @param kept  holds the texts that the facts borrow. @return false: no such fact */
static inline bool building_fact(struct building *b, const char *word, struct pmg_strv *kept)
{
	struct pmg_policy_facts *facts = &b->facts;
	const struct {
		const char *name;
		const char **one;
		struct pmg_strv *several;
	} rows[] = {
		{ "cwd", &facts->cwd, NULL },
		{ "project", &facts->project, NULL },
		{ "repository", &facts->repository, NULL },
		{ "home", &facts->home, NULL },
		{ "tmp", &facts->tmp, NULL },
		{ "caches", NULL, &facts->caches },
		{ "stores", NULL, &facts->stores },
		{ "prefixes", NULL, &facts->prefixes },
		{ "programs", NULL, &facts->programs },
		{ "configs", NULL, &facts->configs },
		{ "git-configs", NULL, &facts->git_configs },
		{ "git-dirs", NULL, &facts->git_dirs },
		{ "hooks", NULL, &facts->hooks },
	};
	size_t i, len = strcspn(word, "+=");

	if (strcmp(word, "git-secret") == 0)
		return facts->git_secret = true;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		if (strncmp(rows[i].name, word, len) != 0 || rows[i].name[len] != '\0')
			continue;
		if (rows[i].several && strcmp(word + len, "=") == 0) {
			pmg_strv_done(rows[i].several);
		} else if (rows[i].several && pmg_str_has_prefix(word + len, "+=")) {
			building_add(b, rows[i].several, word + len + 2);
		} else if (rows[i].one && word[len] == '=') {
			building_add(b, kept, word + len + 1);
			*rows[i].one = kept->v[kept->n - 1];
		} else {
			return false;
		}
		return true;
	}
	return false;
}

static inline void building_end(struct building *b)
{
	folder_free(b->top);
	free(b->home);
	free(b->project);
	free(b->config);
	free(b->state);
	free(b->run);
	pmg_policy_facts_done(&b->facts);
}

/** A policy by profile and allowances (a text of words apart by blanks, NULL for none). */
static inline int building_try(struct building *b, const char *profile, const char *allows,
			       struct pmg_policy **out, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv list = { 0 };
	struct pmg_policy_want want = { .facts = &b->facts, .profile = profile, .allows = &list };
	pmg_autofree char *filled = building_text(b, allows ? allows : "");

	pmg_strv_split(&list, filled, " ");
	return pmg_policy_build(&want, out, err);
}

static inline struct pmg_policy *building_policy(struct building *b, const char *profile,
						 const char *allows)
{
	struct pmg_policy *policy = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (building_try(b, profile, allows, &policy, &err) < 0)
		fail_msg("%s (%s)", err.msg, err.hint);
	return policy;
}

/* One question: "r", "w", "x" by manager "m", script "s" or both "", and the answer. */
struct building_row {
	const char *ask;  /* "read", "write", "exec", "unix", "env" */
	const char *role; /* "m", "s"; "ms": both */
	const char *object;
	bool allowed;
};

static inline enum pmg_access building_access(const char *name)
{
	int i;

	for (i = 0; i < PMG_ACCESS_MAX; i++)
		if (strcmp(pmg_access_name((enum pmg_access)i), name) == 0)
			return (enum pmg_access)i;
	fail_msg("no access %s", name);
	return PMG_ACCESS_MAX;
}

static inline struct pmg_decision building_decide(const struct pmg_policy *policy,
						  enum pmg_access access, enum pmg_role role,
						  const char *object)
{
	if (access == PMG_ACCESS_CONNECT || access == PMG_ACCESS_BIND)
		return pmg_policy_ask_net(policy, access, role, object, 443);
	return pmg_policy_ask(policy, access, role, object);
}

static inline void building_ask(struct building *b, const struct pmg_policy *policy,
				const struct building_row *rows, size_t n)
{
	static const struct {
		char letter;
		enum pmg_role role;
	} roles[] = { { 'm', PMG_ROLE_MANAGER }, { 's', PMG_ROLE_SCRIPT } };
	struct pmg_decision got;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < PMG_ARRAY_LEN(roles); k++) {
			pmg_autofree char *object = building_text(b, rows[i].object);

			if (!strchr(rows[i].role, roles[k].letter))
				continue;
			got = building_decide(policy, building_access(rows[i].ask), roles[k].role,
					      object);
			if (got.allowed != rows[i].allowed)
				fail_msg("%s %s by %c is %s by %s (%s)", rows[i].ask, object,
					 roles[k].letter, got.allowed ? "allowed" : "denied",
					 got.rule ? got.rule->text : "no rule",
					 got.rule ? got.rule->source : "");
		}
}

#endif
