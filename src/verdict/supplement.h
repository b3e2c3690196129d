#ifndef PMG_VERDICT_SUPPLEMENT_H
#define PMG_VERDICT_SUPPLEMENT_H
/**
 * Well-known hijacks of packages that everybody uses, built into pmg: exact
 * versions and nothing else. They are looked up besides the index, so that the
 * first run, which has no index yet, knows something, and so that what no feed
 * lists is known.
 */
#include "verdict/index.h"

#define PMG_SUPPLEMENT_SOURCE "built-in"

/**
 * Look a version up, and add what is found to an answer of the index, or to an empty one.
 * @param name, version  canonical; version NULL when unknown: nothing matches then
 * @return whether it is a hit
 */
bool pmg_supplement_find(enum pmg_eco eco, const char *name, const char *version,
			 struct pmg_index_answer *answer);

/** Is any version of that package in it? @param name  canonical */
bool pmg_supplement_has(enum pmg_eco eco, const char *name);

/**
 * What is built in about a name, for people.
 * @param name  canonical
 * @param[out] id  caller frees
 * @return its versions with blanks between, static; NULL: nothing
 */
const char *pmg_supplement_about(enum pmg_eco eco, const char *name, char **id) PMG_MUST_CHECK;

size_t pmg_supplement_count(void); /* versions */

#endif
