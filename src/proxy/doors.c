#include "proxy/doors.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "proxy/ask.h"
#include "proxy/callers.h"
#include "proxy/capture.h"
#include "proxy/client.h"
#include "proxy/link.h"
#include "proxy/refused.h"
#include "proxy/report.h"
#include "proxy/resolver.h"

#define ACCEPT_AT_ONCE 32
#define WORDS_AHEAD    64U  /* of the broker, before the connections they are about */
#define PAUSE_MS       100U /* out of descriptors: until some may be free */

struct door;

/* A connection that has come, and waits for a word on it or for a place. */
struct guest {
	struct pmg_doors *doors;
	struct guest *prev, *next;
	const struct door *door;
	int fd;
	struct pmg_inet from, to;
	struct pmg_peer *peer; /* NULL: not known yet, or handed over */
	bool is_known;
	struct pmg_timer timer;
};

typedef int (*serve_fn)(struct pmg_service *service, struct guest *guest, struct pmg_err *err);

struct door {
	struct pmg_doors *doors;
	int fd;
	struct pmg_watch *watch; /* of TCP */
	struct pmg_resolver *resolver;
	serve_fn serve;
};

struct pmg_doors {
	struct pmg_service *service;
	struct door v[PMG_MSG_FDS_MAX];
	size_t n;
	struct pmg_callers *callers;
	struct pmg_link *broker;
	struct guest *first, *last; /* newest first */
	size_t n_guests, n_known;
	struct pmg_timer pause;
	struct pmg_task again;
};

/* What each kind of listener leads to; descriptor and peer are handed over. */

static int serve_proxy(struct pmg_service *service, struct guest *guest, struct pmg_err *err)
{
	return pmg_client_new(service, pmg_steal_fd(&guest->fd), pmg_steal_ptr(&guest->peer), err);
}

static int serve_words(struct pmg_service *service, struct guest *guest, struct pmg_err *err)
{
	return pmg_capture_new(service, pmg_steal_fd(&guest->fd), pmg_steal_ptr(&guest->peer),
			       &guest->to, true, err);
}

static int serve_port(struct pmg_service *service, struct guest *guest, struct pmg_err *err)
{
	return pmg_capture_new(service, pmg_steal_fd(&guest->fd), pmg_steal_ptr(&guest->peer),
			       &guest->to, false, err);
}

static int serve_dns(struct pmg_service *service, struct guest *guest, struct pmg_err *err)
{
	return pmg_resolver_serve(service, pmg_steal_fd(&guest->fd), pmg_steal_ptr(&guest->peer),
				  err);
}

static const struct {
	const char *name;
	serve_fn serve; /* NULL: datagrams */
} kinds_known[] = {
	{ "proxy", serve_proxy }, { "http", serve_words },  { "tls", serve_words },
	{ "port", serve_port },   { "dns-tcp", serve_dns }, { "dns-udp", NULL },
};

static void drop(struct guest *guest)
{
	struct pmg_doors *doors = guest->doors;

	if (guest->prev)
		guest->prev->next = guest->next;
	else
		doors->first = guest->next;
	if (guest->next)
		guest->next->prev = guest->prev;
	else
		doors->last = guest->prev;
	doors->n_guests--;
	doors->n_known -= guest->is_known;
	pmg_timer_stop(doors->service->loop, &guest->timer);
	if (guest->fd >= 0)
		(void)close(guest->fd);
	pmg_peer_free(guest->peer);
	free(guest);
	pmg_task_queue(doors->service->loop, &doors->again);
}

static void on_wait_over(void *ctx)
{
	pmg_log_debug("a connection that nobody has told of is closed");
	drop(ctx);
}

static void tell_of_crowd(struct pmg_service *service)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)pmg_err_set(&err, PMG_E_LIMIT, 0,
			  "scripts have %u connections open at once; more are closed",
			  PMG_SCRIPTS_MAX);
	pmg_report_trouble(service->report, "pmg-proxy", &err);
}

/* Somebody of the run who is known. Scripts have a share of the places and get no queue: they
 * would fill it, and the manager would stand outside. */
static void try_serve(struct guest *guest)
{
	struct pmg_service *service = guest->doors->service;
	struct pmg_err err = PMG_ERR_INIT;
	enum pmg_role role = guest->peer->role;

	if (pmg_service_has_room(service, role)) {
		if (guest->door->serve(service, guest, &err) < 0)
			pmg_log_debug("%s", err.msg);
		drop(guest);
	} else if (role != PMG_ROLE_MANAGER) {
		tell_of_crowd(service);
		drop(guest);
	} else {
		pmg_timer_stop(service->loop, &guest->timer);
	}
}

/* @return it is known now, and may be gone */
static bool recognise(struct guest *guest)
{
	guest->peer =
		pmg_callers_take(guest->doors->callers, &guest->from, &guest->to, pmg_clock_ms());
	if (!guest->peer)
		return false;
	guest->is_known = true;
	guest->doors->n_known++;
	try_serve(guest);
	return true;
}

