#ifndef PMG_CLI_PAGES_H
#define PMG_CLI_PAGES_H
/** The pages of docs/codes/, built into the program: they are needed where nothing else works. */
#include "base/mem.h"

struct pmg_page {
	int code;
	const char *text; /* Markdown */
};
extern const struct pmg_page pmg_pages[]; /* sorted; the last has code 0 */

/** @return the page's Markdown, or NULL */
const char *pmg_page_find(int code);

/**
 * "PMG2001", "pmg2001" or "2001".
 * @return 0 or -PMG_E_USAGE: no such page, with the nearest one
 */
int pmg_page_parse(const char *word, int *code, struct pmg_err *err) PMG_MUST_CHECK;

/** Markdown of such a page as plain lines of at most 80 columns. Caller frees. */
char *pmg_page_text(const char *markdown) PMG_MUST_CHECK;

#endif
