#ifndef PMG_PROXY_AGES_PRIV_H
#define PMG_PROXY_AGES_PRIV_H
/** Ages from the inside: ages.c asks registries, ages_find.c looks up what they said, ages_kept.c
 * carries it from run to run. */
#include "proxy/ages.h"
#include "proxy/turn.h"

struct pmg_ages {
	struct pmg_service *service;
	struct pmg_ages_job *first, *last; /* running ones and those in wait, in order */
	size_t n, n_running;
	struct pmg_turns turns;
	char *authorizations[PMG_REGISTRIES_MAX];
	bool is_reached[PMG_REGISTRIES_MAX];   /* it has answered */
	unsigned n_failed[PMG_REGISTRIES_MAX]; /* requests, before it ever did */
	struct pmg_strv kept;
};

/**
 * Which registries may a pin be of?
 * @param[out] is_foreign  none of them for sure: one that does not know it says nothing
 * @return how many
 */
size_t pmg_ages_homes(const struct pmg_ages *ages, const struct pmg_ages_pin *pin, size_t *homes,
		      bool *is_foreign);
/** When was it published, as one registry says?
 *  @param[out] label  where dated: what the table calls that; caller frees */
enum pmg_dated pmg_ages_look_pin(const struct pmg_ages *ages, size_t registry,
				 const struct pmg_ages_pin *pin, int64_t *published, char **label);
/** What the table of dates calls an artifact; NULL: nothing. Caller frees. */
char *pmg_ages_label(const struct pmg_identity *who, const struct pmg_url *url) PMG_MUST_CHECK;

#endif
