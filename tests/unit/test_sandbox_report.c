/* What is refused, and what is said of it: report.c, through the handlers that ask it. */
#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/walls_priv.h"
#include "tests/helper/broker.h"
#include "tests/helper/conform.h"
#include "tests/helper/folder.h"

#define CALL(call_, ...)                                                                           \
	{                                                                                          \
		.call = SYS_##call_, .args = { __VA_ARGS__ }                                       \
	}
#define HERE N(AT_FDCWD)

static struct open_how how = { .flags = O_RDONLY };
static struct timespec times[2] = { { 1, 1 }, { 1, 1 } };

/* One refusal: the call, and what its event says. "@" is the tree. */
struct refused {
	struct conform_row row;
	int code;
	enum pmg_event_op op;
	const char *target;
	const char *allow; /* NULL: none */
	int errnum;        /* 0: EACCES */
};

/* d/g may not be read nor written (mandatory); full/ may not be written; d/e not read. */
static const struct refused refusals[] = {
	{ CALL(open, T("d/g"), N(O_RDONLY)), 2001, PMG_EVENT_READ, "@/d/g", NULL, 0 },
	{ CALL(open, T("@/d/g"), N(O_RDONLY)), 2001, PMG_EVENT_READ, "@/d/g", NULL, 0 },
	{ CALL(open, T("to-d/g"), N(O_RDONLY)), 2001, PMG_EVENT_READ, "@/d/g", NULL, 0 },
	{ CALL(open, T("far"), N(O_RDONLY)), 2001, PMG_EVENT_READ, "@/d/g", NULL, 0 },
	{ CALL(open, T("me/cwd/d/g"), N(O_RDONLY)), 2001, PMG_EVENT_READ, "@/d/g", NULL, 0 },
	{ CALL(open, T("/proc/self/root@/d/g"), N(O_RDONLY)), 2001, PMG_EVENT_READ, "@/d/g", NULL,
	  0 },
	{ CALL(openat, HERE, T("d/../d/g"), N(O_RDONLY)), 2001, PMG_EVENT_READ, "@/d/g", NULL, 0 },
	{ CALL(openat2, HERE, T("d/g"), N(&how), N(sizeof how)), 2001, PMG_EVENT_READ, "@/d/g",
	  NULL, 0 },
	{ CALL(open, T("d/e"), N(O_RDONLY)), 2001, PMG_EVENT_READ, "@/d/e", "read=@/d/e", 0 },
	{ CALL(open, T("d/g"), N(O_WRONLY)), 2002, PMG_EVENT_WRITE, "@/d/g", NULL, 0 },
	{ CALL(open, T("full/x"), N(O_RDWR)), 2002, PMG_EVENT_WRITE, "@/full/x", "write=@/full/x",
	  0 },
	{ CALL(open, T("full/x"), N(O_RDONLY | O_TRUNC)), 2002, PMG_EVENT_WRITE, "@/full/x",
	  "write=@/full/x", 0 },
	{ CALL(open, T("full/n*w"), N(O_WRONLY | O_CREAT), N(0600)), 2002, PMG_EVENT_WRITE,
	  "@/full/n*w", "write=@/full/n\\*w", 0 },
	{ CALL(open, T("full/new"), N(O_WRONLY | O_CREAT | O_EXCL), N(0600)), 2002, PMG_EVENT_WRITE,
	  "@/full/new", "write=@/full/new", 0 },
	{ CALL(open, T("full"), N(O_TMPFILE | O_RDWR), N(0600)), 2002, PMG_EVENT_WRITE, "@/full",
	  "write=@/full", 0 },
	{ CALL(open, T("only-write"), N(O_RDWR)), 2001, PMG_EVENT_READ, "@/only-write",
	  "read=@/only-write", 0 },
	{ CALL(creat, T("full/x"), N(0600)), 2002, PMG_EVENT_WRITE, "@/full/x", "write=@/full/x",
	  0 },
	{ CALL(truncate, T("full/x"), N(0)), 2002, PMG_EVENT_WRITE, "@/full/x", "write=@/full/x",
	  0 },
	{ CALL(mkdir, T("full/new"), N(0700)), 2002, PMG_EVENT_WRITE, "@/full/new",
	  "write=@/full/new/**", 0 },
	{ CALL(mknod, T("full/new"), N(S_IFIFO | 0600), N(0)), 2002, PMG_EVENT_WRITE, "@/full/new",
	  "write=@/full/new", 0 },
	{ CALL(symlink, T("x"), T("full/new")), 2002, PMG_EVENT_WRITE, "@/full/new",
	  "write=@/full/new", 0 },
	{ CALL(unlink, T("full/x")), 2012, PMG_EVENT_DELETE, "@/full/x", "write=@/full/x", 0 },
	{ CALL(unlink, T("d/g")), 2012, PMG_EVENT_DELETE, "@/d/g", NULL, 0 },
	{ CALL(rename, T("d/g"), T("g")), 2012, PMG_EVENT_RENAME, "@/d/g", NULL, 0 },
	{ CALL(rename, T("d"), T("d2")), 2012, PMG_EVENT_RENAME, "@/d", NULL, 0 },
	{ CALL(rename, T("f"), T("full/new")), 2012, PMG_EVENT_RENAME, "@/full/new",
	  "write=@/full/new", 0 },
	{ CALL(rename, T("f"), T("d/g")), 2012, PMG_EVENT_RENAME, "@/d/g", NULL, 0 },
	{ CALL(rename, T("only-write"), T("ow")), 2012, PMG_EVENT_RENAME, "@/only-write",
	  "read=@/only-write", 0 },
	{ CALL(renameat2, HERE, T("f"), HERE, T("d"), N(RENAME_EXCHANGE)), 2012, PMG_EVENT_RENAME,
	  "@/d", NULL, 0 },
	{ CALL(link, T("d/g"), T("g")), 2012, PMG_EVENT_LINK, "@/d/g", NULL, 0 },
	{ CALL(link, T("full/x"), T("x")), 2012, PMG_EVENT_LINK, "@/full/x", "write=@/full/x", 0 },
	{ CALL(link, T("f"), T("full/new")), 2012, PMG_EVENT_LINK, "@/full/new", "write=@/full/new",
	  0 },
	{ CALL(chmod, T("full/x"), N(0777)), 2017, PMG_EVENT_METADATA, "@/full/x", "write=@/full/x",
	  0 },
	{ CALL(chmod, T("d/g"), N(0600)), 2017, PMG_EVENT_METADATA, "@/d/g", NULL, 0 },
	{ CALL(chmod, T("f"), N(04755)), 2017, PMG_EVENT_METADATA, "@/f", NULL, EPERM },
	{ CALL(chmod, T("f"), N(02644)), 2017, PMG_EVENT_METADATA, "@/f", NULL, EPERM },
	{ CALL(chown, T("full/x"), N(-1), N(-1)), 2017, PMG_EVENT_METADATA, "@/full/x",
	  "write=@/full/x", 0 },
	{ CALL(utimensat, HERE, T("full/x"), N(times), N(0)), 2017, PMG_EVENT_METADATA, "@/full/x",
	  "write=@/full/x", 0 },
	{ CALL(setxattr, T("full/x"), T("user.a"), T("b"), N(1), N(0)), 2017, PMG_EVENT_METADATA,
	  "@/full/x", "write=@/full/x", 0 },
	{ CALL(open, T("/proc/%0/environ"), N(O_RDONLY)), 2015, PMG_EVENT_READ, "/proc/%0/environ",
	  NULL, 0 },
	{ CALL(open, T("/proc/%0/comm"), N(O_RDWR)), 2015, PMG_EVENT_WRITE, "/proc/%0/comm", NULL,
	  0 },
	{ CALL(open, T("/proc/%0/root/etc"), N(O_RDONLY)), 2015, PMG_EVENT_READ, "/proc/%0/root",
	  NULL, 0 },
	{ CALL(mknod, T("null"), N(S_IFCHR | 0600), N(0x103)), 2002, PMG_EVENT_WRITE, "@/null",
	  NULL, EPERM },
};

