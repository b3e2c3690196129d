#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/str.h"
#include "pm/version.h"
#include "verdict/inspect_priv.h"

/* The one of those that it may be. */
static const struct pmg_inspect_who *find(const struct pmg_inspect_what *what, const char *name,
					  const char *version)
{
	pmg_autofree char *inside = pmg_name_canonical(what->eco, name);
	pmg_autofree char *inside_version =
		version ? pmg_version_canonical(what->eco, version) : NULL;
	size_t i;

	for (i = 0; i < what->n_who; i++) {
		const struct pmg_inspect_who *who = &what->who[i];
		pmg_autofree char *outside = pmg_name_canonical(what->eco, who->name);
		pmg_autofree char *outside_version =
			who->version ? pmg_version_canonical(what->eco, who->version) : NULL;

		if (strcmp(inside, outside) == 0 &&
		    (!outside_version || !version || strcmp(inside_version, outside_version) == 0))
			return who;
	}
	return NULL;
}

/* It is to be asked about as well. */
static void add_other(struct pmg_inspection *in, const char *name, const char *version)
{
	if (!version || strlen(name) > PMG_NAME_MAX || strlen(version) > PMG_VERSION_MAX)
		return;
	if (in->others.n == 2UL * PMG_INSPECT_OTHERS_MAX) {
		pmg_traits_add(in->out, PMG_TRAIT_OVERSIZED, "it says too many names");
		return;
	}
	pmg_strv_add(&in->others, name);
	pmg_strv_add(&in->others, version);
}

static void compare(struct pmg_inspection *in, const char *where, const char *name,
		    const char *version)
{
	const struct pmg_inspect_who *who = find(in->what, name, version);

	in->is_named = true;
	if (who)
		in->who = who;
	if (who || in->what->n_who == 0)
		return;
	pmg_traits_add(in->out, PMG_TRAIT_MISMATCH, "%s says %s%s%s", where, name,
		       version ? "@" : "", version ? version : "");
	add_other(in, name, version);
}

/* What npm runs of a package that comes from a registry; `prepare` is for those that come from
 * git. */
static void list_scripts(struct pmg_inspection *in, const struct json_t *scripts)
{
	static const char *const names[] = { "preinstall", "install", "postinstall" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		const char *script = pmg_json_str(scripts, names[i]);

		if (script && *script)
			pmg_traits_add(in->out, PMG_TRAIT_SCRIPTS, "%s: %s", names[i], script);
	}
}

/* Names of authors in some old encoding: npm reads on. Caller frees. */
static char *as_utf8(const char *text, size_t len)
{
	char *copy = pmg_xmalloc(len + 1);
	size_t i, n;
	uint32_t cp;

	memcpy(copy, text, len);
	copy[len] = '\0';
	for (i = 0; i < len; i += n) {
		n = pmg_utf8_len(copy + i, len - i, &cp);
		if (n == 0) {
			copy[i] = '?';
			n = 1;
		}
	}
	return copy;
}

/* As npm reads it; what npm may read and we not would hide its scripts. NULL: told. */
static struct json_t *parse(struct pmg_inspection *in, const char *path, const char *text,
			    size_t len)
{
	pmg_autofree char *copy = as_utf8(text, len);
	size_t mark = pmg_str_has_prefix(copy, "\xef\xbb\xbf") ? 3 : 0;
	pmg_auto(json) struct json_t *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_json_parse(path, copy + mark, len - mark, &doc, &err) == 0 &&
	    pmg_json_is_object(doc))
		return pmg_steal_ptr(&doc);
	if (!doc && pmg_json_parse_as_js(path, copy, len, &doc, &err) == 0 &&
	    pmg_json_is_object(doc)) {
		pmg_traits_add(in->out, PMG_TRAIT_UNINSPECTED, "%s has a key twice", path);
		return pmg_steal_ptr(&doc);
	}
	pmg_traits_add(in->out, PMG_TRAIT_UNREADABLE, "%s cannot be read", path);
	return NULL;
}

