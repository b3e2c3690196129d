#include "base/url.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"

static const struct {
	const char *scheme;
	uint16_t port;
} schemes[] = { { "http", 80 }, { "https", 443 } };

void pmg_url_done(struct pmg_url *url)
{
	free(url->scheme);
	free(url->userinfo);
	free(url->host);
	free(url->path);
	free(url->query);
	*url = (struct pmg_url){ 0 };
}

static int bad(struct pmg_err *err, const char *text, const char *why)
{
	const char *at = strrchr(text, '@'); /* what stands before may be a password */
	pmg_autofree char *shown =
		pmg_str_quote(at ? at + 1 : text, strlen(at ? at + 1 : text), 200);

	return pmg_err_set(err, PMG_E_PARSE, 0, "address \"%s\": %s", shown, why);
}

static bool is_plain(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s <= 0x20 || *s == 0x7f || *s == '\\')
			return false;
	return true;
}

static bool is_host(const char *s)
{
	struct in6_addr v6;

	if (strchr(s, ':'))
		return inet_pton(AF_INET6, s, &v6) == 1;
	if (*s == '\0' || strlen(s) > 253)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("-._", *s))
			return false;
	return true;
}

static char *lower(const char *s, size_t n)
{
	char *out = pmg_xstrndup(s, n), *p;

	for (p = out; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return out;
}

int pmg_hostport_parse(const char *text, uint16_t default_port, char **host, uint16_t *port,
		       struct pmg_err *err)
{
	pmg_autofree char *name = NULL;
	const char *end, *start = text;
	uint64_t n = default_port;

	if (*text == '[') {
		start = text + 1;
		end = strchr(start, ']');
		if (!end)
			return bad(err, text, "no ] after the IPv6 address");
		name = lower(start, (size_t)(end - start));
		end++;
		if (!strchr(name, ':'))
			return bad(err, text, "brackets are for IPv6");
	} else {
		end = start + strcspn(start, ":");
		name = lower(start, (size_t)(end - start));
	}
	if (*end == ':' && end[1] != '\0' && (pmg_parse_uint(end + 1, 65535, &n) < 0 || n == 0))
		return bad(err, text, "port is not a number from 1 to 65535");
	if (*end != '\0' && *end != ':')
		return bad(err, text, "something after the host");
	if (!is_host(name))
		return bad(err, text, "not a host name");
	*host = pmg_steal_ptr(&name);
	*port = (uint16_t)n;
	return 0;
}

static int read_scheme(const char *text, struct pmg_url *url, const char **rest,
		       struct pmg_err *err)
{
	const char *sep = strstr(text, "://");
	size_t i;

	for (i = 0; sep && i < PMG_ARRAY_LEN(schemes); i++) {
		if ((size_t)(sep - text) != strlen(schemes[i].scheme) ||
		    !pmg_str_has_prefix_nocase(text, schemes[i].scheme))
			continue;
		url->scheme = pmg_xstrdup(schemes[i].scheme);
		url->port = schemes[i].port;
		*rest = sep + 3;
		return 0;
	}
	return bad(err, text, "neither http:// nor https://");
}

/* Dot segments go (RFC 3986, 5.2.4), a trailing slash and doubled slashes stay as they are. */
static char *remove_dots(const char *path, size_t n)
{
	char *out = pmg_xmalloc(n + 2);
	size_t len = 0, seg;
	const char *end = path + n;

	while (path < end) {
		seg = 1;
		while (path + seg < end && path[seg] != '/')
			seg++;
		if (seg == 2 && path[1] == '.') {
			if (path + seg == end)
				out[len++] = '/';
		} else if (seg == 3 && path[1] == '.' && path[2] == '.') {
			while (len > 0 && out[--len] != '/')
				;
			if (path + seg == end)
				out[len++] = '/';
		} else {
			memcpy(out + len, path, seg);
			len += seg;
		}
		path += seg;
	}
	if (len == 0)
		out[len++] = '/';
	out[len] = '\0';
	return out;
}

int pmg_url_parse(const char *text, struct pmg_url *out, struct pmg_err *err)
{
	pmg_auto(url) struct pmg_url url = { 0 };
	pmg_autofree char *authority = NULL;
	const char *rest = NULL, *at, *tail;
	size_t n;
	int r;

	if (strlen(text) > PMG_URL_MAX)
		return bad(err, text, "too long");
	if (!is_plain(text))
		return bad(err, text, "a blank, backslash or control byte");
	r = read_scheme(text, &url, &rest, err);
	if (r < 0)
		return r;
	authority = pmg_xstrndup(rest, strcspn(rest, "/?#"));
	tail = rest + strlen(authority);
	at = strrchr(authority, '@');
	if (at)
		url.userinfo = pmg_xstrndup(authority, (size_t)(at - authority));
	r = pmg_hostport_parse(at ? at + 1 : authority, url.port, &url.host, &url.port, err);
	if (r < 0)
		return r;
	n = strcspn(tail, "?#");
	url.path = n > 0 ? remove_dots(tail, n) : pmg_xstrdup("/");
	tail += n;
	if (*tail == '?')
		url.query = pmg_xstrndup(tail + 1, strcspn(tail + 1, "#"));
	*out = url;
	url = (struct pmg_url){ 0 };
	return 0;
}

char *pmg_url_authority(const struct pmg_url *url)
{
	const char *l = strchr(url->host, ':') ? "[" : "", *r = *l ? "]" : "";

	return pmg_xasprintf("%s%s%s:%u", l, url->host, r, url->port);
}

char *pmg_url_text(const struct pmg_url *url)
{
	const char *l = strchr(url->host, ':') ? "[" : "", *r = *l ? "]" : "";
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(schemes); i++)
		if (pmg_streq(schemes[i].scheme, url->scheme) && schemes[i].port == url->port)
			return pmg_xasprintf("%s://%s%s%s%s", url->scheme, l, url->host, r,
					     url->path);
	return pmg_xasprintf("%s://%s%s%s:%u%s", url->scheme, l, url->host, r, url->port,
			     url->path);
}

static int hex_value(char c)
{
	const char *digits = "0123456789abcdef", *at;

	at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
	return at ? (int)(at - digits) : -1;
}

char *pmg_url_decode(const char *s)
{
	pmg_autofree char *out = pmg_xmalloc(strlen(s) + 1);
	size_t len = 0;
	int hi, lo;

	for (; *s; s++) {
		if (*s != '%') {
			out[len++] = *s;
			continue;
		}
		hi = hex_value(s[1]);
		lo = hi < 0 ? -1 : hex_value(s[2]);
		if (lo < 0 || hi * 16 + lo == 0)
			return NULL;
		out[len++] = (char)(hi * 16 + lo);
		s += 2;
	}
	out[len] = '\0';
	return pmg_steal_ptr(&out);
}

bool pmg_host_is_loopback(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (inet_pton(AF_INET, host, &v4) == 1)
		return (ntohl(v4.s_addr) >> 24) == 127;
	if (inet_pton(AF_INET6, host, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6) ||
		       (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
	return pmg_streq(host, "localhost") || pmg_str_has_suffix(host, ".localhost");
}
