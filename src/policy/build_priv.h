#ifndef PMG_POLICY_BUILD_PRIV_H
#define PMG_POLICY_BUILD_PRIV_H
/**
 * What the parts of build.h share.
 *
 *   build.c    the order of things
 *   gather.c   profile, presets, overlay and flags: all that is said, as written
 *   entries.c  what is said made into rules
 *   preset.h   what presets may say
 */
#include "policy/build.h"
#include "policy/draft.h"

#define PMG_DIAG_LEFT_OUT 2004 /* docs/codes/PMG2004.md */

/* One building. */
struct pmg_build {
	const struct pmg_policy_facts *facts;
	const struct pmg_policy_want *want;
	struct pmg_draft draft;
	struct pmg_policy *policy;
	struct pmg_strv through;   /* hosts that only a proxy would let through */
	struct pmg_policy *denies; /* what the profile denies, and nothing else; sealed */
};

/** profile -> presets -> overlay -> --sandbox-allow, variables not replaced. */
int pmg_build_gather(struct pmg_build *b, struct pmg_err *err) PMG_MUST_CHECK;
/** The rules of one profile alone, for who looks at it.
 *  @param draft  read, but for where its switches stand */
int pmg_build_draft(const struct pmg_policy_facts *facts, struct pmg_draft *draft,
		    struct pmg_policy **out, struct pmg_err *err) PMG_MUST_CHECK;
/** A policy with its places, no rule in it yet. */
struct pmg_policy *pmg_build_begin(const struct pmg_policy_facts *facts) PMG_MUST_CHECK;
/** How strong an entry is. @param exact  it spells out one path or name. */
enum pmg_rank pmg_build_rank(const struct pmg_draft_entry *entry, bool exact);
/** Rules for every entry of the draft, and for its switches. */
int pmg_build_entries(struct pmg_build *b, struct pmg_err *err) PMG_MUST_CHECK;
/** What pmg itself needs of a run: its bundle is readable and the temporary folder writable even
 * where they lie below folders of pmg's that are closed. */
int pmg_build_own(struct pmg_build *b, struct pmg_err *err) PMG_MUST_CHECK;

#endif
