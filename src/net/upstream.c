#include "net/upstream.h"

#include <string.h>

#include <curl/curl.h>

/* The same for every target. A row that libcurl refuses ends the run: none is optional. */
static const struct {
	CURLoption option;
	long value;
} numbers[] = {
	{ CURLOPT_NOSIGNAL, 1 },
	{ CURLOPT_NOPROGRESS, 1 },
	{ CURLOPT_TCP_NODELAY, 1 },
	{ CURLOPT_TCP_KEEPALIVE, 1 },
	{ CURLOPT_FOLLOWLOCATION, 0 }, /* what a redirect leads to is judged as a request */
	{ CURLOPT_NETRC, CURL_NETRC_IGNORED },
	{ CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1 },
	{ CURLOPT_HTTP09_ALLOWED, 0 },
	{ CURLOPT_PATH_AS_IS, 1 }, /* what was judged is what is fetched */
	{ CURLOPT_SUPPRESS_CONNECT_HEADERS, 1 },
	{ CURLOPT_PROXYAUTH, (long)CURLAUTH_BASIC },
	{ CURLOPT_SSL_VERIFYPEER, 1 },
	{ CURLOPT_SSL_VERIFYHOST, 2 },
	{ CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 },
	{ CURLOPT_PROXY_SSL_VERIFYPEER, 1 },
	{ CURLOPT_PROXY_SSL_VERIFYHOST, 2 },
	{ CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2 },
	{ CURLOPT_CONNECTTIMEOUT_MS, PMG_UPSTREAM_CONNECT_MS },
	{ CURLOPT_LOW_SPEED_LIMIT, 1 },
	{ CURLOPT_LOW_SPEED_TIME, PMG_UPSTREAM_STALL_S },
#if LIBCURL_VERSION_NUM < 0x075500
	{ CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS },
#endif
};

/* NULL takes away what libcurl was built with: roots come from our bundle alone. */
static const struct {
	CURLoption option;
	const char *value;
} texts[] = {
	{ CURLOPT_NOPROXY, "" }, /* not NULL: that would ask the environment */
	{ CURLOPT_CAINFO, NULL },
	{ CURLOPT_CAPATH, NULL },
	{ CURLOPT_PROXY_CAINFO, NULL },
	{ CURLOPT_PROXY_CAPATH, NULL },
#if LIBCURL_VERSION_NUM >= 0x075500
	{ CURLOPT_PROTOCOLS_STR, "http,https" },
#endif
};

/* libcurl calls it for each new TLS connection, to the target and to a parent proxy. */
static CURLcode use_bundle(CURL *easy, void *context, void *bundle)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)easy;
	return pmg_bundle_use(bundle, context, &err) < 0 ? CURLE_SSL_CACERT_BADFILE : CURLE_OK;
}

static CURLcode set_constants(CURL *easy)
{
	CURLcode code = CURLE_OK;
	size_t i;

	for (i = 0; code == CURLE_OK && i < PMG_ARRAY_LEN(numbers); i++)
		code = curl_easy_setopt(easy, numbers[i].option, numbers[i].value);
	for (i = 0; code == CURLE_OK && i < PMG_ARRAY_LEN(texts); i++)
		code = curl_easy_setopt(easy, texts[i].option, texts[i].value);
	return code;
}

static int prepare(CURL *easy, const char *address, const char *proxy, struct pmg_bundle *bundle,
		   struct pmg_err *err)
{
	CURLcode code = set_constants(easy);

	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_URL, address);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_PROXY, proxy);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, use_bundle);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, bundle);
	if (code != CURLE_OK)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libcurl refused an option: %s",
				   curl_easy_strerror(code));
	return 0;
}

int pmg_upstream_prepare(CURL *easy, const struct pmg_url *url, const struct pmg_route *route,
			 struct pmg_bundle *bundle, struct pmg_err *err)
{
	pmg_autofree char *authority = pmg_url_authority(url);
	pmg_autofree char *address =
		pmg_xasprintf("%s://%s%s%s%s", url->scheme, authority, url->path,
			      url->query ? "?" : "", url->query ? url->query : "");

	return prepare(easy, address, pmg_route_find(route, url->scheme, url->host, url->port),
		       bundle, err);
}

int pmg_upstream_prepare_tunnel(CURL *easy, const struct pmg_url *target,
				const struct pmg_route *route, struct pmg_bundle *bundle,
				struct pmg_err *err)
{
	pmg_autofree char *authority = pmg_url_authority(target);
	/* http: the TLS inside is the child's own, libcurl must not begin one. */
	pmg_autofree char *address = pmg_xasprintf("http://%s/", authority);
	CURLcode code;
	int r;

	r = prepare(easy, address,
		    pmg_route_find(route, target->scheme, target->host, target->port), bundle, err);
	if (r < 0)
		return r;
	code = curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
	if (code != CURLE_OK)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libcurl refused an option: %s",
				   curl_easy_strerror(code));
	return 0;
}
