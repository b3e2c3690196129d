#include <string.h>

#include "base/env.h"
#include "base/io.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/ask.h"
#include "pm/facts.h"
#include "pm/managers.h"
#include "pm/pip_priv.h"
#include "pm/places_priv.h"
#include "pm/requirements.h"
#include "pm/settings.h"
#include "pm/surroundings.h"

#define FILE_MAX  8388608U /* a requirements file with hashes is long */
#define FILES_MAX 256U

static void pip_done(struct pmg_pip *p)
{
	pmg_settings_done(&p->settings);
	pmg_strv_done(&p->seen);
	pmg_strv_done(&p->typed);
}
PMG_DEFINE_AUTO_DONE(pip, struct pmg_pip, pip_done);

/* "-i, --index-url <url>  Base URL of ... (default ADDRESS)." of `pip download --help`. */
static void read_answer(const char *said, struct pmg_strv *out)
{
	const char *option = strstr(said, "--index-url");
	const char *value = option ? strstr(option, "(default ") : NULL;

	if (!value)
		return;
	value += strlen("(default ");
	value += strspn(value, " \t\r\n");
	if (strncmp(value, "http", 4) == 0)
		pmg_strv_take(out, pmg_xstrndup(value, strcspn(value, ") \t\r\n")));
}

static const char *const question_args[] = { "download", "--help", NULL };
/* With this PIP_CONFIG_FILE pip reads no file at all; a wide terminal keeps the address whole. */
static const char *const question_env[] = { "PIP_CONFIG_FILE=/dev/null",
					    "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1",
					    "COLUMNS=1000", NULL };
static const struct pmg_question questions[] = {
	{ .tool = "pip", .args = question_args, .env = question_env, .read = read_answer },
	{ .tool = "pip3", .args = question_args, .env = question_env, .read = read_answer },
};

static int read_text(struct pmg_pip *p, const char *path, char **text, size_t *len)
{
	struct pmg_err why = PMG_ERR_INIT;
	int r;

	if (!pmg_strv_add_once(&p->seen, path))
		return 0;
	if (p->seen.n > FILES_MAX)
		return pmg_err_set(p->err, PMG_E_LIMIT, 0, "more than %u files to read", FILES_MAX);
	r = pmg_io_slurp(path, FILE_MAX, text, len, &why);
	if (r == -PMG_E_LIMIT) {
		*p->err = why;
		return r;
	}
	if (r < 0)
		pmg_log_debug("not read: %s", why.msg); /* pip reads no more of it */
	return 0;
}

static int take_requirement(void *ctx, const struct pmg_requirement *found);

/* Every archive that a file names by address. */
static int scan_file(struct pmg_pip *p, const char *path)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = read_text(p, path, &text, &len);

	return r == 0 && text ? pmg_requirements_scan(text, len, take_requirement, p) : r;
}

static int read_requirements(struct pmg_pip *p, const char *path)
{
	pmg_autofree char *text = NULL;
	const char *above = p->file;
	size_t len = 0;
	int r;

	if (pmg_str_has_suffix(path, ".toml"))
		return scan_file(p, path);
	r = read_text(p, path, &text, &len);
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
	return scan_file(p, file);
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
	return scan_file(p, path);
}

/* Options that name files; all others are settings. */
static int take_option(struct pmg_pip *p, const char *name, const char *value, const char *what,
		       unsigned line)
{
	static const struct {
		const char *name;
		int (*take)(struct pmg_pip *p, const char *value);
	} rows[] = {
		{ "requirement", take_file },
		{ "constraint", take_file },
		{ "build-constraint", take_file },
		{ "requirements-from-script", take_script },
	};
	struct pmg_requirement editable = { .value = value, .line = line };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].take(p, value);
	if (strcmp(name, "editable") == 0)
		return take_requirement(p, &editable);
	return pmg_settings_add(&p->settings, name, value, what, line, p->err);
}

static int take_requirement(void *ctx, const struct pmg_requirement *found)
{
	struct pmg_pip *p = ctx;

	if (found->option)
		return take_option(p, found->option, found->value,
				   p->file ? p->file : "command line", found->line);
	if (strstr(found->value, "://") && strncmp(found->value, "file:", 5) != 0)
		return pmg_facts_source(p->facts, PMG_ECO_PYPI, found->value, found->name, NULL,
					p->err);
	return take_path(p, found->value);
}

static int take_argument(struct pmg_pip *p, const struct pmg_arg *arg)
{
	static const char *const steering[] = { "proxy", "cert" };
	size_t i;

	p->isolated |= arg->kind == PMG_ARG_OPTION && strcmp(arg->name, "isolated") == 0;
	for (i = 0; arg->kind == PMG_ARG_OPTION && i < PMG_ARRAY_LEN(steering); i++)
		if (strcmp(steering[i], arg->name) == 0) {
			pmg_facts_note(p->facts,
				       "--%s: taken over by pmg, pip does not get to see it",
				       arg->name);
			return arg->value ? pmg_settings_add(&p->settings, arg->name, arg->value,
							     "command line", 0, p->err)
					  : 0;
		}
	for (i = arg->first; i < arg->first + arg->n; i++)
		pmg_strv_add(&p->facts->argv, p->place->argv[i]);
	if (arg->kind == PMG_ARG_OPERAND)
		return pmg_requirements_word(arg->value, 0, take_requirement, p);
	return arg->value ? take_option(p, arg->name, arg->value, "command line", 0) : 0;
}

