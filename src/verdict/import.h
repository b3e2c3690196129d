#ifndef PMG_VERDICT_IMPORT_H
#define PMG_VERDICT_IMPORT_H
/**
 * From a feed on disk to the index: read (feed.h), reduce (osv.h), build
 * (build.h), and say what became of every file.
 */
#include "verdict/build.h"
#include "verdict/feed.h"

#define PMG_IMPORT_LIST_MAX 10000U /* lines of each list below; the counts go on */

/* A file and what is to be said of it. */
struct pmg_import_line {
	char *path; /* inside the feed, as written there */
	char *text;
};

struct pmg_import_list {
	struct pmg_import_line *v; /* sorted by path, then text */
	size_t n, cap;
};

struct pmg_import_report {
	uint64_t read;             /* records that were read */
	uint64_t not_malware;      /* of them: ordinary vulnerabilities */
	uint64_t tests;            /* of them: MAL-0000-... */
	uint64_t unread;           /* files and folders that could not be read */
	uint64_t other_files;      /* files that are no records by their names */
	uint64_t other_ecosystems; /* affected entries of malware that are neither npm nor PyPI */
	struct pmg_import_list faults; /* of `unread`: why */
	struct pmg_import_list notes;  /* of `read`: what was taken otherwise than written */
	struct pmg_strv suspect;       /* what looks wrong, and was accepted */
	struct pmg_build_result result;
};

void pmg_import_report_done(struct pmg_import_report *report);
PMG_DEFINE_AUTO_DONE(import_report, struct pmg_import_report, pmg_import_report_done);

/** "npm-all" for "/x/npm-all.zip", "npm" for "npm.tar.zst". Caller frees; NULL when nothing usable
 * is left. */
char *pmg_import_name(const char *path) PMG_MUST_CHECK;

/* What is to be done; all borrowed. */
struct pmg_import_want {
	const char *path;  /* file or folder */
	const char *also;  /* folder of records that were changed since; NULL */
	const char *index; /* intel.db */
	const char
		*folder;  /* pmg_build_open_in(): whoever asks publishes; NULL: pmg_build_open() */
	const char *feed; /* whose records are replaced */
	int64_t now;      /* seconds since 1970: the date of the index */
	const enum pmg_eco *eco; /* of a list that does not say so itself; NULL: by its name */
	bool accept;             /* take it though it looks wrong (gates.h) */
	bool typed; /* by a person: what looks wrong in a list of their own is only told */
	bool whole; /* it is an index, and comes in place of the present one: pmg_signed_copy() */
	bool merge; /* only records whose id is in it are replaced (pmg_build_merge()) */
};

/**
 * Replace the records of one feed.
 * @param[out] out  zeroed by the caller
 * @return 0; -PMG_E_PARSE: not one record can be read in it; the same with PMG3010: it looks
 *         wrong (gates.h) and is not accepted; what pmg_feed_read(), pmg_list_read() and
 *         pmg_build_*() return. The index is then as it was.
 */
int pmg_import(const struct pmg_import_want *want, struct pmg_import_report *out,
	       struct pmg_err *err) PMG_MUST_CHECK;

#endif
