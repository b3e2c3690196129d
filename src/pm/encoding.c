#include "pm/encoding.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

/* pip's order: UTF-32's mark in little-endian begins with that of UTF-16. */
static const struct form {
	const char *mark;
	size_t len, width;
	bool is_big;
} forms[] = {
	{ "\x00\x00\xfe\xff", 4, 4, true },
	{ "\xff\xfe\x00\x00", 4, 4, false },
	{ "\xfe\xff", 2, 2, true },
	{ "\xff\xfe", 2, 2, false },
};

static uint32_t unit_at(const char *p, const struct form *form)
{
	uint32_t unit = 0;
	size_t i;

	for (i = 0; i < form->width; i++) {
		size_t at = form->is_big ? i : form->width - 1 - i;

		unit = unit << 8 | (unsigned char)p[at];
	}
	return unit;
}

static size_t put(char *out, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static bool is_half(uint32_t unit, uint32_t from)
{
	return unit >= from && unit < from + 0x400;
}

/* Two bytes of UTF-16 become three at most. */
static char *convert(const char *text, size_t len, const struct form *form, size_t *out_len)
{
	char *out = pmg_xmalloc(len / form->width * 4 + 4);
	const char *p = text + form->len, *end = text + len;
	size_t n = 0;

	for (; (size_t)(end - p) >= form->width; p += form->width) {
		uint32_t c = unit_at(p, form);

		if (form->width == 2 && is_half(c, 0xd800) && end - p >= 4 &&
		    is_half(unit_at(p + 2, form), 0xdc00)) {
			c = 0x10000 + ((c - 0xd800) << 10) + (unit_at(p + 2, form) - 0xdc00);
			p += 2;
		}
		n += put(out + n, c);
	}
	out[n] = '\0';
	*out_len = n;
	return out;
}

char *pmg_encoding_plain(const char *text, size_t len, size_t *out_len)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(forms); i++)
		if (len >= forms[i].len && memcmp(text, forms[i].mark, forms[i].len) == 0)
			return convert(text, len, &forms[i], out_len);
	return NULL;
}

/* Behind "coding:" or "coding=": [-\w.]+ */
static char *declared(const char *line, size_t len)
{
	static const char word[] = "coding";
	const char *end = line + len, *p = line;

	while ((p = memmem(p, (size_t)(end - p), word, sizeof word - 1))) {
		const char *name;

		p += sizeof word - 1;
		if (p == end || (*p != ':' && *p != '='))
			continue;
		for (name = ++p; name < end && (*name == ' ' || *name == '\t'); name++)
			;
		for (p = name; p < end && (isalnum((unsigned char)*p) || strchr("-_.", *p)); p++)
			;
		if (p > name)
			return pmg_xstrndup(name, (size_t)(p - name));
	}
	return NULL;
}

/* Of these every byte of ASCII is that character, and no other byte is. */
static bool is_plain(const char *name)
{
	static const char *const plain[] = { "utf8",      "utf8sig", "ascii",
					     "usascii",   "latin1",  "iso88591",
					     "iso885915", "cp1252",  "windows1252" };
	char bare[16];
	size_t i, n = 0;

	for (i = 0; name[i] && n < sizeof bare - 1; i++)
		if (isalnum((unsigned char)name[i]))
			bare[n++] = (char)tolower((unsigned char)name[i]);
	bare[n] = '\0';
	for (i = 0; i < PMG_ARRAY_LEN(plain); i++)
		if (strcmp(bare, plain[i]) == 0)
			return true;
	return false;
}

char *pmg_encoding_odd(const char *text, size_t len)
{
	const char *end = text + len, *stop;
	unsigned line;

	for (line = 0; line < 2 && text < end; line++, text = stop < end ? stop + 1 : end) {
		pmg_autofree char *name = NULL;

		stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		name = *text == '#' ? declared(text, (size_t)(stop - text)) : NULL;
		if (name)
			return is_plain(name) ? NULL : pmg_steal_ptr(&name);
	}
	return NULL;
}
