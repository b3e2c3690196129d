#ifndef PMG_CONF_CONFIG_INTEL_H
#define PMG_CONF_CONFIG_INTEL_H
/**
 * The "intel" section of config.yml: where the index of known malware comes
 * from, and what to do when there is none, or only an old one.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strv.h"
#include "conf/keys.h"

#define PMG_CONFIG_FEEDS_MAX   32U
#define PMG_CONFIG_PUBKEYS_MAX 2U /* of a feed: one, and the next one while keys are changed */
#define PMG_FEED_NAME_MAX      64U

/* What "ecosystem" may be; NULL-terminated. A value that is read is an index: 0 npm, 1 pypi. */
extern const char *const pmg_config_ecosystems[];

/* What to do when there is no index of known malware to ask, or an old one. */
enum pmg_on_missing { PMG_ON_MISSING_WARN, PMG_ON_MISSING_BLOCK };

enum pmg_feed_format {
	PMG_FEED_AUTO,     /* its content tells; fetched whole each time it has changed */
	PMG_FEED_OSV_ZIP,  /* all.zip of an ecosystem; beside it modified_id.csv and ID.json */
	PMG_FEED_PMG_INDEX /* what `pmg intel export --sign` wrote; url is that of its manifest */
};

/** Letters, digits and -_. , at most PMG_FEED_NAME_MAX, beginning with a letter or digit: a feed's
 *  name becomes that of files. */
bool pmg_feed_name_is_valid(const char *name);

/* An entry of intel.feeds. */
struct pmg_config_feed {
	char *name;
	char *url;     /* https://, http://, file:/// or oci:// */
	int format;    /* enum pmg_feed_format */
	int ecosystem; /* for records that name none: as pmg_config_ecosystems; -1: not said */
	struct pmg_strv pubkeys;
	unsigned line; /* of the file; 0: built in */
	char *file;    /* NULL: config.yml, or built in */
};

struct pmg_config_intel {
	uint64_t max_age_s;
	struct pmg_config_feed *feeds;
	size_t n_feeds, cap_feeds;
};

void pmg_config_intel_done(struct pmg_config_intel *intel);
/** Read one entry of intel.feeds; a reader for the rows over struct pmg_config (config.c). */
int pmg_config_read_feed(const struct pmg_yaml *value, void *out, struct pmg_err *err);

/**
 * The feeds to fetch: those that the configuration names; else the public ones, OSV.dev's dumps for
 * npm and PyPI. Borrowed.
 */
const struct pmg_config_feed *pmg_config_feeds(const struct pmg_config_intel *intel, size_t *n);
/** Add a copy of a feed; it replaces one of the same name. @param file  for the copy's `file` */
void pmg_config_add_feed(struct pmg_config_intel *intel, const struct pmg_config_feed *feed,
			 const char *file);

struct pmg_config;
struct pmg_managed;
/**
 * What to do when the index is missing or old: what a file says; else PMG_ON_MISSING_BLOCK under
 * managed policy, and where CI is set, since nobody reads a warning there; else
 * PMG_ON_MISSING_WARN.
 * @param ci  value of the variable CI; NULL, "", "0" and "false": not set
 * @return enum pmg_on_missing
 */
int pmg_config_on_missing(const struct pmg_config *config, bool managed, const char *ci);

enum pmg_index_state { PMG_INDEX_MISSING, PMG_INDEX_STALE, PMG_INDEX_FRESH };
/** "missing", "stale", "fresh". */
const char *pmg_index_state_name(enum pmg_index_state state);
/** @param checked  when its feeds were last heard of; a time in the future counts as now */
enum pmg_index_state pmg_config_index_state(const struct pmg_config *config, bool present,
					    int64_t checked, int64_t now);
/**
 * Can a run go on with this index?
 * @param ci  as of pmg_config_on_missing()
 * @return 0; -PMG_E_UNSUPPORTED with PMG3007: it is missing or old, and that blocks
 */
int pmg_config_index_check(const struct pmg_config *config, bool managed, const char *ci,
			   bool present, int64_t checked, struct pmg_err *err) PMG_MUST_CHECK;
/** For a message: how old the index is, and how old it may be. Caller frees. */
char *pmg_config_stale_text(const struct pmg_config *config, int64_t checked) PMG_MUST_CHECK;
#endif
