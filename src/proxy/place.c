#include "proxy/place.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "base/str.h"

static char *address_text(int family, const void *address)
{
	char text[INET6_ADDRSTRLEN];

	return pmg_xstrdup(inet_ntop(family, address, text, sizeof text));
}

char *pmg_host_canonical(const char *host)
{
	pmg_autofree char *name = pmg_xstrdup(host);
	size_t len = strlen(name), i;
	struct in6_addr v6;
	struct in_addr v4;

	if (len > 1 && name[len - 1] == '.')
		name[--len] = '\0';
	if (inet_pton(AF_INET6, name, &v6) == 1)
		return IN6_IS_ADDR_V4MAPPED(&v6) ? address_text(AF_INET, v6.s6_addr + 12)
						 : address_text(AF_INET6, &v6);
	/* inet_aton() reads every form that getaddrinfo() takes for IPv4 without asking DNS. */
	if (isdigit((unsigned char)name[0]) && inet_aton(name, &v4) == 1)
		return address_text(AF_INET, &v4);
	for (i = 0; i < len; i++)
		name[i] = (char)tolower((unsigned char)name[i]);
	return pmg_steal_ptr(&name);
}

bool pmg_port_is_same(uint16_t a, uint16_t b)
{
	return a == b || ((a == 80 || a == 443) && (b == 80 || b == 443));
}

static bool has_escape(const char *s)
{
	for (; (s = strchr(s, '%')); s++)
		if (isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2]))
			return true;
	return false;
}

static bool is_dot_segment(const char *s, size_t n)
{
	return (n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.');
}

char *pmg_path_plain(const char *path)
{
	pmg_autofree char *plain = pmg_url_decode(path);
	const char *from, *p;
	size_t n;
	char *to;

	if (!plain || plain[0] != '/' || has_escape(plain) || strchr(plain, '\\'))
		return NULL;
	for (p = plain; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return NULL;
	to = plain;
	for (from = plain; *from; from += n) {
		from++;
		n = strcspn(from, "/");
		if (is_dot_segment(from, n))
			return NULL;
		if (n == 0 && from[n])
			continue; /* "//": servers differ, most see one */
		*to++ = '/';
		memmove(to, from, n);
		to += n;
	}
	*to = '\0';
	return pmg_steal_ptr(&plain);
}

/* The reference without blanks around it, nothing in it that pmg_url_parse() would refuse. */
static char *tidy(const char *s)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT((size_t)3 * PMG_URL_MAX);
	size_t n;

	s += strspn(s, " \t\r\n\f");
	n = strlen(s);
	while (n > 0 && strchr(" \t\r\n\f", s[n - 1]))
		n--;
	n = n < PMG_URL_MAX ? n : PMG_URL_MAX; /* the caller has refused longer ones */
	for (; n > 0; n--, s++) {
		if (*s == '\t' || *s == '\r' || *s == '\n')
			continue;
		if ((unsigned char)*s <= 0x20 || (unsigned char)*s >= 0x7f)
			(void)!pmg_str_addf(&out, "%%%02X", (unsigned char)*s);
		else
			(void)!pmg_str_add(&out, s, 1);
	}
	return pmg_str_steal(&out);
}

static bool has_scheme(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");

	return n > 0 && isalpha((unsigned char)s[0]) && s[n] == ':';
}

int pmg_reference_resolve(const struct pmg_url *base, const char *reference, struct pmg_url *out,
			  struct pmg_err *err)
{
	pmg_autofree char *ref = NULL;
	pmg_autofree char *text = NULL;
	pmg_autofree char *authority = pmg_url_authority(base);
	int folder = (int)(strrchr(base->path, '/') - base->path) + 1;

	if (strlen(reference) > PMG_URL_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "reference of %zu bytes",
				   strlen(reference));
	ref = tidy(reference);
	if (has_scheme(ref))
		text = pmg_xstrdup(ref);
	else if (pmg_str_has_prefix(ref, "//"))
		text = pmg_xasprintf("%s:%s", base->scheme, ref);
	else if (ref[0] == '/')
		text = pmg_xasprintf("%s://%s%s", base->scheme, authority, ref);
	else if (ref[0] == '?' || ref[0] == '#' || ref[0] == '\0')
		text = pmg_xasprintf("%s://%s%s%s", base->scheme, authority, base->path, ref);
	else
		text = pmg_xasprintf("%s://%s%.*s%s", base->scheme, authority, folder, base->path,
				     ref);
	return pmg_url_parse(text, out, err);
}
