#ifndef PMG_PROXY_STREAM_H
#define PMG_PROXY_STREAM_H
/** A client's socket, plain or with TLS on it: the same calls and answers (tls/conn.h). */
#include "tls/conn.h"

struct pmg_stream {
	int fd;                   /* non-blocking */
	struct pmg_tls_conn *tls; /* NULL: plain */
};

void pmg_stream_done(struct pmg_stream *stream); /* closes; says goodbye in TLS when clean */
/** Close so that the peer sees a break, not an end: no close_notify, and a reset where asked for
 *  (what was sent and not yet received may be lost then). */
void pmg_stream_break(struct pmg_stream *stream, bool reset);
/** @return bytes read (>0) or a pmg_tls_want */
ssize_t pmg_stream_read(struct pmg_stream *stream, void *buf, size_t len) PMG_MUST_CHECK;
/** @return bytes written (>0) or a pmg_tls_want */
ssize_t pmg_stream_write(struct pmg_stream *stream, const void *buf, size_t len) PMG_MUST_CHECK;
/** Bytes read from the socket and waiting: the loop does not tell of them. */
bool pmg_stream_pending(const struct pmg_stream *stream);
/** No more will be written; the peer is told. Reading goes on. */
void pmg_stream_finish(struct pmg_stream *stream);

#endif
