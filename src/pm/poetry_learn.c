/* Where poetry's packages come from. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/toml.h"
#include "pm/ask.h"
#include "pm/facts.h"
#include "pm/managers.h"
#include "pm/pip_priv.h"
#include "pm/project.h"
#include "pm/surroundings.h"

#define MANIFEST_MAX 8388608U

/* One learning. */
struct poetry {
	struct pmg_pip pip;
	struct pmg_strv operands;
};

static void poetry_done(struct poetry *p)
{
	pmg_pip_done(&p->pip);
	pmg_strv_done(&p->operands);
}
PMG_DEFINE_AUTO_DONE(poetry, struct poetry, poetry_done);

static void read_answer(const char *said, struct pmg_strv *out)
{
	if (strncmp(said, "http", 4) == 0)
		pmg_strv_take(out, pmg_xstrndup(said, strcspn(said, " \t\r\n")));
}

/* What poetry takes where no source is named; pages of it lie below "simple/". */
static const char code[] =
	"import inspect\n"
	"from poetry.repositories.pypi_repository import PyPiRepository\n"
	"url = inspect.signature(PyPiRepository.__init__).parameters['url'].default\n"
	"print(url.rstrip('/') + '/simple/')\n";
static const char *const question_args[] = { "-c", code, NULL };
static const char *const question_env[] = { "PYTHONDONTWRITEBYTECODE=1", NULL };
static const struct pmg_question question = {
	.tool = "poetry",
	.interpreted = true,
	.args = question_args,
	.env = question_env,
	.read = read_answer,
};

static int add(struct poetry *p, const char *key, const struct pmg_toml *value, const char *path)
{
	return value && value->text ? pmg_settings_add(&p->pip.settings, key, value->text, path,
						       value->line, p->pip.err)
				    : 0;
}

/* [[tool.poetry.source]] */
static int take_sources(struct poetry *p, const struct pmg_toml *doc, const char *path)
{
	int r = 0;

	pmg_toml_each(pmg_toml_at(doc, "tool.poetry.source"), it)
	{
		bool is_default = pmg_streq(pmg_toml_str(it, "priority"), "default") ||
				  pmg_streq(pmg_toml_str(it, "default"), "true");

		if (r == 0)
			r = add(p, is_default ? "index-url" : "extra-index-url",
				pmg_toml_get(it, "url"), path);
	}
	return r;
}

/* config.toml and poetry.toml: "[virtualenvs] path" is the setting "virtualenvs-path", as the
 * variable POETRY_VIRTUALENVS_PATH is. */
static int take_settings(struct poetry *p, const struct pmg_toml *table, const char *above,
			 const char *path)
{
	int r = 0;

	pmg_toml_each(table->kind == PMG_TOML_TABLE ? table : NULL, it)
	{
		pmg_autofree char *key = pmg_xasprintf("%s%s%s", above, *above ? "-" : "", it->key);

		if (r == 0)
			r = add(p, key, it, path);
		if (r == 0)
			r = take_settings(p, it, key, path);
	}
	return r;
}

static int read_toml(struct poetry *p, const char *dir, const char *name, bool manifest)
{
	pmg_autofree char *path = pmg_path_join(dir, name);
	pmg_auto(toml) struct pmg_toml *doc = NULL;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_pip_text(&p->pip, path, MANIFEST_MAX, &text, &len);

	if (r < 0 || !text)
		return r;
	r = pmg_toml_parse(path, text, len, &doc, p->pip.err);
	if (r < 0)
		return r;
	if (!manifest)
		return take_settings(p, doc, "", path);
	r = take_sources(p, doc, path);
	return r == 0 ? pmg_pip_scan_text(&p->pip, path, text, len) : r;
}

static int take_argument(struct poetry *p, const struct pmg_arg *arg)
{
	if (arg->kind == PMG_ARG_OPERAND) {
		pmg_strv_add(&p->operands, arg->value);
		return pmg_pip_word(&p->pip, arg->value);
	}
	return arg->value ? pmg_settings_add(&p->pip.settings, arg->name, arg->value,
					     "command line", 0, p->pip.err)
			  : 0;
}

static int read_line(struct poetry *p)
{
	pmg_auto(args) struct pmg_args args = { .table = &pmg_poetry_args,
						.argv = p->pip.place->argv };
	struct pmg_arg arg;
	int r = 0;

	/* Behind `run` a command of its own begins. */
	while (r == 0 && !(p->operands.n > 0 && strcmp(p->operands.v[0], "run") == 0) &&
	       pmg_args_next(&args, &arg))
		r = take_argument(p, &arg);
	if (r == 0)
		pmg_strv_extend(&p->pip.facts->argv, p->pip.place->argv);
	return r;
}

static char *start_of(const struct poetry *p)
{
	static const char *const keys[] = { "directory", "project" };
	char *dir = pmg_xstrdup(p->pip.place->cwd);
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(keys); i++) {
		const char *value = pmg_settings_value(&p->pip.settings, keys[i]);
		char *next = value ? pmg_path_join(dir, value) : NULL;

		if (!next)
			continue;
		free(dir);
		dir = next;
	}
	return dir;
}

