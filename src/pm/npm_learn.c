#include <string.h>

#include "base/path.h"
#include "pm/ask.h"
#include "pm/managers.h"
#include "pm/npm_sources.h"
#include "pm/npmlike.h"

/* `npm config get registry` prints the address alone. */
static void read_answer(const char *said, struct pmg_strv *out)
{
	size_t n = strcspn(said, " \t\r\n");

	if (strstr(said, "://") && n > 0)
		pmg_strv_take(out, pmg_xstrndup(said, n));
}

static const char *const args[] = { "config", "get", "registry", NULL };
/* Two names: npm refuses the same file as user's and global configuration. */
static const char *const env[] = {
	"npm_config_userconfig=%s/none-user", "npm_config_globalconfig=%s/none-global",
	"npm_config_cache=%s/cache",          "npm_config_logs_max=0",
	"npm_config_update_notifier=false",   NULL
};
const struct pmg_question pmg_npm_question = {
	.tool = "npm", .args = args, .env = env, .read = read_answer
};

static const char *const locks[] = { "package-lock.json", "npm-shrinkwrap.json", NULL };

int pmg_npm_settings(struct pmg_npmlike *n, char **start, struct pmg_err *err)
{
	bool npx = strcmp(pmg_path_name(n->place->argv[0]), "npx") == 0;
	int r;

	/* Behind the program that npx is to start everything is that program's. */
	r = pmg_npmlike_line(n, &pmg_npm_args, npx ? 1 : 0, err);
	if (r == 0)
		r = pmg_settings_env(&n->settings, "npm_config_", n->place->env, err);
	if (r < 0)
		return r;
	*start = pmg_npmlike_start(n);
	return pmg_npmlike_npmrcs(n, *start, err);
}

int pmg_npm_learn(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err)
{
	pmg_auto(npmlike) struct pmg_npmlike n = { .place = place, .facts = out };
	pmg_autofree char *start = NULL;
	int r;

	r = pmg_npm_settings(&n, &start, err);
	if (r == 0)
		r = pmg_npmlike_apply(&n, err);
	if (r == 0)
		r = pmg_ask_registries(&pmg_npm_question, place, PMG_ECO_NPM, out, err);
	if (r == 0)
		r = pmg_npm_sources(&n, start, locks, err);
	return r;
}
