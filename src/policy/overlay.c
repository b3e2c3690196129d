#include "policy/overlay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/dirs.h"
#include "conf/keys.h"
#include "conf/trusted.h"
#include "policy/allow.h"
#include "policy/draft.h"
#include "policy/vars.h"

#define TEXT_MAX     1048576U
#define REASON_MAX   1024U
#define TOOLS_MAX    64U
#define SHOWN_MAX    96U
#define ADVICE_FORCE "name it once more with --force if a script really needs it"

void pmg_overlay_entry_done(struct pmg_overlay_entry *entry)
{
	free(entry->value);
	free(entry->reason);
	free(entry->author);
	pmg_strv_done(&entry->tools);
	*entry = (struct pmg_overlay_entry){ 0 };
}

void pmg_overlay_done(struct pmg_overlay *overlay)
{
	size_t i;

	for (i = 0; i < overlay->n_entries; i++)
		pmg_overlay_entry_done(&overlay->entries[i]);
	free(overlay->entries);
	free(overlay->path);
	free(overlay->repository);
	*overlay = (struct pmg_overlay){ 0 };
}

static int read_type(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct pmg_overlay_entry *entry = out;

	entry->type = value->kind == PMG_YAML_SCALAR ? pmg_allow_type(value->text) : -1;
	if (entry->type >= 0)
		return 0;
	return pmg_yaml_err(err, value,
			    "\"type\" must be read, write, exec, net-connect, net-bind, env, "
			    "preset or unix");
}

static int read_time(const struct pmg_yaml *value, int64_t *out, struct pmg_err *err)
{
	if (value->kind == PMG_YAML_SCALAR && pmg_clock_parse(value->text, out) == 0)
		return 0;
	return pmg_yaml_err(err, value, "\"%s\" must be a time as 2026-11-29T10:00:00Z",
			    value->key);
}

static int read_created(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	return read_time(value, &((struct pmg_overlay_entry *)out)->created, err);
}

static int read_expires(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	return read_time(value, &((struct pmg_overlay_entry *)out)->expires, err);
}

static const struct pmg_key entry_keys[] = {
	{ .name = "type", .kind = PMG_KEY_CALL, .flags = PMG_KEY_REQUIRED, .read = read_type },
	{ .name = "value",
	  .kind = PMG_KEY_STR,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct pmg_overlay_entry, value),
	  .max = PMG_DRAFT_TEXT_MAX },
	{ .name = "reason",
	  .kind = PMG_KEY_STR,
	  .offset = offsetof(struct pmg_overlay_entry, reason),
	  .max = REASON_MAX },
	{ .name = "author",
	  .kind = PMG_KEY_STR,
	  .offset = offsetof(struct pmg_overlay_entry, author),
	  .max = REASON_MAX },
	{ .name = "created", .kind = PMG_KEY_CALL, .read = read_created },
	{ .name = "expires", .kind = PMG_KEY_CALL, .read = read_expires },
	{ .name = "for",
	  .kind = PMG_KEY_STRV,
	  .offset = offsetof(struct pmg_overlay_entry, tools),
	  .max = TOOLS_MAX },
	{ 0 },
};

static int check_value(const struct pmg_overlay_entry *entry, struct pmg_err *err)
{
	if (entry->type != PMG_ALLOW_PRESET)
		return pmg_allow_check(PMG_LAYER_OVERLAY, (enum pmg_access)entry->type, false,
				       entry->value, err);
	if (pmg_draft_is_name(entry->value))
		return 0;
	return pmg_err_set(err, PMG_E_CONFIG, 0, "not the name of a preset");
}

static void append(struct pmg_overlay *overlay, struct pmg_overlay_entry *taken)
{
	overlay->entries = pmg_grow(overlay->entries, overlay->n_entries, &overlay->cap_entries,
				    sizeof *overlay->entries);
	overlay->entries[overlay->n_entries++] = *taken;
	*taken = (struct pmg_overlay_entry){ 0 };
}