/* Nobody can fill the place before the door: of those without a word the oldest goes. */
static void make_room(struct pmg_doors *doors)
{
	struct guest *guest = doors->last;

	if (doors->n_guests < PMG_DOORS_WAITING_MAX)
		return;
	while (guest && guest->is_known)
		guest = guest->prev;
	if (guest)
		drop(guest);
}

/* @param from  as accept() gave it: of a connection that is reset already nobody else knows */
static void welcome(struct door *door, int fd, const struct sockaddr_storage *from)
{
	struct pmg_doors *doors = door->doors;
	struct guest *guest = pmg_xcalloc(1, sizeof *guest);
	struct sockaddr_storage own = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	socklen_t len = sizeof own;
	int one = 1;

	if (getsockname(fd, (void *)&own, &len) < 0 ||
	    pmg_inet_read(from, &guest->from, &err) < 0 ||
	    pmg_inet_read(&own, &guest->to, &err) < 0) {
		(void)close(fd);
		free(guest);
		return;
	}
	make_room(doors);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	guest->doors = doors;
	guest->door = door;
	guest->fd = fd;
	guest->timer = (struct pmg_timer){ .fn = on_wait_over, .ctx = guest };
	guest->next = doors->first;
	if (guest->next)
		guest->next->prev = guest;
	else
		doors->last = guest;
	doors->first = guest;
	doors->n_guests++;
	pmg_timer_start(doors->service->loop, &guest->timer, PMG_DOORS_WAIT_MS);
	(void)recognise(guest);
}

static void want_guests(struct pmg_doors *doors, bool on)
{
	size_t i;

	for (i = 0; i < doors->n; i++)
		if (doors->v[i].watch)
			pmg_watch_want(doors->v[i].watch, on ? (uint32_t)EPOLLIN : 0);
}

/* Full of the manager's own: nobody else waits who is known. */
static bool is_full(const struct pmg_doors *doors)
{
	return doors->n_known >= PMG_DOORS_WAITING_MAX;
}

static void on_knock(void *ctx, uint32_t events)
{
	struct door *door = ctx;
	struct pmg_doors *doors = door->doors;
	struct sockaddr_storage from;
	socklen_t len;
	int fd, i;

	(void)events;
	for (i = 0; i < ACCEPT_AT_ONCE && !is_full(doors); i++) {
		from = (struct sockaddr_storage){ 0 };
		len = sizeof from;
		fd = accept4(door->fd, (void *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			welcome(door, fd, &from);
		} else if (errno == EAGAIN) {
			return;
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			   errno == ENOMEM) {
			want_guests(doors, false);
			pmg_timer_start(doors->service->loop, &doors->pause, PAUSE_MS);
			return;
		} /* else that one connection is gone already */
	}
	if (is_full(doors))
		want_guests(doors, false);
}

static void knock_everywhere(struct pmg_doors *doors)
{
	size_t i;

	for (i = 0; i < doors->n; i++)
		if (doors->v[i].watch)
			on_knock(&doors->v[i], EPOLLIN);
}

static void on_again(void *ctx)
{
	struct pmg_doors *doors = ctx;
	struct guest *guest, *next;

	for (guest = doors->first; guest; guest = next) {
		next = guest->next;
		if (guest->peer)
			try_serve(guest);
	}
	if (!is_full(doors) && doors->pause.slot == 0)
		want_guests(doors, true);
}

void pmg_doors_resume(struct pmg_doors *doors)
{
	pmg_task_queue(doors->service->loop, &doors->again);
}

/* The broker itself refuses ports on which nobody listens; but only here is it known which name an
 * address of ours stands for. */
static void report_refused(struct pmg_doors *doors, struct pmg_wire_connect *told)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(peer) struct pmg_peer *peer = NULL;
	pmg_autofree char *literal = NULL;
	struct pmg_inet to;
	const char *name;

	if (strlen(told->protocol) < 3 || pmg_inet_parse(told->target, &to, &err) < 0)
		return;
	literal = pmg_inet_host(&to);
	name = pmg_names_find(doors->service->names, &to.address);
	peer = pmg_peer_new(told);
	pmg_refused_connect(doors->service->refused, peer,
			    &(struct pmg_refused_place){
				    .protocol = told->protocol[0] == 'u' ? "udp" : "tcp",
				    .host = name ? name : literal,
				    .port = to.port,
				    .may_help = told->protocol[0] == 't',
			    });
}

/* Whose script is about to run: asked before it does. */
static bool is_question(struct pmg_doors *doors, const struct pmg_msg *msg)
{
	struct pmg_err err = PMG_ERR_INIT;

	if (msg->type != PMG_WIRE_ASK)
		return false;
	if (pmg_ask_answer(&doors->service->gate, doors->broker, msg, &err) < 0)
		pmg_log_debug("%s", err.msg); /* without an answer the broker refuses */
	return true;
}

