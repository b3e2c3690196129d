#include "sandbox/verdicts_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/str.h"
#include "sandbox/who_priv.h"
#include "violation/wire.h"

#define WHY_MAX 512U

struct verdict {
	char *package; /* with its ecosystem */
	char *why;     /* NULL: it may */
};

struct pmg_verdicts {
	pthread_mutex_t lock;
	struct verdict *v;
	size_t n, cap;
	uint64_t number;
};

struct pmg_verdicts *pmg_verdicts_new(void)
{
	struct pmg_verdicts *verdicts = pmg_xcalloc(1, sizeof *verdicts);

	if (pthread_mutex_init(&verdicts->lock, NULL) != 0)
		abort(); /* out of memory */
	return verdicts;
}

void pmg_verdicts_free(struct pmg_verdicts *verdicts)
{
	size_t i;

	if (!verdicts)
		return;
	for (i = 0; i < verdicts->n; i++) {
		free(verdicts->v[i].package);
		free(verdicts->v[i].why);
	}
	free(verdicts->v);
	(void)pthread_mutex_destroy(&verdicts->lock);
	free(verdicts);
}

/* Fail closed: whoever cannot be asked has not said yes. */
static char *no_answer(const struct pmg_err *err)
{
	return pmg_xasprintf("pmg-proxy was asked and did not answer: %s", err->msg);
}

static int send_question(int proxy, uint64_t number, const char *eco, const char *package,
			 struct pmg_err *err)
{
	const char *at = package[0] ? strrchr(package + 1, '@') : NULL;
	pmg_auto(wire_ask) struct pmg_wire_ask ask = { .number = number, .eco = pmg_xstrdup(eco) };
	pmg_auto(json) struct json_t *body = NULL;

	pmg_strv_take(&ask.names,
		      pmg_xstrndup(package, at ? (size_t)(at - package) : strlen(package)));
	pmg_strv_add(&ask.versions, at ? at + 1 : "");
	pmg_strv_add(&ask.hashes, "");
	pmg_strv_add(&ask.ages, "");
	pmg_strv_add(&ask.urls, "");
	body = pmg_wire_ask_encode(&ask);
	return pmg_msg_send(proxy, PMG_WIRE_ASK, body, err);
}

/* "known malware, PMG3001 (MAL-1 MAL-2)" */
static char *words_of(const struct pmg_wire_answer *answer)
{
	pmg_autofree char *ids = pmg_strv_join(&answer->ids, " ", WHY_MAX / 2);

	return pmg_xasprintf("%s, PMG%d%s%s%s", answer->reason, answer->diag, *ids ? " (" : "", ids,
			     *ids ? ")" : "");
}

/* One message of the answer to a question. Those to an older one, that came too late, are passed
 * over. @return 1: that was all; 0: more; -PMG_E_... */
static int take(const struct pmg_msg *msg, uint64_t number, char **why, struct pmg_err *err)
{
	pmg_auto(wire_answer) struct pmg_wire_answer answer = { 0 };
	struct pmg_wire_answered answered = { 0 };
	int r;

	if (msg->type == PMG_WIRE_ANSWERED) {
		r = pmg_wire_answered_decode(msg->body, &answered, err);
		return r < 0 ? r : answered.number == number;
	}
	if (msg->type != PMG_WIRE_ANSWER)
		return pmg_err_set(err, PMG_E_PEER, 0, "message %u is no answer", msg->type);
	r = pmg_wire_answer_decode(msg->body, &answer, err);
	if (r == 0 && answer.number == number && !*why && strcmp(answer.verdict, "allow") != 0)
		*why = words_of(&answer);
	return r;
}

static int await_answer(int proxy, uint64_t number, char **why, struct pmg_err *err)
{
	uint64_t until = pmg_clock_ms() + PMG_VERDICTS_MS, now;
	struct pollfd one = { .fd = proxy, .events = POLLIN };
	int r = 0;

	while (r == 0) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };

		now = pmg_clock_ms();
		if (now >= until || (poll(&one, 1, (int)(until - now)) < 0 && errno != EINTR))
			return pmg_err_set(err, PMG_E_TIMEOUT, 0, "nothing came");
		if (!one.revents)
			continue;
		r = pmg_msg_recv(proxy, &msg, err);
		if (r == 0)
			return pmg_err_set(err, PMG_E_PEER, 0, "it is gone");
		if (r > 0)
			r = take(&msg, number, why, err);
	}
	return r < 0 ? r : 0;
}

