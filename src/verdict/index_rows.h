#ifndef PMG_VERDICT_INDEX_ROWS_H
#define PMG_VERDICT_INDEX_ROWS_H
/**
 * What one record says of one package stands in one row of intel.db, in two
 * columns, so that a lookup is one descent and a record of many versions one
 * insertion. Texts end with a NUL, which none of them has inside.
 *
 *   versions  each text, sorted by its bytes, none twice
 *   ranges    of each interval '<' or '=' (high itself as well), low, high; sorted by low, then
 *             high, none twice
 */
#include "base/str.h"
#include "store/store.h"
#include "verdict/osv.h"

#define PMG_ROWS_MAX ((size_t)256 * 1024 * 1024) /* bytes of a column */

/**
 * Pack what n entries of a record say, all of one package.
 * @param[out] versions, ranges  emptied before; of PMG_ROWS_MAX bytes
 * @return 0 or -PMG_E_LIMIT
 */
int pmg_rows_pack(const struct pmg_osv_affected *const *entries, size_t n, struct pmg_str *versions,
		  struct pmg_str *ranges, struct pmg_err *err) PMG_MUST_CHECK;

/* A column that is read; borrowed. */
struct pmg_rows {
	const char *at, *end;
};

/** The column of a row that stands there. */
struct pmg_rows pmg_rows_of(struct pmg_stmt *stmt, int column);

/* An interval (osv.h) that is read; borrowed. */
struct pmg_rows_range {
	const char *low, *high;
	bool inclusive;
};

/** @return the next text of `versions`; NULL: none, or pmg_rows_is_damaged() */
const char *pmg_rows_version(struct pmg_rows *rows);
/** @return whether there is another of `ranges`; if not: perhaps pmg_rows_is_damaged() */
bool pmg_rows_range(struct pmg_rows *rows, struct pmg_rows_range *out);

/** Asked after the last: is there something left that no build has written? */
static inline bool pmg_rows_is_damaged(const struct pmg_rows *rows)
{
	return rows->at != rows->end;
}

#endif
