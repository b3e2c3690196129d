#include "tls/anchors.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/err.h>

#include "tls/cert_priv.h"

#define MANY 40

/* Authorities, of which two have the same name and different keys. */
struct fixture {
	EVP_PKEY *key[MANY];
	X509 *cert[MANY];
	X509_STORE *store;
	struct pmg_err err;
};

static struct pmg_der der_of(X509 *cert)
{
	unsigned char *bytes = NULL;
	int len = i2d_X509(cert, &bytes);
	struct pmg_der der = { pmg_xmalloc((size_t)len), (size_t)len };

	memcpy(der.bytes, bytes, (size_t)len);
	OPENSSL_free(bytes);
	return der;
}

static void rename_as(X509 *cert, X509 *model, EVP_PKEY *key)
{
	X509_NAME *name = X509_get_subject_name(model);

	assert_int_equal(X509_set_subject_name(cert, name), 1);
	assert_int_equal(X509_set_issuer_name(cert, name), 1);
	assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
}

static int setup(void **state)
{
	struct fixture *f = pmg_xcalloc(1, sizeof *f);
	struct pmg_der *certs = pmg_xcalloc(MANY + 2, sizeof *certs);
	size_t i;

	*state = f;
	for (i = 0; i < MANY; i++)
		if (pmg_cert_key(&f->key[i], &f->err) < 0 ||
		    pmg_cert_authority(f->key[i], &f->cert[i], &f->err) < 0)
			return -1;
	rename_as(f->cert[1], f->cert[0], f->key[1]);
	for (i = 0; i < MANY - 1; i++) /* the last one is a stranger */
		certs[i] = der_of(f->cert[i]);
	certs[i] = (struct pmg_der){ pmg_xcalloc(1, 8), 8 }; /* no certificate at all */
	certs[i + 1] = der_of(f->cert[2]);
	certs[i + 1].bytes[certs[i + 1].len / 2] ^= 0xff; /* right name, spoilt behind it */
	return pmg_anchors_store(&certs, i + 2, &f->store, &f->err) < 0 || certs ? -1 : 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < MANY; i++) {
		X509_free(f->cert[i]);
		EVP_PKEY_free(f->key[i]);
	}
	X509_STORE_free(f->store);
	free(f);
	return 0;
}

static int verify(struct fixture *f, size_t issuer)
{
	X509_STORE_CTX *ctx = X509_STORE_CTX_new();
	X509 *leaf = NULL;
	int result;

	assert_int_equal(pmg_cert_leaf(f->cert[issuer], f->key[issuer], f->key[issuer], "a.test",
				       &leaf, &f->err),
			 0);
	assert_int_equal(X509_STORE_CTX_init(ctx, f->store, leaf, NULL), 1);
	result = X509_verify_cert(ctx) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(ctx);
	X509_STORE_CTX_free(ctx);
	X509_free(leaf);
	return result;
}

static int in_store(struct fixture *f)
{
	return sk_X509_OBJECT_num(X509_STORE_get0_objects(f->store));
}

static void only_what_a_chain_asks_for_is_parsed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(in_store(f), 0);
	assert_int_equal(verify(f, 5), X509_V_OK);
	assert_int_equal(in_store(f), 1);
	assert_int_equal(verify(f, 5), X509_V_OK);
	assert_int_equal(in_store(f), 1);
	assert_int_equal(verify(f, 6), X509_V_OK);
	assert_int_equal(in_store(f), 2);
}

static void two_of_one_name_are_both_tried(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(verify(f, 1), X509_V_OK);
	assert_int_equal(verify(f, 0), X509_V_OK);
	assert_int_equal(in_store(f), 2);
}

static void all_of_them_are_found(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < MANY - 1; i++)
		assert_int_equal(verify(f, i), X509_V_OK);
}

static void a_stranger_is_refused_and_leaves_no_error_behind(void **state)
{
	struct fixture *f = *state;

	ERR_clear_error();
	assert_int_equal(verify(f, MANY - 1), X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
	assert_int_equal(in_store(f), 0);
	ERR_clear_error();
	assert_int_equal(verify(f, 2), X509_V_OK); /* beside it lies the spoilt one */
	assert_int_equal(ERR_peek_error(), 0);
}

static void an_empty_store_refuses_all(void **state)
{
	struct fixture *f = *state;
	struct pmg_der *none = NULL;

	X509_STORE_free(f->store);
	f->store = NULL;
	assert_int_equal(pmg_anchors_store(&none, 0, &f->store, &f->err), 0);
	assert_int_equal(verify(f, 3), X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
}

#define ANCHORED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ANCHORED(only_what_a_chain_asks_for_is_parsed),
		ANCHORED(two_of_one_name_are_both_tried),
		ANCHORED(all_of_them_are_found),
		ANCHORED(a_stranger_is_refused_and_leaves_no_error_behind),
		ANCHORED(an_empty_store_refuses_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
