/* What files and words of a command line say of where Python's packages come from: pip's forms,
 * which uv, poetry and pipx read too. */
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/facts.h"
#include "pm/pip_priv.h"
#include "pm/places_priv.h"
#include "pm/requirements.h"

#define FILE_MAX  8388608U /* a requirements file with hashes is long */
#define LOCK_MAX  67108864U
#define FILES_MAX 256U

void pmg_pip_done(struct pmg_pip *p)
{
	pmg_settings_done(&p->settings);
	pmg_strv_done(&p->seen);
	pmg_strv_done(&p->typed);
	pmg_strv_done(&p->hosts);
}

int pmg_pip_text(struct pmg_pip *p, const char *path, size_t max, char **text, size_t *len)
{
	if (!pmg_strv_add_once(&p->seen, path))
		return 0;
	if (p->seen.n > FILES_MAX)
		return pmg_err_set(p->err, PMG_E_LIMIT, 0, "more than %u files to read", FILES_MAX);
	return pmg_io_slurp_optional(path, max, text, len, p->err);
}

static int take_requirement(void *ctx, const struct pmg_requirement *found);

int pmg_pip_scan_text(struct pmg_pip *p, const char *path, const char *text, size_t len)
{
	const char *above = p->file;
	int r;

	p->file = path;
	r = pmg_requirements_scan(text, len, take_requirement, p);
	p->file = above;
	return r;
}

int pmg_pip_scan(struct pmg_pip *p, const char *path)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_pip_text(p, path, FILE_MAX, &text, &len);

	return r == 0 && text ? pmg_pip_scan_text(p, path, text, len) : r;
}

static int read_requirements(struct pmg_pip *p, const char *path)
{
	pmg_autofree char *text = NULL;
	const char *above = p->file;
	size_t len = 0;
	int r;

	if (pmg_str_has_suffix(path, ".toml"))
		return pmg_pip_scan(p, path);
	r = pmg_pip_text(p, path, FILE_MAX, &text, &len);
	if (r < 0 || !text)
		return r;
	p->file = path;
	r = pmg_requirements_parse(text, len, p->place->env, take_requirement, p);
	p->file = above;
	return r;
}

/* A path as pip reads it: seen from the file that names it, else from the working folder. */
static char *path_from(const struct pmg_pip *p, const char *value)
{
	pmg_autofree char *dir = p->file ? pmg_path_dir(p->file) : pmg_xstrdup(p->place->cwd);
	pmg_autofree char *path = NULL;

	if (strncmp(value, "file://", 7) == 0)
		value += 7;
	else if (strncmp(value, "file:", 5) == 0)
		value += 5;
	path = pmg_path_join(dir, value);
	return pmg_path_clean(path);
}

/* What a person names is meant to be read, not what a file does. */
static void keep_typed(struct pmg_pip *p, const char *path)
{
	if (!p->file)
		(void)pmg_strv_add_once(&p->typed, path);
}

/* A project of the user's own: its pyproject.toml may name archives. */
static int take_path(struct pmg_pip *p, const char *value)
{
	pmg_autofree char *bare = pmg_xstrndup(value, strcspn(value, "["));
	pmg_autofree char *dir = path_from(p, bare);
	pmg_autofree char *file = pmg_path_join(dir, "pyproject.toml");

	/* "pip install x" is a name, whatever lies beside it. */
	if (strchr(bare, '/') || pmg_places_is_path(bare))
		keep_typed(p, dir);
	return pmg_pip_scan(p, file);
}

static int take_file(struct pmg_pip *p, const char *value)
{
	pmg_autofree char *path = NULL;

	if (strstr(value, "://") && strncmp(value, "file://", 7) != 0) {
		pmg_facts_note(p->facts, "requirements from an address are not read ahead; "
					 "packages they name elsewhere are not judged");
		return 0;
	}
	path = path_from(p, value);
	keep_typed(p, path);
	return read_requirements(p, path);
}

/* A script with inline metadata is no requirements file. */
static int take_script(struct pmg_pip *p, const char *value)
{
	pmg_autofree char *path = path_from(p, value);

	keep_typed(p, path);
	return pmg_pip_scan(p, path);
}

/* What pip and uv obey in a requirements file. Its author does not say where caches are,
 * nor where results go. */
static bool is_for_files(const char *name)
{
	static const char *const names[] = { "index-url", "extra-index-url", "pypi-url",
					     "find-links", NULL };
	const char *const *p = names;

	while (*p && strcmp(*p, name) != 0)
		p++;
	return *p;
}

/* Options that name files; all others are settings. */
static int take_option(struct pmg_pip *p, const char *name, const char *value, const char *what,
		       unsigned line)
{
	/* pip's names, then uv's */
	static const struct {
		const char *name;
		int (*take)(struct pmg_pip *p, const char *value);
	} rows[] = {
		{ "requirement", take_file },      { "constraint", take_file },
		{ "build-constraint", take_file }, { "requirements-from-script", take_script },
		{ "requirements", take_file },     { "with-requirements", take_file },
		{ "constraints", take_file },      { "build-constraints", take_file },
		{ "overrides", take_file },
	};
	struct pmg_requirement editable = { .value = value, .line = line };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].take(p, value);
	if (strcmp(name, "editable") == 0 || strcmp(name, "with-editable") == 0)
		return take_requirement(p, &editable);
	if (p->file && !is_for_files(name))
		return 0;
	return pmg_settings_add(&p->settings, name, value, what, line, p->err);
}

