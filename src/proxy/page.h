#ifndef PMG_PROXY_PAGE_H
#define PMG_PROXY_PAGE_H
/**
 * A document of a registry, of whatever form, as it comes over the wire: it is
 * inflated where that is needed, read strictly, and then asked what it offers,
 * when that was published, and how it looks without some of it. The scanners of
 * the forms (packument.h, simple_json.h, simple_html.h) do the reading.
 */
#include "proxy/dates.h"
#include "proxy/filtered.h"
#include "proxy/http1.h"
#include "proxy/learn.h"

enum pmg_page_form {
	PMG_PAGE_PACKUMENT, /* of npm: all of a package */
	PMG_PAGE_VERSION,   /* of npm: of one version */
	PMG_PAGE_JSON,      /* of PyPI: PEP 691 */
	PMG_PAGE_HTML,      /* of PyPI: PEP 503 */
	PMG_PAGE_FORMS
};

struct pmg_page;
void pmg_page_free(struct pmg_page *page);
PMG_DEFINE_AUTO(page, struct pmg_page *, pmg_page_free);

/**
 * @param head     of the answer: type and coding
 * @param is_one   of npm: of one version, or of what a tag points to
 * @param project  borrowed for the call
 * @param[out] out untouched on failure
 * @return 0; -PMG_E_UNSUPPORTED: a type or coding that is not read
 */
int pmg_page_new(enum pmg_eco eco, const struct pmg_head *head, bool is_one, const char *project,
		 struct pmg_page **out, struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Who wants to know of artifacts' addresses.
 * @param learner  taken; made for no coding
 * @param is_lenient  the document may go on though it could not be read here: it is looked at as a
 *                    client may read it. Else what is read here is told, which costs less
 */
void pmg_page_set_learner(struct pmg_page *page, struct pmg_learner *learner, bool is_lenient);

/** The next piece as it came. After a failure the learner is still fed.
 *  @return 0; -PMG_E_PARSE, -PMG_E_LIMIT: it cannot be read, err says why; the same each time */
int pmg_page_feed(struct pmg_page *page, const char *bytes, size_t len,
		  struct pmg_err *err) PMG_MUST_CHECK;
/** There is nothing more. @return as above */
int pmg_page_finish(struct pmg_page *page, struct pmg_err *err) PMG_MUST_CHECK;
uint64_t pmg_page_plain(const struct pmg_page *page); /* bytes so far, inflated */
/** Can no client take it for such a document, by its first byte? It is an archive, perhaps, at an
 * address where a document is expected. */
bool pmg_page_is_other(const struct pmg_page *page);

/* Of one that is finished. */

enum pmg_page_form pmg_page_form(const struct pmg_page *page);
/** What it offers: versions of npm, files of PyPI. */
size_t pmg_page_count(const struct pmg_page *page);
/** @param[out] published  or PMG_PUBLISHED_NONE. @return the label (dates.h), borrowed */
const char *pmg_page_label(const struct pmg_page *page, size_t i, int64_t *published);
bool pmg_page_has_dates(const struct pmg_page *page);
/** When all that is in it had come out at the latest; PMG_PUBLISHED_NONE: it does not say. */
int64_t pmg_page_modified(const struct pmg_page *page);

/**
 * Keep what it says in the table of dates, in the place of what was known of that package.
 * @param page       NULL: the registry has no such package
 * @param name       canonical
 * @param otherwise  for what it does not date; PMG_DATES_NONE
 */
void pmg_page_put_dates(const struct pmg_page *page, struct pmg_dates *dates, size_t registry,
			const char *name, int64_t otherwise);

/** When was that published? PMG_PUBLISHED_NONE: no date. */
typedef int64_t (*pmg_page_date_fn)(void *ctx, const char *label);
/** Date all that has no date. */
void pmg_page_date(struct pmg_page *page, pmg_page_date_fn find, void *ctx);

/** packument.h's pmg_packument_filter(), of any form. */
int pmg_page_filter(const struct pmg_page *page, pmg_withhold_fn withhold, void *ctx,
		    struct pmg_filtered *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
