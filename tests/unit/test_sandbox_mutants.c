#include "sandbox/walls_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <cmocka.h>

#include "../helper/valgrind.h"
#include "../helper/walled.h"

/*
 * Walls that have no bit in sandbox.h are left out here by taking the call that builds them away.
 * As in test_sandbox_walls this program is front and tool: an attack succeeds without the wall and
 * is refused by it alone. A row of the filter that is missing makes its call unheard of.
 */

#define SUCCEEDED  0
#define REFUSED    3
#define INHERITED  77
#define IN_RUN_PID 2 /* of the tool, in its own pid namespace */

#define NO_INNER    1U  /* Landlock of the tool */
#define NO_OUTER    2U  /* of broker and tool */
#define NO_JUDGE    4U  /* the broker allows whatever is asked */
#define NO_CLOSING  8U  /* of descriptors */
#define NO_LIMIT    16U /* of core files */
#define NO_READONLY 32U /* of what is the host's, for root */
#define NO_MAX_USER 64U /* of user namespaces */
#define NO_PID_NS   128U
#define NO_NEW_PRIV 256U
#define NO_UNDUMP   512U /* keeper and broker stay dumpable */

static char self[PATH_MAX];
static unsigned left_out;
static const struct pmg_call_row *dropped; /* a row of the filter */

/* --- what is taken away --- */

int __real_pmg_landlock_restrict(const struct pmg_landlock *landlock, struct pmg_err *err);
int __wrap_pmg_landlock_restrict(const struct pmg_landlock *landlock, struct pmg_err *err);
int __wrap_pmg_landlock_restrict(const struct pmg_landlock *landlock, struct pmg_err *err)
{
	if (left_out & (getpid() == IN_RUN_PID ? NO_INNER : NO_OUTER))
		return 0;
	return __real_pmg_landlock_restrict(landlock, err);
}

struct pmg_decision __real_pmg_policy_ask(const struct pmg_policy *policy, enum pmg_access access,
					  enum pmg_role role, const char *path);
struct pmg_decision __wrap_pmg_policy_ask(const struct pmg_policy *policy, enum pmg_access access,
					  enum pmg_role role, const char *path);
struct pmg_decision __wrap_pmg_policy_ask(const struct pmg_policy *policy, enum pmg_access access,
					  enum pmg_role role, const char *path)
{
	if (left_out & NO_JUDGE)
		return (struct pmg_decision){ .allowed = true };
	return __real_pmg_policy_ask(policy, access, role, path);
}

void __real_pmg_walls_close_but(const int *keep, size_t n);
void __wrap_pmg_walls_close_but(const int *keep, size_t n);
void __wrap_pmg_walls_close_but(const int *keep, size_t n)
{
	if (!(left_out & NO_CLOSING))
		__real_pmg_walls_close_but(keep, n);
}

int __real_setrlimit(__rlimit_resource_t what, const struct rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t what, const struct rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
	return left_out & NO_LIMIT ? 0 : __real_setrlimit(what, limit);
}

int __real_pmg_mount_readonly(const char *path, struct pmg_err *err);
int __wrap_pmg_mount_readonly(const char *path, struct pmg_err *err);
int __wrap_pmg_mount_readonly(const char *path, struct pmg_err *err)
{
	return left_out & NO_READONLY ? 0 : __real_pmg_mount_readonly(path, err);
}

int __real_pmg_ns_no_more_users(struct pmg_err *err);
int __wrap_pmg_ns_no_more_users(struct pmg_err *err);
int __wrap_pmg_ns_no_more_users(struct pmg_err *err)
{
	return left_out & NO_MAX_USER ? 0 : __real_pmg_ns_no_more_users(err);
}

