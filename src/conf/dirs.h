#ifndef PMG_CONF_DIRS_H
#define PMG_CONF_DIRS_H
/**
 * Where pmg's own files live (XDG Base Directory Specification 0.8). Found from
 * an environment that is passed in, so that tests and helpers need no setenv().
 * A relative value of an XDG variable is ignored, as the specification says.
 * HOME that is unset, empty or relative is replaced by the password database's.
 */
#include "base/strv.h"

struct pmg_dirs {
	char *home;    /* the user's, absolute */
	char *config;  /* $XDG_CONFIG_HOME/pmg: config.yml, blocklist.yml */
	char *state;   /* $XDG_STATE_HOME/pmg: ledger.db, intel.db */
	char *cache;   /* $XDG_CACHE_HOME/pmg: answers that can be had again */
	char *runtime; /* $XDG_RUNTIME_DIR/pmg; NULL when the variable is not set */
};

void pmg_dirs_done(struct pmg_dirs *dirs);
PMG_DEFINE_AUTO_DONE(dirs, struct pmg_dirs, pmg_dirs_done);

/**
 * All paths are absolute and clean; nothing is created or looked at.
 * @param env  borrowed: the user's environment
 * @param[out] out  zeroed or done before; pmg_dirs_done()
 * @return 0; -PMG_E_UNSUPPORTED: no HOME and the user is in no password database
 */
int pmg_dirs_find(const struct pmg_strv *env, struct pmg_dirs *out,
		  struct pmg_err *err) PMG_MUST_CHECK;

/** The home that the password database has for the caller's account; NULL: none. Caller frees. */
char *pmg_dirs_account_home(void) PMG_MUST_CHECK;

/**
 * Make one of the folders above, and what is missing above it, each with mode
 * 0700. One that is there already must be a folder of the caller's or root's
 * into which nobody else may write: what lies in it decides what is let in.
 * @return 0; -PMG_E_CONFIG: it is somebody else's or open to others; -PMG_E_SYS
 */
int pmg_dirs_make(const char *dir, struct pmg_err *err) PMG_MUST_CHECK;

#endif
