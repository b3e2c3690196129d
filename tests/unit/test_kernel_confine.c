#include "kernel/confine.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "base/io.h"
#include "base/path.h"
#include "base/proc.h"

#define KILLED(sig)    (128 + (sig))
#define NOT_CONFINED   120
#define PROBE_ARGUMENT "--confine"

/* Each child acts in this folder: "list/file" may be read, "other" may not. */
static char folder[64];

static char *at(const char *name)
{
	return pmg_path_join(folder, name);
}

static int result(long r)
{
	return r < 0 ? errno : 0;
}

static int open_as(const char *name, int flags)
{
	pmg_autofree char *path = at(name);

	return result(open(path, flags | O_CLOEXEC, 0600));
}

static int read_listed(void)
{
	return open_as("list/file", O_RDONLY);
}

static int list_listed(void)
{
	return open_as("list", O_RDONLY | O_DIRECTORY);
}

static int read_other(void)
{
	return open_as("other", O_RDONLY);
}

static int list_other(void)
{
	return open_as("", O_RDONLY | O_DIRECTORY);
}

static int write_listed(void)
{
	return open_as("list/file", O_WRONLY);
}

static int write_both(void)
{
	return open_as("list/file", O_RDWR);
}

static int make_file(void)
{
	return open_as("list/new", O_WRONLY | O_CREAT);
}

static int make_unnamed(void)
{
	return open_as("list", O_WRONLY | O_TMPFILE);
}

static int empty_listed(void)
{
	return open_as("list/file", O_RDONLY | O_TRUNC);
}

static int make_folder(void)
{
	pmg_autofree char *path = at("list/folder");

	return result(mkdir(path, 0700));
}

static int remove_file(void)
{
	pmg_autofree char *path = at("list/removed");

	return result(unlink(path));
}

static int rename_file(void)
{
	pmg_autofree char *from = at("list/renamed");
	pmg_autofree char *to = at("list/renamed.to");

	return result(rename(from, to));
}

static int change_mode(void)
{
	pmg_autofree char *path = at("list/file");

	return result(chmod(path, 0600));
}

static int start_program(void)
{
	char name[] = "true";
	char *argv[] = { name, NULL };

	(void)execve("/bin/true", argv, NULL);
	return errno;
}

static int start_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	return result(pid);
}

static int make_memfd(void)
{
	return result(memfd_create("x", MFD_CLOEXEC));
}

static int leave_table(void)
{
	return result(syscall(SYS_unshare, 0));
}

static int ask_keyring(void)
{
	return result(syscall(SYS_keyctl, 0, -3, 1)); /* session keyring's id */
}

