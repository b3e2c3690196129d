#ifndef PMG_RUN_FIND_H
#define PMG_RUN_FIND_H
/**
 * The real program behind a tool's name: the first on PATH that is not pmg,
 * and does not lead back to pmg.
 *
 * Links and copies of pmg are known by what they are (run/self.h). A script
 * that calls pmg again ("exec pmg npm ...") cannot be: so each start leaves a
 * trace in the environment, PMG_VIA. A program that became pmg again without
 * becoming another process, and a shell script whose child pmg is, are passed
 * over; PMG_FIND_DEPTH_MAX starts within each other end any other loop. A
 * forged trace can only make pmg pass over programs.
 */
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/strv.h"

#define PMG_FIND_DEPTH_MAX 32U

struct pmg_found {
	char *program;          /* absolute, as PATH names it: links are not followed */
	struct pmg_strv passed; /* "dev:ino" of what leads back to pmg, and of program, last */
	uint64_t depth;         /* starts of pmg within each other, this one counted */
};

void pmg_found_done(struct pmg_found *found);
PMG_DEFINE_AUTO_DONE(found, struct pmg_found, pmg_found_done);

/**
 * @param tool  "npm"; with a "/" it is a path, and PATH is not asked
 * @param env   PATH and PMG_VIA are read
 * @param cwd   absolute: what relative and empty parts of PATH mean
 * @param[out] out  zeroed by the caller
 * @return 0; -PMG_E_NOTFOUND with errnum ENOENT (exit 127) or EACCES (126);
 *         -PMG_E_LIMIT: pmg and something else start each other for ever
 */
int pmg_find_program(const char *tool, const struct pmg_strv *env, const char *cwd,
		     struct pmg_found *out, struct pmg_err *err) PMG_MUST_CHECK;

/** Value of PMG_VIA for the program when it runs as process pid. Caller frees. */
char *pmg_found_via(const struct pmg_found *found, pid_t pid) PMG_MUST_CHECK;

#endif
