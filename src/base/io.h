#ifndef PMG_BASE_IO_H
#define PMG_BASE_IO_H
/** Whole files and whole writes. Every descriptor is close-on-exec. */
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * Open to read, and look at what was opened, not at its name. Never waits: a FIFO under a file's
 * name must not hang us. What it is, st says.
 * @return 0; -PMG_E_NOTFOUND: no such file; -PMG_E_SYS
 */
int pmg_io_open(const char *path, int *fd, struct stat *st, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Read a whole regular file.
 * @param[out] text  caller frees; NUL added after len bytes
 * @return 0; -PMG_E_NOTFOUND: no such file; -PMG_E_LIMIT: above max; -PMG_E_SYS
 */
int pmg_io_slurp(const char *path, size_t max, char **text, size_t *len,
		 struct pmg_err *err) PMG_MUST_CHECK;
/**
 * The same of a file that another tool reads by itself: what is not there, cannot be read or is no
 * file says nothing to that tool either.
 * @param[out] text  NULL before, and still where there is nothing to read
 * @return 0; -PMG_E_LIMIT: above max
 */
int pmg_io_slurp_optional(const char *path, size_t max, char **text, size_t *len,
			  struct pmg_err *err) PMG_MUST_CHECK;
/** As pmg_io_slurp(), from an open descriptor, from where it stands to its end; `name` is for
 * messages. */
int pmg_io_slurp_fd(int fd, const char *name, size_t max, char **text, size_t *len,
		    struct pmg_err *err) PMG_MUST_CHECK;

/** Write all, across EINTR and short writes. @return 0 or -PMG_E_SYS */
int pmg_io_write_all(int fd, const void *bytes, size_t len, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Replace a file so that a reader sees the old or the new one whole: temporary
 * in the same folder, fsync, rename, fsync of the folder.
 * @return 0 or -PMG_E_SYS; on failure the old file stands and no temporary is left
 */
int pmg_io_replace(const char *path, const void *bytes, size_t len, mode_t mode,
		   struct pmg_err *err) PMG_MUST_CHECK;

/** mkdir -p; folders made get `mode`. @return 0 or -PMG_E_SYS */
int pmg_io_mkdirs(const char *path, mode_t mode, struct pmg_err *err) PMG_MUST_CHECK;

/** Close every descriptor from `from` up. Needs no memory: fit for a child before exec. */
void pmg_io_close_from(int from);
/** The same up to `to`, which goes too; nothing where it is below `from`. */
void pmg_io_close_between(int from, int to);

/** Random bytes from the kernel. @return 0 or -PMG_E_SYS */
int pmg_io_random(void *bytes, size_t len, struct pmg_err *err) PMG_MUST_CHECK;

#endif
