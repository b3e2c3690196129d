/* Where uv's packages come from. */
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/ask.h"
#include "pm/facts.h"
#include "pm/managers.h"
#include "pm/surroundings.h"
#include "pm/uv_priv.h"
#include "pm/version.h"

void pmg_uv_done(struct pmg_uv *uv)
{
	pmg_pip_done(&uv->pip);
	pmg_strv_done(&uv->operands);
	free(uv->start);
}

/* "--default-index <DEFAULT_INDEX>  The default package index (by default: <ADDRESS>)"; in old
 * ones "--index-url <INDEX_URL>". */
static void read_answer(const char *said, struct pmg_strv *out)
{
	const char *option = strstr(said, "--index-url");
	const char *value = option ? strstr(option, "<http") : NULL;

	if (value)
		pmg_strv_take(out, pmg_xstrndup(value + 1, strcspn(value + 1, "> \t\r\n")));
}

static const char *const question_args[] = { "pip", "install", "--help", NULL };
static const char *const question_env[] = { "UV_NO_CONFIG=1", "COLUMNS=1000", "UV_OFFLINE=1",
					    NULL };
const struct pmg_question pmg_uv_question = {
	.tool = "uv", .args = question_args, .env = question_env, .read = read_answer
};

/* Words that are uv's own: behind `run` and `tool run` a command of its own begins. */
static size_t own_words(const struct pmg_strv *operands, bool uvx)
{
	const char *verb = operands->n > 0 ? operands->v[0] : "";

	if (uvx)
		return 1;
	if (strcmp(verb, "run") == 0)
		return 2;
	if (strcmp(verb, "tool") == 0 && operands->n > 1 && strcmp(operands->v[1], "run") == 0)
		return 3;
	return SIZE_MAX;
}

int pmg_uv_word(struct pmg_uv *uv, const char *word)
{
	int r = pmg_pip_word(&uv->pip, word);

	pmg_strv_add(&uv->operands, word);
	return r == 0 && pmg_str_has_suffix(word, ".py") ? pmg_uv_script(uv, word) : r;
}

void pmg_uv_give(struct pmg_uv *uv, struct pmg_strv *typed, struct pmg_strv *operands)
{
	*typed = uv->pip.typed;
	*operands = uv->operands;
	uv->pip.typed = uv->operands = (struct pmg_strv){ 0 };
}

static int take_argument(struct pmg_uv *uv, const struct pmg_arg *arg)
{
	int r = 0;

	if (arg->kind == PMG_ARG_OPERAND)
		return pmg_uv_word(uv, arg->value);
	if (strcmp(arg->name, "no-config") == 0)
		uv->no_config = true;
	if (!arg->value)
		return pmg_settings_add(&uv->pip.settings, arg->name, "true", "command line", 0,
					uv->pip.err);
	if (strcmp(arg->name, "script") == 0)
		r = pmg_uv_script(uv, arg->value);
	return r == 0 ? pmg_pip_option(&uv->pip, arg->name, arg->value) : r;
}

/* Verbs behind which packages are named: how many words, 0 for none. */
static size_t naming_words(const struct pmg_strv *operands)
{
	static const char *const verbs[][2] = { { "pip", "install" },
						{ "tool", "install" },
						{ "add", NULL } };
	size_t i, n;

	for (i = 0; i < PMG_ARRAY_LEN(verbs); i++) {
		n = verbs[i][1] ? 2 : 1;
		if (operands->n >= n && strcmp(operands->v[0], verbs[i][0]) == 0 &&
		    (n == 1 || strcmp(operands->v[1], verbs[i][1]) == 0))
			return n;
	}
	return 0;
}

/* The name in "x>=1", "x[extra]"; of an address or a path NULL. Caller frees. */
static char *named(const char *operand)
{
	size_t len = strcspn(operand, " =<>!~;@[");
	pmg_autofree char *name = pmg_xstrndup(operand, len);

	return strpbrk(operand, "/\\") || strchr(name, ':') || pmg_str_has_suffix(name, ".whl") ||
			       pmg_str_has_suffix(name, ".gz") ||
			       !pmg_name_is_valid(PMG_ECO_PYPI, name)
		       ? NULL
		       : pmg_steal_ptr(&name);
}

/*
 * uv takes what an index said for some minutes without asking again, and what it was told without
 * pmg has versions in it that pmg withholds: it would choose one, and fail when it is refused. So
 * it is to ask anew for what the line names. All else of its cache stays of use.
 */
