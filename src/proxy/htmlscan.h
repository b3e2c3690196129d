#ifndef PMG_PROXY_HTMLSCAN_H
#define PMG_PROXY_HTMLSCAN_H
/**
 * Find the links of an HTML page while it streams by, in fixed memory: every
 * href attribute, with character references resolved. Comments and the text of
 * script and style are passed over, as by the parser of pip.
 */
#include <stdbool.h>
#include <stddef.h>

#define PMG_HTMLSCAN_VALUE_MAX 8192U /* a longer href is not reported */
#define PMG_HTMLSCAN_NAME_MAX  16U   /* a longer tag or attribute name is none that we know */

/** @param tag  lower case: "a", "base", ...; @param href  NUL-terminated */
typedef void (*pmg_htmlscan_fn)(void *ctx, const char *tag, const char *href);

struct pmg_htmlscan {
	pmg_htmlscan_fn fn;
	void *ctx;
	int state;
	char quote;
	bool is_end_tag;
	char tag[PMG_HTMLSCAN_NAME_MAX + 1];
	size_t tag_len; /* may go past the maximum */
	char attr[PMG_HTMLSCAN_NAME_MAX + 1];
	size_t attr_len;
	char raw[PMG_HTMLSCAN_NAME_MAX + 1]; /* element whose text is passed over, or "" */
	size_t matched;                      /* of the end we wait for */
	size_t len;                          /* may go past the maximum */
	char value[PMG_HTMLSCAN_VALUE_MAX + 1];
};

void pmg_htmlscan_init(struct pmg_htmlscan *scan, pmg_htmlscan_fn fn, void *ctx);
void pmg_htmlscan_feed(struct pmg_htmlscan *scan, const char *bytes, size_t len);

#endif
