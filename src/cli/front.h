#ifndef PMG_CLI_FRONT_H
#define PMG_CLI_FRONT_H
/**
 * The program pmg: its commands and options, and tools as its other words
 * ("pmg npm install x", or a link named npm).
 */
#include "base/strv.h"
#include "cli/cmd.h"
#include "run/run.h"

struct pmg_front_settings {
	struct pmg_cmd_settings common; /* first: cli/cmd.h */
	bool dry_run;
	bool version;
	const char *report; /* file for the record of the run, as JSON; or NULL */
	const char *driver;
	const char *profile;
	struct pmg_strv allows; /* --sandbox-allow */
	bool no_sandbox, strict, fail_on_violation;
	bool skip_cooldown;
	const char *min_age, *as_of; /* or NULL */
	bool command;                /* not an option: `pmg sandbox exec` */
};

/** Whole main. @param argv  with the program's name; NULL-terminated. @return exit status */
int pmg_front_main(char *const *argv);

/** The rows; for tests. */
const struct pmg_cmd *pmg_front_cmds(void);
const struct pmg_opt *pmg_front_options(void);

/** The environment of this process as data. */
void pmg_front_environment(struct pmg_strv *out);

/**
 * Is a line of that kind said? -v wins over -q, and both over the verbosity of config.yml.
 */
bool pmg_front_says(const struct pmg_cmd_settings *settings, const struct pmg_config *config,
		    enum pmg_say kind);

int pmg_cmd_audit_list(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_version(const struct pmg_call *call, struct pmg_err *err);
/** "pmg intel ...": becomes pmg-intel. */
int pmg_cmd_hand_on(const struct pmg_call *call, struct pmg_err *err);
/** The same of a command below "audit". */
int pmg_cmd_hand_on_audit(const struct pmg_call *call, struct pmg_err *err);
/**
 * A guarded run. Ends the process by a signal where the tool was ended by one.
 * @param argv  the tool's, its name first
 */
int pmg_front_run(const struct pmg_front_settings *settings, struct pmg_out *out, char *const *argv,
		  struct pmg_err *err);

#endif
