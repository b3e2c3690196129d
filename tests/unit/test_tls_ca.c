#include "tls/ca.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/scripted.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/strv.h"
#include "tls/cert_priv.h"

#include <openssl/pem.h>

struct fixture {
	struct pmg_ca *ca;
	struct pmg_err err;
};

static int setup(void **state)
{
	struct fixture *f = pmg_xcalloc(1, sizeof *f);

	*state = f;
	return pmg_ca_new(&f->ca, &f->err);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pmg_ca_free(f->ca);
	free(f);
	return 0;
}

static X509 *leaf_of(struct fixture *f, const char *host)
{
	SSL_CTX *context = pmg_ca_context(f->ca, host, &f->err);

	assert_non_null(context);
	return SSL_CTX_get0_certificate(context);
}

static char *write_authority(const struct fixture *f)
{
	char *path = pmg_xasprintf("test-ca-%ld.pem", (long)getpid());
	const char *pem = pmg_ca_pem(f->ca);
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_io_replace(path, pem, strlen(pem), 0644, &err), 0);
	return path;
}

static char *write_leaf(X509 *leaf)
{
	char *path = pmg_xasprintf("test-leaf-%ld.pem", (long)getpid());
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(PEM_write_X509(file, leaf), 1);
	assert_int_equal(fclose(file), 0);
	return path;
}

/* Exit status of a program that is looked for in PATH. words: NULL-terminated. */
static int run(const char *const *words, char **text)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(strv) struct pmg_strv argv = { 0 };
	struct pmg_proc proc = { .path = "/usr/bin/env", .max = 65536, .timeout_ms = 20000 };
	struct pmg_err err = PMG_ERR_INIT;
	int status = -1;

	for (; *words; words++)
		pmg_strv_add(&argv, *words);
	pmg_strv_add(&env, "PATH=/usr/bin:/bin:/usr/local/bin");
	proc.argv = pmg_strv_argv(&argv);
	proc.envp = pmg_strv_argv(&env);
	assert_int_equal(pmg_proc_capture(&proc, text, &status, &err), 0);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* 127 is what env(1) says when there is no such program. */
static void skip_without(int status, const char *program)
{
	if (status != 127)
		return;
	assert_null(getenv("PMG_MUST_WORK"));
	print_message("SKIPPED: there is no program %s\n", program);
	skip();
}

/* The program, not the library: an independent reader of what was made. */
static bool openssl_accepts(const struct fixture *f, X509 *leaf, const char *host, bool address)
{
	pmg_autofree char *ca_path = write_authority(f);
	pmg_autofree char *leaf_path = write_leaf(leaf);
	pmg_autofree char *text = NULL;
	const char *const words[] = {
		"env",          "openssl",    "verify",
		"-x509_strict", "-no-CApath", "-no-CAstore",
		"-purpose",     "sslserver",  address ? "-verify_ip" : "-verify_hostname",
		host,           "-CAfile",    ca_path,
		leaf_path,      NULL,
	};
	int status = run(words, &text);

	(void)unlink(ca_path);
	(void)unlink(leaf_path);
	skip_without(status, "openssl");
	return status == 0;
}

static void strict_verification_accepts_every_kind_of_host(void **state)
{
	static const struct {
		const char *host;
		bool address;
	} rows[] = {
		{ "registry.test", false },
		{ "a_b.registry.test", false },
		{ "127.0.0.1", true },
		{ "::1", true },
		{ "2001:db8::7", true },
		{ "a-name-longer-than-the-sixty-four-bytes.of-a-common-name.registry.test", false },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_true(openssl_accepts(f, leaf_of(f, rows[i].host), rows[i].host,
					    rows[i].address));
}

/* Python 3.13 verifies strictly by default, older ones are asked to. */
static const char python_client[] =
	"import socket, ssl, sys\n"
	"c = ssl.create_default_context(cadata=open(sys.argv[1]).read())\n"
	"c.verify_flags |= ssl.VERIFY_X509_STRICT\n"
	"s = socket.create_connection(('127.0.0.1', int(sys.argv[2])), 10)\n"
	"t = c.wrap_socket(s, server_hostname=sys.argv[3])\n"
	"t.sendall(b'GET / HTTP/1.1\\r\\n\\r\\n')\n"
	"print(t.version(), t.recv(15).decode())\n";

static void a_strict_python_client_connects(void **state)
{
	static const char *const hosts[] = { "registry.test", "127.0.0.1" };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(hosts); i++) {
		struct scripted server;
		pmg_autofree char *ca = write_authority(f);
		pmg_autofree char *text = NULL;
		char port[8];
		const char *const words[] = { "env", "python3", "-c",     python_client,
					      ca,    port,      hosts[i], NULL };
		int status;

		scripted_start(&(struct script){ .ca = f->ca, .host = hosts[i], .tls = true },
			       &server);
		(void)snprintf(port, sizeof port, "%u", server.port);
		status = run(words, &text);
		scripted_stop(&server);
		(void)unlink(ca);
		skip_without(status, "python3");
		assert_string_equal(text, "TLSv1.3 HTTP/1.1 200 OK\n");
	}
}

