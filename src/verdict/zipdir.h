#ifndef PMG_VERDICT_ZIPDIR_H
#define PMG_VERDICT_ZIPDIR_H
/**
 * Does the directory at the end of a zip archive say the same as the headers before each file? One
 * reader goes by the directory, another by the headers: of an archive where the two disagree
 * something is installed that was not looked at. They are compared as the bytes come, in little
 * memory.
 *
 * Source: APPNOTE.TXT 6.3.9, sections 4.3.12 to 4.3.16 and 4.5.3.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* What the header before a file said. */
struct pmg_zip_local {
	uint64_t offset; /* of its header */
	uint64_t size;   /* unpacked, as it was counted; UINT64_MAX: it was not counted */
	const char *name;
	/* Set by pmg_zipdir_feed(). */
	bool is_told;  /* the directory has this file */
	unsigned mode; /* type and bits as of stat(2), which only the directory has; 0: none */
};

struct pmg_zipdir;
/**
 * @param start   where the directory begins in the archive
 * @param locals  borrowed; by rising offset
 */
struct pmg_zipdir *pmg_zipdir_new(uint64_t start, struct pmg_zip_local *locals,
				  size_t n) PMG_MUST_CHECK;
void pmg_zipdir_free(struct pmg_zipdir *dir);
PMG_DEFINE_AUTO(zipdir, struct pmg_zipdir *, pmg_zipdir_free);

/** Hand over the next bytes, beginning with the first of the directory. @return 0; -PMG_E_PARSE:
 * the two disagree, or something stands there that no reader expects; then hand over no more. */
int pmg_zipdir_feed(struct pmg_zipdir *dir, const void *bytes, size_t len,
		    struct pmg_err *err) PMG_MUST_CHECK;
/** That was all. @return 0; -PMG_E_PARSE: the directory is cut, or a file is not in it */
int pmg_zipdir_end(struct pmg_zipdir *dir, struct pmg_err *err) PMG_MUST_CHECK;

#endif
