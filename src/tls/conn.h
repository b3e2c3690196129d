#ifndef PMG_TLS_CONN_H
#define PMG_TLS_CONN_H
/**
 * The server side of a TLS connection on a non-blocking socket. The caller
 * polls; a call that cannot go on says what to poll for. OpenSSL's error queue
 * is cleared before every call, so one connection never condemns another.
 *
 * OpenSSL writes with write(2): the program must ignore SIGPIPE. Sessions are
 * resumed by tickets; renegotiation is refused; TLS 1.2 is the least.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tls/ca.h"

enum pmg_tls_want {
	PMG_TLS_WANT_READ = -1000, /* poll for reading, then call again */
	PMG_TLS_WANT_WRITE,        /* poll for writing, then call again */
	PMG_TLS_EOF,               /* the peer ended properly: close_notify came */
	PMG_TLS_BROKEN             /* anything else, an end without close_notify too (what came
				      may be cut); the connection is of no more use */
};

struct pmg_tls_conn;
void pmg_tls_conn_free(struct pmg_tls_conn *conn); /* does not close the socket */
PMG_DEFINE_AUTO(tls_conn, struct pmg_tls_conn *, pmg_tls_conn_free);

/** @param fd  borrowed, non-blocking. @return 0 or -PMG_E_TLS: no certificate for such a host */
int pmg_tls_accept(struct pmg_ca *ca, const char *host, int fd, struct pmg_tls_conn **out,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** @return 0 when the handshake is complete, else a pmg_tls_want */
int pmg_tls_handshake(struct pmg_tls_conn *conn) PMG_MUST_CHECK;
/** @return bytes read (>0) or a pmg_tls_want */
ssize_t pmg_tls_read(struct pmg_tls_conn *conn, void *buf, size_t len) PMG_MUST_CHECK;
/** @return bytes written (>0) or a pmg_tls_want; the same bytes may move between calls */
ssize_t pmg_tls_write(struct pmg_tls_conn *conn, const void *buf, size_t len) PMG_MUST_CHECK;
/** Bytes decrypted and waiting: poll() does not tell of them. */
bool pmg_tls_pending(const struct pmg_tls_conn *conn);
/** Sends close_notify if it can without waiting. */
void pmg_tls_shutdown(struct pmg_tls_conn *conn);
/**
 * Why a call answered PMG_TLS_BROKEN, in words for a person. Valid as long as conn.
 * With TLS 1.3 a client's refusal of the certificate comes after the handshake, by pmg_tls_read().
 */
const char *pmg_tls_why(const struct pmg_tls_conn *conn);
/** PMG_TLS_BROKEN because the two do not agree (certificate, version, cipher), not because the
 *  connection ended. */
bool pmg_tls_is_refused(const struct pmg_tls_conn *conn);

#endif
