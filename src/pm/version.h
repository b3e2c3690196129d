#ifndef PMG_PM_VERSION_H
#define PMG_PM_VERSION_H
/**
 * Names and versions of the two ecosystems: which are equal, which is greater.
 *
 * npm: SemVer 2.0 precedence (section 11), numbers of any length; loose forms
 * as npm reads them: a leading "v" or "=" is dropped, missing parts are 0,
 * parts after the third count as build. Build metadata never matters.
 * PyPI: PEP 440 order; what is not PEP 440 sorts below all that is, among
 * itself by the key that old setuptools used. Names by PEP 503.
 */
#include <stdbool.h>

#include "base/mem.h"
#include "pm/pm.h"

#define PMG_NAME_MAX    512U
#define PMG_VERSION_MAX 512U
#define PMG_LINE_PARTS  4U

/** <0, 0, >0 as a is less than, equal to, greater than b. Total order, never fails. */
int pmg_version_compare(enum pmg_eco eco, const char *a, const char *b);
/** Follows its ecosystem's grammar (npm: SemVer, loosely; PyPI: PEP 440). */
bool pmg_version_is_valid(enum pmg_eco eco, const char *version);
/**
 * Is it a range or a tag ("^1", "1.x", ">=1", "1" of npm, "==1" of PyPI, "latest"), that no package
 * has for its version? Other text that is not valid may be one: feeds name such.
 */
bool pmg_version_is_range(enum pmg_eco eco, const char *text);
/** Not meant for who does not ask for it: npm: has a pre-release part; PyPI: a, b, rc or dev. Not
 *  when it is not valid. */
bool pmg_version_is_prerelease(enum pmg_eco eco, const char *version);
/** npm: of one line: the same first number, and both are releases, or pre-releases whose first word
 *  begins with the same letters ("rc", "canary"). Not when one is not valid. */
bool pmg_semver_is_same_line(const char *a, const char *b);
/** Text that is equal exactly for equal versions ("1.0" and "1.0.0" of PyPI). The text itself when
 *  the version is not valid. Caller frees. */
char *pmg_version_canonical(enum pmg_eco eco, const char *version) PMG_MUST_CHECK;
/** PyPI: PEP 503 (lower case, runs of -_. become one "-"). npm: as is. Caller frees. */
char *pmg_name_canonical(enum pmg_eco eco, const char *name) PMG_MUST_CHECK;
/**
 * May "^base" stand for a line of releases? A release of up to PMG_LINE_PARTS numbers: "1", "0.2",
 * "1.2.3".
 */
bool pmg_line_is_valid(enum pmg_eco eco, const char *base);
/**
 * Is it a release (no pre-release, no development version) that "^base" stands for: not below base,
 * and equal in all numbers up to the first that is not zero? "^1": 1.x; "^0.2": 0.2.x; "^0": 0.x.
 * False when one of the two cannot be read.
 */
bool pmg_line_has(enum pmg_eco eco, const char *base, const char *version);
/** May stand in a request: not empty, at most PMG_NAME_MAX bytes, no control byte, shape of eco. */
bool pmg_name_is_valid(enum pmg_eco eco, const char *name);

#endif
