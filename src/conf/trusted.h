#ifndef PMG_CONF_TRUSTED_H
#define PMG_CONF_TRUSTED_H
/**
 * Files that decide what is let in (config.yml, blocklist.yml, ...). What
 * somebody else can write must not be believed, so such a file has to be the
 * caller's or root's, may not be writable by group or others, and the same
 * holds for the folder it lies in, where it could be replaced.
 */
#include <stddef.h>

#include "base/err.h"
#include "conf/yaml.h"

/**
 * Read a whole file after looking at what was opened, not at its name.
 * Symbolic links are followed: configuration is often linked from elsewhere.
 * @param[out] text  caller frees; NUL added after len bytes
 * @return 0; -PMG_E_NOTFOUND; -PMG_E_CONFIG: somebody else could have written it (hint says what to
 *         do); -PMG_E_LIMIT; -PMG_E_SYS
 */
int pmg_trusted_slurp(const char *path, size_t max, char **text, size_t *len,
		      struct pmg_err *err) PMG_MUST_CHECK;

/** The check alone, for a file that a library opens by its name. @return as above */
int pmg_trusted_check(const char *path, struct pmg_err *err) PMG_MUST_CHECK;

/** Read and parsed: at most PMG_YAML_TEXT_MAX bytes. @return as above, or as pmg_yaml_parse() */
int pmg_trusted_yaml(const char *path, struct pmg_yaml **out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
