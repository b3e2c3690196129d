#ifndef PMG_PM_YARN_LOCK_H
#define PMG_PM_YARN_LOCK_H
/**
 * yarn.lock, that of yarn 1 and that of berry: the archives that it names by
 * address ("resolved", "resolution"), with name and version. Read line by
 * line, since that of yarn 1 is no YAML.
 */
#include "pm/pm.h"

/** For pmg_lock_read(). @return 0; -PMG_E_LIMIT */
int pmg_yarn_lock_parse(struct pmg_facts *facts, const char *name, const char *text, size_t len,
			struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Where the line at p ends, as yarn 1 has it in lockfile and .yarnrc: at LF, CR or both, a comment
 * at LF alone.
 * @param in_comments  a comment ends at CR, too, as it does for berry
 * @param[out] next    where the following one begins
 */
const char *pmg_yarn_line_end(const char *p, const char *end, bool in_comments, const char **next);
/** "@acme/x@^1.0.0": the "@" before the range; NULL when there is none. */
const char *pmg_yarn_lock_range(const char *text, size_t len);
/** `"good@npm:bad@^1", x@2:`: the first one's name, "bad". NULL: none; caller frees */
char *pmg_yarn_lock_name(const char *text, size_t len) PMG_MUST_CHECK;
/** [*at, *len) without colons, blanks and quotes around it. */
void pmg_yarn_lock_strip(const char **at, size_t *len);

#endif
