#include "sandbox/verdicts_priv.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/str.h"
#include "sandbox/who_priv.h"
#include "violation/wire.h"

/* pmg-proxy, played by a thread: "bad" is listed; what else it does depends on the name. */
struct proxy {
	int fd;
	struct pmg_str asked; /* one line a question */
	pthread_t thread;
};

static void tell(int fd, enum pmg_wire_type type, struct json_t *taken)
{
	pmg_auto(json) struct json_t *body = taken;
	struct pmg_err err = PMG_ERR_INIT;

	(void)!pmg_msg_send(fd, (uint16_t)type, body, &err);
}

static void say(int fd, uint64_t number, const char *what)
{
	pmg_autofree char *verdict = pmg_xstrdup(what);
	char reason[] = "known malware", *ids[] = { (char[]){ "MAL-1" }, NULL };
	struct pmg_wire_answer answer = { .number = number,
					  .verdict = verdict,
					  .reason = reason,
					  .diag = 3001,
					  .ids = { .v = ids, .n = 1 } };

	tell(fd, PMG_WIRE_ANSWER, pmg_wire_answer_encode(&answer));
}

static void *play(void *arg)
{
	struct proxy *proxy = arg;
	struct pmg_err err = PMG_ERR_INIT;

	for (;;) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };
		pmg_auto(wire_ask) struct pmg_wire_ask ask = { 0 };
		struct pmg_wire_answered answered = { 0 };
		const char *name;

		if (pmg_msg_recv(proxy->fd, &msg, &err) <= 0 ||
		    pmg_wire_ask_decode(msg.body, &ask, &err) < 0)
			return NULL;
		name = ask.names.v[0];
		(void)!pmg_str_addf(&proxy->asked, "%s %s %s\n", ask.eco, name, ask.versions.v[0]);
		if (strcmp(name, "nonsense") == 0) {
			tell(proxy->fd, PMG_WIRE_STOP, pmg_json_object());
			continue;
		}
		if (strcmp(name, "dies") == 0) {
			(void)close(proxy->fd);
			return NULL;
		}
		/* To a question of long ago. */
		say(proxy->fd, ask.number + 1000, "block");
		if (strcmp(name, "trusted") == 0)
			say(proxy->fd, ask.number, "allow");
		if (strcmp(name, "bad") == 0 || strcmp(name, "@s/bad") == 0)
			say(proxy->fd, ask.number, "block");
		answered.number = ask.number;
		tell(proxy->fd, PMG_WIRE_ANSWERED, pmg_wire_answered_encode(&answered));
	}
}

static int begin(struct proxy *proxy)
{
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];

	assert_int_equal(pmg_msg_pair(fds, &err), 0);
	*proxy = (struct proxy){ .fd = fds[1], .asked = PMG_STR_INIT(4096) };
	assert_int_equal(pthread_create(&proxy->thread, NULL, play, proxy), 0);
	return fds[0];
}

static void end(struct proxy *proxy, int fd)
{
	(void)close(fd);
	(void)pthread_join(proxy->thread, NULL);
	pmg_str_done(&proxy->asked);
}

static const struct {
	const char *eco, *package;
	const char *why; /* NULL: it may */
} rows[] = {
	{ "npm", "good@1.0.0", NULL },
	{ "npm", "bad@1.0.0", "known malware, PMG3001 (MAL-1)" },
	{ "npm", "good@1.0.0", NULL },
	{ "npm", "bad@1.0.0", "known malware, PMG3001 (MAL-1)" },
	{ "npm", "@s/bad@2.0.0", "known malware, PMG3001 (MAL-1)" },
	{ "pypi", "good@1.0.0", NULL },
	{ "npm", "@s/noversion", NULL },
	/* Listed, and waived by the user's policy */
	{ "npm", "trusted@1.0.0", NULL },
	{ "npm", "nonsense", "pmg-proxy was asked and did not answer: message 9 is no answer" },
	{ "npm", "dies", "pmg-proxy was asked and did not answer: it is gone" },
};

