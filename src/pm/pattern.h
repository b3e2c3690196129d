#ifndef PMG_PM_PATTERN_H
#define PMG_PM_PATTERN_H
/**
 * Which packages an entry of policy is for: a package URL (pm/purl.h), or
 *
 *   pkg:npm/name@^1      the releases that "^1" stands for (pm/version.h)
 *   pkg:npm/@scope/ *    (without the space) every package of a scope, npm only
 *   pkg:npm/ *           (likewise) every package of an ecosystem
 *
 * Anything else with a star, a range or a tag in it is an error: an entry that
 * looks as if it matched must not be one that never does.
 */
#include "pm/pm.h"

enum pmg_pattern_of { PMG_PATTERN_NAME, PMG_PATTERN_SCOPE, PMG_PATTERN_ALL };

struct pmg_pattern {
	enum pmg_eco eco;
	enum pmg_pattern_of of;
	char *name;    /* canonical; of a scope "@scope/"; NULL for all */
	char *version; /* canonical; NULL: every one */
	char *line;    /* "1" of "^1"; NULL: none. version is NULL then */
};

void pmg_pattern_done(struct pmg_pattern *pattern);
PMG_DEFINE_AUTO_DONE(pattern, struct pmg_pattern, pmg_pattern_done);

/** @return 0; -PMG_E_PARSE (text in msg, quoted; hint) */
int pmg_pattern_parse(const char *text, struct pmg_pattern *out,
		      struct pmg_err *err) PMG_MUST_CHECK;

/** Is a package meant, whatever its version? @param name  canonical */
bool pmg_pattern_has_name(const struct pmg_pattern *pattern, enum pmg_eco eco, const char *name);
/** Is it for every version? */
bool pmg_pattern_is_whole(const struct pmg_pattern *pattern);
/** Is a version meant, of a name that is? @param version  canonical; NULL: not known, which only an
 *  entry for every version meets */
bool pmg_pattern_has_version(const struct pmg_pattern *pattern, const char *version);

#endif
