#include "pm/gitconfig.h"

#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/ini.h"
#include "pm/surroundings.h"

/* [http] or [http "https://host.test"]: the address is in quotes, the name in any case. */
static bool is_http(const char *section)
{
	return strncasecmp(section, "http", 4) == 0 && (section[4] == '\0' || section[4] == ' ');
}

static void take(const struct pmg_place *place, const char *file, const struct pmg_ini_entry *entry,
		 struct pmg_facts *facts)
{
	const char *value = entry->value;
	bool home = value[0] == '~' && value[1] == '/';
	pmg_autofree char *path = NULL;
	pmg_autofree char *what = NULL;

	if (!*value || !is_http(entry->section) ||
	    (strcasecmp(entry->key, "sslcainfo") != 0 && strcasecmp(entry->key, "sslcapath") != 0))
		return;
	path = pmg_path_join(home ? place->home : place->cwd, home ? value + 2 : value);
	what = pmg_xasprintf("%s:%u", file, entry->line);
	pmg_surroundings_ca_file(facts, what, path);
}

/* What cannot be read or understood is left to git. */
static void read_file(const struct pmg_place *place, const char *file, struct pmg_facts *facts)
{
	pmg_auto(ini) struct pmg_ini ini = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0, i;

	if (pmg_io_slurp(file, PMG_INI_TEXT_MAX, &text, &len, &err) < 0 ||
	    pmg_ini_parse(PMG_INI_NPMRC, file, text, len, &ini, &err) < 0)
		return;
	for (i = 0; i < ini.n; i++)
		take(place, file, &ini.entries[i], facts);
}

static void read_below(const struct pmg_place *place, const char *dir, const char *name,
		       struct pmg_facts *facts)
{
	pmg_autofree char *file = pmg_path_join(dir, name);

	read_file(place, file, facts);
}

static void read_users(const struct pmg_place *place, struct pmg_facts *facts)
{
	const char *named = pmg_env_get(place->env, "GIT_CONFIG_GLOBAL");
	const char *xdg = pmg_env_get(place->env, "XDG_CONFIG_HOME");

	if (named) {
		read_file(place, named, facts);
		return;
	}
	if (xdg && *xdg)
		read_below(place, xdg, "git/config", facts);
	else
		read_below(place, place->home, ".config/git/config", facts);
	read_below(place, place->home, ".gitconfig", facts);
}

void pmg_gitconfig_certificates(const struct pmg_place *place, struct pmg_facts *facts)
{
	const char *system = pmg_env_get(place->env, "GIT_CONFIG_SYSTEM");
	const char *none = pmg_env_get(place->env, "GIT_CONFIG_NOSYSTEM");

	if (!none || !*none || strcmp(none, "0") == 0 || strcasecmp(none, "false") == 0)
		read_file(place, system ? system : "/etc/gitconfig", facts);
	read_users(place, facts);
}
