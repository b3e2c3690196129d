#include "conf/managed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "conf/keys.h"
#include "conf/tighten.h"
#include "conf/trusted.h"

#define ROWS_MAX         32U
#define PROJECT_FILE_MAX 262144U

static void list_done(struct pmg_managed_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i].text);
	free(list->v);
}

void pmg_managed_done(struct pmg_managed *managed)
{
	pmg_config_done(&managed->config);
	list_done(&managed->deny);
	list_done(&managed->block);
	free(managed->home);
	*managed = (struct pmg_managed){ 0 };
}

static int add(struct pmg_managed_list *list, const char *name, const struct pmg_yaml *item,
	       struct pmg_err *err)
{
	if (item->kind != PMG_YAML_SCALAR || pmg_yaml_is_null(item))
		return pmg_yaml_err(err, item, "\"%s\" must be a list of texts", name);
	list->v = pmg_grow(list->v, list->n, &list->cap, sizeof *list->v);
	list->v[list->n++] = (struct pmg_managed_entry){ .list = name,
							 .text = pmg_xstrdup(item->text),
							 .line = item->line,
							 .column = item->column };
	return 0;
}

static int read_deny(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	static const char *const names[] = { "deny_read", "deny_write", "deny_exec",
					     "deny_outbound", "deny" };
	size_t i = 0;

	while (strcmp(names[i], item->parent->key) != 0) /* one of the rows below */
		i++;
	return add(&((struct pmg_managed *)out)->deny, names[i], item, err);
}

static int read_block(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	return add(&((struct pmg_managed *)out)->block, "block", item, err);
}

#define LIST(key, fn)                                                                              \
	{                                                                                          \
		.name = (key), .kind = PMG_KEY_LIST, .max = PMG_MANAGED_ENTRIES, .read = (fn)      \
	}
#define MAP(key, keys)                                                                             \
	{                                                                                          \
		.name = (key), .kind = PMG_KEY_MAP, .rows = (keys)                                 \
	}
#define CALL(key, fn)                                                                              \
	{                                                                                          \
		.name = (key), .kind = PMG_KEY_CALL, .read = (fn)                                  \
	}

static const struct pmg_key filesystem_keys[] = { LIST("deny_read", read_deny),
						  LIST("deny_write", read_deny),
						  { 0 } };
static const struct pmg_key process_keys[] = { LIST("deny_exec", read_deny), { 0 } };
static const struct pmg_key network_keys[] = { LIST("deny_outbound", read_deny), { 0 } };
static const struct pmg_key environment_keys[] = { LIST("deny", read_deny), { 0 } };
static const struct pmg_key deny_keys[] = {
	MAP("filesystem", filesystem_keys),
	MAP("process", process_keys),
	MAP("network", network_keys),
	MAP("environment", environment_keys),
	{ 0 },
};

/* Besides those of config.yml. */
static const struct pmg_key managed_keys[] = {
	{ .name = "global_lockdown",
	  .kind = PMG_KEY_BOOL,
	  .offset = offsetof(struct pmg_managed, lockdown) },
	MAP("deny", deny_keys),
	LIST("block", read_block),
	{ 0 },
};

static size_t copy_rows(struct pmg_key *to, size_t n, const struct pmg_key *from)
{
	for (; from->name && n + 1 < ROWS_MAX; from++)
		to[n++] = *from;
	return n;
}

static int read_document(struct pmg_managed *managed, const struct pmg_key *rows, const char *path,
			 const struct pmg_yaml *doc, struct pmg_err *err)
{
	int r;

	pmg_config_init(&managed->config);
	r = pmg_keys_read(rows, doc, managed, err);
	if (r < 0)
		return r;
	managed->config.path = pmg_xstrdup(path);
	pmg_config_note_keys(&managed->config, doc);
	return 0;
}

static int parse(const char *path, const char *text, size_t len, struct pmg_managed *out,
		 struct pmg_err *err)
{
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_key rows[ROWS_MAX] = { { 0 } };
	struct pmg_config *config = &managed.config;
	int r = pmg_yaml_parse(path, text, len, &doc, err);

	if (r < 0)
		return r;
	(void)copy_rows(rows, copy_rows(rows, 0, pmg_config_keys()), managed_keys);
	r = read_document(&managed, rows, path, doc, err);
	if (r < 0)
		return r;
	/* To lock all switches and leave out the walls would be a contradiction; who wants it says
	 * so. */
	if (managed.lockdown && !pmg_config_line(config, "sandbox.enabled"))
		pmg_config_add_key(config, "sandbox.enabled",
				   pmg_config_line(config, "global_lockdown"));
	*out = managed;
	managed = (struct pmg_managed){ 0 };
	return 0;
}

/* Whatever it is, it is the file that is wrong: never a reason to go on without. */
static int is_wrong(struct pmg_err *err)
{
	(void)pmg_err_as(err, PMG_E_CONFIG);
	(void)pmg_err_wrap(err, "managed policy");
	return pmg_err_diag(err, PMG_DIAG_MANAGED);
}

int pmg_managed_parse(const char *path, const char *text, size_t len, struct pmg_managed *out,
		      struct pmg_err *err)
{
	int r = parse(path, text, len, out, err);

	return r < 0 ? is_wrong(err) : 0;
}

int pmg_managed_load(const char *path, struct pmg_managed *out, struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	struct pmg_err why = PMG_ERR_INIT;
	size_t len = 0;
	int r = pmg_trusted_root_slurp(path, PMG_YAML_TEXT_MAX, &text, &len, &why);

	if (r == -PMG_E_NOTFOUND)
		return 0;
	if (r < 0) {
		*err = why;
		return is_wrong(err);
	}
	return pmg_managed_parse(path, text, len, out, err);
}

