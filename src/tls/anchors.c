#include "tls/anchors.h"

#include <stdbool.h>
#include <stdlib.h>

#include <openssl/err.h>

#define BAD_OR_OPEN 0x81 /* of ASN1_get_object(): an error, or a length that is left open */

struct anchor {
	struct pmg_der der;
	unsigned long subject; /* X509_NAME_hash_ex(): of the canonical form */
	bool parsed;
};

struct anchors {
	X509_LOOKUP_METHOD *method;
	struct anchor *v;
	size_t n;
};

static void anchors_free(struct anchors *anchors)
{
	size_t i;

	if (!anchors)
		return;
	for (i = 0; i < anchors->n; i++)
		free(anchors->v[i].der.bytes);
	X509_LOOKUP_meth_free(anchors->method);
	free(anchors->v);
	free(anchors);
}

PMG_DEFINE_AUTO(anchors, struct anchors *, anchors_free);

/* The last that OpenSSL does with the method is to call this. */
static void lookup_free(X509_LOOKUP *lookup)
{
	anchors_free(X509_LOOKUP_get_method_data(lookup));
}

/* Steps over one element, or into it. Only the frame of a certificate is read: where that lies,
 * the certificate is not found or does not parse later, and verification fails. */
static bool step(const unsigned char **p, const unsigned char *end, int tag, bool into)
{
	int found = 0, class = 0;
	long len = 0;
	const unsigned char *at = *p;

	if (at >= end || (ASN1_get_object(&at, &len, &found, &class, end - at) & BAD_OR_OPEN) != 0)
		return false;
	if (found != tag || len < 0 || len > end - at)
		return false;
	*p = into ? at : at + len;
	return true;
}

/* RFC 5280, 4.1: version, serial, algorithm, issuer, validity, subject. */
static bool hash_subject(const struct pmg_der *der, unsigned long *out)
{
	const unsigned char *p = der->bytes, *end = p + der->len;
	X509_NAME *name;
	int ok = 0;

	if (!step(&p, end, V_ASN1_SEQUENCE, true) || !step(&p, end, V_ASN1_SEQUENCE, true))
		return false;
	(void)step(&p, end, 0, false); /* [0] version, which the first kind does not have */
	if (!step(&p, end, V_ASN1_INTEGER, false) || !step(&p, end, V_ASN1_SEQUENCE, false) ||
	    !step(&p, end, V_ASN1_SEQUENCE, false) || !step(&p, end, V_ASN1_SEQUENCE, false))
		return false;
	name = d2i_X509_NAME(NULL, &p, end - p);
	if (name)
		*out = X509_NAME_hash_ex(name, NULL, NULL, &ok);
	X509_NAME_free(name);
	return ok == 1;
}

/* What fails here must not be found in the queue by who asks for a handshake's result. */
static X509 *parse(struct anchor *anchor)
{
	const unsigned char *p = anchor->der.bytes;
	X509 *cert;

	anchor->parsed = true;
	(void)ERR_set_mark();
	cert = d2i_X509(NULL, &p, (long)anchor->der.len);
	(void)ERR_pop_to_mark();
	return cert;
}

/* OpenSSL asks only for subjects that the store does not hold yet: so all of that subject go in
 * at once, and each is parsed once. */
static int by_subject(X509_LOOKUP *lookup, X509_LOOKUP_TYPE type, const X509_NAME *name,
		      X509_OBJECT *out)
{
	struct anchors *anchors = X509_LOOKUP_get_method_data(lookup);
	X509_STORE *store = X509_LOOKUP_get_store(lookup);
	int ok = 0, found = 0;
	unsigned long subject = X509_NAME_hash_ex(name, NULL, NULL, &ok);
	size_t i;

	for (i = 0; type == X509_LU_X509 && ok && i < anchors->n; i++) {
		pmg_auto(x509) X509 *cert = NULL;

		if (anchors->v[i].subject != subject || anchors->v[i].parsed)
			continue;
		cert = parse(&anchors->v[i]);
		if (!cert || X509_NAME_cmp(X509_get_subject_name(cert), name) != 0 ||
		    !X509_STORE_add_cert(store, cert) || found)
			continue;
		/* The caller counts what it gets once more: one count too many, says the manual. */
		found = X509_OBJECT_set1_X509(out, cert);
		if (found)
			X509_free(cert);
	}
	return found;
}

static struct anchors *take(struct pmg_der **certs, size_t n)
{
	struct anchors *anchors = pmg_xcalloc(1, sizeof *anchors);
	pmg_autofree struct pmg_der *taken = pmg_steal_ptr(certs);
	size_t i;

	anchors->v = pmg_xcalloc(n + 1, sizeof *anchors->v);
	for (i = 0; i < n; i++) {
		struct anchor *anchor = &anchors->v[anchors->n];

		anchor->der = taken[i];
		if (hash_subject(&anchor->der, &anchor->subject))
			anchors->n++;
		else
			free(anchor->der.bytes);
	}
	return anchors;
}

int pmg_anchors_store(struct pmg_der **certs, size_t n, X509_STORE **out, struct pmg_err *err)
{
	pmg_auto(anchors) struct anchors *anchors = NULL;
	X509_STORE *store;
	X509_LOOKUP *lookup = NULL;

	anchors = take(certs, n);
	ERR_clear_error();
	anchors->method = X509_LOOKUP_meth_new("pmg anchors");
	store = X509_STORE_new();
	if (store && anchors->method &&
	    X509_LOOKUP_meth_set_get_by_subject(anchors->method, by_subject) &&
	    X509_LOOKUP_meth_set_free(anchors->method, lookup_free))
		lookup = X509_STORE_add_lookup(store, anchors->method);
	if (!lookup) {
		X509_STORE_free(store);
		return pmg_tls_fail(err, "make a store of certificates");
	}
	(void)X509_LOOKUP_set_method_data(lookup, pmg_steal_ptr(&anchors));
	/* As curl has it: companies hand out an intermediate and expect it to be enough. */
	(void)X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
	*out = store;
	return 0;
}