static void read_package_json(struct pmg_inspection *in, const char *path, const char *text,
			      size_t len)
{
	pmg_auto(json) struct json_t *doc = parse(in, path, text, len);
	const char *name, *version;

	if (!doc)
		return;
	name = pmg_json_str(doc, "name");
	version = pmg_json_str(doc, "version");
	if (name)
		compare(in, path, name, version);
	list_scripts(in, pmg_json_get(doc, "scripts"));
}

/* The value of a field, NULL when this line is another one. Caller frees. */
static char *field(const char *line, size_t len, const char *name)
{
	size_t n = strlen(name);

	if (len < n || strncasecmp(line, name, n) != 0)
		return NULL;
	for (; n < len && (line[n] == ' ' || line[n] == '\t'); n++)
		;
	while (len > n && (line[len - 1] == '\r' || line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	return pmg_xstrndup(line + n, len - n);
}

/* As of an e-mail: fields up to the first empty line (core metadata specification). Of several
 * that are alike readers take one or the other: all have to be right. */
static void read_metadata(struct pmg_inspection *in, const char *path, const char *text, size_t len)
{
	pmg_auto(strv) struct pmg_strv names = { 0 };
	pmg_auto(strv) struct pmg_strv versions = { 0 };
	const char *end = text + len, *line;
	size_t n, i;

	for (line = text; line < end; line += n + 1) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		char *value;

		n = (size_t)((newline ? newline : end) - line);
		if (n == 0 || (n == 1 && *line == '\r'))
			break;
		value = field(line, n, "Name:");
		if (value)
			pmg_strv_take(&names, value);
		value = field(line, n, "Version:");
		if (value)
			pmg_strv_take(&versions, value);
	}
	if (names.n == 0)
		pmg_traits_add(in->out, PMG_TRAIT_UNINSPECTED, "%s has no name", path);
	for (i = 0; i < names.n || i < versions.n; i++)
		if (names.n > 0)
			compare(in, path, names.v[i < names.n ? i : 0],
				versions.n ? versions.v[i < versions.n ? i : 0] : NULL);
}

void pmg_inspection_document(struct pmg_inspection *in, enum pmg_inspect_wants wants,
			     const char *path, const char *text, size_t len)
{
	if (wants == PMG_WANTS_PACKAGE_JSON)
		read_package_json(in, path, text, len);
	else if (wants == PMG_WANTS_METADATA)
		read_metadata(in, path, text, len);
}

/* PEP 427: neither name nor version has a dash there. */
void pmg_inspection_info(struct pmg_inspection *in, const char *folder)
{
	size_t len = strlen(folder) - strlen(".dist-info");
	const char *dash = memchr(folder, '-', len);
	pmg_autofree char *name = NULL;
	pmg_autofree char *version = NULL;

	if (in->info && strcmp(in->info, folder) == 0)
		return;
	if (in->info) {
		pmg_traits_add(in->out, PMG_TRAIT_AMBIGUOUS, "both %s and %s", in->info, folder);
		return;
	}
	in->info = pmg_xstrdup(folder);
	if (!dash) {
		pmg_traits_add(in->out, PMG_TRAIT_MISMATCH, "%s has no version", folder);
		return;
	}
	name = pmg_xstrndup(folder, (size_t)(dash - folder));
	version = pmg_xstrndup(dash + 1, len - (size_t)(dash + 1 - folder));
	compare(in, folder, name, version);
}

void pmg_inspection_documents(struct pmg_inspection *in)
{
	bool is_npm = in->what->eco == PMG_ECO_NPM;
	bool is_built = !is_npm && (in->info || in->is_egg);

	if (in->beside > 0 && !is_built)
		pmg_traits_add(in->out, PMG_TRAIT_OUTSIDE, "%s%s", in->first_beside,
			       in->beside > 1 ? " and others" : "");
	if (!is_npm && !is_built && in->has_setup)
		pmg_traits_add(in->out, PMG_TRAIT_BUILD, "setup.py");
	else if (!is_npm && !is_built && in->has_project)
		pmg_traits_add(in->out, PMG_TRAIT_BUILD, "pyproject.toml");
	if (in->n_entries > 0 && !in->is_named)
		pmg_traits_add(in->out, PMG_TRAIT_UNINSPECTED, "no %s that says its name",
			       is_npm ? "package.json" : "METADATA or PKG-INFO");
}
