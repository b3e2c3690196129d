#ifndef PMG_VERDICT_JUDGE_H
#define PMG_VERDICT_JUDGE_H
/**
 * May this package version pass? Answers from the local index (intel.db) and
 * the user's block list (blocklist.yml); nothing is asked of the network.
 * Order: what managed policy blocks, block list, then index. What cannot be read is indeterminate,
 * and indeterminate is a block where the index has a bounded range for the name.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/strv.h"
#include "pm/pm.h"

enum pmg_verdict { PMG_VERDICT_ALLOW, PMG_VERDICT_BLOCK, PMG_VERDICT_INDETERMINATE };

/** "allow", "block", "indeterminate". */
const char *pmg_verdict_name(enum pmg_verdict verdict);

/* Why: also the diagnostic code of a block (docs/codes/). */
enum pmg_reason {
	PMG_REASON_NONE,
	PMG_REASON_MALWARE,       /* a record of the index: PMG3001 */
	PMG_REASON_BLOCKLIST,     /* the user's block list: PMG3006 */
	PMG_REASON_MANAGED,       /* managed policy blocks it: PMG3006 */
	PMG_REASON_INDETERMINATE, /* name or version cannot be read: PMG3005 */
	PMG_REASON_MAX
};

int pmg_reason_diag(enum pmg_reason reason);         /* 3001, ... ; 0 for NONE */
const char *pmg_reason_text(enum pmg_reason reason); /* "known malware", ... */

struct pmg_judgement {
	enum pmg_verdict verdict;
	enum pmg_reason reason;
	struct pmg_strv ids;     /* "MAL-2025-1", sorted; of an indeterminate one: records whose
				    range could not be compared; empty for the block list */
	struct pmg_strv sources; /* names of the feeds, "blocklist", "managed" */
	char *rule; /* the entry of a block list that matched, as written there; NULL */
	char *note; /* the reason in the block list, the line of managed policy; NULL */
};

void pmg_judgement_done(struct pmg_judgement *judgement);
PMG_DEFINE_AUTO_DONE(judgement, struct pmg_judgement, pmg_judgement_done);

struct pmg_index_info {
	bool present;       /* there is an index, and it is usable */
	int64_t built;      /* seconds since 1970 */
	uint64_t records;   /* live records (not withdrawn) */
	uint64_t packages;  /* distinct names */
	uint64_t blocklist; /* entries of the user's list and of managed policy */
};

struct pmg_judge;
void pmg_judge_close(struct pmg_judge *judge);
PMG_DEFINE_AUTO(judge, struct pmg_judge *, pmg_judge_close);

/**
 * @param index_path      intel.db; a missing file is no error (info->present is false)
 * @param blocklist_path  blocklist.yml; a missing file is no error
 * @return 0; -PMG_E_DB: the index is there and unusable (hint says what to do);
 *         -PMG_E_CONFIG: the block list is wrong: path:line:column; or somebody else could have
 *         written one of the two
 */
int pmg_judge_open(const char *index_path, const char *blocklist_path, struct pmg_judge **out,
		   struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Let it know what managed policy blocks, before it is asked anything.
 * @param path  of managed.yml (conf/managed.h); a missing file is no error
 * @return 0; -PMG_E_CONFIG with PMG1001
 */
int pmg_judge_add_managed(struct pmg_judge *judge, const char *path,
			  struct pmg_err *err) PMG_MUST_CHECK;
void pmg_judge_info(const struct pmg_judge *judge, struct pmg_index_info *out);

/**
 * @param name, version  as the manager or the address says them; version NULL when unknown:
 *                       then only records for all versions match
 * @param[out] out  zeroed by the caller, pmg_judgement_done()
 * @return 0; -PMG_E_DB: could not look. Callers treat that as a block: fail closed.
 */
int pmg_judge_ask(struct pmg_judge *judge, enum pmg_eco eco, const char *name, const char *version,
		  struct pmg_judgement *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
