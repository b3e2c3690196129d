#ifndef PMG_VERDICT_LISTS_H
#define PMG_VERDICT_LISTS_H
/**
 * Feeds that are one file in a shape other than OSV. The content alone tells which shape it is.
 * Each entry becomes a record; its id says where it comes from, and is the same at each import.
 *
 *   Aikido's list   [{"package_name": "x", "version": "1.0.0" or "*", "reason": "MALWARE"}, ...]
 *                   ids "aikido:npm/x@1.0.0", "aikido:npm/x". Entries with the reason TELEMETRY
 *                   or PROTESTWARE are no malware: counted and passed over, as its makers do
 *   DataDog's manifest  {"x": null, "y": ["1.0.0", "1.0.1"]}, null for all versions;
 *                   ids "datadog:pypi/x"
 *   a list of your own  YAML or JSON of the shape of a block list (blocklist.h), strictly read;
 *                   ids "FEED:npm/x@1.0.0"
 *
 * The first two do not say of which ecosystem they are. If the caller does not know it either, the
 * word "npm", "pypi" or "python" in the name of the file, or of its folder, tells:
 * "malware_pypi.json", "npm/manifest.json".
 */
#include "verdict/osv.h"

/* Bytes of one item: read one by one, a list takes little more memory than its text and its names.
 */
#define PMG_LIST_ITEM_MAX 8388608U

struct pmg_list_want {
	const char *path;        /* of the file: for messages, and to find the ecosystem */
	const char *feed;        /* its name */
	const enum pmg_eco *eco; /* NULL: not known, the path tells */
};

/* Takes what is read; all is borrowed for the call. */
struct pmg_list_sink {
	/** @param text  what the record says, for a digest. @return 0; a code to end the reading */
	int (*record)(void *arg, const struct pmg_osv *record, const char *text,
		      struct pmg_err *err);
	void (*unread)(void *arg, const char *place, const char *why);
	void (*not_malware)(void *arg);
	/** Called before its records where it is a list of your own; or NULL. */
	void (*own)(void *arg);
	void *arg;
};

/**
 * @return 1: it was a list; 0: it is none of these, but one record, or nothing that can be read;
 *         -PMG_E_CONFIG: a list of your own that is wrong (path:line:column); -PMG_E_USAGE: its
 *         ecosystem is not known (hint); -PMG_E_PARSE: an array that is no list of packages; what
 *         the sink returned
 */
int pmg_list_read(const struct pmg_list_want *want, const char *text, size_t len,
		  const struct pmg_list_sink *sink, struct pmg_err *err) PMG_MUST_CHECK;

#endif
