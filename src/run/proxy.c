#include "run/proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "run/learned.h"
#include "run/signals.h"

#define BACKLOG 512

/* What the child puts where. */
struct layout {
	const char *program;
	pid_t parent;
	int wire, listener, bundle;
	bool debug;
};

void pmg_proxy_end(struct pmg_proxy *proxy)
{
	pmg_auto_closep(&proxy->fd);
	proxy->fd = -1;
	if (proxy->pid > 0)
		(void)kill(proxy->pid, SIGKILL);
}

static void forget_answers(struct pmg_proxy *proxy)
{
	size_t i;

	for (i = 0; i < proxy->n_answers; i++)
		pmg_wire_answer_done(&proxy->answers[i]);
	free(proxy->answers);
	proxy->answers = NULL;
	proxy->n_answers = proxy->cap_answers = 0;
}

void pmg_proxy_done(struct pmg_proxy *proxy)
{
	pmg_proxy_end(proxy);
	if (proxy->pid > 0) {
		while (waitpid(proxy->pid, NULL, 0) < 0 && errno == EINTR)
			;
		proxy->pid = 0;
	}
	pmg_strv_done(&proxy->dated);
	pmg_strv_done(&proxy->contents);
	forget_answers(proxy);
	explicit_bzero(proxy->token, sizeof proxy->token);
}

/* Loopback, a free port. */
static int listen_on_loopback(uint16_t *port, struct pmg_err *err)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof addr;
	pmg_autofd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof addr) < 0 ||
	    listen(fd, BACKLOG) < 0 || getsockname(fd, (struct sockaddr *)&addr, &len) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "listen on 127.0.0.1");
	*port = ntohs(addr.sin_port);
	return pmg_steal_fd(&fd);
}

/* dup2 onto 3, 4, 5 could overwrite one that is still to be moved: first all go above. */
static bool place(const struct layout *layout, int null)
{
	int high = PMG_WIRE_BUNDLE_FD + 1;
	int from[] = { fcntl(layout->wire, F_DUPFD_CLOEXEC, high),
		       fcntl(layout->listener, F_DUPFD_CLOEXEC, high),
		       fcntl(layout->bundle, F_DUPFD_CLOEXEC, high) };
	static const int to[] = { PMG_WIRE_FD, PMG_WIRE_LISTEN_FD, PMG_WIRE_BUNDLE_FD };
	size_t i;

	null = fcntl(null, F_DUPFD_CLOEXEC, high);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    (!layout->debug && dup2(null, 2) < 0))
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(to); i++)
		if (from[i] < 0 || dup2(from[i], to[i]) < 0)
			return false;
	pmg_io_close_from(high);
	return true;
}

static void child(const struct layout *layout)
{
	static char *const no_env[] = { NULL };
	char name[] = "pmg-proxy";
	char *argv[] = { name, NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* A session of its own: Ctrl-C and kill(0) of the tool must not end it before the tool. */
	if (null < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || setsid() < 0)
		_exit(127);
	if (getppid() != layout->parent || !place(layout, null))
		_exit(127);
	pmg_signals_helper();
	(void)execve(layout->program, argv, no_env);
	_exit(127);
}

static int make_token(char out[PMG_PROXY_TOKEN], struct pmg_err *err)
{
	unsigned char bytes[(PMG_PROXY_TOKEN - 1) / 2];
	pmg_autofree char *hex = NULL;
	int r = pmg_io_random(bytes, sizeof bytes, err);

	if (r < 0)
		return r;
	hex = pmg_hex(bytes, sizeof bytes);
	memcpy(out, hex, PMG_PROXY_TOKEN);
	return 0;
}

/* A proxy that hangs must not hang us: sends give up as well. */
static int limit_sends(int fd, struct pmg_err *err)
{
	struct timeval limit = { .tv_sec = PMG_PROXY_READY_MS / 1000 };

	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "message socket");
	return 0;
}

static void move(struct pmg_proxy *to, struct pmg_proxy *from)
{
	*to = *from;
	*from = (struct pmg_proxy)PMG_PROXY_INIT;
}

/* Within walls the listeners are those of another network, and come by message. */
static int open_listener(uint16_t *port, struct pmg_err *err)
{
	int fd;

	if (*port == 0)
		return listen_on_loopback(port, err);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return fd < 0 ? pmg_err_set(err, PMG_E_SYS, errno, "/dev/null") : fd;
}

int pmg_proxy_start(const char *program, int bundle_fd, uint16_t port, bool debug,
		    struct pmg_proxy *out, struct pmg_err *err)
{
	pmg_auto(proxy) struct pmg_proxy proxy = PMG_PROXY_INIT;
	pmg_autofd int listener = -1;
	pmg_autofd int theirs = -1;
	struct layout layout = { program, getpid(), -1, -1, bundle_fd, debug };
	int fds[2], r = make_token(proxy.token, err);

