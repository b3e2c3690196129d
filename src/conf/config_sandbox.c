#include "conf/config_sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "conf/config.h"
#include "conf/keys.h"

static const struct pmg_key policy_keys[] = {
	{ .name = "enabled",
	  .kind = PMG_KEY_BOOL,
	  .offset = offsetof(struct pmg_config_policy, enabled) },
	{ .name = "profile",
	  .kind = PMG_KEY_STR,
	  .offset = offsetof(struct pmg_config_policy, profile),
	  .max = 255 },
	{ 0 },
};

static const struct pmg_key template_keys[] = {
	{ .name = "path",
	  .kind = PMG_KEY_STR,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct pmg_config_template, path),
	  .max = 4095 },
	{ 0 },
};

static int check_map(const struct pmg_yaml *value, const char *what, struct pmg_err *err)
{
	if (value->kind != PMG_YAML_MAP)
		return pmg_yaml_err(err, value, "\"%s\" must be a mapping", what);
	if (value->n > PMG_CONFIG_POLICIES_MAX)
		return pmg_yaml_err(err, value, "\"%s\" has more than %u entries", what,
				    PMG_CONFIG_POLICIES_MAX);
	return 0;
}

static int read_policies(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct pmg_config_sandbox *sandbox = &((struct pmg_config *)out)->sandbox;
	int r = check_map(value, "policies", err);

	if (r < 0)
		return r;
	pmg_yaml_each (value, node) {
		struct pmg_config_policy *new;

		sandbox->policies = pmg_grow(sandbox->policies, sandbox->n_policies,
					     &sandbox->cap_policies, sizeof *sandbox->policies);
		new = &sandbox->policies[sandbox->n_policies++];
		*new = (struct pmg_config_policy){ .manager = pmg_xstrdup(node->key),
						   .enabled = true,
						   .line = node->key_line };
		r = pmg_keys_read(policy_keys, node, new, err);
		if (r < 0)
			return r;
		new->has_enabled = pmg_yaml_get(node, "enabled") != NULL;
	}
	return 0;
}

/* Relative to the file that names it: what "./x.yml" means must not depend on where pmg is run. */
static char *beside(const char *file, char *path)
{
	pmg_autofree char *mine = path;
	pmg_autofree char *dir = pmg_path_dir(file);
	pmg_autofree char *joined = pmg_path_join(dir, mine);

	return pmg_path_clean(joined);
}

static int read_templates(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct pmg_config_sandbox *sandbox = &((struct pmg_config *)out)->sandbox;
	int r = check_map(value, "policy_templates", err);

	if (r < 0)
		return r;
	pmg_yaml_each (value, node) {
		struct pmg_config_template *new;

		sandbox->templates = pmg_grow(sandbox->templates, sandbox->n_templates,
					      &sandbox->cap_templates, sizeof *sandbox->templates);
		new = &sandbox->templates[sandbox->n_templates++];
		*new = (struct pmg_config_template){ .name = pmg_xstrdup(node->key),
						     .line = node->key_line };
		r = pmg_keys_read(template_keys, node, new, err);
		if (r < 0)
			return r;
		new->path = beside(value->file, new->path);
	}
	return 0;
}

const struct pmg_key pmg_config_sandbox_keys[] = {
	{ .name = "enabled",
	  .kind = PMG_KEY_BOOL,
	  .offset = offsetof(struct pmg_config, sandbox.enabled) },
	{ .name = "enforce_always",
	  .kind = PMG_KEY_BOOL,
	  .offset = offsetof(struct pmg_config, sandbox.enforce_always) },
	{ .name = "strict",
	  .kind = PMG_KEY_BOOL,
	  .offset = offsetof(struct pmg_config, sandbox.strict) },
	{ .name = "policies", .kind = PMG_KEY_CALL, .read = read_policies },
	{ .name = "policy_templates", .kind = PMG_KEY_CALL, .read = read_templates },
	{ 0 },
};

void pmg_config_sandbox_done(struct pmg_config_sandbox *sandbox)
{
	size_t i;

	for (i = 0; i < sandbox->n_policies; i++) {
		free(sandbox->policies[i].manager);
		free(sandbox->policies[i].profile);
	}
	for (i = 0; i < sandbox->n_templates; i++) {
		free(sandbox->templates[i].name);
		free(sandbox->templates[i].path);
	}
	free(sandbox->policies);
	free(sandbox->templates);
	*sandbox = (struct pmg_config_sandbox){ 0 };
}

const struct pmg_config_policy *pmg_config_policy(const struct pmg_config_sandbox *sandbox,
						  const char *manager)
{
	size_t i;

	for (i = 0; i < sandbox->n_policies; i++)
		if (strcmp(sandbox->policies[i].manager, manager) == 0)
			return &sandbox->policies[i];
	return NULL;
}

const char *pmg_config_profile(const struct pmg_config_sandbox *sandbox, const char *manager)
{
	const struct pmg_config_policy *policy = pmg_config_policy(sandbox, manager);

	return policy ? policy->profile : NULL;
}
