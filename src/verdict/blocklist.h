#ifndef PMG_VERDICT_BLOCKLIST_H
#define PMG_VERDICT_BLOCKLIST_H
/**
 * The user's own block list, $XDG_CONFIG_HOME/pmg/blocklist.yml:
 *
 *   schema_version: 1
 *   block:
 *     - {purl: "pkg:npm/left-pad@1.0.0", reason: "why", created: 2026-11-29T10:00:00Z}
 *     - {purl: "pkg:pypi/evil"}
 *
 * An entry without a version blocks all of them. reason and created may be
 * left out. The file is read strictly (conf/yaml.h) and only when nobody else
 * could have written it (conf/trusted.h): a list that cannot be read is an
 * error, never an empty list.
 */
#include <stdbool.h>
#include <stdint.h>

#include "pm/purl.h"

#define PMG_BLOCKLIST_MAX        30000U /* entries */
#define PMG_BLOCKLIST_REASON_MAX 1024U  /* bytes */

struct pmg_block {
	struct pmg_purl purl;
	char *text;      /* the purl as written */
	char *canonical; /* version; NULL: all */
	char *reason;    /* NULL when none */
	char *created;   /* as written, a date; NULL when none */
};

/* Entries in the order of the file. */
struct pmg_blocklist {
	struct pmg_block *v;
	size_t n, cap;
	size_t *sorted; /* numbers of entries by ecosystem, name, version */
};

void pmg_blocklist_done(struct pmg_blocklist *list);
PMG_DEFINE_AUTO_DONE(blocklist, struct pmg_blocklist, pmg_blocklist_done);

/**
 * @param[out] out  zeroed by the caller; empty when there is no file
 * @return 0; -PMG_E_CONFIG: path:line:column; -PMG_E_LIMIT; -PMG_E_SYS
 */
int pmg_blocklist_load(const char *path, struct pmg_blocklist *out,
		       struct pmg_err *err) PMG_MUST_CHECK;

/** The same from memory. @param path  for messages */
int pmg_blocklist_parse(const char *path, const char *text, size_t len, struct pmg_blocklist *out,
			struct pmg_err *err) PMG_MUST_CHECK;
/** The same of a list that came from outside: entries for a range are kept, for the caller to tell
 *  of. They match nothing. */
int pmg_blocklist_parse_feed(const char *path, const char *text, size_t len,
			     struct pmg_blocklist *out, struct pmg_err *err) PMG_MUST_CHECK;
struct pmg_managed;
/**
 * The list that managed policy has ("block"); the reason of each entry names its line.
 * @param[out] out  zeroed by the caller
 * @return 0; -PMG_E_CONFIG with path:line:column and PMG1001
 */
int pmg_blocklist_managed(const struct pmg_managed *managed, struct pmg_blocklist *out,
			  struct pmg_err *err) PMG_MUST_CHECK;
/** The file's text; reading it gives the same entries. Caller frees. */
char *pmg_blocklist_format(const struct pmg_blocklist *list) PMG_MUST_CHECK;

/**
 * The entry that blocks a package; one for all versions comes first.
 * @param name, version  canonical; version NULL when unknown: then only entries for all versions
 * @return borrowed; NULL: none
 */
const struct pmg_block *pmg_blocklist_find(const struct pmg_blocklist *list, enum pmg_eco eco,
					   const char *name, const char *version);

/** Is there an entry for any version of that package? @param name  canonical */
bool pmg_blocklist_has(const struct pmg_blocklist *list, enum pmg_eco eco, const char *name);

/**
 * Add an entry, or give the one there is for the same package and version a new reason. All
 * others stay as they are; comments are not kept. The file is replaced whole, mode 0600; its
 * folder is made when missing.
 * @param reason  NULL: none, or the one there is
 * @return 2: was there, has a new reason; 1: added; 0: was there, nothing changed; what
 *         pmg_blocklist_load() returns; -PMG_E_TIMEOUT
 */
int pmg_blocklist_add(const char *path, const struct pmg_purl *purl, const char *reason,
		      int64_t now, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Take out the entries for exactly this package and version (no version: the ones without).
 * @return how many; what pmg_blocklist_load() returns; -PMG_E_TIMEOUT
 */
int pmg_blocklist_remove(const char *path, const struct pmg_purl *purl,
			 struct pmg_err *err) PMG_MUST_CHECK;

#endif