static int be_dumpable(void)
{
	return result(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

static int raise_limit(void)
{
	struct rlimit limit;

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	return result(setrlimit(RLIMIT_NOFILE, &limit));
}

static int signal_parent(void)
{
	return result(kill(getppid(), 0));
}

static int local_socket(void)
{
	return result(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int local_pair(void)
{
	int fds[2];

	return result(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
}

static int tcp_socket(void)
{
	return result(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
}

static int read_own_memory(void)
{
	char from = 'a', to = 'b';
	struct iovec local = { &to, 1 }, remote = { &from, 1 };

	return result(syscall(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0));
}

static int abort_itself(void)
{
	(void)signal(SIGABRT, SIG_DFL);
	abort();
}

static void fill(struct pmg_confine *what)
{
	pmg_strv_take(&what->read_files, at("list"));
	pmg_strv_take(&what->read_files, at("missing"));
	pmg_confine_resolver_paths(&what->read_files);
}

/* Runs an action in a child and tells how it ended: 0 or an errno, or KILLED(). */
static int ending(int (*action)(void), const struct pmg_confine *what)
{
	struct pmg_err err = PMG_ERR_INIT;
	int status = 0;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (what && pmg_confine_self(what, &err) < 0) {
			fprintf(stderr, "%s\n", err.msg);
			_exit(NOT_CONFINED);
		}
		_exit(action());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? KILLED(WTERMSIG(status)) : WEXITSTATUS(status);
}

static void touch(const char *name)
{
	pmg_autofree char *path = at(name);
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_io_replace(path, "x", 1, 0600, &err), 0);
}

static void make_files(void)
{
	pmg_autofree char *list = at("list");
	pmg_autofree char *made = at("list/folder");
	pmg_autofree char *new = at("list/new");
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_io_mkdirs(list, 0700, &err), 0);
	(void)rmdir(made);
	(void)unlink(new);
	touch("list/file");
	touch("list/removed");
	touch("list/renamed");
	touch("other");
}

static int teardown(void **state)
{
	static const char *const names[] = { "list/file",   "list/removed", "list/renamed",
					     "other",       "list/new",     "list/renamed.to",
					     "list/folder", "list",         "" };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		pmg_autofree char *path = at(names[i]);

		(void)remove(path);
	}
	return 0;
}

/* What LeakSanitizer does itself at the end must be open to it. */
#ifdef PMG_SANITIZE
#define OF_LSAN(end) 0
#else
#define OF_LSAN(end) end
#endif

static const struct row {
	const char *name;
	int (*action)(void);
	int confined;
} rows[] = {
	{ "read a listed file", read_listed, 0 },
	{ "list a listed folder", list_listed, 0 },
	{ "read another file", read_other, EACCES },
	{ "list another folder", list_other, EACCES },
	{ "open a listed file for writing", write_listed, EACCES },
	{ "open a listed file for both", write_both, EACCES },
	{ "make a file", make_file, EACCES },
	{ "make a file without a name", make_unnamed, EACCES },
	{ "empty a file through O_RDONLY", empty_listed, EPERM },
	{ "make a folder", make_folder, EPERM },
	{ "remove a file", remove_file, EPERM },
	{ "rename a file", rename_file, EPERM },
	{ "change a mode", change_mode, EPERM },
	{ "start a program", start_program, KILLED(SIGSYS) },
	{ "read memory by another's way", read_own_memory, KILLED(SIGSYS) },
	{ "start a process", start_process, OF_LSAN(EPERM) },
	{ "be dumpable again", be_dumpable, OF_LSAN(EPERM) },
	{ "signal the parent", signal_parent, EPERM },
	{ "make a memory file", make_memfd, EPERM },
	{ "leave a namespace", leave_table, EPERM },
	{ "ask for a keyring", ask_keyring, EPERM },
	{ "set a limit", raise_limit, EPERM },
	{ "make a local socket", local_socket, EPERM },
	{ "make a pair of local sockets", local_pair, 0 },
	{ "make a TCP socket", tcp_socket, 0 },
};

static void each_action_ends_as_the_table_says(void **state)
{
	struct pmg_confine what = { .network = true };
	size_t i;
	int free_end, confined_end;

	(void)state;
	fill(&what);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		make_files();
		free_end = ending(rows[i].action, NULL);
		if (free_end != 0)
			fail_msg("%s: not even unconfined: %d", rows[i].name, free_end);
		make_files();
		confined_end = ending(rows[i].action, &what);
		if (confined_end != rows[i].confined)
			fail_msg("%s: %d, not %d", rows[i].name, confined_end, rows[i].confined);
	}
	pmg_strv_done(&what.read_files);
}

static void without_network_there_are_no_sockets(void **state)
{
	struct pmg_confine what = { .network = false };

	(void)state;
	assert_int_equal(ending(tcp_socket, NULL), 0);
	assert_int_equal(ending(tcp_socket, &what), EPERM);
	assert_int_equal(ending(local_pair, &what), EPERM);
}

static int write_other(void)
{
	return open_as("other", O_WRONLY);
}

static int make_beside(void)
{
	return open_as("beside", O_WRONLY | O_CREAT);
}

static int link_file(void)
{
	pmg_autofree char *from = at("list/file");
	pmg_autofree char *to = at("list/new");

	return result(link(from, to));
}

static int move_out(void)
{
	pmg_autofree char *from = at("list/renamed");
	pmg_autofree char *to = at("renamed.out");
	int r = result(rename(from, to));

	return r ? r : result(rename(to, from));
}

static int make_link(void)
{
	pmg_autofree char *path = at("list/new");

	return result(symlink("file", path));
}

static int there_is_the_folder(void)
{
	pmg_autofree char *path = at("list");

	return mkdir(path, 0700) < 0 && errno == EEXIST ? 0 : EPERM;
}

static const struct row writers[] = {
	{ "read in the folder", read_listed, 0 },
	{ "open a file of the folder for writing", write_listed, 0 },
	{ "make a file", make_file, 0 },
	{ "remove a file", remove_file, 0 },
	{ "rename a file", rename_file, 0 },
	{ "link a file", link_file, 0 },
	{ "ask for the folder", there_is_the_folder, 0 },
	{ "make a folder", make_folder, EACCES },
	{ "make a symbolic link", make_link, EPERM },
	{ "change a mode", change_mode, EPERM },
	{ "read another file", read_other, EACCES },
	{ "write another file", write_other, EACCES },
	{ "make a file beside the folder", make_beside, EACCES },
	{ "make a TCP socket", tcp_socket, EPERM },
	{ "start a process", start_process, OF_LSAN(EPERM) },
	{ "start a program", start_program, KILLED(SIGSYS) },
};

static void a_folder_may_be_written_and_nothing_else(void **state)
{
	struct pmg_confine what = { 0 };
	pmg_autofree char *beside = at("beside");
	size_t i;
	int end;

	(void)state;
	pmg_strv_take(&what.write_folders, at("list"));
	for (i = 0; i < PMG_ARRAY_LEN(writers); i++) {
		make_files();
		end = ending(writers[i].action, NULL);
		if (end != 0)
			fail_msg("%s: not even unconfined: %d", writers[i].name, end);
		make_files();
		end = ending(writers[i].action, &what);
		if (end != writers[i].confined)
			fail_msg("%s: %d, not %d", writers[i].name, end, writers[i].confined);
		(void)unlink(beside);
	}
	make_files();
	end = ending(move_out, &what);
	assert_true(end == EXDEV || end == EACCES);
	assert_int_equal(ending(move_out, NULL), 0);
	pmg_strv_done(&what.write_folders);
	pmg_strv_take(&what.write_folders, at("missing"));
	assert_int_equal(ending(read_listed, &what), NOT_CONFINED);
	pmg_strv_done(&what.write_folders);
}

static void a_confined_process_can_abort(void **state)
{
	struct pmg_confine what = { 0 };

	(void)state;
	assert_int_equal(ending(abort_itself, NULL), KILLED(SIGABRT));
	assert_int_equal(ending(abort_itself, &what), KILLED(SIGABRT));
}

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons(port),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int listen_anew(void)
{
	pmg_autofd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in address = loopback(0);

	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return errno;
	return result(listen(fd, 1));
}

static void listening_needs_leave(void **state)
{
	struct pmg_confine what = { .network = true };
	int end;

	(void)state;
	assert_int_equal(ending(listen_anew, NULL), 0);
	end = ending(listen_anew, &what); /* by bind() where Landlock can, else by listen() */
	assert_true(end == EACCES || end == EPERM);
	what.may_bind = true;
	assert_int_equal(ending(listen_anew, &what), 0);
}

static int listener = -1;

/* As libcurl does it: look up in a thread, connect from the main one. */
static void *look_up(void *data)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;

	if (getaddrinfo("localhost", NULL, &hints, &found) == 0) {
		memcpy(data, found->ai_addr, sizeof(struct sockaddr_in));
		freeaddrinfo(found);
	}
	return NULL;
}

static int resolve_and_connect(void)
{
	pmg_autofd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pmg_autofd int peer = -1;
	struct sockaddr_in address = { 0 }, own;
	socklen_t len = sizeof own;
	pthread_t thread;
	char buf[2] = "";

	if (pthread_create(&thread, NULL, look_up, &address) != 0 ||
	    pthread_join(thread, NULL) != 0 || address.sin_family != AF_INET)
		return 100;
	if (getsockname(listener, (struct sockaddr *)&own, &len) < 0)
		return errno;
	address.sin_port = own.sin_port;
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return errno;
	peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (peer < 0 || send(peer, "y", 1, 0) != 1 || recv(fd, buf, 1, 0) != 1)
		return errno;
	return buf[0] == 'y' ? 0 : 101;
}

static void names_resolve_in_a_thread_and_a_handed_socket_serves(void **state)
{
	struct pmg_confine what = { .network = true };
	struct sockaddr_in address = loopback(0);

	(void)state;
	fill(&what);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(listener, 4), 0);
	assert_int_equal(ending(resolve_and_connect, NULL), 0);
	assert_int_equal(ending(resolve_and_connect, &what), 0);
	pmg_strv_done(&what.read_files);
	pmg_auto_closep(&listener);
}

