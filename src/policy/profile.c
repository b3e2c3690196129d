/* Reading profiles and presets: their keys as rows. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "conf/keys.h"
#include "conf/trusted.h"
#include "policy/allow.h"
#include "policy/builtin.h"
#include "policy/draft.h"

#define SHOWN_MAX       64U
#define INHERIT_MAX     3U /* built-in profiles stand on bases; a user's on one of them */
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

static const struct list *list_of(const struct pmg_yaml *item)
{
	size_t i = 0;

	while (strcmp(lists[i].key, item->parent->key) != 0)
		i++;
	return &lists[i];
}

/* One entry of any list. */
static int read_entry(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	const struct list *list = list_of(item);
	struct pmg_draft *draft = out;
	struct pmg_draft_entry entry = { .access = list->access,
					 .layer = draft->layer,
					 .deny = list->deny,
					 .roles = list->roles,
					 .text = item->text };
	struct pmg_err why = PMG_ERR_INIT;

	if (item->kind != PMG_YAML_SCALAR || pmg_yaml_is_null(item))
		return pmg_yaml_err(err, item, "\"%s\" must be a list of texts", item->parent->key);
	if (pmg_allow_check(draft->layer, list->access, list->deny, item->text, &why) < 0) {
		(void)pmg_yaml_err(err, item, "\"%s\": %s", item->parent->key, why.msg);
		return why.hint[0] ? pmg_err_hint(err, "%s", why.hint) : -PMG_E_CONFIG;
	}
	pmg_draft_add(draft, &entry, item->line);
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
	(void)pmg_strv_add_once(&draft->presets, item->text);
	return 0;
}

struct metadata {
	char *author;
	struct pmg_strv labels;
};

/* Who wrote it and what it is about: shown, never acted on. */
static int read_metadata(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	static const struct pmg_key rows[] = {
		{ .name = "author",
		  .kind = PMG_KEY_STR,
		  .offset = offsetof(struct metadata, author),
		  .max = DESCRIPTION_MAX },
		{ .name = "labels",
		  .kind = PMG_KEY_STRV,
		  .offset = offsetof(struct metadata, labels),
		  .max = PMG_DRAFT_ENTRIES_MAX },
		{ 0 },
	};
	struct metadata metadata = { 0 };
	int r = pmg_keys_read(rows, value, &metadata, err);

	(void)out;
	free(metadata.author);
	pmg_strv_done(&metadata.labels);
	return r;
}

