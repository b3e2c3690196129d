#ifndef PMG_CONF_CONFIG_H
#define PMG_CONF_CONFIG_H
/**
 * config.yml: the user's choices. docs/config.md and pmg-config(5) describe
 * each key; a key of a later version is an error, never a promise not kept.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/url.h"
#include "conf/config_inspection.h"
#include "conf/config_intel.h"
#include "conf/config_packages.h"
#include "conf/config_sandbox.h"

#define PMG_DIAG_CONFIG 1002 /* docs/codes/PMG1002.md: config.yml, or a project's file */

#define PMG_CONFIG_REGISTRIES_MAX 64U

enum pmg_verbosity { PMG_VERBOSITY_SILENT, PMG_VERBOSITY_NORMAL, PMG_VERBOSITY_VERBOSE };

/* An entry of proxy.registries: a place packages come from that the managers' own files do not
 * name. */
struct pmg_config_registry {
	char *ecosystem;    /* "npm" or "pypi" */
	struct pmg_url url; /* path ends in "/"; no userinfo, no query */
	char *scope;        /* "@acme", or NULL for all names */
	bool is_private;    /* what it has is its own: no mirror of what others publish */
	unsigned line;      /* of the file */
	char *file;         /* NULL: config.yml */
};

/* A key that a file has: "verbosity", "sandbox.strict". */
struct pmg_config_key {
	char *name;
	unsigned line;
};

struct pmg_config {
	char *path;                  /* the file that was read; NULL when there was none */
	struct pmg_config_key *keys; /* that it has, in its order */
	size_t n_keys, cap_keys;
	int verbosity;       /* enum pmg_verbosity */
	int least_verbosity; /* -q goes no lower: managed policy (conf/narrow.h) */
	int on_missing;      /* enum pmg_on_missing; pmg_config_on_missing() says what holds */
	struct pmg_config_intel intel;
	uint64_t ledger_retention_s; /* older records go */
	uint64_t ledger_max_size;    /* bytes */
	char *advisory_message;      /* printed after a refusal; NULL for none */
	struct pmg_config_sandbox sandbox;
	struct pmg_packages packages; /* conf/config_packages.h */
	struct pmg_config_inspection inspection;
	struct pmg_config_registry *registries;
	size_t n_registries;
	size_t cap_registries;
};

void pmg_config_done(struct pmg_config *config);
PMG_DEFINE_AUTO_DONE(config, struct pmg_config, pmg_config_done);

/**
 * Read config.yml, and the entries of overrides.yml beside it (conf/overrides.h). A file that is
 * not there gives the defaults.
 * @param path  $XDG_CONFIG_HOME/pmg/config.yml
 * @param[out] out  zeroed by the caller, pmg_config_done(); untouched on failure
 * @return 0; -PMG_E_CONFIG with path:line:column, or when others could have written the file
 *         (conf/trusted.h); -PMG_E_LIMIT; -PMG_E_SYS
 */
int pmg_config_load(const char *path, struct pmg_config *out, struct pmg_err *err) PMG_MUST_CHECK;

/** Line of a key, 0 when the file has it not. @param name  "verbosity", "sandbox.strict" */
unsigned pmg_config_line(const struct pmg_config *config, const char *name);

/* For files of the same keys (conf/managed.h). */
/** What holds without any file. @param[out] config  zeroed before */
void pmg_config_init(struct pmg_config *config);
/** Add a key to those that the file has. */
void pmg_config_add_key(struct pmg_config *config, const char *name, unsigned line);
/** Add those of a document: its keys, and those below. */
void pmg_config_note_keys(struct pmg_config *config, const struct pmg_yaml *doc);
/** Reads a "schema_version"; for rows. */
int pmg_config_read_schema(const struct pmg_yaml *value, void *out, struct pmg_err *err);

struct pmg_key;
/** The rows that read it (conf/keys.h); nested ones in their rows. docs and commands list them. */
const struct pmg_key *pmg_config_keys(void);

#endif