static int take_requirement(void *ctx, const struct pmg_requirement *found)
{
	struct pmg_pip *p = ctx;

	if (found->option)
		return take_option(p, found->option, found->value,
				   p->file ? p->file : "command line", p->file ? found->line : 0);
	if (strstr(found->value, "://") && strncmp(found->value, "file:", 5) != 0)
		return pmg_facts_source(p->facts, PMG_ECO_PYPI, found->value, found->name, NULL,
					p->err);
	return take_path(p, found->value);
}

int pmg_pip_word(struct pmg_pip *p, const char *word)
{
	return pmg_requirements_word(word, 0, take_requirement, p);
}

int pmg_pip_option(struct pmg_pip *p, const char *name, const char *value)
{
	return take_option(p, name, value, "command line", 0);
}

int pmg_pip_options(struct pmg_pip *p, const char *text)
{
	return pmg_requirements_parse(text, strlen(text), p->place->env, take_requirement, p);
}

int pmg_pip_env_files(struct pmg_pip *p, const char *const *names)
{
	size_t i;
	int r = 0;

	for (; r == 0 && *names; names++) {
		const char *value = pmg_env_get(p->place->env, *names);
		pmg_auto(strv) struct pmg_strv files = { 0 };

		pmg_strv_split(&files, value ? value : "", " \t\n");
		for (i = 0; r == 0 && i < files.n; i++)
			r = take_file(p, files.v[i]);
	}
	return r;
}

/* A lockfile names every file of every package; their names say which package each is, so it is
 * the hosts that matter. */
static int take_locked(void *ctx, const struct pmg_requirement *found)
{
	struct pmg_pip *p = ctx;
	const char *start = strstr(found->value, "://") + 3;
	pmg_autofree char *host =
		pmg_xstrndup(found->value, (size_t)(start - found->value) + strcspn(start, "/?#"));

	if (!pmg_strv_add_once(&p->hosts, host))
		return 0;
	if (p->hosts.n > FILES_MAX)
		return pmg_err_set(p->err, PMG_E_LIMIT, 0, "%s:%u: more than %u hosts", p->file,
				   found->line, FILES_MAX);
	return pmg_facts_source(p->facts, PMG_ECO_PYPI, found->value, found->name, NULL, p->err);
}

int pmg_pip_lock(struct pmg_pip *p, const char *path)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_pip_text(p, path, LOCK_MAX, &text, &len);

	if (r < 0 || !text)
		return r;
	p->file = path;
	r = pmg_requirements_scan(text, len, take_locked, p);
	p->file = NULL;
	return r;
}

/* A page of links: the files lie beside it, more often than not. */
static char *page_folder(const char *url)
{
	size_t n = strcspn(url, "?#"), end = n;

	while (end > 0 && url[end - 1] != '/')
		end--;
	if (end > strlen("https://") && memchr(url + end, '.', n - end))
		n = end;
	return pmg_xstrndup(url, n);
}

/* uv's "NAME=ADDRESS" */
static const char *without_name(const char *url)
{
	const char *eq = strchr(url, '='), *sep = strstr(url, "://");

	return eq && eq < sep ? eq + 1 : url;
}

static int apply_registry(struct pmg_pip *p, const struct pmg_setting *s, bool page)
{
	pmg_auto(strv) struct pmg_strv urls = { 0 };
	size_t i;
	int r = 0;

	pmg_strv_split(&urls, s->value, page ? " \t\n," : " \t\n");
	for (i = 0; r == 0 && i < urls.n; i++) {
		pmg_autofree char *folder = page ? page_folder(urls.v[i]) : NULL;

		if (!strstr(urls.v[i], "://") || strncmp(urls.v[i], "file:", 5) == 0)
			continue; /* a folder of this machine */
		r = pmg_facts_try_registry(p->facts, PMG_ECO_PYPI,
					   folder ? folder : without_name(urls.v[i]), NULL, s->what,
					   s->line, p->err);
	}
	return r;
}

/* What an index is: asked in place of the one that is built in, asked besides, or a page that is
 * read and not asked for names. */
enum index { DEFAULT, MORE, PAGE };

/* A requirements file has the last word, before even the command line. */
static bool is_requirements(const struct pmg_setting *s)
{
	return s->what[0] == '/' && !pmg_str_has_suffix(s->what, ".toml") &&
	       !pmg_str_has_suffix(s->what, "pip.conf");
}

/* @param settled  where the default was named that counts, NULL: nowhere yet */
static int apply_as(struct pmg_pip *p, const struct pmg_setting *s, enum index as,
		    const char **settled)
{
	bool is_typed = strcmp(s->what, "command line") == 0 || is_requirements(s);
	int r;

	p->facts->has_default = as == PAGE || (as == DEFAULT && *settled && !is_requirements(s) &&
					       strcmp(*settled, s->what) != 0);
	r = apply_registry(p, s, as == PAGE);
	p->facts->has_default = false;
	if (as == DEFAULT && !*settled && (is_typed || !p->is_unsure))
		pmg_facts_settle(p->facts, without_name(s->value));
	if (p->facts->has_default)
		*settled = s->what;
	return r;
}

int pmg_pip_registries(struct pmg_pip *p)
{
	static const struct {
		const char *key;
		enum index as;
	} rows[] = {
		{ "index-url", DEFAULT }, { "extra-index-url", MORE },  { "pypi-url", DEFAULT },
		{ "index", MORE },        { "default-index", DEFAULT }, { "find-links", PAGE },
	};
	const char *settled = NULL;
	size_t i, k;
	int r = 0;

	for (i = 0; i < p->settings.n; i++)
		for (k = 0; r == 0 && k < PMG_ARRAY_LEN(rows); k++)
			if (strcmp(p->settings.v[i].key, rows[k].key) == 0)
				r = apply_as(p, &p->settings.v[i], rows[k].as, &settled);
	p->facts->has_default = settled != NULL;
	return r;
}
