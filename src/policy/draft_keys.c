/* Profiles and presets: their keys as rows. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "conf/keys.h"
#include "policy/allow.h"
#include "policy/draft.h"

#define SHOWN_MAX       64U
#define DESCRIPTION_MAX 4096U
#define PROCESSES_MAX   1048576U

/* Lists of entries: what each means. */
static const struct list {
	const char *key;
	enum pmg_access access;
	bool deny;
	unsigned roles;
} lists[] = {
	{ "allow_read", PMG_ACCESS_READ, false, PMG_ROLE_ANY },
	{ "allow_write", PMG_ACCESS_WRITE, false, PMG_ROLE_ANY },
	{ "manager_read", PMG_ACCESS_READ, false, PMG_ROLE_MANAGER },
	{ "manager_write", PMG_ACCESS_WRITE, false, PMG_ROLE_MANAGER },
	{ "deny_read", PMG_ACCESS_READ, true, PMG_ROLE_ANY },
	{ "deny_write", PMG_ACCESS_WRITE, true, PMG_ROLE_ANY },
	{ "script_deny_read", PMG_ACCESS_READ, true, PMG_ROLE_SCRIPT },
	{ "script_deny_write", PMG_ACCESS_WRITE, true, PMG_ROLE_SCRIPT },
	{ "allow_exec", PMG_ACCESS_EXEC, false, PMG_ROLE_ANY },
	{ "deny_exec", PMG_ACCESS_EXEC, true, PMG_ROLE_ANY },
	{ "allow_outbound", PMG_ACCESS_CONNECT, false, PMG_ROLE_MANAGER },
	{ "script_outbound", PMG_ACCESS_CONNECT, false, PMG_ROLE_SCRIPT },
	{ "deny_outbound", PMG_ACCESS_CONNECT, true, PMG_ROLE_ANY },
	{ "allow_bind", PMG_ACCESS_BIND, false, PMG_ROLE_ANY },
	{ "allow_unix", PMG_ACCESS_UNIX, false, PMG_ROLE_ANY },
	{ "allow", PMG_ACCESS_ENV, false, PMG_ROLE_ANY },
	{ "deny", PMG_ACCESS_ENV, true, PMG_ROLE_ANY },
};

static const struct list *list_of(const char *key)
{
	size_t i = 0;

	while (strcmp(lists[i].key, key) != 0)
		i++;
	return &lists[i];
}

/* One entry of any list. */
static int read_entry(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	const struct list *list = list_of(item->parent->key);
	struct pmg_draft *draft = out;
	struct pmg_draft_entry entry = { .access = list->access,
					 .layer = draft->layer,
					 .deny = list->deny,
					 .roles = list->roles,
					 .line = item->line,
					 .column = item->column,
					 .official = draft->official,
					 .text = item->text };
	struct pmg_err why = PMG_ERR_INIT;

	if (item->kind != PMG_YAML_SCALAR || pmg_yaml_is_null(item))
		return pmg_yaml_err(err, item, "\"%s\" must be a list of texts", item->parent->key);
	if (pmg_allow_check(draft->layer, list->access, list->deny, item->text, &why) < 0) {
		(void)pmg_yaml_err(err, item, "\"%s\": %s", item->parent->key, why.msg);
		return why.hint[0] ? pmg_err_hint(err, "%s", why.hint) : -PMG_E_CONFIG;
	}
	/* What a preset reaches is there for the script that needs it. */
	if (draft->layer == PMG_LAYER_PRESET && list->access == PMG_ACCESS_CONNECT)
		entry.roles = PMG_ROLE_ANY;
	pmg_draft_add(draft, &entry);
	return 0;
}