/* poetry takes the nearest pyproject.toml upward; what lies further up does no harm. */
static int read_upward(struct poetry *p)
{
	pmg_autofree char *start = start_of(p);
	pmg_autofree char *dir = pmg_project_up(start, "pyproject.toml");
	pmg_autofree char *lock = dir ? pmg_path_join(dir, "poetry.lock") : NULL;
	int r;

	if (!dir)
		return 0;
	r = read_toml(p, dir, "poetry.toml", false);
	if (r == 0)
		r = read_toml(p, dir, "pyproject.toml", true);
	return r == 0 ? pmg_pip_lock(&p->pip, lock) : r;
}

static int read_all(struct poetry *p)
{
	const struct pmg_place *place = p->pip.place;
	pmg_autofree char *config = pmg_poetry_config(place);
	int r = read_line(p);

	if (r == 0)
		r = pmg_settings_env(&p->pip.settings, "POETRY_", place->env, p->pip.err);
	if (r == 0)
		r = read_upward(p);
	if (r == 0)
		r = read_toml(p, config, "config.toml", false);
	return r == 0 ? read_toml(p, config, "auth.toml", false) : r;
}

/* "repositories-NAME-url" is an index, "certificates-NAME-cert" beats REQUESTS_CA_BUNDLE and is
 * overruled by its own variable. */
static int apply(struct poetry *p)
{
	size_t i, n = p->pip.settings.n;
	int r = 0;

	for (i = 0; r == 0 && i < n; i++) {
		const struct pmg_setting s = p->pip.settings.v[i];
		pmg_autofree char *variable = pmg_xasprintf("POETRY_%s", s.key);
		char *c;

		for (c = variable; *c; c++)
			*c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
		if (pmg_str_has_prefix(s.key, "repositories-") && pmg_str_has_suffix(s.key, "-url"))
			r = pmg_settings_add(&p->pip.settings, "extra-index-url", s.value, s.what,
					     s.line, p->pip.err);
		if (!pmg_str_has_prefix(s.key, "certificates-"))
			continue;
		if (pmg_str_has_suffix(s.key, "-client-cert")) {
			pmg_facts_note(p->pip.facts,
				       "client-cert in %s: pmg does not show it to registries",
				       s.what);
		} else if (pmg_str_has_suffix(s.key, "-cert")) {
			(void)pmg_strv_add_once(&p->pip.facts->bundle_variables, variable);
			if (strchr(s.value, '/'))
				pmg_surroundings_ca_file(p->pip.facts, s.what, s.value);
		}
	}
	return r;
}

char *pmg_poetry_config(const struct pmg_place *place)
{
	const char *own = pmg_env_get(place->env, "POETRY_CONFIG_DIR");
	const char *xdg = pmg_env_get(place->env, "XDG_CONFIG_HOME");

	if (own && own[0] == '/')
		return pmg_xstrdup(own);
	return xdg && xdg[0] == '/' ? pmg_path_join(xdg, "pypoetry")
				    : pmg_path_join(place->home, ".config/pypoetry");
}

char *pmg_poetry_start(const struct pmg_place *place)
{
	pmg_auto(facts) struct pmg_facts scratch = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(poetry) struct poetry p = {
		.pip = { .place = place, .facts = &scratch, .err = &err }
	};

	/* What is beyond a limit is said when the same is read for its settings. */
	return read_line(&p) < 0 ? pmg_xstrdup(place->cwd) : start_of(&p);
}

int pmg_poetry_settings(const struct pmg_place *place, struct pmg_settings *out,
			struct pmg_strv *typed, struct pmg_strv *verbs, struct pmg_err *err)
{
	pmg_auto(facts) struct pmg_facts scratch = { 0 };
	pmg_auto(poetry) struct poetry p = {
		.pip = { .place = place, .facts = &scratch, .err = err }
	};
	int r = read_all(&p);

	if (r < 0)
		return r;
	*out = p.pip.settings;
	p.pip.settings = (struct pmg_settings){ 0 };
	*typed = p.pip.typed;
	p.pip.typed = (struct pmg_strv){ 0 };
	*verbs = p.operands;
	p.operands = (struct pmg_strv){ 0 };
	return 0;
}

int pmg_poetry_learn(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	pmg_auto(poetry) struct poetry p = { .pip = { .place = place, .facts = out, .err = err } };
	int r = read_all(&p);

	if (r == 0)
		r = apply(&p);
	if (r == 0)
		r = pmg_pip_registries(&p.pip);
	if (r < 0)
		return r;
	pmg_surroundings_proxy(out, place->env);
	pmg_surroundings_ca(out, place);
	out->has_cafile = true; /* a build may start npm or pip, and their files were not read */
	return pmg_ask_registries(&question, place, PMG_ECO_PYPI, out, err);
}
