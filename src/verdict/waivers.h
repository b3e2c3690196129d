#ifndef PMG_VERDICT_WAIVERS_H
#define PMG_VERDICT_WAIVERS_H
/**
 * The policy on packages (conf/packages.h), made ready for questions: its patterns are read, and
 * while questions are about one package its entries are at hand. What each kind of entry waives:
 * docs/packages.md.
 */
#include <stdbool.h>

#include "conf/packages.h"
#include "pm/entries.h"

struct pmg_waivers;
void pmg_waivers_free(struct pmg_waivers *waivers);
PMG_DEFINE_AUTO(waivers, struct pmg_waivers *, pmg_waivers_free);

/**
 * @param packages  copied; pmg_packages_date() has been called for it
 * @return 0; as pmg_entry_read()
 */
int pmg_waivers_new(const struct pmg_packages *packages, struct pmg_waivers **out,
		    struct pmg_err *err) PMG_MUST_CHECK;

const struct pmg_packages *pmg_waivers_policy(const struct pmg_waivers *waivers);

enum pmg_waiver_list {
	PMG_WAIVER_SKIP = PMG_ENTRIES_SKIP,
	PMG_WAIVER_TRUSTED = PMG_ENTRIES_TRUSTED,
	PMG_WAIVER_OVERRIDES = PMG_ENTRIES_OVERRIDES,
};

struct pmg_waived {
	const struct pmg_packages_entry *entry;   /* the first that waives it; NULL: none */
	const struct pmg_packages_entry *expired; /* without one: an entry that would have waived
						     it, but has expired; or NULL */
};

/**
 * Find what a list waives for a package.
 * @param name, version  canonical; version NULL: not known
 * @param id    of overrides: the record that is to be waived; else NULL
 * @param wait  it is the wait that is to be waived: under managed policy only its own entries do
 *              that (policy->managed_wait)
 */
struct pmg_waived pmg_waivers_find(struct pmg_waivers *waivers, enum pmg_waiver_list list,
				   enum pmg_eco eco, const char *name, const char *version,
				   const char *id, bool wait);

/** How old a version of this package has to be, in seconds. @param[out] where  who says so: file
 * and line, an option, or "default"; borrowed */
uint64_t pmg_waivers_min_age(struct pmg_waivers *waivers, enum pmg_eco eco, const char *name,
			     const char **where);

/** Does an entry, not expired, waive the wait for every version of this package? */
bool pmg_waivers_skip_all(struct pmg_waivers *waivers, enum pmg_eco eco, const char *name);

#endif