static void ask_anew(struct pmg_uv *uv, size_t verb_end)
{
	struct pmg_strv *argv = &uv->pip.facts->argv;
	const char *offline = pmg_env_get(uv->pip.place->env, "UV_OFFLINE");
	size_t i, first = naming_words(&uv->operands);
	pmg_auto(strv) struct pmg_strv out = { 0 };

	if (first == 0 || verb_end == 0 || (offline && *offline) ||
	    pmg_settings_value(&uv->pip.settings, "offline"))
		return;
	for (i = 0; i < verb_end; i++)
		pmg_strv_add(&out, argv->v[i]);
	for (i = first; i < uv->operands.n; i++) {
		pmg_autofree char *name = named(uv->operands.v[i]);

		if (name)
			pmg_strv_addf(&out, "--refresh-package=%s", name);
	}
	for (i = verb_end; i < argv->n; i++)
		pmg_strv_add(&out, argv->v[i]);
	pmg_strv_done(argv);
	*argv = out;
	out = (struct pmg_strv){ 0 };
}

/* All of it stays: uv has no option that names a proxy or certificates. */
static int read_line(struct pmg_uv *uv)
{
	char *const *argv = uv->pip.place->argv;
	bool uvx = strcmp(pmg_path_name(argv[0]), "uvx") == 0;
	pmg_auto(args) struct pmg_args args = { .table = &pmg_uv_args, .argv = argv };
	size_t verb_end = 0;
	bool sure = true;
	struct pmg_arg arg;
	int r = 0;

	while (r == 0 && uv->operands.n < own_words(&uv->operands, uvx) &&
	       pmg_args_next(&args, &arg)) {
		sure = sure && arg.sure;
		r = take_argument(uv, &arg);
		if (arg.kind == PMG_ARG_OPERAND && sure &&
		    uv->operands.n == naming_words(&uv->operands))
			verb_end = arg.first + arg.n;
	}
	if (r < 0)
		return r;
	pmg_strv_extend(&uv->pip.facts->argv, argv);
	if (!uvx)
		ask_anew(uv, verb_end);
	return 0;
}

static int read_env(struct pmg_uv *uv)
{
	static const char *const names[] = { "UV_CONSTRAINT", "UV_BUILD_CONSTRAINT", "UV_OVERRIDE",
					     "UV_REQUIREMENTS", NULL };
	const char *no_config = pmg_env_get(uv->pip.place->env, "UV_NO_CONFIG");
	int r = pmg_settings_env(&uv->pip.settings, "UV_", uv->pip.place->env, uv->pip.err);

	uv->no_config |= no_config && *no_config && strcmp(no_config, "0") != 0;
	return r == 0 ? pmg_pip_env_files(&uv->pip, names) : r;
}

static char *start_of(const struct pmg_uv *uv)
{
	static const char *const keys[] = { "directory", "working-directory", "working-dir",
					    "project" };
	char *dir = pmg_xstrdup(uv->pip.place->cwd);
	bool moved = false;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(keys); i++) {
		const char *value = pmg_settings_value(&uv->pip.settings, keys[i]);
		char *next;

		if (!value || (moved && i < PMG_ARRAY_LEN(keys) - 1))
			continue;
		moved = true;
		next = pmg_path_join(dir, value);
		free(dir);
		dir = next;
	}
	return dir;
}

static int read_all(struct pmg_uv *uv)
{
	int r = read_line(uv);

	if (r == 0)
		r = read_env(uv);
	if (r < 0)
		return r;
	uv->start = start_of(uv);
	return pmg_uv_files(uv);
}

int pmg_uv_settings(const struct pmg_place *place, struct pmg_settings *out, struct pmg_strv *typed,
		    struct pmg_strv *verbs, struct pmg_err *err)
{
	pmg_auto(facts) struct pmg_facts scratch = { 0 };
	pmg_auto(
		uv) struct pmg_uv uv = { .pip = { .place = place, .facts = &scratch, .err = err } };
	int r = read_all(&uv);

	if (r < 0)
		return r;
	*out = uv.pip.settings;
	uv.pip.settings = (struct pmg_settings){ 0 };
	pmg_uv_give(&uv, typed, verbs);
	return 0;
}

char *pmg_uv_start(const struct pmg_place *place)
{
	pmg_auto(facts) struct pmg_facts scratch = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(uv) struct pmg_uv uv = {
		.pip = { .place = place, .facts = &scratch, .err = &err }
	};

	/* What is beyond a limit is said when the same is read for its settings. */
	if (read_line(&uv) < 0 || read_env(&uv) < 0)
		return pmg_xstrdup(place->cwd);
	return start_of(&uv);
}

int pmg_uv_learn(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	pmg_auto(uv) struct pmg_uv uv = { .pip = { .place = place, .facts = out, .err = err } };
	int r = read_all(&uv);

	uv.pip.is_unsure = uv.no_config;
	if (r == 0)
		r = pmg_pip_registries(&uv.pip);
	if (r < 0)
		return r;
	pmg_surroundings_proxy(out, place->env);
	pmg_surroundings_ca(out, place);
	out->has_cafile = true; /* a build may start npm or pip, and their files were not read */
	return pmg_ask_registries(&pmg_uv_question, place, PMG_ECO_PYPI, out, err);
}
