#include "verdict/oci.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/url.h"

#define SCHEME        "oci://"
#define REFERENCE_MAX 128U
#define TOKEN_MAX     16384U
#define DIGEST        "sha256:"

void pmg_oci_done(struct pmg_oci *oci)
{
	free(oci->base);
	free(oci->reference);
	*oci = (struct pmg_oci){ 0 };
}

static bool is_made_of(const char *s, const char *others)
{
	const char *c;

	for (c = s; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(others, *c))
			return false;
	return *s != '\0';
}

/* "/repo/name:tag", "/repo/name@sha256:..." */
static bool split(const char *path, char **repository, char **reference)
{
	const char *name = strrchr(path, '/') + 1, *at = strchr(name, '@');
	const char *mark = at ? at : strchr(name, ':');

	*repository = pmg_xstrndup(path + 1, mark ? (size_t)(mark - path - 1) : strlen(path + 1));
	*reference = pmg_xstrdup(mark ? mark + 1 : "latest");
	return is_made_of(*repository, "._-/") && is_made_of(*reference, "._-:") &&
	       strlen(*reference) <= REFERENCE_MAX && !strstr(*repository, "//");
}

int pmg_oci_parse(const char *text, struct pmg_oci *out, struct pmg_err *err)
{
	pmg_auto(url) struct pmg_url url = { 0 };
	pmg_autofree char *as_https = NULL;
	pmg_autofree char *repository = NULL;
	pmg_autofree char *reference = NULL;
	pmg_autofree char *authority = NULL;
	struct pmg_err why = PMG_ERR_INIT;

	if (pmg_str_has_prefix(text, SCHEME))
		as_https = pmg_xasprintf("https://%s", text + strlen(SCHEME));
	if (!as_https || pmg_url_parse(as_https, &url, &why) < 0 || url.userinfo || url.query ||
	    !split(url.path, &repository, &reference)) {
		(void)pmg_err_set(err, PMG_E_PARSE, 0, "not the address of an image");
		return pmg_err_hint(err, "like oci://registry.test/team/intel:v1");
	}
	authority = pmg_url_authority(&url);
	out->base =
		pmg_xasprintf("%s://%s/v2/%s/", pmg_host_is_loopback(url.host) ? "http" : "https",
			      authority, repository);
	out->reference = pmg_steal_ptr(&reference);
	return 0;
}

/* The value of `name="value"`, of a list of such by commas. Caller frees; NULL: not there. */
static char *parameter(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *s = list, *end;

	while (s && *s) {
		s += strspn(s, " ,");
		end = strchr(s, '=');
		if (!end || end[1] != '"')
			return NULL;
		if ((size_t)(end - s) == len && strncmp(s, name, len) == 0) {
			s = end + 2;
			end = strchr(s, '"');
			return end ? pmg_xstrndup(s, (size_t)(end - s)) : NULL;
		}
		end = strchr(end + 2, '"');
		s = end ? end + 1 : NULL;
	}
	return NULL;
}

/* As a value of a query. */
static char *escaped(const char *s)
{
	struct pmg_str out = PMG_STR_INIT(3 * PMG_URL_MAX);

	for (; s && *s; s++) {
		if (isalnum((unsigned char)*s) || strchr("-_.:/,", *s))
			(void)!pmg_str_add(&out, s, 1);
		else
			(void)!pmg_str_addf(&out, "%%%02X", (unsigned)(unsigned char)*s);
	}
	return pmg_str_steal(&out);
}

int pmg_oci_token_url(const char *challenge, const char *base, char **out, struct pmg_err *err)
{
	static const char bearer[] = "Bearer ";
	const char *list = challenge && pmg_str_has_prefix_nocase(challenge, bearer)
				   ? challenge + strlen(bearer)
				   : NULL;
	pmg_autofree char *realm = list ? parameter(list, "realm") : NULL;
	pmg_autofree char *service = list ? parameter(list, "service") : NULL;
	pmg_autofree char *scope = list ? parameter(list, "scope") : NULL;
	pmg_autofree char *to_service = escaped(service);
	pmg_autofree char *to_scope = escaped(scope);
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err why = PMG_ERR_INIT;

	if (!realm || pmg_url_parse(realm, &url, &why) < 0 || url.userinfo || url.query)
		return pmg_err_set(err, PMG_E_PARSE, 0,
				   "the image is not open to everybody, and it is not said where a "
				   "token is to be had");
	if (pmg_str_has_prefix(base, "https:") && strcmp(url.scheme, "https") != 0)
		return pmg_err_set(err, PMG_E_PARSE, 0,
				   "a token from %s://%s for an image at https", url.scheme,
				   url.host);
	*out = pmg_xasprintf("%s?service=%s&scope=%s", realm, to_service, to_scope);
	return 0;
}

int pmg_oci_token(const char *text, size_t len, char **out, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *json = NULL;
	const char *token;
	int r = pmg_json_parse("token", text, len, &json, err);

	if (r < 0)
		return r;
	token = pmg_json_str(json, "token");
	token = token ? token : pmg_json_str(json, "access_token");
	if (!token || strlen(token) > TOKEN_MAX || !is_made_of(token, "-._~+/="))
		return pmg_err_set(err, PMG_E_PARSE, 0, "token: none in the answer");
	*out = pmg_xasprintf("Bearer %s", token);
	return 0;
}

int pmg_oci_blob(const char *text, size_t len, struct pmg_oci_blob *out, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *json = NULL;
	const struct json_t *layer;
	const char *digest;
	int64_t size;
	int r = pmg_json_parse("manifest", text, len, &json, err);

	if (r < 0)
		return r;
	layer = pmg_json_at(pmg_json_get(json, "layers"), 0);
	digest = pmg_json_str(layer, "digest");
	size = pmg_json_int(layer, "size");
	if (!digest || !pmg_str_has_prefix(digest, DIGEST) ||
	    strlen(digest) != strlen(DIGEST) + PMG_SHA256_HEX - 1 ||
	    strspn(digest + strlen(DIGEST), "0123456789abcdef") != PMG_SHA256_HEX - 1 || size <= 0)
		return pmg_err_set(err, PMG_E_PARSE, 0,
				   "manifest: no layer with a SHA-256 and a size in it");
	memcpy(out->sha256, digest + strlen(DIGEST), PMG_SHA256_HEX);
	out->size = (uint64_t)size;
	return 0;
}
