#include "policy/host.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/url.h"

struct pmg_host {
	char *name;       /* canonical; of "*.x": "x" */
	bool is_registry; /* the word */
	bool below;       /* every name below it */
	uint16_t port;    /* 0: any */
};

void pmg_host_free(struct pmg_host *host)
{
	if (!host)
		return;
	free(host->name);
	free(host);
}

static int bad(struct pmg_err *err, const char *pattern, const char *what)
{
	pmg_autofree char *shown = pmg_str_quote(pattern, strlen(pattern), 200);

	return pmg_err_set(err, PMG_E_CONFIG, 0, "host \"%s\": %s", shown, what);
}

/* IPv6 as the kernel writes it; an IPv4 address mapped into it is IPv4, as it is on the wire. */
static bool canonical_v6(const char *text, char *out, size_t size)
{
	struct in6_addr v6;

	if (inet_pton(AF_INET6, text, &v6) != 1)
		return false;
	if (IN6_IS_ADDR_V4MAPPED(&v6))
		return inet_ntop(AF_INET, &v6.s6_addr[12], out, (socklen_t)size) != NULL;
	return inet_ntop(AF_INET6, &v6, out, (socklen_t)size) != NULL;
}

/* Does a resolver take a name that ends so for an address? */
static bool looks_numeric(const char *label)
{
	if (label[0] == '0' && (label[1] == 'x' || label[1] == 'X'))
		return true;
	return label[strspn(label, "0123456789")] == '\0';
}

static bool is_v4(const char *name)
{
	struct in_addr v4;

	return inet_pton(AF_INET, name, &v4) == 1;
}

/* Labels of letters, digits, "-" and "_"; an address only where written in full. */
static bool is_name(const char *name)
{
	const char *label = name;
	size_t n;

	if (strlen(name) > 253)
		return false;
	for (;; label += n + 1) {
		n = strspn(label, "abcdefghijklmnopqrstuvwxyz0123456789-_");
		if (n == 0 || n > 63 || (label[n] != '.' && label[n] != '\0'))
			return false;
		if (label[n] == '\0')
			break;
	}
	return !looks_numeric(label) || is_v4(name);
}

static int set_port(struct pmg_host *host, const char *pattern, const char *text, bool bind,
		    struct pmg_err *err)
{
	uint64_t port = 0;

	if (pmg_parse_uint(text, UINT16_MAX, &port) < 0 || (port == 0 && !bind))
		return bad(err, pattern,
			   bind ? "the port is not a number from 0 to 65535"
				: "the port is not a number from 1 to 65535");
	host->port = (uint16_t)port;
	return 0;
}

/* Cut into host and port. @param[out] port  "" where none is written */
static int cut(const char *pattern, char **name, const char **port, struct pmg_err *err)
{
	const char *end, *colon = strchr(pattern, ':');
	size_t i;

	*port = "";
	if (strstr(pattern, "://"))
		return bad(err, pattern,
			   "a host and perhaps a port, as example.test:443, not the "
			   "address of a page");
	if (pattern[0] == '[') {
		end = strchr(pattern, ']');
		if (!end || (end[1] != '\0' && end[1] != ':'))
			return bad(err, pattern, "brackets are for [IPv6]:port");
		*name = pmg_xstrndup(pattern + 1, (size_t)(end - pattern) - 1);
		colon = end[1] == ':' ? end + 1 : NULL;
	} else if (colon && !strchr(colon + 1, ':')) {
		*name = pmg_xstrndup(pattern, (size_t)(colon - pattern));
	} else {
		*name = pmg_xstrdup(pattern);
		colon = NULL;
	}
	if (colon && colon[1] == '\0')
		return bad(err, pattern, "no port behind the \":\"");
	*port = colon ? colon + 1 : "";
	for (i = 0; (*name)[i]; i++)
		if ((*name)[i] >= 'A' && (*name)[i] <= 'Z')
			(*name)[i] = (char)((*name)[i] + ('a' - 'A'));
	return 0;
}

static int set_name(struct pmg_host *host, const char *pattern, char *name, bool bind,
		    struct pmg_err *err)
{
	char address[INET6_ADDRSTRLEN];
	size_t len;

	if (strchr(name, ':') || pattern[0] == '[') {
		if (!canonical_v6(name, address, sizeof address))
			return bad(err, pattern, "not an IPv6 address");
		host->name = pmg_xstrdup(address);
		return 0;
	}
	host->below = name[0] == '*' && name[1] == '.';
	name += host->below ? 2 : 0;
	if (strchr(name, '*'))
		return bad(err, pattern, "a \"*\" stands only in front, as \"*.\"");
	len = strlen(name);
	if (len > 1 && name[len - 1] == '.')
		name[len - 1] = '\0';
	if (!is_name(name) || (host->below && is_v4(name)))
		return bad(err, pattern, "not a host name or an address in full");
	if (bind && (host->below || !(is_v4(name) || pmg_streq(name, "localhost"))))
		return bad(err, pattern, "an address to listen on, or localhost, is needed");
	host->name = pmg_xstrdup(name);
	return 0;
}

int pmg_host_new(const char *pattern, bool bind, struct pmg_host **out, struct pmg_err *err)
{
	pmg_auto(host) struct pmg_host *host = pmg_xcalloc(1, sizeof *host);
	pmg_autofree char *name = NULL;
	const char *port = "";
	int r = cut(pattern, &name, &port, err);

	if (r == 0 && *port)
		r = set_port(host, pattern, port, bind, err);
	if (r < 0)
		return r;
	host->is_registry = !bind && pmg_streq(name, "registry");
	if (host->is_registry && *port)
		return bad(err, pattern, "the word takes no port: registries have their own");
	r = set_name(host, pattern, name, bind, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&host);
	return 0;
}

bool pmg_host_is_local(const struct pmg_host *host)
{
	return !host->below && pmg_host_is_loopback(host->name);
}

bool pmg_host_is_exact(const struct pmg_host *host)
{
	return !host->below;
}

const char *pmg_host_name(const struct pmg_host *host)
{
	return host->name;
}

uint16_t pmg_host_port(const struct pmg_host *host)
{
	return host->port;
}

void pmg_host_ask(struct pmg_host_asked *out, const char *host, uint16_t port)
{
	size_t len = strlen(host);

	out->port = port;
	out->name[0] = '\0';
	out->is_registry = pmg_streq(host, "registry");
	if (strchr(host, ':')) {
		if (!canonical_v6(host, out->name, sizeof out->name))
			out->name[0] = '\0';
	} else if (len < sizeof out->name) {
		if (len > 1 && host[len - 1] == '.')
			len--;
		memcpy(out->name, host, len);
		out->name[len] = '\0';
	}
	out->is_localhost = pmg_streq(out->name, "localhost");
}

static bool is_loopback_one(const char *name)
{
	return pmg_streq(name, "127.0.0.1") || pmg_streq(name, "::1");
}

bool pmg_host_match(const struct pmg_host *host, const struct pmg_host_asked *asked, bool deny)
{
	size_t n, m;

	if (host->is_registry || asked->is_registry)
		return host->is_registry && asked->is_registry;
	if (host->port && host->port != asked->port)
		return false;
	if (host->below) {
		n = strlen(asked->name);
		m = strlen(host->name);
		return n > m + 1 && asked->name[n - m - 1] == '.' &&
		       pmg_streq(asked->name + n - m, host->name);
	}
	if (pmg_streq(host->name, asked->name))
		return true;
	if (deny && asked->is_localhost)
		return is_loopback_one(host->name);
	return pmg_streq(host->name, "localhost") && is_loopback_one(asked->name);
}
