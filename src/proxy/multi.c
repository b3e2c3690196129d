#include "proxy/multi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <curl/curl.h>

#include "base/log.h"

#define CONNECTIONS_KEPT 64L
#define HANDLES_KEPT     32U

struct pmg_multi {
	struct pmg_loop *loop;
	CURLM *curl;
	struct sockaddr_storage own;
	struct pmg_timer timer;
	struct pmg_task at_once; /* for a timer of 0 */
	CURL *handles[HANDLES_KEPT];
	size_t n_handles;
};

/* A socket of libcurl's. */
struct sock {
	struct pmg_multi *multi;
	int fd;
	struct pmg_watch *watch;
};

/* Tell the owners of transfers that have ended. */
static void collect(struct pmg_multi *multi)
{
	struct pmg_job *job;
	CURLcode code;
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(multi->curl, &left))) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		code = msg->data.result; /* msg does not outlive the next call */
		(void)curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &job);
		job->is_whole = code == CURLE_OK;
		if (!job->stays || code != CURLE_OK) {
			(void)curl_multi_remove_handle(multi->curl, job->easy);
			job->is_running = false;
		}
		job->done(job->ctx, (int)code);
	}
}

static void act(struct pmg_multi *multi, int fd, int mask)
{
	int running;

	(void)curl_multi_socket_action(multi->curl, fd, mask, &running);
	collect(multi);
}

static void on_time(void *ctx)
{
	act(ctx, CURL_SOCKET_TIMEOUT, 0);
}

static void on_event(void *ctx, uint32_t events)
{
	struct sock *sock = ctx; /* may be gone after the call */
	int mask = (events & EPOLLIN ? CURL_CSELECT_IN : 0) |
		   (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
		   (events & (EPOLLHUP | EPOLLERR) ? CURL_CSELECT_IN | CURL_CSELECT_OUT : 0);

	act(sock->multi, sock->fd, mask);
}

static void forget(struct sock *sock)
{
	pmg_watch_end(sock->watch);
	free(sock);
}

static struct sock *know(struct pmg_multi *multi, int fd)
{
	struct sock *sock = pmg_xcalloc(1, sizeof *sock);
	struct pmg_err err = PMG_ERR_INIT;

	sock->multi = multi;
	sock->fd = fd;
	if (pmg_watch_new(multi->loop, fd, 0, on_event, sock, &sock->watch, &err) < 0) {
		pmg_log_debug("%s", err.msg);
		free(sock);
		return NULL;
	}
	(void)curl_multi_assign(multi->curl, fd, sock);
	return sock;
}

/* libcurl wants to be told of a socket, or no more. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *known)
{
	struct pmg_multi *multi = ctx;
	struct sock *sock = known;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (sock)
			forget(sock);
		(void)curl_multi_assign(multi->curl, fd, NULL);
		return 0;
	}
	if (!sock)
		sock = know(multi, fd);
	if (!sock)
		return -1;
	pmg_watch_want(sock->watch, (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0U) |
					    (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0U));
	return 0;
}

static int on_timer(CURLM *curl, long in_ms, void *ctx)
{
	struct pmg_multi *multi = ctx;

	(void)curl;
	pmg_task_cancel(multi->loop, &multi->at_once);
	pmg_timer_stop(multi->loop, &multi->timer);
	if (in_ms == 0)
		pmg_task_queue(multi->loop, &multi->at_once);
	else if (in_ms > 0)
		pmg_timer_start(multi->loop, &multi->timer, (uint64_t)in_ms);
	return 0;
}

int pmg_multi_new(struct pmg_loop *loop, const struct sockaddr_storage *own, struct pmg_multi **out,
		  struct pmg_err *err)
{
	struct pmg_multi *multi = pmg_xcalloc(1, sizeof *multi);

	multi->loop = loop;
	multi->own = *own;
	multi->timer = (struct pmg_timer){ .fn = on_time, .ctx = multi };
	multi->at_once = (struct pmg_task){ .fn = on_time, .ctx = multi };
	multi->curl = curl_multi_init();
	if (!multi->curl ||
	    curl_multi_setopt(multi->curl, CURLMOPT_SOCKETFUNCTION, on_socket) != CURLM_OK ||
	    curl_multi_setopt(multi->curl, CURLMOPT_SOCKETDATA, multi) != CURLM_OK ||
	    curl_multi_setopt(multi->curl, CURLMOPT_TIMERFUNCTION, on_timer) != CURLM_OK ||
	    curl_multi_setopt(multi->curl, CURLMOPT_TIMERDATA, multi) != CURLM_OK ||
	    curl_multi_setopt(multi->curl, CURLMOPT_MAXCONNECTS, CONNECTIONS_KEPT) != CURLM_OK) {
		pmg_multi_free(multi);
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libcurl cannot be set up");
	}
	*out = multi;
	return 0;
}

struct pmg_loop *pmg_multi_loop(const struct pmg_multi *multi)
{
	return multi->loop;
}

void pmg_multi_free(struct pmg_multi *multi)
{
	size_t i;

	if (!multi)
		return;
	for (i = 0; i < multi->n_handles; i++)
		curl_easy_cleanup(multi->handles[i]);
	(void)curl_multi_cleanup(multi->curl);
	pmg_timer_stop(multi->loop, &multi->timer);
	pmg_task_cancel(multi->loop, &multi->at_once);
	free(multi);
}

/* Port and address of a target; an IPv4 address within IPv6 as what it is. @return false: no TCP */
static bool read_address(const struct sockaddr *from, struct in6_addr *address, in_port_t *port)
{
	const struct sockaddr_in *v4 = (const void *)from;
	const struct sockaddr_in6 *v6 = (const void *)from;

	if (from->sa_family == AF_INET) {
		memset(address, 0, sizeof *address);
		memset(address->s6_addr + 10, 0xff, 2);
		memcpy(address->s6_addr + 12, &v4->sin_addr, 4);
		*port = v4->sin_port;
		return true;
	}
	if (from->sa_family != AF_INET6)
		return false;
	*address = v6->sin6_addr;
	*port = v6->sin6_port;
	return true;
}

/* "Any" is every address of this host for who listens, and loopback for who connects. */
static bool is_any(const struct in6_addr *address)
{
	static const struct in6_addr mapped = { { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff } } };

	return IN6_IS_ADDR_UNSPECIFIED(address) || memcmp(address, &mapped, sizeof mapped) == 0;
}

