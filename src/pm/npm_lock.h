#ifndef PMG_PM_NPM_LOCK_H
#define PMG_PM_NPM_LOCK_H
/**
 * package-lock.json and npm-shrinkwrap.json, all versions of the format: the
 * archives that they name by address, with name and version. Archives of a
 * known registry in its usual shape (BASE/NAME/-/FILE) are left out: their
 * address says what they are.
 */
#include <stdbool.h>

#include "pm/pm.h"

#define PMG_LOCK_MAX 67108864U /* bytes of a lockfile */

/** Add what a lockfile names, of a text. @param name  for messages */
typedef int pmg_lock_parse_fn(struct pmg_facts *facts, const char *name, const char *text,
			      size_t len, struct pmg_err *err);

/**
 * A lockfile of any of node's managers. One that is not there adds nothing; one that cannot be
 * parsed adds a note, since the manager may still make sense of it (npm resolves merge conflicts).
 * @param facts  its registries must be known already
 * @return 0; -PMG_E_LIMIT
 */
int pmg_lock_read(struct pmg_facts *facts, const char *path, pmg_lock_parse_fn *parse,
		  struct pmg_err *err) PMG_MUST_CHECK;

/** For pmg_lock_read(). @return 0; -PMG_E_LIMIT; -PMG_E_PARSE */
int pmg_npm_lock_parse(struct pmg_facts *facts, const char *name, const char *text, size_t len,
		       struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Whether a text can be left unparsed: every address in it is that of a known
 * registry in its usual shape, and no key is written so that it could hide.
 * A look like this takes a fiftieth of the time of parsing.
 */
bool pmg_npm_lock_is_ordinary(const struct pmg_facts *facts, const char *text, size_t len);

struct json_t;
/** Name of the package of an entry of "packages"; "" for the project itself. Borrowed. */
const char *pmg_npm_lock_name(const char *key, const struct json_t *entry);

/** The addresses of all registries that are known. */
void pmg_npm_lock_bases(const struct pmg_facts *facts, struct pmg_strv *out);
/** BASE/NAME/-/FILE or BASE/@SCOPE/NAME/-/FILE of one of them: it says itself what it is. */
bool pmg_npm_lock_is_usual(const struct pmg_strv *bases, const char *url, size_t len);

#endif
