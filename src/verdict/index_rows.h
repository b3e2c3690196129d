#ifndef PMG_VERDICT_INDEX_ROWS_H
#define PMG_VERDICT_INDEX_ROWS_H
/**
 * What one record says of one package is one row of intel.db, with all versions
 * and ranges in two columns: so a lookup searches the table once, and a record
 * of many versions is one insertion. Each text ends with a NUL, and has none
 * inside.
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

/* A column that is being read, and how far; borrowed from the row. */
struct pmg_rows {
	const char *at, *end;
};

/** Begin to read a column of the present row. */
struct pmg_rows pmg_rows_of(struct pmg_stmt *stmt, int column);

/* An interval (osv.h) that is read; borrowed. */
struct pmg_rows_range {
	const char *low, *high;
	bool inclusive;
};

/** @return the next text of `versions`; NULL: there is no more, or pmg_rows_is_damaged() */
const char *pmg_rows_version(struct pmg_rows *rows);
/** Read the next of `ranges`. @return false: there is no more, or pmg_rows_is_damaged() */
bool pmg_rows_range(struct pmg_rows *rows, struct pmg_rows_range *out);

/** After the last text or range: is something left that cannot be read, as no build writes it? */
static inline bool pmg_rows_is_damaged(const struct pmg_rows *rows)
{
	return rows->at != rows->end;
}

#endif
