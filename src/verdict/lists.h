#ifndef PMG_VERDICT_LISTS_H
#define PMG_VERDICT_LISTS_H
/**
 * Feeds that are one file in another shape than OSV. Which one, is told by the
 * content alone; each entry becomes a record with an id that is the same each
 * time and says where it comes from.
 *
 *   Aikido's list   [{"package_name": "x", "version": "1.0.0" or "*", "reason": "MALWARE"}, ...]
 *                   ids "aikido:npm/x@1.0.0", "aikido:npm/x". TELEMETRY and PROTESTWARE are no
 *                   malware: counted and passed over, as its makers do
 *   DataDog's manifest  {"x": null, "y": ["1.0.0", "1.0.1"]}, null for all versions;
 *                   ids "datadog:pypi/x"
 *   a list of your own  YAML or JSON of the shape of a block list (blocklist.h), strictly read;
 *                   ids "FEED:npm/x@1.0.0"
 *
 * The first two do not say of which ecosystem they are. Where nobody says so, a name of one in
 * the file's name, or in that of its folder, tells: "malware_pypi.json", "npm/manifest.json".
 */
#include "verdict/osv.h"

/* Bytes of one item: read one by one, a list takes little more memory than its text and its names.
 */
#define PMG_LIST_ITEM_MAX 8388608U

struct pmg_list_want {
	const char *path;        /* of the file: for messages and for the ecosystem */
	const char *feed;        /* its name */
	const enum pmg_eco *eco; /* NULL: nobody said */
};

/* Takes what is read; all is borrowed for the call. */
struct pmg_list_sink {
	/** @param text  what the record is, other than its id. @return 0; a code that ends it */
	int (*record)(void *arg, const struct pmg_osv *record, const char *text,
		      struct pmg_err *err);
	void (*unread)(void *arg, const char *place, const char *why);
	void (*not_malware)(void *arg);
	void (*own)(void *arg); /* before its records: it is a list of your own; NULL */
	void *arg;
};

/**
 * @return 1: it was a list; 0: it is none of these: one record, or nothing that can be read;
 *         -PMG_E_CONFIG: a list of your own that is wrong (path:line:column); -PMG_E_USAGE: nobody
 *         says of which ecosystem (hint); -PMG_E_PARSE: an array that is no list of packages; what
 *         the sink returned
 */
int pmg_list_read(const struct pmg_list_want *want, const char *text, size_t len,
		  const struct pmg_list_sink *sink, struct pmg_err *err) PMG_MUST_CHECK;

#endif