static int read_kind(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	(void)out;
	if (value->kind == PMG_YAML_SCALAR && strcmp(value->text, "preset") == 0)
		return 0;
	return pmg_yaml_err(err, value, "\"kind\" must be preset");
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

static const struct pmg_key profile_keys[] = {
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
static const struct pmg_key preset_keys[] = {
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

static int no_such(const char *kind, const char *config_dir, const char *name, struct pmg_err *err)
{
	pmg_autofree char *safe = pmg_str_quote(name, strlen(name), SHOWN_MAX);
	const char *words[64] = { NULL }, *near;
	const struct pmg_builtin *b;
	size_t n = 0;

	for (b = pmg_builtins; b->name && n + 1 < PMG_ARRAY_LEN(words); b++)
		if (strcmp(b->kind, kind) == 0)
			words[n++] = b->name;
	(void)pmg_err_set(err, PMG_E_NOTFOUND, 0, "no %s \"%s\"", kind, safe);
	near = pmg_str_nearest(name, words);
	if (near)
		return pmg_err_hint(err, "did you mean \"%s\"?", near);
	return pmg_err_hint(err, "a file of yours would be %s/%ss/%s.yml", config_dir, kind, safe);
}

static int read_builtin(struct pmg_draft *draft, const struct pmg_builtin *builtin, unsigned depth,
			struct pmg_err *err)
{
	pmg_autofree char *label = pmg_xasprintf("built-in %s", builtin->name);
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	const struct pmg_builtin *base;
	const char *inherits;
	int r = pmg_yaml_parse(label, builtin->text, strlen(builtin->text), &doc, err);

	if (r < 0)
		return r;
	inherits = pmg_yaml_str(doc, "inherits");
	base = inherits ? pmg_builtin_find("profile", inherits) : NULL;
	if (inherits && (!base || depth == 0))
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "%s stands on no base", label);
	r = base ? read_builtin(draft, base, depth - 1, err) : 0;
	if (r < 0)
		return r;
	draft->layer = PMG_LAYER_BUILTIN;
	draft->label = label;
	r = pmg_keys_read(profile_keys, doc, draft, err);
	draft->label = NULL;
	return r;
}

/* One level: what a user's profile stands on is built in. */
static int read_inherited(struct pmg_draft *draft, const struct pmg_yaml *doc, struct pmg_err *err)
{
	const struct pmg_yaml *value = pmg_yaml_get(doc, "inherits");
	const struct pmg_builtin *base;
	struct pmg_err why = PMG_ERR_INIT;

	if (!value || value->kind != PMG_YAML_SCALAR || pmg_yaml_is_null(value))
		return 0;
	base = pmg_builtin_find("profile", value->text);
	if (base)
		return read_builtin(draft, base, INHERIT_MAX, err);
	(void)no_such("profile", "", value->text, &why);
	(void)pmg_yaml_err(err, value, "\"inherits\" must name a built-in profile");
	return strstr(why.hint, "did you mean") ? pmg_err_hint(err, "%s", why.hint) : -PMG_E_CONFIG;
}

static int read_file(struct pmg_draft *draft, const char *path, const struct pmg_key *keys,
		     enum pmg_layer layer, struct pmg_err *err)
{
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	int r = pmg_trusted_yaml(path, &doc, err);

	if (r == 0 && layer == PMG_LAYER_PROFILE)
		r = read_inherited(draft, doc, err);
	if (r < 0)
		return r;
	draft->layer = layer;
	draft->label = path;
	r = pmg_keys_read(keys, doc, draft, err);
	draft->label = NULL;
	return r;
}

int pmg_draft_profile(struct pmg_draft *draft, const char *config_dir, const char *name,
		      struct pmg_err *err)
{
	const struct pmg_builtin *builtin = pmg_builtin_find("profile", name);
	pmg_autofree char *path = NULL;
	int r;

	if (builtin)
		return read_builtin(draft, builtin, INHERIT_MAX, err);
	if (strchr(name, '/') || pmg_str_has_suffix(name, ".yml"))
		return read_file(draft, name, profile_keys, PMG_LAYER_PROFILE, err);
	if (!pmg_draft_is_name(name))
		return no_such("profile", config_dir, name, err);
	path = pmg_xasprintf("%s/profiles/%s.yml", config_dir, name);
	r = read_file(draft, path, profile_keys, PMG_LAYER_PROFILE, err);
	return r == -PMG_E_NOTFOUND ? no_such("profile", config_dir, name, err) : r;
}

int pmg_draft_preset(struct pmg_draft *draft, const char *config_dir, const char *name,
		     struct pmg_err *err)
{
	const struct pmg_builtin *builtin = pmg_builtin_find("preset", name);
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	pmg_autofree char *label = NULL;
	int r;

	if (!builtin && !pmg_draft_is_name(name))
		return no_such("preset", config_dir, name, err);
	if (!builtin) {
		label = pmg_xasprintf("%s/presets/%s.yml", config_dir, name);
		r = read_file(draft, label, preset_keys, PMG_LAYER_PRESET, err);
		return r == -PMG_E_NOTFOUND ? no_such("preset", config_dir, name, err) : r;
	}
	label = pmg_xasprintf("built-in %s", name);
	r = pmg_yaml_parse(label, builtin->text, strlen(builtin->text), &doc, err);
	if (r < 0)
		return r;
	draft->layer = PMG_LAYER_PRESET;
	draft->label = label;
	r = pmg_keys_read(preset_keys, doc, draft, err);
	draft->label = NULL;
	return r;
}
