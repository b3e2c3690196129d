#include "base/str.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NEAREST_MAX 64 /* longer words have no neighbours */

void pmg_str_done(struct pmg_str *str)
{
	free(str->s);
	str->s = NULL;
	str->len = 0;
	str->cap = 0;
}

int pmg_str_reserve(struct pmg_str *str, size_t room)
{
	size_t need, cap;

	if (room > str->max || str->len > str->max - room)
		return -PMG_E_LIMIT;
	need = str->len + room + 1;
	if (str->s && need <= str->cap)
		return 0;
	cap = str->cap ? str->cap : 64;
	while (cap < need)
		cap *= 2;
	if (cap > str->max + 1)
		cap = str->max + 1;
	str->s = pmg_xrealloc(str->s, cap, 1);
	str->cap = cap;
	str->s[str->len] = '\0';
	return 0;
}

int pmg_str_add(struct pmg_str *str, const void *bytes, size_t len)
{
	int r = pmg_str_reserve(str, len);

	if (r < 0)
		return r;
	if (len > 0)
		memcpy(str->s + str->len, bytes, len);
	str->len += len;
	str->s[str->len] = '\0';
	return 0;
}

int pmg_str_adds(struct pmg_str *str, const char *s)
{
	return pmg_str_add(str, s, strlen(s));
}

int pmg_str_addf(struct pmg_str *str, const char *fmt, ...)
{
	pmg_autofree char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = pmg_xvasprintf(fmt, ap);
	va_end(ap);
	return pmg_str_add(str, text, strlen(text));
}

void pmg_str_consume(struct pmg_str *str, size_t n)
{
	if (n == 0)
		return;
	memmove(str->s, str->s + n, str->len - n);
	str->len -= n;
	str->s[str->len] = '\0';
}

void pmg_str_clear(struct pmg_str *str)
{
	str->len = 0;
	if (str->s)
		str->s[0] = '\0';
}

char *pmg_str_steal(struct pmg_str *str)
{
	char *s = str->s ? str->s : pmg_xstrdup("");

	str->s = NULL;
	str->len = 0;
	str->cap = 0;
	return s;
}

bool pmg_streq(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool pmg_str_has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool pmg_str_has_prefix_nocase(const char *s, const char *prefix)
{
	return strncasecmp(s, prefix, strlen(prefix)) == 0;
}

bool pmg_str_has_suffix(const char *s, const char *suffix)
{
	size_t ls = strlen(s), lx = strlen(suffix);

	return ls >= lx && memcmp(s + ls - lx, suffix, lx) == 0;
}

int pmg_parse_uint(const char *s, uint64_t max, uint64_t *out)
{
	uint64_t n = 0;

	if (*s == '\0')
		return -PMG_E_PARSE;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return -PMG_E_PARSE;
		if (__builtin_mul_overflow(n, 10U, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n) || n > max)
			return -PMG_E_LIMIT;
	}
	*out = n;
	return 0;
}

/* Levenshtein distance of two words no longer than NEAREST_MAX. */
static size_t distance(const char *a, size_t la, const char *b, size_t lb)
{
	size_t row[NEAREST_MAX + 1], diag, up, i, j;

	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		diag = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			up = row[j];
			row[j] = diag + (a[i - 1] == b[j - 1] ? 0 : 1);
			if (up + 1 < row[j])
				row[j] = up + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diag = up;
		}
	}
	return row[lb];
}

const char *pmg_str_nearest(const char *typed, const char *const *words)
{
	size_t lt = strlen(typed), best = lt / 3 + 1, d;
	const char *near = NULL;

	if (lt == 0 || lt > NEAREST_MAX)
		return NULL;
	for (; *words; words++) {
		if (strlen(*words) > NEAREST_MAX)
			continue;
		d = distance(typed, lt, *words, strlen(*words));
		/* Of several, one that begins so: "vit" is "vite" rather than "git". */
		if (d < best ||
		    (d == best && (!near || (near[0] != typed[0] && (*words)[0] == typed[0])))) {
			best = d;
			near = *words;
		}
	}
	return near;
}

