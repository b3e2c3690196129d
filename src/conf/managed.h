#ifndef PMG_CONF_MANAGED_H
#define PMG_CONF_MANAGED_H
/**
 * The two files that only take away: managed policy, which a fleet's owner puts
 * on a machine, and .pmg.yml, which a repository brings along.
 *
 * Managed policy has the keys of config.yml, "global_lockdown", "deny" and
 * "block". It is believed when nobody but root could have written it
 * (conf/trusted.h), and a mistake in it is an error, never "off". A project's
 * file may be anybody's, so it has "deny" and switches that can only be thrown
 * the strict way. What the two do to a configuration: conf/narrow.h. Keys:
 * docs/config.md.
 */
#include "conf/config.h"

#define PMG_MANAGED_PATH    PMG_SYSCONFDIR "/pmg/managed.yml"
#define PMG_MANAGED_PROJECT ".pmg.yml" /* at the top of a repository */
#define PMG_MANAGED_ENTRIES 4096U      /* of one list */

#define PMG_DIAG_MANAGED 1001 /* docs/codes/PMG1001.md */

/* An item of a list, as written; who knows patterns or package URLs checks it. */
struct pmg_managed_entry {
	const char *list; /* "deny_read", ...; "block". Static */
	char *text;
	unsigned line, column;
};

struct pmg_managed_list {
	struct pmg_managed_entry *v;
	size_t n, cap;
};

struct pmg_managed {
	struct pmg_config config; /* first, as its rows want it; path NULL: there is no file */
	bool of_project;          /* .pmg.yml */
	bool lockdown;            /* global_lockdown */
	char *home; /* of the account, whatever the variable HOME says; NULL: not asked for */
	struct pmg_managed_list deny;
	struct pmg_managed_list block;
};

void pmg_managed_done(struct pmg_managed *managed);
PMG_DEFINE_AUTO_DONE(managed, struct pmg_managed, pmg_managed_done);

/**
 * @param path  absolute and clean: PMG_MANAGED_PATH but in tests
 * @param[out] out  zeroed before; without a file it takes nothing away
 * @return 0; -PMG_E_CONFIG, whatever is wrong, with PMG1001: it cannot be read, somebody else than
 *         root could have written it, or path:line:column
 */
int pmg_managed_load(const char *path, struct pmg_managed *out, struct pmg_err *err) PMG_MUST_CHECK;
/** The same from memory. @param path  for messages */
int pmg_managed_parse(const char *path, const char *text, size_t len, struct pmg_managed *out,
		      struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Read PMG_MANAGED_PROJECT of a folder. No link is followed.
 * @return as above, without PMG1001
 */
int pmg_managed_load_project(const char *folder, struct pmg_managed *out,
			     struct pmg_err *err) PMG_MUST_CHECK;

/** The same from memory. @param path  for messages */
int pmg_managed_parse_project(const char *path, const char *text, size_t len,
			      struct pmg_managed *out, struct pmg_err *err) PMG_MUST_CHECK;

/** Is there such a file? */
bool pmg_managed_is_in_force(const struct pmg_managed *managed);
/** "managed policy (/etc/pmg/managed.yml:3)": who says so, by the line of a key; without the key,
 *  without the line. Caller frees. */
char *pmg_managed_who(const struct pmg_managed *managed, const char *key) PMG_MUST_CHECK;
/** Must this manager run within walls, whatever others say? */
bool pmg_managed_wants_walls(const struct pmg_managed *managed, const char *manager);

#endif
