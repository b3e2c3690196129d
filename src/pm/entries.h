#ifndef PMG_PM_ENTRIES_H
#define PMG_PM_ENTRIES_H
/**
 * Entries of policy on packages (conf/packages.h, conf/managed.h) with their
 * patterns read: by the front before it starts anything, so that what is wrong
 * is said with its place, and again by whoever asks them.
 */
#include "conf/managed.h"
#include "conf/packages.h"
#include "pm/pattern.h"
#include "pm/purl.h"

enum pmg_entries_of {
	PMG_ENTRIES_SKIP,
	PMG_ENTRIES_TRUSTED,
	PMG_ENTRIES_OVERRIDES,
	PMG_ENTRIES_AGES,
	PMG_ENTRIES_LISTS
};

/** One of the lists. Borrowed. */
const struct pmg_packages_list *pmg_entries_list(const struct pmg_packages *packages,
						 enum pmg_entries_of of);

/**
 * @param[out] out  zeroed by the caller; as it was for an age of all packages, which has no pattern
 * @return 0; -PMG_E_CONFIG with the place and PMG1001 or PMG1002: the pattern cannot be read, or is
 *         wider than its list may have
 */
int pmg_entry_read(const struct pmg_packages_entry *entry, enum pmg_entries_of of,
		   struct pmg_pattern *out, struct pmg_err *err) PMG_MUST_CHECK;

/** What managed policy blocks: a package, or one exact version of it. @return as above */
int pmg_entry_read_block(const struct pmg_managed *managed, const struct pmg_managed_entry *entry,
			 struct pmg_purl *out, struct pmg_err *err) PMG_MUST_CHECK;

/** Can all of them be read? @return as above, of the first that cannot */
int pmg_entries_check(const struct pmg_packages *packages, const struct pmg_managed *managed,
		      struct pmg_err *err) PMG_MUST_CHECK;

#endif