int __real_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	if ((option == PR_SET_NO_NEW_PRIVS && left_out & NO_NEW_PRIV) ||
	    (option == PR_SET_DUMPABLE && a == 0 && left_out & NO_UNDUMP))
		return 0;
	return __real_prctl(option, a, b, c, d);
}

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);
/* It takes six, however many were given. */
__attribute__((no_sanitize("address"))) long __wrap_syscall(long nr, ...)
{
	long args[6];
	va_list list;
	size_t i;

	va_start(list, nr);
	for (i = 0; i < PMG_ARRAY_LEN(args); i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (nr == SYS_clone && left_out & NO_PID_NS)
		args[0] &= ~(long)CLONE_NEWPID;
	return __real_syscall(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
}

/* Without a pid namespace the value would be the host's. */
int __real_pmg_ns_memfd_noexec(struct pmg_err *err);
int __wrap_pmg_ns_memfd_noexec(struct pmg_err *err);
int __wrap_pmg_ns_memfd_noexec(struct pmg_err *err)
{
	return left_out & NO_PID_NS ? 1 : __real_pmg_ns_memfd_noexec(err);
}

/* Outside a pid namespace of its own "all processes" are those of the machine. */
int __real_kill(pid_t pid, int sig);
int __wrap_kill(pid_t pid, int sig);
int __wrap_kill(pid_t pid, int sig)
{
	if (pid == -1 && left_out & NO_PID_NS)
		_exit(99);
	return __real_kill(pid, sig);
}

struct pmg_seccomp_rule *__real_pmg_call_filter(size_t *n);
struct pmg_seccomp_rule *__wrap_pmg_call_filter(size_t *n);
struct pmg_seccomp_rule *__wrap_pmg_call_filter(size_t *n)
{
	struct pmg_seccomp_rule *rules = __real_pmg_call_filter(n);
	size_t i, kept = 0;

	for (i = 0; i < *n; i++)
		if (!dropped || !pmg_streq(rules[i].call, dropped->name) ||
		    memcmp(rules[i].cond, dropped->cond, sizeof dropped->cond) != 0)
			rules[kept++] = rules[i];
	*n = kept;
	return rules;
}

/* --- inside --- */

static int write_file(const char *const *arg)
{
	return open(arg[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0 ? REFUSED : SUCCEEDED;
}

static int open_to_write(const char *const *arg)
{
	return open(arg[0], O_WRONLY | O_CLOEXEC) < 0 ? REFUSED : SUCCEEDED;
}

static int read_file(const char *const *arg)
{
	return open(arg[0], O_RDONLY | O_CLOEXEC) < 0 ? REFUSED : SUCCEEDED;
}

static int connect_unix(const char *const *arg)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(at.sun_path, sizeof at.sun_path, "%s", arg[0]);
	return fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0 ? SUCCEEDED : REFUSED;
}

static int read_inherited(const char *const *arg)
{
	char text[8] = "";

	(void)arg;
	return pread(INHERITED, text, 6, 0) == 6 && strcmp(text, "secret") == 0 ? SUCCEEDED
										: REFUSED;
}

static int dump_core(const char *const *arg)
{
	struct rlimit found;

	(void)arg;
	return getrlimit(RLIMIT_CORE, &found) == 0 && found.rlim_max > 0 ? SUCCEEDED : REFUSED;
}

static int new_user(const char *const *arg)
{
	(void)arg;
	return unshare(CLONE_NEWUSER) == 0 ? SUCCEEDED : REFUSED;
}

static int reach_process(const char *const *arg)
{
	return kill((pid_t)strtol(arg[0], NULL, 10), 0) == 0 ? SUCCEEDED : REFUSED;
}

static int rest(const char *const *arg)
{
	(void)arg;
	(void)pause();
	return SUCCEEDED;
}

/* NUMBER ARGUMENT... of a call: "@TEXT" is an address of TEXT. */
static int make_call(const char *const *arg)
{
	static const char room[64];
	long args[7] = { 0 };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(args) && arg[i]; i++)
		if (arg[i][0] != '@')
			args[i] = (long)strtoul(arg[i], NULL, 0);
		else
			args[i] = arg[i][1] ? (long)(arg[i] + 1) : (long)room;
	(void)syscall(args[0], args[1], args[2], args[3], args[4], args[5], args[6]);
	return SUCCEEDED;
}

static const struct attack {
	const char *name;
	int (*try)(const char *const *arg);
} attacks[] = {
	{ "write", write_file },
	{ "open-to-write", open_to_write },
	{ "read", read_file },
	{ "connect-unix", connect_unix },
	{ "inherited", read_inherited },
	{ "core", dump_core },
	{ "new-user", new_user },
	{ "reach", reach_process },
	{ "rest", rest },
	{ "call", make_call },
};

static int attack(const char *name, const char *const *arg)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(attacks); i++)
		if (strcmp(attacks[i].name, name) == 0)
			return attacks[i].try(arg);
	return 99;
}

