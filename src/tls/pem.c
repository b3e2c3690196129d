#include "tls/pem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#include "tls/openssl_priv.h"

#define DASHES  "-----"
#define BEGIN   "-----BEGIN "
#define END     "-----END "
#define DER_SEQ 0x30

/* A piece of somebody else's text. */
struct span {
	const char *at;
	size_t len;
};

static const struct {
	const char *label;
	bool trusted;
} labels[] = {
	{ "CERTIFICATE", false },
	{ "X509 CERTIFICATE", false },
	{ "TRUSTED CERTIFICATE", true },
};

static const char *find(const char *from, const char *end, const char *what)
{
	return memmem(from, (size_t)(end - from), what, strlen(what));
}

/* The block that begins at or after *text; *text is moved behind it, or to the end. A block
 * without its END reaches to the next BEGIN, so that one cut block does not swallow the rest. */
static bool next_block(const char **text, const char *end, struct span *label, struct span *body)
{
	const char *begin = find(*text, end, BEGIN), *close, *stop, *next;

	*text = end;
	if (!begin)
		return false;
	label->at = begin + strlen(BEGIN);
	close = find(label->at, end, DASHES);
	if (!close)
		return false;
	label->len = (size_t)(close - label->at);
	body->at = close + strlen(DASHES);
	stop = find(body->at, end, END);
	next = find(body->at, stop ? stop : end, BEGIN);
	if (next || !stop) {
		body->len = 0; /* cut */
		*text = next ? next : end;
		return true;
	}
	body->len = (size_t)(stop - body->at);
	*text = stop + strlen(END);
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Base64 without its line ends into bytes. */
static bool decode(struct span body, struct pmg_der *out)
{
	pmg_autofree char *plain = NULL;
	pmg_autofree unsigned char *bytes = NULL;
	size_t n = 0, i, pad = 0;
	int len;

	if (body.len == 0 || body.len > PMG_PEM_CERT_MAX * 2)
		return false;
	plain = pmg_xmalloc(body.len + 1);
	for (i = 0; i < body.len; i++)
		if (!is_blank(body.at[i]))
			plain[n++] = body.at[i];
	while (pad < n && plain[n - 1 - pad] == '=')
		pad++;
	if (n == 0 || n % 4 != 0 || pad > 2)
		return false;
	bytes = pmg_xmalloc(n / 4 * 3);
	len = EVP_DecodeBlock(bytes, (const unsigned char *)plain, (int)n);
	if (len < 0 || (size_t)len <= pad || (size_t)len > PMG_PEM_CERT_MAX)
		return false;
	out->len = (size_t)len - pad; /* OpenSSL counts what stands for the padding */
	out->bytes = pmg_steal_ptr(&bytes);
	return true;
}

/* Bytes of the outer SEQUENCE, 0 when there is none or it goes past the end (X.690, 8.1.3). */
static size_t frame(const struct pmg_der *der)
{
	size_t len, octets, i;

	if (der->len < 2 || der->bytes[0] != DER_SEQ)
		return 0;
	if (der->bytes[1] < 0x80)
		len = 2U + der->bytes[1];
	else {
		octets = der->bytes[1] & 0x7fU;
		if (octets == 0 || octets > 3 || der->len < 2 + octets)
			return 0;
		for (len = 0, i = 0; i < octets; i++)
			len = len << 8 | der->bytes[2 + i];
		len += 2 + octets;
	}
	return len <= der->len ? len : 0;
}

static bool names_server(const STACK_OF(ASN1_OBJECT) * uses)
{
	int i, nid;

	for (i = 0; i < sk_ASN1_OBJECT_num(uses); i++) {
		nid = OBJ_obj2nid(sk_ASN1_OBJECT_value(uses, i));
		if (nid == NID_server_auth || nid == NID_anyExtendedKeyUsage)
			return true;
	}
	return false;
}

/* Some distributions list distrusted authorities in this form: dropping the list would trust
 * them. */
static bool serves(const struct pmg_der *der)
{
	const unsigned char *p = der->bytes;
	pmg_auto(x509) X509 *cert = NULL;
	STACK_OF(ASN1_OBJECT) * trust, *reject;

	ERR_clear_error();
	cert = d2i_X509_AUX(NULL, &p, (long)der->len);
	ERR_clear_error();
	if (!cert)
		return false;
	trust = X509_get0_trust_objects(cert);
	reject = X509_get0_reject_objects(cert);
	return !(reject && names_server(reject)) && (!trust || names_server(trust));
}

static int find_label(struct span label)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(labels); i++)
		if (label.len == strlen(labels[i].label) &&
		    memcmp(label.at, labels[i].label, label.len) == 0)
			return (int)i;
	return -1;
}

enum pmg_pem pmg_pem_next(const char **text, const char *end, struct pmg_der *out)
{
	struct span label = { 0 }, body = { 0 };
	struct pmg_der der = { 0 };
	size_t len;
	int row;

	do {
		if (!next_block(text, end, &label, &body))
			return PMG_PEM_END;
		row = find_label(label);
	} while (row < 0);
	if (!decode(body, &der))
		return PMG_PEM_BAD;
	len = frame(&der);
	if (len == 0 || (labels[row].trusted && !serves(&der))) {
		free(der.bytes);
		return len == 0 ? PMG_PEM_BAD : PMG_PEM_REFUSED;
	}
	der.len = len;
	*out = der;
	return PMG_PEM_CERT;
}
