#ifndef PMG_RUN_FOLDER_H
#define PMG_RUN_FOLDER_H
/**
 * The folder of one run: mode 0700, below $XDG_RUNTIME_DIR/pmg, else below
 * pmg-UID in $TMPDIR or /tmp. It holds the CA bundle for the tool, the
 * short one for node (run/certs.h) and a note for a pmg inside the run
 * (run/outer.h), and is locked as long as the run lives: folders whose owner
 * was killed go with it (run/sweeper.h), else they are swept by the next run.
 */
#include <stdbool.h>

#include "base/err.h"
#include "base/strv.h"

struct pmg_folder {
	char *path;
	int lock; /* descriptor of the folder, holds the lock */
};

#define PMG_FOLDER_INIT                                                                            \
	{                                                                                          \
		.lock = -1                                                                         \
	}

/** Remove the folder and all below it, if it is still ours. Fit for half-made ones. */
void pmg_folder_done(struct pmg_folder *folder);
PMG_DEFINE_AUTO_DONE(run_folder, struct pmg_folder, pmg_folder_done);

/**
 * Sweep old ones, make a new one.
 * @param env  XDG_RUNTIME_DIR and TMPDIR are read
 * @param[out] out  PMG_FOLDER_INIT before
 * @return 0; -PMG_E_SYS: nowhere to make one
 */
int pmg_folder_make(const struct pmg_strv *env, struct pmg_folder *out,
		    struct pmg_err *err) PMG_MUST_CHECK;

/**
 * The same for what may grow large: never in $XDG_RUNTIME_DIR, which is memory.
 */
int pmg_folder_make_large(const struct pmg_strv *env, struct pmg_folder *out,
			  struct pmg_err *err) PMG_MUST_CHECK;

/** A new folder in it, mode 0700. @param[out] path  caller frees. @return 0 or -PMG_E_SYS */
int pmg_folder_mkdir(const struct pmg_folder *folder, const char *name, char **path,
		     struct pmg_err *err) PMG_MUST_CHECK;

/**
 * A new file in it, mode 0600. @return descriptor, close-on-exec; or -PMG_E_SYS
 */
int pmg_folder_create(const struct pmg_folder *folder, const char *name,
		      struct pmg_err *err) PMG_MUST_CHECK;

/** Remove the folder of a run that has ended without having done so. @return false: its run lives,
 *  or something in it would not go */
bool pmg_folder_sweep(const char *path);

/** Is this the folder of a run that lives, made by the caller's own user? */
bool pmg_folder_is_live(const char *path);

#endif
