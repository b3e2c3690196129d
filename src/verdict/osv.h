#ifndef PMG_VERDICT_OSV_H
#define PMG_VERDICT_OSV_H
/**
 * One record of a feed in OSV format, reduced to what a verdict needs.
 * Source: https://ossf.github.io/osv-schema/ (1.7). Choices beyond its text:
 *
 * - A record is malware when its id, or an alias, is of a database of malicious
 *   packages (MAL-, LWA-), or when it has "malicious-packages-origins". All
 *   others (CVE, GHSA, ...) are vulnerabilities: of these only the fixes are read.
 * - Versions are held in canonical form, so that equality is comparison of text.
 * - Ranges become intervals. Nothing can be compared with a bound that is no
 *   version: the range is then taken as open on that side, and a note says so.
 *   `limit` is not looked at, which can only make a range wider.
 * - `database_specific.indicators.package_integrity` of an affected package is a list of its
 *   artifacts, each with `hashes`: sha512_sri, sha512, sha256 are taken, weaker ones are not.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strv.h"
#include "pm/pm.h"
#include "verdict/digest.h"
#include "verdict/fixes.h"

#define PMG_OSV_ID_MAX       128U
#define PMG_OSV_VERSIONS_MAX 200000U /* of one record; ranges and digests likewise */

/* low <= v, and v < high or (inclusive) v <= high; "" is no bound. Canonical versions. */
struct pmg_osv_interval {
	char *low, *high;
	bool inclusive;
};

/* One package that a record names. */
struct pmg_osv_affected {
	enum pmg_eco eco;
	char *name; /* canonical */
	struct pmg_strv versions;
	struct pmg_osv_interval *intervals;
	size_t n_intervals, cap_intervals;
	struct pmg_digest *digests; /* of its artifacts: database_specific.indicators */
	size_t n_digests, cap_digests;
};

struct pmg_osv {
	char *id;
	int64_t modified; /* seconds since 1970; 0 when not said */
	bool withdrawn;
	bool malware;
	bool test; /* MAL-0000-...: reserved for tests of feeds */
	struct pmg_osv_affected *affected;
	size_t n_affected, cap_affected;
	struct pmg_fixes fixes; /* of a vulnerability: not malware, not withdrawn */
	size_t elsewhere;       /* affected entries of other ecosystems */
	struct pmg_strv notes;  /* where it was not taken just as it is written */
	char *note;             /* the reason that a list gives (lists.h); else NULL */
};

void pmg_osv_done(struct pmg_osv *record);
PMG_DEFINE_AUTO_DONE(osv, struct pmg_osv, pmg_osv_done);

/**
 * @param text  len bytes of JSON
 * @param[out] out  zeroed by the caller; pmg_osv_done()
 * @return 0; -PMG_E_PARSE: not JSON, or no id, or malware that names no package or no version;
 *         -PMG_E_LIMIT: one of the limits above. msg is one phrase without a path.
 */
int pmg_osv_parse(const char *text, size_t len, struct pmg_osv *out,
		  struct pmg_err *err) PMG_MUST_CHECK;

#endif
