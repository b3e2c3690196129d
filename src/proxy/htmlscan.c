#include "proxy/htmlscan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum state {
	TEXT,
	TAG_OPEN,    /* after "<" */
	TAG_NAME,    /* also of an end tag */
	BEFORE_ATTR, /* blanks within a tag */
	ATTR_NAME,
	AFTER_ATTR,   /* blanks after the name of an attribute */
	BEFORE_VALUE, /* after "=" */
	QUOTED,       /* value in quotes */
	UNQUOTED,     /* value without */
	MARKUP,       /* after "<!" */
	COMMENT,      /* up to "-->" */
	DECLARATION,  /* "<!doctype ...>", "<?...>" */
	RAW           /* text of script or style, up to "</name" */
};

void pmg_htmlscan_init(struct pmg_htmlscan *scan, pmg_htmlscan_fn fn, void *ctx)
{
	memset(scan, 0, offsetof(struct pmg_htmlscan, value));
	scan->fn = fn;
	scan->ctx = ctx;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static void add_name(char *name, size_t *len, char c)
{
	if (*len < PMG_HTMLSCAN_NAME_MAX) {
		name[*len] = (char)tolower((unsigned char)c);
		name[*len + 1] = '\0';
	}
	(*len)++;
}

static void add_value(struct pmg_htmlscan *scan, char c)
{
	if (scan->len < PMG_HTMLSCAN_VALUE_MAX)
		scan->value[scan->len] = c;
	scan->len++;
}

/* "&#38;", "&#x26;" and the five names. @return bytes taken at s, 0 when it is none */
static size_t reference(const char *s, char *out)
{
	static const struct {
		const char *name;
		char c;
	} names[] = { { "&amp;", '&' },
		      { "&lt;", '<' },
		      { "&gt;", '>' },
		      { "&quot;", '"' },
		      { "&apos;", '\'' } };
	char *end = NULL;
	unsigned long n;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		if (pmg_str_has_prefix(s, names[i].name)) {
			*out = names[i].c;
			return strlen(names[i].name);
		}
	if (s[1] != '#')
		return 0;
	if (tolower((unsigned char)s[2]) == 'x' && isxdigit((unsigned char)s[3]))
		n = strtoul(s + 3, &end, 16);
	else if (isdigit((unsigned char)s[2]))
		n = strtoul(s + 2, &end, 10);
	else
		return 0;
	if (*end != ';' || n == 0 || n > 0x7e) /* addresses are ASCII */
		return 0;
	*out = (char)n;
	return (size_t)(end - s) + 1;
}

static void resolve_references(char *s)
{
	char *to = s;
	size_t n;
	char c;

	while (*s) {
		c = *s;
		n = *s == '&' ? reference(s, &c) : 0;
		*to++ = c;
		s += n > 0 ? n : 1;
	}
	*to = '\0';
}

static void end_attribute(struct pmg_htmlscan *scan)
{
	if (strcmp(scan->attr, "href") == 0 && scan->attr_len == 4 && !scan->is_end_tag &&
	    scan->len > 0 && scan->len <= PMG_HTMLSCAN_VALUE_MAX) {
		scan->value[scan->len] = '\0';
		resolve_references(scan->value);
		scan->fn(scan->ctx, scan->tag, scan->value);
	}
	scan->attr[0] = '\0';
	scan->attr_len = 0;
	scan->len = 0;
}

static void end_tag(struct pmg_htmlscan *scan)
{
	bool is_raw = strcmp(scan->tag, "script") == 0 || strcmp(scan->tag, "style") == 0;

	end_attribute(scan);
	scan->state = TEXT;
	if (is_raw && !scan->is_end_tag) {
		memcpy(scan->raw, scan->tag, sizeof scan->raw);
		scan->matched = 0;
		scan->state = RAW;
	}
}

static void start_name(struct pmg_htmlscan *scan, char c)
{
	scan->tag[0] = '\0';
	scan->tag_len = 0;
	scan->attr[0] = '\0';
	scan->attr_len = 0;
	scan->len = 0;
	add_name(scan->tag, &scan->tag_len, c);
	scan->state = TAG_NAME;
}

static void on_text(struct pmg_htmlscan *scan, char c)
{
	if (c == '<') {
		scan->state = TAG_OPEN;
		scan->is_end_tag = false;
	}
}

static void start_markup(struct pmg_htmlscan *scan)
{
	scan->state = MARKUP;
	scan->matched = 0;
}

static void on_tag_open(struct pmg_htmlscan *scan, char c)
{
	if (c == '/' && !scan->is_end_tag)
		scan->is_end_tag = true;
	else if (isalpha((unsigned char)c))
		start_name(scan, c);
	else if (c == '!' && !scan->is_end_tag)
		start_markup(scan);
	else if (c == '?' || scan->is_end_tag)
		scan->state = c == '>' ? TEXT : DECLARATION;
	else
		scan->state = c == '<' ? TAG_OPEN : TEXT;
}

static void on_tag_name(struct pmg_htmlscan *scan, char c)
{
	if (c == '>')
		end_tag(scan);
	else if (is_space(c) || c == '/')
		scan->state = BEFORE_ATTR;
	else
		add_name(scan->tag, &scan->tag_len, c);
}

static void on_before_attr(struct pmg_htmlscan *scan, char c)
{
	if (c == '>') {
		end_tag(scan);
	} else if (!is_space(c) && c != '/') {
		end_attribute(scan);
		add_name(scan->attr, &scan->attr_len, c);
		scan->state = ATTR_NAME;
	}
}

static void on_attr_name(struct pmg_htmlscan *scan, char c)
{
	if (c == '=')
		scan->state = BEFORE_VALUE;
	else if (c == '>')
		end_tag(scan);
	else if (is_space(c) || c == '/')
		scan->state = AFTER_ATTR;
	else
		add_name(scan->attr, &scan->attr_len, c);
}

static void on_after_attr(struct pmg_htmlscan *scan, char c)
{
	if (c == '=')
		scan->state = BEFORE_VALUE;
	else
		on_before_attr(scan, c);
}

static void on_before_value(struct pmg_htmlscan *scan, char c)
{
	if (c == '"' || c == '\'') {
		scan->quote = c;
		scan->state = QUOTED;
	} else if (c == '>') {
		end_tag(scan);
	} else if (!is_space(c)) {
		add_value(scan, c);
		scan->state = UNQUOTED;
	}
}

static void on_quoted(struct pmg_htmlscan *scan, char c)
{
	if (c != scan->quote) {
		add_value(scan, c);
		return;
	}
	end_attribute(scan);
	scan->state = BEFORE_ATTR;
}

static void on_unquoted(struct pmg_htmlscan *scan, char c)
{
	if (c == '>') {
		end_tag(scan);
	} else if (is_space(c)) {
		end_attribute(scan);
		scan->state = BEFORE_ATTR;
	} else {
		add_value(scan, c);
	}
}

static void on_markup(struct pmg_htmlscan *scan, char c)
{
	if (c == '-' && ++scan->matched == 2) {
		scan->state = COMMENT;
		scan->matched = 0;
	} else if (c != '-') {
		scan->state = c == '>' ? TEXT : DECLARATION;
	}
}

static void on_comment(struct pmg_htmlscan *scan, char c)
{
	if (c == '>' && scan->matched >= 2)
		scan->state = TEXT;
	if (c == '-')
		scan->matched++;
	else if (!is_space(c) || scan->matched < 2) /* "-- >" ends it too, for Python's parser */
		scan->matched = 0;
}

static void on_declaration(struct pmg_htmlscan *scan, char c)
{
	if (c == '>')
		scan->state = TEXT;
}

/* "</script" in any case ends it, whatever follows; the rest of that tag is a tag. */
static void on_raw(struct pmg_htmlscan *scan, char c)
{
	size_t at = scan->matched;
	int want = at == 0 ? '<' : at == 1 ? '/' : scan->raw[at - 2];

	if (tolower((unsigned char)c) != want) {
		scan->matched = c == '<';
		return;
	}
	if (++scan->matched < 2 || scan->raw[scan->matched - 2] != '\0')
		return;
	scan->is_end_tag = true;
	scan->state = BEFORE_ATTR;
}

void pmg_htmlscan_feed(struct pmg_htmlscan *scan, const char *bytes, size_t len)
{
	static void (*const on[])(struct pmg_htmlscan * scan, char c) = {
		[TEXT] = on_text,
		[TAG_OPEN] = on_tag_open,
		[TAG_NAME] = on_tag_name,
		[BEFORE_ATTR] = on_before_attr,
		[ATTR_NAME] = on_attr_name,
		[AFTER_ATTR] = on_after_attr,
		[BEFORE_VALUE] = on_before_value,
		[QUOTED] = on_quoted,
		[UNQUOTED] = on_unquoted,
		[MARKUP] = on_markup,
		[COMMENT] = on_comment,
		[DECLARATION] = on_declaration,
		[RAW] = on_raw,
	};
	size_t i;

	for (i = 0; i < len; i++)
		on[scan->state](scan, bytes[i]);
}
