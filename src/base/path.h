#ifndef PMG_BASE_PATH_H
#define PMG_BASE_PATH_H
/** Paths as text. Nothing here touches the file system but pmg_path_real(). */
#include <stdbool.h>

#include "base/mem.h"

/** dir/name; an absolute name is returned alone. Caller frees. */
char *pmg_path_join(const char *dir, const char *name) PMG_MUST_CHECK;
/** Lexical: no "//", "/./", trailing "/"; ".." is resolved in absolute paths only. Caller frees. */
char *pmg_path_clean(const char *path) PMG_MUST_CHECK;
/** Is path dir, or does it lie below it? Both absolute and clean; "/ws-evil" is not under "/ws". */
bool pmg_path_is_under(const char *path, const char *dir);
/** Last component; points into path. "/" has "". */
const char *pmg_path_name(const char *path);
/** Everything before the last component: "/" for "/a", "." for "a". Caller frees. */
char *pmg_path_dir(const char *path) PMG_MUST_CHECK;
/** realpath(3) as an owned string; NULL with errno set when it does not resolve. */
char *pmg_path_real(const char *path) PMG_MUST_CHECK;

#endif