static void each_package_is_asked_once(void **state)
{
	pmg_auto(verdicts) struct pmg_verdicts *verdicts = pmg_verdicts_new();
	struct proxy proxy;
	int fd = begin(&proxy);
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *why = NULL;
		bool may = pmg_verdicts_ask(verdicts, fd, rows[i].eco, rows[i].package, &why);

		if (may != !rows[i].why || !pmg_streq(why, rows[i].why))
			fail_msg("row %zu: %s", i, why ? why : "may");
	}
	assert_string_equal(proxy.asked.s, "npm good 1.0.0\nnpm bad 1.0.0\nnpm @s/bad 2.0.0\n"
					   "pypi good 1.0.0\nnpm @s/noversion \nnpm trusted 1.0.0\n"
					   "npm nonsense \n"
					   "npm dies \n");
	end(&proxy, fd);
}

static void nobody_to_ask_is_a_no(void **state)
{
	pmg_auto(verdicts) struct pmg_verdicts *verdicts = pmg_verdicts_new();
	pmg_autofree char *why = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];

	(void)state;
	assert_int_equal(pmg_msg_pair(fds, &err), 0);
	(void)close(fds[1]);
	assert_false(pmg_verdicts_ask(verdicts, fds[0], "npm", "good@1.0.0", &why));
	assert_non_null(strstr(why, "did not answer"));
	(void)close(fds[0]);
}

/* Whose script it is, and what lies at the program's path: as the row has it. */
struct scene {
	bool is_script;
	const char *installed, *called; /* of the caller */
	const char *folder;             /* of the program: "name@version"; NULL: in none */
	const char *folder_called;
	bool folder_own; /* it is the project's */
	bool is_python;
	const char *program;
	int r;
	const char *asked; /* questions to the proxy */
	const char *told;  /* refusals that are recorded */
};
static const struct scene *scene;
static struct pmg_str told;

static char *copy(const char *text)
{
	return text ? pmg_xstrdup(text) : NULL;
}

bool __wrap_pmg_who_package(struct pmg_broker *broker, const struct pmg_who *who, char **package,
			    char **called);
bool __wrap_pmg_who_package(struct pmg_broker *broker, const struct pmg_who *who, char **package,
			    char **called)
{
	(void)broker;
	(void)who;
	*package = copy(scene->installed);
	*called = copy(scene->called);
	return scene->is_script;
}

bool __wrap_pmg_package_is_installed(const struct pmg_policy *policy, const char *path);
bool __wrap_pmg_package_is_installed(const struct pmg_policy *policy, const char *path)
{
	(void)policy;
	(void)path;
	return scene->folder != NULL;
}

bool __wrap_pmg_package_of(const struct pmg_policy *policy, int dir, const char *path,
			   struct pmg_package *out);
bool __wrap_pmg_package_of(const struct pmg_policy *policy, int dir, const char *path,
			   struct pmg_package *out)
{
	const char *at = strrchr(scene->folder, '@');

	(void)policy;
	(void)path;
	assert_true(dir >= 0);
	out->name = pmg_xstrndup(scene->folder, (size_t)(at - scene->folder));
	out->version = pmg_xstrdup(at + 1);
	out->called = copy(scene->folder_called);
	out->own = scene->folder_own;
	return true;
}

void __wrap_pmg_refuse_listed(struct pmg_request *request, const char *package, const char *why,
			      const char *program);
void __wrap_pmg_refuse_listed(struct pmg_request *request, const char *package, const char *why,
			      const char *program)
{
	(void)request;
	assert_string_equal(program, scene->program);
	assert_int_equal(pmg_str_addf(&told, "%s: %s\n", package, why), 0);
}

#define LISTED "known malware, PMG3001 (MAL-1)"

