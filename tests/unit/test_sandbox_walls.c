#include "sandbox/walls_priv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "../helper/walled.h"

/*
 * This program is front and tool: started with the name of an attack it tries that, and its exit
 * status says what came of it. Each attack succeeds when the one wall that it is about is left out,
 * and is refused when the wall stands alone: what shows that each wall holds by itself, and that
 * the attack was one.
 */

#define SUCCEEDED 0
#define REFUSED   3

static char self[PATH_MAX];

static int write_home(const char *const *arg)
{
	int fd = open(arg[0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? REFUSED : SUCCEEDED;
}

static int read_secret(const char *const *arg)
{
	int fd = open(arg[0], O_RDONLY | O_CLOEXEC);
	char text[8] = "";

	return fd >= 0 && read(fd, text, sizeof text - 1) == 6 && strcmp(text, "secret") == 0
		       ? SUCCEEDED
		       : REFUSED;
}

static int connect_host(const char *const *arg)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)strtoul(arg[0], NULL, 10)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char byte = 0;

	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) < 0)
		return REFUSED;
	return read(fd, &byte, 1) == 1 && byte == '!' ? SUCCEEDED : REFUSED;
}

static int share_memory(const char *const *arg)
{
	int id = (int)strtoul(arg[0], NULL, 10);
	const char *text = shmat(id, NULL, SHM_RDONLY);

	return text != (void *)-1 && strcmp(text, "secret") == 0 ? SUCCEEDED : REFUSED;
}

static int name_host(const char *const *arg)
{
	char name[256] = "";

	(void)arg;
	return gethostname(name, sizeof name - 1) == 0 && sethostname(name, strlen(name)) == 0
		       ? SUCCEEDED
		       : REFUSED;
}

static int new_user(const char *const *arg)
{
	(void)arg;
	return unshare(CLONE_NEWUSER) == 0 ? SUCCEEDED : REFUSED;
}

static const struct attack {
	const char *name;
	int (*try)(const char *const *arg);
} attacks[] = {
	{ "write-home", write_home },     { "read-secret", read_secret },
	{ "connect-host", connect_host }, { "share-memory", share_memory },
	{ "name-host", name_host },       { "new-user", new_user },
};

static int attack(const char *name, const char *const *arg)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(attacks); i++)
		if (strcmp(attacks[i].name, name) == 0)
			return attacks[i].try(arg);
	return 99;
}

/* Somebody on the host's loopback who greets whoever connects. */
static int greet(uint16_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, 4) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return -1;
	*port = ntohs(at.sin_port);
	return fd;
}

static pid_t greeter(int fd)
{
	pid_t pid = fork();

	if (pid == 0) {
		int got = accept(fd, NULL, NULL);

		_exit(got < 0 || write(got, "!", 1) != 1);
	}
	return pid;
}

struct row {
	const char *attack;
	unsigned wall;   /* without it, it succeeds */
	unsigned others; /* without them, it is still refused */
	bool root_only;
};

#define ALONE PMG_WITHOUT_CANARY

static const struct row rows[] = {
	{ "write-home", PMG_WITHOUT_LANDLOCK, ALONE | PMG_WITHOUT_FILTER, false },
	{ "write-home", PMG_WITHOUT_FILTER, ALONE | PMG_WITHOUT_LANDLOCK, false },
	{ "read-secret", PMG_WITHOUT_MASKS, ALONE | PMG_WITHOUT_FILTER, false },
	{ "read-secret", PMG_WITHOUT_FILTER, ALONE | PMG_WITHOUT_MASKS, false },
	{ "connect-host", PMG_WITHOUT_NETWORK, ALONE | PMG_WITHOUT_FILTER, false },
	{ "connect-host", PMG_WITHOUT_FILTER, ALONE | PMG_WITHOUT_NETWORK, false },
	{ "share-memory", PMG_WITHOUT_IPC, ALONE | PMG_WITHOUT_FILTER, false },
	{ "name-host", PMG_WITHOUT_CAPS, ALONE | PMG_WITHOUT_FILTER, true },
};

