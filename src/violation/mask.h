#ifndef PMG_VIOLATION_MASK_H
#define PMG_VIOLATION_MASK_H
/** A command line without its secrets, for records that outlive the run. */
#include "base/strv.h"

#define PMG_MASKED       "***"
#define PMG_MASK_ARGS    256U  /* arguments kept; then "..." */
#define PMG_MASK_ARG_MAX 1024U /* bytes kept of one */

/**
 * Copy argv with "***" for: userinfo and query of addresses; values of options
 * whose name holds token, password, auth, secret, otp, key or cert, whether
 * written --name=value, --name value or name=value.
 * @param[out] out  empty or zeroed; pmg_strv_done()
 */
void pmg_mask_argv(char *const *argv, struct pmg_strv *out);

#endif