static int write_on(void)
{
	return write(listener, "x", 1) == 1 && ftruncate(listener, 0) == 0 ? 0 : errno;
}

static void what_is_open_for_writing_stays_so(void **state)
{
	struct pmg_confine what = { 0 };
	pmg_autofree char *path = at("other");

	(void)state;
	make_files();
	listener = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(ending(write_on, &what), 0);
	pmg_auto_closep(&listener);
}

static int capabilities_left(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	const char *line;

	if (pmg_io_slurp("/proc/self/status", 65536, &text, &len, &err) < 0)
		return 100;
	line = strstr(text, "CapEff:\t");
	return line && strtoull(line + 8, NULL, 16) == 0 ? 0 : 1;
}

static void no_capability_is_left(void **state)
{
	struct pmg_confine what = { 0 };

	(void)state;
	if (geteuid() != 0 || ending(capabilities_left, NULL) == 0) {
		print_message("SKIPPED: not root\n");
		skip();
	}
	pmg_strv_add(&what.read_files, "/proc");
	assert_int_equal(ending(capabilities_left, &what), 0);
	pmg_strv_done(&what.read_files);
}

static int end_normally(void)
{
	exit(0); /* with what runs at exit: under sanitizers, the search for leaks */
}

static void a_confined_process_can_end_normally(void **state)
{
	struct pmg_confine what = { .network = true };

	(void)state;
	assert_int_equal(ending(end_normally, &what), 0);
}

