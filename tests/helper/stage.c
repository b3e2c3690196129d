#include "stage.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/str.h"
#include "folder.h"
#include "pm/pm.h"
#include "run/run.h"
#include "run/signals.h"
#include "violation/wire.h"

const struct pmg_pm *__wrap_pmg_pm_find(const char *tool);

static char *root; /* of the stage */

char *stage_path(const char *name)
{
	return pmg_path_join(root, name);
}

/* The stage of a part: its program lies in root/bin or root/tools. */
static void find_root(void)
{
	pmg_autofree char *self = pmg_path_real("/proc/self/exe");
	pmg_autofree char *dir = pmg_path_dir(self);

	root = pmg_path_dir(dir);
}

static void append(const char *name, const char *text)
{
	pmg_autofree char *path = stage_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	(void)close(fd);
}

static char *read_file(const char *name)
{
	pmg_autofree char *path = stage_path(name);
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	size_t len;

	if (pmg_io_slurp(path, 1U << 20, &text, &len, &err) < 0)
		return pmg_xstrdup("");
	return text;
}

struct words {
	char path[256];
};

static bool has(const struct words *words, const char *word)
{
	pmg_autofree char *framed = pmg_xasprintf("/%s/", word);

	return strstr(words->path, framed) != NULL;
}

static void tell(uint16_t type, struct json_t *taken)
{
	pmg_auto(json) struct json_t *body = taken;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_msg_send(PMG_WIRE_FD, type, body, &err) < 0)
		_exit(4);
}

static void tell_failure(const char *why)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)pmg_err_set(&err, PMG_E_NETWORK, 0, "%s", why);
	(void)pmg_err_diag(&err, 4004);
	tell(PMG_WIRE_FAILED, pmg_wire_failed_encode(&err));
	_exit(0);
}

/* What violation/wire.h promises a proxy. */
static const char *what_is_wrong(void)
{
	struct stat null, st;
	int fd;

	if (environ && environ[0])
		return "the environment is not empty";
	if (getsid(0) != getpid())
		return "no session of its own";
	for (fd = 0; fd <= 2; fd++)
		if (stat("/dev/null", &null) < 0 || fstat(fd, &st) < 0 ||
		    st.st_rdev != null.st_rdev)
			return "stdio is not /dev/null";
	if (fcntl(PMG_WIRE_BUNDLE_FD + 1, F_GETFD) >= 0 || fcntl(63, F_GETFD) >= 0)
		return "more descriptors are open";
	if (fstat(PMG_WIRE_BUNDLE_FD, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != 0)
		return "no empty bundle";
	return NULL;
}

static void read_start(struct words *words)
{
	struct pmg_err err = PMG_ERR_INIT;

	for (;;) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };
		pmg_auto(wire_registry) struct pmg_wire_registry registry = { 0 };

		if (pmg_msg_recv(PMG_WIRE_FD, &msg, &err) != 1)
			_exit(5);
		if (msg.type == PMG_WIRE_START)
			return;
		if (msg.type == PMG_WIRE_REGISTRY &&
		    pmg_wire_registry_decode(msg.body, &registry, &err) == 0)
			(void)snprintf(words->path, sizeof words->path, "%s", registry.url);
	}
}

static void tell_judged(const char *name, const char *verdict, int diag)
{
	struct pmg_wire_judged m = { .diag = diag };

	m.eco = pmg_xstrdup("npm");
	m.name = pmg_xstrdup(name);
	m.version = pmg_xstrdup("1.0.0");
	m.verdict = pmg_xstrdup(verdict);
	m.url = pmg_xstrdup("http://registry.test/x");
	tell(PMG_WIRE_JUDGED, pmg_wire_judged_encode(&m));
	pmg_wire_judged_done(&m);
}

