#ifndef PMG_TESTS_HELPER_STAGE_H
#define PMG_TESTS_HELPER_STAGE_H
/**
 * A stage for guarded runs: the test program, copied, plays all parts, told
 * apart by the name it is called by: "pmg-proxy" a proxy that speaks wire.h and
 * does what the path of the registry says, "npm" a tool that does what its
 * arguments say. The link option -Wl,--wrap=pmg_pm_find puts a manager in
 * between that learns its registry from FAKE_REGISTRY, and with FAKE_SLOW set asks somebody
 * who does not answer first.
 *
 * Words of the registry's path, any number: fail, quit, mute, nonsense (instead
 * of READY); noindex, stale; allow, block, tunnel, trouble (one event each); deaf (to
 * STOP); die (when somebody connects).
 *
 * Runs of the stage have no walls: those are tested with the real parts.
 *
 * Words of the tool: "plain", "install" or "run" first (the verb), then one of
 *   exit N | signal N | env | pid | daemon | connect | hang | count | raw | nest WORD...
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/strv.h"

/** Call first in main. Returns in the test program, with its copies in place; not in the parts. */
void stage_open(int argc, char **argv);
void stage_close(void);

/** A path on the stage: "home", "project", "tools", "out". Caller frees. */
char *stage_path(const char *name);
/** The environment of a run: PATH, HOME, TMPDIR, FAKE_REGISTRY with these words. */
void stage_env(struct pmg_strv *env, const char *words);

/* One run, told by what the front left behind. */
struct stage_run {
	int status; /* wait status of the front */
	int r;      /* of pmg_run(); 1: it became the tool */
	int errnum, diag;
	char err[512];
	char *out;        /* what the tool wrote to its stdout */
	char *said;       /* lines of say() */
	char *record;     /* JSON */
	unsigned proxies; /* that were started during it */
	unsigned took_ms;
};

void stage_run_done(struct stage_run *run);

/** Take away what the last run left; stage_start() does it too. */
void stage_reset(void);
/** Start the front; args is NULL-terminated, without "npm". @return its pid */
pid_t stage_start(const struct pmg_strv *env, const char *const *args);
/** Wait for it and collect. */
void stage_wait(pid_t front, struct stage_run *run);
/** In the calling process: what stage_start() does in a child. Does not return. */
void stage_front(const struct pmg_strv *env, const char *const *args) __attribute__((noreturn));

/** Processes of this stage that still live. */
unsigned stage_living(void);
/** Folders of runs that are still there. */
unsigned stage_folders(void);
/** Wait until a file of the stage has something in it, at most 5 s; its text, "" if not. */
char *stage_await(const char *name);

#endif