static int read_entry(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	pmg_auto(overlay_entry) struct pmg_overlay_entry entry = { .line = item->line };
	struct pmg_err why = PMG_ERR_INIT;
	int r = pmg_keys_read(entry_keys, item, &entry, err);

	if (r < 0)
		return r;
	if (check_value(&entry, &why) < 0)
		return pmg_yaml_err(err, pmg_yaml_get(item, "value"), "\"value\": %s", why.msg);
	append(out, &entry);
	return 0;
}

static int read_schema(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	(void)out;
	if (value->kind == PMG_YAML_SCALAR && !value->quoted && strcmp(value->text, "1") == 0)
		return 0;
	return pmg_yaml_err(err, value, "\"schema_version\" must be 1");
}

/* A file that was copied from another repository allows nothing here. */
static int read_repository(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	const struct pmg_overlay *overlay = out;

	if (value->kind == PMG_YAML_SCALAR && strcmp(value->text, overlay->repository) == 0)
		return 0;
	return pmg_yaml_err(err, value, "\"repository\" must be %s", overlay->repository);
}

static const struct pmg_key overlay_keys[] = {
	{ .name = "schema_version",
	  .kind = PMG_KEY_CALL,
	  .flags = PMG_KEY_REQUIRED,
	  .read = read_schema },
	{ .name = "repository",
	  .kind = PMG_KEY_CALL,
	  .flags = PMG_KEY_REQUIRED,
	  .read = read_repository },
	{ .name = "entries",
	  .kind = PMG_KEY_LIST,
	  .max = PMG_OVERLAY_ENTRIES_MAX,
	  .read = read_entry },
	{ 0 },
};

int pmg_overlay_load(const char *config_dir, const char *repository, struct pmg_overlay *out,
		     struct pmg_err *err)
{
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err why = PMG_ERR_INIT;
	char hash[PMG_SHA256_HEX];
	int r;

	pmg_sha256_hex(repository, strlen(repository), hash);
	overlay.path = pmg_xasprintf("%s/overlays/%s.yml", config_dir, hash);
	overlay.repository = pmg_xstrdup(repository);
	r = pmg_trusted_yaml(overlay.path, &doc, &why);
	if (r < 0 && r != -PMG_E_NOTFOUND) {
		*err = why;
		return r;
	}
	if (r == 0) {
		r = pmg_keys_read(overlay_keys, doc, &overlay, err);
		if (r < 0)
			return r;
	}
	*out = overlay;
	overlay = (struct pmg_overlay){ 0 };
	return 0;
}

bool pmg_overlay_is_live(const struct pmg_overlay_entry *entry, int64_t now, const char *tool,
			 const char *manager)
{
	if (entry->expires != 0 && entry->expires <= now)
		return false;
	return entry->tools.n == 0 || (tool && pmg_strv_has(&entry->tools, tool)) ||
	       (manager && pmg_strv_has(&entry->tools, manager));
}

static bool is_path(int type, const char *value)
{
	return type == PMG_ACCESS_READ || type == PMG_ACCESS_WRITE || type == PMG_ACCESS_EXEC ||
	       (type == PMG_ACCESS_UNIX && value[0] != '@');
}

/* "./.env" in packages/a and "packages/a/.env" are one entry, whoever's folder is the current. */
static char *settle(const struct pmg_overlay *overlay, const struct pmg_policy *policy, int type,
		    const char *value)
{
	struct pmg_policy_facts facts = { 0 };
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	pmg_autofree char *typed = NULL;
	pmg_autofree char *root = NULL;
	const char *missing;

	if (!policy || !is_path(type, value))
		return pmg_xstrdup(value);
	facts.home = policy->home;
	facts.cwd = policy->cwd;
	facts.project = policy->project;
	if (pmg_vars_expand(&facts, value, &texts, &missing) > 0 || texts.n != 1)
		return pmg_xstrdup(value);
	typed = pmg_vars_typed(&facts, texts.v[0]);
	/* Of a package in the repository ${PROJECT} would be another folder than of its neighbour.
	 */
	root = pmg_glob_escape(policy->project);
	if (strcmp(policy->project, overlay->repository) == 0 && strlen(root) > 1 &&
	    pmg_path_is_under(typed, root) && typed[strlen(root)] == '/')
		return pmg_xasprintf("${PROJECT}%s", typed + strlen(root));
	return pmg_steal_ptr(&typed);
}

