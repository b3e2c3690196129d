#include "sandbox/walls_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>

#include <cmocka.h>

#include "../helper/walled.h"
#include "base/str.h"
#include "kernel/procfs.h"

/* What is tried in each domain, and whether it works there. */
struct row {
	const char *name; /* below the project */
	int flags;
	bool outer, inner;
};

static const struct row rows[] = {
	{ "open", O_RDONLY, true, true },
	{ ".env", O_RDONLY, true, true }, /* Landlock cannot subtract: broker and masks do */
	{ "open", O_WRONLY, false, false },
	{ "new", O_WRONLY | O_CREAT, false, false },
	{ "deps/new", O_WRONLY | O_CREAT, true, true }, /* nothing is denied there */
	{ "mixed/new", O_WRONLY | O_CREAT, true, false },
	{ "linked/new", O_WRONLY | O_CREAT, false, false }, /* leads out of the project */
	{ "../other", O_RDONLY, false, false },
	{ "../other", O_WRONLY | O_CREAT, false, false },
	{ "../../run/dir/bundle", O_RDONLY, true, true },
	{ "../../run/dir/bundle", O_WRONLY, false, false },
};

/* How starting a program of HOME ends: 126 is "permission denied", as a shell says it. */
static int start(const struct walled *walled, const char *name)
{
	pmg_autofree char *path = pmg_path_join(walled->home, name);
	char *argv[] = { path, NULL };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		(void)execv(path, argv);
		_exit(errno == EACCES ? 126 : 127);
	}
	CHILD_CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int try(const struct walled *walled, const struct row *row)
{
	pmg_autofree char *path = pmg_path_join(walled->project, row->name);
	int fd = open(path, row->flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	(void)close(fd);
	return 0;
}

static int begin(struct walled *walled, struct pmg_landlock **outer, struct pmg_landlock **inner)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(subtrees) struct pmg_subtrees subtrees = { 0 };
	struct pmg_sandbox_want want = { 0 };
	pmg_autofree char *link = NULL, *away = NULL, *granted = NULL, *dropped = NULL;
	size_t i;
	int proc;

	walled_begin(walled, "/bin/true");
	link = pmg_path_join(walled->project, "linked");
	away = pmg_path_join(walled->home, "away");
	folder_write(walled->home, "away/x", "x", 1);
	CHILD_CHECK(symlink(away, link) == 0);
	walled_allow_below(walled, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, walled->project, "linked/**");
	folder_write(walled->project, "mixed/hooks/x", "x", 1);
	folder_write(walled->home, "other", "x", 1);
	folder_write(walled->run_dir, "bundle", "x", 1);
	walled_allow_below(walled, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, walled->project, "mixed/**");
	walled_allow_below(walled, PMG_ACCESS_WRITE, PMG_RANK_MANDATORY_DENY, walled->project,
			   "mixed/hooks/**");
	/* As in a profile: what is closed for reading everywhere is not so among packages. */
	pmg_strv_add(&walled->policy->dependency_names, "deps");
	for (i = 0; i < walled->policy->n_rules; i++)
		if (walled->policy->rules[i].access == PMG_ACCESS_READ &&
		    walled->policy->rules[i].rank == PMG_RANK_MANDATORY_DENY)
			walled->policy->rules[i].packages_exempt = true;
	granted = pmg_path_join(walled->home, "granted");
	dropped = pmg_path_join(walled->home, "dropped");
	walled_copy("/bin/true", granted);
	walled_copy("/bin/true", dropped);
	walled_allow(walled, PMG_ACCESS_EXEC, PMG_RANK_OPT_OUT, granted); /* not to be read */
	walled_allow(walled, PMG_ACCESS_READ, PMG_RANK_ALLOW, "/dev/stdin");
	pmg_policy_seal(walled->policy);
	pmg_policy_subtrees(walled->policy, &subtrees);
	want = (struct pmg_sandbox_want){ .policy = walled->policy, .run_dir = walled->run_dir };
	proc = pmg_procfs_open(&err);
	CHILD_OK(proc, err);
	CHILD_OK(pmg_walls_domains(&want, &subtrees, false, proc, outer, inner, &err), err);
	CHILD_CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	return 0;
}

