#include "tls/ca.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/str.h"
#include "tls/cert_priv.h"

struct host {
	char *name;
	SSL_CTX *context;
};

struct pmg_ca {
	EVP_PKEY *key;
	EVP_PKEY *leaf_key; /* one for all hosts: making a key costs more than a handshake */
	X509 *cert;
	char *pem;
	struct host hosts[PMG_CA_HOSTS_MAX];
	size_t n;
	size_t oldest; /* goes first once all places are taken */
};

/* ALPN, wire format: the only protocol that pmg speaks. */
static const unsigned char alpn_http11[] = "\x08http/1.1";

static void host_done(struct host *host)
{
	free(host->name);
	SSL_CTX_free(host->context);
	*host = (struct host){ 0 };
}

void pmg_ca_free(struct pmg_ca *ca)
{
	size_t i;

	if (!ca)
		return;
	for (i = 0; i < ca->n; i++)
		host_done(&ca->hosts[i]);
	X509_free(ca->cert);
	EVP_PKEY_free(ca->leaf_key);
	EVP_PKEY_free(ca->key);
	free(ca->pem);
	free(ca);
}

static int write_pem(struct pmg_ca *ca, struct pmg_err *err)
{
	pmg_auto(bio) BIO *bio = BIO_new(BIO_s_mem());
	char *text = NULL;
	long len;

	if (!bio || !PEM_write_bio_X509(bio, ca->cert))
		return pmg_tls_fail(err, "write the certificate of the run");
	len = BIO_get_mem_data(bio, &text);
	ca->pem = pmg_xstrndup(text, (size_t)len);
	return 0;
}

int pmg_ca_new(struct pmg_ca **out, struct pmg_err *err)
{
	pmg_auto(ca) struct pmg_ca *ca = pmg_xcalloc(1, sizeof *ca);
	int r;

	r = pmg_cert_key(&ca->key, err);
	if (r < 0)
		return r;
	r = pmg_cert_key(&ca->leaf_key, err);
	if (r < 0)
		return r;
	r = pmg_cert_authority(ca->key, &ca->cert, err);
	if (r < 0)
		return r;
	r = write_pem(ca, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&ca);
	return 0;
}

const char *pmg_ca_pem(const struct pmg_ca *ca)
{
	return ca->pem;
}

/* Who offers only others goes on without ALPN: then HTTP/1.1 is what is meant. */
static int select_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
		       const unsigned char *in, unsigned int in_len, void *data)
{
	size_t i;

	(void)ssl;
	(void)data;
	for (i = 0; i < in_len && in[i] < in_len - i; i += 1U + in[i]) {
		if (in[i] != alpn_http11[0] || memcmp(in + i, alpn_http11, 1U + in[i]) != 0)
			continue;
		*out = in + i + 1;
		*out_len = in[i];
		return SSL_TLSEXT_ERR_OK;
	}
	return SSL_TLSEXT_ERR_NOACK;
}

static SSL_CTX *make_context(struct pmg_ca *ca, const char *name, struct pmg_err *err)
{
	pmg_auto(ssl_ctx) SSL_CTX *context = NULL;
	pmg_auto(x509) X509 *leaf = NULL;

	if (pmg_cert_leaf(ca->cert, ca->key, ca->leaf_key, name, &leaf, err) < 0)
		return NULL;
	context = SSL_CTX_new(TLS_server_method());
	if (!context || !SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) ||
	    SSL_CTX_use_certificate(context, leaf) != 1 ||
	    SSL_CTX_use_PrivateKey(context, ca->leaf_key) != 1) {
		(void)pmg_tls_fail(err, "make a TLS context");
		return NULL;
	}
	(void)SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
						   SSL_OP_CIPHER_SERVER_PREFERENCE);
	/* Buffers of idle connections are given back: a manager keeps many open. */
	(void)SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
						SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
						SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
	/* Tickets carry sessions in the client; nothing is kept here. */
	(void)SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_alpn_select_cb(context, select_alpn, NULL);
	return pmg_steal_ptr(&context);
}

static SSL_CTX *find(const struct pmg_ca *ca, const char *name)
{
	size_t i;

	for (i = 0; i < ca->n; i++)
		if (strcmp(ca->hosts[i].name, name) == 0)
			return ca->hosts[i].context;
	return NULL;
}

static struct host *place(struct pmg_ca *ca)
{
	struct host *host;

	if (ca->n < PMG_CA_HOSTS_MAX)
		return &ca->hosts[ca->n++];
	host = &ca->hosts[ca->oldest];
	ca->oldest = (ca->oldest + 1) % PMG_CA_HOSTS_MAX;
	host_done(host);
	return host;
}

struct ssl_ctx_st *pmg_ca_context(struct pmg_ca *ca, const char *host, struct pmg_err *err)
{
	pmg_autofree char *name = pmg_cert_host(host);
	struct host *entry;
	SSL_CTX *context;

	if (!name) {
		pmg_autofree char *shown = pmg_str_quote(host, strlen(host), 100);

		(void)pmg_err_set(err, PMG_E_TLS, 0, "no certificate can be made for host \"%s\"",
				  shown);
		return NULL;
	}
	context = find(ca, name);
	if (context)
		return context;
	context = make_context(ca, name, err);
	if (!context)
		return NULL;
	entry = place(ca);
	entry->name = pmg_steal_ptr(&name);
	entry->context = context;
	return context;
}
