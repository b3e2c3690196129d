#ifndef PMG_RUN_LINKS_H
#define PMG_RUN_LINKS_H
/**
 * Links of a project that lead out of it, for `pmg sandbox doctor`. The walls judge what a link
 * leads to, so that none of these opens anything; but who wonders why a file of the project cannot
 * be read finds the reason here.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

#define PMG_LINKS_MAX 100U /* pairs that are kept; more are counted */

struct pmg_link_pair {
	bool is_hard;
	char *path;   /* in the project */
	char *target; /* outside; NULL: another name of the file, that was not found */
};

struct pmg_links {
	struct pmg_link_pair v[PMG_LINKS_MAX]; /* by path */
	size_t n;
	size_t found;
	bool has_more; /* too many files: not all were looked at */
};
void pmg_links_done(struct pmg_links *links);
PMG_DEFINE_AUTO_DONE(links, struct pmg_links, pmg_links_done);

/**
 * Look through the project, bounded. Hard links of installed packages (to a store) and of git's
 * objects are what they are made as, and left out; other names of the rest are looked for in the
 * home.
 * @param project, home  absolute, canonical
 * @param[out] out  zeroed before
 */
void pmg_links_escaping(const char *project, const char *home, struct pmg_links *out);

#endif
