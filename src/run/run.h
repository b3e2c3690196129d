#ifndef PMG_RUN_RUN_H
#define PMG_RUN_RUN_H
/**
 * One guarded run: find the real program, learn where packages come from, make
 * the plan, start pmg-proxy, start the tool behind it, wait, write the ledger.
 *
 * A command line that can neither fetch nor run package code becomes the tool
 * at once. Everything that cannot be set up is an error and the tool is not
 * started; when the proxy is lost the tool is ended.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/strv.h"
#include "conf/config.h"
#include "policy/plan.h"
#include "run/index.h"
#include "violation/record.h"

enum pmg_say {
	PMG_SAY_FAULT, /* something failed, and the run went on: said even to who wants quiet */
	PMG_SAY_NOTE,  /* the user should know */
	PMG_SAY_DETAIL /* for -v */
};

struct pmg_run_want {
	const char *tool;           /* a name that pmg_pm_find() knows */
	char *const *argv;          /* the tool's, argv[0] first */
	const struct pmg_strv *env; /* the user's environment */
	bool debug;
	bool no_sandbox;               /* --no-sandbox: typed by a person; noted in the record */
	bool command;                  /* `pmg sandbox exec`: tool is any program's name or path */
	bool no_overlay;               /* policy: what the repository has allowed is left out */
	bool no_proxy;                 /* pmg_prepare_policy(): it is only shown */
	bool report;                   /* the record is to be whole even if the ledger needs none */
	bool skip_cooldown;            /* --skip-dependency-cooldown */
	const char *min_age;           /* --min-age; NULL */
	const char *as_of;             /* --as-of; NULL */
	const char *profile;           /* --sandbox-profile; NULL */
	const char *driver;            /* --driver; NULL: the best that this host can have */
	bool driver_is_env;            /* it is PMG_SANDBOX_DRIVER that says so */
	const struct pmg_strv *allows; /* --sandbox-allow; NULL */
	/** Called with one line, which may hold text from outside. */
	void (*say)(void *arg, enum pmg_say kind, const char *line);
	void *arg;
};

struct pmg_run_result {
	struct pmg_record record;
	struct pmg_config config;
	bool guarded;  /* the tool was started behind the proxy */
	bool confined; /* and within walls */
	bool fetches;  /* the command line is one that fetches packages */
	bool asks;     /* and one that only asks about them: `npm outdated` */
	struct pmg_run_index index;
	uint64_t blocklist;       /* entries of the user's block list */
	uint64_t requests, bytes; /* that the proxy served */
	uint64_t pinned;          /* packages of lockfiles, and installed ones, that were checked */
	uint64_t landed;          /* of them, new in this run and past the proxy: from a cache */
	uint64_t took_ms;         /* from the call to the tool's end */
	int exit;                 /* what pmg ends with */
	int signal;               /* not 0: end as killed by it */
};

void pmg_run_result_done(struct pmg_run_result *result);
PMG_DEFINE_AUTO_DONE(run_result, struct pmg_run_result, pmg_run_result_done);

/**
 * Does not return when the tool needs no guard, or has that of a run around us:
 * this process becomes the tool.
 * @param[out] out  zeroed before; filled as far as things went, also on failure: refusals are shown
 *                  whatever happened after them
 * @return 0; -PMG_E_NOTFOUND with errnum: the program is not there (ENOENT) or cannot be run;
 *         -PMG_E_PEER: the proxy was lost and the tool ended; others: nothing was started
 */
int pmg_run(const struct pmg_run_want *want, struct pmg_run_result *out,
	    struct pmg_err *err) PMG_MUST_CHECK;

/**
 * The plan of the run, without doing anything.
 * @param[out] out  NULL when the tool would be run as it is; caller frees
 * @return as pmg_run()
 */
int pmg_run_plan(const struct pmg_run_want *want, struct pmg_plan **out,
		 struct pmg_err *err) PMG_MUST_CHECK;

#endif
