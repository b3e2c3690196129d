#include "net/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/url.h"
#include "net/no_proxy.h"

static const struct {
	const char *scheme;
	uint16_t port;
} schemes[] = {
	{ "http", 80 },
	{ "https", 443 },
	{ "socks5", 1080 },
	{ "socks5h", 1080 },
};

struct parent {
	char *address; /* for libcurl; "" for none */
	char *name;    /* for people; "" for none */
};

struct pmg_route {
	struct parent https;
	struct parent http;
	struct pmg_no_proxy *except;
};

static void parent_done(struct parent *parent)
{
	free(parent->address);
	free(parent->name);
}

void pmg_route_free(struct pmg_route *route)
{
	if (!route)
		return;
	parent_done(&route->https);
	parent_done(&route->http);
	pmg_no_proxy_free(route->except);
	free(route);
}

/* The row of schemes, 0 (http) when none is written; *rest is what follows. -1: not known. */
static int read_scheme(const char *text, const char **rest)
{
	const char *sep = strstr(text, "://");
	size_t i;

	*rest = sep ? sep + 3 : text;
	for (i = 0; sep && i < PMG_ARRAY_LEN(schemes); i++)
		if (strlen(schemes[i].scheme) == (size_t)(sep - text) &&
		    pmg_str_has_prefix_nocase(text, schemes[i].scheme))
			return (int)i;
	return sep ? -1 : 0;
}

static bool is_plain(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s <= 0x20 || *s == 0x7f || *s == '\\')
			return false;
	return true;
}

static char *trim(const char *text)
{
	const char *blanks = " \t\r\n", *end;

	text += strspn(text, blanks);
	end = text + strlen(text);
	while (end > text && strchr(blanks, end[-1]))
		end--;
	return pmg_xstrndup(text, (size_t)(end - text));
}

/* Nothing of the text is shown: what cannot be read may be a password in any of its places. */
static int refuse(struct pmg_err *err, const char *what, const char *why)
{
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s: %s", what, why);
	return pmg_err_hint(err, "write it as http://host:port, with user:password@ before the "
				 "host if it asks for one");
}

static int read_parent(const char *what, const char *text, struct parent *out, struct pmg_err *err)
{
	pmg_autofree char *trimmed = trim(text ? text : "");
	pmg_autofree char *authority = NULL, *host = NULL;
	const char *rest = NULL, *at;
	uint16_t port = 0;
	int row = read_scheme(trimmed, &rest);

	if (trimmed[0] == '\0') {
		*out = (struct parent){ pmg_xstrdup(""), pmg_xstrdup("") };
		return 0;
	}
	if (row < 0)
		return refuse(err, what, "not http, https, socks5 or socks5h");
	if (strlen(trimmed) > PMG_URL_MAX || !is_plain(trimmed))
		return refuse(err, what, "too long, or a blank or control byte in it");
	authority = pmg_xstrndup(rest, strcspn(rest, "/?#"));
	at = strchr(authority, '@');
	if (at && strchr(at + 1, '@')) /* two readers could see two hosts */
		return refuse(err, what, "two @ in it; in a password it is written %40");
	if (pmg_hostport_parse(at ? at + 1 : authority, schemes[row].port, &host, &port, err) < 0)
		return refuse(err, what, "no host and port can be read from it");
	out->name = pmg_xasprintf(strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
	out->address = pmg_xasprintf("%s://%.*s%s", schemes[row].scheme,
				     at ? (int)(at + 1 - authority) : 0, authority, out->name);
	return 0;
}

int pmg_route_new(const char *https_proxy, const char *http_proxy, const char *no_proxy,
		  struct pmg_route **out, struct pmg_err *err)
{
	pmg_auto(route) struct pmg_route *route = pmg_xcalloc(1, sizeof *route);
	int r;

	r = read_parent("parent proxy for https", https_proxy, &route->https, err);
	if (r < 0)
		return r;
	r = read_parent("parent proxy for http", http_proxy, &route->http, err);
	if (r < 0)
		return r;
	r = pmg_no_proxy_new(no_proxy, &route->except, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&route);
	return 0;
}

/* NULL: straight to the target. */
static const struct parent *find(const struct pmg_route *route, const char *scheme,
				 const char *host, uint16_t port)
{
	if (pmg_no_proxy_match(route->except, host, port))
		return NULL;
	return strcmp(scheme, "http") == 0 ? &route->http : &route->https;
}

const char *pmg_route_find(const struct pmg_route *route, const char *scheme, const char *host,
			   uint16_t port)
{
	const struct parent *parent = find(route, scheme, host, port);

	return parent ? parent->address : "";
}

const char *pmg_route_name(const struct pmg_route *route, const char *scheme, const char *host,
			   uint16_t port)
{
	const struct parent *parent = find(route, scheme, host, port);

	return parent ? parent->name : "";
}