static void tell_events(const struct words *words)
{
	struct pmg_wire_passed passed = { pmg_xstrdup("h.test:443"), pmg_xstrdup("tunnel") };
	struct pmg_wire_trouble trouble = { pmg_xstrdup("r.test:443"), pmg_xstrdup("no way"),
					    4004 };

	if (has(words, "allow"))
		tell_judged("fine", "allow", 0);
	if (has(words, "block"))
		tell_judged("evil", "block", 3001);
	if (has(words, "tunnel"))
		tell(PMG_WIRE_PASSED, pmg_wire_passed_encode(&passed));
	if (has(words, "trouble"))
		tell(PMG_WIRE_TROUBLE, pmg_wire_trouble_encode(&trouble));
	pmg_wire_passed_done(&passed);
	pmg_wire_trouble_done(&trouble);
}

static void serve(const struct words *words)
{
	struct pollfd fds[] = { { .fd = PMG_WIRE_FD, .events = POLLIN },
				{ .fd = PMG_WIRE_LISTEN_FD, .events = POLLIN } };
	struct pmg_wire_done done = { .requests = 2, .bytes = 1000 };
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	for (;;) {
		if (poll(fds, 2, -1) < 0)
			_exit(6);
		if (fds[1].revents && has(words, "die"))
			(void)raise(SIGKILL);
		if (fds[1].revents)
			(void)close(accept(PMG_WIRE_LISTEN_FD, NULL, NULL));
		if (!fds[0].revents)
			continue;
		if (pmg_msg_recv(PMG_WIRE_FD, &msg, &err) != 1)
			_exit(0);
		pmg_msg_done(&msg);
		while (has(words, "deaf"))
			(void)pause();
		pmg_strv_add(&done.learned, "npm http://registry.test/ artifacts.test:443");
		tell(PMG_WIRE_DONE, pmg_wire_done_encode(&done));
		_exit(0);
	}
}

static void play_proxy(void)
{
	static char pem[] = "authority\n";
	struct pmg_wire_ready ready = { .index_present = true,
					.index_built = 86400,
					.index_checked = pmg_clock_now(),
					.index_records = 7,
					.blocklist_entries = 1,
					.ca_pem = pem };
	const char *wrong = what_is_wrong();
	struct words words = { "" };

	find_root();
	append("proxies", "x");
	read_start(&words);
	if (wrong)
		tell_failure(wrong);
	if (has(&words, "fail"))
		tell_failure("upstream cannot be reached");
	if (has(&words, "quit"))
		_exit(3);
	while (has(&words, "mute"))
		(void)pause();
	if (has(&words, "nonsense"))
		tell(99, NULL);
	if (has(&words, "stale"))
		ready.index_checked = pmg_clock_now() - 8 * 86400;
	if (has(&words, "noindex"))
		ready = (struct pmg_wire_ready){ .ca_pem = ready.ca_pem };
	if (write(PMG_WIRE_BUNDLE_FD, "roots\n", 6) != 6)
		_exit(7);
	tell(PMG_WIRE_READY, pmg_wire_ready_encode(&ready));
	tell_events(&words);
	serve(&words);
}

static enum pmg_verb classify(char *const *argv)
{
	if (argv[1] && strcmp(argv[1], "plain") == 0)
		return PMG_VERB_PLAIN;
	return argv[1] && strcmp(argv[1], "install") == 0 ? PMG_VERB_FETCH : PMG_VERB_RUN;
}

/* As a manager that has to be asked and does not answer. */
static void ask_slowly(const struct pmg_place *place)
{
	char sleep_name[] = "sleep", seconds[] = "30";
	char *argv[] = { sleep_name, seconds, NULL }, *envp[] = { NULL };
	struct pmg_proc proc = { .path = "/bin/sleep",
				 .argv = argv,
				 .envp = envp,
				 .max = 100,
				 .timeout_ms = 30000,
				 .cancel_fd = place->cancel_fd };
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	int status;

	append("asked", "x");
	(void)!pmg_proc_capture(&proc, &text, &status, &err); /* no answer is expected */
}

