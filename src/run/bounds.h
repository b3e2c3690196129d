#ifndef PMG_RUN_BOUNDS_H
#define PMG_RUN_BOUNDS_H
/**
 * What bounds a run whatever its user says: managed policy and the project's
 * own file (conf/managed.h). They narrow the configuration, and managed policy
 * refuses what a command line or the environment would loosen.
 */
#include "base/strv.h"
#include "conf/managed.h"
#include "policy/plan.h"

struct pmg_run_want;

struct pmg_bounds {
	struct pmg_managed managed;
	struct pmg_managed project;
	struct pmg_strv notes; /* for the user: values of config.yml that do not hold */
};
void pmg_bounds_done(struct pmg_bounds *bounds);
PMG_DEFINE_AUTO_DONE(bounds, struct pmg_bounds, pmg_bounds_done);

/**
 * Read both files and narrow the configuration by them.
 * @param managed  PMG_MANAGED_PATH but in tests
 * @param cwd   canonical; the project's file lies at the top of its repository, without git of its
 *              project. NULL: only managed policy is asked
 * @param home  a project is not looked for at home or above it, unless that is the working folder
 * @param[in,out] config  as config.yml has it
 * @param[out] out  zeroed before
 * @return 0; -PMG_E_CONFIG with the place
 */
int pmg_bounds_load(const char *managed, const char *cwd, const char *home,
		    struct pmg_config *config, struct pmg_bounds *out,
		    struct pmg_err *err) PMG_MUST_CHECK;

/**
 * May this run be asked for in this way?
 * @param manager  "npm", "exec"
 * @return 0; -PMG_E_CONFIG with PMG1001: what is refused, and by which line
 */
int pmg_bounds_check(const struct pmg_bounds *bounds, const struct pmg_run_want *want,
		     const char *manager, struct pmg_err *err) PMG_MUST_CHECK;

/** "managed policy is in force: /etc/pmg/managed.yml, global_lockdown"; NULL: there is none. Caller
 *  frees. */
char *pmg_bounds_text(const struct pmg_managed *managed) PMG_MUST_CHECK;
/** What is in force, as entries of a plan. */
void pmg_bounds_plan(const struct pmg_bounds *bounds, struct pmg_plan *plan);

#endif
