/* Where pipx's packages come from: it lets pip or uv fetch them, which read their own files. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/ask.h"
#include "pm/facts.h"
#include "pm/managers.h"
#include "pm/uv_priv.h"

/* The pip that this python has, or brings to make environments with (ensurepip). */
static const char pip_code[] =
	"import sys, glob, sysconfig\n"
	"from os.path import join\n"
	"try:\n"
	"    import pip\n"
	"except ImportError:\n"
	"    d = [sysconfig.get_config_var('WHEEL_PKG_DIR'), '/usr/share/python-wheels',\n"
	"         join(sysconfig.get_path('stdlib'), 'ensurepip', '_bundled')]\n"
	"    sys.path[:0] = [w for x in d if x for w in glob.glob(join(x, 'pip-*.whl'))][:1]\n"
	"from pip._internal.cli.main import main\n"
	"sys.exit(main(['download', '--help']))\n";
static const char *const question_args[] = { "-c", pip_code, NULL };
static const struct pmg_question question = {
	.tool = "pipx",
	.interpreted = true,
	.args = question_args,
	.env = pmg_pip_question_env,
	.read = pmg_pip_answer,
};

/* --pip-args is a line of pip's options. What it says of proxies beats what pmg sets for pip. */
static int take_pip_args(struct pmg_uv *uv, const char *text)
{
	static const char *const steering[] = { "proxy", "cert" };
	size_t from = uv->pip.settings.n, i, k;
	int r = pmg_pip_options(&uv->pip, text);

	for (i = from; r == 0 && i < uv->pip.settings.n; i++)
		for (k = 0; k < PMG_ARRAY_LEN(steering); k++)
			if (strcmp(uv->pip.settings.v[i].key, steering[k]) == 0) {
				(void)pmg_err_set(
					uv->pip.err, PMG_E_UNSUPPORTED, 0,
					"--pip-args: with --%s pip cannot be led through pmg",
					steering[k]);
				return pmg_err_hint(
					uv->pip.err,
					"use HTTPS_PROXY and SSL_CERT_FILE in place of it");
			}
	return r;
}

static int take_argument(struct pmg_uv *uv, const struct pmg_arg *arg)
{
	if (arg->kind == PMG_ARG_OPERAND)
		return pmg_uv_word(uv, arg->value);
	if (!arg->value)
		return 0;
	if (strcmp(arg->name, "pip-args") == 0)
		return take_pip_args(uv, arg->value);
	if (strcmp(arg->name, "spec") == 0 || strcmp(arg->name, "with") == 0)
		return pmg_pip_word(&uv->pip, arg->value);
	return pmg_pip_option(&uv->pip, arg->name, arg->value);
}

/* Behind `run APP`, `exec APP` and `runpip APP` stands what that gets. */
static bool is_own(const struct pmg_strv *operands)
{
	static const char *const runs[] = { "run", "exec", "runpip" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(runs); i++)
		if (operands->n > 1 && strcmp(operands->v[0], runs[i]) == 0)
			return false;
	return true;
}

static int read_line(struct pmg_uv *uv)
{
	pmg_auto(args) struct pmg_args args = { .table = &pmg_pipx_args,
						.argv = uv->pip.place->argv };
	struct pmg_arg arg;
	int r = 0;

	while (r == 0 && is_own(&uv->operands) && pmg_args_next(&args, &arg))
		r = take_argument(uv, &arg);
	if (r == 0)
		pmg_strv_extend(&uv->pip.facts->argv, uv->pip.place->argv);
	return r;
}

static int read_all(struct pmg_uv *uv)
{
	const struct pmg_place *place = uv->pip.place;
	int r = read_line(uv);

	if (r == 0)
		r = pmg_settings_env(&uv->pip.settings, "PIP_", place->env, uv->pip.err);
	if (r == 0)
		r = pmg_settings_env(&uv->pip.settings, "UV_", place->env, uv->pip.err);
	if (r == 0)
		r = pmg_pip_confs(&uv->pip);
	uv->start = pmg_xstrdup(place->cwd);
	return r == 0 ? pmg_uv_files(uv) : r;
}

int pmg_pipx_operands(const struct pmg_place *place, struct pmg_strv *typed,
		      struct pmg_strv *operands, struct pmg_err *err)
{
	pmg_auto(facts) struct pmg_facts scratch = { 0 };
	pmg_auto(
		uv) struct pmg_uv uv = { .pip = { .place = place, .facts = &scratch, .err = err } };
	int r = read_line(&uv);

	if (r == 0)
		pmg_uv_give(&uv, typed, operands);
	return r;
}

int pmg_pipx_learn(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	pmg_auto(uv) struct pmg_uv uv = { .pip = { .place = place, .facts = out, .err = err } };
	int r = read_all(&uv);

	uv.pip.is_unsure = true; /* pip or uv: which, it says only when it runs */
	if (r == 0)
		r = pmg_pip_registries(&uv.pip);
	if (r < 0)
		return r;
	pmg_pip_network(&uv.pip);
	return pmg_ask_registries(&question, place, PMG_ECO_PYPI, out, err);
}
