#include "tls/conn.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "base/err.h"

/* A server under test and an OpenSSL client at the two ends of a socket pair. */
struct fixture {
	struct pmg_ca *ca;
	struct pmg_tls_conn *server;
	SSL_CTX *client_ctx;
	SSL *client;
	int fds[2]; /* server, client */
	struct pmg_err err;
};

static SSL_CTX *client_context(const char *pem)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	BIO *bio = BIO_new_mem_buf(pem, -1);
	X509 *root = PEM_read_bio_X509(bio, NULL, NULL, NULL);

	assert_non_null(root);
	assert_int_equal(X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), root), 1);
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
	X509_free(root);
	BIO_free(bio);
	return ctx;
}

static int setup(void **state)
{
	struct fixture *f = pmg_xcalloc(1, sizeof *f);

	*state = f;
	if (pmg_ca_new(&f->ca, &f->err) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, f->fds) < 0 ||
	    pmg_tls_accept(f->ca, "registry.test", f->fds[0], &f->server, &f->err) < 0)
		return -1;
	f->client_ctx = client_context(pmg_ca_pem(f->ca));
	f->client = SSL_new(f->client_ctx);
	SSL_set_connect_state(f->client);
	return SSL_set1_host(f->client, "registry.test") && SSL_set_fd(f->client, f->fds[1]) ? 0
											     : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pmg_tls_conn_free(f->server);
	SSL_free(f->client);
	SSL_CTX_free(f->client_ctx);
	pmg_ca_free(f->ca);
	pmg_auto_closep(&f->fds[0]);
	pmg_auto_closep(&f->fds[1]);
	free(f);
	return 0;
}

static void close_client(struct fixture *f)
{
	(void)close(pmg_steal_fd(&f->fds[1]));
}

/* Turns of both sides until the server is done or lost; what the server said last. */
static int shake(struct fixture *f)
{
	int turns, r = PMG_TLS_WANT_READ;

	for (turns = 0; turns < 20; turns++) {
		ERR_clear_error();
		(void)SSL_do_handshake(f->client);
		r = pmg_tls_handshake(f->server);
		if (r == 0 || r == PMG_TLS_BROKEN)
			break;
		assert_true(r == PMG_TLS_WANT_READ || r == PMG_TLS_WANT_WRITE);
	}
	if (r == 0)
		(void)SSL_do_handshake(f->client);
	ERR_clear_error();
	return r;
}

static void a_client_that_trusts_the_run_gets_its_bytes(void **state)
{
	struct fixture *f = *state;
	char buf[64];

	assert_int_equal(shake(f), 0);
	assert_int_equal(SSL_write(f->client, "ping", 4), 4);
	assert_int_equal(pmg_tls_read(f->server, buf, sizeof buf), 4);
	assert_memory_equal(buf, "ping", 4);
	assert_int_equal(pmg_tls_read(f->server, buf, sizeof buf), PMG_TLS_WANT_READ);
	assert_int_equal(pmg_tls_write(f->server, "pong", 4), 4);
	assert_int_equal(SSL_read(f->client, buf, sizeof buf), 4);
	assert_memory_equal(buf, "pong", 4);
	assert_string_equal(pmg_tls_why(f->server), "nothing is wrong");
}

static void alpn_answers_http11_whatever_stands_before(void **state)
{
	static const unsigned char offer[] = "\x02h2\x08http/1.1";
	struct fixture *f = *state;
	const unsigned char *chosen = NULL;
	unsigned int len = 0;

	assert_int_equal(SSL_set_alpn_protos(f->client, offer, sizeof offer - 1), 0);
	assert_int_equal(shake(f), 0);
	SSL_get0_alpn_selected(f->client, &chosen, &len);
	assert_int_equal(len, 8);
	assert_memory_equal(chosen, "http/1.1", 8);
}

static void alpn_without_http11_is_not_answered(void **state)
{
	static const unsigned char offer[] = "\x02h2";
	struct fixture *f = *state;
	const unsigned char *chosen = NULL;
	unsigned int len = 0;

	assert_int_equal(SSL_set_alpn_protos(f->client, offer, sizeof offer - 1), 0);
	assert_int_equal(shake(f), 0);
	SSL_get0_alpn_selected(f->client, &chosen, &len);
	assert_int_equal(len, 0);
}

