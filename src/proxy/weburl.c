#include "proxy/weburl.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/url.h"
#include "proxy/place.h"

#define BLANKS_END   0x20 /* C0 controls and the blank */
#define HOST_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~[]:"

/* Without what the standard takes away before it reads. */
static char *strip(const char *text, bool *is_odd)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT((size_t)PMG_URL_MAX + 1);
	size_t n = strlen(text), all = n;

	while (n > 0 && (unsigned char)*text <= BLANKS_END)
		text++, n--;
	while (n > 0 && (unsigned char)text[n - 1] <= BLANKS_END)
		n--;
	for (; n > 0; n--, text++)
		if (!strchr("\t\r\n", *text) && pmg_str_add(&out, text, 1) < 0)
			return NULL; /* none is so long */
	*is_odd = out.len != all;
	return pmg_str_steal(&out);
}

static void add_escaped(struct pmg_str *out, const char *text, size_t n, const char *more)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)text[i] <= BLANKS_END || (unsigned char)text[i] >= 0x7f ||
		    strchr(more, text[i]))
			(void)!pmg_str_addf(out, "%%%02X", (unsigned char)text[i]);
		else
			(void)!pmg_str_add(out, text + i, 1);
}

/* How many dots a segment is: "..", ".%2E"; 0: it is another. */
static unsigned dots(const char *segment, size_t n)
{
	unsigned count = 0;

	while (n > 0) {
		size_t one = *segment == '.'                                 ? 1
			     : n >= 3 && strncasecmp(segment, "%2e", 3) == 0 ? 3
									     : 0;

		if (one == 0 || ++count > 2)
			return 0;
		segment += one;
		n -= one;
	}
	return count;
}

/* out has scheme and host. A last segment of dots leaves a slash behind. */
static void add_path(struct pmg_str *out, const char *path, size_t n, bool *is_odd)
{
	size_t base = out->len, len;
	const char *end = path + n;
	unsigned up;

	*is_odd |= memchr(path, '\\', n) != NULL;
	while (path < end) {
		path++; /* the slash */
		for (len = 0; path + len < end && path[len] != '/' && path[len] != '\\'; len++)
			;
		up = dots(path, len);
		*is_odd |= up > 0;
		if (up == 2)
			while (out->len > base && out->s[--out->len] != '/')
				;
		if (up == 0 || path + len == end)
			(void)!pmg_str_adds(out, "/");
		if (up == 0)
			add_escaped(out, path, len, "");
		path += len;
	}
	if (out->len == base)
		(void)!pmg_str_adds(out, "/");
}

/* @return where it ends; NULL: it is none that is read here */
static const char *add_authority(struct pmg_str *out, const char *text, bool *is_odd)
{
	const char *end = text + strcspn(text, "/\\?#"), *at, *host = text;

	for (at = text; at < end; at++)
		if (*at == '@') {
			*is_odd |= host != text;
			host = at + 1;
		}
	if (host == end || (size_t)(end - host) != strspn(host, HOST_LETTERS))
		return NULL;
	(void)!pmg_str_add(out, host, (size_t)(end - host));
	return end;
}

char *pmg_weburl(const char *text, bool *is_odd)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT((size_t)4 * PMG_URL_MAX);
	pmg_autofree char *plain = strip(text, is_odd);
	bool is_secure = plain && pmg_str_has_prefix_nocase(plain, "https:");
	const char *at;
	size_t n;

	if (!plain || (!is_secure && !pmg_str_has_prefix_nocase(plain, "http:")))
		return NULL;
	(void)!pmg_str_adds(&out, is_secure ? "https://" : "http://");
	at = strchr(plain, ':') + 1;
	n = strspn(at, "/\\");
	*is_odd |= n != 2 || strncmp(at, "//", 2) != 0;
	at = add_authority(&out, at + n, is_odd);
	if (!at)
		return NULL;
	n = strcspn(at, "?#");
	add_path(&out, at, n, is_odd);
	at += n;
	n = *at == '?' ? strcspn(at, "#") : 0;
	if (n > 1) {
		(void)!pmg_str_adds(&out, "?");
		add_escaped(&out, at + 1, n - 1, "\"'<>");
	}
	return pmg_str_steal(&out);
}

bool pmg_weburl_is_plain(const char *text)
{
	bool is_odd;
	pmg_autofree char *address = pmg_weburl(text, &is_odd);
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;

	if (!address || is_odd || pmg_url_parse(address, &url, &scratch) < 0)
		return false;
	path = pmg_path_plain(url.path);
	return path != NULL;
}
