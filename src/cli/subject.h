#ifndef PMG_CLI_SUBJECT_H
#define PMG_CLI_SUBJECT_H
/** The run that a command about policy speaks of, without one. */
#include "policy/library.h"
#include "run/run.h"

/* May not be moved: want points into it. */
struct pmg_subject {
	struct pmg_strv env; /* the user's */
	char *tool;
	char *argv[2];
	struct pmg_run_want want;
};
void pmg_subject_done(struct pmg_subject *subject);
PMG_DEFINE_AUTO_DONE(subject, struct pmg_subject, pmg_subject_done);

/** A profile as a run finds it. @param[out] out  zeroed before. @return 0; -PMG_E_CONFIG: there is
 *  none, for it is what the user wrote that is wrong */
int pmg_subject_find(const struct pmg_strv *env, const char *name, struct pmg_library_item *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** Of the tool itself, for its own profile. @param[out] out  zeroed before, but for env */
void pmg_subject_tool(const char *tool, struct pmg_subject *out);

/**
 * Of the manager that a profile is for: itself, or what it inherits from; of any other profile that
 * of `pmg sandbox exec`.
 * @param name  borrowed by out
 * @param[out] out  zeroed before, but for env
 */
int pmg_subject_profile(const char *name, struct pmg_subject *out,
			struct pmg_err *err) PMG_MUST_CHECK;

/** "npm"; "exec" where it is no manager. */
const char *pmg_subject_manager(const struct pmg_subject *subject);

#endif