int pmg_draft_denials(struct pmg_draft *draft, const struct pmg_managed *from, struct pmg_err *err)
{
	size_t i;

	for (i = 0; i < from->deny.n; i++) {
		const struct pmg_managed_entry *e = &from->deny.v[i];
		const struct list *list = list_of(e->list);
		struct pmg_draft_entry entry = {
			.access = list->access,
			.layer = from->of_project ? PMG_LAYER_PROJECT : PMG_LAYER_MANAGED,
			.deny = true,
			.roles = PMG_ROLE_ANY,
			.line = e->line,
			.column = e->column,
			.text = e->text,
		};
		struct pmg_err why = PMG_ERR_INIT;

		if (pmg_allow_check(entry.layer, entry.access, true, e->text, &why) < 0) {
			(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s:%u:%u: \"%s\": %s",
					  from->config.path, e->line, e->column, e->list, why.msg);
			if (!from->of_project)
				(void)pmg_err_diag(err, PMG_DIAG_MANAGED);
			return why.hint[0] ? pmg_err_hint(err, "%s", why.hint) : -PMG_E_CONFIG;
		}
		draft->label = from->config.path;
		pmg_draft_add(draft, &entry);
		draft->label = NULL;
	}
	return 0;
}

static int read_schema(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	(void)out;
	if (value->kind == PMG_YAML_SCALAR && !value->quoted && strcmp(value->text, "1") == 0)
		return 0;
	(void)pmg_yaml_err(err, value, "\"schema_version\" must be 1");
	return pmg_err_hint(err, "this version of pmg reads schema version 1");
}

static int read_name(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct pmg_draft *draft = out;

	if (value->kind != PMG_YAML_SCALAR || !pmg_draft_is_name(value->text))
		return pmg_yaml_err(err, value,
				    "\"name\" must be 1 to 64 letters, digits, \"_\" and \"-\"");
	if (draft->layer != PMG_LAYER_PRESET) {
		free(draft->name);
		draft->name = pmg_xstrdup(value->text);
	}
	return 0;
}

static int read_preset_name(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	struct pmg_draft *draft = out;

	if (item->kind != PMG_YAML_SCALAR || !pmg_draft_is_name(item->text))
		return pmg_yaml_err(err, item, "\"presets\" must be a list of names of presets");
	if (pmg_strv_add_once(&draft->presets, item->text))
		pmg_strv_addf(&draft->preset_places, "%s:%u:%u", draft->label, item->line,
			      item->column);
	return 0;
}

struct metadata {
	char *author;
};

/* A label is a word to filter by. */
static int read_label(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	(void)out;
	if (item->kind == PMG_YAML_SCALAR && pmg_draft_is_name(item->text))
		return 0;
	return pmg_yaml_err(err, item,
			    "\"labels\" must be a list of words: letters, digits, \"_\" and \"-\"");
}

/* Who wrote it and what it is about: shown, never acted on. */
static int read_metadata(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	static const struct pmg_key rows[] = {
		{ .name = "author",
		  .kind = PMG_KEY_STR,
		  .offset = offsetof(struct metadata, author),
		  .max = DESCRIPTION_MAX },
		{ .name = "labels",
		  .kind = PMG_KEY_LIST,
		  .max = PMG_DRAFT_LABELS_MAX,
		  .read = read_label },
		{ 0 },
	};
	struct metadata metadata = { 0 };
	int r = pmg_keys_read(rows, value, &metadata, err);

	(void)out;
	free(metadata.author);
	return r;
}

static int read_kind(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	(void)out;
	if (value->kind == PMG_YAML_SCALAR && strcmp(value->text, "preset") == 0)
		return 0;
	(void)pmg_yaml_err(err, value, "\"kind\" must be preset");
	return pmg_err_hint(err, "profiles have no \"kind\" and lie in profiles/");
}

static int read_description(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct pmg_draft *draft = out;

	if (value->kind != PMG_YAML_SCALAR || strlen(value->text) > DESCRIPTION_MAX)
		return pmg_yaml_err(err, value, "\"description\" must be a text");
	if (draft->layer != PMG_LAYER_PRESET) {
		free(draft->description);
		draft->description = pmg_xstrdup(value->text);
	}
	return 0;
}

#define LIST(key)                                                                                  \
	{                                                                                          \
		.name = (key), .kind = PMG_KEY_LIST, .max = PMG_DRAFT_ENTRIES_MAX,                 \
		.read = read_entry                                                                 \
	}