static void *wait_for_end(void *data)
{
	pthread_mutex_lock(data);
	return NULL;
}

static int confine_with_threads(void)
{
	struct pmg_confine what = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;

	pthread_mutex_lock(&held);
	if (pthread_create(&thread, NULL, wait_for_end, &held) != 0)
		return 100;
	if (pmg_confine_self(&what, &err) != -PMG_E_INTERNAL)
		return 101;
	return strcmp(err.msg, "confine: 2 threads are running") == 0 ? 0 : 102;
}

static void a_process_with_threads_is_refused(void **state)
{
	(void)state;
	assert_int_equal(ending(confine_with_threads, NULL), 0);
}

/* This program again, behind tests/helper/without. */
static char *probe_without(const char *call)
{
	pmg_auto(strv) struct pmg_strv argv = { 0 };
	pmg_autofree char *self = pmg_path_real("/proc/self/exe");
	pmg_autofree char *text = NULL;
	struct pmg_proc proc = {
		.path = "tests/helper/without", .envp = environ, .max = 4096, .timeout_ms = 20000
	};
	struct pmg_err err = PMG_ERR_INIT;
	int status = -1;

	pmg_strv_add(&argv, "without");
	pmg_strv_add(&argv, call);
	pmg_strv_add(&argv, "--");
	pmg_strv_add(&argv, self);
	pmg_strv_add(&argv, PROBE_ARGUMENT);
	proc.argv = pmg_strv_argv(&argv);
	assert_int_equal(pmg_proc_capture(&proc, &text, &status, &err), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return pmg_steal_ptr(&text);
}

static int probe(void)
{
	struct pmg_confine what = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int r = pmg_confine_self(&what, &err);

	(void)printf("%d|%s|%s\n", r, err.msg, err.hint);
	(void)fflush(stdout);
	_exit(0);
}

static void a_kernel_without_the_means_is_unsupported(void **state)
{
	static const struct {
		const char *call, *begin, *hint;
	} cases[] = {
		{ "landlock_create_ruleset", "-7|confine: this kernel has no Landlock: ", "5.13" },
		{ "seccomp",
		  "-7|confine: this kernel takes no seccomp filter: ", "CONFIG_SECCOMP_FILTER" },
		{ "getcpu", "0|", "" }, /* so it is not the helper itself that fails */
	};
	size_t i;

	(void)state;
	_Static_assert(PMG_E_UNSUPPORTED == 7, "as in the table");
	for (i = 0; i < PMG_ARRAY_LEN(cases); i++) {
		pmg_autofree char *text = probe_without(cases[i].call);

		if (strncmp(text, cases[i].begin, strlen(cases[i].begin)) != 0 ||
		    !strstr(text, cases[i].hint))
			fail_msg("without %s: %s", cases[i].call, text);
	}
}

static int do_nothing(void)
{
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_action_ends_as_the_table_says),
		cmocka_unit_test(without_network_there_are_no_sockets),
		cmocka_unit_test(listening_needs_leave),
		cmocka_unit_test(names_resolve_in_a_thread_and_a_handed_socket_serves),
		cmocka_unit_test(what_is_open_for_writing_stays_so),
		cmocka_unit_test(no_capability_is_left),
		cmocka_unit_test(a_folder_may_be_written_and_nothing_else),
		cmocka_unit_test(a_confined_process_can_abort),
		cmocka_unit_test(a_confined_process_can_end_normally),
		cmocka_unit_test(a_process_with_threads_is_refused),
		cmocka_unit_test(a_kernel_without_the_means_is_unsupported),
	};
	struct pmg_confine nothing = { 0 };

	if (argc > 1 && strcmp(argv[1], PROBE_ARGUMENT) == 0)
		return probe();
	if (ending(do_nothing, &nothing) != 0)
		return child_skip("a process cannot be confined here");
	(void)snprintf(folder, sizeof folder, "test-confine-%ld", (long)getpid());
	return cmocka_run_group_tests(tests, NULL, teardown);
}