static int learn(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	const char *url = pmg_env_get(place->env, "FAKE_REGISTRY");

	if (pmg_env_get(place->env, "FAKE_SLOW"))
		ask_slowly(place);
	if (!url)
		return pmg_err_set(err, PMG_E_CONFIG, 0, "no registry");
	out->registries = pmg_xcalloc(1, sizeof *out->registries);
	out->registries[0].origin.what = pmg_xstrdup("environment FAKE_REGISTRY");
	out->n_registries = out->cap_registries = 1;
	return pmg_url_parse(url, &out->registries[0].base, err);
}

static void point(struct pmg_strv *env, const struct pmg_pointer *to)
{
	pmg_env_set(env, "FAKE_PROXY", to->proxy);
	pmg_env_set(env, "FAKE_BUNDLE", to->bundle);
	pmg_env_set(env, "FAKE_LOOPBACK", to->has_loopback ? "yes" : "no");
}

const struct pmg_pm *__wrap_pmg_pm_find(const char *tool)
{
	static const char *const tools[] = { "npm", NULL };
	static const struct pmg_pm pm = { "npm", PMG_ECO_NPM, tools, classify, learn, point };

	return strcmp(tool, "npm") == 0 ? &pm : NULL;
}

static unsigned interrupts;

static void count_interrupt(int sig)
{
	(void)sig;
	interrupts++;
}

static void connect_to_proxy(void)
{
	const char *proxy = getenv("FAKE_PROXY");
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (!proxy || pmg_url_parse(proxy, &url, &err) < 0)
		_exit(80);
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	addr.sin_port = htons(url.port);
	if (connect(fd, (struct sockaddr *)&addr, sizeof addr) < 0)
		_exit(81);
}

static void print_env(void)
{
	char **v;

	for (v = environ; *v; v++)
		(void)printf("%s\n", *v);
}

static void hang(void)
{
	append("hanging", "x");
	for (;;)
		(void)pause();
}

/* Counts SIGINT until SIGTERM comes, then writes the number: the terminal's must come once. */
static void count(void)
{
	struct sigaction counts = { .sa_handler = count_interrupt };
	sigset_t term, none;
	char number[16];

	(void)sigaction(SIGINT, &counts, NULL);
	(void)sigemptyset(&term);
	(void)sigaddset(&term, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &term, NULL);
	append("hanging", "x");
	(void)sigemptyset(&none);
	for (;;) {
		struct timespec wait = { .tv_sec = 10 };

		if (sigtimedwait(&term, NULL, &wait) == SIGTERM)
			break;
	}
	(void)snprintf(number, sizeof number, "%u", interrupts);
	append("counted", number);
	_exit(0);
}

/* A child in a session of its own that ignores SIGTERM: only SIGKILL ends it. */
static void leave_daemon(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (fork() != 0)
		return;
	(void)setsid();
	(void)sigaction(SIGTERM, &ignore, NULL);
	if (fork() == 0)
		hang();
	_exit(0);
}

static void leave_terminal_raw(void)
{
	struct termios raw;

	if (tcgetattr(0, &raw) < 0)
		_exit(83);
	cfmakeraw(&raw);
	if (tcsetattr(0, TCSANOW, &raw) < 0)
		_exit(84);
	(void)raise(SIGKILL);
}

/* A front within, started as npm starts what a script says: as a child. */
static void nest(char **args)
{
	pmg_autofree char *front = stage_path("bin/pmg-test");
	pmg_auto(strv) struct pmg_strv argv = { 0 };
	pid_t pid = fork();

	if (pid > 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		_exit(0);
	}

	pmg_strv_add(&argv, "pmg-front");
	pmg_strv_extend(&argv, args);
	(void)execv(front, pmg_strv_argv(&argv));
}

