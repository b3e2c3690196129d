#ifndef PMG_PROXY_DATES_H
#define PMG_PROXY_DATES_H
/**
 * When which version was published, as documents of registries said: in this
 * run, or, for the oldest of them, in an earlier one. What is asked for by its
 * own address is judged by it. Bounded: what was read longest ago goes first.
 *
 * A date has a label: of npm the version, of PyPI the name of the file, since
 * files are added to a version long after it came out.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/strv.h"

#define PMG_DATES_MAX       ((size_t)8 << 20) /* bytes of all */
#define PMG_DATES_LABEL_MAX 512U              /* a longer one is not kept */

#define PMG_DATES_NONE 0 /* a date that the registry does not give; as PMG_DATE_NONE */

struct pmg_dates;
struct pmg_dates *pmg_dates_new(void) PMG_MUST_CHECK;
void pmg_dates_free(struct pmg_dates *dates);
PMG_DEFINE_AUTO(dates, struct pmg_dates *, pmg_dates_free);

/* What one document says. */
struct pmg_dates_page;
/** @param name  canonical; borrowed for the call */
struct pmg_dates_page *pmg_dates_page_new(size_t registry, const char *name) PMG_MUST_CHECK;
void pmg_dates_page_free(struct pmg_dates_page *page);
PMG_DEFINE_AUTO(dates_page, struct pmg_dates_page *, pmg_dates_page_free);
void pmg_dates_page_add(struct pmg_dates_page *page, const char *label, int64_t published);
/** All of it is there: it takes the place of what was known of that package. @param page  taken */
void pmg_dates_put(struct pmg_dates *dates, struct pmg_dates_page *page);

enum pmg_dated {
	PMG_DATED_UNKNOWN, /* no document of that package was read */
	PMG_DATED_MISSING, /* one was read, and did not have that label */
	PMG_DATED          /* published is set, perhaps to PMG_DATES_NONE */
};
enum pmg_dated pmg_dates_find(const struct pmg_dates *dates, size_t registry, const char *name,
			      const char *label, int64_t *published);

/** What is known of one package, label by label. */
void pmg_dates_each(const struct pmg_dates *dates, size_t registry, const char *name,
		    void (*fn)(void *ctx, const char *label, int64_t published), void *ctx);

/**
 * Is this date to be kept for the next run? True once for each that a document of this run gave;
 * what an earlier run kept is kept already.
 * @param[out] published  set when true
 */
bool pmg_dates_keep(struct pmg_dates *dates, size_t registry, const char *name, const char *label,
		    int64_t *published);

/** A date that an earlier run kept. It makes no document: what it does not say stays UNKNOWN. */
void pmg_dates_remember(struct pmg_dates *dates, size_t registry, const char *name,
			const char *label, int64_t published);

#endif
