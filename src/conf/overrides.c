#include "conf/overrides.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/config_packages.h"
#include "conf/dirs.h"
#include "conf/trusted.h"

static const char head[] = "# Records of feeds that do not count, each for one version of one "
			   "package. `pmg intel allow`\n"
			   "# writes behind the last entry; change and remove them here.\n"
			   "schema_version: 1\n"
			   "overrides:\n";

static const struct pmg_key rows[] = {
	{ .name = "schema_version",
	  .kind = PMG_KEY_CALL,
	  .flags = PMG_KEY_REQUIRED,
	  .read = pmg_config_read_schema },
	{ .name = "overrides",
	  .kind = PMG_KEY_LIST,
	  .max = PMG_PACKAGES_ENTRIES_MAX,
	  .read = pmg_config_read_override },
	{ 0 },
};

int pmg_overrides_load(const char *path, struct pmg_config *config, struct pmg_err *err)
{
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err why = PMG_ERR_INIT;
	int r = pmg_trusted_yaml(path, &doc, &why);

	if (r == -PMG_E_NOTFOUND)
		return 0;
	if (r < 0) {
		*err = why;
		return r;
	}
	return pmg_keys_read(rows, doc, config, err);
}

/* A text of YAML's flow style that holds exactly this: JSON's are such, when each byte of the text
 * is one that JSON writes as it is or escapes as YAML does. */
static char *quoted(const char *text)
{
	pmg_auto(json) struct json_t *array = pmg_json_array();
	pmg_autofree char *dumped = NULL;

	pmg_json_add_str(array, text);
	dumped = pmg_json_dump(array);
	return pmg_xstrndup(dumped + 1, strlen(dumped) - 2);
}

static char *line_of(const struct pmg_override *entry)
{
	pmg_autofree char *name = quoted(entry->name);
	pmg_autofree char *version = quoted(entry->version);
	pmg_autofree char *id = quoted(entry->id);
	pmg_autofree char *reason = quoted(entry->reason);
	pmg_autofree char *expires = pmg_xstrdup("");
	char when[PMG_RFC3339_LEN];

	if (entry->expires) {
		pmg_clock_format(entry->expires, when);
		free(expires);
		expires = pmg_xasprintf(", expires: \"%s\"", when);
	}
	return pmg_xasprintf("  - {ecosystem: %s, name: %s, version: %s, id: %s, reason: %s%s}\n",
			     entry->ecosystem, name, version, id, reason, expires);
}

/* What a text comes to as the whole file. */
static int parse(const char *path, const char *text, struct pmg_config *out, struct pmg_err *err)
{
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	int r = pmg_yaml_parse(path, text, strlen(text), &doc, err);

	return r < 0 ? r : pmg_keys_read(rows, doc, out, err);
}

static bool has(const struct pmg_packages_list *list, const struct pmg_override *entry)
{
	pmg_autofree char *purl =
		pmg_xasprintf("pkg:%s/%s@%s", entry->ecosystem, entry->name, entry->version);
	size_t i;

	for (i = 0; i < list->n; i++)
		if (strcmp(list->v[i].purl, purl) == 0 && strcmp(list->v[i].id, entry->id) == 0)
			return true;
	return false;
}

/* Flow style, or another key at the end: what is written behind it would be something else. */
static int check(const char *path, const char *text, size_t before,
		 const struct pmg_override *entry, struct pmg_err *err)
{
	pmg_auto(config) struct pmg_config after = { 0 };
	struct pmg_err why = PMG_ERR_INIT;

	if (parse(path, text, &after, &why) == 0 && after.packages.overrides.n == before + 1 &&
	    has(&after.packages.overrides, entry))
		return 0;
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s: no entry can be written behind what it has",
			  path);
	return pmg_err_hint(err,
			    "let its last lines be entries of \"overrides\", one each, indented by "
			    "two blanks");
}

int pmg_overrides_add(const char *path, const struct pmg_override *entry, struct pmg_err *err)
{
	pmg_auto(config) struct pmg_config now = { 0 };
	pmg_autofree char *dir = pmg_path_dir(path);
	pmg_autofree char *line = line_of(entry);
	pmg_autofree char *text = NULL;
	pmg_autofree char *fresh = NULL;
	struct pmg_err why = PMG_ERR_INIT;
	size_t len = 0;
	int r = pmg_dirs_make(dir, err);

	if (r < 0)
		return r;
	r = pmg_trusted_slurp(path, PMG_YAML_TEXT_MAX, &text, &len, &why);
	if (r < 0 && r != -PMG_E_NOTFOUND) {
		*err = why;
		return r;
	}
	if (r == 0) {
		r = parse(path, text, &now, err);
		if (r < 0)
			return r;
	}
	if (has(&now.packages.overrides, entry))
		return 0;
	fresh = pmg_xasprintf("%s%s%s", text ? text : head,
			      text && !pmg_str_has_suffix(text, "\n") ? "\n" : "", line);
	r = check(path, fresh, now.packages.overrides.n, entry, err);
	if (r == 0)
		r = pmg_io_replace(path, fresh, strlen(fresh), 0600, err);
	return r < 0 ? r : 1;
}