/* --- outside --- */

enum who { ANYBODY, ROOT, ORDINARY };

/* %p, %h: project and home; %d: this process */
struct row {
	const char *attack, *arg;
	unsigned wall;           /* NO_*; without it, it succeeds */
	unsigned without;        /* or PMG_WITHOUT_* */
	unsigned others;         /* NO_*; without them, it is still refused */
	unsigned others_without; /* and PMG_WITHOUT_* */
	enum who who;
};

#define ALONE PMG_WITHOUT_CANARY
#define BARE  (ALONE | PMG_WITHOUT_FILTER | PMG_WITHOUT_LANDLOCK)

static const struct row walls[] = {
	/* "mixed" may be written but for "kept": the tool's own domain has nothing of it */
	{ "write", "%p/mixed/kept", NO_INNER, 0, 0, ALONE | PMG_WITHOUT_FILTER, ANYBODY },
	{ "write", "%p/mixed/kept", NO_JUDGE, 0, 0, ALONE, ANYBODY },
	{ "write", "%h/evil", NO_OUTER, 0, NO_JUDGE, ALONE, ANYBODY },
	{ "connect-unix", "%p/socket", NO_JUDGE, 0, 0, ALONE, ANYBODY },
	{ "connect-unix", "%p/socket", 0, PMG_WITHOUT_FILTER, 0, ALONE | PMG_WITHOUT_LANDLOCK,
	  ANYBODY },
	{ "inherited", "", NO_CLOSING, 0, 0, BARE, ANYBODY },
	{ "core", "", NO_LIMIT, 0, 0, BARE, ANYBODY },
	{ "open-to-write", "/proc/sys/kernel/core_pattern", NO_READONLY, 0, 0, BARE, ROOT },
	{ "open-to-write", "/sys/class/net/lo/flags", NO_READONLY, 0, 0, BARE, ROOT },
	{ "open-to-write", "/sys/kernel/mm/transparent_hugepage/enabled", NO_READONLY, 0, 0, BARE,
	  ROOT },
	{ "open-to-write", "/sys/fs/cgroup/cgroup.procs", NO_READONLY, 0, 0, BARE, ROOT },
	{ "open-to-write", "/sys/fs/cgroup/unified/cgroup.procs", NO_READONLY, 0, 0, BARE, ROOT },
	{ "new-user", "", NO_MAX_USER, 0, 0, BARE, ORDINARY },
	{ "new-user", "", 0, PMG_WITHOUT_FILTER, NO_MAX_USER, ALONE | PMG_WITHOUT_LANDLOCK,
	  ORDINARY },
	{ "reach", "%d", NO_PID_NS, 0, 0, BARE, ROOT },
	{ "read", "%t", 0, PMG_WITHOUT_PRIVATE, 0, ALONE, ANYBODY },
};

static bool as_ordinary;
static size_t row_now;
static char shared[] = "/tmp/pmg-mutant.XXXXXX"; /* in the host's /tmp */

static char *fill(const struct walled *walled, const char *arg)
{
	if (strcmp(arg, "%d") == 0)
		return pmg_xasprintf("%d", (int)getpid());
	if (strcmp(arg, "%t") == 0)
		return pmg_xstrdup(shared);
	if (arg[0] != '%')
		return pmg_xstrdup(arg);
	return pmg_xasprintf("%s%s", arg[1] == 'p' ? walled->project : walled->home, arg + 2);
}

static int listen_on(const char *project)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(at.sun_path, sizeof at.sun_path, "%s/socket", project);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 4) < 0)
		_exit(98);
	return fd;
}

