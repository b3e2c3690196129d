#ifndef PMG_RUN_RUN_PRIV_H
#define PMG_RUN_RUN_PRIV_H
/** One run from the inside: what run.c and start.c share. */
#include <termios.h>

#include "run/ahead.h"
#include "run/attend.h"
#include "run/confined.h"
#include "run/folder.h"
#include "run/pins.h"
#include "run/prepare.h"
#include "run/proxy.h"
#include "run/run.h"
#include "run/signals.h"
#include "run/sweeper.h"

/* All that a guarded run holds; emptied from below. */
struct pmg_running {
	const struct pmg_run_want *want;
	struct pmg_run_result *result;
	struct pmg_prepared prepared;
	struct pmg_sweeper sweeper;
	struct pmg_folder folder;
	struct pmg_folder scratch; /* within walls: what the tool sees as /tmp */
	char *tmp;                 /* its path */
	struct pmg_proxy proxy;
	const struct pmg_driver *driver; /* of confined */
	struct pmg_confined confined;
	struct pmg_ahead ahead;
	struct pmg_signals signals;
	struct pmg_attend attend;
	struct pmg_pins pins;
	bool refused;             /* something that is settled keeps the tool from being started */
	struct pmg_strv env;      /* of the tool; whole once the plan is made */
	struct pmg_strv scrubbed; /* names of variables that were taken from it */
	struct pmg_strv notes;    /* of the proxy: shown when something went wrong, or with -v */
	struct termios terminal;
	int terminal_fd; /* -1: none */
	uint64_t began_ms;
};

void pmg_running_say(const struct pmg_running *run, enum pmg_say kind, const char *line);
/** Is the tool to run within walls? */
bool pmg_running_is_confined(const struct pmg_running *run);
/** As typed, or as the manager's learn() has cleaned it. */
char *const *pmg_running_argv(struct pmg_running *run);
/** Add the user's environment. */
void pmg_running_copy_env(const struct pmg_running *run, struct pmg_strv *out);
/** Point an environment at a proxy of pmg. */
void pmg_running_point(const struct pmg_running *run, const struct pmg_pointer *to,
		       struct pmg_strv *env);
/**
 * Everything up to the tool's start.
 * @return 0, also when we were asked to end meanwhile (result->signal), or must not start it
 *         (refused)
 */
int pmg_running_start(struct pmg_running *run, struct pmg_err *err) PMG_MUST_CHECK;

#endif
