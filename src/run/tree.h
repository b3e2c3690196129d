#ifndef PMG_RUN_TREE_H
#define PMG_RUN_TREE_H
/**
 * The processes below this one. The front is their subreaper, so that what
 * forks away ("daemons") stays below it and can be found and ended.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/** Orphans below become our children from now on. */
int pmg_tree_adopt(struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Send a signal to every descendant but those of `except` and what is below them.
 * @param except  ends with 0
 * @return how many there are, zombies not counted
 */
size_t pmg_tree_signal(int sig, const pid_t *except);

/** Is there a child besides `except`? Cheaper than looking through all processes. */
bool pmg_tree_has_others(const pid_t *except);

#endif
