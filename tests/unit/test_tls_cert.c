#include "tls/cert_priv.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_host_is_spelled_one_way(void **state)
{
	static const struct {
		const char *host, *spelled;
	} rows[] = {
		{ "Registry.Test", "registry.test" },
		{ "registry.test.", "registry.test" },
		{ "0:0:0:0:0:0:0:1", "::1" },
		{ "127.0.0.1", "127.0.0.1" },
		{ "", NULL },
		{ ".", NULL },
		{ ".test", NULL },
		{ "*.test", NULL },
		{ "a.test,DNS:b.test", NULL },
		{ "a b.test", NULL },
		{ "a\nb.test", NULL },
		{ "fe80::1%eth0", NULL },
		{ "\xc3\xa4.test", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *spelled = pmg_cert_host(rows[i].host);

		if (rows[i].spelled)
			assert_string_equal(spelled, rows[i].spelled);
		else
			assert_null(spelled);
	}
}

/* The alternative name, which is the one that clients read, holds the host and nothing else; beside
 * an address stands "localhost", for the agents of npm. */
static void the_alternative_name_is_the_host_alone(void **state)
{
	static const struct {
		const char *host;
		int type;
		size_t len;
	} rows[] = {
		{ "registry.test", GEN_DNS, 13 },
		{ "127.0.0.1", GEN_IPADD, 4 },
		{ "::1", GEN_IPADD, 16 },
	};
	pmg_auto(pkey) EVP_PKEY *key = NULL;
	pmg_auto(x509) X509 *authority = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_cert_key(&key, &err), 0);
	assert_int_equal(pmg_cert_authority(key, &authority, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(x509) X509 *leaf = NULL;
		pmg_auto(general_names) GENERAL_NAMES *names = NULL;
		const GENERAL_NAME *name;
		int critical = -1;

		assert_int_equal(pmg_cert_leaf(authority, key, key, rows[i].host, &leaf, &err), 0);
		names = X509_get_ext_d2i(leaf, NID_subject_alt_name, &critical, NULL);
		assert_int_equal(critical, 0);
		assert_int_equal(sk_GENERAL_NAME_num(names), rows[i].type == GEN_DNS ? 1 : 2);
		name = sk_GENERAL_NAME_value(names, 0);
		assert_int_equal(name->type, rows[i].type);
		assert_int_equal(ASN1_STRING_length(name->d.ia5), rows[i].len);
		if (rows[i].type == GEN_DNS)
			continue;
		name = sk_GENERAL_NAME_value(names, 1);
		assert_int_equal(name->type, GEN_DNS);
		assert_string_equal(ASN1_STRING_get0_data(name->d.ia5), "localhost");
	}
}

static void a_common_name_that_would_not_fit_is_left_general(void **state)
{
	pmg_auto(pkey) EVP_PKEY *key = NULL;
	pmg_auto(x509) X509 *authority = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	char host[66], name[128];
	size_t len;

	(void)state;
	assert_int_equal(pmg_cert_key(&key, &err), 0);
	assert_int_equal(pmg_cert_authority(key, &authority, &err), 0);
	for (len = 64; len <= 65; len++) {
		pmg_auto(x509) X509 *leaf = NULL;

		memset(host, 'a', len);
		host[len] = '\0';
		assert_int_equal(pmg_cert_leaf(authority, key, key, host, &leaf, &err), 0);
		assert_true(X509_NAME_get_text_by_NID(X509_get_subject_name(leaf), NID_commonName,
						      name, sizeof name) > 0);
		assert_string_equal(name, len == 64 ? host : "pmg leaf");
	}
}

static void a_leaf_does_not_outlive_its_authority(void **state)
{
	pmg_auto(pkey) EVP_PKEY *key = NULL;
	pmg_auto(x509) X509 *authority = NULL;
	pmg_auto(x509) X509 *leaf = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_cert_key(&key, &err), 0);
	assert_int_equal(pmg_cert_authority(key, &authority, &err), 0);
	assert_int_equal(pmg_cert_leaf(authority, key, key, "a.test", &leaf, &err), 0);
	assert_int_equal(ASN1_TIME_compare(X509_get0_notAfter(leaf), X509_get0_notAfter(authority)),
			 0);
	assert_int_equal(X509_check_issued(authority, leaf), X509_V_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_is_spelled_one_way),
		cmocka_unit_test(the_alternative_name_is_the_host_alone),
		cmocka_unit_test(a_common_name_that_would_not_fit_is_left_general),
		cmocka_unit_test(a_leaf_does_not_outlive_its_authority),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
