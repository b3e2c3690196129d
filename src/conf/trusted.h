#ifndef PMG_CONF_TRUSTED_H
#define PMG_CONF_TRUSTED_H
/**
 * Files that decide what is let in (config.yml, blocklist.yml, ...). What
 * somebody else can write must not be believed, so such a file has to be the
 * caller's or root's, may not be writable by group or others, and the same
 * holds for the folder it lies in, where it could be replaced; of a link, for
 * its own folder and that of what it leads to. What only root may decide has
 * functions of its own.
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

/**
 * Read a file that root alone may decide: it and every folder above it, up to "/", are root's and
 * writable by nobody else, sticky or not, and none is a link. Each name is opened in the folder
 * that was looked at before, so nothing can be swapped in between.
 * @param path  absolute and clean
 * @return as pmg_trusted_slurp(); -PMG_E_NOTFOUND only when it or a folder above it is not there
 */
int pmg_trusted_root_slurp(const char *path, size_t max, char **text, size_t *len,
			   struct pmg_err *err) PMG_MUST_CHECK;
/** The check alone. @return as above */
int pmg_trusted_root_check(const char *path, struct pmg_err *err) PMG_MUST_CHECK;

#endif