static char *ask(struct pmg_verdicts *verdicts, int proxy, const char *eco, const char *package)
{
	struct pmg_err err = PMG_ERR_INIT;
	char *why = NULL;
	int r;

	verdicts->number++;
	r = send_question(proxy, verdicts->number, eco, package, &err);
	if (r == 0)
		r = await_answer(proxy, verdicts->number, &why, &err);
	if (r < 0) {
		free(why);
		why = no_answer(&err);
	}
	return why;
}

bool pmg_verdicts_ask(struct pmg_verdicts *verdicts, int proxy, const char *eco,
		      const char *package, char **why)
{
	pmg_autofree char *key = pmg_xasprintf("%s %s", eco, package);
	pmg_autofree char *answer = NULL;
	size_t i;

	(void)pthread_mutex_lock(&verdicts->lock);
	for (i = 0; i < verdicts->n && strcmp(verdicts->v[i].package, key) != 0; i++)
		;
	if (i < verdicts->n) {
		answer = verdicts->v[i].why ? pmg_xstrdup(verdicts->v[i].why) : NULL;
	} else {
		answer = ask(verdicts, proxy, eco, package);
		if (verdicts->n < PMG_VERDICTS_MAX) {
			verdicts->v = pmg_grow(verdicts->v, verdicts->n, &verdicts->cap,
					       sizeof *verdicts->v);
			verdicts->v[verdicts->n++] =
				(struct verdict){ pmg_steal_ptr(&key),
						  answer ? pmg_xstrdup(answer) : NULL };
		}
	}
	(void)pthread_mutex_unlock(&verdicts->lock);
	if (!answer)
		return true;
	*why = pmg_steal_ptr(&answer);
	return false;
}

/* A package by the name it was installed as, and by the one that its own file has: an alias and a
 * lockfile may give a listed one any name. */
struct names {
	char *installed, *called; /* NULL: not known; no other */
};

static void names_done(struct names *names)
{
	free(names->installed);
	free(names->called);
}
PMG_DEFINE_AUTO_DONE(names, struct names, names_done);

/* The package that a program lies in, as a bin that is started from a project's folder does. */
static void names_of(const struct pmg_policy *policy, const char *program, struct names *out)
{
	pmg_auto(package) struct pmg_package package = { 0 };
	pmg_autofree char *dir = NULL;
	pmg_autofd int fd = -1;

	if (!pmg_package_is_installed(policy, program))
		return;
	dir = pmg_path_dir(program);
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || !pmg_package_of(policy, fd, dir, &package) || package.own)
		return;
	out->installed = pmg_package_text(&package);
	out->called = pmg_package_called(&package);
}

static int judge(struct pmg_request *request, const char *program, const char *package)
{
	struct pmg_broker *broker = request->broker;
	const char *eco =
		broker->policy->is_python && !strstr(program, "/node_modules/") ? "pypi" : "npm";
	pmg_autofree char *why = NULL;

	if (!package || pmg_verdicts_ask(broker->verdicts, broker->proxy, eco, package, &why))
		return 0;
	pmg_refuse_listed(request, package, why, program);
	return -EACCES;
}

static int judge_both(struct pmg_request *request, const char *program, const struct names *names)
{
	int r = judge(request, program, names->installed);

	return r < 0 ? r : judge(request, program, names->called);
}

int pmg_verdicts_exec(struct pmg_request *request, const struct pmg_object *object)
{
	struct pmg_broker *broker = request->broker;
	pmg_auto(names) struct names own = { 0 }, of = { 0 };
	int r;

	if (broker->proxy < 0 || !broker->verdicts ||
	    !pmg_who_package(broker, &request->who, &own.installed, &own.called))
		return 0;
	r = judge_both(request, object->path, &own);
	if (r < 0)
		return r;
	names_of(broker->policy, object->path, &of);
	return pmg_streq(own.installed, of.installed) && pmg_streq(own.called, of.called)
		       ? 0
		       : judge_both(request, object->path, &of);
}
