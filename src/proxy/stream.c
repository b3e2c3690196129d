#include "proxy/stream.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static void close_stream(struct pmg_stream *stream)
{
	pmg_tls_conn_free(stream->tls);
	stream->tls = NULL;
	if (stream->fd >= 0)
		(void)close(stream->fd);
	stream->fd = -1;
}

void pmg_stream_done(struct pmg_stream *stream)
{
	if (stream->tls)
		pmg_tls_shutdown(stream->tls);
	close_stream(stream);
}

void pmg_stream_break(struct pmg_stream *stream, bool reset)
{
	const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

	if (stream->fd >= 0 && reset)
		(void)setsockopt(stream->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	close_stream(stream);
}

static ssize_t settle(ssize_t n, int want)
{
	if (n > 0)
		return n;
	if (n == 0)
		return PMG_TLS_EOF;
	return errno == EAGAIN || errno == EINTR ? want : PMG_TLS_BROKEN;
}

ssize_t pmg_stream_read(struct pmg_stream *stream, void *buf, size_t len)
{
	if (stream->tls)
		return pmg_tls_read(stream->tls, buf, len);
	return settle(recv(stream->fd, buf, len, 0), PMG_TLS_WANT_READ);
}

ssize_t pmg_stream_write(struct pmg_stream *stream, const void *buf, size_t len)
{
	if (stream->tls)
		return pmg_tls_write(stream->tls, buf, len);
	return settle(send(stream->fd, buf, len, MSG_NOSIGNAL), PMG_TLS_WANT_WRITE);
}

bool pmg_stream_pending(const struct pmg_stream *stream)
{
	return stream->tls && pmg_tls_pending(stream->tls);
}

void pmg_stream_finish(struct pmg_stream *stream)
{
	if (stream->tls)
		pmg_tls_shutdown(stream->tls);
	(void)shutdown(stream->fd, SHUT_WR);
}
