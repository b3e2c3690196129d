#ifndef PMG_PROXY_WITHHOLD_H
#define PMG_PROXY_WITHHOLD_H
/** Which versions of a document the judge lets pass, and what the front is told of the others. */
#include "proxy/gate.h"
#include "proxy/page.h"

/* Versions of one document told by name, the newest; the rest by number. */
#define PMG_WITHHOLD_TOLD_MAX 32U

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
 * A dist-tag of npm leads to a version that is withheld, and the client asked for the document of
 * the tag alone: which version may stand for it? The greatest one below it that passes, of its own
 * line (pmg_semver_is_same_line()); "latest" takes a release of any line where that has none.
 * packument.h filters the whole packument by finer rules; here only names and dates are at hand.
 * @param dates, registry, canonical  where dates.h has the package
 * @return caller frees; NULL: none
 */
char *pmg_withhold_instead(const struct pmg_withhold *withhold, const struct pmg_dates *dates,
			   size_t registry, const char *canonical, const char *tag,
			   const char *version) PMG_MUST_CHECK;

#endif
