#ifndef PMG_RUN_PREPARE_H
#define PMG_RUN_PREPARE_H
/** What is known before anything is started: program, configuration, facts, plan. */
#include "conf/config.h"
#include "conf/dirs.h"
#include "pm/pm.h"
#include "policy/plan.h"
#include "run/find.h"
#include "run/run.h"

struct pmg_prepared {
	const struct pmg_pm *pm;
	enum pmg_verb verb;
	struct pmg_found found;
	char *cwd; /* absolute, canonical */
	struct pmg_dirs dirs;
	struct pmg_facts facts; /* of manager and config.yml together */
	struct pmg_plan *plan;  /* sealed */
	bool has_loopback;      /* a registry or artifact host is on loopback */
};

void pmg_prepared_done(struct pmg_prepared *prepared);
PMG_DEFINE_AUTO_DONE(prepared, struct pmg_prepared, pmg_prepared_done);

/** Manager, verb, program, folder: enough to become the tool. Reads no file of ours. */
int pmg_prepare_program(const struct pmg_run_want *want, struct pmg_prepared *out,
			struct pmg_err *err) PMG_MUST_CHECK;
/** Folders and configuration. After the above. @param[out] config  zeroed before */
int pmg_prepare_config(const struct pmg_run_want *want, struct pmg_prepared *out,
		       struct pmg_config *config, struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Facts and plan. After the above. May run the program in an empty folder to ask for defaults.
 * @param cancel_fd  when it becomes readable the program is not waited for; 0: none
 */
int pmg_prepare_plan(const struct pmg_run_want *want, const struct pmg_config *config,
		     int cancel_fd, struct pmg_prepared *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