#define BOOL(key, member)                                                                          \
	{                                                                                          \
		.name = (key), .kind = PMG_KEY_BOOL, .offset = offsetof(struct pmg_draft, member)  \
	}
#define COUNT(key, member)                                                                         \
	{                                                                                          \
		.name = (key), .kind = PMG_KEY_UINT, .offset = offsetof(struct pmg_draft, member), \
		.max = PROCESSES_MAX                                                               \
	}
#define CALL(key, fn)                                                                              \
	{                                                                                          \
		.name = (key), .kind = PMG_KEY_CALL, .read = (fn)                                  \
	}
#define REQUIRED(key, fn)                                                                          \
	{                                                                                          \
		.name = (key), .kind = PMG_KEY_CALL, .flags = PMG_KEY_REQUIRED, .read = (fn)       \
	}
#define MAP(key, keys)                                                                             \
	{                                                                                          \
		.name = (key), .kind = PMG_KEY_MAP, .rows = (keys)                                 \
	}

static const struct pmg_key filesystem_keys[] = {
	LIST("allow_read"),       LIST("allow_write"),       LIST("manager_read"),
	LIST("manager_write"),    LIST("deny_read"),         LIST("deny_write"),
	LIST("script_deny_read"), LIST("script_deny_write"), { 0 },
};
static const struct pmg_key process_keys[] = { LIST("allow_exec"), LIST("deny_exec"), { 0 } };
static const struct pmg_key network_keys[] = {
	BOOL("network_via_proxy_only", proxy_only),
	BOOL("allow_direct_dns", direct_dns),
	BOOL("allow_network_bind", any_bind),
	LIST("allow_outbound"),
	LIST("script_outbound"),
	LIST("deny_outbound"),
	LIST("allow_bind"),
	LIST("allow_unix"),
	{ 0 },
};
static const struct pmg_key environment_keys[] = {
	LIST("allow"), LIST("deny"), BOOL("only_allowed", listed_env), { 0 }
};
static const struct pmg_key limits_keys[] = { COUNT("processes", max_processes),
					      COUNT("open_files", max_open_files),
					      { 0 } };

const struct pmg_key pmg_draft_profile_keys[] = {
	REQUIRED("schema_version", read_schema),
	REQUIRED("name", read_name),
	CALL("description", read_description),
	{ .name = "inherits",
	  .kind = PMG_KEY_STR,
	  .offset = offsetof(struct pmg_draft, inherits),
	  .max = SHOWN_MAX },
	{ .name = "package_managers",
	  .kind = PMG_KEY_STRV,
	  .offset = offsetof(struct pmg_draft, managers),
	  .max = PMG_DRAFT_ENTRIES_MAX },
	{ .name = "presets",
	  .kind = PMG_KEY_LIST,
	  .max = PMG_DRAFT_ENTRIES_MAX,
	  .read = read_preset_name },
	BOOL("allow_pty", pty),
	BOOL("allow_git_config", git_config),
	MAP("filesystem", filesystem_keys),
	MAP("process", process_keys),
	MAP("network", network_keys),
	MAP("environment", environment_keys),
	MAP("limits", limits_keys),
	{ 0 },
};

/* A preset only adds: no list of what is denied, no switch. */
static const struct pmg_key preset_filesystem_keys[] = { LIST("allow_read"),
							 LIST("allow_write"),
							 { 0 } };
static const struct pmg_key preset_process_keys[] = { LIST("allow_exec"), { 0 } };
static const struct pmg_key preset_network_keys[] = { LIST("allow_bind"),
						      LIST("allow_outbound"),
						      { 0 } };
static const struct pmg_key preset_environment_keys[] = { LIST("allow"), { 0 } };
const struct pmg_key pmg_draft_preset_keys[] = {
	REQUIRED("schema_version", read_schema),
	REQUIRED("kind", read_kind),
	REQUIRED("name", read_name),
	CALL("description", read_description),
	CALL("metadata", read_metadata),
	MAP("filesystem", preset_filesystem_keys),
	MAP("process", preset_process_keys),
	MAP("network", preset_network_keys),
	MAP("environment", preset_environment_keys),
	{ 0 },
};
