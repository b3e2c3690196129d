#ifndef PMG_VERDICT_KNOWN_H
#define PMG_VERDICT_KNOWN_H
/** What an index holds, for people: about one package, one feed, and altogether. Verdicts come from
 *  judge.h. */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strv.h"
#include "pm/pm.h"

#define PMG_KNOWN_MAX 10000U /* rows about one package; more are left out */

/* One thing that one record says: about one version, or about a range. Texts are "" where there is
 * none; versions are canonical. */
struct pmg_known_row {
	char *feed, *id, *note;
	char *version;  /* the one version; "": a range */
	char *low;      /* the range begins with it; "": with the first version */
	char *high;     /* the range ends before it; "": it has no end */
	bool inclusive; /* high itself is in the range */
};

/* In the order of feed, id and version. */
struct pmg_known {
	struct pmg_known_row *v;
	size_t n, cap;
	bool has_more; /* PMG_KNOWN_MAX is reached */
};

void pmg_known_done(struct pmg_known *known);
PMG_DEFINE_AUTO_DONE(known, struct pmg_known, pmg_known_done);

/**
 * @param name  canonical
 * @param[out] out  zeroed by the caller
 * @return 0; -PMG_E_NOTFOUND: there is no index; what pmg_index_open() returns
 */
int pmg_known_load(const char *index_path, enum pmg_eco eco, const char *name,
		   struct pmg_known *out, struct pmg_err *err) PMG_MUST_CHECK;
/** "1.0.0", ">=1.0.0 <2.0.0", "<=2.0.0", "all versions". Caller frees. */
char *pmg_known_versions(const struct pmg_known_row *row) PMG_MUST_CHECK;

#define PMG_KNOWN_NEWEST 5U

/* A file of a feed that could not be read. */
struct pmg_known_fault {
	char *path, *reason;
};

/* What an index holds of one feed. */
struct pmg_known_feed {
	struct pmg_strv newest;         /* ids of its newest records, at most PMG_KNOWN_NEWEST */
	struct pmg_known_fault *faults; /* the first ones; pmg_index_feed.unread counts all */
	size_t n_faults, cap_faults;
};

void pmg_known_feed_done(struct pmg_known_feed *feed);
PMG_DEFINE_AUTO_DONE(known_feed, struct pmg_known_feed, pmg_known_feed_done);

/**
 * @param feed  its name; of a feed that the index has not, nothing is known
 * @param[out] out  zeroed by the caller
 * @return as pmg_known_load()
 */
int pmg_known_of_feed(const char *index_path, const char *feed, struct pmg_known_feed *out,
		      struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_index_feeds;
#define PMG_KNOWN_OLD_S   (30 * 86400)
#define PMG_KNOWN_OLD_MIN 100U /* records: a smaller list may well have nothing new for long */
/**
 * An update that finds nothing new is no proof that a feed is alive. Adds a line for each feed
 * whose newest record is older than PMG_KNOWN_OLD_S: "newest record of osv-npm is of
 * 2026-01-31, 90 days ago: is its address still right?".
 */
void pmg_known_old_feeds(const struct pmg_index_feeds *feeds, int64_t now, struct pmg_strv *lines);

struct pmg_known_totals {
	struct {
		uint64_t packages, records;
	} of[2];          /* npm, PyPI: enum pmg_eco */
	uint64_t digests; /* artifacts that are known by what is in them */
};
/** @return as pmg_known_load() */
int pmg_known_count(const char *index_path, struct pmg_known_totals *out,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
