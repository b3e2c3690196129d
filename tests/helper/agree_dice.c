/* Dice: rules and calls over a tree. */
#include "tests/helper/agree.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/vars.h"

unsigned agree_roll(struct agree_dice *dice, unsigned n)
{
	/* A linear congruential generator: its upper bits are good enough for dice. */
	dice->state = dice->state * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(dice->state >> 33) % n;
}

static const char *const names[] = { "f", "g", ".env", "run", "sk", "ln", "up", "gone" };

static char *on_disk(const struct agree_tree *tree, const char *name)
{
	return pmg_path_join(tree->top, name);
}

/* Rules are for what names lead to: none is about a link. */
static const struct agree_node *some_thing(const struct agree_tree *tree, struct agree_dice *dice)
{
	const struct agree_node *node;

	do
		node = &tree->v[agree_roll(dice, tree->n)];
	while (node->kind == AGREE_LINK);
	return node;
}

static char *pattern_of(const struct agree_tree *tree, struct agree_dice *dice, bool exact)
{
	const struct agree_node *node = some_thing(tree, dice);
	pmg_autofree char *path = on_disk(tree, node->name);
	pmg_autofree char *plain = pmg_glob_escape(path);
	pmg_autofree char *dir = pmg_path_dir(path);
	pmg_autofree char *plain_dir = pmg_glob_escape(dir);
	pmg_autofree char *project = on_disk(tree, "home/project");

	switch (exact ? 0U : agree_roll(dice, 7)) {
	case 0:
		return pmg_xstrdup(plain);
	case 1:
		return pmg_xasprintf("%s/**", node->kind == AGREE_DIR ? plain : plain_dir);
	case 2:
		return pmg_xasprintf("%s/*", plain_dir);
	case 3:
		return pmg_xasprintf("%s/**/%s", project, pmg_path_name(plain));
	case 4:
		return pmg_xasprintf("%s/[f-h.]*", plain_dir);
	case 5:
		return pmg_xasprintf("%s/**/b/**", project);
	default:
		return pmg_xasprintf("%s/?", plain_dir);
	}
}

