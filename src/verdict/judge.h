#ifndef PMG_VERDICT_JUDGE_H
#define PMG_VERDICT_JUDGE_H
/**
 * May this package version pass? The answer comes from the local index
 * (intel.db), the user's block list (blocklist.yml) and the policy on packages
 * (conf/packages.h); nothing is asked of the network.
 *
 * Asked in this order, and the first that refuses decides: --as-of, what
 * managed policy blocks, the block list, the index by digest, the index by
 * name, the age. A name that cannot be read, and a version that cannot be
 * compared with a range that the index has for its name, are indeterminate;
 * callers treat that as a block. What waives what: docs/packages.md. The
 * contents of an artifact are not judged here, but by proxy/artifact.h.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/strv.h"
#include "pm/pm.h"

enum pmg_verdict { PMG_VERDICT_ALLOW, PMG_VERDICT_BLOCK, PMG_VERDICT_INDETERMINATE };

/** "allow", "block", "indeterminate". */
const char *pmg_verdict_name(enum pmg_verdict verdict);

/* Why a package is refused; each has a diagnostic code with a page in docs/codes/. */
enum pmg_reason {
	PMG_REASON_NONE,
	PMG_REASON_MALWARE,       /* a record of the index: PMG3001 */
	PMG_REASON_HASH,          /* the very file is on record, whatever it is called: PMG3002 */
	PMG_REASON_TOO_YOUNG,     /* not out for long enough, or nobody knows how long: PMG3003 */
	PMG_REASON_BLOCKLIST,     /* the user's block list: PMG3006 */
	PMG_REASON_MANAGED,       /* managed policy blocks it: PMG3006 */
	PMG_REASON_INDETERMINATE, /* name or version cannot be read: PMG3005 */
	PMG_REASON_INSPECTION,    /* what is in the artifact: PMG3009. Never given by the judge */
	PMG_REASON_MAX
};

int pmg_reason_diag(enum pmg_reason reason);         /* 3001, ... ; 0 for NONE */
const char *pmg_reason_text(enum pmg_reason reason); /* "known malware", ... */

/* age_rule of a version that came out after --as-of: for the user it does not exist, and nothing
 * waives that. */
#define PMG_AGE_RULE_AS_OF "--as-of"

struct pmg_judgement {
	enum pmg_verdict verdict;
	enum pmg_reason reason;
	struct pmg_strv ids; /* of the records that say so, sorted; when indeterminate those whose
				range could not be compared; none for a block list */
	struct pmg_strv sources; /* names of the feeds, "blocklist", "managed" */
	char *rule; /* the entry of a block list that matched, as written there; NULL */
	char *note; /* for people: the reason that a block list or a list of the index gives, the
		       line of managed policy, an entry that would have helped but expired; NULL */

	/* When the question had a publish time; also of what is let in. */
	int64_t age_s;       /* since it was published; -1: not judged, or not known */
	uint64_t min_age_s;  /* how old it has to be; 0: of any age */
	int64_t eligible_at; /* when it will be old enough; 0: it is, or it cannot be told */
	char *age_rule;      /* who says how old it has to be: a file and line, "default" or
				PMG_AGE_RULE_AS_OF; NULL: its age was not judged */

	/* A line for each reason to refuse it that was waived, with the entry that waived it. ids
	 * and sources are then those of the waived records. Callers show and record each. */
	struct pmg_strv waivers;

	/* What the inspection of the artifact found, "kind: text". Not filled by the judge. */
	struct pmg_strv findings;
};

/** Why it is refused, in a few words: pmg_reason_text(), or how old it is and how old it has to be.
 *  Caller frees. */
char *pmg_judgement_text(const struct pmg_judgement *judgement) PMG_MUST_CHECK;

void pmg_judgement_done(struct pmg_judgement *judgement);
PMG_DEFINE_AUTO_DONE(judgement, struct pmg_judgement, pmg_judgement_done);

