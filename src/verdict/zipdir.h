#ifndef PMG_VERDICT_ZIPDIR_H
#define PMG_VERDICT_ZIPDIR_H
/**
 * Does the directory at a zip archive's end say the same as the headers before each file? One
 * reader goes by the former, another by the latter: an archive whose two halves disagree installs
 * what was not looked at. Compared as the bytes come, in little memory.
 *
 * Source: APPNOTE.TXT 6.3.9, sections 4.3.12 to 4.3.16 and 4.5.3.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* What stood before a file. */
struct pmg_zip_local {
	uint64_t offset; /* of its header */
	uint64_t size;   /* unpacked, as it was counted; UINT64_MAX: it was not */
	const char *name;
	/* Set here. */
	bool is_told;  /* the directory has it */
	unsigned mode; /* as of stat(2), which stands only there; 0: it has none */
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

/** The next bytes, from the directory's first. @return 0; -PMG_E_PARSE: the two disagree, or
 *  something stands there that no reader expects. Then no more is to be fed. */
int pmg_zipdir_feed(struct pmg_zipdir *dir, const void *bytes, size_t len,
		    struct pmg_err *err) PMG_MUST_CHECK;
/** That was all. @return 0; -PMG_E_PARSE: it is not complete, or a file is not in it */
int pmg_zipdir_end(struct pmg_zipdir *dir, struct pmg_err *err) PMG_MUST_CHECK;

#endif
