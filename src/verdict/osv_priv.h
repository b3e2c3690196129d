#ifndef PMG_VERDICT_OSV_PRIV_H
#define PMG_VERDICT_OSV_PRIV_H
/** Ranges of an affected package: events become intervals. */
#include "base/json.h"
#include "verdict/osv.h"

#define PMG_OSV_SHOWN_MAX 80U /* bytes of a bound in a note */

/** @param list  `ranges`, NULL when there are none. @return 0; -PMG_E_PARSE; -PMG_E_LIMIT */
int pmg_osv_read_ranges(const struct json_t *list, struct pmg_osv_affected *out,
			struct pmg_strv *notes, struct pmg_err *err) PMG_MUST_CHECK;

#endif