	if (r < 0)
		return r;
	proxy.port = port;
	listener = open_listener(&proxy.port, err);
	if (listener < 0)
		return listener;
	r = pmg_msg_pair(fds, err);
	if (r < 0)
		return r;
	proxy.fd = fds[0];
	theirs = fds[1];
	r = limit_sends(proxy.fd, err);
	if (r < 0)
		return r;
	layout.wire = theirs;
	layout.listener = listener;
	proxy.pid = fork();
	if (proxy.pid < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (proxy.pid == 0)
		child(&layout);
	move(out, &proxy);
	return 0;
}

static int tell(struct pmg_proxy *proxy, enum pmg_wire_type type, struct json_t *taken,
		struct pmg_err *err)
{
	pmg_auto(json) struct json_t *body = taken;

	return pmg_msg_send(proxy->fd, (uint16_t)type, body, err);
}

static int tell_registry(struct pmg_proxy *proxy, const struct pmg_registry *registry,
			 struct pmg_err *err)
{
	pmg_autofree char *url = pmg_url_text(&registry->base);
	pmg_autofree char *eco = pmg_xstrdup(pmg_eco_name(registry->eco));
	struct pmg_wire_registry m = {
		.eco = eco,
		.url = url,
		.scope = registry->scope,
		.is_private = registry->is_private,
		.is_replaced = registry->is_replaced,
	};

	return tell(proxy, PMG_WIRE_REGISTRY, pmg_wire_registry_encode(&m), err);
}

static int tell_source(struct pmg_proxy *proxy, const struct pmg_source *source,
		       struct pmg_err *err)
{
	pmg_autofree char *base = pmg_url_text(&source->url);
	pmg_autofree char *url = pmg_xasprintf("%s%s%s", base, source->url.query ? "?" : "",
					       source->url.query ? source->url.query : "");
	pmg_autofree char *eco = pmg_xstrdup(pmg_eco_name(source->eco));
	struct pmg_wire_source m = {
		.eco = eco, .url = url, .name = source->name, .version = source->version
	};

	return tell(proxy, PMG_WIRE_SOURCE, pmg_wire_source_encode(&m), err);
}

int pmg_proxy_tell(struct pmg_proxy *proxy, const struct pmg_facts *facts, struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < facts->n_registries; i++)
		r = tell_registry(proxy, &facts->registries[i], err);
	for (i = 0; r == 0 && i < facts->n_sources; i++)
		r = tell_source(proxy, &facts->sources[i], err);
	return r;
}

