#ifndef PMG_TESTS_HELPER_CHILD_H
#define PMG_TESTS_HELPER_CHILD_H
/** Actions that change a process for good, in a child: as we are, or as an ordinary user. */
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_USER   65534 /* nobody, whose files are nobody's */
#define CHILD_FAILED 250

/* In the child: leave root. A change of user makes a process not dumpable, and then its /proc/self
 * belongs to root; an ordinary user's shell has no such past. */
static inline int child_become_ordinary(void)
{
	if (geteuid() != 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(CHILD_USER, CHILD_USER, CHILD_USER) < 0 ||
	    setresuid(CHILD_USER, CHILD_USER, CHILD_USER) < 0)
		return -1;
	return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/** The action's result, or 128 and its signal. */
static inline int in_child(int (*action)(void), bool ordinary)
{
	int status = 0;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(ordinary && child_become_ordinary() < 0 ? CHILD_FAILED : action());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return CHILD_FAILED;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/** The action as we are, if that is root, and as an ordinary user. */
#define CHILD_BOTH(action)                                                                         \
	do {                                                                                       \
		if (geteuid() == 0)                                                                \
			assert_int_equal(in_child(action, false), 0);                              \
		assert_int_equal(in_child(action, true), 0);                                       \
	} while (0)

/** A test of that name. */
#define CHILD_CASE(name, action)                                                                   \
	static void name(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		CHILD_BOTH(action);                                                                \
	}

/** For in_child(): 0 where a process can be confined (behind kernel/confine.h). */
#define CHILD_CONFINED(name)                                                                       \
	static int name(void)                                                                      \
	{                                                                                          \
		const struct pmg_confine nothing = { 0 };                                          \
		struct pmg_err err = PMG_ERR_INIT;                                                 \
                                                                                                   \
		return pmg_confine_self(&nothing, &err) < 0;                                       \
	}

/** What main gives back where the kernel has not what all of it is about: where the tests must
 * work that is a failure. */
static inline int child_skip(const char *why)
{
	fprintf(stderr, "skip: %s\n", why);
	return getenv("PMG_MUST_WORK") ? 1 : 77;
}

/** In a child: the line at which it went wrong is its result. */
#define CHILD_CHECK(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

/** The same for a call of ours that fills err. */
#define CHILD_OK(call, err)                                                                        \
	do {                                                                                       \
		if ((call) < 0) {                                                                  \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (err).msg);             \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

#endif
