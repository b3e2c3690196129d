#include "pm/manifest.h"

#include <string.h>

#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/facts.h"

#define MANIFEST_MAX 4194304U
#define NEST_MAX     8U /* of overrides */

void pmg_manifests_done(struct pmg_manifests *walk)
{
	pmg_strv_done(&walk->seen);
}

static const char *without_prefix(const char *spec)
{
	static const char *const prefixes[] = { "file:", "link:", "portal:" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(prefixes); i++)
		if (pmg_str_has_prefix(spec, prefixes[i]))
			return spec + strlen(prefixes[i]);
	return spec[0] == '.' || spec[0] == '/' ? spec : NULL;
}

int pmg_manifest_spec(struct pmg_manifests *walk, const char *dir, const char *name,
		      const char *spec, struct pmg_err *err)
{
	pmg_autofree char *joined = NULL;
	pmg_autofree char *clean = NULL;
	const char *path;

	if (pmg_str_has_prefix(spec, "http://") || pmg_str_has_prefix(spec, "https://"))
		return pmg_facts_source(walk->facts, PMG_ECO_NPM, spec, name, NULL, err);
	path = without_prefix(spec);
	if (!path)
		return 0;
	joined = pmg_path_join(dir, path);
	clean = pmg_path_clean(joined);
	return pmg_manifest_read(walk, clean, NULL, err);
}

/* {"name": "spec", "other": {"nested": "spec"}} */
static int read_specs(struct pmg_manifests *walk, const char *dir, const struct json_t *group,
		      unsigned depth, struct pmg_err *err)
{
	int r = 0;

	pmg_json_object_each (group, it) {
		const struct json_t *value = pmg_json_iter_value(it);
		const char *spec = pmg_json_text(value);

		if (spec)
			r = pmg_manifest_spec(walk, dir, pmg_json_iter_key(it), spec, err);
		else if (depth < NEST_MAX)
			r = read_specs(walk, dir, value, depth + 1, err);
		if (r < 0)
			break;
	}
	return r;
}

static int read_groups(struct pmg_manifests *walk, const char *dir, const struct json_t *json,
		       struct pmg_err *err)
{
	static const char *const groups[] = {
		"dependencies",     "devDependencies", "optionalDependencies",
		"peerDependencies", "overrides",       "resolutions"
	};
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(groups); i++)
		r = read_specs(walk, dir, pmg_json_get(json, groups[i]), 0, err);
	if (r == 0)
		r = read_specs(walk, dir, pmg_json_get(pmg_json_get(json, "pnpm"), "overrides"), 0,
			       err);
	return r;
}

/* publishConfig: {"registry": URL, "@scope:registry": URL} */
static int read_publish(struct pmg_manifests *walk, const char *file, const struct json_t *json,
			struct pmg_err *err)
{
	const bool has_default = walk->facts->has_default;
	int r = 0;

	pmg_json_object_each (pmg_json_get(json, "publishConfig"), it) {
		const char *key = pmg_json_iter_key(it);
		const char *url = pmg_json_text(pmg_json_iter_value(it));
		pmg_autofree char *scope = NULL;

		if (!url)
			continue;
		if (key[0] == '@' && pmg_str_has_suffix(key, ":registry"))
			scope = pmg_xstrndup(key, strlen(key) - strlen(":registry"));
		else if (strcmp(key, "registry") != 0)
			continue;
		walk->facts->has_default = true; /* nothing is fetched from there */
		r = pmg_facts_try_registry(walk->facts, PMG_ECO_NPM, url, scope, file, 0, err);
		walk->facts->has_default = has_default;
		if (r < 0)
			break;
	}
	return r;
}

/* "workspaces": [...] or {"packages": [...]} */
static void read_workspaces(const struct json_t *json, struct pmg_strv *out)
{
	const struct json_t *list = pmg_json_get(json, "workspaces");
	size_t i;

	if (pmg_json_is_object(list))
		list = pmg_json_get(list, "packages");
	for (i = 0; i < pmg_json_len(list); i++)
		if (pmg_json_text(pmg_json_at(list, i)))
			(void)pmg_strv_add_once(out, pmg_json_text(pmg_json_at(list, i)));
}

/* @return 0, *out NULL when there is nothing to read */
static int load(const char *file, struct json_t **out, struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	const char *begin;
	size_t len = 0;
	int r = pmg_io_slurp_optional(file, MANIFEST_MAX, &text, &len, err);

	if (r < 0 || !text)
		return r;
	begin = pmg_str_has_prefix(text, "\xef\xbb\xbf") ? text + 3 : text;
	if (pmg_json_parse(file, begin, len - (size_t)(begin - text), out, &why) < 0)
		pmg_log_debug("not read: %s", why.msg);
	return 0;
}

int pmg_manifest_read(struct pmg_manifests *walk, const char *dir, struct pmg_strv *workspaces,
		      struct pmg_err *err)
{
	pmg_autofree char *file = pmg_path_join(dir, "package.json");
	bool fresh = pmg_strv_add_once(&walk->seen, dir);
	pmg_auto(json) struct json_t *json = NULL;
	int r;

	if (!fresh && !workspaces)
		return 0;
	if (walk->seen.n > PMG_MANIFESTS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u folders with a package.json",
				   PMG_MANIFESTS_MAX);
	r = load(file, &json, err);
	if (r < 0 || !json)
		return r;
	if (workspaces)
		read_workspaces(json, workspaces);
	if (!fresh)
		return 0;
	r = read_groups(walk, dir, json, err);
	return r == 0 ? read_publish(walk, file, json, err) : r;
}
