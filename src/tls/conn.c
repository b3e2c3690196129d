#include "tls/conn.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

struct pmg_tls_conn {
	SSL *ssl;
	bool broken; /* after a fatal error SSL_shutdown() must not be called */
	bool refused;
	const char *why;
	char other[128]; /* why, when the table has no words for it */
};

/* What a person should read instead of OpenSSL's words. */
static const struct {
	int reason;
	const char *words;
} reasons[] = {
	{ SSL_R_TLSV1_ALERT_UNKNOWN_CA, "the client does not trust the certificate of this run" },
	{ SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, "the client refuses the certificate" },
	{ SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, "the client refuses the certificate" },
	{ SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, "the client takes the certificate for expired" },
	{ SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
	  "the client does not know this kind of certificate" },
	{ SSL_R_UNEXPECTED_EOF_WHILE_READING, "the client broke off" },
	{ SSL_R_HTTP_REQUEST, "the client spoke HTTP where TLS was expected" },
	{ SSL_R_WRONG_VERSION_NUMBER, "the client does not speak TLS" },
	{ SSL_R_UNSUPPORTED_PROTOCOL, "the client offers nothing newer than TLS 1.1" },
	{ SSL_R_NO_SHARED_CIPHER, "client and pmg have no cipher in common" },
};

void pmg_tls_conn_free(struct pmg_tls_conn *conn)
{
	if (!conn)
		return;
	SSL_free(conn->ssl);
	free(conn);
}

int pmg_tls_accept(struct pmg_ca *ca, const char *host, int fd, struct pmg_tls_conn **out,
		   struct pmg_err *err)
{
	pmg_auto(tls_conn) struct pmg_tls_conn *conn = NULL;
	SSL_CTX *context = pmg_ca_context(ca, host, err);

	if (!context)
		return -(int)err->code;
	ERR_clear_error();
	conn = pmg_xcalloc(1, sizeof *conn);
	conn->ssl = SSL_new(context); /* counts the context: it outlives its place in ca */
	if (!conn->ssl || SSL_set_fd(conn->ssl, fd) != 1) {
		ERR_clear_error();
		return pmg_err_set(err, PMG_E_TLS, 0, "cannot begin a TLS connection");
	}
	SSL_set_accept_state(conn->ssl);
	*out = pmg_steal_ptr(&conn);
	return 0;
}

/* The newest entry says what ended the connection; whatever stands before it led there. */
static void note_why(struct pmg_tls_conn *conn)
{
	unsigned long last = ERR_peek_last_error();
	const char *text;
	size_t i;

	if (last == 0) {
		conn->why = "the connection was lost";
		return;
	}
	conn->refused = ERR_GET_LIB(last) == ERR_LIB_SSL &&
			ERR_GET_REASON(last) != SSL_R_UNEXPECTED_EOF_WHILE_READING;
	for (i = 0; i < PMG_ARRAY_LEN(reasons); i++) {
		if (ERR_GET_LIB(last) == ERR_LIB_SSL && ERR_GET_REASON(last) == reasons[i].reason) {
			conn->why = reasons[i].words;
			return;
		}
	}
	text = ERR_reason_error_string(last);
	(void)snprintf(conn->other, sizeof conn->other, "%s", text ? text : "unknown TLS error");
	conn->why = conn->other;
}

static int settle(struct pmg_tls_conn *conn, int result)
{
	switch (SSL_get_error(conn->ssl, result)) {
	case SSL_ERROR_WANT_READ:
		return PMG_TLS_WANT_READ;
	case SSL_ERROR_WANT_WRITE:
		return PMG_TLS_WANT_WRITE;
	case SSL_ERROR_ZERO_RETURN:
		return PMG_TLS_EOF;
	default: /* an end without close_notify too: what came may be cut short */
		note_why(conn);
		conn->broken = true;
		ERR_clear_error();
		return PMG_TLS_BROKEN;
	}
}

int pmg_tls_handshake(struct pmg_tls_conn *conn)
{
	int r;

	if (conn->broken)
		return PMG_TLS_BROKEN;
	ERR_clear_error();
	r = SSL_do_handshake(conn->ssl);
	return r == 1 ? 0 : settle(conn, r);
}

ssize_t pmg_tls_read(struct pmg_tls_conn *conn, void *buf, size_t len)
{
	size_t n = 0;
	int r;

	assert(len > 0);
	if (conn->broken)
		return PMG_TLS_BROKEN;
	ERR_clear_error();
	r = SSL_read_ex(conn->ssl, buf, len, &n);
	return r == 1 ? (ssize_t)n : settle(conn, r);
}

ssize_t pmg_tls_write(struct pmg_tls_conn *conn, const void *buf, size_t len)
{
	size_t n = 0;
	int r;

	assert(len > 0);
	if (conn->broken)
		return PMG_TLS_BROKEN;
	ERR_clear_error();
	r = SSL_write_ex(conn->ssl, buf, len, &n);
	return r == 1 ? (ssize_t)n : settle(conn, r);
}

bool pmg_tls_pending(const struct pmg_tls_conn *conn)
{
	return !conn->broken && SSL_pending(conn->ssl) > 0;
}

void pmg_tls_shutdown(struct pmg_tls_conn *conn)
{
	if (conn->broken || SSL_in_init(conn->ssl))
		return;
	ERR_clear_error();
	(void)SSL_shutdown(conn->ssl); /* the peer's own close_notify is not waited for */
	ERR_clear_error();
}

const char *pmg_tls_why(const struct pmg_tls_conn *conn)
{
	return conn->why ? conn->why : "nothing is wrong";
}

bool pmg_tls_is_refused(const struct pmg_tls_conn *conn)
{
	return conn->refused;
}
