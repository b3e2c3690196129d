#ifndef PMG_PROXY_AGES_PRIV_H
#define PMG_PROXY_AGES_PRIV_H
/** Ages from the inside: ages.c asks registries, ages_find.c looks up what they said, ages_kept.c
 * carries it from run to run. */
#include "proxy/ages.h"
#include "proxy/turn.h"

struct pmg_ages {
	struct pmg_service *service;
	struct pmg_ages_job *first, *last; /* running ones and those in wait, in order */
	size_t n_running;
	struct pmg_turns turns;
	char *authorizations[PMG_REGISTRIES_MAX];
	struct pmg_strv kept;
};

/** What the table of dates calls an artifact; NULL: nothing. Caller frees. */
char *pmg_ages_label(const struct pmg_identity *who, const struct pmg_url *url) PMG_MUST_CHECK;

#endif
