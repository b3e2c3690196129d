#ifndef PMG_CONF_TIGHTEN_H
#define PMG_CONF_TIGHTEN_H
/**
 * What rows of a project's file (.pmg.yml, conf/managed.h) say of a value: the file may be
 * anybody's, so it can only tighten.
 */
#include "conf/yaml.h"

/**
 * Is the value this word, plain? Of a switch, or of a list of words, it is the strictest one.
 * @return 0; -PMG_E_CONFIG with the place
 */
int pmg_tighten_only(const struct pmg_yaml *value, const char *strictest,
		     struct pmg_err *err) PMG_MUST_CHECK;

/**
 * For rows of kind PMG_KEY_CALL: a key of config.yml or of a profile that a project's file cannot
 * have.
 * @return -PMG_E_CONFIG with the place
 */
int pmg_tighten_not_here(const struct pmg_yaml *value, void *out,
			 struct pmg_err *err) PMG_MUST_CHECK;

#endif