static void begin(struct walled *walled)
{
	pmg_autofree char *secret = NULL;
	int fd;

	walled_begin(walled, self);
	folder_write(walled->project, "mixed/kept", "kept", 4);
	walled_allow_below(walled, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, walled->project, "mixed/**");
	walled_allow_below(walled, PMG_ACCESS_WRITE, PMG_RANK_MANDATORY_DENY, walled->project,
			   "mixed/kept");
	secret = pmg_path_join(walled->project, ".env");
	fd = open(secret, O_RDONLY);
	if (fd < 0 || dup2(fd, INHERITED) < 0)
		_exit(98);
}

/* @return what the attack ended with, or 100 and more */
static int run_attack(const struct row *row, unsigned leave, unsigned without)
{
	struct walled walled;
	pmg_autofree char *arg = NULL;
	int r, fd;

	begin(&walled);
	fd = listen_on(walled.project);
	arg = fill(&walled, row->arg);
	left_out = leave;
	walled_run(&walled, (char *[]){ self, (char *)(uintptr_t)row->attack, arg, NULL }, without);
	r = walled.ended && WIFEXITED(walled.status) ? WEXITSTATUS(walled.status) : 100;
	if (walled.failed)
		fprintf(stderr, "%s: %s\n", row->attack, walled.why.msg);
	(void)close(fd);
	walled_end(&walled);
	return r;
}

static int refused_by_one_wall(void)
{
	return run_attack(&walls[row_now], walls[row_now].others, walls[row_now].others_without);
}

static int succeeds_without(void)
{
	const struct row *row = &walls[row_now];

	return run_attack(row, row->others | row->wall, row->others_without | row->without);
}

static int all_walls(void)
{
	return run_attack(&walls[row_now], 0, 0);
}

/* Where the host does not allow it to begin with, there is nothing to be shown. */
static int works_outside(void)
{
	const struct row *row = &walls[row_now];
	const char *arg[] = { row->arg, NULL };

	if (strcmp(row->attack, "open-to-write") == 0 || strcmp(row->attack, "core") == 0 ||
	    strcmp(row->attack, "new-user") == 0)
		return attack(row->attack, arg);
	return SUCCEEDED;
}

static bool is_for(enum who who)
{
	bool ordinary = as_ordinary || geteuid() != 0;

	return who == ANYBODY || (who == ORDINARY) == ordinary;
}

/* Which files of /sys there are depends on the kernel; that none could be tried only on who mounted
 * it. */
static void check_sys(size_t tried)
{
	struct statvfs sys;

	if (!is_for(ROOT) || tried > 0)
		return;
	assert_int_equal(statvfs("/sys", &sys), 0);
	assert_true(sys.f_flag & ST_RDONLY);
}

static void each_wall_holds_alone(void **state)
{
	size_t tried = 0; /* of /sys */

	(void)state;
	for (row_now = 0; row_now < PMG_ARRAY_LEN(walls); row_now++) {
		if (!is_for(walls[row_now].who))
			continue;
		print_message("%zu: %s %s\n", row_now, walls[row_now].attack, walls[row_now].arg);
		if (in_child(works_outside, as_ordinary) != SUCCEEDED) {
			print_message("not on this host\n");
			continue;
		}
		assert_int_equal(in_child(succeeds_without, as_ordinary), SUCCEEDED);
		assert_int_equal(in_child(refused_by_one_wall, as_ordinary), REFUSED);
		assert_int_equal(in_child(all_walls, as_ordinary), REFUSED);
		tried += pmg_str_has_prefix(walls[row_now].arg, "/sys/");
	}
	check_sys(tried);
}

static const struct {
	unsigned wall;
	const char *named; /* in the reason; NULL: any */
	enum who who;
} fatal[] = {
	{ NO_NEW_PRIV, NULL, ANYBODY },
	{ NO_PID_NS, "processes", ROOT },
};

static int nothing_starts(void)
{
	struct walled walled;
	int r;

	walled_begin(&walled, self);
	left_out = fatal[row_now].wall;
	walled_run(&walled, (char *[]){ (char *)(uintptr_t) "/bin/true", NULL }, 0);
	r = walled.failed && !walled.started &&
	    (!fatal[row_now].named || strstr(walled.why.msg, fatal[row_now].named));
	if (!r)
		fprintf(stderr, "%u: %s\n", fatal[row_now].wall, walled.why.msg);
	walled_end(&walled);
	return !r;
}

