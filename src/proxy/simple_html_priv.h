#ifndef PMG_PROXY_SIMPLE_HTML_PRIV_H
#define PMG_PROXY_SIMPLE_HTML_PRIV_H
/** What the reader of HTML goes through byte by byte (simple_html.c), and what a whole tag means
 * (simple_html_tag.c). */
#include "proxy/simple_priv.h"

#define PMG_HTML_NAME_MAX 16U /* a longer tag or attribute name is none that we know */
#define PMG_HTML_NO_FILE  SIZE_MAX

struct pmg_html_name {
	char s[PMG_HTML_NAME_MAX + 1];
	size_t len; /* may go past the maximum */
};

struct pmg_html_reader {
	int state; /* 0: between tags */
	char quote;
	struct pmg_html_name tag, attr;
	char raw[PMG_HTML_NAME_MAX + 1]; /* script or such, where only its end may follow; or "" */
	size_t matched;                  /* of the end of a comment */
	bool is_href;                    /* the attribute at hand is one */
	bool has_href;                   /* of the tag at hand */
	bool is_empty;                   /* the tag at hand ended with "/>" */
	struct pmg_str href;
	uint64_t at;   /* of the tag at hand */
	uint64_t base; /* of the piece at hand */
	size_t open;   /* file whose link has not ended yet, or PMG_HTML_NO_FILE */
};

struct pmg_html_piece {
	const char *start, *p, *end;
};

/** @return -PMG_E_PARSE, with the byte */
int pmg_html_refuse(const struct pmg_html_reader *reader, const struct pmg_html_piece *piece,
		    const char *what, struct pmg_err *err);
uint64_t pmg_html_offset(const struct pmg_html_reader *reader, const struct pmg_html_piece *piece);
void pmg_html_add_name(struct pmg_html_name *name, char c);
void pmg_html_start_name(struct pmg_html_name *name, char c);
bool pmg_html_is_named(const struct pmg_html_name *name, const char *text);

/** A tag has ended, at piece. @return 0; -PMG_E_PARSE; -PMG_E_LIMIT */
int pmg_html_end_tag(struct pmg_simple *page, struct pmg_html_reader *reader,
		     const struct pmg_html_piece *piece, struct pmg_err *err) PMG_MUST_CHECK;
/** The end of an element, likewise. */
void pmg_html_end_element(struct pmg_simple *page, struct pmg_html_reader *reader,
			  const struct pmg_html_piece *piece);

#endif
