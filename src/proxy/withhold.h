#ifndef PMG_PROXY_WITHHOLD_H
#define PMG_PROXY_WITHHOLD_H
/** Which versions of a document the judge lets pass, and what the front is told of the others. */
#include "proxy/gate.h"
#include "proxy/page.h"

#define PMG_WITHHOLD_TOLD_MAX                                                                      \
	32U /* versions of one document told by name, the newest; the rest by number */

/* Whose document it is; all borrowed. */
struct pmg_withhold {
	const struct pmg_gate *gate;
	enum pmg_eco eco;
	const char *name;
	bool needs_dates;
	bool is_private; /* its registry has the name for itself: pmg_catalog_is_private() */
};

/**
 * Ask the judge for all that the document offers, some milliseconds long.
 * @param[in,out] out  PMG_FILTERED_INIT
 * @return 0; 1: there is more to be asked, call again; -PMG_E_DB: it could not look; -PMG_E_LIMIT
 */
int pmg_withhold_plan(const struct pmg_withhold *withhold, const struct pmg_page *page,
		      struct pmg_filtered *out, struct pmg_err *err) PMG_MUST_CHECK;
/** @param url  of the document */
void pmg_withhold_report(const struct pmg_withhold *withhold, const struct pmg_filtered *filtered,
			 const struct pmg_url *url);

/**
 * Which version may stand for one of npm that is withheld, where a tag led to it: the greatest
 * below it that passes; of a release a release, of the same line but for "latest". As packument.h
 * has it, which knows more of the versions; here only their dates are at hand.
 * @param dates, registry, canonical  what dates.h has of the package
 * @return caller frees; NULL: none
 */
char *pmg_withhold_instead(const struct pmg_withhold *withhold, const struct pmg_dates *dates,
			   size_t registry, const char *canonical, const char *tag,
			   const char *version) PMG_MUST_CHECK;

/**
 * May that version pass? @param published  PMG_PUBLISHED_NONE: no date
 * @return 0: yes; 1 + enum pmg_reason: no; -PMG_E_DB
 */
int pmg_withhold_ask(const struct pmg_withhold *withhold, const char *version, int64_t published,
		     struct pmg_judgement *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
