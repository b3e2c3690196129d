#ifndef PMG_VERDICT_INDEX_H
#define PMG_VERDICT_INDEX_H
/**
 * Read intel.db, the index of malicious packages. A file that is open never
 * changes: who replaces it renames a new one into its place. Opening takes well
 * under a millisecond and a lookup some microseconds, whatever the size.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/strv.h"
#include "pm/pm.h"
#include "verdict/digest.h"

struct pmg_index;
void pmg_index_close(struct pmg_index *index);
PMG_DEFINE_AUTO(index, struct pmg_index *, pmg_index_close);

/**
 * @return 0; -PMG_E_NOTFOUND: there is none; -PMG_E_DB: cut, damaged, of another pmg (hint);
 *         -PMG_E_CONFIG: somebody else could have written it (conf/trusted.h); -PMG_E_SYS
 */
int pmg_index_open(const char *path, struct pmg_index **out, struct pmg_err *err) PMG_MUST_CHECK;

int64_t pmg_index_built(const struct pmg_index *index);     /* seconds since 1970 */
uint64_t pmg_index_records(const struct pmg_index *index);  /* live, of all feeds */
uint64_t pmg_index_packages(const struct pmg_index *index); /* distinct names */

struct pmg_index_feed {
	char *name;
	int64_t imported; /* seconds since 1970 */
	uint64_t records;
	uint64_t withdrawn;
	int64_t newest;  /* the latest `modified` of its records; 0: none has one */
	uint64_t unread; /* files that could not be read, since all of the feed was last taken */
};

struct pmg_index_feeds {
	struct pmg_index_feed *v;
	size_t n, cap;
};

void pmg_index_feeds_done(struct pmg_index_feeds *feeds);
PMG_DEFINE_AUTO_DONE(index_feeds, struct pmg_index_feeds, pmg_index_feeds_done);

/** The feeds, sorted by name. @param[out] out  zeroed by the caller. @return 0 or -PMG_E_DB */
int pmg_index_feeds(struct pmg_index *index, struct pmg_index_feeds *out,
		    struct pmg_err *err) PMG_MUST_CHECK;

/** Read and check all of the file; takes a second a gigabyte. @return 0 or -PMG_E_DB */
int pmg_index_check(struct pmg_index *index, struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_index_question {
	enum pmg_eco eco;
	const char *name;    /* canonical */
	const char *version; /* canonical; NULL when unknown: only intervals without bounds match */
	bool readable;       /* the version follows its ecosystem's rules: it can be compared */
};

enum pmg_index_hit {
	PMG_INDEX_MISS,
	PMG_INDEX_UNSURE, /* a range may hold the version: its bounds cannot be compared with it */
	PMG_INDEX_HIT,
};

struct pmg_index_answer {
	enum pmg_index_hit hit;
	struct pmg_strv ids;     /* of all records that say so, sorted; none for a miss */
	struct pmg_strv sources; /* names of their feeds, sorted */
	struct pmg_strv notes;   /* reasons that their lists give, sorted */
};

void pmg_index_answer_done(struct pmg_index_answer *answer);
PMG_DEFINE_AUTO_DONE(index_answer, struct pmg_index_answer, pmg_index_answer_done);

/** @param[out] out  zeroed by the caller; filled only on success. @return 0 or -PMG_E_DB */
int pmg_index_find(struct pmg_index *index, const struct pmg_index_question *question,
		   struct pmg_index_answer *out, struct pmg_err *err) PMG_MUST_CHECK;

/** Is any version of that package on record? @param name  canonical. @return 0, 1 or -PMG_E_DB */
int pmg_index_has_name(struct pmg_index *index, enum pmg_eco eco, const char *name,
		       struct pmg_err *err) PMG_MUST_CHECK;

/** Does any record name an artifact by a digest of this algorithm? If not, none is computed. */
bool pmg_index_has_digests(const struct pmg_index *index, enum pmg_digest_alg alg);

/**
 * Which records name the file with this digest, whatever it is called? Never PMG_INDEX_UNSURE.
 * @param bytes  the digest; a length other than pmg_digest_len(alg) is a miss
 * @param[out] out  zeroed by the caller; filled only on success. @return 0 or -PMG_E_DB
 */
int pmg_index_find_digest(struct pmg_index *index, enum pmg_digest_alg alg, const void *bytes,
			  size_t len, struct pmg_index_answer *out,
			  struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Which records name exactly this version as their fix (fixes.h)?
 * @param name, version  canonical
 * @param[out] ids  theirs are added, sorted, at most PMG_INDEX_FIXES_MAX
 * @return 0 or -PMG_E_DB
 */
int pmg_index_find_fixes(struct pmg_index *index, enum pmg_eco eco, const char *name,
			 const char *version, struct pmg_strv *ids,
			 struct pmg_err *err) PMG_MUST_CHECK;
#define PMG_INDEX_FIXES_MAX 8

#endif
