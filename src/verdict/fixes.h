#ifndef PMG_VERDICT_FIXES_H
#define PMG_VERDICT_FIXES_H
/**
 * Versions that fix a known vulnerability: what records that are not about malware name as "fixed".
 * Who has to wait for such a version stays vulnerable meanwhile, so the wait can be waived for it
 * (docs/packages.md). It is waived for exactly the version that a record names and for none after
 * it: else every package that ever had a vulnerability would be exempt for good, and with it what
 * an attacker publishes there next.
 */
#include <stddef.h>

#include "pm/pm.h"

#define PMG_FIXES_MAX 10000U /* of one record; for more of them the wait is not waived */

struct pmg_fix {
	enum pmg_eco eco;
	char *name, *version; /* canonical */
};

struct pmg_fixes {
	struct pmg_fix *v;
	size_t n, cap;
};

void pmg_fixes_done(struct pmg_fixes *fixes);
PMG_DEFINE_AUTO_DONE(fixes, struct pmg_fixes, pmg_fixes_done);

struct json_t;
/** Read them from `affected` of a record in OSV format. What cannot be read is no fix. */
void pmg_fixes_read(const struct json_t *affected, struct pmg_fixes *out);

#endif
