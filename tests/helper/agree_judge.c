/* What a policy says of a call: docs/policy.md for each of them. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "tests/helper/agree.h"
#include "violation/codes.h"

#define CODE_TREE 2012

struct judge {
	const struct pmg_policy *policy;
	enum pmg_role role;
	struct agree_verdict *out;
	struct pmg_hidden hidden;
};

static void deny(struct judge *judge, int code, const struct pmg_policy_rule *rule,
		 const char *target)
{
	struct agree_reason *reason = &judge->out->v[judge->out->n];

	if (judge->out->n == AGREE_REASONS)
		return;
	judge->out->n++;
	*reason = (struct agree_reason){ .code = code, .rule = rule };
	(void)snprintf(reason->target, sizeof reason->target, "%s", target);
}

/* @param code  0: that of the access */
static void need(struct judge *judge, enum pmg_access access, int code, const char *path)
{
	struct pmg_decision got = pmg_policy_ask(judge->policy, access, judge->role, path);

	if (!got.allowed)
		deny(judge, code ? code : pmg_code_of_access(access), got.rule, path);
}

static bool is_there(const char *path, struct stat *st)
{
	return lstat(path, st) == 0;
}

/* Closed for reading to everybody, by a rule: within walls something empty lies over it. */
static bool is_hidden(const struct judge *judge, const char *path)
{
	return pmg_hidden_has(&judge->hidden, judge->policy, path);
}

/* A way through the tree. */
struct way {
	char at[AGREE_PATH];   /* where it has led to */
	char rest[AGREE_PATH]; /* what is still to go */
	unsigned links;
};

static void take_step(struct way *way, char name[AGREE_PATH])
{
	size_t len = strcspn(way->rest, "/");

	memcpy(name, way->rest, len);
	name[len] = '\0';
	len += strspn(way->rest + len, "/");
	memmove(way->rest, way->rest + len, strlen(way->rest + len) + 1);
}

static void go_up(struct way *way)
{
	char *slash = strrchr(way->at, '/');

	if (slash)
		*slash = '\0';
}

/* A link: what it says comes before the rest. */
static bool follow(struct way *way, const char *link)
{
	char target[AGREE_PATH];
	pmg_autofree char *rest = NULL;
	ssize_t n = readlink(link, target, sizeof target - 1);

	if (n < 0 || ++way->links > 12)
		return false;
	target[n] = '\0';
	rest = pmg_xasprintf("%s%s%s", target, way->rest[0] ? "/" : "", way->rest);
	(void)snprintf(way->rest, sizeof way->rest, "%s", rest);
	return true;
}

/* One step on. @return 1: it goes on; 0: it leads to out; -1: nowhere */
static int step(struct judge *judge, struct way *way, bool last, char out[AGREE_PATH])
{
	char name[AGREE_PATH];
	pmg_autofree char *next = NULL;
	struct stat st;

	if (is_hidden(judge, way->at[0] ? way->at : "/")) {
		next = pmg_path_join(way->at, way->rest);
		(void)snprintf(out, AGREE_PATH, "%s", next);
		return 0;
	}
	take_step(way, name);
	if (strcmp(name, "..") == 0) {
		go_up(way);
		return 1;
	}
	next = pmg_xasprintf("%s/%s", way->at, name);
	if (!is_there(next, &st)) {
		(void)snprintf(out, AGREE_PATH, "%s", next);
		return way->rest[0] ? -1 : 0;
	}
	if (S_ISLNK(st.st_mode) && (last || way->rest[0]))
		return follow(way, next) ? 1 : -1;
	if (way->rest[0] && !S_ISDIR(st.st_mode))
		return -1;
	(void)snprintf(way->at, sizeof way->at, "%s", next);
	return 1;
}

/*
 * What a name leads to; `last`: the last part too, if it is a link. In a folder that is hidden
 * nothing leads anywhere: what is asked for is what it is called there.
 * @return false: it leads nowhere, whatever the policy
 */
static bool find(struct judge *judge, const char *path, bool last, char out[AGREE_PATH])
{
	struct way way = { .at = "" };
	int r = 1;

	(void)snprintf(way.rest, sizeof way.rest, "%s", path + 1);
	while (r == 1 && way.rest[0])
		r = step(judge, &way, last, out);
	if (r == 1)
		(void)snprintf(out, AGREE_PATH, "%s", way.at);
	return r >= 0;
}

static bool is_hidden_somewhere(const struct judge *judge, const char *path)
{
	char part[AGREE_PATH];
	size_t i;

	for (i = 1; path[i - 1] && i < sizeof part; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (is_hidden(judge, part))
			return true;
	}
	return false;
}

/* Landlock has rights to make and remove a name on its folder alone. Outside of the project the
 * topmost name that a rule allows is made before the start, and stays. */
static void need_name(struct judge *judge, int code, const char *path)
{
	need(judge, PMG_ACCESS_WRITE, code, path);
	if (judge->out->n == 0 && !pmg_policy_can_name(judge->policy, path))
		deny(judge, code ? code : pmg_code_of_access(PMG_ACCESS_WRITE), NULL, path);
}

static void judge_open(struct judge *judge, const struct agree_call *call)
{
	bool writes = call->op != AGREE_READ && call->op != AGREE_LIST;
	char object[AGREE_PATH];
	struct stat st;

	if (!find(judge, call->a, true, object))
		return;
	if (call->op == AGREE_CREATE && !is_there(object, &st))
		need_name(judge, 0, object);
	else if (writes)
		need(judge, PMG_ACCESS_WRITE, 0, object);
	if (!writes || call->op == AGREE_BOTH)
		need(judge, PMG_ACCESS_READ, 0, object);
}

