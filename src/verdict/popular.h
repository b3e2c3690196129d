#ifndef PMG_VERDICT_POPULAR_H
#define PMG_VERDICT_POPULAR_H
/** Names that everybody uses: data/popular.txt, built in. */
#include "pm/pm.h"

struct pmg_popular {
	enum pmg_eco eco;
	const char *name; /* canonical; NULL ends the list */
};

/* Sorted by ecosystem and name. */
extern const struct pmg_popular pmg_popular_names[];

#endif
