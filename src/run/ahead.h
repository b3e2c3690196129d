#ifndef PMG_RUN_AHEAD_H
#define PMG_RUN_AHEAD_H
/**
 * Folders and files that a tool will make and that must be there before it starts:
 * Landlock grants what exists, and to let a tool make ~/.npm itself would mean
 * to let it make anything in the home. So pmg makes them, and takes those away
 * again that stayed empty, unless another run counts on them. So with a file
 * that it will write, where that is not in a folder that it may fill.
 */
#include "base/strv.h"

#define PMG_AHEAD_LOCKS 32U

struct pmg_ahead {
	struct pmg_strv made; /* from the top down */
	int locks[PMG_AHEAD_LOCKS];
	size_t n_locks;
};

/** Takes what is still empty away. */
void pmg_ahead_done(struct pmg_ahead *ahead);
PMG_DEFINE_AUTO_DONE(ahead, struct pmg_ahead, pmg_ahead_done);

/**
 * Make a folder and those above it that are missing, with the caller's umask, as the tool would.
 * What cannot be made is left out: the tool will say so itself.
 * Until pmg_ahead_done() no other run takes it away.
 * @param path  absolute
 */
void pmg_ahead_make(struct pmg_ahead *ahead, const char *path);
/** Make a file, empty, in a folder that is there. The same otherwise. */
void pmg_ahead_make_file(struct pmg_ahead *ahead, const char *path);
/** Take a folder or file away that is empty and that no run counts on. */
void pmg_ahead_remove(const char *path);

#endif
