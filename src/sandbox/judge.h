#ifndef PMG_SANDBOX_JUDGE_H
#define PMG_SANDBOX_JUDGE_H
/**
 * What the broker makes of a rule's answer, as far as it takes no caller: so that who asks
 * beforehand (`pmg sandbox check`) is told what a run would be.
 */
#include <sys/stat.h>

#include "policy/policy.h"
#include "violation/event.h"

/** Code of a refusal by a rule; 0: there is none. */
int pmg_judge_code(enum pmg_event_op op);
/** What --sandbox-allow calls the operation; NULL: nothing allows it. Static. */
const char *pmg_judge_word(enum pmg_event_op op);

/**
 * What --sandbox-allow takes to let exactly this through.
 * @param word    what it calls the operation; NULL: nothing does
 * @param rule    that said no, or NULL
 * @param target  as an event has it
 * @param folder  it was to be made: what is to lie in it is meant too
 * @return NULL: nothing is to be offered. Caller frees
 */
char *pmg_judge_allowance(enum pmg_event_op op, const char *word,
			  const struct pmg_policy_rule *rule, const char *target,
			  bool folder) PMG_MUST_CHECK;

/** In a run of root: a file of /etc that the rule for all of /etc opens, though not everybody may
 *  read it. @param st  of the file */
bool pmg_judge_is_roots(const struct pmg_decision *decision, enum pmg_access access,
			enum pmg_role role, const char *path, const struct stat *st);

/** A file of /proc that is another process's, and more than ps shows? Rules speak of a process's
 *  own folder as /proc/self. */
bool pmg_judge_is_process(enum pmg_access access, const char *path);

/** May that role listen there, by TCP? @param[out] rule  NULL before: that says no, or yes */
bool pmg_judge_bind(const struct pmg_policy *policy, enum pmg_role role, const char *host,
		    uint16_t port, const struct pmg_policy_rule **rule);

enum pmg_judge_link {
	PMG_JUDGE_LINK_NONE,
	PMG_JUDGE_LINK_SECRET,  /* nobody may read it by this name */
	PMG_JUDGE_LINK_MANAGERS /* no script may */
};
/**
 * Is a file that has more names than one, by another of them, one that is closed (masks.c)? Looks
 * through what may hold such files, as the start of a run does: bounded.
 */
enum pmg_judge_link pmg_judge_link(const struct pmg_policy *policy, const struct stat *st);

#endif
