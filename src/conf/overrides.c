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

static const char key_line[] = "overrides:\n";

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

/* @return the line that begins the list; NULL: there is none */
static const char *find_key(const char *text)
{
	static const char key[] = "overrides:";
	const char *at = text;

	while (at && !pmg_str_has_prefix(at, key)) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at;
}

/* Is it an entry for this version, and this record; without an id for any? */
static bool is_for(const struct pmg_packages_entry *there, const struct pmg_override *entry)
{
	pmg_autofree char *purl =
		pmg_xasprintf("pkg:%s/%s@%s", entry->ecosystem, entry->name, entry->version);

	return strcmp(there->purl, purl) == 0 && (!entry->id || strcmp(there->id, entry->id) == 0);
}

static bool has(const struct pmg_packages_list *list, const struct pmg_override *entry)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (is_for(&list->v[i], entry))
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

/* @return 0 with its text and what that comes to; -PMG_E_NOTFOUND; what reading it returns */
static int read_file(const char *path, char **text, struct pmg_config *now, struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;
	size_t len = 0;
	int r = pmg_trusted_slurp(path, PMG_YAML_TEXT_MAX, text, &len, &why);

	if (r < 0 && r != -PMG_E_NOTFOUND)
		*err = why;
	return r < 0 ? r : parse(path, *text, now, err);
}

int pmg_overrides_add(const char *path, const struct pmg_override *entry, struct pmg_err *err)
{
	pmg_auto(config) struct pmg_config now = { 0 };
	pmg_autofree char *dir = pmg_path_dir(path);
	pmg_autofree char *line = line_of(entry);
	pmg_autofree char *text = NULL;
	pmg_autofree char *fresh = NULL;
	int r = pmg_dirs_make(dir, err);

	if (r == 0)
		r = read_file(path, &text, &now, err);
	if (r < 0 && r != -PMG_E_NOTFOUND)
		return r;
	if (has(&now.packages.overrides, entry))
		return 0;
	fresh = pmg_xasprintf("%s%s%s%s", text ? text : head,
			      text && !pmg_str_has_suffix(text, "\n") ? "\n" : "",
			      text && !find_key(text) ? key_line : "", line);
	r = check(path, fresh, now.packages.overrides.n, entry, err);
	if (r == 0)
		r = pmg_io_replace(path, fresh, strlen(fresh), 0600, err);
	return r < 0 ? r : 1;
}

/* The line at which an entry stands, from 1; as its place says. */
static size_t line_number(const struct pmg_packages_entry *entry)
{
	const char *colon = strrchr(entry->where, ':');
	uint64_t n = 0;

	return colon && pmg_parse_uint(colon + 1, UINT32_MAX, &n) == 0 ? (size_t)n : 0;
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* The text without the entry that begins at a line: that line, and those that are indented further
   than its dash. A guess, which check_rest() looks at. */
static char *without_entry(const char *text, size_t number)
{
	const char *begin = text, *end;
	size_t i, indent;

	for (i = 1; i < number; i++)
		begin = next_line(begin);
	indent = strspn(begin, " ");
	end = next_line(begin);
	while (strspn(end, " ") > indent && !strchr("#\n", end[strspn(end, " ")]))
		end = next_line(end);
	return pmg_xasprintf("%.*s%s", (int)(begin - text), text, end);
}

static char *without_key(const char *text)
{
	const char *key = find_key(text);

	return key ? pmg_xasprintf("%.*s%s", (int)(key - text), text, next_line(key))
		   : pmg_xstrdup(text);
}

/* Is all left that is not for this version? */
static int check_rest(const char *path, const char *text, const struct pmg_packages_list *before,
		      const struct pmg_override *entry, struct pmg_err *err)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	const struct pmg_packages_list *after = &config.packages.overrides;
	const char *where = path;
	struct pmg_err why = PMG_ERR_INIT;
	size_t i, k = 0;
	bool same = parse(path, text, &config, &why) == 0;

	for (i = 0; i < before->n; i++) {
		const struct pmg_packages_entry *there = &before->v[i];

		if (is_for(there, entry)) {
			where = there->where;
			continue;
		}
		same = same && k < after->n && strcmp(after->v[k].purl, there->purl) == 0 &&
		       strcmp(after->v[k].id, there->id) == 0 &&
		       strcmp(after->v[k].reason, there->reason) == 0 &&
		       after->v[k].expires == there->expires;
		k++;
	}
	if (same && k == after->n)
		return 0;
	(void)pmg_err_set(err, PMG_E_CONFIG, 0,
			  "%s: the entry cannot be told from what is around it", where);
	return pmg_err_hint(err, "take it out with an editor");
}

int pmg_overrides_remove(const char *path, const struct pmg_override *entry, struct pmg_strv *ids,
			 struct pmg_err *err)
{
	pmg_auto(config) struct pmg_config now = { 0 };
	pmg_auto(strv) struct pmg_strv found = { 0 };
	const struct pmg_packages_list *list = &now.packages.overrides;
	pmg_autofree char *text = NULL;
	int r = read_file(path, &text, &now, err);
	size_t i;

	if (r < 0)
		return r == -PMG_E_NOTFOUND ? 0 : r;
	/* From the last on: places before it stay what they are. */
	for (i = list->n; i > 0; i--) {
		char *rest;

		if (!is_for(&list->v[i - 1], entry))
			continue;
		pmg_strv_add(&found, list->v[i - 1].id);
		rest = without_entry(text, line_number(&list->v[i - 1]));
		free(text);
		text = rest;
	}
	if (found.n == 0)
		return 0;
	if (found.n == list->n) { /* a list without entries is none */
		char *rest = without_key(text);

		free(text);
		text = rest;
	}
	r = check_rest(path, text, list, entry, err);
	if (r == 0)
		r = pmg_io_replace(path, text, strlen(text), 0600, err);
	for (i = found.n; r == 0 && i > 0; i--)
		pmg_strv_add(ids, found.v[i - 1]);
	return r;
}
