#ifndef PMG_VERDICT_FETCHED_H
#define PMG_VERDICT_FETCHED_H
/**
 * What is remembered of each feed that `pmg intel update` has fetched, in
 * feeds/NAME.json beside the index: validators for the next question, and when
 * its server was last heard of, which is what the index's age is counted from.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

struct pmg_fetched {
	char *url;            /* of what all below is true */
	char *etag, *changed; /* of the file that was fetched last: ETag, Last-Modified; NULL */
	char *list_etag, *list_changed; /* of modified_id.csv */
	int64_t checked;                /* the server was heard of, and the index is what it has */
	int64_t full;                   /* the whole was taken */
	int64_t since; /* changes of single records from here on are in no whole that was taken */
	int64_t imported; /* date of the import that this is about: of another nothing is known; -1:
			     of none */
	bool pending;     /* the file is fetched, and not imported */
	bool merged;      /* all changes that were fetched are in the index */
};

void pmg_fetched_done(struct pmg_fetched *fetched);
PMG_DEFINE_AUTO_DONE(fetched, struct pmg_fetched, pmg_fetched_done);

/** Folder of these files, and of what is being fetched. Caller frees. */
char *pmg_fetched_folder(const char *index_path) PMG_MUST_CHECK;

/**
 * What cannot be read is as if it was not there: then all is fetched again. The sequence of a
 * signed index lies elsewhere (signed.h).
 * @param[out] out  zeroed by the caller
 */
void pmg_fetched_load(const char *folder, const char *feed, struct pmg_fetched *out);
/** @return 0; -PMG_E_SYS */
int pmg_fetched_save(const char *folder, const char *feed, const struct pmg_fetched *fetched,
		     struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Another index is to be in force: of each feed all is fetched again, whatever its server says of
 * changes, and until then it is as old as its import.
 * @return 0; -PMG_E_SYS
 */
int pmg_fetched_forget(const char *folder, struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_index;
/**
 * When an index was last known to be what its feeds have: of its feeds that are fetched the one
 * that was heard of longest ago; without such feeds when it was built.
 * @return 0 or -PMG_E_DB
 */
int pmg_fetched_checked(const char *index_path, struct pmg_index *index, int64_t *out,
			struct pmg_err *err) PMG_MUST_CHECK;

#endif
