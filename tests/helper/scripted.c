#include "scripted.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tls/conn.h"

/* One connection: plain, or TLS once `tls` is there. The socket blocks. */
struct peer {
	int fd;
	struct pmg_tls_conn *tls;
};

static ssize_t take(struct peer *peer, void *buf, size_t len)
{
	return peer->tls ? pmg_tls_read(peer->tls, buf, len) : read(peer->fd, buf, len);
}

static void give(struct peer *peer, const char *bytes, size_t len)
{
	ssize_t n;

	for (; len > 0; bytes += n, len -= (size_t)n) {
		n = peer->tls ? pmg_tls_write(peer->tls, bytes, len) : write(peer->fd, bytes, len);
		if (n <= 0)
			return;
	}
}

/* Up to the empty line; what follows it must wait for an answer, so nothing does. */
static bool take_head(struct peer *peer, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len + 1 < size) {
		n = take(peer, buf + len, size - len - 1);
		if (n <= 0)
			return false;
		len += (size_t)n;
		buf[len] = '\0';
		if (strstr(buf, "\r\n\r\n"))
			return true;
	}
	return false;
}

static bool begin_tls(struct peer *peer, const struct script *script)
{
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_tls_accept(script->ca, script->host ? script->host : "127.0.0.1", peer->fd,
			      &peer->tls, &err) == 0 &&
	       pmg_tls_handshake(peer->tls) == 0;
}

static bool serve_connect(struct peer *peer, const struct script *script)
{
	char head[8192];
	size_t i;

	if (!take_head(peer, head, sizeof head) || strncmp(head, "CONNECT ", 8) != 0)
		return false;
	for (i = 0; script->connect_reply[i]; i++) {
		if (i > 0)
			(void)usleep(20000);
		give(peer, script->connect_reply[i], strlen(script->connect_reply[i]));
	}
	return !script->tls_inside || begin_tls(peer, script);
}

static void answer(struct peer *peer, const struct script *script)
{
	char head[8192], line[128];
	ssize_t n;

	while (script->echo && (n = take(peer, head, sizeof head)) > 0)
		give(peer, head, (size_t)n);
	if (!script->at_once && !take_head(peer, head, sizeof head))
		return;
	while (script->hang && take(peer, line, sizeof line) > 0)
		;
	if (script->answer) {
		give(peer, script->answer, strlen(script->answer));
		return;
	}
	(void)snprintf(line, sizeof line, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n",
		       strlen(head));
	give(peer, line, strlen(line));
	give(peer, head, strlen(head));
}

static void serve(int fd, const struct script *script)
{
	const struct linger at_once = { .l_onoff = 1 };
	struct peer peer = { .fd = fd };
	int on = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if ((!script->tls || begin_tls(&peer, script)) &&
	    (!script->connect_reply || serve_connect(&peer, script)))
		answer(&peer, script);
	if (peer.tls && !script->reset)
		pmg_tls_shutdown(peer.tls);
	pmg_tls_conn_free(peer.tls);
	if (script->reset)
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	(void)close(fd);
}

static int listen_on_loopback(uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	*port = ntohs(address.sin_port);
	return fd;
}

void scripted_start(const struct script *script, struct scripted *out)
{
	int fd = listen_on_loopback(&out->port), client;

	assert_int_equal(listen(fd, 16), 0);
	(void)fflush(NULL);
	out->pid = fork();
	assert_true(out->pid >= 0);
	if (out->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
		while ((client = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0)
			serve(client, script);
		_exit(1);
	}
	(void)close(fd);
}

void scripted_stop(struct scripted *server)
{
	if (server->pid <= 0)
		return;
	(void)kill(server->pid, SIGKILL);
	(void)waitpid(server->pid, NULL, 0);
	server->pid = 0;
}

uint16_t scripted_dead_port(void)
{
	uint16_t port = 0;

	(void)close(listen_on_loopback(&port));
	return port;
}