static char *placed(const char *text, const char *root)
{
	const char *at = text ? strchr(text, '@') : NULL;
	const char *percent = text ? strstr(text, "%0") : NULL;

	if (!text)
		return NULL;
	if (percent)
		return pmg_xasprintf("/proc/%d%s", (int)getpid(), percent + 2);
	return at ? pmg_xasprintf("%.*s%s%s", (int)(at - text), text, root, at + 1)
		  : pmg_xstrdup(text);
}

static void deny(struct pmg_policy *policy, const char *root, enum pmg_access access,
		 enum pmg_rank rank, const char *name)
{
	pmg_autofree char *pattern = pmg_path_join(root, name);

	broker_rule(policy, access, rank, pattern);
}

/* To everybody it would be hidden. */
static void managers_write_alone(struct pmg_policy *policy, const char *root, const char *name)
{
	pmg_autofree char *pattern = pmg_path_join(root, name);
	struct pmg_policy_rule rule = { .access = PMG_ACCESS_READ,
					.rank = PMG_RANK_DENY,
					.roles = PMG_ROLE_MANAGER,
					.text = pattern };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
}

static struct pmg_policy *policy_of(const char *root)
{
	struct pmg_policy *policy = broker_policy(root);

	deny(policy, root, PMG_ACCESS_READ, PMG_RANK_MANDATORY_DENY, "d/g");
	deny(policy, root, PMG_ACCESS_WRITE, PMG_RANK_MANDATORY_DENY, "d/g");
	deny(policy, root, PMG_ACCESS_WRITE, PMG_RANK_DENY, "full/**");
	deny(policy, root, PMG_ACCESS_READ, PMG_RANK_DENY, "d/e/**");
	managers_write_alone(policy, root, "only-write");
	pmg_policy_seal(policy);
	return policy;
}