static const struct scene scenes[] = {
	/* Neither the manager nor the project's own scripts are asked about. */
	{ .installed = "bad@1.0.0", .program = "/bin/sh", .asked = "", .told = "" },
	{ .is_script = true, .program = "/bin/sh", .asked = "", .told = "" },
	{ .is_script = true,
	  .installed = "good@1.0.0",
	  .program = "/bin/sh",
	  .asked = "npm good 1.0.0\n",
	  .told = "" },
	{ .is_script = true,
	  .installed = "bad@1.0.0",
	  .program = "/bin/sh",
	  .r = -EACCES,
	  .asked = "npm bad 1.0.0\n",
	  .told = "bad@1.0.0: " LISTED "\n" },
	/* Installed under another name. */
	{ .is_script = true,
	  .installed = "good@1.0.0",
	  .called = "bad@1.0.0",
	  .program = "/bin/sh",
	  .r = -EACCES,
	  .asked = "npm good 1.0.0\nnpm bad 1.0.0\n",
	  .told = "bad@1.0.0: " LISTED "\n" },
	/* The program lies in a package of its own: by its folder's name and by its file's. */
	{ .is_script = true,
	  .installed = "good@1.0.0",
	  .folder = "bad@2.0.0",
	  .program = "/bin/x",
	  .r = -EACCES,
	  .asked = "npm good 1.0.0\nnpm bad 2.0.0\n",
	  .told = "bad@2.0.0: " LISTED "\n" },
	{ .is_script = true,
	  .folder = "x@2.0.0",
	  .folder_called = "bad",
	  .program = "/bin/x",
	  .r = -EACCES,
	  .asked = "npm x 2.0.0\nnpm bad 2.0.0\n",
	  .told = "bad@2.0.0: " LISTED "\n" },
	{ .is_script = true,
	  .folder = "bad@2.0.0",
	  .folder_own = true,
	  .program = "/bin/x",
	  .asked = "",
	  .told = "" },
	/* Of python's, unless it lies in node_modules. */
	{ .is_script = true,
	  .installed = "bad@1.0",
	  .is_python = true,
	  .program = "/bin/x",
	  .r = -EACCES,
	  .asked = "pypi bad 1.0\n",
	  .told = "bad@1.0: " LISTED "\n" },
	{ .is_script = true,
	  .installed = "good@1.0.0",
	  .is_python = true,
	  .program = "/tmp/node_modules/x",
	  .asked = "npm good 1.0.0\n",
	  .told = "" },
	/* No answer is a no. */
	{ .is_script = true,
	  .installed = "dies@1.0.0",
	  .program = "/bin/sh",
	  .r = -EACCES,
	  .asked = "npm dies 1.0.0\n",
	  .told = "dies@1.0.0: pmg-proxy was asked and did not answer: it is gone\n" },
};

static void a_script_begins_when_all_its_packages_may(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(scenes); i++) {
		pmg_auto(verdicts) struct pmg_verdicts *verdicts = pmg_verdicts_new();
		struct pmg_policy policy = { .is_python = scenes[i].is_python };
		struct proxy proxy;
		struct pmg_broker *broker = pmg_xcalloc(1, sizeof *broker);
		struct pmg_request request = { .broker = broker };
		struct pmg_object *object = pmg_xcalloc(1, sizeof *object);

		scene = &scenes[i];
		told = (struct pmg_str)PMG_STR_INIT(4096);
		broker->policy = &policy;
		broker->verdicts = verdicts;
		broker->proxy = begin(&proxy);
		(void)snprintf(object->path, sizeof object->path, "%s", scene->program);
		if (pmg_verdicts_exec(&request, object) != scene->r ||
		    !pmg_streq(proxy.asked.s ? proxy.asked.s : "", scene->asked) ||
		    !pmg_streq(told.s ? told.s : "", scene->told))
			fail_msg("row %zu: asked %s, told %s", i, proxy.asked.s, told.s);
		end(&proxy, broker->proxy);
		pmg_str_done(&told);
		free(object);
		free(broker);
	}
}

/* Without walls there is no gate, and without a proxy nobody to ask: both are started so. */
static void without_a_proxy_there_is_no_gate(void **state)
{
	struct pmg_broker *broker = pmg_xcalloc(1, sizeof *broker);
	struct pmg_request request = { .broker = broker };
	struct pmg_object *object = pmg_xcalloc(1, sizeof *object);

	(void)state;
	scene = &scenes[3];
	broker->proxy = -1;
	assert_int_equal(pmg_verdicts_exec(&request, object), 0);
	free(object);
	free(broker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_package_is_asked_once),
		cmocka_unit_test(nobody_to_ask_is_a_no),
		cmocka_unit_test(a_script_begins_when_all_its_packages_may),
		cmocka_unit_test(without_a_proxy_there_is_no_gate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
