#include "net/no_proxy.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define SEPARATORS ", \t\r\n"
#define V4_BITS    96U /* before the IPv4 address in ::ffff:a.b.c.d */

/* An address of either kind; IPv4 as ::ffff:a.b.c.d, which is what it is mapped to. */
struct address {
	unsigned char bytes[16];
};

struct rule {
	char *name; /* the host and all below it; NULL: an address rule; "": everything */
	struct address address;
	unsigned int bits; /* of address, that must be equal */
	uint16_t port;     /* 0: any */
};

struct pmg_no_proxy {
	struct rule *rules;
	size_t n;
	size_t cap;
};

void pmg_no_proxy_free(struct pmg_no_proxy *list)
{
	size_t i;

	if (!list)
		return;
	for (i = 0; i < list->n; i++)
		free(list->rules[i].name);
	free(list->rules);
	free(list);
}

static bool read_address(const char *text, struct address *out, unsigned int *bits)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (inet_pton(AF_INET, text, out->bytes + 12) == 1) {
		memcpy(out->bytes, mapped, sizeof mapped);
		*bits = 32;
		return true;
	}
	*bits = 128;
	return inet_pton(AF_INET6, text, out->bytes) == 1;
}

/* "address" or "address/bits"; bits are of the address as it is written. */
static bool read_network(const char *text, struct rule *rule)
{
	size_t len = strcspn(text, "/");
	pmg_autofree char *address = pmg_xstrndup(text, len);
	unsigned int size = 0;
	uint64_t bits;

	if (!read_address(address, &rule->address, &size))
		return false;
	bits = size;
	if (text[len] == '/' && pmg_parse_uint(text + len + 1, size, &bits) < 0)
		return false;
	rule->bits = 128 - size + (unsigned int)bits;
	return true;
}

/* "127.0.0.*" and "10.*": whole octets, then only stars. */
static bool read_octets(const char *text, struct rule *rule)
{
	const char *star = strstr(text, ".*"), *p;
	pmg_autofree char *padded = NULL;
	unsigned int octets = 1, size = 0;

	if (!star || star - text > INET_ADDRSTRLEN || strspn(star, ".*") != strlen(star))
		return false;
	for (p = text; p < star; p++)
		octets += *p == '.';
	if (octets > 3)
		return false;
	padded = pmg_xasprintf("%.*s%s", (int)(star - text), text,
			       &".0.0.0"[2 * (size_t)(octets - 1)]);
	if (!read_address(padded, &rule->address, &size) || size != 32)
		return false;
	rule->bits = V4_BITS + 8 * octets;
	return true;
}

/* Takes ":port" off an item. An IPv6 address without brackets has no port. */
static bool split_port(char **item, uint16_t *port)
{
	char *colon = strrchr(*item, ':'), *close;
	uint64_t n = 0;

	if (**item == '[') {
		close = strchr(*item, ']');
		if (!close)
			return false;
		*close = '\0';
		(*item)++;
		if (close[1] == '\0')
			return true;
		if (close[1] == '/') { /* [2001:db8::]/32 */
			memmove(close, close + 1, strlen(close + 1) + 1);
			return true;
		}
		if (close[1] != ':')
			return false;
		colon = close + 1;
	} else if (!colon || strchr(*item, ':') != colon) {
		return true;
	}
	*colon = '\0';
	if (pmg_parse_uint(colon + 1, 65535, &n) < 0 || n == 0)
		return false;
	*port = (uint16_t)n;
	return true;
}

/* Lower case, without what stands for "and all below it" and without a dot at the end. */
static char *read_name(const char *item)
{
	char *name, *p;

	if (item[0] == '*')
		item++;
	if (item[0] == '.')
		item++;
	name = pmg_xstrdup(item);
	for (p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	if (p > name && p[-1] == '.')
		p[-1] = '\0';
	return name;
}

static bool read_rule(char *item, struct rule *rule)
{
	if (!split_port(&item, &rule->port))
		return false;
	if (strcmp(item, "*") == 0) {
		rule->name = pmg_xstrdup("");
		return true;
	}
	if (read_network(item, rule) || read_octets(item, rule))
		return true;
	rule->name = read_name(item);
	if (rule->name[0] != '\0' && !strpbrk(rule->name, "*/:"))
		return true;
	free(pmg_steal_ptr(&rule->name));
	return false;
}

int pmg_no_proxy_new(const char *text, struct pmg_no_proxy **out, struct pmg_err *err)
{
	pmg_auto(no_proxy) struct pmg_no_proxy *list = NULL;
	size_t len;

	if (text && strlen(text) > PMG_NO_PROXY_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "NO_PROXY: longer than %u bytes",
				   PMG_NO_PROXY_MAX);
	list = pmg_xcalloc(1, sizeof *list);
	for (; text && *text; text += len) {
		pmg_autofree char *item = NULL;
		struct rule rule = { 0 };

		text += strspn(text, SEPARATORS);
		len = strcspn(text, SEPARATORS);
		item = pmg_xstrndup(text, len);
		if (!read_rule(item, &rule))
			continue;
		list->rules = pmg_grow(list->rules, list->n, &list->cap, sizeof rule);
		list->rules[list->n++] = rule;
	}
	*out = pmg_steal_ptr(&list);
	return 0;
}

static bool same_bits(const struct address *a, const struct address *b, unsigned int bits)
{
	unsigned int whole = bits / 8, rest = bits % 8;
	unsigned char mask = (unsigned char)(0xff00U >> rest);

	return memcmp(a->bytes, b->bytes, whole) == 0 &&
	       (rest == 0 || ((a->bytes[whole] ^ b->bytes[whole]) & mask) == 0);
}

static bool is_or_is_below(const char *host, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len >= n && memcmp(host + len - n, name, n) == 0 &&
	       (len == n || host[len - n - 1] == '.');
}

bool pmg_no_proxy_match(const struct pmg_no_proxy *list, const char *host, uint16_t port)
{
	pmg_autofree char *lower = pmg_xstrdup(host);
	struct address address = { 0 };
	unsigned int bits = 0;
	bool is_address = read_address(host, &address, &bits), met;
	size_t len = strlen(lower), i;

	for (i = 0; i < len; i++)
		lower[i] = (char)tolower((unsigned char)lower[i]);
	if (len > 0 && lower[len - 1] == '.')
		len--;
	for (i = 0; i < list->n; i++) {
		const struct rule *rule = &list->rules[i];

		if (!rule->name)
			met = is_address && same_bits(&address, &rule->address, rule->bits);
		else
			met = rule->name[0] == '\0' ||
			      (!is_address && is_or_is_below(lower, len, rule->name));
		if (met && (rule->port == 0 || rule->port == port))
			return true;
	}
	return false;
}