static bool is_own(const struct sockaddr_storage *own, const struct sockaddr *to)
{
	struct in6_addr ours, theirs;
	in_port_t our_port, their_port;

	if (!read_address((const void *)own, &ours, &our_port) ||
	    !read_address(to, &theirs, &their_port) || our_port != their_port)
		return false;
	return is_any(&ours) || is_any(&theirs) || memcmp(&ours, &theirs, sizeof ours) == 0;
}

/* The last word on where a transfer leads: what a name resolved to counts, not the name. */
static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct pmg_job *job = ctx;

	(void)purpose;
	if (is_own(&job->multi->own, &address->addr)) {
		job->is_loop = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int pmg_job_open(struct pmg_multi *multi, struct pmg_job *job, struct pmg_err *err)
{
	job->multi = multi;
	job->is_loop = false;
	job->is_whole = false;
	if (multi->n_handles > 0)
		job->easy = multi->handles[--multi->n_handles];
	else
		job->easy = curl_easy_init();
	if (!job->easy)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libcurl cannot make a handle");
	return 0;
}

int pmg_job_start(struct pmg_job *job, struct pmg_err *err)
{
	if (curl_easy_setopt(job->easy, CURLOPT_PRIVATE, job) != CURLE_OK ||
	    curl_easy_setopt(job->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) != CURLE_OK ||
	    curl_easy_setopt(job->easy, CURLOPT_OPENSOCKETDATA, job) != CURLE_OK ||
	    curl_multi_add_handle(job->multi->curl, job->easy) != CURLM_OK)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libcurl cannot start a transfer");
	job->is_running = true;
	return 0;
}

/*
 * A handle is used again only after a transfer that went well. libcurl 7.88 leaves a buffer in one
 * that failed before it was connected, curl_easy_reset() does not take that away, and the handle
 * refuses CURLOPT_BUFFERSIZE from then on: one name that does not resolve failed all requests of
 * the run that came after it.
 */
void pmg_job_close(struct pmg_job *job)
{
	struct pmg_multi *multi = job->multi;

	if (!job->easy)
		return;
	if (job->is_running)
		(void)curl_multi_remove_handle(multi->curl, job->easy);
	job->is_running = false;
	if (multi->n_handles < HANDLES_KEPT && job->is_whole && !job->stays) {
		curl_easy_reset(job->easy);
		multi->handles[multi->n_handles++] = job->easy;
	} else {
		curl_easy_cleanup(job->easy);
	}
	job->easy = NULL;
}
