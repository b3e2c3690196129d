#include "proxy/jsonscan.h"

#include <string.h>

enum {
	BETWEEN, /* outside of strings */
	IN_STRING,
	AFTER_BACKSLASH,
	IN_UNICODE
};

void pmg_jsonscan_init(struct pmg_jsonscan *scan, pmg_jsonscan_fn fn, void *ctx)
{
	memset(scan, 0, offsetof(struct pmg_jsonscan, text));
	scan->fn = fn;
	scan->ctx = ctx;
}

static bool is_reported(const struct pmg_jsonscan *scan)
{
	return scan->depth <= PMG_JSONSCAN_DEPTH_MAX;
}

static void report(struct pmg_jsonscan *scan, enum pmg_jsonscan_event event)
{
	bool has_text = event >= PMG_JSONSCAN_KEY;
	struct pmg_jsonscan_item item = { .event = event,
					  .text = has_text ? scan->text : "",
					  .len = has_text ? scan->len : 0,
					  .cut = has_text && scan->cut,
					  .depth = (unsigned)scan->depth };

	scan->text[scan->len] = '\0';
	scan->fn(scan->ctx, &item);
}

static void open_container(struct pmg_jsonscan *scan, bool is_object)
{
	if (is_reported(scan))
		report(scan, is_object ? PMG_JSONSCAN_OBJECT : PMG_JSONSCAN_ARRAY);
	scan->depth++;
	if (is_reported(scan))
		scan->is_object[scan->depth] = is_object;
	scan->expects_key = is_object;
}

static void close_container(struct pmg_jsonscan *scan, bool is_object)
{
	scan->expects_key = false;
	if (scan->depth == 0)
		return;
	scan->depth--;
	if (is_reported(scan))
		report(scan, is_object ? PMG_JSONSCAN_OBJECT_END : PMG_JSONSCAN_ARRAY_END);
}

static void open_string(struct pmg_jsonscan *scan)
{
	scan->state = IN_STRING;
	scan->len = 0;
	scan->cut = false;
	scan->leading = 0;
}

static void structure(struct pmg_jsonscan *scan, char c)
{
	switch (c) {
	case '"':
		open_string(scan);
		break;
	case '{':
	case '[':
		open_container(scan, c == '{');
		break;
	case '}':
	case ']':
		close_container(scan, c == '}');
		break;
	case ',':
		scan->expects_key = is_reported(scan) && scan->is_object[scan->depth];
		break;
	case ':':
		scan->expects_key = false;
		break;
	default:
		break;
	}
}

static void add(struct pmg_jsonscan *scan, const char *bytes, size_t n)
{
	size_t room = PMG_JSONSCAN_TEXT_MAX - scan->len;

	if (n > room) {
		scan->cut = true;
		n = room;
	}
	memcpy(scan->text + scan->len, bytes, n);
	scan->len += n;
}

static void add_codepoint(struct pmg_jsonscan *scan, uint32_t cp)
{
	char utf8[4];
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4, i;
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (i = n; i > 1; i--, cp >>= 6)
		utf8[i - 1] = (char)(0x80 | (cp & 0x3f));
	utf8[0] = (char)(lead[n] | cp);
	add(scan, utf8, n);
}

/* A lone half of a surrogate pair becomes U+FFFD: nothing that we look for holds one. */
static void flush_leading(struct pmg_jsonscan *scan)
{
	if (scan->leading)
		add_codepoint(scan, 0xfffd);
	scan->leading = 0;
}

static void end_unicode(struct pmg_jsonscan *scan)
{
	uint32_t unit = scan->unit;

	scan->state = IN_STRING;
	if (unit >= 0xdc00 && unit <= 0xdfff && scan->leading) {
		add_codepoint(scan, 0x10000 + ((scan->leading - 0xd800) << 10) + (unit - 0xdc00));
		scan->leading = 0;
		return;
	}
	flush_leading(scan);
	if (unit >= 0xd800 && unit <= 0xdbff)
		scan->leading = unit;
	else
		add_codepoint(scan, unit >= 0xdc00 && unit <= 0xdfff ? 0xfffd : unit);
}

static void unicode_digit(struct pmg_jsonscan *scan, char c)
{
	uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
			 : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
			 : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
						: 0;

	scan->unit = scan->unit << 4 | digit;
	if (++scan->digits == 4)
		end_unicode(scan);
}

static void escape(struct pmg_jsonscan *scan, char c)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *at;

	if (c == 'u') {
		scan->state = IN_UNICODE;
		scan->unit = 0;
		scan->digits = 0;
		return;
	}
	flush_leading(scan);
	scan->state = IN_STRING;
	at = c ? strchr(from, c) : NULL;
	add(scan, at ? &to[at - from] : &c, 1);
}

static void close_string(struct pmg_jsonscan *scan)
{
	flush_leading(scan);
	scan->state = BETWEEN;
	if (is_reported(scan))
		report(scan, scan->expects_key ? PMG_JSONSCAN_KEY : PMG_JSONSCAN_STRING);
}

/* The part of a string that needs no thought: all up to a quote or backslash. */
static size_t run(struct pmg_jsonscan *scan, const char *bytes, size_t len)
{
	size_t n = 0;

	while (n < len && bytes[n] != '"' && bytes[n] != '\\')
		n++;
	if (n > 0 && is_reported(scan)) {
		flush_leading(scan);
		add(scan, bytes, n);
	}
	return n;
}

void pmg_jsonscan_feed(struct pmg_jsonscan *scan, const char *bytes, size_t len)
{
	size_t i = 0;

	while (i < len) {
		if (scan->state == IN_STRING) {
			i += run(scan, bytes + i, len - i);
			if (i == len)
				return;
			if (bytes[i] == '"')
				close_string(scan);
			else
				scan->state = AFTER_BACKSLASH;
		} else if (scan->state == AFTER_BACKSLASH) {
			escape(scan, bytes[i]);
		} else if (scan->state == IN_UNICODE) {
			unicode_digit(scan, bytes[i]);
		} else {
			structure(scan, bytes[i]);
		}
		i++;
	}
}
