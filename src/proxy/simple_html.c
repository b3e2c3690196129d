#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/identity.h"
#include "proxy/simple_html_priv.h"

/*
 * Parsers of HTML forgive, each in its own way, and clients use several. So this one takes what
 * they all read alike, and refuses the page for the rest, with the byte. What that leaves is what
 * indexes make, and more.
 */
enum state {
	TEXT,     /* 0, as for others */
	TAG_OPEN, /* after "<" */
	TAG_NAME,
	END_NAME, /* of "</name" */
	END_REST, /* blanks up to ">" */
	BEFORE_ATTR,
	ATTR_NAME,
	AFTER_ATTR,
	BEFORE_VALUE,
	QUOTED,
	AFTER_QUOTED,
	UNQUOTED,
	SLASH, /* of "/>" */
	MARKUP,
	COMMENT,
	DECLARATION, /* "<!doctype ...>" */
	INSTRUCTION  /* "<?xml ...?>" */
};

static void reader_free(void *ctx)
{
	struct pmg_html_reader *reader = ctx;

	pmg_str_done(&reader->href);
	free(reader);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || (c != '\0' && strchr("-_:.@", c));
}

static int on_text(struct pmg_simple *page, struct pmg_html_reader *reader,
		   struct pmg_html_piece *piece, struct pmg_err *err)
{
	const char *open = memchr(piece->p, '<', (size_t)(piece->end - piece->p));

	(void)page, (void)err;
	piece->p = open ? open : piece->end - 1;
	if (open) {
		reader->at = pmg_html_offset(reader, piece);
		reader->state = TAG_OPEN;
	}
	return 0;
}

static int on_tag_open(struct pmg_simple *page, struct pmg_html_reader *reader,
		       struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	(void)page;
	if (reader->raw[0] && c != '/')
		return pmg_html_refuse(reader, piece, "markup within text that is none", err);
	if (isalpha((unsigned char)c)) {
		pmg_html_start_name(&reader->tag, c);
		reader->has_href = reader->is_href = reader->is_empty = false;
		reader->state = TAG_NAME;
		pmg_str_clear(&reader->href);
		return 0;
	}
	reader->matched = 0;
	reader->tag.len = 0;
	reader->state = c == '/' ? END_NAME : c == '!' ? MARKUP : INSTRUCTION;
	return c == '/' || c == '!' || c == '?'
		       ? 0
		       : pmg_html_refuse(reader, piece, "a \"<\" that begins no tag", err);
}

static int on_tag_name(struct pmg_simple *page, struct pmg_html_reader *reader,
		       struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	if (c == '>')
		return pmg_html_end_tag(page, reader, piece, err);
	if (is_blank(c))
		reader->state = BEFORE_ATTR;
	else if (c == '/')
		reader->state = SLASH;
	else if (is_name(c))
		pmg_html_add_name(&reader->tag, c);
	else
		return pmg_html_refuse(reader, piece, "a tag with an odd name", err);
	return 0;
}

static int on_end_name(struct pmg_simple *page, struct pmg_html_reader *reader,
		       struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	if (reader->tag.len == 0 && !isalpha((unsigned char)c))
		return pmg_html_refuse(reader, piece, "an end tag with an odd name", err);
	if (is_name(c)) {
		pmg_html_add_name(&reader->tag, c);
		return 0;
	}
	if (!is_blank(c) && c != '>')
		return pmg_html_refuse(reader, piece, "an end tag with an odd name", err);
	if (reader->raw[0] && !pmg_html_is_named(&reader->tag, reader->raw))
		return pmg_html_refuse(reader, piece, "markup within text that is none", err);
	reader->raw[0] = '\0';
	reader->state = END_REST;
	if (c == '>')
		pmg_html_end_element(page, reader, piece);
	return 0;
}

static int on_end_rest(struct pmg_simple *page, struct pmg_html_reader *reader,
		       struct pmg_html_piece *piece, struct pmg_err *err)
{
	if (is_blank(*piece->p))
		return 0;
	if (*piece->p != '>')
		return pmg_html_refuse(reader, piece, "an end tag with something in it", err);
	pmg_html_end_element(page, reader, piece);
	return 0;
}