struct pmg_index_info {
	bool present;       /* there is an index, and it is usable */
	int64_t built;      /* seconds since 1970 */
	int64_t checked;    /* when it was last known to hold what its feeds have: fetched.h */
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
 * Tell it what managed policy blocks, before it is asked anything.
 * @param path  of managed.yml (conf/managed.h); a missing file is no error
 * @return 0; -PMG_E_CONFIG with PMG1001
 */
int pmg_judge_add_managed(struct pmg_judge *judge, const char *path,
			  struct pmg_err *err) PMG_MUST_CHECK;
void pmg_judge_info(const struct pmg_judge *judge, struct pmg_index_info *out);

struct pmg_packages;
/**
 * Tell it the policy on packages, before it is asked anything. Without it the defaults hold.
 * @param packages  copied; pmg_packages_date() has been called for it
 * @return 0; -PMG_E_CONFIG: a pattern in it cannot be read: its place, and why
 */
int pmg_judge_set_packages(struct pmg_judge *judge, const struct pmg_packages *packages,
			   struct pmg_err *err) PMG_MUST_CHECK;
/** The same from the text that pmg_packages_encode() made. @return also -PMG_E_PEER: it is no such
 *  text */
int pmg_judge_hear_packages(struct pmg_judge *judge, const char *text, size_t len,
			    struct pmg_err *err) PMG_MUST_CHECK;
/** Are versions that must not be let in to be withheld from documents that managers read? Else
 *  managers see all versions, and fail when they fetch such a one. */
bool pmg_judge_filters(const struct pmg_judge *judge);
/** Could the age of any version of this package matter? If not, nobody has to fetch dates. */
bool pmg_judge_needs_dates(struct pmg_judge *judge, enum pmg_eco eco, const char *name);

/** Is anything against any version of it: a record, something built in, an entry of a block list?
 *  True also when that could not be looked up. */
bool pmg_judge_knows(struct pmg_judge *judge, enum pmg_eco eco, const char *name);

/* What kind of registry a package comes from. A private one has some names for itself, so that a
 * record about a public package of such a name is about another one. */
enum pmg_place_kind { PMG_PLACE_UNKNOWN, PMG_PLACE_PUBLIC, PMG_PLACE_PRIVATE };

/* Of a publish time. */
#define PMG_DATE_NONE    0    /* the registry gives none: never old enough */
#define PMG_DATE_UNASKED (-1) /* age is not judged here */

struct pmg_question {
	enum pmg_eco eco;
	const char *name;
	const char *version; /* NULL: unknown; then only records for all versions match */
	bool any_version;    /* a version that cannot be read may be any on record, so it is
				indeterminate: for packages that lie here, whose own files say which
				version they are */
	enum pmg_place_kind origin;
	int64_t published;           /* seconds since 1970, or one of the two dates above */
	const unsigned char *sha512; /* of the artifact, raw; NULL: not known (yet) */
	const unsigned char *sha256;
};

/**
 * @param q  name and version as the manager or the address says them
 * @param[out] out  zeroed by the caller, pmg_judgement_done()
 * @return 0; -PMG_E_DB: could not look. Callers treat that as a block: fail closed.
 */
int pmg_judge_decide(struct pmg_judge *judge, const struct pmg_question *q,
		     struct pmg_judgement *out, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Does an entry of trusted_packages let it in, whatever its artifact holds?
 * @return the entry in words, caller frees; NULL: none does
 */
char *pmg_judge_trusts(struct pmg_judge *judge, enum pmg_eco eco, const char *name,
		       const char *version) PMG_MUST_CHECK;
/** Does any record name a file by its digest of so many bits (256, 512)? If not, nobody has to
 *  compute it. */
bool pmg_judge_knows_files(const struct pmg_judge *judge, unsigned bits);

/** A question by name and version alone: kind of registry unknown, age and file not judged. */
int pmg_judge_ask(struct pmg_judge *judge, enum pmg_eco eco, const char *name, const char *version,
		  struct pmg_judgement *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
