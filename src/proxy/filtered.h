#ifndef PMG_PROXY_FILTERED_H
#define PMG_PROXY_FILTERED_H
/**
 * What filtering one document of a registry comes to: which versions are
 * withheld and why, which tags point elsewhere now, and the cuts that make it
 * so. The same for each kind of document.
 */
#include "base/clock.h"
#include "proxy/splice.h"

#define PMG_PUBLISHED_NONE INT64_MIN /* the document gives no date that can be read */

/* Why a version is withheld, where nobody was asked: it can be read in two ways. */
#define PMG_WITHHELD_UNREADABLE INT32_MAX

/* Not an answer: others have to be served in between. */
#define PMG_WITHHOLD_LATER (INT32_MAX - 1)

/**
 * May that version pass?
 * @param version    NULL when it cannot be told (a file of PyPI whose name says none)
 * @param published  seconds since 1970, or PMG_PUBLISHED_NONE
 * @return 0: it passes; > 0: it is withheld, the number is the caller's own; -PMG_E_..., err is
 *         filled: no answer, the document is not filtered; PMG_WITHHOLD_LATER: ask again
 */
typedef int (*pmg_withhold_fn)(void *ctx, const char *version, int64_t published,
			       struct pmg_err *err);

struct pmg_withheld {
	char *version; /* NULL when it cannot be told */
	char *file;    /* PyPI: the file's name; npm: NULL */
	int64_t published;
	int reason; /* what the callback returned, or PMG_WITHHELD_UNREADABLE */
};

struct pmg_retagged {
	char *tag;
	char *was; /* version that is withheld */
	char *now; /* NULL: nothing is left for it, the tag is gone */
};

struct pmg_filtered {
	struct pmg_withheld *withheld; /* in the document's order */
	size_t n, cap;
	struct pmg_retagged *tags;
	size_t tags_n, tags_cap;
	size_t left;  /* versions (PyPI: files) that pass. 0 with n > 0: nothing is left */
	size_t asked; /* of the document's versions or files, how many were asked about so far */
	bool *is_out; /* for each of them: it is withheld */
	struct pmg_splice splice;
};

#define PMG_FILTERED_INIT                                                                          \
	{                                                                                          \
		.splice = PMG_SPLICE_INIT                                                          \
	}

void pmg_filtered_done(struct pmg_filtered *filtered);
PMG_DEFINE_AUTO_DONE(filtered, struct pmg_filtered, pmg_filtered_done);

/* One that a document has. */
struct pmg_filtered_item {
	const char *version, *file; /* as struct pmg_withheld */
	int64_t published;
	bool is_unreadable; /* nobody is asked */
};
typedef void (*pmg_filtered_item_fn)(const void *doc, size_t i, struct pmg_filtered_item *out);

/**
 * Ask for what a document has, from where the last call ended.
 * @return 0: all is asked; 1: the callback said "later"; < 0: what it returned, with the version in
 *         front of what it said
 */
int pmg_filtered_ask(struct pmg_filtered *filtered, const void *doc, size_t n,
		     pmg_filtered_item_fn item, pmg_withhold_fn withhold, void *ctx,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** Copies. */
void pmg_filtered_add(struct pmg_filtered *filtered, const char *version, const char *file,
		      int64_t published, int reason);
void pmg_filtered_retag(struct pmg_filtered *filtered, const char *tag, const char *was,
			const char *now);

/* A list of members or elements of which some are left out: the commas are cut with them. */
struct pmg_members {
	struct pmg_splice *splice;
	uint64_t run;  /* where the run of left-out members began */
	uint64_t kept; /* end of the last member that stays */
	uint64_t end;  /* of the last member of the run */
	bool is_run;
	bool has_kept;
};

/** The next member, in the document's order: [at, end) without commas. */
int pmg_members_next(struct pmg_members *members, uint64_t at, uint64_t end, bool is_left_out,
		     struct pmg_err *err) PMG_MUST_CHECK;
/** There was the last one. */
int pmg_members_finish(struct pmg_members *members, struct pmg_err *err) PMG_MUST_CHECK;

#endif
