#include <strings.h>

#include "pm/version.h"
#include "pm/version_priv.h"

static const char *const eco_names[PMG_ECO_MAX] = {
	[PMG_ECO_NPM] = "npm", [PMG_ECO_PYPI] = "pypi"
};

const char *pmg_eco_name(enum pmg_eco eco)
{
	return eco_names[eco];
}

int pmg_eco_parse(const char *text, enum pmg_eco *out, struct pmg_err *err)
{
	pmg_autofree char *shown = NULL;
	int eco;

	for (eco = 0; eco < PMG_ECO_MAX; eco++) {
		if (strcasecmp(text, eco_names[eco]) != 0)
			continue;
		*out = (enum pmg_eco)eco;
		return 0;
	}
	shown = pmg_str_quote(text, strlen(text), 64);
	(void)pmg_err_set(err, PMG_E_PARSE, 0, "ecosystem \"%s\" is not known", shown);
	return pmg_err_hint(err, "pmg knows npm and pypi");
}

static bool is_pypi_separator(char c)
{
	return c == '-' || c == '_' || c == '.';
}

/* PEP 503, "Normalized Names". */
static char *pypi_canonical(const char *name)
{
	char *out = pmg_xmalloc(strlen(name) + 1), *p = out;

	for (; *name; name++) {
		if (!is_pypi_separator(*name))
			*p++ = pmg_lower(*name);
		else if (p == out || p[-1] != '-')
			*p++ = '-';
	}
	*p = '\0';
	return out;
}

char *pmg_name_canonical(enum pmg_eco eco, const char *name)
{
	return eco == PMG_ECO_PYPI ? pypi_canonical(name) : pmg_xstrdup(name);
}

/* What no address has to escape. Names with ! ' ( ) * ~ were allowed once and still exist. */
static bool is_npm_part(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!pmg_is_digit(s[i]) && !pmg_is_alpha(s[i]) &&
		    (s[i] == '\0' || !strchr("-_.!'()*~", s[i])))
			return false;
	if (n == 0 || (n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.'))
		return false;
	return true;
}

static bool npm_is_valid(const char *name)
{
	size_t scope = strcspn(name, "/");

	if (name[0] != '@')
		return is_npm_part(name, strlen(name));
	return name[scope] == '/' && is_npm_part(name + 1, scope - 1) &&
	       is_npm_part(name + scope + 1, strlen(name + scope + 1));
}

/* Wider than PEP 508, which wants a letter or digit at both ends: there are names like "urlcon-" on
   record, and what cannot be asked cannot be refused. */
static bool pypi_is_valid(const char *name)
{
	bool any = false;

	for (; *name; name++) {
		if (!is_pypi_separator(*name) && !pmg_is_digit(*name) && !pmg_is_alpha(*name))
			return false;
		any = any || !is_pypi_separator(*name);
	}
	return any;
}

bool pmg_name_is_valid(enum pmg_eco eco, const char *name)
{
	if (strnlen(name, PMG_NAME_MAX + 1) > PMG_NAME_MAX)
		return false;
	return eco == PMG_ECO_PYPI ? pypi_is_valid(name) : npm_is_valid(name);
}