static void tls_below_12_is_refused(void **state)
{
	struct fixture *f = *state;

	SSL_set_security_level(f->client, 0);
	assert_int_equal(SSL_set_min_proto_version(f->client, TLS1_VERSION), 1);
	assert_int_equal(SSL_set_max_proto_version(f->client, TLS1_1_VERSION), 1);
	assert_int_equal(shake(f), PMG_TLS_BROKEN);
	assert_string_equal(pmg_tls_why(f->server), "the client offers nothing newer than TLS 1.1");
}

static void tls_12_is_spoken(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(SSL_set_max_proto_version(f->client, TLS1_2_VERSION), 1);
	assert_int_equal(shake(f), 0);
	assert_string_equal(SSL_get_version(f->client), "TLSv1.2");
}

/* In TLS 1.3 the client's refusal arrives after the server has finished its part. */
static void a_client_that_does_not_trust_is_named(void **state)
{
	static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };
	struct fixture *f;
	char buf[8];
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(versions); i++) {
		if (i > 0) {
			assert_int_equal(teardown(state), 0);
			assert_int_equal(setup(state), 0);
		}
		f = *state;
		SSL_set0_verify_cert_store(f->client, X509_STORE_new());
		assert_int_equal(SSL_set_max_proto_version(f->client, versions[i]), 1);
		if (shake(f) == 0)
			assert_int_equal(pmg_tls_read(f->server, buf, sizeof buf), PMG_TLS_BROKEN);
		assert_string_equal(pmg_tls_why(f->server),
				    "the client does not trust the certificate of this run");
		assert_int_equal(pmg_tls_handshake(f->server), PMG_TLS_BROKEN);
	}
}

static void what_is_not_tls_is_named(void **state)
{
	static const struct {
		const char *bytes, *why;
	} rows[] = {
		{ "GET / HTTP/1.1\r\n\r\n", "the client spoke HTTP where TLS was expected" },
		{ "SSH-2.0-x_y_z\r\n", "the client does not speak TLS" },
		{ "", "the client broke off" },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct fixture *f;

		assert_int_equal(i > 0 ? teardown(state) : 0, 0);
		assert_int_equal(i > 0 ? setup(state) : 0, 0);
		f = *state;
		assert_int_equal(send(f->fds[1], rows[i].bytes, strlen(rows[i].bytes), 0),
				 strlen(rows[i].bytes));
		close_client(f);
		assert_int_equal(pmg_tls_handshake(f->server), PMG_TLS_BROKEN);
		assert_string_equal(pmg_tls_why(f->server), rows[i].why);
	}
}

static void a_proper_end_and_a_cut_are_told_apart(void **state)
{
	struct fixture *f = *state;
	char buf[8];

	assert_int_equal(shake(f), 0);
	(void)SSL_shutdown(f->client);
	close_client(f);
	assert_int_equal(pmg_tls_read(f->server, buf, sizeof buf), PMG_TLS_EOF);
	assert_int_equal(teardown(state), 0);
	assert_int_equal(setup(state), 0);
	f = *state;
	assert_int_equal(shake(f), 0);
	(void)SSL_read(f->client, buf, sizeof buf); /* its tickets, or closing were a reset */
	close_client(f);
	assert_int_equal(pmg_tls_read(f->server, buf, sizeof buf), PMG_TLS_BROKEN);
	assert_string_equal(pmg_tls_why(f->server), "the client broke off");
	assert_int_equal(pmg_tls_write(f->server, "x", 1), PMG_TLS_BROKEN);
}

static void a_stale_error_of_another_does_not_condemn(void **state)
{
	struct fixture *f = *state;
	char buf[8];

	assert_int_equal(shake(f), 0);
	ERR_raise(ERR_LIB_SSL, SSL_R_UNEXPECTED_EOF_WHILE_READING);
	assert_int_equal(pmg_tls_read(f->server, buf, sizeof buf), PMG_TLS_WANT_READ);
	ERR_raise(ERR_LIB_SSL, SSL_R_UNEXPECTED_EOF_WHILE_READING);
	assert_int_equal(pmg_tls_write(f->server, "x", 1), 1);
	ERR_clear_error();
}

static void bytes_left_in_a_record_are_pending(void **state)
{
	struct fixture *f = *state;
	char buf[8];

	assert_int_equal(shake(f), 0);
	assert_int_equal(SSL_write(f->client, "0123456789", 10), 10);
	assert_false(pmg_tls_pending(f->server));
	assert_int_equal(pmg_tls_read(f->server, buf, 4), 4);
	assert_true(pmg_tls_pending(f->server));
	assert_int_equal(pmg_tls_read(f->server, buf, 6), 6);
	assert_memory_equal(buf, "456789", 6);
	assert_false(pmg_tls_pending(f->server));
}