static int start_attr(struct pmg_html_reader *reader, const struct pmg_html_piece *piece,
		      struct pmg_err *err)
{
	if (!is_name(*piece->p))
		return pmg_html_refuse(reader, piece, "an attribute with an odd name", err);
	pmg_html_start_name(&reader->attr, *piece->p);
	reader->state = ATTR_NAME;
	return 0;
}

static int on_before_attr(struct pmg_simple *page, struct pmg_html_reader *reader,
			  struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	if (c == '>')
		return pmg_html_end_tag(page, reader, piece, err);
	if (c == '/')
		reader->state = SLASH;
	return c == '/' || is_blank(c) ? 0 : start_attr(reader, piece, err);
}

/* The name of an attribute is whole. Which of two addresses counts depends on the parser. */
static int on_attr(struct pmg_html_reader *reader, const struct pmg_html_piece *piece,
		   struct pmg_err *err)
{
	reader->is_href = pmg_html_is_named(&reader->attr, "href");
	if (reader->is_href && reader->has_href)
		return pmg_html_refuse(reader, piece, "an address twice in one tag", err);
	reader->has_href |= reader->is_href;
	return 0;
}

static int on_attr_name(struct pmg_simple *page, struct pmg_html_reader *reader,
			struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;
	int r;

	if (is_name(c)) {
		pmg_html_add_name(&reader->attr, c);
		return 0;
	}
	r = on_attr(reader, piece, err);
	if (r < 0)
		return r;
	if (c == '>')
		return pmg_html_end_tag(page, reader, piece, err);
	reader->state = c == '=' ? BEFORE_VALUE : c == '/' ? SLASH : AFTER_ATTR;
	return c == '=' || c == '/' || is_blank(c)
		       ? 0
		       : pmg_html_refuse(reader, piece, "an attribute with an odd name", err);
}

static int on_after_attr(struct pmg_simple *page, struct pmg_html_reader *reader,
			 struct pmg_html_piece *piece, struct pmg_err *err)
{
	if (*piece->p != '=')
		return on_before_attr(page, reader, piece, err);
	reader->state = BEFORE_VALUE;
	return 0;
}

static int add_value(struct pmg_html_reader *reader, const struct pmg_html_piece *piece,
		     const char *bytes, size_t n, struct pmg_err *err)
{
	if (!reader->is_href)
		return 0;
	if (memchr(bytes, '\0', n))
		return pmg_html_refuse(reader, piece, "a NUL in an address", err);
	if (pmg_str_add(&reader->href, bytes, n) < 0)
		return pmg_err_set(err, PMG_E_LIMIT, 0,
				   "byte %" PRIu64 ": an address of more than %u", reader->at,
				   PMG_SIMPLE_HREF_MAX);
	return 0;
}

static int on_unquoted(struct pmg_simple *page, struct pmg_html_reader *reader,
		       struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	if (c == '>')
		return pmg_html_end_tag(page, reader, piece, err);
	if (is_blank(c)) {
		reader->state = BEFORE_ATTR;
		return 0;
	}
	if (c == '\0' || strchr("\"'<=`", c))
		return pmg_html_refuse(reader, piece, "a value without quotes with an odd byte",
				       err);
	return add_value(reader, piece, &c, 1, err);
}

static int on_before_value(struct pmg_simple *page, struct pmg_html_reader *reader,
			   struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	if (is_blank(c))
		return 0;
	if (c == '"' || c == '\'') {
		reader->quote = c;
		reader->state = QUOTED;
		return 0;
	}
	if (c == '>')
		return pmg_html_refuse(reader, piece, "an attribute without its value", err);
	reader->state = UNQUOTED;
	return on_unquoted(page, reader, piece, err);
}

static int on_quoted(struct pmg_simple *page, struct pmg_html_reader *reader,
		     struct pmg_html_piece *piece, struct pmg_err *err)
{
	const char *from = piece->p;
	const char *end = memchr(from, reader->quote, (size_t)(piece->end - from));
	int r = add_value(reader, piece, from, (size_t)((end ? end : piece->end) - from), err);

	(void)page;
	piece->p = end ? end : piece->end - 1;
	if (end)
		reader->state = AFTER_QUOTED;
	return r;
}

