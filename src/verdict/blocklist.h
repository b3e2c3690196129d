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
 * An entry without a version blocks every version. reason and created may be
 * left out. The file is read strictly (conf/yaml.h), and only when nobody else
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
	char *text;    /* the package URL as written */
	char *version; /* canonical form of the one that is blocked; NULL: every version */
	char *reason;  /* NULL: none is given */
	char *created; /* a date, as written; NULL: none is given */
};

/* Entries in the order of the file. */
struct pmg_blocklist {
	struct pmg_block *v;
	size_t n, cap;
	size_t *sorted; /* indices into v, by ecosystem, name and version */
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

/**
 * Parse a list of this shape that is a feed (lists.h). An entry whose version is a range is no
 * error then, which would take all the others along: it is kept, and the caller reports it as
 * unread.
 */
int pmg_blocklist_parse_feed(const char *path, const char *text, size_t len,
			     struct pmg_blocklist *out, struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_managed;
/**
 * The list that managed policy has under "block"; the reason of each entry is its file and line.
 * @param[out] out  zeroed by the caller
 * @return 0; -PMG_E_CONFIG with path:line:column and PMG1001
 */
int pmg_blocklist_managed(const struct pmg_managed *managed, struct pmg_blocklist *out,
			  struct pmg_err *err) PMG_MUST_CHECK;

/** The text of such a file; reading it gives the same entries. Caller frees. */
char *pmg_blocklist_format(const struct pmg_blocklist *list) PMG_MUST_CHECK;

/**
 * Find the entry that blocks a package; an entry for every version is preferred.
 * @param name, version  canonical. version NULL: unknown, only entries for every version match
 * @return borrowed; NULL: nothing blocks it
 */
const struct pmg_block *pmg_blocklist_find(const struct pmg_blocklist *list, enum pmg_eco eco,
					   const char *name, const char *version);

/** Is there an entry for any version of that package? @param name  canonical */
bool pmg_blocklist_has(const struct pmg_blocklist *list, enum pmg_eco eco, const char *name);

/**
 * Add an entry to the file, or give the entry for the same package and version a new reason. All
 * other entries stay as they are; comments are lost. The file is replaced whole, mode 0600; its
 * folder is made when missing.
 * @param reason  NULL: a new entry has none, an old one keeps its own
 * @return 1: added; 2: it was there and has a new reason; 0: it was there, nothing has changed;
 * what pmg_blocklist_load() returns; -PMG_E_TIMEOUT: another command holds the file
 */
int pmg_blocklist_add(const char *path, const struct pmg_purl *purl, const char *reason,
		      int64_t now, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Take the entries for exactly this package and version out of the file; without a version those
 * that have none.
 * @return how many there were; what pmg_blocklist_load() returns; -PMG_E_TIMEOUT
 */
int pmg_blocklist_remove(const char *path, const struct pmg_purl *purl,
			 struct pmg_err *err) PMG_MUST_CHECK;

#endif