static void on_word(void *ctx, const struct pmg_msg *msg)
{
	pmg_auto(wire_connect) struct pmg_wire_connect told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_doors *doors = ctx;
	struct guest *guest, *next;
	struct pmg_inet from;

	if (is_question(doors, msg))
		return;
	if (msg->type != PMG_WIRE_CONNECT || pmg_wire_connect_decode(msg->body, &told, &err) < 0) {
		pmg_log_debug("the broker says something else than CONNECT and ASK");
		return;
	}
	if (!told.local) {
		report_refused(doors, &told);
		return;
	}
	if (pmg_inet_parse(told.local, &from, &err) < 0 ||
	    pmg_callers_add(doors->callers, &told, pmg_clock_ms(), &err) < 0) {
		pmg_log_debug("%s", err.msg);
		return;
	}
	for (guest = doors->first; guest; guest = next) {
		next = guest->next;
		if (!guest->peer && pmg_inet_is_same(&guest->from, &from) && recognise(guest))
			return;
	}
	/* Words of connections that stand before the door must not push each other out. */
	if (pmg_callers_count(doors->callers) >= WORDS_AHEAD)
		knock_everywhere(doors);
}

static void on_sent(void *ctx)
{
	(void)ctx; /* who asked waits for nothing else */
}

/* Without a broker nobody is told of any more: what comes is closed when its time is over. */
static void on_gone(void *ctx)
{
	(void)ctx;
	pmg_log_debug("the broker is gone");
}

/* A datagram comes after the word on it, but on another socket: hear that first. */
static const struct pmg_peer *who_sends(void *ctx, uint16_t port)
{
	struct pmg_doors *doors = ctx;

	pmg_link_poll(doors->broker);
	return pmg_callers_udp(doors->callers, port, pmg_clock_ms());
}

static int add_door(struct pmg_doors *doors, const char *kind, int fd, struct pmg_err *err)
{
	struct door *door = &doors->v[doors->n];
	int flags = fcntl(fd, F_GETFL);
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(kinds_known); i++)
		if (strcmp(kinds_known[i].name, kind) == 0)
			break;
	if (i == PMG_ARRAY_LEN(kinds_known))
		return pmg_err_set(err, PMG_E_PEER, 0, "a listener of an unknown kind");
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "listening socket");
	*door = (struct door){ .doors = doors, .fd = fd, .serve = kinds_known[i].serve };
	doors->n++;
	if (!door->serve)
		return pmg_resolver_new(doors->service, fd, who_sends, doors, &door->resolver, err);
	return pmg_watch_new(doors->service->loop, fd, EPOLLIN, on_knock, door, &door->watch, err);
}

static void on_pause_over(void *ctx)
{
	pmg_doors_resume(ctx);
}

int pmg_doors_new(struct pmg_service *service, const struct pmg_strv *kinds, const int *fds,
		  size_t n_fds, struct pmg_doors **out, struct pmg_err *err)
{
	pmg_auto(doors) struct pmg_doors *doors = pmg_xcalloc(1, sizeof *doors);
	const struct pmg_link_user user = { doors, on_word, on_sent, on_gone };
	size_t i;
	int r;

	doors->service = service;
	doors->pause = (struct pmg_timer){ .fn = on_pause_over, .ctx = doors };
	doors->again = (struct pmg_task){ .fn = on_again, .ctx = doors };
	doors->callers = pmg_callers_new();
	if (n_fds < 2 || kinds->n != n_fds || n_fds > PMG_MSG_FDS_MAX ||
	    strcmp(kinds->v[n_fds - 1], "broker") != 0)
		return pmg_err_set(err, PMG_E_PEER, 0, "listeners without a broker");
	r = pmg_link_new(service->loop, fds[n_fds - 1], &user, &doors->broker, err);
	for (i = 0; r == 0 && i + 1 < n_fds; i++)
		r = add_door(doors, kinds->v[i], fds[i], err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&doors);
	return 0;
}

void pmg_doors_free(struct pmg_doors *doors)
{
	size_t i;

	if (!doors)
		return;
	while (doors->first)
		drop(doors->first);
	for (i = 0; i < doors->n; i++) {
		pmg_watch_end(doors->v[i].watch);
		pmg_resolver_free(doors->v[i].resolver);
	}
	pmg_link_free(doors->broker);
	pmg_callers_free(doors->callers);
	pmg_timer_stop(doors->service->loop, &doors->pause);
	pmg_task_cancel(doors->service->loop, &doors->again);
	free(doors);
}

int pmg_doors_own(const struct pmg_strv *kinds, const int *fds, size_t n_fds)
{
	size_t i;

	for (i = 0; i < n_fds && i < kinds->n; i++)
		if (strcmp(kinds->v[i], "proxy") == 0)
			return fds[i];
	return -1;
}
