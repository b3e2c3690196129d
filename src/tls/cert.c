#include "tls/cert_priv.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rand.h>

#define HOST_MAX        253 /* RFC 1035, 3.1 as text */
#define COMMON_NAME_MAX 64  /* RFC 5280, ub-common-name */
#define SERIAL_BITS     127 /* positive, and within the 20 bytes of RFC 5280, 4.1.2.2 */
#define DAY_S           (24L * 60 * 60)
#define BEFORE_S        (-DAY_S) /* a clock that is behind must not refuse the run */
#define AFTER_S         (7 * DAY_S)

struct extension {
	int nid;
	const char *value; /* as in x509v3_config(5); only constants, never outside text */
};

/* pathlen:0: a leaf whose key leaked could not sign another authority. The name of a host is not
 * known when the authority is made, so nameConstraints cannot be set. */
static const struct extension authority_extensions[] = {
	{ NID_basic_constraints, "critical,CA:TRUE,pathlen:0" },
	{ NID_key_usage, "critical,keyCertSign,cRLSign" },
	{ NID_subject_key_identifier, "hash" },
	{ NID_authority_key_identifier, "keyid:always" },
};

/* rustls refuses a CA:TRUE certificate for a server; Python 3.13 asks for the key identifiers. */
static const struct extension leaf_extensions[] = {
	{ NID_basic_constraints, "critical,CA:FALSE" },
	{ NID_key_usage, "critical,digitalSignature" },
	{ NID_ext_key_usage, "serverAuth" },
	{ NID_subject_key_identifier, "hash" },
	{ NID_authority_key_identifier, "keyid:always" },
};

static int address_of(const char *host, unsigned char bytes[16])
{
	if (inet_pton(AF_INET, host, bytes) == 1)
		return 4;
	return inet_pton(AF_INET6, host, bytes) == 1 ? 16 : 0;
}

char *pmg_cert_host(const char *host)
{
	pmg_autofree char *name = pmg_xstrndup(host, HOST_MAX + 2);
	char text[INET6_ADDRSTRLEN];
	unsigned char bytes[16];
	size_t len = strlen(name), i;

	if (address_of(name, bytes) == 16)
		return pmg_xstrdup(inet_ntop(AF_INET6, bytes, text, sizeof text));
	if (len > 1 && name[len - 1] == '.')
		name[--len] = '\0';
	if (len == 0 || len > HOST_MAX || name[0] == '.')
		return NULL;
	for (i = 0; i < len; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("-._", name[i]))
			return NULL;
		name[i] = (char)tolower((unsigned char)name[i]);
	}
	return pmg_steal_ptr(&name);
}

int pmg_cert_key(EVP_PKEY **out, struct pmg_err *err)
{
	EVP_PKEY *key;

	ERR_clear_error();
	key = EVP_EC_gen("P-256");
	if (!key)
		return pmg_tls_fail(err, "make a P-256 key");
	*out = key;
	return 0;
}

static int add_extensions(X509 *cert, X509 *issuer, const struct extension *table, size_t n)
{
	X509_EXTENSION *ext;
	X509V3_CTX ctx;
	size_t i;
	int ok = 1;

	X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
	for (i = 0; ok && i < n; i++) {
		ext = X509V3_EXT_conf_nid(NULL, &ctx, table[i].nid, table[i].value);
		ok = ext && X509_add_ext(cert, ext, -1);
		X509_EXTENSION_free(ext);
	}
	return ok;
}

/* Built from parts: a host written into an extension's text could bring a second name along. */
static int push_name(GENERAL_NAMES *names, const char *host)
{
	pmg_auto(general_name) GENERAL_NAME *name = GENERAL_NAME_new();
	unsigned char bytes[16];
	ASN1_STRING *value;
	int len = address_of(host, bytes);

	value = len ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new();
	if (!name || !value) {
		ASN1_STRING_free(value);
		return 0;
	}
	GENERAL_NAME_set0_value(name, len ? GEN_IPADD : GEN_DNS, value);
	if (!ASN1_STRING_set(value, len ? (const void *)bytes : host, len ? len : -1) ||
	    !sk_GENERAL_NAME_push(names, name))
		return 0;
	name = NULL; /* the list has it */
	return 1;
}

