#ifndef PMG_VERDICT_SUPPLEMENT_H
#define PMG_VERDICT_SUPPLEMENT_H
/**
 * Well-known hijacks of packages that everybody uses, built in: exact versions
 * and nothing else. They are asked beside the index, so that the first run,
 * which has none yet, knows something, and so that what no feed lists is known.
 */
#include "verdict/index.h"

#define PMG_SUPPLEMENT_SOURCE "built-in"

/**
 * Adds to an answer of the index, or to an empty one.
 * @param name, version  canonical; version NULL when unknown: nothing matches then
 * @return whether it is a hit
 */
bool pmg_supplement_find(enum pmg_eco eco, const char *name, const char *version,
			 struct pmg_index_answer *answer);

/** Is any version of that package in it? @param name  canonical */
bool pmg_supplement_has(enum pmg_eco eco, const char *name);

/**
 * What there is of a name, for people.
 * @param name  canonical
 * @param[out] id  caller frees
 * @return its versions, apart by blanks, static; NULL: it is not there
 */
const char *pmg_supplement_about(enum pmg_eco eco, const char *name, char **id) PMG_MUST_CHECK;

size_t pmg_supplement_count(void); /* versions */

#endif