static void play_tool(int argc, char **argv)
{
	const char *word = argc > 2 ? argv[2] : "exit", *arg = argc > 3 ? argv[3] : "0";

	find_root();
	if (strcmp(word, "exit") == 0)
		_exit(atoi(arg));
	if (strcmp(word, "signal") == 0) {
		(void)raise(atoi(arg));
		_exit(82);
	}
	if (strcmp(word, "env") == 0)
		print_env();
	if (strcmp(word, "pid") == 0)
		(void)printf("%ld\n", (long)getpid());
	if (strcmp(word, "daemon") == 0)
		leave_daemon();
	if (strcmp(word, "connect") == 0) {
		connect_to_proxy();
		hang();
	}
	if (strcmp(word, "hang") == 0)
		hang();
	if (strcmp(word, "raw") == 0)
		leave_terminal_raw();
	if (strcmp(word, "count") == 0)
		count();
	if (strcmp(word, "nest") == 0)
		nest(argv + 3);
	(void)fflush(stdout);
	_exit(0);
}

static void say(void *arg, enum pmg_say kind, const char *line)
{
	static const char *const kinds[] = {
		[PMG_SAY_FAULT] = "fault", [PMG_SAY_NOTE] = "note", [PMG_SAY_DETAIL] = "detail"
	};
	pmg_autofree char *text = pmg_xasprintf("%s: %s\n", kinds[kind], line);

	(void)arg;
	if (!pmg_str_has_prefix(line, "no sandbox")) /* true of each run of the stage */
		append("said", text);
}

void stage_front(const struct pmg_strv *env, const char *const *args)
{
	pmg_auto(strv) struct pmg_strv argv = { 0 };
	struct pmg_run_want want = { .tool = "npm", .env = env, .no_sandbox = true, .say = say };
	struct pmg_run_result result = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(json) struct json_t *record = NULL;
	pmg_autofree char *dump = NULL;
	pmg_autofree char *text = NULL;
	int r;

	pmg_strv_add(&argv, "npm");
	for (; *args; args++)
		pmg_strv_add(&argv, *args);
	want.argv = pmg_strv_argv(&argv);
	r = pmg_run(&want, &result, &err);
	record = pmg_record_json(&result.record);
	dump = pmg_json_dump(record);
	text = pmg_xasprintf("%d\n%d\n%d\n%s\n%s\n", r, r < 0 ? err.errnum : 0,
			     r < 0 ? err.diag : 0, r < 0 ? err.msg : "", dump);
	append("result", text);
	if (r < 0)
		_exit(pmg_code_exit(err.code));
	if (result.signal)
		pmg_signals_die(result.signal);
	_exit(result.exit);
}

static void play_front(char **args)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };

	pmg_strv_extend(&env, environ);
	stage_front(&env, (const char *const *)(uintptr_t)args);
}

void stage_reset(void)
{
	static const char *const left[] = { "said",    "result",  "out", "proxies",
					    "hanging", "counted", "job", "asked" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(left); i++) {
		pmg_autofree char *path = stage_path(left[i]);

		(void)unlink(path);
	}
}

pid_t stage_start(const struct pmg_strv *env, const char *const *args)
{
	pmg_autofree char *out = stage_path("out");
	pmg_autofree char *project = stage_path("project");
	pid_t pid;
	int fd;

	stage_reset();
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	fd = open(out, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd < 0 || dup2(fd, 1) < 0 || close(fd) < 0 || chdir(project) < 0)
		_exit(98);
	stage_front(env, args);
}

static char *take_line(char **rest)
{
	char *line = strsep(rest, "\n");

	return line ? line : *rest;
}

void stage_wait(pid_t front, struct stage_run *run)
{
	uint64_t began = pmg_clock_ms();
	pmg_autofree char *proxies = NULL;
	char *text, *rest;

	assert_int_equal(waitpid(front, &run->status, 0), front);
	run->took_ms = (unsigned)(pmg_clock_ms() - began);
	run->out = read_file("out");
	run->said = read_file("said");
	proxies = read_file("proxies");
	run->proxies = (unsigned)strlen(proxies);
	run->r = 1;
	rest = text = read_file("result");
	if (*text) {
		run->r = atoi(take_line(&rest));
		run->errnum = atoi(take_line(&rest));
		run->diag = atoi(take_line(&rest));
		(void)snprintf(run->err, sizeof run->err, "%s", take_line(&rest));
		run->record = pmg_xstrdup(take_line(&rest));
	}
	free(text);
}

