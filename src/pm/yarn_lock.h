#ifndef PMG_PM_YARN_LOCK_H
#define PMG_PM_YARN_LOCK_H
/**
 * yarn.lock, that of yarn 1 and that of berry: the archives that it names by
 * address ("resolved", "resolution"), with name and version. Read line by
 * line, since that of yarn 1 is no YAML.
 */
#include "pm/pm.h"

/** As pmg_npm_lock_read(): a file that is not there adds nothing. @return 0; -PMG_E_LIMIT */
int pmg_yarn_lock_read(struct pmg_facts *facts, const char *path,
		       struct pmg_err *err) PMG_MUST_CHECK;

/** The same from memory. @return 0; -PMG_E_LIMIT */
int pmg_yarn_lock_parse(struct pmg_facts *facts, const char *text, size_t len,
			struct pmg_err *err) PMG_MUST_CHECK;

#endif