/* How much of a text goes into one message: never a part of a character. */
static size_t piece_of(const char *text, size_t left)
{
	size_t n = left < PMG_WIRE_PIECE_MAX ? left : PMG_WIRE_PIECE_MAX;

	while (n < left && n > 1 && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

int pmg_proxy_tell_packages(struct pmg_proxy *proxy, const struct pmg_packages *packages,
			    struct pmg_err *err)
{
	pmg_autofree char *text = pmg_packages_encode(packages);
	size_t left = strlen(text), n;
	const char *at = text;
	int r = 0;

	if (left > PMG_WIRE_PACKAGES_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0,
				   "the policy on packages is larger than %u bytes",
				   PMG_WIRE_PACKAGES_MAX);
	for (; r == 0 && left > 0; at += n, left -= n) {
		pmg_autofree char *piece = NULL;

		n = piece_of(at, left);
		piece = pmg_xstrndup(at, n);
		r = tell(proxy, PMG_WIRE_PACKAGES,
			 pmg_wire_packages_encode(&(struct pmg_wire_packages){ piece }), err);
	}
	return r;
}

int pmg_proxy_begin(struct pmg_proxy *proxy, const struct pmg_wire_start *start,
		    struct pmg_err *err)
{
	return tell(proxy, PMG_WIRE_START, pmg_wire_start_encode(start), err);
}

char *pmg_proxy_url(const struct pmg_proxy *proxy)
{
	return pmg_xasprintf("http://pmg:%s@127.0.0.1:%u", proxy->token, (unsigned)proxy->port);
}

void pmg_proxy_news_done(struct pmg_proxy_news *news)
{
	pmg_wire_ready_done(&news->ready);
	pmg_wire_done_done(&news->done);
}

static int keep_judged(const struct json_t *body, struct pmg_record *record, struct pmg_err *err)
{
	struct pmg_wire_judged m = { 0 };
	int r = pmg_wire_judged_decode(body, &m, err);

	if (r == 0)
		(void)pmg_record_judged(record, &m);
	return r;
}

static int keep_passed(const struct json_t *body, struct pmg_record *record, struct pmg_err *err)
{
	struct pmg_wire_passed m = { 0 };
	int r = pmg_wire_passed_decode(body, &m, err);

	if (r == 0)
		(void)pmg_record_passed(record, &m);
	return r;
}

static int keep_trouble(const struct json_t *body, struct pmg_record *record, struct pmg_err *err)
{
	struct pmg_wire_trouble m = { 0 };
	int r = pmg_wire_trouble_decode(body, &m, err);

	if (r == 0)
		(void)pmg_record_trouble(record, &m);
	return r;
}

static int keep_answer(const struct json_t *body, struct pmg_proxy *proxy, struct pmg_err *err)
{
	struct pmg_wire_answer m = { 0 };
	int r;

	if (proxy->n_answers >= PMG_WIRE_LIST_MAX)
		return pmg_err_set(err, PMG_E_PEER, 0, "more answers than questions");
	r = pmg_wire_answer_decode(body, &m, err);
	if (r < 0)
		return r;
	proxy->answers = pmg_grow(proxy->answers, proxy->n_answers, &proxy->cap_answers,
				  sizeof *proxy->answers);
	proxy->answers[proxy->n_answers++] = m;
	return 0;
}

static int take_answered(const struct json_t *body, struct pmg_proxy_news *news,
			 struct pmg_err *err)
{
	struct pmg_wire_answered m = { 0 };
	int r = pmg_wire_answered_decode(body, &m, err);

	if (r == 0)
		news->answered = m.number;
	return r;
}

static void keep_lines(struct pmg_strv *kept, const struct pmg_strv *lines, size_t max)
{
	size_t i;

	for (i = 0; i < lines->n && kept->n < max; i++)
		pmg_strv_add(kept, lines->v[i]);
}

static int keep_dated(const struct json_t *body, struct pmg_proxy *proxy, struct pmg_err *err)
{
	pmg_auto(wire_dated) struct pmg_wire_dated m = { 0 };
	int r = pmg_wire_dated_decode(body, &m, err);

	keep_lines(&proxy->dated, &m.lines, PMG_LEARNED_DATES_MAX);
	return r;
}

static int keep_contents(const struct json_t *body, struct pmg_proxy *proxy, struct pmg_err *err)
{
	pmg_auto(wire_contents) struct pmg_wire_contents m = { 0 };
	int r = pmg_wire_contents_decode(body, &m, err);

	keep_lines(&proxy->contents, &m.lines, PMG_LEARNED_CONTENTS_MAX);
	return r;
}

/* FAILED is the proxy's error, told as if it were ours. */
static int failed(const struct json_t *body, struct pmg_err *err)
{
	struct pmg_err theirs = PMG_ERR_INIT;
	int r = pmg_wire_failed_decode(body, &theirs, err);

	if (r < 0)
		return r;
	*err = theirs;
	return -(int)theirs.code;
}

int pmg_proxy_take(struct pmg_proxy *proxy, struct pmg_record *record, struct pmg_proxy_news *news,
		   struct pmg_err *err)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	int r = pmg_msg_recv(proxy->fd, &msg, err);

	if (r <= 0)
		return r;
	news->type = (enum pmg_wire_type)msg.type;
	switch (msg.type) {
	case PMG_WIRE_READY:
		r = pmg_wire_ready_decode(msg.body, &news->ready, err);
		break;
	case PMG_WIRE_FAILED:
		r = failed(msg.body, err);
		break;
	case PMG_WIRE_JUDGED:
		r = keep_judged(msg.body, record, err);
		break;
	case PMG_WIRE_PASSED:
		r = keep_passed(msg.body, record, err);
		break;
	case PMG_WIRE_TROUBLE:
		r = keep_trouble(msg.body, record, err);
		break;
	case PMG_WIRE_DENIED:
		r = pmg_record_denied_read(record, msg.body, err);
		break;
	case PMG_WIRE_ANSWER:
		r = keep_answer(msg.body, proxy, err);
		break;
	case PMG_WIRE_ANSWERED:
		r = take_answered(msg.body, news, err);
		break;
	case PMG_WIRE_DATED:
		r = keep_dated(msg.body, proxy, err);
		break;
	case PMG_WIRE_CONTENTS:
		r = keep_contents(msg.body, proxy, err);
		break;
	case PMG_WIRE_DONE:
		r = pmg_wire_done_decode(msg.body, &news->done, err);
		break;
	default:
		r = pmg_err_set(err, PMG_E_PEER, 0, "pmg-proxy sent message %u", msg.type);
	}
	return r < 0 ? r : 1;
}

int pmg_proxy_ask(struct pmg_proxy *proxy, const struct pmg_wire_ask *ask, struct pmg_err *err)
{
	forget_answers(proxy);
	return tell(proxy, PMG_WIRE_ASK, pmg_wire_ask_encode(ask), err);
}

int pmg_proxy_ask_stop(struct pmg_proxy *proxy, struct pmg_err *err)
{
	return pmg_msg_send(proxy->fd, PMG_WIRE_STOP, NULL, err);
}