/* Something new by its own name. */
static void judge_new(struct judge *judge, const struct agree_call *call)
{
	char place[AGREE_PATH];

	if (find(judge, call->a, false, place))
		need_name(judge, 0, place);
}

static void judge_gone(struct judge *judge, const struct agree_call *call)
{
	char place[AGREE_PATH];

	if (find(judge, call->a, false, place))
		need_name(judge, CODE_TREE, place);
}

/* May all below be read and written? */
static bool is_open_below(const struct judge *judge, const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	bool open = true;

	while (open && dir && (entry = readdir(dir))) {
		pmg_autofree char *path = pmg_path_join(folder, entry->d_name);

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		open = pmg_policy_ask(judge->policy, PMG_ACCESS_READ, judge->role, path).allowed &&
		       pmg_policy_ask(judge->policy, PMG_ACCESS_WRITE, judge->role, path).allowed &&
		       (entry->d_type != DT_DIR || is_open_below(judge, path));
	}
	if (dir)
		(void)closedir(dir);
	return open;
}

/* A folder takes what is in it along: from under rules for its place, and to where rules for
 * packages' own files hold. */
static void judge_folder(struct judge *judge, const char *from, const char *to)
{
	static const enum pmg_access accesses[] = { PMG_ACCESS_READ, PMG_ACCESS_WRITE,
						    PMG_ACCESS_EXEC };
	const struct pmg_policy_rule *rule;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(accesses); i++) {
		rule = pmg_policy_anchors_below(judge->policy, accesses[i], from);
		if (rule)
			deny(judge, CODE_TREE, rule, from);
	}
	if (pmg_policy_opens_package(judge->policy, to) &&
	    !pmg_policy_opens_package(judge->policy, from) && !is_open_below(judge, from))
		deny(judge, CODE_TREE, NULL, from);
}

static void judge_rename(struct judge *judge, const struct agree_call *call)
{
	char from[AGREE_PATH], to[AGREE_PATH];
	bool is_folder;
	struct stat st;

	if (!find(judge, call->a, false, from))
		return;
	is_folder = is_there(from, &st) && S_ISDIR(st.st_mode);
	need_name(judge, CODE_TREE, from);
	need(judge, PMG_ACCESS_READ, CODE_TREE, from);
	if (!find(judge, call->b, false, to))
		return;
	need_name(judge, CODE_TREE, to);
	if (is_folder)
		judge_folder(judge, from, to);
}

static void judge_link(struct judge *judge, const struct agree_call *call)
{
	char from[AGREE_PATH], to[AGREE_PATH];

	if (!find(judge, call->a, false, from))
		return;
	need(judge, PMG_ACCESS_READ, CODE_TREE, from);
	need(judge, PMG_ACCESS_WRITE, CODE_TREE, from);
	if (!find(judge, call->b, false, to))
		return;
	need_name(judge, CODE_TREE, to);
	/* In a hidden folder the name is judged as the first one is. */
	if (is_hidden_somewhere(judge, to))
		need(judge, PMG_ACCESS_READ, CODE_TREE, to);
}

/* What lies over something hidden is no program; it was to be started all the same. */
static void judge_exec(struct judge *judge, const struct agree_call *call)
{
	char object[AGREE_PATH];
	struct stat st;

	if (!find(judge, call->a, true, object))
		return;
	if (is_hidden_somewhere(judge, object) ||
	    (is_there(object, &st) && S_ISREG(st.st_mode) && (st.st_mode & 0100)))
		need(judge, PMG_ACCESS_EXEC, 0, object);
}

/* Where somebody may make sockets, those that are there are the run's own. */
static void judge_connect(struct judge *judge, const struct agree_call *call)
{
	char object[AGREE_PATH];
	pmg_autofree char *target = NULL;
	struct pmg_decision got;
	bool can;

	if (!find(judge, call->a, true, object))
		return;
	got = pmg_policy_ask(judge->policy, PMG_ACCESS_UNIX, judge->role, object);
	can = got.allowed ||
	      (!got.rule &&
	       pmg_policy_ask(judge->policy, PMG_ACCESS_WRITE, judge->role, object).allowed);
	if (can)
		return;
	target = pmg_xasprintf("unix %s", object);
	deny(judge, pmg_code_of_access(PMG_ACCESS_UNIX), got.rule, target);
}

void agree_judge(const struct pmg_policy *policy, const struct agree_call *call,
		 struct agree_verdict *out)
{
	static void (*const ops[AGREE_OP_MAX])(struct judge *, const struct agree_call *) = {
		[AGREE_READ] = judge_open,       [AGREE_WRITE] = judge_open,
		[AGREE_BOTH] = judge_open,       [AGREE_TRUNCATE] = judge_open,
		[AGREE_CREATE] = judge_open,     [AGREE_LIST] = judge_open,
		[AGREE_CREATE_NEW] = judge_new,  [AGREE_MKDIR] = judge_new,
		[AGREE_SYMLINK] = judge_new,     [AGREE_UNLINK] = judge_gone,
		[AGREE_RMDIR] = judge_gone,      [AGREE_RENAME] = judge_rename,
		[AGREE_HARD_LINK] = judge_link,  [AGREE_EXEC] = judge_exec,
		[AGREE_CONNECT] = judge_connect,
	};
	struct judge judge = { .policy = policy, .role = call->role, .out = out };

	*out = (struct agree_verdict){ 0 };
	pmg_policy_hidden(policy, &judge.hidden);
	ops[call->op](&judge, call);
	pmg_hidden_done(&judge.hidden);
}
