#ifndef PMG_POLICY_BUILD_H
#define PMG_POLICY_BUILD_H
/**
 * From names to a policy: built-in profile -> user profile (inherits, one
 * level) -> presets -> overlay of the repository -> --sandbox-allow, with
 * variables replaced by what was found of this host. Reads the user's profile,
 * preset and overlay files; the rest is pure.
 */
#include "conf/config_sandbox.h"
#include "conf/managed.h"
#include "policy/policy.h"

/* What was found of host, manager and project. All paths absolute and canonical; lists may be
 * empty; a variable with several values makes a rule for each, one with none leaves a read entry
 * out, with a note, and makes a write or deny entry an error. */
struct pmg_policy_facts {
	const char *manager; /* "npm", "pnpm", "pip", "exec" */
	const char *tool;    /* "npx" */
	bool runs_code;      /* the tool becomes a program of the project: it is a script */
	const char *cwd;     /* ${CWD} */
	const char *project; /* ${PROJECT} */
	const char *home;    /* ${HOME} */
	const char *tmp;     /* ${TMPDIR} as the run will see it; "/tmp": the run has its own /tmp
			      * and /var/tmp, so that the variable stands for both */
	const char *repository; /* canonical git top level: whose overlay is read; NULL: cwd */
	const char *config_dir; /* $XDG_CONFIG_HOME/pmg */
	const struct pmg_config_template *templates; /* sandbox.policy_templates of config.yml */
	size_t n_templates;
	const char *state_dir;
	const char *cache_dir;
	const char *run_dir;      /* folder of the run: bundle and certificates */
	struct pmg_strv caches;   /* ${CACHE} */
	struct pmg_strv stores;   /* ${STORE} */
	struct pmg_strv prefixes; /* ${PREFIX}: global prefix, where the user owns it */
	struct pmg_strv programs; /* ${TOOLCHAIN}: folders below HOME, or elsewhere off the system
				   * trees, in which the programs on PATH really lie */
	struct pmg_strv configs;  /* ${CONFIG}: the manager's own configuration files */
	struct pmg_strv plain_configs; /* ${PLAINCONFIG}: those without a credential in them */
	struct pmg_strv modules;       /* folders that packages are installed into */
	struct pmg_strv parts;         /* programs that the manager starts in its own place */
	struct pmg_strv git_configs;   /* ${GITCONFIG}: ~/.gitconfig, XDG, included files */
	struct pmg_strv git_dirs;      /* ${GITDIR}: real git dir and common dir of the project */
	struct pmg_strv hooks; /* ${HOOKS}: what core.hooksPath names, besides hooks of git_dirs */
	struct pmg_strv outputs; /* ${OUTPUT}: where the command line has results written to */
	struct pmg_strv
		operands; /* ${OPERAND}: what the command line names outside of the project */
	struct pmg_strv source_dirs; /* ${SOURCEDIR}: the folders of them */
	struct pmg_strv dists;       /* ${DIST}: a project to be built, and where archives go */
	bool git_secret; /* configuration of git_dirs holds credentials: then it is closed for
			  * reading. Else it is open, or no git would work in a script */
};
void pmg_policy_facts_done(struct pmg_policy_facts *facts);
PMG_DEFINE_AUTO_DONE(policy_facts, struct pmg_policy_facts, pmg_policy_facts_done);

struct pmg_policy_want {
	const struct pmg_policy_facts *facts;
	const char *profile;               /* name or path of a file; NULL: that of the manager */
	const struct pmg_strv *allows;     /* --sandbox-allow, each TYPE=VALUE; NULL: none */
	const struct pmg_managed *project; /* .pmg.yml; NULL: none */
	const struct pmg_managed *managed; /* managed policy; NULL: none. Under its global_lockdown
					    * overlays allow nothing, with a note */
	bool pinned; /* managed policy names the profile: nothing of the user's stands for it */
	bool no_overlay;
	bool no_proxy; /* the policy is only shown: what network_via_proxy_only leaves to the proxy
			* is closed, with a note of what it would let through */
};

/**
 * @param[out] out  sealed; caller frees
 * @return 0; -PMG_E_CONFIG with file:line:column, or naming the --sandbox-allow that is wrong, or
 * no profile or preset of that name, with the nearest one as hint. Its diagnostic is PMG2106, or
 * PMG2004 for a variable without a value where that is an error
 */
int pmg_policy_build(const struct pmg_policy_want *want, struct pmg_policy **out,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** Take what the policy does not allow out of an environment.
 *  @param[out] removed  names, in their order; pmg_strv_done() */
void pmg_policy_scrub(const struct pmg_policy *policy, struct pmg_strv *env,
		      struct pmg_strv *removed);

#endif
