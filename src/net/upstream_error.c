#include "net/upstream.h"

#include <string.h>

#include <curl/curl.h>

/* Numbers of docs/codes/; permanent. */
enum {
	DIAG_CERTIFICATE = 4001,
	DIAG_PARENT = 4002,
	DIAG_NAME = 4003,
	DIAG_CONNECT = 4004,
	DIAG_TIMEOUT = 4005,
	DIAG_BROKEN = 4006,
	DIAG_HANDSHAKE = 4007,
};

#define HINT_PARENT      "look at HTTPS_PROXY and NO_PROXY, or ask who runs the parent proxy"
#define HINT_CERTIFICATE "if a company's proxy signs it, name its root with SSL_CERT_FILE"
#define HINT_AGAIN       "try again; if it stays, the registry or a proxy before it is at fault"

struct row {
	int curlcode;
	int diag;
	enum pmg_code code;
	const char *what;
	const char *hint;
};

static const struct row rows[] = {
	{ CURLE_PEER_FAILED_VERIFICATION, DIAG_CERTIFICATE, PMG_E_TLS, "certificate refused",
	  HINT_CERTIFICATE },
	{ CURLE_SSL_ISSUER_ERROR, DIAG_CERTIFICATE, PMG_E_TLS, "certificate refused",
	  HINT_CERTIFICATE },
	{ CURLE_SSL_CACERT_BADFILE, DIAG_CERTIFICATE, PMG_E_TLS,
	  "certificate cannot be verified without roots", "install the package ca-certificates" },
	{ CURLE_COULDNT_RESOLVE_PROXY, DIAG_PARENT, PMG_E_NETWORK,
	  "the parent proxy's name is not known", HINT_PARENT },
	{ CURLE_PROXY, DIAG_PARENT, PMG_E_NETWORK, "the parent proxy refused", HINT_PARENT },
	{ CURLE_COULDNT_RESOLVE_HOST, DIAG_NAME, PMG_E_NETWORK, "host name not found",
	  "check the address and the network" },
	{ CURLE_COULDNT_CONNECT, DIAG_CONNECT, PMG_E_NETWORK, "no connection",
	  "check that the host is up; behind a company's proxy set HTTPS_PROXY" },
	{ CURLE_OPERATION_TIMEDOUT, DIAG_TIMEOUT, PMG_E_TIMEOUT, "no answer in time", HINT_AGAIN },
	{ CURLE_SSL_CONNECT_ERROR, DIAG_HANDSHAKE, PMG_E_TLS, "TLS handshake failed",
	  "check that the port speaks TLS, 1.2 or newer" },
	{ CURLE_SSL_CIPHER, DIAG_HANDSHAKE, PMG_E_TLS, "TLS handshake failed", HINT_AGAIN },
	{ CURLE_PARTIAL_FILE, DIAG_BROKEN, PMG_E_NETWORK, "the answer was cut short", HINT_AGAIN },
	{ CURLE_GOT_NOTHING, DIAG_BROKEN, PMG_E_NETWORK, "closed without an answer", HINT_AGAIN },
	{ CURLE_RECV_ERROR, DIAG_BROKEN, PMG_E_NETWORK, "the connection broke", HINT_AGAIN },
	{ CURLE_SEND_ERROR, DIAG_BROKEN, PMG_E_NETWORK, "the connection broke", HINT_AGAIN },
	{ CURLE_SEND_FAIL_REWIND, DIAG_BROKEN, PMG_E_NETWORK, "the connection broke", HINT_AGAIN },
	{ CURLE_WEIRD_SERVER_REPLY, DIAG_BROKEN, PMG_E_NETWORK, "the answer is not HTTP",
	  HINT_AGAIN },
	{ CURLE_UNSUPPORTED_PROTOCOL, DIAG_BROKEN, PMG_E_NETWORK, "the answer is not HTTP",
	  HINT_AGAIN },
	{ CURLE_BAD_CONTENT_ENCODING, DIAG_BROKEN, PMG_E_NETWORK, "the answer cannot be decoded",
	  HINT_AGAIN },
	{ CURLE_HTTP2, DIAG_BROKEN, PMG_E_NETWORK, "the connection broke (HTTP/2)", HINT_AGAIN },
	{ CURLE_HTTP2_STREAM, DIAG_BROKEN, PMG_E_NETWORK, "the connection broke (HTTP/2)",
	  HINT_AGAIN },
};

long pmg_upstream_connect_status(CURL *easy)
{
	long status = 0;

	(void)curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
	return status;
}

static long number(CURL *easy, CURLINFO info)
{
	long n = 0;

	(void)curl_easy_getinfo(easy, info, &n);
	return n;
}

/* The parent proxy answered, and with what: 407 is the one a person can mend alone. */
static int parent_refused(long status, const char *parent, const char *target, struct pmg_err *err)
{
	(void)pmg_err_set(err, PMG_E_NETWORK, 0, "%s: the parent proxy %s answered %ld", target,
			  parent, status);
	(void)pmg_err_hint(err, "%s",
			   status == 407 ? "it asks for a user and a password: "
					   "HTTPS_PROXY=http://user:password@host:port"
					 : HINT_PARENT);
	return pmg_err_diag(err, DIAG_PARENT);
}

/* Whose certificate, and what is wrong with it. libcurl begins with 1 and leaves it there where
 * the chain is good and only the host's name does not fit. */
static void explain_certificate(CURL *easy, const char *parent, const char *target,
				const struct row *row, struct pmg_err *err)
{
	long of_parent = number(easy, CURLINFO_PROXY_SSL_VERIFYRESULT);
	const char *why =
		pmg_verify_text(of_parent ? of_parent : number(easy, CURLINFO_SSL_VERIFYRESULT));

	(void)pmg_err_set(err, row->code, 0, "%s%s: %s: %s", of_parent ? "parent proxy " : "",
			  of_parent ? parent : target, row->what,
			  why ? why : "it is not for this host");
}

static void explain(CURL *easy, const char *parent, const char *target, const struct row *row,
		    struct pmg_err *err)
{
	int errnum = row->diag == DIAG_CONNECT ? (int)number(easy, CURLINFO_OS_ERRNO) : 0;

	if (row->curlcode == CURLE_PEER_FAILED_VERIFICATION)
		explain_certificate(easy, parent, target, row, err);
	else if (parent[0] != '\0')
		(void)pmg_err_set(err, row->code, errnum, "%s: %s (through the parent proxy %s)",
				  target, row->what, parent);
	else
		(void)pmg_err_set(err, row->code, errnum, "%s: %s", target, row->what);
	(void)pmg_err_hint(err, "%s", row->hint);
	(void)pmg_err_diag(err, row->diag);
}

int pmg_upstream_error(int curlcode, CURL *easy, const struct pmg_url *url,
		       const struct pmg_route *route, struct pmg_err *err)
{
	pmg_autofree char *target = pmg_url_authority(url);
	const char *parent = pmg_route_name(route, url->scheme, url->host, url->port);
	long status = pmg_upstream_connect_status(easy);
	size_t i;

	if (status >= 300)
		return parent_refused(status, parent, target, err);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		if (rows[i].curlcode != curlcode)
			continue;
		explain(easy, parent, target, &rows[i], err);
		return -(int)err->code;
	}
	return pmg_err_set(err, PMG_E_INTERNAL, 0, "%s: %s", target,
			   curl_easy_strerror((CURLcode)curlcode));
}
