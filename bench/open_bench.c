/*
 * What an open() costs: bare, let go on by the broker (O_PATH is not even trapped), and performed
 * by it. Rounds of the three alternate, so that a busy machine is the same for all; medians are
 * printed in nanoseconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/helper/broker.h"

#define ROUNDS 31
#define CALLS  2000

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static char dir[4096];

static void op_read(int i)
{
	(void)i;
	(void)close(open("f", O_RDONLY | O_CLOEXEC));
}

static void op_absolute(int i)
{
	(void)i;
	(void)close(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static void op_umask(int i)
{
	(void)i;
	(void)umask(022);
}

static void op_create(int i)
{
	char name[32];

	(void)snprintf(name, sizeof name, "n%d", i);
	(void)close(open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
	(void)unlink(name);
}

static void op_mkdir(int i)
{
	(void)i;
	(void)mkdir("d", 0755);
}

static void (*const ops[])(int i) = { op_umask, op_read, op_absolute, op_create, op_mkdir };
static const char *const names[] = { "umask (continued)", "open, relative", "open, absolute",
				     "create and unlink", "mkdir, EEXIST" };
#define OPS (sizeof ops / sizeof ops[0])

struct times {
	double of[OPS][ROUNDS];
	int round;
};

static void body(void *arg)
{
	struct times *times = arg;
	size_t o;
	int i;

	if (chdir(dir) < 0)
		_exit(99);
	for (o = 0; o < OPS; o++) {
		double start;

		for (i = 0; i < CALLS / 10; i++)
			ops[o](i);
		start = now();
		for (i = 0; i < CALLS; i++)
			ops[o](i);
		times->of[o][times->round] = (now() - start) / CALLS;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v)
{
	qsort(v, ROUNDS, sizeof v[0], by_value);
	return v[ROUNDS / 2];
}

int main(void)
{
	struct times *bare = broker_shared(sizeof *bare), *served = broker_shared(sizeof *served);
	struct pmg_policy *policy;
	char file[4200];
	size_t o;
	int r;

	(void)snprintf(dir, sizeof dir, "%s/pmg-bench.XXXXXX",
		       getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp");
	if (!mkdtemp(dir))
		return 1;
	(void)snprintf(file, sizeof file, "%s/f", dir);
	(void)close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	(void)snprintf(file, sizeof file, "%s/d", dir);
	(void)mkdir(file, 0700);
	policy = broker_policy(dir);
	pmg_policy_seal(policy);
	for (r = 0; r < ROUNDS; r++) {
		struct pmg_events events = { 0 };

		bare->round = served->round = r;
		(void)broker_bare_child(body, bare);
		(void)broker_serve_child(policy, NULL, body, served, &events);
		pmg_events_done(&events);
	}
	for (o = 0; o < OPS; o++) {
		double b = median(bare->of[o]), s = median(served->of[o]);

		printf("%-20s bare %7.0f ns  served %7.0f ns  added %7.0f ns\n", names[o], b, s,
		       s - b);
	}
	return 0;
}
