#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "proxy/jsonstrict.h"

static size_t put_utf8(uint32_t cp, char *out)
{
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4, i;

	for (i = n; i > 1; i--, cp >>= 6)
		out[i - 1] = (char)(0x80 | (cp & 0x3f));
	out[0] = (char)(leads[n] | cp);
	return n;
}

static int hex_value(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* The four digits at s, which are there. */
static uint32_t unit(const char *s)
{
	uint32_t n = 0;
	int i;

	for (i = 0; i < 4; i++)
		n = n << 4 | (uint32_t)hex_value(s[i]);
	return n;
}

/* \uXXXX at *s, or two of them for one character. @return 0: it stands for none that we take */
static uint32_t code_point(const char **s, const char *end)
{
	uint32_t high = unit(*s + 2), low;

	*s += 6;
	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || end - *s < 6 || (*s)[0] != '\\' || (*s)[1] != 'u')
		return 0;
	low = unit(*s + 2);
	*s += 6;
	return low < 0xdc00 || low > 0xdfff ? 0
					    : 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

int pmg_jsonstrict_decode(const char *text, size_t len, char *out)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *s = text, *end = text + len, *named;
	char *o = out;
	uint32_t cp;

	while (s < end) {
		if (*s != '\\') {
			*o++ = *s++;
		} else if (s[1] == 'u') {
			cp = code_point(&s, end);
			if (cp == 0)
				return -PMG_E_PARSE;
			o += put_utf8(cp, o);
		} else {
			named = strchr(from, s[1]);
			*o++ = named ? to[named - from] : s[1];
			s += 2;
		}
	}
	*o = '\0';
	return (int)(o - out);
}

bool pmg_jsonstrict_is(const struct pmg_jsonstrict_item *item, const char *text)
{
	return !item->is_cut && strlen(text) == item->len &&
	       memcmp(item->text, text, item->len) == 0;
}

int pmg_jsonstrict_key(const struct pmg_jsonstrict_item *item, const char *const *names)
{
	char text[PMG_JSONSTRICT_TEXT_MAX + 1];
	int i;

	if (item->has_escape &&
	    (item->is_cut || pmg_jsonstrict_decode(item->text, item->len, text) < 0))
		return -1;
	for (i = 0; names[i]; i++)
		if (item->has_escape ? pmg_streq(text, names[i])
				     : pmg_jsonstrict_is(item, names[i]))
			return item->has_escape ? -PMG_E_PARSE : i;
	return -1;
}

int pmg_jsonstrict_date(const struct pmg_jsonstrict_item *item, int64_t *out)
{
	char text[64];

	if (item->event != PMG_JSONSTRICT_STRING || item->has_escape || item->len >= sizeof text)
		return -PMG_E_PARSE;
	memcpy(text, item->text, item->len);
	text[item->len] = '\0';
	return pmg_clock_parse(text, out);
}