static void without_these_nothing_starts(void **state)
{
	(void)state;
	for (row_now = 0; row_now < PMG_ARRAY_LEN(fatal); row_now++)
		if (is_for(fatal[row_now].who))
			assert_int_equal(in_child(nothing_starts, as_ordinary), 0);
}

static pid_t child_of(pid_t pid)
{
	char path[64], text[32] = "";
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
		return -1;
	(void)close(fd);
	return (pid_t)strtol(text, NULL, 10);
}

static bool can_read_memory(pid_t pid)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

static int read_memory(unsigned leave)
{
	struct walled walled;
	bool keeper, broker;

	walled_begin(&walled, self);
	left_out = leave;
	walled_start(&walled,
		     (char *[]){ self, (char *)(uintptr_t) "rest", (char *)(uintptr_t) "", NULL },
		     0);
	walled_go(&walled);
	if (!walled_until(&walled, PMG_WIRE_STARTED))
		return 100;
	keeper = can_read_memory(walled.sandbox.keeper);
	broker = can_read_memory(child_of(walled.sandbox.keeper));
	walled_end(&walled);
	return keeper != broker ? 101 : keeper ? SUCCEEDED : REFUSED;
}

static int read_dumpable(void)
{
	return read_memory(NO_UNDUMP);
}

static int read_undumpable(void)
{
	return read_memory(0);
}

/* Nobody who is the same user may look into who answers for the tool. */
static void keeper_and_broker_are_not_to_be_read(void **state)
{
	(void)state;
	assert_int_equal(in_child(read_dumpable, true), SUCCEEDED);
	assert_int_equal(in_child(read_undumpable, true), REFUSED);
}

/* --- rows of the filter --- */

static uint64_t matching(const struct pmg_seccomp_cond *cond)
{
	return cond->kind == PMG_SECCOMP_IS ? cond->value : cond->mask & (~cond->mask + 1);
}

/* What the row traps, and where several forms of a call pass, one that does not. */
static void arguments(const struct pmg_call_row *row, const char *path, char *argv[9])
{
	static const struct {
		const char *name;
		unsigned arg;
		const char *text;
	} others[] = {
		{ "clone", 0, "0x04000000" }, /* CLONE_NEWUTS */
		{ "personality", 0, "0x8" },     { "memfd_create", 0, "@x" },
		{ "memfd_create", 1, "0x10" },   { "openat2", 2, "@" },
		{ "openat2", 3, "24" },          { "symlink", 0, "@to" },
		{ "symlinkat", 0, "@to" },       { "utime", 1, "@" },
		{ "setxattr", 1, "@user.x" },    { "setxattr", 2, "@x" },
		{ "setxattr", 3, "1" },          { "lsetxattr", 1, "@user.x" },
		{ "lsetxattr", 2, "@x" },        { "lsetxattr", 3, "1" },
		{ "removexattr", 1, "@user.x" }, { "lremovexattr", 1, "@user.x" },
	};
	size_t i;

	for (i = 0; i < 6; i++)
		argv[i] = pmg_xstrdup("0");
	for (i = 0; i < PMG_SECCOMP_CONDS && row->cond[i].kind != PMG_SECCOMP_NONE; i++)
		if (row->path < 0)
			argv[row->cond[i].arg] =
				pmg_xasprintf("%#llx", (unsigned long long)matching(&row->cond[i]));
	if (row->path >= 0)
		argv[row->path] = pmg_xasprintf("@%s", path);
	if (row->path2 >= 0)
		argv[row->path2] = pmg_xasprintf("@%s.2", path);
	if (row->dirfd >= 0)
		argv[row->dirfd] = pmg_xasprintf("%lu", (unsigned long)AT_FDCWD);
	if (row->dirfd2 >= 0)
		argv[row->dirfd2] = pmg_xasprintf("%lu", (unsigned long)AT_FDCWD);
	for (i = 0; i < PMG_ARRAY_LEN(others); i++)
		if (strcmp(others[i].name, row->name) == 0)
			argv[others[i].arg] = pmg_xstrdup(others[i].text);
	argv[6] = NULL;
}

