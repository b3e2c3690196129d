#ifndef PMG_VERDICT_BUILD_H
#define PMG_VERDICT_BUILD_H
/**
 * Makes a new intel.db out of the records of one feed and what the present index holds of the other
 * feeds. It is built in a folder beside the present index, checked, synced and renamed (publish.h):
 * whoever looks sees the old index or the new one, each of them whole, and a build that is killed
 * changes nothing. The old one is kept as intel.db.prev.
 *
 * Open, add what was read, finish, close. Merge, drop and guard say how, at any time before finish.
 *
 * The same records, feed names and times give the same bytes, in whatever order they were added.
 * Memory does not grow with their number: what was added waits in files without names beside the
 * index.
 */
#include "verdict/osv.h"

struct pmg_build;
/** Before pmg_build_finish(): throws away all that was built. */
void pmg_build_close(struct pmg_build *build);
PMG_DEFINE_AUTO(build, struct pmg_build *, pmg_build_close);

/**
 * Lock out other builds, and check the present index.
 * @param feed  the one that is built: its records in the present index will be replaced
 * @return 0; -PMG_E_TIMEOUT: another build runs; -PMG_E_DB: the present index is damaged (hint);
 *         -PMG_E_SYS
 */
int pmg_build_open(const char *index_path, const char *feed, struct pmg_build **out,
		   struct pmg_err *err) PMG_MUST_CHECK;
/**
 * The same for a process that may write in `folder` alone (pmg_publish_folder()). The process that
 * started it holds the lock meanwhile, and publishes the file that pmg_build_finish() leaves there.
 */
int pmg_build_open_in(const char *folder, const char *index_path, const char *feed,
		      struct pmg_build **out, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Add a record of the feed. Of several records with one id a single one counts, whatever the order
 * in which they were added: the one that was modified last; of those that were modified at the same
 * time one that is not withdrawn; and of those the one whose text has the greater digest.
 * @param text  what the record was parsed from, len bytes
 */
int pmg_build_add(struct pmg_build *build, const struct pmg_osv *record, const char *text,
		  size_t len, struct pmg_err *err) PMG_MUST_CHECK;
/** Add the versions that a record about a vulnerability names as its fixes (fixes.h). When merging
 *  they take the place of those that the present index has of this record. */
int pmg_build_add_fixes(struct pmg_build *build, const struct pmg_osv *record,
			struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Remember in the index that something of the feed could not be read, for `pmg intel report`. The
 * first PMG_INDEX_FAULTS_MAX by their paths are kept, each text cut (index_priv.h). When merging,
 * those of earlier imports stay.
 */
int pmg_build_add_fault(struct pmg_build *build, const char *path, const char *why,
			struct pmg_err *err) PMG_MUST_CHECK;
/** How many of them there were in all. */
void pmg_build_set_unread(struct pmg_build *build, uint64_t n);

/**
 * Merge what is added into what the present index holds of the feed, for updates that name changed
 * records alone: only records whose id is added are replaced. A feed that is built whole, and one
 * of which the later records are merged, give the same bytes.
 */
void pmg_build_merge(struct pmg_build *build);

/** Take the feed out of the index, with all that came from it. Then nothing may be added. */
void pmg_build_drop(struct pmg_build *build);

/**
 * Have pmg_build_finish() compare the feed with what the present index has of it (gates.h), and
 * fail when it looks wrong.
 * @param accept  it does not fail then, and only says what looks wrong
 * @param found   gets a line for each thing that looks wrong; must live until the build is finished
 */
void pmg_build_guard(struct pmg_build *build, bool accept, struct pmg_strv *found);

struct pmg_build_result {
	uint64_t records;    /* of this feed: live ones that name an npm or PyPI package */
	uint64_t withdrawn;  /* of this feed: records that are withdrawn */
	uint64_t duplicates; /* added records that gave way to another one with their id */
	uint64_t total;      /* live records of all feeds */
	uint64_t packages;   /* distinct package names of all feeds */
};

/**
 * Build the index out of all that was added, check it, and publish it; after pmg_build_open_in() it
 * is left in the folder. Nothing can be added afterwards.
 * @param now  seconds since 1970: the date that the index gets
 * @return 0; -PMG_E_PARSE with PMG3010: it looks wrong (pmg_build_guard()); -PMG_E_DB; -PMG_E_SYS
 */
int pmg_build_finish(struct pmg_build *build, int64_t now, struct pmg_build_result *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

#endif
