#ifndef PMG_VERDICT_BUILD_H
#define PMG_VERDICT_BUILD_H
/**
 * Makes a new intel.db out of the records of one feed and what the present
 * index holds of other feeds. It is built in a folder of its own beside the
 * present one, checked, synced and renamed (publish.h): whoever looks sees the old or the new one
 * whole, and a build that is killed changes nothing. The old one is kept as intel.db.prev.
 *
 * The same records, feed names and times give the same bytes, in whatever
 * order they were added. Memory does not grow with their number: what is
 * staged goes into files without names beside the index.
 */
#include "verdict/osv.h"

struct pmg_build;
/** Without pmg_build_finish() before, all that was built is thrown away. */
void pmg_build_close(struct pmg_build *build);
PMG_DEFINE_AUTO(build, struct pmg_build *, pmg_build_close);

/**
 * Locks out other builds and reads what is kept of the present index.
 * @param feed  its records in the present index will be replaced
 * @return 0; -PMG_E_TIMEOUT: another build runs; -PMG_E_DB: the present index is damaged (hint);
 *         -PMG_E_SYS
 */
int pmg_build_open(const char *index_path, const char *feed, struct pmg_build **out,
		   struct pmg_err *err) PMG_MUST_CHECK;
/**
 * The same for a process that may write nowhere but in `folder` (pmg_publish_folder()). Whoever
 * started it holds the lock meanwhile, and publishes what pmg_build_finish() leaves there.
 */
int pmg_build_open_in(const char *folder, const char *index_path, const char *feed,
		      struct pmg_build **out, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Add a record of the feed. Of several with one id the one counts that was modified last; of
 * those a live one before a withdrawn one, then the greater text: never the order of adding.
 * @param text  len bytes: what the record was parsed from
 */
int pmg_build_add(struct pmg_build *build, const struct pmg_osv *record, const char *text,
		  size_t len, struct pmg_err *err) PMG_MUST_CHECK;
/** Add what a record that is not about malware names as its fixes. Of a feed that is merged they
 * take the place of those that the record had. */
int pmg_build_add_fixes(struct pmg_build *build, const struct pmg_osv *record,
			struct pmg_err *err) PMG_MUST_CHECK;

/** Keep that something of the feed could not be read, for whoever asks later: the first ones by
 * their paths, cut to some hundred bytes. Of a feed that is merged those from before stay. */
int pmg_build_add_fault(struct pmg_build *build, const char *path, const char *why,
			struct pmg_err *err) PMG_MUST_CHECK;
/** And how many there were in all. */
void pmg_build_set_unread(struct pmg_build *build, uint64_t n);

/**
 * Keep what the present index holds of the feed, but for records whose id is added: for updates
 * that name changed records only. Must be called before pmg_build_finish(). All records in one
 * build, or some later by this: the same bytes, where the later ones were modified later.
 */
void pmg_build_merge(struct pmg_build *build);

/** The feed is to be gone from the index, with all that came from it. Nothing of it is added. */
void pmg_build_drop(struct pmg_build *build);

struct pmg_build_result {
	uint64_t records;    /* live ones of this feed that name an npm or PyPI package */
	uint64_t withdrawn;  /* of this feed */
	uint64_t duplicates; /* records that gave way to another of the same id */
	uint64_t total;      /* live records of all feeds */
	uint64_t packages;   /* distinct names of all feeds */
};

/**
 * From now on pmg_build_finish() looks whether the feed looks wrong beside what the present index
 * has of it (gates.h), and fails if so.
 * @param accept  it is only told, and taken
 * @param found   gets a line for each thing; must live until pmg_build_finish() is done
 */
void pmg_build_guard(struct pmg_build *build, bool accept, struct pmg_strv *found);

/** @param now  seconds since 1970: stands in the index as its date.
    @return 0; -PMG_E_PARSE with PMG3010: pmg_build_guard(); -PMG_E_DB, _SYS */
int pmg_build_finish(struct pmg_build *build, int64_t now, struct pmg_build_result *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

#endif