/* A fresh tree for each: what is done bare stays done. */
static char *tree_new(void)
{
	char *root = folder_new();
	pmg_autofree char *file = pmg_path_join(root, "only-write");
	int back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	conform_plant(root);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fchdir(back), 0);
	(void)close(fd);
	(void)close(back);
	return root;
}

static void tree_free(char *root)
{
	pmg_autofree char *shut = pmg_path_join(root, "shut");

	(void)chmod(shut, 0700);
	folder_free(root);
}
PMG_DEFINE_AUTO(tree, char *, tree_free);

static void check_event(const struct refused *refused, const struct pmg_events *events,
			const char *root)
{
	pmg_autofree char *target = placed(refused->target, root);
	pmg_autofree char *allow = placed(refused->allow, root);
	const struct pmg_event *event = events->v;

	assert_int_equal(events->n, 1);
	assert_int_equal(event->code, refused->code);
	assert_int_equal(event->op, refused->op);
	assert_int_equal(event->by, PMG_EVENT_BY_BROKER);
	assert_int_equal(event->count, 1);
	assert_string_equal(event->target, target);
	if (allow)
		assert_string_equal(event->allow, allow);
	else
		assert_null(event->allow);
}

static void each_refusal_is_eacces_and_one_event(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(refusals); i++) {
		const struct refused *refused = &refusals[i];
		pmg_auto(tree) char *root = tree_new();
		pmg_auto(policy) struct pmg_policy *policy = policy_of(root);
		pmg_auto(events) struct pmg_events events = { 0 };
		struct conform_row row = refused->row;
		pmg_autofree char *path = NULL;
		long value = 0;

		if (row.args[0].text && strchr(row.args[0].text, '@'))
			row.args[0].text = path = placed(row.args[0].text, root);
		assert_int_equal(conform_play(root, policy, NULL, &row, 1, &value, &events), 0);
		if (value != -(refused->errnum ? refused->errnum : EACCES) || events.n != 1)
			print_error("row %zu: %ld, %zu events\n", i, value, events.n);
		assert_int_equal(value, -(refused->errnum ? refused->errnum : EACCES));
		check_event(refused, &events, root);
		/* The same call does something where nobody refuses it. */
		if (geteuid() != 0)
			continue;
		assert_int_equal(conform_play(root, NULL, NULL, &row, 1, &value, NULL), 0);
		if (value < 0)
			print_error("row %zu bare: %ld\n", i, value);
		assert_true(value >= 0);
	}
}

