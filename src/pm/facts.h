#ifndef PMG_PM_FACTS_H
#define PMG_PM_FACTS_H
/** Filling struct pmg_facts: what every manager does alike. */
#include "pm/pm.h"

/**
 * Add a registry by its address. Equal ones are kept once, with the origin
 * that came first. A path without "/" at its end gets one; user name and
 * password are taken out (they are the tool's business), as is a query.
 * @param scope  "@acme" or NULL. A registry that has a scope bound to it by the user is no mirror
 * of what everybody publishes there: with facts->by_user it is private
 * NULL and facts->has_default: it is replaced
 * @return 0; -PMG_E_PARSE: not an address; -PMG_E_LIMIT: more than PMG_REGISTRIES_MAX
 */
int pmg_facts_registry(struct pmg_facts *facts, enum pmg_eco eco, const char *url,
		       const char *scope, const char *what, unsigned line,
		       struct pmg_err *err) PMG_MUST_CHECK;

/**
 * The same for what a file or variable may say wrong: an address that cannot
 * be read becomes a note, since the tool will say so itself and a host that is
 * not learned is at worst reached without being judged, which is recorded.
 * @return 0; -PMG_E_LIMIT
 */
int pmg_facts_try_registry(struct pmg_facts *facts, enum pmg_eco eco, const char *url,
			   const char *scope, const char *what, unsigned line,
			   struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Add an artifact by its address; anything that is not http or https is
 * ignored. A "#fragment" and a leading "git+" are no part of it; git addresses
 * name no artifact and are ignored too.
 * @param name, version  NULL when the document does not say
 * @return 0; -PMG_E_LIMIT: more than PMG_SOURCES_MAX
 */
int pmg_facts_source(struct pmg_facts *facts, enum pmg_eco eco, const char *url, const char *name,
		     const char *version, struct pmg_err *err) PMG_MUST_CHECK;

/** From here on the default is known, if that is an address. */
void pmg_facts_settle(struct pmg_facts *facts, const char *url);

void pmg_facts_note(struct pmg_facts *facts, const char *fmt, ...) PMG_PRINTF(2, 3);
/** The same for what the user meant to have and has not: shown without -v. */
void pmg_facts_warn(struct pmg_facts *facts, const char *fmt, ...) PMG_PRINTF(2, 3);

#endif
