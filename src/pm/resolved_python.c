#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "base/url.h"
#include "conf/toml.h"
#include "pm/encoding.h"
#include "pm/requirements.h"
#include "pm/resolved_priv.h"
#include "pm/version.h"

#define INTEGRITY_MAX (PMG_RESOLVED_HASHES_MAX * 160U)

/* Requirements files */

struct pins {
	const struct pmg_resolving *from;
	struct pmg_err *err;
};

/* Any folder of archives may have it, too ("--find-links"). */
static int take_pin(void *ctx, const struct pmg_pin *pin)
{
	struct pins *pins = ctx;
	struct pmg_locked locked = { .name = pin->name,
				     .version = pin->version,
				     .url = PMG_RESOLVED_ANYWHERE,
				     .integrity = pin->hashes,
				     .line = pin->line };

	return pmg_resolving_add(pins->from, PMG_ECO_PYPI, &locked, pins->err);
}

int pmg_resolve_requirements(const struct pmg_resolving *from, struct pmg_err *err)
{
	const struct pmg_strv no_env = { 0 };
	struct pins pins = { from, err };
	pmg_autofree char *odd = pmg_encoding_odd(from->text, from->len);

	if (odd) {
		pmg_autofree char *what =
			pmg_xasprintf("an encoding that pmg does not read, %s", odd);

		return pmg_resolving_wrong(from, 1, what, err);
	}
	return pmg_requirements_pins(from->text, from->len, &no_env, take_pin, &pins);
}

int pmg_resolve_asked(const struct pmg_resolving *from, struct pmg_err *err)
{
	struct pmg_locked locked = { .url = PMG_RESOLVED_ANYWHERE };
	size_t before = from->set->n, n = strcspn(from->text, " \t[(=<>!~;@,");
	pmg_autofree char *name = pmg_xstrndup(from->text, n), *version = NULL;
	int r = pmg_resolve_requirements(from, err);

	if (r < 0 || from->set->n > before || !pmg_name_is_valid(PMG_ECO_PYPI, name))
		return r;
	/* "x@1" of uvx; "x@latest" and "x @ https://..." are not versions. */
	if (from->text[n] == '@' && strchr("0123456789", from->text[n + 1]) && from->text[n + 1])
		version = pmg_xstrndup(from->text + n + 1, strcspn(from->text + n + 1, " \t"));
	locked.name = name;
	locked.version = version;
	locked.open = !version;
	return pmg_resolving_add(from, PMG_ECO_PYPI, &locked, err);
}

/* TOML: [[package]] of poetry and uv, [[packages]] of pylock.toml. */

struct toml_form {
	const char *list;
	/* Keys of the table that say that it is a folder of the project's own, unless one of the
	 * others stands beside them: that is taken first. */
	const char *const *own;
	const char *const *others;
	const char *source; /* table in which they stand; NULL: in the package itself */
};

static void add_hash(struct pmg_str *out, const char *algorithm, const char *hash)
{
	if (!hash)
		return;
	/* Beyond, no hash is asked; the name still is. */
	(void)!pmg_str_addf(out, "%s%s%s%s", out->len ? " " : "", algorithm, *algorithm ? ":" : "",
			    hash);
}

/* hash = "sha256:..." of one file, or hashes = { sha256 = "..." }. */
static void add_file(struct pmg_str *out, const struct pmg_toml *file)
{
	const struct pmg_toml *hashes = pmg_toml_get(file, "hashes");

	add_hash(out, "", pmg_toml_str(file, "hash"));
	pmg_toml_each(hashes, it)
	{
		if (it->text)
			add_hash(out, it->key, it->text);
	}
}

static char *hashes_of(const struct pmg_toml *package)
{
	static const char *const lists[] = { "files", "wheels" };
	static const char *const singles[] = { "sdist", "archive" };
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(INTEGRITY_MAX);
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(lists); i++) {
		const struct pmg_toml *list = pmg_toml_get(package, lists[i]);

		pmg_toml_each(list, it)
		{
			add_file(&out, it);
		}
	}
	for (i = 0; i < PMG_ARRAY_LEN(singles); i++)
		add_file(&out, pmg_toml_get(package, singles[i]));
	return out.len > 0 ? pmg_str_steal(&out) : NULL;
}

