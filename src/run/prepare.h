#ifndef PMG_RUN_PREPARE_H
#define PMG_RUN_PREPARE_H
/** What is known before anything is started: program, configuration, facts, plan. */
#include "conf/config.h"
#include "conf/dirs.h"
#include "pm/cached.h"
#include "pm/pm.h"
#include "pm/settled.h"
#include "policy/library.h"
#include "policy/plan.h"
#include "policy/policy.h"
#include "run/bounds.h"
#include "run/find.h"
#include "run/run.h"

/* What the tool sees as its temporary folder: within walls /tmp is the run's own, and so is all in
 * it, unless the project, the current folder or the home lies there: then it is a folder below. */
#define PMG_PREPARE_TMP       "/tmp"
#define PMG_PREPARE_TMP_BELOW "run"

struct pmg_prepared {
	const struct pmg_pm *pm; /* NULL: `pmg sandbox exec` */
	enum pmg_verb verb;
	struct pmg_found found;
	char *cwd; /* absolute, canonical */
	struct pmg_dirs dirs;
	struct pmg_bounds bounds;
	struct pmg_facts facts;    /* of manager and config.yml together */
	bool walls;                /* the tool is to run within walls */
	bool tmp_shared;           /* PMG_PREPARE_TMP_BELOW is to be used */
	struct pmg_policy *policy; /* sealed; NULL: without walls */
	char *repository;          /* git top level, else cwd; of a policy */
	struct pmg_settled settled;
	struct pmg_cached cached;
	bool any_system;         /* as of places.h */
	struct pmg_strv folders; /* caches, stores, results, programs: to be made ahead
				  * (run/ahead.h) */
	struct pmg_strv files;   /* to be written, the same */
	bool has_loopback;       /* a registry or artifact host is on loopback */
};

void pmg_prepared_done(struct pmg_prepared *prepared);
PMG_DEFINE_AUTO_DONE(prepared, struct pmg_prepared, pmg_prepared_done);

/** Manager, verb, program, folder: enough to become the tool. Reads no file of ours. */
int pmg_prepare_program(const struct pmg_run_want *want, struct pmg_prepared *out,
			struct pmg_err *err) PMG_MUST_CHECK;
/** Folders, configuration and what bounds it; what managed policy refuses is an error. After the
 *  above. @param[out] config  zeroed before */
int pmg_prepare_config(const struct pmg_run_want *want, struct pmg_prepared *out,
		       struct pmg_config *config, struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Facts and policy. After the above. May run the program in an empty folder to ask for defaults.
 * @param run_dir  the run's folder, which the tool may read; NULL: there is none, the plan is only
 *                 to be shown
 * @param cancel_fd  when it becomes readable the program is not waited for; 0: none
 */
int pmg_prepare_facts(const struct pmg_run_want *want, const struct pmg_config *config,
		      const char *run_dir, int cancel_fd, struct pmg_prepared *out,
		      struct pmg_err *err) PMG_MUST_CHECK;
/** What the above comes to, as a plan, sealed: takes longer than the rest of a start together, so
 *  only for who shows or records it. Caller owns. */
struct pmg_plan *pmg_prepare_plan(const struct pmg_run_want *want,
				  const struct pmg_prepared *prepared,
				  const struct pmg_config *config) PMG_MUST_CHECK;

/**
 * The policy alone, for commands that show or change it. Runs nothing; a tool that is not installed
 * does not matter.
 * @param[out] out  zeroed before; policy, cwd, dirs and repository are filled
 */
int pmg_prepare_policy(const struct pmg_run_want *want, struct pmg_prepared *out,
		       struct pmg_err *err) PMG_MUST_CHECK;

/**
 * May a run take this profile? A file inside a project may only tighten. One that config.yml names
 * was looked at by who named it; pmg's own folder may lie in a repository, of a home for instance.
 * @param prepared  with its policy
 * @return 0; -PMG_E_CONFIG
 */
int pmg_prepare_check(const struct pmg_run_want *want, const struct pmg_prepared *prepared,
		      struct pmg_err *err) PMG_MUST_CHECK;

/* The profiles and presets that runs of this user have, for commands about them. */
struct pmg_shelf {
	struct pmg_bounds bounds;
	struct pmg_dirs dirs;
	struct pmg_config config;
	struct pmg_library library; /* borrows from both */
};
void pmg_shelf_done(struct pmg_shelf *shelf);
PMG_DEFINE_AUTO_DONE(shelf, struct pmg_shelf, pmg_shelf_done);
/** @param[out] out  zeroed before; pmg_shelf_done() also on failure. @return 0 or as the parts */
int pmg_shelf_open(const struct pmg_strv *env, struct pmg_shelf *out,
		   struct pmg_err *err) PMG_MUST_CHECK;

/**
 * The repository alone, which a policy that cannot be made does not keep from being found.
 * @param path  a folder in it, which need not be there any more; NULL: the current one
 * @param[out] out  zeroed before; cwd, dirs and repository are filled
 */
int pmg_prepare_repository(const struct pmg_strv *env, const char *path, struct pmg_prepared *out,
			   struct pmg_err *err) PMG_MUST_CHECK;

/** Path of the temporary folder as the tool sees it. Static. */
const char *pmg_prepared_tmp(const struct pmg_prepared *prepared);

#endif
