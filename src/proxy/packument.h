#ifndef PMG_PROXY_PACKUMENT_H
#define PMG_PROXY_PACKUMENT_H
/**
 * npm's documents about a package, read while they stream by: versions, dates,
 * dist-tags, and where in the bytes they stand; then the cuts that leave some
 * versions out. Nothing of the document is kept but a few dozen bytes for each
 * version. What could be read in two ways is refused: then the document cannot
 * be filtered, and must not be handed on where something could be withheld. Is it
 * within one version, or its tarball not plainly an address (weburl.h), then that
 * version is withheld without asking (PMG_WITHHELD_UNREADABLE).
 *
 *   doc = pmg_packument_new(PMG_PACKUMENT_PACKAGE)
 *   pmg_packument_feed() each piece; pmg_packument_finish()
 *   if (!pmg_packument_has_dates(doc)) pmg_packument_date(doc, ...)
 *   pmg_packument_filter(doc, ...); filtered.n == 0: hand on byte for byte,
 *   else by a pmg_splicer with filtered.splice
 *
 * What is left of a document is consistent: a withheld version is neither in
 * "versions" nor in "time", no dist-tag points to it, and "modified" is a second
 * earlier, so that nobody takes it for the whole by its date. Such a tag gets:
 * - from a release: the greatest release by SemVer that passes and is not
 *   above it; never a pre-release. "latest" may go back across majors, any
 *   other tag ("v4", "next-14") stays within the first number.
 * - from a pre-release: the newest by date, then by SemVer, of the same first
 *   number and word ("canary", "rc") that is not newer than it. "latest" takes
 *   the greatest release below it where there is none.
 * - one that is not deprecated before one that is; nothing: the tag goes.
 *
 * Sources: npm's package metadata (full and abbreviated packument, "time");
 * SemVer 2.0 section 11.
 */
#include "proxy/filtered.h"

#define PMG_PACKUMENT_VERSIONS_MAX 200000U
#define PMG_PACKUMENT_TIMES_MAX    400000U /* also of versions that were unpublished */
#define PMG_PACKUMENT_TAGS_MAX     20000U
#define PMG_PACKUMENT_TEXTS_MAX    (16U * 1048576U) /* names of all versions and tags together */

enum pmg_packument_kind {
	PMG_PACKUMENT_PACKAGE, /* /NAME: the packument, full or abbreviated */
	PMG_PACKUMENT_VERSION  /* /NAME/VERSION or /NAME/TAG: the document of one version */
};

/* The "tarball" of a version, as it stands there, not to be taken for plain text. */
typedef void (*pmg_tarball_fn)(void *ctx, const char *version, const char *reference);

struct pmg_packument;
/** @param kind  what was asked for: a document is read as the client will read it */
struct pmg_packument *pmg_packument_new(enum pmg_packument_kind kind) PMG_MUST_CHECK;
void pmg_packument_free(struct pmg_packument *doc);
PMG_DEFINE_AUTO(packument, struct pmg_packument *, pmg_packument_free);

/** Hear of all tarballs while they are read. Before the first byte. */
void pmg_packument_set_tarballs(struct pmg_packument *doc, pmg_tarball_fn fn, void *ctx);
/** @return 0; -PMG_E_PARSE, -PMG_E_LIMIT: it cannot be filtered, err says why and where */
int pmg_packument_feed(struct pmg_packument *doc, const char *bytes, size_t len,
		       struct pmg_err *err) PMG_MUST_CHECK;
int pmg_packument_finish(struct pmg_packument *doc, struct pmg_err *err) PMG_MUST_CHECK;

/* The rest is for documents that are finished. */

size_t pmg_packument_count(const struct pmg_packument *doc); /* versions */
/** Version i in the document's order. @param[out] published  or PMG_PUBLISHED_NONE. @return
 * borrowed */
const char *pmg_packument_version(const struct pmg_packument *doc, size_t i, int64_t *published);
/** Does it give dates at all? The abbreviated form has none, nor has that of one version. */
bool pmg_packument_has_dates(const struct pmg_packument *doc);
/** When the document says that it was modified last: no version came out later.
 *  @return seconds since 1970, or PMG_PUBLISHED_NONE. Only the abbreviated form says so here */
int64_t pmg_packument_modified(const struct pmg_packument *doc);
/** Date each version that has none by somebody who may know. @param find  PMG_PUBLISHED_NONE: no */
void pmg_packument_date(struct pmg_packument *doc, int64_t (*find)(void *ctx, const char *version),
			void *ctx);

/**
 * Ask for each version, and plan what is cut.
 * Of a document of one version nothing is cut: when it is withheld, left is 0, and
 * pmg_withhold_instead() may know which other version's document to hand on.
 * @param[in,out] out  PMG_FILTERED_INIT; on failure it only needs pmg_filtered_done()
 * @return 0; 1: withhold said "later", call again with the same out; what it returned below 0;
 *         -PMG_E_LIMIT
 */
int pmg_packument_filter(const struct pmg_packument *doc, pmg_withhold_fn withhold, void *ctx,
			 struct pmg_filtered *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