static bool is_own(const struct toml_form *form, const struct pmg_toml *package)
{
	const struct pmg_toml *source =
		form->source ? pmg_toml_get(package, form->source) : package;
	const char *type = form->source ? pmg_toml_str(source, "type") : NULL;
	size_t i;

	for (i = 0; form->others[i]; i++)
		if (pmg_toml_get(source, form->others[i]))
			return false;
	for (i = 0; form->own[i]; i++)
		if (pmg_toml_get(source, form->own[i]) || pmg_streq(type, form->own[i]))
			return true;
	return false;
}

/* An address, a path, a repository: what is not of an index says so. */
static const char *url_of(const struct toml_form *form, const struct pmg_toml *package)
{
	static const char *const keys[] = { "git", "url", "path", "vcs", "archive" };
	const struct pmg_toml *source =
		form->source ? pmg_toml_get(package, form->source) : package;
	const char *type = form->source ? pmg_toml_str(source, "type") : NULL;
	const char *text;
	size_t i;

	if (form->source && pmg_toml_get(source, "registry"))
		return NULL; /* uv takes that one, whatever stands beside it */
	if (type && strcmp(type, "legacy") != 0)
		return type;
	for (i = 0; i < PMG_ARRAY_LEN(keys); i++)
		if (!type && pmg_toml_get(source, keys[i])) {
			text = pmg_toml_str(source, keys[i]);
			return text ? text : keys[i];
		}
	return NULL;
}

/* NAME-VERSION-...whl at the end of an address or path. Caller frees both. @return is it one? */
static bool split_wheel(const char *address, char **name, char **version)
{
	pmg_autofree char *cut = pmg_xstrndup(address, strcspn(address, "?#"));
	pmg_autofree char *decoded = pmg_url_decode(cut);
	const char *file = pmg_path_name(decoded ? decoded : cut);
	size_t len = strcspn(file, "-"), of_version;

	if (!pmg_str_has_suffix(file, ".whl") || !file[len])
		return false;
	of_version = strcspn(file + len + 1, "-");
	if (!file[len + 1 + of_version])
		return false;
	*name = pmg_xstrndup(file, len);
	*version = pmg_xstrndup(file + len + 1, of_version);
	return true;
}

/* Of a version that has no "+local" its builds may have one. */
static bool is_same_version(const char *of_package, const char *of_wheel)
{
	pmg_autofree char *cut = pmg_xstrdup(of_wheel);

	if (of_package && !strchr(of_package, '+'))
		cut[strcspn(cut, "+")] = '\0';
	return of_package && (!pmg_version_is_valid(PMG_ECO_PYPI, cut) ||
			      pmg_version_compare(PMG_ECO_PYPI, of_package, cut) == 0);
}

/* uv installs what the file of a wheel is called, whatever the entry is that it stands in. */
static int add_wheel(const struct pmg_resolving *from, const struct pmg_locked *package,
		     const char *address, struct pmg_err *err)
{
	pmg_autofree char *name = NULL, *version = NULL, *left = NULL, *right = NULL;
	struct pmg_locked locked = { .url = package->url, .line = package->line };

	if (!address || !split_wheel(address, &name, &version) ||
	    !pmg_name_is_valid(PMG_ECO_PYPI, name))
		return 0;
	left = pmg_name_canonical(PMG_ECO_PYPI, package->name);
	right = pmg_name_canonical(PMG_ECO_PYPI, name);
	if (pmg_streq(left, right) && is_same_version(package->version, version))
		return 0;
	locked.name = name;
	locked.version = version;
	return pmg_resolving_add(from, PMG_ECO_PYPI, &locked, err);
}

static int add_wheels(const struct pmg_resolving *from, const struct toml_form *form,
		      const struct pmg_toml *entry, const struct pmg_locked *package,
		      struct pmg_err *err)
{
	static const char *const keys[] = { "url", "path", "filename", "name" };
	const struct pmg_toml *tables[] = { form->source ? pmg_toml_get(entry, form->source) : NULL,
					    pmg_toml_get(entry, "archive") };
	size_t i, k;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(keys); i++) {
		for (k = 0; r == 0 && k < PMG_ARRAY_LEN(tables); k++)
			r = add_wheel(from, package, pmg_toml_str(tables[k], keys[i]), err);
		pmg_toml_each(pmg_toml_get(entry, "wheels"), it)
		{
			if (r == 0)
				r = add_wheel(from, package, pmg_toml_str(it, keys[i]), err);
		}
	}
	return r;
}

