#ifndef PMG_RUN_LASTING_H
#define PMG_RUN_LASTING_H
/**
 * What a command line has a manager write (--dest, --target, --report, --prefix)
 * is there when the run is over, below /tmp too, which is the run's own: what
 * exists there is brought back from the host, and so all of it exists
 * (pm/places.h: made, made_files). What is about /tmp itself is here.
 */
#include "pm/places.h"
#include "policy/policy.h"

/** Does a path lie in a folder that each run has of its own, or is it one? */
bool pmg_lasting_is_in_tmp(const char *path);

/**
 * May what is asked for last? What is put into /tmp itself cannot.
 * @param cwd, home  of which /tmp may be one: then it is not the run's own
 * @return 0; -PMG_E_CONFIG
 */
int pmg_lasting_check(const struct pmg_places *places, const char *cwd, const char *home,
		      struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Does a rule open something below /tmp by its name? Then what the run calls its temporary folder
 * must be another, or that could be written too.
 */
bool pmg_lasting_shares_tmp(const struct pmg_policy *policy);

#endif
