#include "conf/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "conf/keys.h"
#include "conf/overrides.h"
#include "conf/trusted.h"

#define SCHEMA_VERSION 1U
#define DAY_S          86400U
#define ADVISORY_MAX   4096U

static const char *const verbosities[] = { "silent", "normal", "verbose", NULL };
static const char *const on_missings[] = { "warn", "block", NULL };

int pmg_config_read_schema(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	(void)out;
	if (value->kind == PMG_YAML_SCALAR && !value->quoted && strcmp(value->text, "1") == 0)
		return 0;
	(void)pmg_yaml_err(err, value, "\"schema_version\" must be %u", SCHEMA_VERSION);
	return pmg_err_hint(err, "this version of pmg reads schema version %u", SCHEMA_VERSION);
}

/* One item of proxy.registries, before it is checked. */
struct item {
	int ecosystem;
	char *url;
	char *scope;
	bool is_private;
};

static void item_done(struct item *item)
{
	free(item->url);
	free(item->scope);
}
PMG_DEFINE_AUTO_DONE(item, struct item, item_done);

static const struct pmg_key item_keys[] = {
	{ .name = "ecosystem",
	  .kind = PMG_KEY_ENUM,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct item, ecosystem),
	  .words = pmg_config_ecosystems },
	{ .name = "url",
	  .kind = PMG_KEY_STR,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct item, url),
	  .max = PMG_URL_MAX },
	{ .name = "scope",
	  .kind = PMG_KEY_STR,
	  .offset = offsetof(struct item, scope),
	  .max = 214 },
	{ .name = "private", .kind = PMG_KEY_BOOL, .offset = offsetof(struct item, is_private) },
	{ 0 },
};

static int check_url(const struct pmg_yaml *value, const char *text, struct pmg_url *url,
		     struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;

	if (pmg_url_parse(text, url, &why) < 0)
		return pmg_yaml_err(err, value, "\"url\": %s", why.msg);
	if (url->userinfo) {
		(void)pmg_yaml_err(err, value, "\"url\" has a user name or password in it");
		return pmg_err_hint(err, "take it out: the manager's own files hold credentials");
	}
	if (url->query)
		return pmg_yaml_err(err, value, "\"url\" has a query (?...)");
	if (!pmg_str_has_suffix(url->path, "/")) {
		char *path = pmg_xasprintf("%s/", url->path);

		free(url->path);
		url->path = path;
	}
	return 0;
}

static int read_registry(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	pmg_auto(url) struct pmg_url url = { 0 };
	pmg_auto(item) struct item item = { 0 };
	struct pmg_config *config = out;
	struct pmg_config_registry *new;
	int r;

	r = pmg_keys_read(item_keys, value, &item, err);
	if (r < 0)
		return r;
	r = check_url(pmg_yaml_get(value, "url"), item.url, &url, err);
	if (r < 0)
		return r;
	if (item.scope && (item.scope[0] != '@' || strpbrk(item.scope, "/ \t")))
		return pmg_yaml_err(err, pmg_yaml_get(value, "scope"),
				    "\"scope\" must be like \"@acme\"");
	config->registries = pmg_grow(config->registries, config->n_registries,
				      &config->cap_registries, sizeof *config->registries);
	new = &config->registries[config->n_registries++];
	*new = (struct pmg_config_registry){ .ecosystem = pmg_xstrdup(
						     pmg_config_ecosystems[item.ecosystem]),
					     .url = url,
					     .scope = pmg_steal_ptr(&item.scope),
					     .is_private = item.is_private,
					     .line = value->line };
	url = (struct pmg_url){ 0 };
	return 0;
}

static const struct pmg_key intel_keys[] = {
	{ .name = "on_missing",
	  .kind = PMG_KEY_ENUM,
	  .offset = offsetof(struct pmg_config, on_missing),
	  .words = on_missings },
	{ .name = "max_age",
	  .kind = PMG_KEY_DURATION,
	  .offset = offsetof(struct pmg_config, intel.max_age_s),
	  .max = 36500ULL * DAY_S },
	{ .name = "feeds",
	  .kind = PMG_KEY_LIST,
	  .max = PMG_CONFIG_FEEDS_MAX,
	  .read = pmg_config_read_feed },
	{ .name = "overrides",
	  .kind = PMG_KEY_LIST,
	  .max = PMG_PACKAGES_ENTRIES_MAX,
	  .read = pmg_config_read_override },
	{ .name = "private_origin",
	  .kind = PMG_KEY_ENUM,
	  .offset = offsetof(struct pmg_config, packages.private_origin),
	  .words = pmg_config_private_origins },
	{ 0 },
};

static const struct pmg_key proxy_keys[] = {
	{ .name = "registries",
	  .kind = PMG_KEY_LIST,
	  .max = PMG_CONFIG_REGISTRIES_MAX,
	  .read = read_registry },
	{ .name = "install_only", .kind = PMG_KEY_LATER },
	{ .name = "skip_commands", .kind = PMG_KEY_LATER },
	{ 0 },
};

static const struct pmg_key ledger_keys[] = {
	{ .name = "retention",
	  .kind = PMG_KEY_DURATION,
	  .offset = offsetof(struct pmg_config, ledger_retention_s),
	  .max = 36500ULL * DAY_S },
	{ .name = "max_size",
	  .kind = PMG_KEY_SIZE,
	  .offset = offsetof(struct pmg_config, ledger_max_size) },
	{ 0 },
};

