/* The configuration files of pip. */
#include <string.h>

#include "base/env.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/ini.h"
#include "pm/pip_priv.h"

#define FIRST_MAX 4096U /* of a script's first line */

static int read_conf(struct pmg_pip *p, const char *path)
{
	pmg_auto(ini) struct pmg_ini ini = { 0 };
	pmg_autofree char *text = NULL;
	size_t len = 0, i;
	int r = pmg_io_slurp_optional(path, PMG_INI_TEXT_MAX, &text, &len, p->err);

	if (r < 0 || !text)
		return r;
	r = pmg_ini_parse(PMG_INI_PYTHON, path, text, len, &ini, p->err);
	for (i = 0; r == 0 && i < ini.n; i++)
		r = pmg_settings_add(&p->settings, ini.entries[i].key, ini.entries[i].value, path,
				     ini.entries[i].line, p->err);
	return r;
}

static int read_conf_in(struct pmg_pip *p, const char *dir, const char *name)
{
	pmg_autofree char *path = pmg_path_join(dir, name);

	return read_conf(p, path);
}

/* PREFIX/pip.conf for a program PREFIX/bin/x. */
static int read_site_of(struct pmg_pip *p, const char *program)
{
	pmg_autofree char *bin = pmg_path_dir(program);
	pmg_autofree char *prefix = pmg_path_dir(bin);

	return read_conf_in(p, prefix, "pip.conf");
}

char *pmg_pip_interpreter(const char *program)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;

	static const char by_shell[] = "#!/bin/sh\n'''exec' ";
	const char *start;

	if (pmg_io_slurp(program, FIRST_MAX, &text, &len, &err) < 0 || len < 3 ||
	    strncmp(text, "#!/", 3) != 0)
		return NULL;
	/* Where the path is too long for a first line, or has blanks. */
	start = pmg_str_has_prefix(text, by_shell) ? text + sizeof by_shell - 1 : text + 2;
	if (*start == '"')
		return pmg_xstrndup(start + 1, strcspn(start + 1, "\"\n"));
	return pmg_xstrndup(start, strcspn(start, " \t\r\n"));
}

/* The configuration of the environment that pip is installed in. */
static int read_sites(struct pmg_pip *p)
{
	pmg_autofree char *python = pmg_pip_interpreter(p->place->program);
	const char *venv = pmg_env_get(p->place->env, "VIRTUAL_ENV");
	pmg_autofree char *real = pmg_path_real(p->place->program);
	int r;

	r = read_site_of(p, p->place->program);
	if (r == 0 && python)
		r = read_site_of(p, python);
	if (r == 0 && real)
		r = read_site_of(p, real);
	if (r == 0 && venv && venv[0] == '/')
		r = read_conf_in(p, venv, "pip.conf");
	return r;
}

/* What an isolated pip does not read. */
static int read_user(struct pmg_pip *p)
{
	const char *xdg = pmg_env_get(p->place->env, "XDG_CONFIG_HOME");
	int r = 0;

	if (xdg && xdg[0] == '/')
		r = read_conf_in(p, xdg, "pip/pip.conf");
	if (r == 0)
		r = read_conf_in(p, p->place->home, ".config/pip/pip.conf");
	return r == 0 ? read_conf_in(p, p->place->home, ".pip/pip.conf") : r;
}

static int read_global(struct pmg_pip *p)
{
	const char *dirs = pmg_env_get(p->place->env, "XDG_CONFIG_DIRS");
	pmg_auto(strv) struct pmg_strv global = { 0 };
	size_t i;
	int r = 0;

	pmg_strv_split(&global, dirs && *dirs ? dirs : "/etc/xdg", ":");
	for (i = 0; r == 0 && i < global.n; i++)
		r = read_conf_in(p, global.v[i], "pip/pip.conf");
	return r == 0 ? read_conf(p, "/etc/pip.conf") : r;
}

/* Isolated, pip follows a file where else PIP_PROXY and PIP_CERT would overrule it. */
static int check_steerable(const struct pmg_pip *p, size_t from, size_t to)
{
	size_t i;

	for (i = from; p->isolated && i < to; i++) {
		const struct pmg_setting *s = &p->settings.v[i];

		if (strcmp(s->key, "proxy") != 0 && strcmp(s->key, "cert") != 0)
			continue;
		(void)pmg_err_set(p->err, PMG_E_UNSUPPORTED, 0,
				  "%s:%u: with \"%s\" set here pip --isolated cannot be led "
				  "through pmg",
				  s->what, s->line, s->key);
		return pmg_err_hint(p->err, "leave out --isolated, or use HTTPS_PROXY and "
					    "SSL_CERT_FILE in place of the setting");
	}
	return 0;
}

int pmg_pip_confs(struct pmg_pip *p)
{
	const char *named = pmg_env_get(p->place->env, "PIP_CONFIG_FILE");
	size_t site = p->settings.n, user, global;
	int r = 0;

	if (named && strcmp(named, "/dev/null") == 0)
		return 0; /* pip then reads none */
	if (named)
		r = read_conf_in(p, p->place->cwd, named);
	if (r == 0)
		r = read_sites(p);
	user = p->settings.n;
	if (r == 0)
		r = check_steerable(p, site, user);
	if (r == 0)
		r = read_user(p);
	global = p->settings.n;
	if (r == 0)
		r = read_global(p);
	return r == 0 ? check_steerable(p, global, p->settings.n) : r;
}
