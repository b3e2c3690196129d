#ifndef PMG_CONF_CONFIG_SANDBOX_H
#define PMG_CONF_CONFIG_SANDBOX_H
/** The "sandbox" section of config.yml. */
#include <stdbool.h>
#include <stddef.h>

#include "conf/keys.h"

#define PMG_CONFIG_POLICIES_MAX 64U

/* An entry of sandbox.policies: what one manager gets. */
struct pmg_config_policy {
	char *manager;
	bool enabled;
	bool has_enabled; /* the file says so itself */
	char *profile;    /* as --sandbox-profile takes it; NULL: the manager's own */
	bool pinned;      /* profile is managed policy's: built in, or of its templates */
	unsigned line;    /* of the file */
};

/* An entry of sandbox.policy_templates: a profile that lies elsewhere. */
struct pmg_config_template {
	char *name;
	char *path;    /* absolute: relative ones are meant from config.yml's folder */
	unsigned line; /* of the file */
	bool managed;  /* managed policy names it */
};

struct pmg_config_sandbox {
	bool enabled;
	bool enforce_always; /* read, and always so: run, test and dev are confined too */
	bool strict;
	struct pmg_config_policy *policies;
	size_t n_policies, cap_policies;
	struct pmg_config_template *templates;
	size_t n_templates, cap_templates;
};

void pmg_config_sandbox_done(struct pmg_config_sandbox *sandbox);

/** The manager's entry, or NULL. */
const struct pmg_config_policy *pmg_config_policy(const struct pmg_config_sandbox *sandbox,
						  const char *manager);
/** What --sandbox-profile could have said for it: a name or a path, or NULL. Borrowed. */
const char *pmg_config_profile(const struct pmg_config_sandbox *sandbox, const char *manager);

/* Rows over struct pmg_config. */
extern const struct pmg_key pmg_config_sandbox_keys[];

#endif
