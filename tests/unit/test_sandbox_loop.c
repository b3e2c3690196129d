/*
 * Races against the broker: another thread changes what a path says between the look and the act.
 * Bare, the same loop reaches what is denied; served, not once.
 */
#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/broker.h"
#include "tests/helper/folder.h"

#define TRIES_MAX  20000
#define BARE_TIMES 100 /* bare, until it is won; on a busy machine the threads rarely meet */
#define STAY       32
#define OPEN       "open"
#define DENY       "deny"

/* Of each race; PMG_TEST_TRIES: fewer, where another build plays them all. */
static int tries = TRIES_MAX;

struct race {
	const char *root;
	void (*flip)(struct race *race);
	int (*reach)(struct race *race); /* 1: the denied thing was reached */
	bool is_bare;
	volatile bool over, flips;
	volatile char text[64];
	int passes, tries;
};

static void *flip_all_the_time(void *arg)
{
	struct race *race = arg;

	while (!race->over) {
		race->flip(race);
		race->flips = true;
	}
	return NULL;
}

static void run(void *arg)
{
	struct race *race = arg;
	pthread_t thread;
	int most = race->is_bare ? tries * BARE_TIMES : tries;

	if (chdir(race->root) < 0 || pthread_create(&thread, NULL, flip_all_the_time, race) != 0)
		_exit(99);
	while (!race->flips)
		(void)sched_yield();
	while (race->tries < most && !(race->is_bare && race->passes > 0)) {
		race->passes += race->reach(race);
		race->tries++;
	}
	race->over = true;
	(void)pthread_join(thread, NULL);
}

/* "open/f" and "deny/f": one byte at a time changes, so some texts lead nowhere. */
static void flip_text(struct race *race)
{
	static const char *const names[] = { OPEN "/f", DENY "/f" };
	size_t i, k;

	for (i = 0; i < 2; i++) {
		for (k = 0; k < sizeof(OPEN "/f"); k++)
			race->text[k] = names[i][k];
		for (k = 0; k < STAY; k++)
			(void)race->text[k % sizeof(OPEN "/f")];
	}
}

static void flip_link(struct race *race)
{
	(void)race;
	(void)!symlink(OPEN, "next");
	(void)rename("next", "link");
	(void)!symlink(DENY, "next");
	(void)rename("next", "link");
}

/* The folder in which the caller looks becomes a link to another. */
static void flip_parent(struct race *race)
{
	(void)race;
	(void)rename("way/in", "way/out");
	(void)!symlink("../" DENY, "way/in");
	(void)unlink("way/in");
	(void)rename("way/out", "way/in");
}

static int read_at(const char *path)
{
	char c = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	(void)!read(fd, &c, 1);
	(void)close(fd);
	return c == 's';
}

static int read_text(struct race *race)
{
	return read_at((const char *)(uintptr_t)race->text);
}

static int read_link(struct race *race)
{
	(void)race;
	return read_at("link/f");
}

static int read_parent(struct race *race)
{
	(void)race;
	return read_at("way/in/f");
}

/* Whatever is written: what is denied must keep its size. */
static int has_grown(void)
{
	struct stat st;

	return stat(DENY "/f", &st) == 0 && st.st_size != 6;
}

static int write_text(struct race *race)
{
	const char *path = (const char *)(uintptr_t)race->text;
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd >= 0) {
		(void)!write(fd, "x", 1);
		(void)close(fd);
	}
	return has_grown();
}

static int truncate_link(struct race *race)
{
	(void)race;
	(void)!truncate("link/f", 100);
	return has_grown();
}

static int rename_text(struct race *race)
{
	struct stat st;

	(void)rename((const char *)(uintptr_t)race->text, "moved");
	(void)rename("moved", OPEN "/f");
	return stat(DENY "/f", &st) < 0;
}

static int mkdir_link(struct race *race)
{
	struct stat st;

	(void)race;
	(void)mkdir("link/new", 0700);
	(void)rmdir(OPEN "/new");
	return stat(DENY "/new", &st) == 0;
}

static const struct {
	const char *name;
	void (*flip)(struct race *race);
	int (*reach)(struct race *race);
} races[] = {
	{ "text read", flip_text, read_text },       { "link read", flip_link, read_link },
	{ "parent read", flip_parent, read_parent }, { "text written", flip_text, write_text },
	{ "link cut", flip_link, truncate_link },    { "text moved", flip_text, rename_text },
	{ "link made", flip_link, mkdir_link },
};

static void plant(const char *root)
{
	folder_write(root, OPEN "/f", "public", 6);
	folder_write(root, DENY "/f", "secret", 6);
	folder_write(root, "way/in/f", "public", 6);
}

static struct pmg_policy *policy_of(const char *root)
{
	struct pmg_policy *policy = broker_policy(root);
	pmg_autofree char *denied = pmg_xasprintf("%s/" DENY "/**", root);

	broker_rule(policy, PMG_ACCESS_READ, PMG_RANK_MANDATORY_DENY, denied);
	broker_rule(policy, PMG_ACCESS_WRITE, PMG_RANK_MANDATORY_DENY, denied);
	pmg_policy_seal(policy);
	return policy;
}

static int passes(size_t i, bool served)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(policy) struct pmg_policy *policy = policy_of(root);
	pmg_auto(events) struct pmg_events events = { 0 };
	struct race *race = broker_shared(sizeof *race);
	int found;

	plant(root);
	*race = (struct race){
		.root = root, .flip = races[i].flip, .reach = races[i].reach, .is_bare = !served
	};
	flip_text(race);
	if (served)
		assert_int_equal(broker_serve_child(policy, NULL, run, race, &events), 0);
	else
		assert_int_equal(broker_bare_child(run, race), 0);
	if (served)
		assert_int_equal(race->tries, tries);
	found = race->passes;
	if (served && events.n == 0)
		print_message("%s: the denied one was not met\n", races[i].name);
	(void)munmap(race, sizeof *race);
	return found;
}

static void no_race_reaches_what_is_denied(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(races); i++) {
		int served = passes(i, true);

		if (served > 0)
			print_error("%s: %d of %d\n", races[i].name, served, tries);
		assert_int_equal(served, 0);
	}
}

static void bare_each_race_is_won(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(races); i++) {
		if (passes(i, false) > 0)
			continue;
		print_error("%s: never\n", races[i].name);
		fail();
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_race_reaches_what_is_denied),
		cmocka_unit_test(bare_each_race_is_won),
	};

	const char *fewer = getenv("PMG_TEST_TRIES");
	uint64_t n = TRIES_MAX;

	if (fewer && pmg_parse_uint(fewer, TRIES_MAX, &n) < 0)
		return 2;
	tries = (int)n;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
