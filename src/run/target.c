#include "run/target.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/policy.h"

#define LINKS_MAX 40U /* path_resolution(7) */

/* A walk: `done` is canonical, `rest` is still to be gone. */
struct walk {
	char *done;
	char *rest;
	unsigned links;
	bool missing; /* done is not there: what follows is text */
	const struct pmg_policy *policy;
	struct pmg_hidden hidden;
};

static void walk_done(struct walk *walk)
{
	free(walk->done);
	free(walk->rest);
	pmg_hidden_done(&walk->hidden);
}
PMG_DEFINE_AUTO_DONE(walk, struct walk, walk_done);

static void set(char **to, char *taken)
{
	free(*to);
	*to = taken;
}

static bool is_own(const char *path)
{
	return strcmp(path, "/proc/self") == 0 || strcmp(path, "/proc/thread-self") == 0;
}

/* @return length; 0: it is none that can be followed by its text ("pipe:[1]"); -1: too many */
static ssize_t follow(struct walk *walk, const char *path, const char *rest)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof to - 1);

	if (n <= 0 || (to[0] != '/' && pmg_path_is_under(path, "/proc") && strchr(to, ':')))
		return 0;
	to[n] = '\0';
	if (++walk->links > LINKS_MAX) {
		errno = ELOOP;
		return -1;
	}
	if (to[0] == '/')
		set(&walk->done, pmg_xstrdup("/"));
	set(&walk->rest, pmg_xasprintf("%s/%s", to, rest));
	return n;
}

/* One component. @return -1 with errno */
static int step(struct walk *walk, const char *name, const char *rest, struct stat *st)
{
	pmg_autofree char *next = NULL;
	ssize_t n;

	if (strcmp(name, "..") == 0) {
		set(&walk->done, pmg_path_dir(walk->done));
		walk->missing = walk->missing && lstat(walk->done, st) < 0;
		set(&walk->rest, pmg_xstrdup(rest));
		return 0;
	}
	if (walk->policy && !walk->missing)
		walk->missing = pmg_hidden_has(&walk->hidden, walk->policy, walk->done);
	next = pmg_path_join(walk->done, name);
	*st = (struct stat){ 0 };
	if (!walk->missing && lstat(next, st) < 0) {
		if (errno == ENOTDIR || errno == ENAMETOOLONG)
			return -1;
		*st = (struct stat){ 0 };
		walk->missing = true;
	}
	if (S_ISLNK(st->st_mode) && !is_own(next)) {
		n = follow(walk, next, rest);
		if (n != 0)
			return n < 0 ? -1 : 0;
	}
	set(&walk->done, pmg_steal_ptr(&next));
	set(&walk->rest, pmg_xstrdup(rest));
	return 0;
}

char *pmg_target_find(const struct pmg_policy *policy, const char *cwd, const char *path,
		      struct stat *st)
{
	pmg_auto(walk) struct walk walk = { .done = pmg_xstrdup(path[0] == '/' ? "/" : cwd),
					    .rest = pmg_xstrdup(path),
					    .policy = policy };

	if (policy)
		pmg_policy_hidden(policy, &walk.hidden);
	while (true) {
		pmg_autofree char *name = NULL;
		pmg_autofree char *rest = NULL;
		const char *p = walk.rest + strspn(walk.rest, "/");
		size_t n = strcspn(p, "/");

		if (n == 0)
			break;
		if (strlen(walk.done) + strlen(p) >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return NULL;
		}
		name = pmg_xstrndup(p, n);
		rest = pmg_xstrdup(p + n);
		if (strcmp(name, ".") == 0)
			set(&walk.rest, pmg_steal_ptr(&rest));
		else if (step(&walk, name, rest, st) < 0)
			return NULL;
	}
	if (walk.missing || stat(walk.done, st) < 0)
		*st = (struct stat){ 0 };
	return pmg_steal_ptr(&walk.done);
}
