#ifndef PMG_PM_NPMLIKE_H
#define PMG_PM_NPMLIKE_H
/** What npm and pnpm have in common: command line, environment, npmrc files, and what follows
 * from them. */
#include "pm/args.h"
#include "pm/pm.h"
#include "pm/settings.h"

/* Keys that stand for registries of pnpm's own files besides the default and those of scopes. */
#define PMG_NPMLIKE_NAMED "named-registry" /* asked for "work:NAME" alone */
#define PMG_NPMLIKE_OTHER "other-registry" /* may be asked for any name */

/* One learning: place and facts are set by the caller, the rest begins as zero. */
struct pmg_npmlike {
	const struct pmg_place *place; /* borrowed */
	struct pmg_facts *facts;       /* borrowed; filled */
	struct pmg_settings settings;
	struct pmg_strv operands; /* of the command line, the verb first */
	char *prefix;             /* of --prefix, -C, --dir, --cwd; NULL */
	bool cwd_is_folder;       /* that option is --cwd (yarn, bun) */
	/* Does this version of the manager read such a setting for sure? NULL: all of them */
	bool (*reads)(const struct pmg_npmlike *n, const struct pmg_setting *s);
	bool no_proxy_takes_word; /* "--no-proxy X" (pnpm 12), not the negation of --proxy */
};

void pmg_npmlike_done(struct pmg_npmlike *n);
PMG_DEFINE_AUTO_DONE(npmlike, struct pmg_npmlike, pmg_npmlike_done);

/**
 * Read the command line: options become settings, facts->argv becomes argv
 * without the options that name a proxy or certificates. Those have been taken
 * over as settings, and a note says so.
 * @param stop_after  this many operands end the tool's own part; 0: none does
 */
int pmg_npmlike_line(struct pmg_npmlike *n, const struct pmg_arg_table *table, unsigned stop_after,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** Where the command works: place->cwd, or n->prefix seen from there. */
char *pmg_npmlike_start(const struct pmg_npmlike *n) PMG_MUST_CHECK;

/**
 * npmrc files in the order of npm's precedence: of each folder from `start`
 * upward (npm takes one of them, the nearest root or the workspace's: we take
 * all, since it does no harm to know a registry too many), the user's, the global ones,
 * the program's own.
 * @param start  absolute
 */
int pmg_npmlike_npmrcs(struct pmg_npmlike *n, const char *start,
		       struct pmg_err *err) PMG_MUST_CHECK;

/** Registries, parent proxy, certificates and notes that follow from the settings. */
int pmg_npmlike_apply(struct pmg_npmlike *n, struct pmg_err *err) PMG_MUST_CHECK;

#endif
