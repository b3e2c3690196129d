#include "pm/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/str.h"
#include "conf/ini.h"

void pmg_settings_done(struct pmg_settings *settings)
{
	size_t i;

	for (i = 0; i < settings->n; i++) {
		free(settings->v[i].key);
		free(settings->v[i].value);
		free(settings->v[i].what);
	}
	free(settings->v);
	*settings = (struct pmg_settings){ 0 };
}

int pmg_settings_add(struct pmg_settings *settings, const char *key, const char *value,
		     const char *what, unsigned line, struct pmg_err *err)
{
	if (settings->n >= PMG_SETTINGS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: more than %u settings", what,
				   PMG_SETTINGS_MAX);
	settings->v = pmg_grow(settings->v, settings->n, &settings->cap, sizeof *settings->v);
	settings->v[settings->n++] = (struct pmg_setting){
		.key = pmg_xstrdup(key),
		.value = pmg_xstrdup(value),
		.what = pmg_xstrdup(what),
		.line = line,
		.of_project = settings->of_project,
	};
	return 0;
}

void pmg_settings_reverse(struct pmg_settings *settings)
{
	size_t i, k;

	for (i = 0, k = settings->n; i + 1 < k; i++) {
		struct pmg_setting kept = settings->v[i];

		settings->v[i] = settings->v[--k];
		settings->v[k] = kept;
	}
}

const struct pmg_setting *pmg_settings_find(const struct pmg_settings *settings, const char *key)
{
	size_t i;

	for (i = 0; i < settings->n; i++)
		if (strcmp(settings->v[i].key, key) == 0)
			return &settings->v[i];
	return NULL;
}

const char *pmg_settings_use(const struct pmg_setting *setting)
{
	if (setting->value[0] == '\0' || strcmp(setting->value, "null") == 0 ||
	    strcmp(setting->value, "undefined") == 0)
		return NULL;
	return setting->value;
}

const char *pmg_settings_value(const struct pmg_settings *settings, const char *key)
{
	const struct pmg_setting *found = pmg_settings_find(settings, key);

	return found ? pmg_settings_use(found) : NULL;
}

int pmg_settings_npmrc(struct pmg_settings *settings, const char *path, const struct pmg_strv *env,
		       struct pmg_err *err)
{
	pmg_auto(ini) struct pmg_ini ini = { 0 };
	pmg_autofree char *text = NULL;
	size_t len = 0, i;
	int r = pmg_io_slurp_optional(path, PMG_INI_TEXT_MAX, &text, &len, err);

	if (r < 0 || !text)
		return r;
	r = pmg_ini_parse(PMG_INI_NPMRC, path, text, len, &ini, err);
	for (i = 0; r == 0 && i < ini.n; i++) {
		pmg_autofree char *key = pmg_ini_expand(ini.entries[i].key, env);
		pmg_autofree char *value = pmg_ini_expand(ini.entries[i].value, env);

		/* npm does not look into [sections]. */
		if (ini.entries[i].section[0] == '\0')
			r = pmg_settings_add(settings, key, value, path, ini.entries[i].line, err);
	}
	return r;
}

/* "_" inside a key stands for "-"; a key of one registry ("//host/:x") is taken as written. */
static char *env_key(const char *name, size_t n)
{
	char *key = pmg_xstrndup(name, n), *p;

	if (strncmp(key, "//", 2) == 0)
		return key;
	for (p = key; *p; p++)
		*p = (char)(*p == '_' && p > key ? '-' : tolower((unsigned char)*p));
	return key;
}

int pmg_settings_env(struct pmg_settings *settings, const char *prefix, const struct pmg_strv *env,
		     struct pmg_err *err)
{
	size_t i, skip = strlen(prefix);
	int r = 0;

	for (i = 0; r == 0 && i < env->n; i++) {
		const char *eq = strchr(env->v[i], '=');
		pmg_autofree char *key = NULL;
		pmg_autofree char *what = NULL;

		if (!eq || eq[1] == '\0' || !pmg_str_has_prefix_nocase(env->v[i], prefix) ||
		    eq <= env->v[i] + skip)
			continue;
		key = env_key(env->v[i] + skip, (size_t)(eq - env->v[i]) - skip);
		what = pmg_xasprintf("environment %.*s", (int)(eq - env->v[i]), env->v[i]);
		r = pmg_settings_add(settings, key, eq + 1, what, 0, err);
	}
	return r;
}

char *pmg_settings_kebab(const char *key)
{
	char *out = pmg_xmalloc(2 * strlen(key) + 1), *p = out;

	for (; *key; key++) {
		if (isupper((unsigned char)*key) && p > out)
			*p++ = '-';
		*p++ = (char)tolower((unsigned char)*key);
	}
	*p = '\0';
	return out;
}
