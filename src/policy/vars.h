#ifndef PMG_POLICY_VARS_H
#define PMG_POLICY_VARS_H
/** Variables of profiles, ${PROJECT} and its kin, replaced by what was found of the host. */
#include "base/strv.h"
#include "policy/build.h"

/**
 * Every text that an entry comes to: one for each value of each variable in it. Values stand for
 * themselves: a "*" in the name of a folder is no pattern.
 * @param[out] out  added to
 * @param[out] missing  name of the variable that has no value, within text; NULL when all have
 * @return how many bytes of *missing are the name; 0 when all have values
 */
size_t pmg_vars_expand(const struct pmg_policy_facts *facts, const char *text, struct pmg_strv *out,
		       const char **missing);

/** Is there a variable of that name? `len` bytes. */
bool pmg_vars_is_known(const char *name, size_t len);

/** text without variables: what a reader of patterns can look at before they have values. */
char *pmg_vars_strip(const char *text) PMG_MUST_CHECK;

/** Text that, as a pattern, matches exactly text. */
char *pmg_glob_escape(const char *text) PMG_MUST_CHECK;

/** The one path that a pattern matches; NULL when it is none without magic. */
char *pmg_vars_unescape(const char *pattern) PMG_MUST_CHECK;

/**
 * The same pattern with its fixed part as the file system has it, links resolved as far as they
 * lead. NULL when that changes nothing.
 * @param facts  project, cwd and home are taken to be canonical
 */
char *pmg_vars_real(const struct pmg_policy_facts *facts, const char *pattern) PMG_MUST_CHECK;

/** Absolute pattern of what was typed: "~/x" is in the home, a relative one is seen from cwd, "."
 * and
 *  ".." are taken out, a "/" at the end stands for all below. */
char *pmg_vars_typed(const struct pmg_policy_facts *facts, const char *text) PMG_MUST_CHECK;

#endif
