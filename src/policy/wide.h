#ifndef PMG_POLICY_WIDE_H
#define PMG_POLICY_WIDE_H
/**
 * Allowances that are far more than anybody means, or mean nothing: all of the machine or of a
 * home, a device, every host of a country. Who really wants one says so once more (--force).
 */
#include "policy/policy.h"

/**
 * @param policy  for its home; relative paths are seen from its working folder
 * @param value   well-formed: pmg_allow_check()
 * @return what it would open, in words; NULL: nothing to remark. Static
 */
const char *pmg_wide_why(const struct pmg_policy *policy, enum pmg_access access,
			 const char *value);

#endif