static int add_package(const struct pmg_resolving *from, const struct toml_form *form,
		       const struct pmg_toml *package, struct pmg_err *err)
{
	pmg_autofree char *hashes = hashes_of(package);
	struct pmg_locked locked = {
		.name = pmg_toml_str(package, "name"),
		.version = pmg_toml_str(package, "version"),
		.url = url_of(form, package),
		.integrity = hashes,
		.line = package->line,
	};
	int r;

	if (is_own(form, package))
		return 0;
	if (!locked.name)
		return pmg_resolving_wrong(from, package->line, "a package without a name", err);
	r = pmg_resolving_add(from, PMG_ECO_PYPI, &locked, err);
	return r == 0 ? add_wheels(from, form, package, &locked, err) : r;
}

static int read_toml(const struct pmg_resolving *from, const struct toml_form *form,
		     struct pmg_err *err)
{
	pmg_auto(toml) struct pmg_toml *doc = NULL;
	const struct pmg_toml *list;
	int r = pmg_toml_parse(from->file, from->text, from->len, &doc, err);

	if (r < 0)
		return r == -PMG_E_LIMIT ? pmg_err_as(err, PMG_E_PARSE) : r;
	if (r > 0)
		return pmg_resolving_wrong(from, 1, "not all of it is TOML", err);
	list = pmg_toml_get(doc, form->list);
	pmg_toml_each(list, it)
	{
		r = add_package(from, form, it, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int pmg_resolve_poetry(const struct pmg_resolving *from, struct pmg_err *err)
{
	static const char *const own[] = { "directory", NULL };
	static const char *const others[] = { NULL }; /* "type" says which it is */
	static const struct toml_form form = { "package", own, others, "source" };

	return read_toml(from, &form, err);
}

int pmg_resolve_uv(const struct pmg_resolving *from, struct pmg_err *err)
{
	static const char *const own[] = { "editable", "virtual", "directory", NULL };
	static const char *const others[] = { "registry", "git", "url", "path", NULL };
	static const struct toml_form form = { "package", own, others, "source" };

	return read_toml(from, &form, err);
}

int pmg_resolve_pylock(const struct pmg_resolving *from, struct pmg_err *err)
{
	static const char *const own[] = { "directory", NULL };
	static const char *const others[] = { "vcs", "archive", "sdist", "wheels", "index", NULL };
	static const struct toml_form form = { "packages", own, others, NULL };

	return read_toml(from, &form, err);
}

/* `pip install --report`: {"install": [{"metadata": {"name", "version"},
 * "download_info": {"archive_info": {"hashes": {"sha256": ...}}}}]} */
static int add_reported(const struct pmg_resolving *from, const struct json_t *item,
			struct pmg_err *err)
{
	const struct json_t *metadata = pmg_json_get(item, "metadata");
	const struct json_t *info = pmg_json_get(item, "download_info");
	const struct json_t *hashes = pmg_json_get(pmg_json_get(info, "archive_info"), "hashes");
	pmg_auto(str) struct pmg_str integrity = PMG_STR_INIT(INTEGRITY_MAX);
	struct pmg_locked locked = {
		.name = pmg_json_str(metadata, "name"),
		.version = pmg_json_str(metadata, "version"),
	};

	if (!locked.name)
		return pmg_resolving_wrong(from, 1, "a package without a name", err);
	if (pmg_json_get(info, "dir_info"))
		return 0; /* a folder of the user's */
	pmg_json_object_each (hashes, it)
		add_hash(&integrity, pmg_json_iter_key(it), pmg_json_text(pmg_json_iter_value(it)));
	locked.integrity = integrity.s;
	return pmg_resolving_add(from, PMG_ECO_PYPI, &locked, err);
}

int pmg_resolve_pip_report(const struct pmg_resolving *from, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *json = NULL;
	const struct json_t *install;
	size_t i;
	int r = pmg_json_parse(from->file, from->text, from->len, &json, err);

	if (r < 0)
		return r;
	install = pmg_json_get(json, "install");
	if (!pmg_json_is_array(install))
		return pmg_resolving_wrong(from, 1, "no list \"install\"", err);
	for (i = 0; r == 0 && i < pmg_json_len(install); i++)
		r = add_reported(from, pmg_json_at(install, i), err);
	return r;
}
