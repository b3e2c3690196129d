/*
 * What calls cost whoever makes them: in a folder with a file f and a folder node_modules/d, run
 * bare and within walls. Prints the median of batches, in nanoseconds of the clock: a batch is
 * short enough that on a busy machine most are not disturbed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BATCHES 101
#define CALLS   40

static void op_stat(void)
{
	struct stat st;

	(void)stat("f", &st);
}

static void op_umask(void)
{
	(void)umask(022);
}

static void op_read(void)
{
	(void)close(open("f", O_RDONLY | O_CLOEXEC));
}

/* As by far most: what the run may not write. */
static void op_system(void)
{
	(void)close(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static void create(const char *name)
{
	(void)close(open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
	(void)unlink(name);
}

static void op_create(void)
{
	create("package-lock.json");
}

static void op_create_deps(void)
{
	create("node_modules/d/new");
}

static void op_mkdir(void)
{
	(void)mkdir("node_modules/d", 0755);
}

static const struct {
	const char *name;
	void (*run)(void);
} ops[] = {
	{ "stat", op_stat },     { "umask", op_umask },   { "read", op_read },
	{ "system", op_system }, { "create", op_create }, { "create_deps", op_create_deps },
	{ "mkdir", op_mkdir },
};
#define OPS (sizeof ops / sizeof ops[0])

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(void)
{
	static double took[OPS][BATCHES];
	size_t o, b;
	int i;

	for (b = 0; b < BATCHES; b++)
		for (o = 0; o < OPS; o++) {
			double start = now();

			for (i = 0; i < CALLS; i++)
				ops[o].run();
			took[o][b] = (now() - start) / CALLS;
		}
	for (o = 0; o < OPS; o++) {
		qsort(took[o], BATCHES, sizeof took[o][0], by_value);
		printf("%s %.0f\n", ops[o].name, took[o][BATCHES / 2]);
	}
	return 0;
}
