#ifndef PMG_PROXY_SIMPLE_H
#define PMG_PROXY_SIMPLE_H
/**
 * A project's page of a PyPI index, as JSON (PEP 691, with dates: PEP 700) or
 * HTML (PEP 503), read while it streams by: files, their versions and dates,
 * and where in the bytes they stand; then the cuts that leave some files out.
 * What could be read in two ways is refused: then the page cannot be filtered,
 * and must not be handed on where something could be withheld.
 *
 * A file's version is what its name says. Where the name, and the one its
 * address ends in, say two versions, or a fragment ("#egg=") says another, the
 * file is withheld as PMG_WITHHELD_UNREADABLE. HTML has no dates: they are
 * taken from the JSON of the same page.
 *
 * Of HTML only what all parsers read alike is taken: no markup in scripts and
 * comments, no attribute twice, no element in which tags are text for some.
 */
#include "proxy/filtered.h"

#define PMG_SIMPLE_FILES_MAX 200000U
#define PMG_SIMPLE_TEXTS_MAX (32U * 1048576U) /* names of all files, and their versions */
#define PMG_SIMPLE_HREF_MAX  8192U

struct pmg_simple;
/** @param project  as it was asked for; copied */
struct pmg_simple *pmg_simple_json_new(const char *project) PMG_MUST_CHECK;
struct pmg_simple *pmg_simple_html_new(const char *project) PMG_MUST_CHECK;
void pmg_simple_free(struct pmg_simple *page);
PMG_DEFINE_AUTO(simple, struct pmg_simple *, pmg_simple_free);

/**
 * Is the body in a coding in which bytes below 0x80 are ASCII, whatever follows? A client goes by
 * the charset of Content-Type, and in some (UTF-7, UTF-16) other bytes are the tags.
 * @param type  Content-Type; NULL is fine
 */
bool pmg_simple_is_readable(const char *type);

/** @return 0; -PMG_E_PARSE, -PMG_E_LIMIT: it cannot be filtered, err says why and where */
int pmg_simple_feed(struct pmg_simple *page, const char *bytes, size_t len,
		    struct pmg_err *err) PMG_MUST_CHECK;
int pmg_simple_finish(struct pmg_simple *page, struct pmg_err *err) PMG_MUST_CHECK;

/* The rest is for pages that are finished. */

struct pmg_simple_file {
	const char *name;    /* as its address ends */
	const char *version; /* NULL when the name says none of this project */
	int64_t published;   /* seconds since 1970, or PMG_PUBLISHED_NONE */
};

size_t pmg_simple_count(const struct pmg_simple *page); /* files */
/** File i in the page's order; what it points to is borrowed. */
struct pmg_simple_file pmg_simple_file(const struct pmg_simple *page, size_t i);
/** Has any file a date? */
bool pmg_simple_has_dates(const struct pmg_simple *page);
/** Date each file that has none by somebody who may know. @param find  PMG_PUBLISHED_NONE: no */
void pmg_simple_date(struct pmg_simple *page, int64_t (*find)(void *ctx, const char *file),
		     void *ctx);

/**
 * Ask for each file, and plan what is cut: its entry, or link; and its version in "versions" when
 * no file of it passes.
 * @param[in,out] out  PMG_FILTERED_INIT; on failure it only needs pmg_filtered_done()
 * @return 0; 1: withhold said "later", call again with the same out; what it returned below 0;
 *         -PMG_E_LIMIT
 */
int pmg_simple_filter(const struct pmg_simple *page, pmg_withhold_fn withhold, void *ctx,
		      struct pmg_filtered *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
