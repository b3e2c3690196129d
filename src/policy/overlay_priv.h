#ifndef PMG_POLICY_OVERLAY_PRIV_H
#define PMG_POLICY_OVERLAY_PRIV_H
/** What entries (overlay.c) and their files (overlay_file.c) share. */
#include "policy/overlay.h"

/** Is the value well-formed for its type? @return 0; -PMG_E_CONFIG: says what is wrong, not where
 */
int pmg_overlay_check(const struct pmg_overlay_entry *entry, struct pmg_err *err) PMG_MUST_CHECK;
/** Read one that is in memory. @param path  for messages. @return as pmg_overlay_load() */
int pmg_overlay_parse(const char *path, const char *repository, const char *text, size_t len,
		      struct pmg_overlay *out, struct pmg_err *err) PMG_MUST_CHECK;
/** @param taken  taken over */
void pmg_overlay_append(struct pmg_overlay *overlay, struct pmg_overlay_entry *taken);

#endif