size_t pmg_utf8_len(const char *text, size_t left, uint32_t *cp)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = { { 0x80, 0x00, 0 },
		      { 0xe0, 0xc0, 0x80 },
		      { 0xf0, 0xe0, 0x800 },
		      { 0xf8, 0xf0, 0x10000 } };
	const unsigned char *s = (const unsigned char *)text;
	size_t n, i;

	if (left == 0)
		return 0;
	for (n = 0; n < PMG_ARRAY_LEN(forms); n++)
		if ((s[0] & forms[n].mask) == forms[n].lead)
			break;
	if (n == PMG_ARRAY_LEN(forms) || n + 1 > left)
		return 0;
	*cp = s[0] & (unsigned char)~forms[n].mask;
	for (i = 1; i <= n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*cp = (*cp << 6) | (s[i] & 0x3fU);
	}
	if (*cp < forms[n].least || *cp > 0x10ffff || (*cp >= 0xd800 && *cp <= 0xdfff))
		return 0;
	return n + 1;
}

static bool is_harmless(uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return false;
	return !(cp >= 0x202a && cp <= 0x202e) && !(cp >= 0x2066 && cp <= 0x2069);
}

char *pmg_str_quote(const char *s, size_t len, size_t max)
{
	struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);
	size_t end = len < max ? len : max, i = 0, n, k;
	const unsigned char *u = (const unsigned char *)s;
	uint32_t cp = 0;

	while (i < end) {
		n = pmg_utf8_len(s + i, end - i, &cp);
		if (n > 0 && is_harmless(cp)) {
			(void)!pmg_str_add(&out, s + i, n); /* cannot reach the limit */
		} else {
			n = n ? n : 1;
			for (k = 0; k < n; k++)
				(void)!pmg_str_addf(&out, "\\x%02x", u[i + k]);
		}
		i += n;
	}
	if (end < len)
		(void)!pmg_str_adds(&out, "...");
	return pmg_str_steal(&out);
}

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *pmg_base64(const void *bytes, size_t len)
{
	const unsigned char *b = bytes;
	char *out = pmg_xmalloc((len + 2) / 3 * 4 + 1), *p = out;
	size_t i;
	uint32_t v;

	for (i = 0; i < len; i += 3) {
		v = (uint32_t)b[i] << 16;
		if (i + 1 < len)
			v |= (uint32_t)b[i + 1] << 8;
		if (i + 2 < len)
			v |= b[i + 2];
		*p++ = base64_digits[v >> 18];
		*p++ = base64_digits[(v >> 12) & 63];
		*p++ = i + 1 < len ? base64_digits[(v >> 6) & 63] : '=';
		*p++ = i + 2 < len ? base64_digits[v & 63] : '=';
	}
	*p = '\0';
	return out;
}

bool pmg_base64_read(const char *text, size_t len, unsigned char *out, size_t n)
{
	size_t i, at = 0, letters = (n * 8 + 5) / 6;
	unsigned int bits = 0, held = 0;
	const char *digit;

	if (len != (n + 2) / 3 * 4)
		return false;
	for (i = 0; i < letters; i++) {
		digit = text[i] ? strchr(base64_digits, text[i]) : NULL;
		if (!digit)
			return false;
		bits = (bits << 6 | (unsigned int)(digit - base64_digits)) & 0xffffU;
		held += 6;
		if (held < 8)
			continue;
		held -= 8;
		out[at++] = (unsigned char)(bits >> held);
	}
	for (; i < len; i++)
		if (text[i] != '=')
			return false;
	return (bits & ((1U << held) - 1U)) == 0;
}

char *pmg_hex(const void *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *b = bytes;
	char *out = pmg_xmalloc(len * 2 + 1);
	size_t i;

	for (i = 0; i < len; i++) {
		out[2 * i] = digits[b[i] >> 4];
		out[2 * i + 1] = digits[b[i] & 15];
	}
	out[2 * len] = '\0';
	return out;
}

bool pmg_equal_secret(const void *a, const void *b, size_t len)
{
	const volatile unsigned char *x = a, *y = b;
	unsigned char diff = 0;
	size_t i;

	for (i = 0; i < len; i++)
		diff = (unsigned char)(diff | (x[i] ^ y[i]));
	return diff == 0;
}

char *pmg_str_shell(const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "@%+=:,./_-";
	pmg_auto(str) struct pmg_str word = PMG_STR_INIT(SIZE_MAX / 2);
	int r = 0;

	if (*s && *s != '=' && !s[strspn(s, plain)])
		return pmg_xstrdup(s);
	r = pmg_str_adds(&word, "'");
	for (; r == 0 && *s; s++)
		r = *s == '\'' ? pmg_str_adds(&word, "'\\''") : pmg_str_add(&word, s, 1);
	if (r == 0)
		r = pmg_str_adds(&word, "'");
	assert(r == 0);
	return pmg_str_steal(&word);
}
