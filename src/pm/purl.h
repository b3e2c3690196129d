#ifndef PMG_PM_PURL_H
#define PMG_PM_PURL_H
/**
 * Package URLs of the two ecosystems: "pkg:npm/%40scope/name@1.0.0",
 * "pkg:pypi/name". Source: https://github.com/package-url/purl-spec
 * (PURL-SPECIFICATION.rst, "How to parse"). Qualifiers and subpath are checked
 * for nothing and dropped: they say where a package comes from, not which it is.
 * As people do, "@scope" may be written without "%40".
 */
#include "pm/pm.h"

#define PMG_PURL_MAX 4096U /* bytes of the text */

struct pmg_purl {
	enum pmg_eco eco;
	char *name;    /* "@scope/name"; PyPI: canonical (PEP 503) */
	char *version; /* as written, decoded; NULL when none */
};

void pmg_purl_done(struct pmg_purl *purl);
PMG_DEFINE_AUTO_DONE(purl, struct pmg_purl, pmg_purl_done);

/** @return 0; -PMG_E_PARSE: not a package URL of npm or PyPI (text in msg, quoted) */
int pmg_purl_parse(const char *text, struct pmg_purl *out, struct pmg_err *err) PMG_MUST_CHECK;
/** Of a list that blocks: no version, or an exact one? What is a range would match nothing.
 *  @return 0; -PMG_E_CONFIG (no place in msg; hint) */
int pmg_purl_check_exact(const struct pmg_purl *purl, struct pmg_err *err) PMG_MUST_CHECK;
/** Canonical text; parsing it gives the same parts. Caller frees. */
char *pmg_purl_format(const struct pmg_purl *purl) PMG_MUST_CHECK;

#endif