/* @return what the attack ended with, or 100 and more */
static int run_attack(const struct row *row, unsigned without)
{
	struct walled walled;
	pmg_autofree char *arg = NULL;
	uint16_t port = 0;
	pid_t server = 0;
	int shared = -1, fd = -1, r;

	walled_begin(&walled, self);
	if (strcmp(row->attack, "write-home") == 0) {
		arg = pmg_path_join(walled.home, "evil");
	} else if (strcmp(row->attack, "read-secret") == 0) {
		arg = pmg_path_join(walled.project, ".env");
	} else if (strcmp(row->attack, "connect-host") == 0) {
		fd = greet(&port);
		server = greeter(fd);
		arg = pmg_xasprintf("%u", (unsigned)port);
	} else if (strcmp(row->attack, "share-memory") == 0) {
		shared = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
		(void)snprintf(shmat(shared, NULL, 0), 8, "secret");
		arg = pmg_xasprintf("%d", shared);
	} else {
		arg = pmg_xstrdup("");
	}
	walled_run(&walled, (char *[]){ self, (char *)(uintptr_t)row->attack, arg, NULL }, without);
	r = walled.ended && WIFEXITED(walled.status) ? WEXITSTATUS(walled.status) : 100;
	if (walled.failed)
		fprintf(stderr, "%s: %s\n", row->attack, walled.why.msg);
	if (server > 0) {
		(void)kill(server, SIGKILL);
		(void)waitpid(server, NULL, 0);
		(void)close(fd);
	}
	if (shared >= 0)
		(void)shmctl(shared, IPC_RMID, NULL);
	walled_end(&walled);
	return r;
}

static bool as_ordinary;
static size_t row_now;

static int refused_by_one_wall(void)
{
	return run_attack(&rows[row_now], rows[row_now].others);
}

static int succeeds_without(void)
{
	return run_attack(&rows[row_now], rows[row_now].others | rows[row_now].wall);
}

static int all_walls(void)
{
	return run_attack(&rows[row_now], 0);
}

static void each_wall_holds_alone(void **state)
{
	(void)state;
	for (row_now = 0; row_now < PMG_ARRAY_LEN(rows); row_now++) {
		if (rows[row_now].root_only && (as_ordinary || geteuid() != 0))
			continue;
		print_message("%s, wall %u\n", rows[row_now].attack, rows[row_now].wall);
		assert_int_equal(in_child(succeeds_without, as_ordinary), SUCCEEDED);
		assert_int_equal(in_child(refused_by_one_wall, as_ordinary), REFUSED);
		assert_int_equal(in_child(all_walls, as_ordinary), REFUSED);
	}
}

static const struct {
	unsigned wall;
	const char *named;
	bool root_only;
} missing[] = {
	{ PMG_WITHOUT_LANDLOCK, "Landlock", false }, { PMG_WITHOUT_FILTER, "filter", false },
	{ PMG_WITHOUT_MASKS, "masks", false },       { PMG_WITHOUT_NETWORK, "network", false },
	{ PMG_WITHOUT_IPC, "IPC", false },           { PMG_WITHOUT_CAPS, "capabilities", false },
};

static int canary_names_it(void)
{
	struct walled walled;
	int r;

	walled_begin(&walled, self);
	walled_run(&walled, (char *[]){ (char *)(uintptr_t) "/bin/true", NULL },
		   missing[row_now].wall);
	r = walled.failed && !walled.started && walled.why.code == PMG_E_UNSUPPORTED &&
	    strstr(walled.why.msg, missing[row_now].named);
	if (!r)
		fprintf(stderr, "wall %u: %s\n", missing[row_now].wall, walled.why.msg);
	walled_end(&walled);
	return !r;
}

static void the_canary_names_the_wall_that_is_missing(void **state)
{
	(void)state;
	for (row_now = 0; row_now < PMG_ARRAY_LEN(missing); row_now++)
		assert_int_equal(in_child(canary_names_it, as_ordinary), 0);
}

static int become_ordinary(void **state)
{
	(void)state;
	as_ordinary = true;
	return 0;
}

static int stay(void **state)
{
	(void)state;
	as_ordinary = geteuid() != 0;
	return 0;
}

static int can(void)
{
	pmg_auto(probe) struct pmg_probe probe = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int r = pmg_driver_full.probe(&probe, &err);

	if (r == 0 && probe.missing)
		fprintf(stderr, "%s\n", probe.missing);
	return r < 0 || probe.missing;
}

int main(int argc, char **argv)
{
	pmg_auto(folder) char *place = NULL;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_wall_holds_alone, stay),
		cmocka_unit_test_setup(each_wall_holds_alone, become_ordinary),
		cmocka_unit_test_setup(the_canary_names_the_wall_that_is_missing, stay),
		cmocka_unit_test_setup(the_canary_names_the_wall_that_is_missing, become_ordinary),
	};

	if (argc > 2)
		return attack(argv[1], (const char *const *)argv + 2);
	place = walled_place(self);
	if (in_child(can, true) != 0)
		return child_skip("no walls here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
