#ifndef PMG_POLICY_LINT_PRIV_H
#define PMG_POLICY_LINT_PRIV_H
/**
 * What the parts of lint.h share.
 *
 *   lint.c    what is wrong, and what is odd in a single entry
 *   strict.c  what the rules come to
 */
#include "conf/yaml.h"
#include "policy/build.h"
#include "policy/draft.h"
#include "policy/lint.h"

/** Copies. @param hint  NULL or "": none */
void pmg_lint_add(struct pmg_findings *out, bool is_error, unsigned line, unsigned column,
		  const char *message, const char *hint);
/** A warning at an entry, which is quoted in front. */
void pmg_lint_warn(struct pmg_findings *out, const struct pmg_draft_entry *entry,
		   const char *message, const char *hint);

/**
 * Make the rules of a profile, as for a run, and look at what they come to.
 * @param whole  with what it inherits
 * @param managers  names of all tools, NULL-terminated: warn as well. NULL: only make them
 * @return 0; as pmg_policy_build(): a run with it would end so
 */
int pmg_lint_rules(const struct pmg_policy_facts *facts, const struct pmg_yaml *doc,
		   struct pmg_draft *whole, const char *const *managers, struct pmg_findings *out,
		   struct pmg_err *err) PMG_MUST_CHECK;

#endif
