#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "proxy/simple_html_priv.h"

uint64_t pmg_html_offset(const struct pmg_html_reader *reader, const struct pmg_html_piece *piece)
{
	return reader->base + (uint64_t)(piece->p - piece->start);
}

int pmg_html_refuse(const struct pmg_html_reader *reader, const struct pmg_html_piece *piece,
		    const char *what, struct pmg_err *err)
{
	return pmg_err_set(err, PMG_E_PARSE, 0, "byte %" PRIu64 ": %s",
			   pmg_html_offset(reader, piece), what);
}

void pmg_html_add_name(struct pmg_html_name *name, char c)
{
	if (name->len < PMG_HTML_NAME_MAX) {
		name->s[name->len] = (char)tolower((unsigned char)c);
		name->s[name->len + 1] = '\0';
	}
	name->len++;
}

void pmg_html_start_name(struct pmg_html_name *name, char c)
{
	name->len = 0;
	pmg_html_add_name(name, c);
}

bool pmg_html_is_named(const struct pmg_html_name *name, const char *text)
{
	return name->len <= PMG_HTML_NAME_MAX && strcmp(name->s, text) == 0;
}

static bool is_one_of(const struct pmg_html_name *name, const char *const *list)
{
	for (; *list; list++)
		if (pmg_html_is_named(name, *list))
			return true;
	return false;
}

static int on_link(struct pmg_simple *page, struct pmg_html_reader *reader, uint64_t end,
		   struct pmg_err *err)
{
	struct pmg_simple_entry entry = { .at = reader->at,
					  .end = end,
					  .published = PMG_PUBLISHED_NONE };
	size_t before = page->files_n;
	int r = pmg_simple_add_link(page, entry, pmg_str_steal(&reader->href), err);

	if (page->files_n > before && !reader->is_empty)
		reader->open = before;
	return r;
}

/* What is relative to such a base would have another file's name; and links that were read already
   were relative to another. */
static int on_base(struct pmg_simple *page, struct pmg_html_reader *reader,
		   const struct pmg_html_piece *piece, struct pmg_err *err)
{
	if (page->files_n > 0)
		return pmg_html_refuse(reader, piece, "a base behind links", err);
	if (!pmg_simple_is_base(pmg_str_steal(&reader->href)))
		return pmg_html_refuse(reader, piece, "a base that names a file", err);
	return 0;
}

int pmg_html_end_tag(struct pmg_simple *page, struct pmg_html_reader *reader,
		     const struct pmg_html_piece *piece, struct pmg_err *err)
{
	static const char *const raw[] = { "script", "style", "title", "textarea", NULL };
	/* Tags in them are text for some parsers, or nothing in them is. */
	static const char *const odd[] = { "xmp",       "iframe",   "noembed",  "noframes",
					   "plaintext", "noscript", "template", "svg",
					   "math",      "select",   "frameset", NULL };
	uint64_t end = pmg_html_offset(reader, piece) + 1;

	reader->state = 0;
	if (is_one_of(&reader->tag, odd))
		return pmg_html_refuse(reader, piece, "an element that parsers read differently",
				       err);
	if (is_one_of(&reader->tag, raw)) {
		if (reader->is_empty)
			return pmg_html_refuse(reader, piece,
					       "an element that parsers read differently", err);
		memcpy(reader->raw, reader->tag.s, sizeof reader->raw);
	}
	if (pmg_html_is_named(&reader->tag, "a"))
		reader->open = PMG_HTML_NO_FILE; /* a link that was not ended ends here */
	if (!reader->has_href)
		return 0;
	if (pmg_html_is_named(&reader->tag, "a"))
		return on_link(page, reader, end, err);
	return pmg_html_is_named(&reader->tag, "base") ? on_base(page, reader, piece, err) : 0;
}

void pmg_html_end_element(struct pmg_simple *page, struct pmg_html_reader *reader,
			  const struct pmg_html_piece *piece)
{
	reader->state = 0;
	if (reader->open == PMG_HTML_NO_FILE || !pmg_html_is_named(&reader->tag, "a"))
		return;
	page->files[reader->open].end = pmg_html_offset(reader, piece) + 1;
	reader->open = PMG_HTML_NO_FILE;
}
