#ifndef PMG_RUN_SWEEPER_H
#define PMG_RUN_SWEEPER_H
/**
 * A process that takes away what a run has made when the front was killed and cannot. It does
 * nothing else, and nothing at all while the front lives: what the front ends in order, it empties
 * itself. When both are killed at once, the next run sweeps.
 *
 * It has a session of its own, none of the caller's streams, and the host's view of files, in which
 * no mount of the run stands in the way.
 */
#include <sys/types.h>

#include "base/mem.h"

struct pmg_sweeper {
	pid_t pid; /* 0: none */
	int fd;
};

#define PMG_SWEEPER_INIT                                                                           \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/** There is nothing left to take away: ends it, and waits. Fit for one that was not started. */
void pmg_sweeper_done(struct pmg_sweeper *sweeper);
PMG_DEFINE_AUTO_DONE(sweeper, struct pmg_sweeper, pmg_sweeper_done);

/** @param[out] out  PMG_SWEEPER_INIT before. @return 0; -PMG_E_SYS */
int pmg_sweeper_start(struct pmg_sweeper *out, struct pmg_err *err) PMG_MUST_CHECK;

/* What is to go. */
enum pmg_sweeper_kind {
	PMG_SWEEPER_FOLDER = 'f', /* of a run (run/folder.h), whole, once nobody has its lock */
	PMG_SWEEPER_AHEAD = 'a',  /* made ahead (run/ahead.h), if it is empty */
};
/**
 * Tell it of something. A sweeper that is gone is not told: the next run sweeps.
 * @param path  absolute; longer ones than PATH_MAX are left out
 */
void pmg_sweeper_add(const struct pmg_sweeper *sweeper, enum pmg_sweeper_kind kind,
		     const char *path);

#endif