/* What the policy is asked about: the path itself where the value names one. */
static char *object_of(const struct pmg_policy *policy, int type, const char *value)
{
	struct pmg_policy_facts facts = { .cwd = policy->cwd,
					  .project = policy->project,
					  .home = policy->home };
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	const char *missing;

	if (!is_path(type, value))
		return pmg_xstrdup(value);
	if (pmg_vars_expand(&facts, value, &texts, &missing) > 0 || texts.n != 1)
		return NULL;
	return pmg_vars_unescape(texts.v[0]);
}

/* Ask by both roles: what only scripts may not is as secret. */
static const struct pmg_policy_rule *closed_by(const struct pmg_policy *policy, int type,
					       const char *object)
{
	static const enum pmg_role roles[] = { PMG_ROLE_SCRIPT, PMG_ROLE_MANAGER };
	struct pmg_decision decision;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(roles); i++) {
		decision = pmg_policy_ask(policy, (enum pmg_access)type, roles[i], object);
		if (!decision.allowed && decision.rule &&
		    decision.rule->rank <= PMG_RANK_MANDATORY_DENY)
			return decision.rule;
	}
	return NULL;
}

static int judge(const struct pmg_policy *policy, bool force, const struct pmg_overlay_entry *entry,
		 struct pmg_err *err)
{
	pmg_autofree char *safe = pmg_str_quote(entry->value, strlen(entry->value), SHOWN_MAX);
	const struct pmg_policy_rule *rule;
	pmg_autofree char *object = NULL;

	if (!policy || entry->type == PMG_ALLOW_PRESET || entry->type == PMG_ACCESS_CONNECT ||
	    entry->type == PMG_ACCESS_BIND)
		return 0;
	object = object_of(policy, entry->type, entry->value);
	rule = object ? closed_by(policy, entry->type, object) : NULL;
	if (!rule)
		return 0;
	if (rule->rank < PMG_RANK_OPT_OUT)
		return pmg_err_set(err, PMG_E_CONFIG, 0, "nothing opens %s (%s, %s)", safe,
				   rule->text, rule->source);
	if (force)
		return 0;
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s is closed for good reason (%s, %s)", safe,
			  rule->text, rule->source);
	return pmg_err_hint(err, ADVICE_FORCE);
}

static bool is_same(const struct pmg_overlay_entry *a, const struct pmg_overlay_entry *b)
{
	size_t i;

	if (a->type != b->type || strcmp(a->value, b->value) != 0 || a->tools.n != b->tools.n)
		return false;
	for (i = 0; i < a->tools.n; i++)
		if (!pmg_strv_has(&b->tools, a->tools.v[i]))
			return false;
	return true;
}

static void drop(struct pmg_overlay *overlay, size_t i)
{
	pmg_overlay_entry_done(&overlay->entries[i]);
	overlay->n_entries--;
	memmove(&overlay->entries[i], &overlay->entries[i + 1],
		(overlay->n_entries - i) * sizeof *overlay->entries);
}

int pmg_overlay_add(struct pmg_overlay *overlay, const struct pmg_policy *policy, bool force,
		    struct pmg_overlay_entry *taken, struct pmg_err *err)
{
	pmg_auto(overlay_entry) struct pmg_overlay_entry entry = *taken;
	char *settled;
	size_t i;
	int r;

