#ifndef PMG_TESTS_HELPER_AGREE_H
#define PMG_TESTS_HELPER_AGREE_H
/**
 * For test_sandbox_agree: a small random tree with links, random rules and calls over it, and what
 * the policy says of a call.
 */
#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

#define AGREE_PATH  320U
#define AGREE_NODES 96U

struct agree_dice {
	uint64_t state;
};
/** A number below n. */
unsigned agree_roll(struct agree_dice *dice, unsigned n);

enum agree_kind { AGREE_DIR, AGREE_FILE, AGREE_SCRIPT, AGREE_LINK, AGREE_SOCKET };
struct agree_node {
	enum agree_kind kind;
	char name[80];   /* below the top */
	char target[80]; /* of a link, relative */
};
struct agree_tree {
	char *top; /* "home/project" and "home/out" lie below it */
	struct agree_node v[AGREE_NODES];
	unsigned n;
};
/** Grow one below top, which has home/project. */
void agree_plant(struct agree_tree *tree, const char *top, struct agree_dice *dice);
/** The same elsewhere, in a folder of its own. */
void agree_copy(const struct agree_tree *from, struct agree_tree *out);
/** Frees; of a copy also what lies on disk. */
void agree_uproot(struct agree_tree *tree);

/** Random rules, source "random". */
void agree_rules(struct pmg_policy *policy, const struct agree_tree *tree, struct agree_dice *dice);

enum agree_op {
	AGREE_READ,
	AGREE_WRITE,
	AGREE_BOTH,
	AGREE_TRUNCATE,
	AGREE_CREATE,
	AGREE_CREATE_NEW,
	AGREE_LIST,
	AGREE_MKDIR,
	AGREE_SYMLINK,
	AGREE_UNLINK,
	AGREE_RMDIR,
	AGREE_RENAME,
	AGREE_HARD_LINK,
	AGREE_EXEC,
	AGREE_CONNECT,
	AGREE_OP_MAX
};
const char *agree_name(enum agree_op op);

struct agree_call {
	enum agree_op op;
	enum pmg_role role;
	char a[AGREE_PATH], b[AGREE_PATH]; /* absolute */
};
void agree_call(const struct agree_tree *tree, struct agree_dice *dice, struct agree_call *out);
/** The same call in a copy. */
void agree_move(const struct agree_tree *from, const struct agree_tree *to,
		struct agree_call *call);
/** @return 0 or errno */
int agree_perform(const struct agree_call *call);
/* Where a call's names lie, looked up before it: it may move what they lead through. */
struct agree_where {
	char a[AGREE_PATH], b[AGREE_PATH];
};
void agree_look(const struct agree_call *call, struct agree_where *out);
/** Put back what a call that ended with this result has changed. */
void agree_undo(const struct agree_tree *tree, const struct agree_call *call,
		const struct agree_where *where, int result);

/** Where a name lies, the last part not followed. @return 0 or errno */
int agree_place(const char *path, char out[AGREE_PATH]);
/** What it leads to. @return 0; ENOENT: out is where it would be made; other errno */
int agree_object(const char *path, char out[AGREE_PATH]);

#define AGREE_REASONS 12U
struct agree_reason {
	int code;
	const struct pmg_policy_rule *rule; /* NULL: none */
	char target[AGREE_PATH + 8];
};
struct agree_verdict {
	struct agree_reason v[AGREE_REASONS]; /* why it is denied; one of them is recorded */
	unsigned n;                           /* 0: it is not */
	bool left_out;                        /* nobody can say: the call is not made */
};
void agree_judge(const struct pmg_policy *policy, const struct agree_call *call,
		 struct agree_verdict *out);

#endif
