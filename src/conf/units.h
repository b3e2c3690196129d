#ifndef PMG_CONF_UNITS_H
#define PMG_CONF_UNITS_H
/**
 * Amounts that people write: a whole number and its unit, nothing between them.
 * A bare number is an error, since "90" could be meant as anything.
 */
#include <stdint.h>

#include "base/err.h"

/** "30s" "5m" "36h" "7d" "2w". @return 0 (seconds); -PMG_E_PARSE; -PMG_E_LIMIT: above max_s */
int pmg_duration_parse(const char *text, uint64_t max_s, uint64_t *out_s) PMG_MUST_CHECK;
/** "512K" "256M" "2G", by 1,024. @return 0 (bytes); -PMG_E_PARSE; -PMG_E_LIMIT: above max */
int pmg_size_parse(const char *text, uint64_t max, uint64_t *out) PMG_MUST_CHECK;

#endif
