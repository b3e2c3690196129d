#ifndef PMG_CONF_YAMLSCAN_H
#define PMG_CONF_YAMLSCAN_H
/**
 * Other tools' YAML, read as tolerantly as their own readers do: every scalar
 * is handed out with the keys that lead to it. No tree is made, so that a
 * lockfile of many megabytes costs no memory. Aliases are not followed.
 */
#include <stddef.h>

#include "base/err.h"

#define PMG_YAMLSCAN_DEPTH_MAX 16U

struct pmg_yamlscan_at {
	const char *keys[PMG_YAMLSCAN_DEPTH_MAX]; /* NULL for an item of a list */
	unsigned depth;                           /* number of keys */
	unsigned line;
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
