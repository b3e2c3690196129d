#ifndef PMG_TESTS_HELPER_FOLDER_H
#define PMG_TESTS_HELPER_FOLDER_H
/** A folder of a test's own, below $TMPDIR or the build folder. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"

/** Absolute path; folder_free() it. Ends the test program when it cannot be made. */
static inline char *folder_new(void)
{
	const char *tmp = getenv("TMPDIR");
	pmg_autofree char *real = pmg_path_real(tmp ? tmp : ".");
	char *path = pmg_xasprintf("%s/pmg-test.XXXXXX", real ? real : ".");

	if (mkdtemp(path))
		return path;
	perror(path);
	exit(99); /* automake: hard error */
}

static inline int folder_remove_one(const char *path, const struct stat *st, int type,
				    struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void folder_free(char *path)
{
	if (!path)
		return;
	(void)nftw(path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(path);
}
PMG_DEFINE_AUTO(folder, char *, folder_free);

/** Write a file below folder, with the folders above it. */
static inline void folder_write(const char *folder, const char *name, const void *bytes, size_t len)
{
	pmg_autofree char *path = pmg_path_join(folder, name);
	pmg_autofree char *dir = pmg_path_dir(path);
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_io_mkdirs(dir, 0700, &err) < 0 ||
	    pmg_io_replace(path, bytes, len, 0600, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		exit(99);
	}
}

#endif