/* A full socket, then the same bytes from another place in memory. */
static void a_write_may_go_on_from_moved_memory(void **state)
{
	enum { SIZE = 1 << 20 };
	struct fixture *f = *state;
	pmg_autofree char *bytes = pmg_xmalloc(SIZE);
	pmg_autofree char *moved = NULL;
	pmg_autofree char *got = pmg_xmalloc(SIZE);
	size_t sent = 0, received = 0, i, turns = 0;
	bool was_full = false;
	ssize_t n;
	int r;

	for (i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * 31 + i / 251);
	moved = pmg_xmalloc(SIZE);
	memcpy(moved, bytes, SIZE);
	assert_int_equal(shake(f), 0);
	while (received < SIZE && turns++ < 10000) {
		n = sent < SIZE ? pmg_tls_write(f->server, (turns % 2 ? bytes : moved) + sent,
						SIZE - sent)
				: 1;
		if (sent < SIZE && n > 0)
			sent += (size_t)n;
		if (n > 0 && sent < SIZE)
			continue;
		was_full = was_full || n == PMG_TLS_WANT_WRITE;
		r = SSL_read(f->client, got + received, (int)(SIZE - received));
		if (r > 0)
			received += (size_t)r;
	}
	assert_true(was_full);
	assert_int_equal(received, SIZE);
	assert_memory_equal(got, bytes, SIZE);
}

static void shutting_down_tells_the_client(void **state)
{
	struct fixture *f = *state;
	char buf[8];
	int r;

	pmg_tls_shutdown(f->server); /* before the handshake: nothing to say, no harm */
	assert_int_equal(shake(f), 0);
	pmg_tls_shutdown(f->server);
	r = SSL_read(f->client, buf, sizeof buf);
	assert_int_equal(SSL_get_error(f->client, r), SSL_ERROR_ZERO_RETURN);
}

static void a_session_is_resumed_by_ticket(void **state)
{
	struct fixture *f = *state;
	SSL_SESSION *session;
	char buf[8];

	assert_int_equal(shake(f), 0);
	(void)SSL_read(f->client, buf, sizeof buf); /* the ticket comes after the handshake */
	session = SSL_get1_session(f->client);
	(void)SSL_shutdown(f->client); /* else OpenSSL spoils the session */
	pmg_tls_conn_free(pmg_steal_ptr(&f->server));
	SSL_free(f->client);
	pmg_auto_closep(&f->fds[0]);
	close_client(f);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, f->fds),
			 0);
	assert_int_equal(pmg_tls_accept(f->ca, "registry.test", f->fds[0], &f->server, &f->err), 0);
	f->client = SSL_new(f->client_ctx);
	SSL_set_connect_state(f->client);
	assert_int_equal(SSL_set_session(f->client, session), 1);
	assert_int_equal(SSL_set_fd(f->client, f->fds[1]), 1);
	SSL_SESSION_free(session);
	assert_int_equal(shake(f), 0);
	assert_int_equal(SSL_session_reused(f->client), 1);
}

static void a_host_without_certificate_gets_no_connection(void **state)
{
	struct fixture *f = *state;
	struct pmg_tls_conn *conn = NULL;

	assert_int_equal(pmg_tls_accept(f->ca, "*.test", f->fds[0], &conn, &f->err), -PMG_E_TLS);
	assert_null(conn);
	assert_non_null(strstr(f->err.msg, "*.test"));
}

#define PAIRED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIRED(a_client_that_trusts_the_run_gets_its_bytes),
		PAIRED(alpn_answers_http11_whatever_stands_before),
		PAIRED(alpn_without_http11_is_not_answered),
		PAIRED(tls_below_12_is_refused),
		PAIRED(tls_12_is_spoken),
		PAIRED(a_client_that_does_not_trust_is_named),
		PAIRED(what_is_not_tls_is_named),
		PAIRED(a_proper_end_and_a_cut_are_told_apart),
		PAIRED(a_stale_error_of_another_does_not_condemn),
		PAIRED(bytes_left_in_a_record_are_pending),
		PAIRED(a_write_may_go_on_from_moved_memory),
		PAIRED(shutting_down_tells_the_client),
		PAIRED(a_session_is_resumed_by_ticket),
		PAIRED(a_host_without_certificate_gets_no_connection),
	};

	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