static int on_after_quoted(struct pmg_simple *page, struct pmg_html_reader *reader,
			   struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	if (c == '>')
		return pmg_html_end_tag(page, reader, piece, err);
	reader->state = c == '/' ? SLASH : BEFORE_ATTR;
	return c == '/' || is_blank(c)
		       ? 0
		       : pmg_html_refuse(reader, piece, "no blank behind a value", err);
}

static int on_slash(struct pmg_simple *page, struct pmg_html_reader *reader,
		    struct pmg_html_piece *piece, struct pmg_err *err)
{
	if (*piece->p != '>')
		return pmg_html_refuse(reader, piece, "a \"/\" within a tag", err);
	reader->is_empty = true;
	return pmg_html_end_tag(page, reader, piece, err);
}

static int on_markup(struct pmg_simple *page, struct pmg_html_reader *reader,
		     struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	(void)page;
	if (c == '-' && ++reader->matched == 2) {
		reader->matched = 0;
		reader->state = COMMENT;
	} else if (reader->matched == 0 && isalpha((unsigned char)c)) {
		reader->state = DECLARATION;
	} else if (c != '-') {
		return pmg_html_refuse(reader, piece,
				       "markup that is no comment and no declaration", err);
	}
	return 0;
}

static int on_comment(struct pmg_simple *page, struct pmg_html_reader *reader,
		      struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	(void)page;
	if (c == '>' && reader->matched == 2) {
		reader->state = TEXT;
		return 0;
	}
	if (c == '<' || c == '>' || (c == '-' ? reader->matched == 2 : reader->matched >= 2))
		return pmg_html_refuse(reader, piece, "a comment that parsers end differently",
				       err);
	reader->matched = c == '-' ? reader->matched + 1 : 0;
	return 0;
}

/* Of a declaration and of an instruction. */
static int on_declaration(struct pmg_simple *page, struct pmg_html_reader *reader,
			  struct pmg_html_piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	(void)page;
	if (c == '<' || c == '[')
		return pmg_html_refuse(reader, piece, "a declaration with markup in it", err);
	if (c == '>')
		reader->state = TEXT;
	return 0;
}

static int feed(struct pmg_simple *page, const char *bytes, size_t len, struct pmg_err *err)
{
	static int (*const on[])(struct pmg_simple * page, struct pmg_html_reader * reader,
				 struct pmg_html_piece * piece, struct pmg_err * err) = {
		[TEXT] = on_text,
		[TAG_OPEN] = on_tag_open,
		[TAG_NAME] = on_tag_name,
		[END_NAME] = on_end_name,
		[END_REST] = on_end_rest,
		[BEFORE_ATTR] = on_before_attr,
		[ATTR_NAME] = on_attr_name,
		[AFTER_ATTR] = on_after_attr,
		[BEFORE_VALUE] = on_before_value,
		[QUOTED] = on_quoted,
		[AFTER_QUOTED] = on_after_quoted,
		[UNQUOTED] = on_unquoted,
		[SLASH] = on_slash,
		[MARKUP] = on_markup,
		[COMMENT] = on_comment,
		[DECLARATION] = on_declaration,
		[INSTRUCTION] = on_declaration,
	};
	struct pmg_html_reader *reader = page->reader;
	struct pmg_html_piece piece = { bytes, bytes, bytes + len };
	int r = 0;

	for (; r >= 0 && piece.p < piece.end; piece.p++)
		r = on[reader->state](page, reader, &piece, err);
	reader->base += len;
	return r < 0 ? r : 0;
}

static int finish(struct pmg_simple *page, struct pmg_err *err)
{
	const struct pmg_html_reader *reader = page->reader;

	if (reader->state == TEXT && !reader->raw[0])
		return 0;
	return pmg_err_set(err, PMG_E_PARSE, 0, "byte %" PRIu64 ": the page has not ended",
			   reader->base);
}

struct pmg_simple *pmg_simple_html_new(const char *project)
{
	struct pmg_simple *page = pmg_simple_new(project);
	struct pmg_html_reader *reader = pmg_xcalloc(1, sizeof *reader);

	reader->href.max = PMG_SIMPLE_HREF_MAX;
	reader->open = PMG_HTML_NO_FILE;
	page->reader = reader;
	page->reader_free = reader_free;
	page->feed = feed;
	page->finish = finish;
	return page;
}