static int read_enabled(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	((struct pmg_managed *)out)->config.sandbox.enabled = true;
	return pmg_tighten_only(value, "true", err);
}

static int read_enforce_always(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	((struct pmg_managed *)out)->config.sandbox.enforce_always = true;
	return pmg_tighten_only(value, "true", err);
}

static int read_strict(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	((struct pmg_managed *)out)->config.sandbox.strict = true;
	return pmg_tighten_only(value, "true", err);
}

static int read_on_missing(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	((struct pmg_managed *)out)->config.on_missing = PMG_ON_MISSING_BLOCK;
	return pmg_tighten_only(value, "block", err);
}

static int read_private_origin(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	((struct pmg_managed *)out)->config.packages.private_origin = PMG_PRIVATE_BLOCK;
	return pmg_tighten_only(value, "block", err);
}

static const struct pmg_key project_sandbox_keys[] = {
	CALL("enabled", read_enabled),
	CALL("enforce_always", read_enforce_always),
	CALL("strict", read_strict),
	CALL("policies", pmg_tighten_not_here),
	CALL("policy_templates", pmg_tighten_not_here),
	{ 0 },
};
static const struct pmg_key project_intel_keys[] = {
	CALL("on_missing", read_on_missing),         CALL("max_age", pmg_tighten_not_here),
	CALL("feeds", pmg_tighten_not_here),         CALL("overrides", pmg_tighten_not_here),
	CALL("private_origin", read_private_origin), { 0 },
};
static const struct pmg_key project_keys[] = {
	{ .name = "schema_version",
	  .kind = PMG_KEY_CALL,
	  .flags = PMG_KEY_REQUIRED,
	  .read = pmg_config_read_schema },
	MAP("deny", deny_keys),
	MAP("sandbox", project_sandbox_keys),
	MAP("intel", project_intel_keys),
	MAP("inspection", pmg_config_inspection_project_keys),
	CALL("verbosity", pmg_tighten_not_here),
	CALL("proxy", pmg_tighten_not_here),
	CALL("ledger", pmg_tighten_not_here),
	CALL("advisory_message", pmg_tighten_not_here),
	MAP("dependency_cooldown", pmg_config_project_cooldown_keys),
	CALL("trusted_packages", pmg_tighten_not_here),
	CALL("global_lockdown", pmg_tighten_not_here),
	CALL("block", pmg_tighten_not_here),
	CALL("presets", pmg_tighten_not_here),
	CALL("filesystem", pmg_tighten_not_here),
	CALL("process", pmg_tighten_not_here),
	CALL("network", pmg_tighten_not_here),
	CALL("environment", pmg_tighten_not_here),
	{ 0 },
};

/* A link would have a stranger's project name any file of the machine, whose lines messages show.
 */
static int slurp_project(const char *path, char **text, size_t *len, struct pmg_err *err)
{
	pmg_autofd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return pmg_err_set(err, PMG_E_NOTFOUND, ENOENT, "%s", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return pmg_err_set(err, PMG_E_CONFIG, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return pmg_err_set(err, PMG_E_CONFIG, 0, "%s: not a regular file", path);
	return pmg_io_slurp_fd(fd, path, PROJECT_FILE_MAX, text, len, err);
}

int pmg_managed_parse_project(const char *path, const char *text, size_t len,
			      struct pmg_managed *out, struct pmg_err *err)
{
	pmg_auto(managed) struct pmg_managed managed = { .of_project = true };
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	int r = pmg_yaml_parse(path, text, len, &doc, err);

	if (r == 0)
		r = read_document(&managed, project_keys, path, doc, err);
	if (r < 0)
		return pmg_err_as(err, PMG_E_CONFIG); /* too much of something is wrong as well */
	*out = managed;
	managed = (struct pmg_managed){ 0 };
	return 0;
}

int pmg_managed_load_project(const char *folder, struct pmg_managed *out, struct pmg_err *err)
{
	pmg_autofree char *path = pmg_path_join(folder, PMG_MANAGED_PROJECT);
	struct pmg_err why = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = slurp_project(path, &text, &len, &why);

	if (r == -PMG_E_NOTFOUND)
		return 0;
	if (r < 0) {
		*err = why;
		(void)pmg_err_as(err, PMG_E_CONFIG);
		return pmg_err_diag(err, PMG_DIAG_CONFIG);
	}
	r = pmg_managed_parse_project(path, text, len, out, err);
	return r < 0 ? pmg_err_diag(err, PMG_DIAG_CONFIG) : r;
}

bool pmg_managed_is_in_force(const struct pmg_managed *managed)
{
	return managed->config.path != NULL;
}

char *pmg_managed_who(const struct pmg_managed *managed, const char *key)
{
	const char *what = managed->of_project ? "the project's file" : "managed policy";
	unsigned line = pmg_config_line(&managed->config, key);

	return line ? pmg_xasprintf("%s (%s:%u)", what, managed->config.path, line)
		    : pmg_xasprintf("%s (%s)", what, managed->config.path);
}

bool pmg_managed_wants_walls(const struct pmg_managed *managed, const char *manager)
{
	const struct pmg_config_sandbox *sandbox = &managed->config.sandbox;
	const struct pmg_config_policy *policy = pmg_config_policy(sandbox, manager);

	if (policy && policy->has_enabled)
		return policy->enabled;
	return sandbox->enabled && pmg_config_line(&managed->config, "sandbox.enabled");
}
