#ifndef PMG_CONF_YAMLSCAN_H
#define PMG_CONF_YAMLSCAN_H
/**
 * Other tools' YAML, read as tolerantly as their own readers do: every value
 * is handed out with the keys that lead to it. No tree is made, so that a
 * lockfile of many megabytes costs no memory. Aliases and merges ("<<") are not
 * followed: whoever must not miss a value has to look at the kinds.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define PMG_YAMLSCAN_DEPTH_MAX 16U

enum pmg_yamlscan_kind {
	PMG_YAMLSCAN_SCALAR,
	PMG_YAMLSCAN_ALIAS, /* "*x": what it stands for is not told */
	PMG_YAMLSCAN_LIST,  /* what is in it follows */
	PMG_YAMLSCAN_MAP
};

struct pmg_yamlscan_at {
	enum pmg_yamlscan_kind kind;              /* the value is "" but for scalars */
	const char *keys[PMG_YAMLSCAN_DEPTH_MAX]; /* NULL for an item of a list, "" for a key that
						     is an alias or a collection */
	bool plain;                               /* a scalar without quotes and tag: may be a
						     truth value or a number */
	unsigned depth;                           /* number of keys */
	unsigned line;
	unsigned key_line; /* of the key that was read last: of this value's, where it has one */
};

/** @return 0 to go on, else the scan ends and gives it back */
typedef int pmg_yamlscan_fn(void *ctx, const struct pmg_yamlscan_at *at, const char *value);

/**
 * @param name  for messages
 * @return 0; what fn returned; -PMG_E_PARSE: not YAML, or deeper than PMG_YAMLSCAN_DEPTH_MAX: what
 *         was handed out before counts
 */
int pmg_yamlscan(const char *name, const char *text, size_t len, pmg_yamlscan_fn *fn, void *ctx,
		 struct pmg_err *err) PMG_MUST_CHECK;

#endif