static void strict_verification_refuses_another_host_and_another_run(void **state)
{
	struct fixture *f = *state;
	pmg_auto(ca) struct pmg_ca *other = NULL;
	X509 *leaf = leaf_of(f, "registry.test");

	assert_int_equal(pmg_ca_new(&other, &f->err), 0);
	assert_true(openssl_accepts(f, leaf, "registry.test", false));
	assert_false(openssl_accepts(f, leaf, "other.test", false));
	assert_false(
		openssl_accepts(&(struct fixture){ .ca = other }, leaf, "registry.test", false));
}

static void a_leaf_is_a_server_and_no_authority(void **state)
{
	X509 *leaf = leaf_of(*state, "registry.test");

	assert_int_equal(X509_get_version(leaf), X509_VERSION_3);
	assert_int_equal(X509_check_ca(leaf), 0);
	assert_int_equal(X509_check_purpose(leaf, X509_PURPOSE_SSL_SERVER, 0), 1);
	assert_int_equal(X509_check_purpose(leaf, X509_PURPOSE_SSL_CLIENT, 0), 0);
	assert_int_equal(X509_get_key_usage(leaf), KU_DIGITAL_SIGNATURE);
	assert_non_null(X509_get0_subject_key_id(leaf));
	assert_non_null(X509_get0_authority_key_id(leaf));
	assert_int_equal(X509_cmp_current_time(X509_get0_notBefore(leaf)), -1);
	assert_int_equal(X509_cmp_current_time(X509_get0_notAfter(leaf)), 1);
}

static void the_authority_signs_leaves_only(void **state)
{
	struct fixture *f = *state;
	const char *pem = pmg_ca_pem(f->ca);
	pmg_auto(bio) BIO *bio = BIO_new_mem_buf(pem, -1);
	pmg_auto(x509) X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);

	assert_non_null(cert);
	assert_int_equal(X509_check_ca(cert), 1);
	assert_int_equal(X509_get_pathlen(cert), 0);
	assert_int_equal(X509_get_key_usage(cert), KU_KEY_CERT_SIGN | KU_CRL_SIGN);
	assert_true(X509_get_extension_flags(cert) & EXFLAG_SS);
	assert_null(strstr(pem, "PRIVATE KEY"));
}

static void serials_are_random_positive_and_long(void **state)
{
	pmg_auto(bignum) BIGNUM *a = NULL;
	pmg_auto(bignum) BIGNUM *b = NULL;

	a = ASN1_INTEGER_to_BN(X509_get0_serialNumber(leaf_of(*state, "a.test")), NULL);
	b = ASN1_INTEGER_to_BN(X509_get0_serialNumber(leaf_of(*state, "b.test")), NULL);
	assert_false(BN_is_negative(a));
	assert_true(BN_num_bits(a) >= 64 && BN_num_bits(a) <= 159);
	assert_int_not_equal(BN_cmp(a, b), 0);
}

static void a_name_of_254_bytes_gets_no_certificate(void **state)
{
	struct fixture *f = *state;
	char name[255];

	memset(name, 'a', sizeof name);
	name[254] = '\0';
	assert_null(pmg_ca_context(f->ca, name, &f->err));
	assert_int_equal(f->err.code, PMG_E_TLS);
	assert_non_null(strstr(f->err.msg, "no certificate can be made for host"));
	name[253] = '\0';
	assert_non_null(pmg_ca_context(f->ca, name, &f->err));
}

static void a_context_is_kept_whatever_the_spelling(void **state)
{
	struct fixture *f = *state;
	SSL_CTX *first = pmg_ca_context(f->ca, "kept.test", &f->err);

	assert_non_null(first);
	assert_ptr_equal(pmg_ca_context(f->ca, "KEPT.test.", &f->err), first);
}

static void past_the_limit_the_oldest_goes_first(void **state)
{
	struct fixture *f = *state;
	SSL_CTX *first = pmg_ca_context(f->ca, "0.test", &f->err);
	SSL_CTX *second = pmg_ca_context(f->ca, "1.test", &f->err);
	char host[32];
	unsigned int i;

	assert_int_equal(SSL_CTX_up_ref(first), 1); /* so that its address is not used again */
	for (i = 2; i <= PMG_CA_HOSTS_MAX; i++) {
		(void)snprintf(host, sizeof host, "%u.test", i);
		assert_non_null(pmg_ca_context(f->ca, host, &f->err));
	}
	assert_ptr_equal(pmg_ca_context(f->ca, "1.test", &f->err), second);
	assert_ptr_not_equal(pmg_ca_context(f->ca, "0.test", &f->err), first);
	SSL_CTX_free(first);
}

#define WITH_CA(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_CA(strict_verification_accepts_every_kind_of_host),
		WITH_CA(a_strict_python_client_connects),
		WITH_CA(strict_verification_refuses_another_host_and_another_run),
		WITH_CA(a_leaf_is_a_server_and_no_authority),
		WITH_CA(the_authority_signs_leaves_only),
		WITH_CA(serials_are_random_positive_and_long),
		WITH_CA(a_name_of_254_bytes_gets_no_certificate),
		WITH_CA(a_context_is_kept_whatever_the_spelling),
		WITH_CA(past_the_limit_the_oldest_goes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