/*
 * An address is never sent as a server name, and the agents of npm and pnpm then forget it when
 * they go through a proxy: they look for "localhost" in the certificate. So that one is there as
 * well; nobody but the child of this run trusts it.
 */
static int add_alt_names(X509 *cert, const char *host)
{
	pmg_auto(general_names) GENERAL_NAMES *names = GENERAL_NAMES_new();
	unsigned char bytes[16];

	if (!names || !push_name(names, host) ||
	    (address_of(host, bytes) && !push_name(names, "localhost")))
		return 0;
	return X509_add1_ext_i2d(cert, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT) == 1;
}

static int set_serial(X509 *cert)
{
	pmg_auto(bignum) BIGNUM *serial = BN_new();

	return serial && BN_rand(serial, SERIAL_BITS, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) &&
	       BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(cert));
}

static int set_subject(X509 *cert, const char *common_name)
{
	X509_NAME *name = X509_get_subject_name(cert);

	return X509_NAME_add_entry_by_NID(name, NID_organizationName, MBSTRING_ASC,
					  (const unsigned char *)"pmg", -1, -1, 0) &&
	       X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_ASC,
					  (const unsigned char *)common_name, -1, -1, 0);
}

/* Version 3, serial, subject, key and dates: what both kinds share. */
static X509 *make_body(EVP_PKEY *key, const char *common_name)
{
	pmg_auto(x509) X509 *cert = X509_new();

	if (!cert || !X509_set_version(cert, X509_VERSION_3) || !set_serial(cert) ||
	    !set_subject(cert, common_name) || !X509_set_pubkey(cert, key) ||
	    !X509_gmtime_adj(X509_getm_notBefore(cert), BEFORE_S) ||
	    !X509_gmtime_adj(X509_getm_notAfter(cert), AFTER_S))
		return NULL;
	return pmg_steal_ptr(&cert);
}

int pmg_cert_authority(EVP_PKEY *key, X509 **out, struct pmg_err *err)
{
	pmg_auto(x509) X509 *cert = NULL;
	unsigned char id[4];
	char name[COMMON_NAME_MAX];

	ERR_clear_error();
	/* A name of its own for each run: with a guarded run inside another, two authorities of one
	 * name would be mistaken for each other. */
	if (RAND_bytes(id, sizeof id) != 1)
		return pmg_tls_fail(err, "random bytes");
	(void)snprintf(name, sizeof name, "pmg run %02x%02x%02x%02x", id[0], id[1], id[2], id[3]);
	cert = make_body(key, name);
	if (!cert || !X509_set_issuer_name(cert, X509_get_subject_name(cert)) ||
	    !add_extensions(cert, cert, authority_extensions,
			    PMG_ARRAY_LEN(authority_extensions)) ||
	    !X509_sign(cert, key, EVP_sha256()))
		return pmg_tls_fail(err, "make the certificate of the run");
	*out = pmg_steal_ptr(&cert);
	return 0;
}

int pmg_cert_leaf(X509 *issuer, EVP_PKEY *issuer_key, EVP_PKEY *key, const char *host, X509 **out,
		  struct pmg_err *err)
{
	pmg_auto(x509) X509 *cert = NULL;

	ERR_clear_error();
	/* Clients read the alternative name; the common name only has to fit. */
	cert = make_body(key, strlen(host) <= COMMON_NAME_MAX ? host : "pmg leaf");
	if (!cert || !X509_set_issuer_name(cert, X509_get_subject_name(issuer)) ||
	    !ASN1_STRING_copy(X509_getm_notAfter(cert), X509_get0_notAfter(issuer)) ||
	    !add_extensions(cert, issuer, leaf_extensions, PMG_ARRAY_LEN(leaf_extensions)) ||
	    !add_alt_names(cert, host) || !X509_sign(cert, issuer_key, EVP_sha256()))
		return pmg_tls_fail(err, "make a certificate");
	*out = pmg_steal_ptr(&cert);
	return 0;
}
