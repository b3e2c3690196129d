#ifndef PMG_CONF_PACKAGES_H
#define PMG_CONF_PACKAGES_H
/**
 * Policy on packages, as plain data: how old a version has to be, and what
 * waives that or more. Read from "dependency_cooldown", "trusted_packages" and
 * a part of "intel" of config.yml and its kin, narrowed, and handed to
 * pmg-proxy as JSON. What it means is decided by verdict/judge.h; the rules
 * stand in docs/packages.md. Patterns of packages are kept as written: who
 * knows names and versions reads them (pm/pattern.h).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_PACKAGES_ENTRIES_MAX 1024U              /* of one list, of one file */
#define PMG_PACKAGES_AGE_MAX_S   (3650ULL * 86400U) /* a longer age is a mistake */
#define PMG_PACKAGES_AGE_S       (5ULL * 86400U)    /* how old, where nobody says otherwise */
#define PMG_PACKAGES_JSON_MAX    4194304U           /* bytes of all of it as JSON */

/* Of two words the later one is the stricter (conf/narrow.h). */
enum pmg_cooldown_mode { PMG_COOLDOWN_FILTER, PMG_COOLDOWN_FAIL };
enum pmg_undated { PMG_UNDATED_WARN, PMG_UNDATED_BLOCK };
enum pmg_security_fixes { PMG_FIXES_PASS, PMG_FIXES_WAIT };
enum pmg_private_origin { PMG_PRIVATE_WARN, PMG_PRIVATE_BLOCK };

/* Whose entry it is. */
enum pmg_packages_layer {
	PMG_PACKAGES_USER, /* config.yml, or the command line in its place */
	PMG_PACKAGES_PROJECT,
	PMG_PACKAGES_MANAGED,
	PMG_PACKAGES_LAYERS
};

struct pmg_packages_entry {
	char *purl;      /* pattern as written; NULL, of ages: all packages */
	char *id;        /* of overrides: the record that does not count; else NULL */
	char *reason;    /* or NULL */
	char *where;     /* who says so: "/home/u/.config/pmg/config.yml:12", "--min-age" */
	unsigned column; /* in that line; 0: none. Not handed to pmg-proxy */
	int64_t expires; /* seconds since 1970; 0: never */
	uint64_t age_s;  /* of ages */
	int layer;       /* enum pmg_packages_layer */
	bool expired;    /* it has no effect any more, but is named where it would have helped */
};

struct pmg_packages_list {
	struct pmg_packages_entry *v;
	size_t n, cap;
};

struct pmg_packages {
	bool enabled;       /* dependency_cooldown.enabled: ages are judged */
	int mode;           /* enum pmg_cooldown_mode */
	int undated;        /* enum pmg_undated: a version without a publish time */
	int fixes;          /* enum pmg_security_fixes: a version that fixes a vulnerability */
	int private_origin; /* enum pmg_private_origin: a listed name from a private registry */
	int64_t now;        /* the time for ages: the clock, or --as-of; 0: not set yet */
	bool as_of;         /* now is --as-of: what was published later is refused */
	bool managed_wait;  /* managed policy sets a least wait: only its own entries of
			       skip and trusted waive it */
	struct pmg_packages_list ages, skip, trusted, overrides;
};

/** Set what holds without any file. @param[out] packages  zeroed by the caller */
void pmg_packages_init(struct pmg_packages *packages);
void pmg_packages_done(struct pmg_packages *packages);
PMG_DEFINE_AUTO_DONE(packages, struct pmg_packages, pmg_packages_done);

/** Append an entry; its texts are taken over, and it is left empty. */
void pmg_packages_add(struct pmg_packages_list *list, struct pmg_packages_entry *taken);
void pmg_packages_entry_done(struct pmg_packages_entry *entry);
PMG_DEFINE_AUTO_DONE(packages_entry, struct pmg_packages_entry, pmg_packages_entry_done);
/** Append copies of all entries. */
void pmg_packages_copy(struct pmg_packages_list *to, const struct pmg_packages_list *from);

struct pmg_strv;
/**
 * Set `now` unless it is set, and mark the entries that have expired by the real clock.
 * @param clock  seconds since 1970
 * @param notes  a line for each expired entry, or NULL
 */
void pmg_packages_date(struct pmg_packages *packages, int64_t clock, struct pmg_strv *notes);

/** All of it as JSON text. Caller frees. */
char *pmg_packages_encode(const struct pmg_packages *packages) PMG_MUST_CHECK;
/**
 * Read that JSON, strictly: a field that is missing, unknown or of another kind is an error.
 * @param[out] out  zeroed by the caller; as it was on failure
 * @return 0; -PMG_E_PEER
 */
int pmg_packages_decode(const char *text, size_t len, struct pmg_packages *out,
			struct pmg_err *err) PMG_MUST_CHECK;

#endif
