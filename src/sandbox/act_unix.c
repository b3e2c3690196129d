/*
 * Local sockets. Landlock knows nothing of those with a path, so what is decided here is the wall:
 * the path is resolved once, and what was found is connected to by its descriptor. A socket of a
 * daemon outside (docker, D-Bus, agents) does whatever it is asked with rights that are not the
 * run's. Abstract names belong to the run's own network: nobody outside has any there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/net_priv.h"

#define HEAD      offsetof(struct sockaddr_un, sun_path)
#define PATH_SIZE (sizeof(struct sockaddr_un) + 1)

static bool is_abstract(const struct pmg_endpoint *endpoint)
{
	return endpoint->len > HEAD && endpoint->to.local.sun_path[0] == '\0';
}

/* No name at all: bind chooses one (unix(7), "Autobind"), connect fails. */
static bool is_unnamed(const struct pmg_endpoint *endpoint)
{
	return endpoint->to.any.sa_family != AF_UNIX || endpoint->len <= HEAD ||
	       endpoint->len > sizeof endpoint->to.local;
}

/* It need not end in a NUL (unix(7)). */
static void path_of(const struct pmg_endpoint *endpoint, char out[PATH_SIZE])
{
	size_t len = strnlen(endpoint->to.local.sun_path, endpoint->len - HEAD);

	memcpy(out, endpoint->to.local.sun_path, len);
	out[len] = '\0';
}

static bool knows_abstract(struct pmg_broker *broker, const char *target)
{
	bool known;

	(void)pthread_mutex_lock(&broker->lock);
	known = pmg_strv_has(&broker->abstracts, target);
	(void)pthread_mutex_unlock(&broker->lock);
	return known;
}

/* As it is really bound: a name may have been chosen by the kernel. */
static void note_abstract(struct pmg_broker *broker, const struct pmg_endpoint *bound)
{
	struct pmg_endpoint at = *bound;
	char target[PMG_TARGET_SIZE];

	at.len = sizeof at.to.bytes;
	if (getsockname(at.fd, &at.to.any, &at.len) < 0 || at.len > sizeof at.to.bytes)
		return;
	pmg_endpoint_target(&at, target);
	(void)pthread_mutex_lock(&broker->lock);
	if (broker->abstracts.n < PMG_ABSTRACT_MAX)
		(void)pmg_strv_add_once(&broker->abstracts, target);
	(void)pthread_mutex_unlock(&broker->lock);
}

int pmg_unix_judge(struct pmg_request *request, const char *name, bool own)
{
	struct pmg_decision decision =
		pmg_policy_ask(request->broker->policy, PMG_ACCESS_UNIX, request->who.role, name);
	char target[PATH_MAX + NAME_MAX + 16];

	if (decision.allowed || (!decision.rule && own))
		return 0;
	(void)snprintf(target, sizeof target, "unix %s", name);
	if (name[0] == '@') /* an allowance would not help: those outside have another network */
		pmg_refuse_always(request, PMG_CODE_UNIX, PMG_EVENT_UNIX, target);
	else
		pmg_refuse(request, PMG_CODE_UNIX, PMG_EVENT_UNIX, decision.rule, target);
	return -EACCES;
}

static void connect_path(struct pmg_request *request, struct pmg_endpoint *to,
			 struct pmg_answer *answer)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	char path[PATH_SIZE];
	int r;

	path_of(to, path);
	r = pmg_resolve_text(request, AT_FDCWD, path, PMG_RESOLVE_FOLLOW, &object);
	if (r == 0 && object.path[0] != '/')
		r = -ECONNREFUSED; /* a pipe, a socket without a place */
	/* Where it may make sockets, those it finds are the run's own. */
	if (r == 0)
		r = pmg_unix_judge(request, object.path,
				   pmg_may(request, PMG_ACCESS_WRITE, object.path));
	if (r < 0)
		pmg_answer_fail(answer, -r);
	else
		pmg_connect_perform(request, to, pmg_steal_fd(&object.fd), false, answer);
}

void pmg_unix_connect(struct pmg_request *request, struct pmg_endpoint *to,
		      struct pmg_answer *answer)
{
	char target[PMG_TARGET_SIZE];

	if (is_unnamed(to)) {
		pmg_connect_perform(request, to, -1, false, answer); /* it fails, or dissolves */
		return;
	}
	if (!is_abstract(to)) {
		connect_path(request, to, answer);
		return;
	}
	pmg_endpoint_target(to, target);
	if (pmg_unix_judge(request, target + strlen("unix "),
			   knows_abstract(request->broker, target)) < 0)
		pmg_answer_fail(answer, EACCES);
	else
		pmg_connect_perform(request, to, -1, false, answer);
}

/*
 * Made by its last name in the folder that was judged: by its whole path it could be another folder
 * by now. So the socket's own name (getsockname(2)) is that last one alone.
 */
static int bind_in(const struct pmg_endpoint *at, const struct pmg_object *object, unsigned mask)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	size_t len = strlen(object->name);
	mode_t before;
	int r = 0;

	if (len >= sizeof name.sun_path)
		return -ENAMETOOLONG;
	memcpy(name.sun_path, object->name, len);
	if (fchdir(object->parent) < 0)
		return -errno;
	before = umask(mask);
	if (bind(at->fd, (struct sockaddr *)&name, (socklen_t)(HEAD + len + 1)) < 0)
		r = -errno;
	(void)umask(before);
	return r;
}

static int bind_path(struct pmg_request *request, struct pmg_endpoint *at)
{
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	char path[PATH_SIZE];
	int r;

	path_of(at, path);
	r = pmg_resolve_text(request, AT_FDCWD, path, PMG_RESOLVE_PARENT, &object);
	if (r == 0)
		r = pmg_judge_object(request, PMG_ACCESS_WRITE, PMG_EVENT_WRITE, &object);
	return r < 0 ? r
		     : pmg_mind_names(request, PMG_EVENT_WRITE, &object,
				      bind_in(at, &object, request->who.umask));
}

void pmg_unix_bind(struct pmg_request *request, struct pmg_endpoint *at, struct pmg_answer *answer)
{
	bool has_path = !is_unnamed(at) && !is_abstract(at);
	int r = has_path ? bind_path(request, at) : 0;

	if (!has_path && bind(at->fd, &at->to.any, at->len) < 0)
		r = -errno;
	if (!has_path && r == 0)
		note_abstract(request->broker, at);
	answer->kind = PMG_ANSWER_RETURN;
	answer->value = 0;
	if (r < 0)
		pmg_answer_fail(answer, -r);
}