	*taken = (struct pmg_overlay_entry){ 0 };
	r = check_value(&entry, err);
	if (r < 0)
		return r;
	settled = settle(overlay, policy, entry.type, entry.value);
	free(entry.value);
	entry.value = settled;
	r = judge(policy, force, &entry, err);
	if (r < 0)
		return r;
	for (i = overlay->n_entries; i-- > 0;)
		if (is_same(&overlay->entries[i], &entry))
			drop(overlay, i);
	if (overlay->n_entries >= PMG_OVERLAY_ENTRIES_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u allowances",
				   PMG_OVERLAY_ENTRIES_MAX);
	append(overlay, &entry);
	return 0;
}

size_t pmg_overlay_remove(struct pmg_overlay *overlay, const struct pmg_policy *policy, int type,
			  const char *value)
{
	pmg_autofree char *settled = settle(overlay, policy, type, value);
	size_t i, before = overlay->n_entries;

	for (i = overlay->n_entries; i-- > 0;) {
		const struct pmg_overlay_entry *e = &overlay->entries[i];

		if (e->type == type &&
		    (strcmp(e->value, value) == 0 || strcmp(e->value, settled) == 0))
			drop(overlay, i);
	}
	return before - overlay->n_entries;
}

static int write_text(struct pmg_str *out, const char *key, const char *value)
{
	pmg_autofree char *quoted = value ? pmg_yaml_quote(value) : NULL;

	return quoted ? pmg_str_addf(out, ", %s: %s", key, quoted) : 0;
}

static int write_time(struct pmg_str *out, const char *key, int64_t when)
{
	char text[PMG_RFC3339_LEN];

	if (when == 0)
		return 0;
	pmg_clock_format(when, text);
	return pmg_str_addf(out, ", %s: %s", key, text);
}

static int write_entry(struct pmg_str *out, const struct pmg_overlay_entry *entry)
{
	size_t i;
	int r = pmg_str_addf(out, "  - {type: %s", pmg_allow_type_name(entry->type));

	if (r == 0)
		r = write_text(out, "value", entry->value);
	if (r == 0)
		r = write_text(out, "reason", entry->reason);
	if (r == 0)
		r = write_text(out, "author", entry->author);
	if (r == 0)
		r = write_time(out, "created", entry->created);
	if (r == 0)
		r = write_time(out, "expires", entry->expires);
	for (i = 0; r == 0 && i < entry->tools.n; i++) {
		pmg_autofree char *tool = pmg_yaml_quote(entry->tools.v[i]);

		r = pmg_str_addf(out, "%s%s", i == 0 ? ", for: [" : ", ", tool);
	}
	if (r == 0)
		r = pmg_str_adds(out, entry->tools.n > 0 ? "]}\n" : "}\n");
	return r;
}

static int write_all(struct pmg_str *out, const struct pmg_overlay *overlay)
{
	pmg_autofree char *repository = pmg_yaml_quote(overlay->repository);
	size_t i;
	int r = pmg_str_addf(out,
			     "# Written by pmg sandbox allow.\nschema_version: 1\n"
			     "repository: %s\nentries:\n",
			     repository);

	for (i = 0; r == 0 && i < overlay->n_entries; i++)
		r = write_entry(out, &overlay->entries[i]);
	return r;
}

int pmg_overlay_save(const struct pmg_overlay *overlay, struct pmg_err *err)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(TEXT_MAX);
	pmg_autofree char *dir = pmg_path_dir(overlay->path);
	int r;

	if (overlay->n_entries == 0) {
		if (unlink(overlay->path) == 0 || errno == ENOENT)
			return 0;
		return pmg_err_set(err, PMG_E_SYS, errno, "remove %s", overlay->path);
	}
	if (write_all(&text, overlay) < 0)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s would be too large", overlay->path);
	r = pmg_dirs_make(dir, err);
	return r < 0 ? r : pmg_io_replace(overlay->path, text.s, text.len, 0600, err);
}