static const struct conform_row quiet[] = {
	CALL(open, T("missing/d/g"), N(O_RDONLY)),
	CALL(open, T("full/missing"), N(O_RDONLY)),
	CALL(open, T("full/missing"), N(O_RDWR)),
	CALL(unlink, T("full/missing")),
	CALL(rename, T("full/missing"), T("x")),
	CALL(rmdir, T("full")), /* git does so with .git */
	CALL(mkdir, T("full"), N(0700)),
	CALL(mkdir, T("full/x"), N(0700)),
	CALL(link, T("f"), T("full/x")),
	CALL(open, T("full/x"), N(O_RDWR | O_CREAT | O_EXCL), N(0600)),
	CALL(open, T("d/g"), N(O_PATH)),
	CALL(chmod, T("full/x"), N(0644)), /* as it is */
	CALL(chmod, T("full/x"), N(0755)), /* a program, by the manager, where one may be started */
};
static const int quiet_errnums[] = { ENOENT, ENOENT, ENOENT, ENOENT, ENOENT, ENOTEMPTY, EEXIST,
				     EEXIST, EEXIST, EEXIST, 0,      0,      0 };

static void what_the_kernel_refuses_is_not_reported(void **state)
{
	pmg_auto(tree) char *root = tree_new();
	pmg_auto(policy) struct pmg_policy *policy = policy_of(root);
	pmg_auto(events) struct pmg_events events = { 0 };
	long values[PMG_ARRAY_LEN(quiet)];
	size_t i;

	(void)state;
	assert_int_equal(
		conform_play(root, policy, NULL, quiet, PMG_ARRAY_LEN(quiet), values, &events), 0);
	for (i = 0; i < PMG_ARRAY_LEN(quiet); i++)
		assert_int_equal(values[i] < 0 ? -values[i] : 0, quiet_errnums[i]);
	assert_int_equal(events.n, 0);
}

/* A second name of a secret, made before the run. */
static struct pmg_inodes *secrets;

static void add_secrets(struct pmg_broker *broker)
{
	broker->secrets = secrets;
}

static void a_hard_link_to_a_secret_is_refused(void **state)
{
	static const struct conform_row rows[] = {
		CALL(open, T("innocent"), N(O_RDONLY)),
		CALL(open, T("innocent"), N(O_WRONLY)),
		CALL(open, T("twin"), N(O_RDONLY)),
	};
	pmg_auto(tree) char *root = tree_new();
	pmg_autofree char *secret = pmg_path_join(root, "d/g");
	pmg_autofree char *other = pmg_path_join(root, "innocent");
	pmg_auto(policy) struct pmg_policy *policy = policy_of(root);
	pmg_auto(events) struct pmg_events events = { 0 };
	long values[PMG_ARRAY_LEN(rows)];
	struct stat st;

	(void)state;
	assert_int_equal(link(secret, other), 0);
	assert_int_equal(stat(secret, &st), 0);
	secrets = pmg_inodes_new();
	assert_true(pmg_inodes_add(secrets, st.st_dev, st.st_ino));
	assert_int_equal(
		conform_play(root, policy, add_secrets, rows, PMG_ARRAY_LEN(rows), values, &events),
		0);
	pmg_inodes_free(secrets);
	assert_int_equal(values[0], -EACCES);
	assert_int_equal(values[1], -EACCES);
	assert_true(values[2] >= 0);
	assert_int_equal(events.n, 2);
	assert_true(events.v[0].sensitive);
	assert_null(events.v[0].allow);
}

static void add_managers(struct pmg_broker *broker)
{
	broker->script_secrets = secrets;
}

/* What the manager reads itself may have another name, which a script must not have. */
static void a_hard_link_to_what_the_manager_reads_is_refused_to_scripts(void **state)
{
	static const struct conform_row row = CALL(open, T("innocent"), N(O_RDONLY));
	pmg_auto(tree) char *root = tree_new();
	pmg_autofree char *secret = pmg_path_join(root, "f");
	pmg_autofree char *other = pmg_path_join(root, "innocent");
	pmg_auto(policy) struct pmg_policy *policy = policy_of(root);
	pmg_auto(events) struct pmg_events events = { 0 };
	struct pmg_request request = { 0 };
	struct pmg_broker broker = { 0 };
	long value = -1;
	struct stat st;

	(void)state;
	assert_int_equal(link(secret, other), 0);
	assert_int_equal(stat(secret, &st), 0);
	secrets = pmg_inodes_new();
	assert_true(pmg_inodes_add(secrets, st.st_dev, st.st_ino));
	/* The caller here is the manager. */
	assert_int_equal(conform_play(root, policy, add_managers, &row, 1, &value, &events), 0);
	assert_true(value >= 0);
	assert_int_equal(events.n, 0);
	broker.script_secrets = secrets;
	request.broker = &broker;
	request.who.role = PMG_ROLE_MANAGER;
	assert_false(pmg_is_secret(&request, &st));
	request.who.role = PMG_ROLE_SCRIPT;
	assert_true(pmg_is_secret(&request, &st));
	st.st_nlink = 1;
	assert_false(pmg_is_secret(&request, &st));
	pmg_inodes_free(secrets);
}