void stage_run_done(struct stage_run *run)
{
	free(run->out);
	free(run->said);
	free(run->record);
	*run = (struct stage_run){ 0 };
}

void stage_env(struct pmg_strv *env, const char *words)
{
	static const char *const dirs[][2] = { { "PATH", "tools" },
					       { "HOME", "home" },
					       { "TMPDIR", "tmp" } };
	pmg_autofree char *url = pmg_xasprintf("http://registry.test/%s/", words);
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(dirs); i++) {
		pmg_autofree char *path = stage_path(dirs[i][1]);

		pmg_env_set(env, dirs[i][0], path);
	}
	pmg_env_set(env, "FAKE_REGISTRY", url);
}

unsigned stage_living(void)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	pmg_autofree char *self = pmg_path_real("/proc/self/exe");
	unsigned n = 0;

	while (dir && (entry = readdir(dir))) {
		pmg_autofree char *link = pmg_xasprintf("/proc/%s/exe", entry->d_name);
		char exe[4096];
		ssize_t len = entry->d_name[0] > '0' && entry->d_name[0] <= '9'
				      ? readlink(link, exe, sizeof exe - 1)
				      : -1;

		if (len < 0)
			continue;
		exe[len] = '\0';
		n += pmg_path_is_under(exe, root) && strcmp(exe, self) != 0;
	}
	if (dir)
		(void)closedir(dir);
	return n;
}

unsigned stage_folders(void)
{
	pmg_autofree char *path = pmg_xasprintf("%s/tmp/pmg-%lu", root, (unsigned long)geteuid());
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		(void)closedir(dir);
	return n;
}

char *stage_await(const char *name)
{
	char *text = NULL;
	int i;

	for (i = 0; i < 500; i++) {
		free(text);
		text = read_file(name);
		if (*text)
			break;
		(void)usleep(10000);
	}
	return text;
}

static void copy_self(const char *name)
{
	pmg_autofree char *path = stage_path(name);
	pmg_autofree char *bytes = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len;

	if (pmg_io_slurp("/proc/self/exe", 64U << 20, &bytes, &len, &err) < 0)
		exit(99);
	folder_write(root, name, bytes, len);
	if (chmod(path, 0755) < 0)
		exit(99);
}

static void make_stage(void)
{
	static const char *const dirs[] = { "home", "project", "tmp" };
	size_t i;

	root = folder_new();
	copy_self("bin/pmg-test");
	copy_self("bin/pmg-proxy");
	copy_self("tools/npm");
	for (i = 0; i < PMG_ARRAY_LEN(dirs); i++) {
		pmg_autofree char *path = stage_path(dirs[i]);

		if (mkdir(path, 0700) < 0)
			exit(99);
	}
}

/* The test program goes on as the copy in bin, whose folder holds the proxy; this one waits. */
static void go_on_as_copy(void)
{
	char *path = NULL;
	int status;
	pid_t pid;

	make_stage();
	path = stage_path("bin/pmg-test");
	pid = fork();
	if (pid == 0) {
		(void)execl(path, "pmg-test", (char *)NULL);
		_exit(99);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	pmg_auto_freep(&path); /* exit() empties no variables */
	folder_free(root);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

/* Whoever runs tests in the background of a shell, or by nohup, has them ignored, and then nothing
 * ends by them. */
static void default_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGQUIT, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
}

void stage_open(int argc, char **argv)
{
	const char *name = pmg_path_name(argv[0]);

	default_signals();
	if (strcmp(name, "pmg-proxy") == 0)
		play_proxy();
	if (strcmp(name, "npm") == 0)
		play_tool(argc, argv);
	if (strcmp(name, "pmg-test") != 0 && strcmp(name, "pmg-front") != 0)
		go_on_as_copy();
	find_root();
	if (strcmp(name, "pmg-front") == 0)
		play_front(argv + 1);
}

void stage_close(void)
{
	free(root);
	root = NULL;
}
