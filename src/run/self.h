#ifndef PMG_RUN_SELF_H
#define PMG_RUN_SELF_H
/**
 * Which files are pmg itself, and where its other programs lie.
 *
 * pmg may stand on PATH under many names ("npm", "pip"), as link, hard link or
 * copy. A copy cannot be told by its inode, so the front carries an ELF note
 * with the owner "pmg" (PMG_SELF_NOTE in its main), of whatever version.
 */
#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

/* Stands once in the main of the front, at file level. */
#define PMG_SELF_NOTE                                                                              \
	__asm__(".pushsection .note.pmg,\"a\",%note\n\t.balign 4\n\t.long 4, 4, 1\n\t"             \
		".asciz \"pmg\"\n\t.long 1\n\t.popsection")

/**
 * Is this file the front of some pmg? Same file as the running program, or an
 * ELF file with our note. What cannot be read is not.
 * @param st  of path, links followed
 */
bool pmg_self_is(const char *path, const struct stat *st);

/**
 * Where "pmg-proxy" or "pmg-intel" is: beside the running program (build tree),
 * else where it lies from there in an installation (which may have been moved
 * as a whole), else where this build installs it.
 * @param[out] path  caller frees
 * @return 0; -PMG_E_NOTFOUND; -PMG_E_UNSUPPORTED: others than the caller, root or the owner of
 *         pmg could have put it there
 */
int pmg_self_helper(const char *name, char **path, struct pmg_err *err) PMG_MUST_CHECK;

#endif