static void a_denied_object_moves_into_no_package(void **state)
{
	static const struct conform_row rows[] = {
		CALL(mkdir, T("node_modules"), N(0700)),
		CALL(mkdir, T("node_modules/p"), N(0700)),
		CALL(mkdir, T("plain"), N(0700)),
		CALL(mkdir, T("plain/in"), N(0700)),
		CALL(rename, T("plain"), T("node_modules/p/plain")),
		CALL(rename, T("node_modules/p/plain"), T("plain")),
		CALL(mkdir, T("plain/in/hidden"), N(0700)),
		CALL(rename, T("box"), T("node_modules/p/box")),
		CALL(rename, T("box"), T("node_modules/box")),
		CALL(rename, T("box"), T("d/node_modules")),
		CALL(rename, T("box"), T("box2")),
		CALL(mkdir, T("node_modules/.x-ABC"), N(0700)),
		CALL(rename, T("node_modules/.x-ABC"), T("node_modules/x")),
	};
	pmg_auto(tree) char *root = tree_new();
	pmg_auto(policy) struct pmg_policy *policy = broker_policy(root);
	pmg_auto(events) struct pmg_events events = { 0 };
	long values[PMG_ARRAY_LEN(rows)];

	(void)state;
	folder_write(root, "box/in/hidden/x", "x", 1);
	broker_rule(policy, PMG_ACCESS_READ, PMG_RANK_DENY, "/**/hidden");
	pmg_policy_seal(policy);
	assert_int_equal(
		conform_play(root, policy, NULL, rows, PMG_ARRAY_LEN(rows), values, &events), 0);
	assert_int_equal(values[4], 0);
	assert_int_equal(values[5], 0);
	assert_int_equal(values[6], -EACCES); /* it would be there to be read by nobody */
	assert_int_equal(values[7], -EACCES);
	assert_int_equal(values[8], -EACCES); /* as a package, and as the folder of them */
	assert_int_equal(values[9], -EACCES);
	assert_int_equal(values[10], 0);
	assert_int_equal(values[12], 0);
	assert_int_equal(events.n, 2);
	assert_int_equal(events.v[0].code, 2002);
	assert_int_equal(events.v[1].code, 2012);
}

struct of_etc {
	int everybodys, roots;
};

static void read_etc(void *arg)
{
	struct of_etc *out = arg;

	out->everybodys = open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? -errno : 0;
	out->roots = open("/etc/shadow", O_RDONLY | O_CLOEXEC) < 0 ? -errno : 0;
}

static void what_lies_in_etc_for_root_alone_is_not_read_as_root(void **state)
{
	static const char *const opened[] = { "/etc/**", "/etc/shadow" };
	struct of_etc *got = broker_shared(sizeof *got);
	size_t i;

	(void)state;
	if (geteuid() != 0)
		skip(); /* the kernel says so itself */
	assert_int_equal(broker_bare_child(read_etc, got), 0);
	assert_int_equal(got->roots, 0);
	for (i = 0; i < PMG_ARRAY_LEN(opened); i++) {
		pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
		pmg_auto(events) struct pmg_events events = { 0 };

		broker_rule(policy, PMG_ACCESS_READ, PMG_RANK_ALLOW, "/etc/**");
		broker_rule(policy, PMG_ACCESS_READ, PMG_RANK_OPT_OUT, opened[i]);
		pmg_policy_seal(policy);
		assert_int_equal(broker_serve_child(policy, NULL, read_etc, got, &events), 0);
		assert_int_equal(got->everybodys, 0);
		assert_int_equal(got->roots, i == 0 ? -EACCES : 0);
		assert_int_equal(events.n, i == 0 ? 1 : 0);
		if (i == 0)
			assert_string_equal(events.v[0].allow, "read=/etc/shadow");
	}
}