/* docs/config.md has a section for each; a test compares. */
static const struct pmg_key config_keys[] = {
	{ .name = "schema_version",
	  .kind = PMG_KEY_CALL,
	  .flags = PMG_KEY_REQUIRED,
	  .read = pmg_config_read_schema },
	{ .name = "verbosity",
	  .kind = PMG_KEY_ENUM,
	  .offset = offsetof(struct pmg_config, verbosity),
	  .words = verbosities },
	{ .name = "intel", .kind = PMG_KEY_MAP, .rows = intel_keys },
	{ .name = "proxy", .kind = PMG_KEY_MAP, .rows = proxy_keys },
	{ .name = "ledger", .kind = PMG_KEY_MAP, .rows = ledger_keys },
	{ .name = "advisory_message",
	  .kind = PMG_KEY_STR,
	  .offset = offsetof(struct pmg_config, advisory_message),
	  .max = ADVISORY_MAX },
	{ .name = "sandbox", .kind = PMG_KEY_MAP, .rows = pmg_config_sandbox_keys },
	{ .name = "inspection", .kind = PMG_KEY_MAP, .rows = pmg_config_inspection_keys },
	{ .name = "dependency_cooldown", .kind = PMG_KEY_MAP, .rows = pmg_config_cooldown_keys },
	{ .name = "trusted_packages",
	  .kind = PMG_KEY_LIST,
	  .max = PMG_PACKAGES_ENTRIES_MAX,
	  .read = pmg_config_read_trusted },
	{ 0 },
};

const struct pmg_key *pmg_config_keys(void)
{
	return config_keys;
}

unsigned pmg_config_line(const struct pmg_config *config, const char *name)
{
	size_t i;

	for (i = 0; i < config->n_keys; i++)
		if (strcmp(config->keys[i].name, name) == 0)
			return config->keys[i].line;
	return 0;
}

void pmg_config_add_key(struct pmg_config *config, const char *name, unsigned line)
{
	config->keys =
		pmg_grow(config->keys, config->n_keys, &config->cap_keys, sizeof *config->keys);
	config->keys[config->n_keys++] =
		(struct pmg_config_key){ .name = pmg_xstrdup(name), .line = line };
}

void pmg_config_note_keys(struct pmg_config *config, const struct pmg_yaml *doc)
{
	pmg_yaml_each (doc, section) {
		pmg_config_add_key(config, section->key, section->key_line);
		if (section->kind != PMG_YAML_MAP)
			continue;
		pmg_yaml_each (section, it) {
			pmg_autofree char *name = pmg_yaml_where(it);

			pmg_config_add_key(config, name, it->key_line);
		}
	}
}

void pmg_config_init(struct pmg_config *config)
{
	config->verbosity = PMG_VERBOSITY_NORMAL;
	config->sandbox.enabled = true;
	pmg_config_inspection_init(&config->inspection);
	config->on_missing = PMG_ON_MISSING_WARN;
	config->intel.max_age_s = 7ULL * DAY_S;
	config->ledger_retention_s = 90ULL * DAY_S;
	config->ledger_max_size = 256ULL << 20;
	pmg_packages_init(&config->packages);
}

void pmg_config_done(struct pmg_config *config)
{
	size_t i;

	for (i = 0; i < config->n_registries; i++) {
		free(config->registries[i].ecosystem);
		free(config->registries[i].scope);
		free(config->registries[i].file);
		pmg_url_done(&config->registries[i].url);
	}
	free(config->registries);
	for (i = 0; i < config->n_keys; i++)
		free(config->keys[i].name);
	free(config->keys);
	pmg_config_intel_done(&config->intel);
	pmg_config_sandbox_done(&config->sandbox);
	pmg_packages_done(&config->packages);
	free(config->advisory_message);
	free(config->path);
	*config = (struct pmg_config){ 0 };
}

static int load_overrides(const char *path, struct pmg_config *config, struct pmg_err *err)
{
	pmg_autofree char *dir = pmg_path_dir(path);
	pmg_autofree char *beside = pmg_path_join(dir, PMG_OVERRIDES_FILE);

	return pmg_overrides_load(beside, config, err);
}

int pmg_config_load(const char *path, struct pmg_config *out, struct pmg_err *err)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err missing = PMG_ERR_INIT;
	int r;

	pmg_config_init(&config);
	r = pmg_trusted_yaml(path, &doc, &missing);
	if (r < 0 && r != -PMG_E_NOTFOUND) {
		*err = missing;
		return pmg_err_diag(err, PMG_DIAG_CONFIG);
	}
	if (r == 0) {
		r = pmg_keys_read(config_keys, doc, &config, err);
		if (r < 0)
			return pmg_err_diag(err, PMG_DIAG_CONFIG);
		config.path = pmg_xstrdup(path);
		pmg_config_note_keys(&config, doc);
	}
	r = load_overrides(path, &config, err);
	if (r < 0)
		return r;
	/* An empty message is none. */
	if (config.advisory_message && config.advisory_message[0] == '\0') {
		free(config.advisory_message);
		config.advisory_message = NULL;
	}
	*out = config;
	config = (struct pmg_config){ 0 };
	return 0;
}
