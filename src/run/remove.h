#ifndef PMG_RUN_REMOVE_H
#define PMG_RUN_REMOVE_H
/**
 * Removing what install code has made: any depth, folders without rights,
 * links to elsewhere. Nobody may be working in it any more.
 */

#define PMG_REMOVE_DEPTH_MAX 65536U /* folders within each other; deeper ones stay */

/**
 * Remove all that lies in a folder; links are removed, never followed, other file systems that are
 * mounted below are not entered. What cannot be removed stays.
 * @param fd  borrowed; its place is not changed
 */
void pmg_remove_below(int fd);

#endif
