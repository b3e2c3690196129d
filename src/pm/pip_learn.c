#include <string.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/ask.h"
#include "pm/facts.h"
#include "pm/managers.h"
#include "pm/pip_priv.h"
#include "pm/settings.h"
#include "pm/surroundings.h"

/* "-i, --index-url <url>  Base URL of ... (default ADDRESS)." of `pip download --help`. */
void pmg_pip_answer(const char *said, struct pmg_strv *out)
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
const char *const pmg_pip_question_env[] = { "PIP_CONFIG_FILE=/dev/null",
					     "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1",
					     "COLUMNS=1000", NULL };
static const struct pmg_question questions[] = {
	{ .tool = "pip",
	  .args = question_args,
	  .env = pmg_pip_question_env,
	  .read = pmg_pip_answer },
	{ .tool = "pip3",
	  .args = question_args,
	  .env = pmg_pip_question_env,
	  .read = pmg_pip_answer },
};

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
		return pmg_pip_word(p, arg->value);
	return arg->value ? pmg_pip_option(p, arg->name, arg->value) : 0;
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

static int read_env(struct pmg_pip *p)
{
	static const char *const names[] = { "PIP_REQUIREMENT", "PIP_CONSTRAINT",
					     "PIP_BUILD_CONSTRAINT", NULL };
	int r = pmg_settings_env(&p->settings, "PIP_", p->place->env, p->err);

	return r == 0 ? pmg_pip_env_files(p, names) : r;
}

void pmg_pip_network(struct pmg_pip *p)
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

	p.is_unsure = p.isolated;
	if (r == 0)
		r = pmg_pip_registries(&p);
	if (r < 0)
		return r;
	pmg_pip_network(&p);
	return pmg_ask_registries(&questions[three], place, PMG_ECO_PYPI, out, err);
}