static struct open_how set_ids = { .flags = O_RDWR | O_CREAT, .mode = 06755 };

static void no_file_is_made_that_runs_as_somebody_else(void **state)
{
	static const struct conform_row rows[] = {
		CALL(open, T("s1"), N(O_RDWR | O_CREAT), N(06755)),
		CALL(creat, T("s2"), N(04755)),
		CALL(openat2, HERE, T("s3"), N(&set_ids), N(sizeof set_ids)),
		CALL(mknod, T("s4"), N(S_IFREG | 06755), N(0)),
	};
	pmg_auto(tree) char *root = tree_new();
	pmg_auto(policy) struct pmg_policy *policy = policy_of(root);
	pmg_auto(events) struct pmg_events events = { 0 };
	long values[PMG_ARRAY_LEN(rows)];
	struct stat st;
	size_t i;

	(void)state;
	assert_int_equal(
		conform_play(root, policy, NULL, rows, PMG_ARRAY_LEN(rows), values, &events), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *file = pmg_path_join(root, rows[i].args[i == 2].text);

		assert_true(values[i] >= 0);
		assert_int_equal(stat(file, &st), 0);
		assert_int_equal(st.st_mode & 07700, 0700);
	}
}

struct pipes {
	pid_t owner;
	int theirs[2]; /* of the owner */
	int by_path[2], own;
};

static int open_by_path(pid_t pid, int number, int flags)
{
	char name[64];
	int fd;

	(void)snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)pid, number);
	fd = open(name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -ENXIO;
	(void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	fd = open(name, flags | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : 0;
}

static void reach_for_pipes(void *arg)
{
	static const int flags[] = { O_RDONLY, O_WRONLY };
	struct pipes *pipes = arg;
	char name[64];
	int own[2];
	size_t i;

	for (i = 0; i < 2; i++) {
		(void)close(pipes->theirs[i]); /* what was inherited would be our own */
		pipes->by_path[i] = open_by_path(pipes->owner, pipes->theirs[i], flags[i]);
	}
	if (pipe2(own, O_CLOEXEC) < 0)
		return;
	(void)snprintf(name, sizeof name, "/proc/self/fd/%d", own[0]);
	pipes->own = open(name, O_WRONLY | O_CLOEXEC) < 0 ? -errno : 0;
}

static void pipes_of_others_are_theirs(void **state)
{
	pmg_auto(tree) char *root = tree_new();
	pmg_auto(policy) struct pmg_policy *policy = policy_of(root);
	pmg_auto(events) struct pmg_events events = { 0 };
	struct pipes *pipes = broker_shared(sizeof *pipes);

	(void)state;
	pipes->owner = getpid();
	assert_int_equal(pipe2(pipes->theirs, O_CLOEXEC), 0);
	assert_int_equal(broker_bare_child(reach_for_pipes, pipes), 0);
	assert_int_equal(pipes->by_path[0], 0);
	assert_int_equal(pipes->by_path[1], 0);
	pipes->own = -1;
	assert_int_equal(broker_serve_child(policy, NULL, reach_for_pipes, pipes, &events), 0);
	assert_int_equal(pipes->by_path[0], -EACCES);
	assert_int_equal(pipes->by_path[1], -EACCES);
	assert_int_equal(pipes->own, 0);
	assert_int_equal(events.n, 1);
	assert_int_equal(events.v[0].code, 2015);
	(void)close(pipes->theirs[0]);
	(void)close(pipes->theirs[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refusal_is_eacces_and_one_event),
		cmocka_unit_test(what_the_kernel_refuses_is_not_reported),
		cmocka_unit_test(a_hard_link_to_a_secret_is_refused),
		cmocka_unit_test(a_hard_link_to_what_the_manager_reads_is_refused_to_scripts),
		cmocka_unit_test(a_denied_object_moves_into_no_package),
		cmocka_unit_test(pipes_of_others_are_theirs),
		cmocka_unit_test(what_lies_in_etc_for_root_alone_is_not_read_as_root),
		cmocka_unit_test(no_file_is_made_that_runs_as_somebody_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
