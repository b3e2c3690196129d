#include "tls/pem.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/pem.h>

#include "base/str.h"
#include "tls/ca.h"
#include "tls/openssl_priv.h"

static char *make_cert(void)
{
	pmg_auto(ca) struct pmg_ca *ca = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_ca_new(&ca, &err), 0);
	return pmg_xstrdup(pmg_ca_pem(ca));
}

/* What the whole text holds: "C" a certificate, "B" bad, "R" refused. */
static char *kinds(const char *text, size_t len)
{
	static const char letters[] = {
		[PMG_PEM_CERT] = 'C', [PMG_PEM_REFUSED] = 'R', [PMG_PEM_BAD] = 'B'
	};
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(4096);
	const char *at = text, *end = text + len;
	struct pmg_der der = { 0 };
	enum pmg_pem kind;

	while ((kind = pmg_pem_next(&at, end, &der)) != PMG_PEM_END) {
		assert_true(at <= end);
		assert_int_equal(pmg_str_add(&out, &letters[kind], 1), 0);
		if (kind == PMG_PEM_CERT)
			free(der.bytes);
	}
	return pmg_str_steal(&out);
}

static void expect(const char *text, const char *wanted)
{
	pmg_autofree char *got = kinds(text, strlen(text));

	assert_string_equal(got, wanted);
}

static void certificates_are_found_among_anything(void **state)
{
	pmg_autofree char *cert = make_cert();
	const struct {
		const char *format, *kinds;
	} rows[] = {
		{ "%s", "C" },
		{ "%s%s", "CC" },
		{ "# a comment\nsubject=CN\n%s\ntrailing", "C" },
		{ "\xef\xbb\xbf%s", "C" },
		{ "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n%s", "C" },
		{ "-----BEGIN CERTIFICATE-----\nAAAA\n%s", "BC" },
		{ "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n%s", "BC" },
		{ "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n%s", "BC" },
		{ "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n%s", "C" },
		{ "-----BEGIN \n-----BEGIN CERTIFICATE", "" },
		{ "", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str text = PMG_STR_INIT(65536);
		const char *p = rows[i].format, *hole;

		for (; (hole = strstr(p, "%s")); p = hole + 2) {
			assert_int_equal(pmg_str_add(&text, p, (size_t)(hole - p)), 0);
			assert_int_equal(pmg_str_adds(&text, cert), 0);
		}
		assert_int_equal(pmg_str_adds(&text, p), 0);
		expect(text.s ? text.s : "", rows[i].kinds);
	}
}

static void line_ends_and_widths_do_not_matter(void **state)
{
	pmg_autofree char *cert = make_cert();
	pmg_autofree char *crlf = pmg_xmalloc(strlen(cert) * 2 + 1);
	const char *p;
	char *q = crlf;
	struct pmg_der a = { 0 }, b = { 0 };

	(void)state;
	for (p = cert; *p; p++) {
		if (*p == '\n')
			*q++ = '\r';
		*q++ = *p;
	}
	*q = '\0';
	p = cert;
	assert_int_equal(pmg_pem_next(&p, cert + strlen(cert), &a), PMG_PEM_CERT);
	p = crlf;
	assert_int_equal(pmg_pem_next(&p, crlf + strlen(crlf), &b), PMG_PEM_CERT);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.bytes, b.bytes, a.len);
	free(a.bytes);
	free(b.bytes);
}

/* What update-ca-trust writes into ca-bundle.trust.crt. */
static char *trusted_block(int trust, int reject, size_t *der_len)
{
	pmg_autofree char *text = make_cert();
	pmg_auto(bio) BIO *in = BIO_new_mem_buf(text, -1);
	pmg_auto(bio) BIO *out = BIO_new(BIO_s_mem());
	pmg_auto(x509) X509 *cert = PEM_read_bio_X509(in, NULL, NULL, NULL);
	char *bytes = NULL;
	long len;

	if (trust)
		assert_int_equal(X509_add1_trust_object(cert, OBJ_nid2obj(trust)), 1);
	if (reject)
		assert_int_equal(X509_add1_reject_object(cert, OBJ_nid2obj(reject)), 1);
	assert_int_equal(PEM_write_bio_X509_AUX(out, cert), 1);
	*der_len = (size_t)i2d_X509(cert, NULL);
	len = BIO_get_mem_data(out, &bytes);
	return pmg_xstrndup(bytes, (size_t)len);
}

static void trusted_certificates_count_if_trusted_for_servers(void **state)
{
	static const struct {
		int trust, reject;
		enum pmg_pem kind;
	} rows[] = {
		{ 0, 0, PMG_PEM_CERT },
		{ NID_server_auth, 0, PMG_PEM_CERT },
		{ NID_anyExtendedKeyUsage, 0, PMG_PEM_CERT },
		{ NID_email_protect, 0, PMG_PEM_REFUSED },
		{ 0, NID_server_auth, PMG_PEM_REFUSED },
		{ 0, NID_anyExtendedKeyUsage, PMG_PEM_REFUSED },
		{ NID_server_auth, NID_email_protect, PMG_PEM_CERT },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		size_t len = 0;
		pmg_autofree char *text = trusted_block(rows[i].trust, rows[i].reject, &len);
		const char *at = text;
		struct pmg_der der = { 0 };

		assert_non_null(strstr(text, "TRUSTED"));
		assert_int_equal(pmg_pem_next(&at, text + strlen(text), &der), rows[i].kind);
		if (rows[i].kind == PMG_PEM_CERT)
			assert_int_equal(der.len, len); /* without OpenSSL's addition */
		free(der.bytes);
	}
}

static void frames_that_lie_are_bad(void **state)
{
	static const struct {
		unsigned char der[8];
		size_t len;
		const char *kinds;
	} rows[] = {
		{ { 0x30, 0x01, 0x00 }, 3, "C" },
		{ { 0x30, 0x81, 0x01, 0x00 }, 4, "C" },
		{ { 0x30, 0x02, 0x00 }, 3, "B" },
		{ { 0x30, 0x80, 0x00, 0x00 }, 4, "B" },
		{ { 0x30, 0x84, 0, 0, 0, 1, 0 }, 7, "B" },
		{ { 0x30, 0x83, 0xff, 0xff, 0xff, 0 }, 6, "B" },
		{ { 0x30, 0x82, 0x01 }, 3, "B" },
		{ { 0x31, 0x01, 0x00 }, 3, "B" },
		{ { 0x30 }, 1, "B" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *body = pmg_base64(rows[i].der, rows[i].len);
		pmg_autofree char *text = pmg_xasprintf(
			"-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n", body);

		expect(text, rows[i].kinds);
	}
}

static void a_block_above_the_limit_is_bad(void **state)
{
	pmg_autofree char *body = pmg_xmalloc(PMG_PEM_CERT_MAX * 2 + 2);
	pmg_autofree char *text = NULL;

	(void)state;
	memset(body, 'A', PMG_PEM_CERT_MAX * 2 + 1);
	body[PMG_PEM_CERT_MAX * 2 + 1] = '\0';
	text = pmg_xasprintf("-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n", body);
	expect(text, "B");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(certificates_are_found_among_anything),
		cmocka_unit_test(line_ends_and_widths_do_not_matter),
		cmocka_unit_test(trusted_certificates_count_if_trusted_for_servers),
		cmocka_unit_test(frames_that_lie_are_bad),
		cmocka_unit_test(a_block_above_the_limit_is_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