static int all_rows(bool both)
{
	struct walled walled;
	pmg_auto(landlock) struct pmg_landlock *outer = NULL, *inner = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	CHILD_CHECK(begin(&walled, &outer, &inner) == 0);
	CHILD_OK(pmg_landlock_restrict(outer, &err), err);
	if (both)
		CHILD_OK(pmg_landlock_restrict(inner, &err), err);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		bool allowed = both ? rows[i].inner : rows[i].outer;
		int r = try(&walled, &rows[i]);

		if (r != (allowed ? 0 : EACCES))
			fprintf(stderr, "%s: %d\n", rows[i].name, r);
		CHILD_CHECK(r == (allowed ? 0 : EACCES));
	}
	CHILD_CHECK(start(&walled, "granted") == 0);
	CHILD_CHECK(start(&walled, "dropped") == 126);
	return 0; /* the folder is removed with the place: from here it cannot be */
}

static int in_outer(void)
{
	return all_rows(false);
}

static int in_both(void)
{
	return all_rows(true);
}

static int without(void)
{
	struct walled walled;
	pmg_auto(landlock) struct pmg_landlock *outer = NULL, *inner = NULL;
	size_t i;

	CHILD_CHECK(begin(&walled, &outer, &inner) == 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		CHILD_CHECK(try(&walled, &rows[i]) == 0);
	CHILD_CHECK(start(&walled, "granted") == 0);
	CHILD_CHECK(start(&walled, "dropped") == 0);
	walled_end(&walled);
	return 0;
}

/* What /dev/stdin leads to may be no file at all. */
static int a_pipe(void)
{
	struct walled walled;
	pmg_auto(landlock) struct pmg_landlock *outer = NULL, *inner = NULL;
	int fds[2];

	CHILD_CHECK(pipe2(fds, O_CLOEXEC) == 0 && dup2(fds[0], 0) == 0);
	CHILD_CHECK(begin(&walled, &outer, &inner) == 0);
	walled_end(&walled);
	return 0;
}

/* A process outside is not signalled; one that is inside, or further in, is. */
static int signals(void)
{
	struct walled walled;
	pmg_auto(landlock) struct pmg_landlock *outer = NULL, *inner = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pid_t parent = getppid(), child;
	const struct pmg_landlock_abi *row = NULL;

	CHILD_OK(pmg_landlock_probe(&row, &err), err);
	CHILD_CHECK(begin(&walled, &outer, &inner) == 0);
	CHILD_CHECK(kill(parent, 0) == 0 || errno == EPERM); /* of another user */
	CHILD_OK(pmg_landlock_restrict(outer, &err), err);
	child = fork();
	if (child == 0) {
		if (pmg_landlock_restrict(inner, &err) < 0)
			_exit(1);
		(void)pause();
	}
	CHILD_CHECK(row->scope == 0 || (kill(parent, 0) < 0 && errno == EPERM));
	CHILD_CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
	return 0;
}

CHILD_CASE(unguarded_everything_works, without)
CHILD_CASE(the_outer_domain_is_what_can_be_allowed_at_all, in_outer)
CHILD_CASE(the_inner_domain_writes_only_where_nothing_is_denied, in_both)
CHILD_CASE(a_standard_stream_may_be_a_pipe, a_pipe)
CHILD_CASE(no_signal_leaves_the_domain, signals)

static int can(void)
{
	const struct pmg_landlock_abi *row = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_landlock_probe(&row, &err) < 0;
}

static void an_older_kernel_is_said(void **state)
{
	static const size_t notes_of[] = {
		[1] = 4, [2] = 4, [3] = 3, [4] = 3, [5] = 2, [6] = 0, [7] = 0
	};
	int version;

	(void)state;
	for (version = 1; version <= 7; version++) {
		pmg_auto(strv) struct pmg_strv notes = { 0 };

		pmg_walls_degraded(pmg_landlock_abi_row(version), &notes);
		assert_int_equal(notes.n, notes_of[version]);
		if (version == 2)
			assert_true(pmg_str_has_prefix(notes.v[0], "[PMG2005] Landlock ABI 2: "));
	}
}

int main(void)
{
	char self[PATH_MAX];
	pmg_auto(folder) char *place = walled_place(self);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_kernel_is_said),
		cmocka_unit_test(unguarded_everything_works),
		cmocka_unit_test(the_outer_domain_is_what_can_be_allowed_at_all),
		cmocka_unit_test(the_inner_domain_writes_only_where_nothing_is_denied),
		cmocka_unit_test(a_standard_stream_may_be_a_pipe),
		cmocka_unit_test(no_signal_leaves_the_domain),
	};

	(void)place; /* kept until the end */
	if (in_child(can, true) != 0)
		return child_skip("no Landlock here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
