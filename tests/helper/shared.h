#ifndef PMG_TESTS_HELPER_SHARED_H
#define PMG_TESTS_HELPER_SHARED_H
/**
 * Data that is not in the repository: $PMG_TEST_SHARED, else a folder
 * "shared" beside the source folder or beside any folder above it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

#define SHARED_SKIP 77 /* automake: skipped */

/** Path of a file in there; NULL when there is no shared data. Caller frees. */
static inline char *shared_path(const char *name)
{
	const char *set = getenv("PMG_TEST_SHARED"), *top = getenv("srcdir");
	pmg_autofree char *dir = pmg_path_real(top ? top : ".");
	char *up;

	if (set)
		return pmg_path_join(set, name);
	while (dir && dir[1] != '\0') {
		pmg_autofree char *mark = NULL;

		up = pmg_path_dir(dir);
		free(dir);
		dir = up;
		mark = pmg_xasprintf("%s/shared/data/README.md", dir);
		if (access(mark, R_OK) == 0)
			return pmg_xasprintf("%s/shared/%s", dir, name);
	}
	return NULL;
}

/** First thing of main(): says so, for all to see, when there is nothing to test with. */
static inline bool shared_is_missing(void)
{
	pmg_autofree char *path = shared_path("data/README.md");

	if (path && access(path, R_OK) == 0)
		return false;
	fprintf(stderr, "skip: no shared data (set PMG_TEST_SHARED)\n");
	return true;
}

#endif
