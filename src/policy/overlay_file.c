/* Overlays as files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
#include "policy/overlay_priv.h"

#define TEXT_MAX   1048576U
#define REASON_MAX 1024U
#define TOOLS_MAX  64U

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

static int read_entry(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	pmg_auto(overlay_entry) struct pmg_overlay_entry entry = { .line = item->line };
	struct pmg_err why = PMG_ERR_INIT;
	int r = pmg_keys_read(entry_keys, item, &entry, err);

	if (r < 0)
		return r;
	if (pmg_overlay_check(&entry, &why) < 0)
		return pmg_yaml_err(err, pmg_yaml_get(item, "value"), "\"value\": %s", why.msg);
	pmg_overlay_append(out, &entry);
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

static char *file_of(const char *config_dir, const char *repository)
{
	char hash[PMG_SHA256_HEX];

	pmg_sha256_hex(repository, strlen(repository), hash);
	return pmg_xasprintf("%s/overlays/%s.yml", config_dir, hash);
}

int pmg_overlay_parse(const char *path, const char *repository, const char *text, size_t len,
		      struct pmg_overlay *out, struct pmg_err *err)
{
	pmg_auto(overlay) struct pmg_overlay overlay = { .path = pmg_xstrdup(path),
							 .repository = pmg_xstrdup(repository) };
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	int r = pmg_yaml_parse(path, text, len, &doc, err);

	if (r == 0)
		r = pmg_keys_read(overlay_keys, doc, &overlay, err);
	if (r < 0)
		return r;
	*out = overlay;
	overlay = (struct pmg_overlay){ 0 };
	return 0;
}

int pmg_overlay_load(const char *config_dir, const char *repository, struct pmg_overlay *out,
		     struct pmg_err *err)
{
	pmg_autofree char *path = file_of(config_dir, repository);
	struct pmg_err why = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_trusted_slurp(path, PMG_YAML_TEXT_MAX, &text, &len, &why);

	if (r == 0)
		return pmg_overlay_parse(path, repository, text, len, out, err);
	if (r != -PMG_E_NOTFOUND) {
		*err = why;
		return r;
	}
	out->path = pmg_steal_ptr(&path);
	out->repository = pmg_xstrdup(repository);
	return 0;
}

static bool is_in(const char *path, const char *config_dir, const char *repository)
{
	pmg_autofree char *right = file_of(config_dir, repository);

	return strcmp(path, right) == 0;
}

static void look_at(const char *config_dir, const char *path, struct pmg_strv *out,
		    struct pmg_strv *broken)
{
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const char *repository;

	if (pmg_trusted_yaml(path, &doc, &err) < 0) {
		pmg_strv_add(broken, err.msg);
		return;
	}
	repository = pmg_yaml_str(doc, "repository");
	if (repository && is_in(path, config_dir, repository))
		pmg_strv_add(out, repository);
	else
		pmg_strv_addf(broken, "%s: its name is not that of its repository", path);
}

int pmg_overlay_repositories(const char *config_dir, struct pmg_strv *out, struct pmg_strv *broken,
			     struct pmg_err *err)
{
	pmg_autofree char *dir = pmg_path_join(config_dir, "overlays");
	const struct dirent *entry;
	DIR *list = opendir(dir);

	if (!list && errno == ENOENT)
		return 0;
	if (!list)
		return pmg_err_set(err, PMG_E_SYS, errno, "%s", dir);
	while ((entry = readdir(list))) {
		pmg_autofree char *path = pmg_path_join(dir, entry->d_name);

		if (pmg_str_has_suffix(entry->d_name, ".yml"))
			look_at(config_dir, path, out, broken);
	}
	(void)closedir(list);
	pmg_strv_sort(out);
	return 0;
}

int pmg_overlay_lock(const char *config_dir, struct pmg_err *err)
{
	pmg_autofree char *dir = pmg_path_join(config_dir, "overlays");
	pmg_autofd int fd = -1;
	int r = pmg_dirs_make(dir, err);

	if (r < 0)
		return r;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "%s", dir);
	do
		r = flock(fd, LOCK_EX);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "lock %s", dir);
	return pmg_steal_fd(&fd);
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