static int read_line(struct pmg_pip *p)
{
	pmg_auto(args) struct pmg_args args = { .table = &pmg_pip_args, .argv = p->place->argv };
	struct pmg_arg arg;
	size_t done = 0;
	int r = 0;

	while (r == 0 && pmg_args_next(&args, &arg)) {
		for (; done < arg.first; done++) /* the program, "--" */
			pmg_strv_add(&p->facts->argv, p->place->argv[done]);
		r = take_argument(p, &arg);
		done = arg.first + arg.n;
	}
	if (r == 0)
		pmg_strv_extend(&p->facts->argv, p->place->argv + done);
	return r;
}

/* PIP_REQUIREMENT and PIP_CONSTRAINT name files, by blanks. */
static int read_env(struct pmg_pip *p)
{
	static const char *const names[] = { "PIP_REQUIREMENT", "PIP_CONSTRAINT",
					     "PIP_BUILD_CONSTRAINT" };
	size_t i, k;
	int r;

	r = pmg_settings_env(&p->settings, "PIP_", p->place->env, p->err);
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(names); i++) {
		const char *value = pmg_env_get(p->place->env, names[i]);
		pmg_auto(strv) struct pmg_strv files = { 0 };

		pmg_strv_split(&files, value ? value : "", " \t\n");
		for (k = 0; r == 0 && k < files.n; k++)
			r = take_file(p, files.v[k]);
	}
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

static int apply_registry(struct pmg_pip *p, const struct pmg_setting *s, bool page)
{
	pmg_auto(strv) struct pmg_strv urls = { 0 };
	size_t i;
	int r = 0;

	pmg_strv_split(&urls, s->value, " \t\n");
	for (i = 0; r == 0 && i < urls.n; i++) {
		pmg_autofree char *folder = page ? page_folder(urls.v[i]) : NULL;

		if (!strstr(urls.v[i], "://") || strncmp(urls.v[i], "file:", 5) == 0)
			continue; /* a folder of this machine */
		r = pmg_facts_try_registry(p->facts, PMG_ECO_PYPI, folder ? folder : urls.v[i],
					   NULL, s->what, s->line, p->err);
	}
	return r;
}

static int apply_registries(struct pmg_pip *p)
{
	static const struct {
		const char *key;
		bool page;
	} rows[] = {
		{ "index-url", false },
		{ "extra-index-url", false },
		{ "pypi-url", false },
		{ "find-links", true },
	};
	size_t i, k;
	int r = 0;

	for (i = 0; i < p->settings.n; i++)
		for (k = 0; r == 0 && k < PMG_ARRAY_LEN(rows); k++)
			if (strcmp(p->settings.v[i].key, rows[k].key) == 0)
				r = apply_registry(p, &p->settings.v[i], rows[k].page);
	return r;
}

static void apply_network(struct pmg_pip *p)
{
	const struct pmg_setting *cert = pmg_settings_find(&p->settings, "cert");
	const char *proxy = pmg_settings_value(&p->settings, "proxy");

	if (proxy) {
		p->facts->https_proxy = pmg_xstrdup(proxy);
		p->facts->http_proxy = pmg_xstrdup(proxy);
	}
	pmg_surroundings_proxy(p->facts, p->place->env);
	if (cert && *cert->value) {
		pmg_autofree char *path = pmg_path_join(p->place->cwd, cert->value);

		pmg_surroundings_ca_file(p->facts, cert->what, path);
	}
	pmg_surroundings_ca(p->facts, p->place);
	p->facts->has_cafile = true; /* a build may start npm, and its files were not read */
	if (pmg_settings_value(&p->settings, "trusted-host"))
		pmg_facts_note(p->facts, "trusted-host in %s: pmg verifies registries all the same",
			       pmg_settings_find(&p->settings, "trusted-host")->what);
	if (pmg_settings_value(&p->settings, "client-cert"))
		pmg_facts_note(p->facts, "client-cert in %s: pmg does not show it to registries",
			       pmg_settings_find(&p->settings, "client-cert")->what);
}

static int read_all(struct pmg_pip *p)
{
	int r = read_line(p);

	if (r == 0)
		r = read_env(p);
	return r == 0 ? pmg_pip_confs(p) : r;
}

int pmg_pip_settings(const struct pmg_place *place, struct pmg_settings *out,
		     struct pmg_strv *typed, char **python, struct pmg_err *err)
{
	pmg_auto(facts) struct pmg_facts scratch = { 0 };
	pmg_auto(pip) struct pmg_pip p = { .place = place, .facts = &scratch, .err = err };
	int r = read_all(&p);

	if (r < 0)
		return r;
	*out = p.settings;
	p.settings = (struct pmg_settings){ 0 };
	*typed = p.typed;
	p.typed = (struct pmg_strv){ 0 };
	*python = pmg_pip_interpreter(place->program);
	return 0;
}

int pmg_pip_learn(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	bool three = strcmp(pmg_path_name(place->argv[0]), "pip3") == 0;
	pmg_auto(pip) struct pmg_pip p = { .place = place, .facts = out, .err = err };
	int r = read_all(&p);

	if (r == 0)
		r = apply_registries(&p);
	if (r < 0)
		return r;
	apply_network(&p);
	return pmg_ask_registries(&questions[three], place, PMG_ECO_PYPI, out, err);
}
