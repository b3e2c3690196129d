#ifndef PMG_TESTS_HELPER_CONFORM_H
#define PMG_TESTS_HELPER_CONFORM_H
/**
 * The same calls, once bare and once on behalf, in two trees that begin equal: results, errno, what
 * descriptors are, and the trees at the end must be equal.
 *
 * A call is a row: number and arguments. A text that begins with "@" stands for the tree's absolute
 * path. "$N" is the descriptor that an earlier row kept with .keep = N (1 to 9); it is given as a
 * number: KEPT(N). In a text "%N" stands for it, "%0" for the test program's process id.
 */
#include "tests/helper/broker.h"

#define CONFORM_ARGS 5

struct conform_arg {
	const char *text;
	long number;
};
struct conform_row {
	long call;
	struct conform_arg args[CONFORM_ARGS];
	int keep; /* the result is a descriptor: keep it as this one, else it is closed */
	bool gives_fd;
};

#define T(text_)                                                                                   \
	{                                                                                          \
		.text = (text_)                                                                    \
	}
#define N(number_)                                                                                 \
	{                                                                                          \
		.number = (long)(number_)                                                          \
	}
#define KEPT(n)                                                                                    \
	{                                                                                          \
		.number = -1000 - (n)                                                              \
	}

/** Make in an empty folder what a tree begins with. */
void conform_plant(const char *root);
/**
 * Only play, in a child that stands in root.
 * @param policy  NULL: bare
 * @param[out] values  one each: the result, or -errno
 * @param[out] events  with a policy
 * @return status of the child
 */
int conform_play(const char *root, const struct pmg_policy *policy,
		 void (*prepare)(struct pmg_broker *broker), const struct conform_row *rows,
		 size_t n, long *values, struct pmg_events *events);

/** @return number of differences, each said on stderr */
int conform_run(const char *name, const struct conform_row *rows, size_t n);
/** The same as an ordinary user, when we are root; else 0. */
int conform_run_as_user(const char *name, const struct conform_row *rows, size_t n);

#endif