static void add_rule(struct pmg_policy *policy, struct pmg_policy_rule *rule)
{
	static char source[] = "random";
	struct pmg_err err = PMG_ERR_INIT;

	rule->source = source;
	rule->layer = PMG_LAYER_PROFILE;
	if (pmg_policy_add(policy, rule, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		_exit(99);
	}
}

void agree_rules(struct pmg_policy *policy, const struct agree_tree *tree, struct agree_dice *dice)
{
	static const enum pmg_access accesses[] = { PMG_ACCESS_READ,  PMG_ACCESS_WRITE,
						    PMG_ACCESS_WRITE, PMG_ACCESS_WRITE,
						    PMG_ACCESS_EXEC,  PMG_ACCESS_UNIX };
	static const enum pmg_rank ranks[] = {
		PMG_RANK_ALLOW,          PMG_RANK_ALLOW,        PMG_RANK_ALLOW, PMG_RANK_ALLOW,
		PMG_RANK_ALLOW,          PMG_RANK_DENY,         PMG_RANK_DENY,  PMG_RANK_OPT_OUT,
		PMG_RANK_MANDATORY_DENY, PMG_RANK_MANAGED_DENY, PMG_RANK_HOOKS
	};
	static const enum pmg_access broad[] = { PMG_ACCESS_WRITE, PMG_ACCESS_EXEC };
	unsigned i, n = 8 + agree_roll(dice, 12);

	pmg_strv_add(&policy->dependency_names, "node_modules");
	for (i = 0; i < PMG_ARRAY_LEN(broad); i++) {
		pmg_autofree char *text = on_disk(tree, "home/project/**");
		struct pmg_policy_rule rule = { .access = broad[i],
						.rank = PMG_RANK_ALLOW,
						.roles = PMG_ROLE_ANY,
						.text = text };

		if (agree_roll(dice, 3))
			add_rule(policy, &rule);
	}
	for (i = 0; i < n; i++) {
		struct pmg_policy_rule rule = {
			.access = accesses[agree_roll(dice, PMG_ARRAY_LEN(accesses))],
			.rank = ranks[agree_roll(dice, PMG_ARRAY_LEN(ranks))],
			.roles = agree_roll(dice, 3) ? PMG_ROLE_ANY : 1 + agree_roll(dice, 2),
			.packages_exempt = agree_roll(dice, 6) == 0,
		};
		pmg_autofree char *text = pattern_of(tree, dice, rule.rank == PMG_RANK_OPT_OUT);

		pmg_autofree char *below = NULL;
		bool allows = rule.rank == PMG_RANK_ALLOW || rule.rank == PMG_RANK_OPT_OUT;

		/* As profiles are read: a deny holds for what is below. */
		below = allows || rule.access == PMG_ACCESS_UNIX || pmg_str_has_suffix(text, "/**")
				? NULL
				: pmg_xasprintf("%s/**", text);
		rule.text = below ? below : text;
		/* Without the project there is nothing to ask about. */
		if (!allows && pmg_str_has_suffix(rule.text, "/home/project/**"))
			continue;
		if (rule.rank == PMG_RANK_ALLOW || rule.rank == PMG_RANK_OPT_OUT)
			rule.packages_exempt = false;
		add_rule(policy, &rule);
	}
}

static const char *const op_names[AGREE_OP_MAX] = {
	"read",       "write",  "read and write", "truncate", "create",
	"create new", "list",   "mkdir",          "symlink",  "unlink",
	"rmdir",      "rename", "link",           "exec",     "connect",
};

const char *agree_name(enum agree_op op)
{
	return op_names[op];
}

/* What each can be done to; most calls should work without walls. */
static const enum agree_kind fit[AGREE_OP_MAX] = {
	[AGREE_READ] = AGREE_FILE,      [AGREE_WRITE] = AGREE_FILE,  [AGREE_BOTH] = AGREE_FILE,
	[AGREE_TRUNCATE] = AGREE_FILE,  [AGREE_CREATE] = AGREE_FILE, [AGREE_CREATE_NEW] = AGREE_DIR,
	[AGREE_LIST] = AGREE_DIR,       [AGREE_MKDIR] = AGREE_DIR,   [AGREE_SYMLINK] = AGREE_DIR,
	[AGREE_UNLINK] = AGREE_FILE,    [AGREE_RMDIR] = AGREE_DIR,   [AGREE_RENAME] = AGREE_FILE,
	[AGREE_HARD_LINK] = AGREE_FILE, [AGREE_EXEC] = AGREE_SCRIPT, [AGREE_CONNECT] = AGREE_SOCKET,
};

static const struct agree_node *some_node(const struct agree_tree *tree, struct agree_dice *dice,
					  enum agree_kind kind)
{
	const struct agree_node *node;
	int tries = 0;

	do
		node = &tree->v[agree_roll(dice, tree->n)];
	while (node->kind != kind && node->kind != AGREE_LINK && ++tries < 20);
	return node;
}

/* Something that is there, or a new name in it; now and then of another kind. */
static void some_path(const struct agree_tree *tree, struct agree_dice *dice, enum agree_kind kind,
		      bool new, char out[AGREE_PATH])
{
	const struct agree_node *node = agree_roll(dice, 6) ? some_node(tree, dice, kind)
							    : &tree->v[agree_roll(dice, tree->n)];

	if (new)
		(void)snprintf(out, AGREE_PATH, "%s/%s/%s", tree->top, node->name,
			       agree_roll(dice, 4) ? "new" : names[agree_roll(dice, 4)]);
	else
		(void)snprintf(out, AGREE_PATH, "%s/%s", tree->top, node->name);
}

void agree_call(const struct agree_tree *tree, struct agree_dice *dice, struct agree_call *out)
{
	bool makes;

	*out = (struct agree_call){ .op = (enum agree_op)agree_roll(dice, AGREE_OP_MAX),
				    .role = agree_roll(dice, 2) ? PMG_ROLE_SCRIPT
								: PMG_ROLE_MANAGER };
	/* What a manager forks to start something is no manager. */
	if (out->op == AGREE_EXEC)
		out->role = PMG_ROLE_SCRIPT;
	makes = out->op == AGREE_CREATE_NEW || out->op == AGREE_MKDIR || out->op == AGREE_SYMLINK;
	some_path(tree, dice, fit[out->op], makes, out->a);
	if (out->op == AGREE_RENAME || out->op == AGREE_HARD_LINK)
		some_path(tree, dice, AGREE_DIR, agree_roll(dice, 4) > 0, out->b);
}