/* @return how many refusals were listed when the row's call was made; 100: it did not run */
static int listed(const struct pmg_call_row *row, const char *file)
{
	struct walled walled;
	char *argv[12] = { self, (char *)(uintptr_t) "call",
			   pmg_xasprintf("%d", pmg_seccomp_number(row->name)) };
	pmg_autofree char *path = NULL;
	int n;

	walled_begin(&walled, self);
	folder_write(walled.home, "victim", "x", 1);
	path = pmg_path_join(walled.home, file);
	arguments(row, path, argv + 3);
	walled_run(&walled, argv, 0);
	n = walled.started ? (int)walled.denied : 100;
	walled_end(&walled);
	return n;
}

static const struct pmg_call_row *asked;

static int row_listed(void)
{
	int n = listed(asked, "victim");

	return n > 0 ? n : listed(asked, "new");
}

static int row_listed_without(void)
{
	dropped = asked;
	return row_listed();
}

static bool has_plain(const struct pmg_call_row *rows, const struct pmg_call_row *row)
{
	for (; rows->name; rows++)
		if (rows != row && pmg_streq(rows->name, row->name) &&
		    rows->cond[0].kind == PMG_SECCOMP_NONE)
			return true;
	return false;
}

/* "socket" for MPTCP, sendmsg for fast open: without their rows those for all others list them. */
static bool is_listed_by_another(const struct pmg_call_row *row)
{
	return has_plain(pmg_surface_rows(), row) || has_plain(pmg_call_rows(), row);
}

static void check_row(const struct pmg_call_row *row)
{
	int n;

	asked = row;
	if (getenv("WALLED_DEBUG"))
		print_message("%s\n", row->name);
	n = in_child(row_listed, true);
	if (n == 0 || n >= 100)
		fail_msg("%s: listed %d times", row->name, n);
	if (is_listed_by_another(row))
		return;
	n = in_child(row_listed_without, true);
	if (n != 0)
		fail_msg("%s: listed %d times though its row is left out", row->name, n);
}

static void each_surface_row_is_what_lists_its_call(void **state)
{
	const struct pmg_call_row *row;

	(void)state;
	for (row = pmg_surface_rows(); row->name; row++)
		if (pmg_seccomp_number(row->name) >= 0)
			check_row(row);
}

/* Those by a path: others need a descriptor or an address to be refused. */
static void each_brokered_row_is_what_lists_its_call(void **state)
{
	const struct pmg_call_row *row;

	(void)state;
	for (row = pmg_call_rows(); row->name; row++)
		if (row->path >= 0 && pmg_seccomp_number(row->name) >= 0 &&
		    row->handle != pmg_act_exec)
			check_row(row);
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

	return r < 0 || probe.missing;
}

int main(int argc, char **argv)
{
	pmg_auto(folder) char *place = NULL;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_wall_holds_alone, stay),
		cmocka_unit_test_setup(each_wall_holds_alone, become_ordinary),
		cmocka_unit_test_setup(without_these_nothing_starts, stay),
		cmocka_unit_test_setup(without_these_nothing_starts, become_ordinary),
		cmocka_unit_test(keeper_and_broker_are_not_to_be_read),
		cmocka_unit_test(each_surface_row_is_what_lists_its_call),
		cmocka_unit_test(each_brokered_row_is_what_lists_its_call),
	};
	int fd, failed;

	if (argc > 2)
		return attack(argv[1], (const char *const *)argv + 2);
	if (under_valgrind()) {
		fprintf(stderr, "skip: some hundred runs\n");
		return 77;
	}
	place = walled_place(self);
	if (in_child(can, true) != 0)
		return child_skip("no walls here");
	fd = mkstemp(shared);
	if (fd < 0 || fchmod(fd, 0644) < 0)
		return 99;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)unlink(shared);
	return failed;
}
