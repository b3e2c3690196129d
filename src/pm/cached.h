#ifndef PMG_PM_CACHED_H
#define PMG_PM_CACHED_H
/**
 * May a manager have a package in its cache or store, so that it fetches nothing for it? Of npm it
 * can be told, since its cache goes by digest; of the others as long as they have nothing at all.
 */
#include "pm/places.h"

/* Zeroed: nothing can be told. */
struct pmg_cached {
	struct pmg_strv contents; /* npm: folders that go by digest */
	bool by_digest;
	bool is_empty; /* when it was looked for */
};
void pmg_cached_done(struct pmg_cached *cached);
PMG_DEFINE_AUTO_DONE(cached, struct pmg_cached, pmg_cached_done);

/** Before anything is made there. @param[out] out  zeroed before */
void pmg_cached_find(const struct pmg_pm *pm, const struct pmg_places *places,
		     struct pmg_cached *out);

/** @param integrity  as of pm/resolved.h; NULL: none. @return false: it surely has not */
bool pmg_cached_may_have(const struct pmg_cached *cached, const char *integrity);

#endif
