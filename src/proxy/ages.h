#ifndef PMG_PROXY_AGES_H
#define PMG_PROXY_AGES_H
/**
 * Ask registries when versions were published, where what goes by does not say:
 * an artifact that a lockfile names, the abbreviated form of a packument, a
 * page of HTML. Each package is asked for once however many wait for it, some
 * at a time, the rest in turn; what was learned is in `dates`.
 *
 * Of npm the abbreviated packument is asked for first: it says when it was
 * modified, and what was published came before. Where that is not long enough
 * ago the full one follows. Of PyPI only the JSON form (PEP 700) has dates.
 */
#include "proxy/dates.h"
#include "proxy/request.h"
#include "proxy/service.h"

#define PMG_AGES_AT_ONCE 32U        /* requests */
#define PMG_AGES_QUEUED  8192U      /* packages; of more nothing is asked ahead */
#define PMG_AGES_GIVE_UP 8U         /* requests that failed, and none was answered */
#define PMG_AGES_HOPS    3U         /* redirects that are followed */
#define PMG_AGES_MS      120000U    /* for one document */
#define PMG_AGES_LARGE   (4U << 20) /* bytes of a document, beyond which one waits for its turn */

/* Somebody who waits for dates; in the caller's memory. Set task, zero the rest. */
struct pmg_ages_wait {
	struct pmg_task task; /* queued when it is over */
	struct pmg_err err;   /* code is 0, or why no date is known */
	struct pmg_ages_wait *next;
	struct pmg_ages_job *job; /* waited for; NULL: none */
};

struct pmg_ages;
struct pmg_ages *pmg_ages_new(struct pmg_service *service) PMG_MUST_CHECK;
void pmg_ages_free(struct pmg_ages *ages);
PMG_DEFINE_AUTO(ages, struct pmg_ages *, pmg_ages_free);

/**
 * A request of the run's own to a registry goes by: its Authorization is used for what is asked
 * here of the same registry.
 * @param authorization  NULL: it has none
 */
void pmg_ages_note(struct pmg_ages *ages, const struct pmg_url *url, const char *authorization);

/**
 * When was what is asked for published?
 * @param asked  of kind ARTIFACT
 * @param[out] registry, who  to be asked for, when false is returned: borrowed from asked
 * @return true: *published is set, as a question to the judge has it
 */
bool pmg_ages_find(const struct pmg_ages *ages, const struct pmg_asked *asked,
		   const struct pmg_url *url, int64_t *published, size_t *registry,
		   const struct pmg_identity **who);

/* What a lockfile pins, or what lies installed; all borrowed. */
struct pmg_ages_pin {
	enum pmg_eco eco;
	const char *name, *version;
	const char *url; /* as of pm/resolved.h; "" for a registry */
};
/**
 * The same for a package that nobody fetches now, as far as registries have said. Of a version of
 * PyPI the oldest file counts, as nobody knows which one will be taken; of several registries the
 * latest date. An archive from outside of all registries (git, a path) has no age; of one that may
 * be from anywhere (PMG_RESOLVED_ANYWHERE) a registry that does not know it says nothing.
 */
int64_t pmg_ages_find_pin(const struct pmg_ages *ages, const struct pmg_ages_pin *pin);
/** Which registries would have to be asked for that? @param[out] registries  room for
 *  PMG_REGISTRIES_MAX. @return how many */
size_t pmg_ages_missing(const struct pmg_ages *ages, const struct pmg_ages_pin *pin,
			size_t *registries);

#define PMG_AGES_KEPT_MAX 8192U /* lines */
/** That artifact was let in: keep its date for the next run. */
void pmg_ages_keep(struct pmg_ages *ages, const struct pmg_asked *asked, const struct pmg_url *url);
void pmg_ages_keep_pin(struct pmg_ages *ages, const struct pmg_ages_pin *pin);
/** What was kept, "eco base-url name label seconds". Borrowed. */
const struct pmg_strv *pmg_ages_kept(const struct pmg_ages *ages);
/** What earlier runs kept. Lines that are malformed or of a registry of another run are passed
 * over. */
void pmg_ages_remember(struct pmg_ages *ages, const char *text);

enum pmg_ages_how {
	PMG_AGES_PLAIN,
	PMG_AGES_FULL, /* of npm: no use in asking for the abbreviated form */
	PMG_AGES_EARLY /* before the run's own requests, so without their Authorization: that the
			* registry denies a package is no answer then (-PMG_E_NOTFOUND) */
};
/** Have a registry asked, and wait. Who waits comes before what is asked ahead. */
void pmg_ages_wait(struct pmg_ages *ages, size_t registry, const char *name, enum pmg_ages_how how,
		   struct pmg_ages_wait *wait);
/** Have it asked, PMG_AGES_EARLY, and wait for nothing: its dates will be wanted soon. */
void pmg_ages_ahead(struct pmg_ages *ages, size_t registry, const char *name);
struct pmg_page;
/** Would all that a page offers be old enough if it had been published at that time? */
bool pmg_ages_suffice(struct pmg_judge *judge, const struct pmg_page *page, enum pmg_eco eco,
		      const char *name, int64_t published);

void pmg_ages_forget(struct pmg_ages *ages, struct pmg_ages_wait *wait); /* not waiting: fine */

#endif
