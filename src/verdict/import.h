#ifndef PMG_VERDICT_IMPORT_H
#define PMG_VERDICT_IMPORT_H
/**
 * A feed on disk becomes part of the index: it is read (feed.h), its records are reduced to what a
 * verdict needs (osv.h), the index is built anew (build.h), and a report says what became of every
 * file.
 */
#include "verdict/build.h"
#include "verdict/feed.h"

#define PMG_IMPORT_LIST_MAX 10000U /* lines of each list below; what is beyond is only counted */

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
	uint64_t not_malware;      /* of those: ordinary vulnerabilities */
	uint64_t tests;            /* of those: tests of the feed (MAL-0000-...) */
	uint64_t unread;           /* files and folders that could not be read */
	uint64_t other_files;      /* files that are no records by their names */
	uint64_t other_ecosystems; /* affected entries of malware that are neither npm nor PyPI */
	struct pmg_import_list faults; /* why those of `unread` could not be read */
	struct pmg_import_list notes;  /* where a record was not taken just as it is written */
	struct pmg_strv suspect;       /* what looks wrong (gates.h) and was accepted */
	struct pmg_build_result result;
};

void pmg_import_report_done(struct pmg_import_report *report);
PMG_DEFINE_AUTO_DONE(import_report, struct pmg_import_report, pmg_import_report_done);

/** The name that a feed gets by its path: "npm-all" for "/x/npm-all.zip", "npm" for "npm.tar.zst".
 *  Caller frees; NULL: nothing of the path can be a name. */
char *pmg_import_name(const char *path) PMG_MUST_CHECK;

/* An import that is to be done; all borrowed. */
struct pmg_import_want {
	const char *path;  /* the feed: a file or a folder */
	const char *also;  /* a folder of records that were changed since it was made; NULL: none */
	const char *index; /* intel.db */
	/* Build in this folder alone, and leave the new index there for the caller to publish
	 * (pmg_build_open_in()). NULL: lock and publish (pmg_build_open()). */
	const char *folder;
	const char *feed; /* name of the feed whose records are replaced */
	int64_t now;      /* seconds since 1970: the date that the index gets */
	/* Ecosystem of a list that does not say so itself; NULL: its file name tells (lists.h). */
	const enum pmg_eco *eco;
	bool accept; /* take it even though it looks wrong (gates.h) */
	bool typed; /* a person asked for it: a list of their own is taken even if it looks wrong */
	bool merge; /* replace only records whose id is in it (pmg_build_merge()) */
	/* Not looked at by pmg_import(): the file is an index, which takes the place of the whole
	 * present one by pmg_signed_copy(). For who hands this on to a process of its own. */
	bool is_index;
};

/**
 * Replace the records of one feed in the index.
 * @param[out] out  zeroed by the caller; pmg_import_report_done()
 * @return 0; -PMG_E_PARSE: not one record in it can be read; -PMG_E_PARSE with PMG3010: it looks
 *         wrong (gates.h) and want->accept is not set; what pmg_feed_read(), pmg_list_read() and
 *         pmg_build_*() return. On failure the index is as it was.
 */
int pmg_import(const struct pmg_import_want *want, struct pmg_import_report *out,
	       struct pmg_err *err) PMG_MUST_CHECK;

#endif
