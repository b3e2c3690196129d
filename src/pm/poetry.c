#include "pm/classify.h"
#include "pm/managers.h"
#include "pm/point.h"

static const char *const tools[] = { "poetry", NULL };

/*
 * No verb of poetry is plain. Every one of them, --version too, loads the plugins that it finds in
 * .poetry/plugins of the project, whoever has put them there.
 */
static const struct pmg_verb_row verbs[] = {
	{ "add", PMG_VERB_FETCH, NULL },
	{ "install", PMG_VERB_FETCH, NULL },
	{ "sync", PMG_VERB_FETCH, NULL },
	{ "update", PMG_VERB_FETCH, NULL },
	{ "lock", PMG_VERB_FETCH, NULL },
	{ "remove", PMG_VERB_FETCH, NULL },
	{ "search", PMG_VERB_FETCH, NULL },
	{ "self", PMG_VERB_FETCH, NULL },
	{ "show", PMG_VERB_FETCH, NULL },
	{ "check", PMG_VERB_FETCH, NULL },
	{ 0 },
};

/* What `poetry help VERB` of poetry 1.8 to 2.5 names, all verbs together. */
static const char flags[] =
	"all all-extras all-groups allow-prereleases ansi build check clean compile dev "
	"disable-cache dry-run editable flat full-path help interactive latest list local lock "
	"migrate no-ansi no-cache no-dev no-directory no-interaction no-plugins no-root "
	"no-truncate "
	"only-root outdated path quiet regenerate short skip-existing src strict sync top-level "
	"tree unset verbose version why without-hashes";
static const char values[] =
	"author cert client-cert config-settings dependency description dev-dependency "
	"directory dist-dir extras format group license local-version markers name only "
	"optional output password platform priority project python readme repository source "
	"username with without";
static const struct pmg_arg_short shorts[] = {
	{ "C", "directory", NULL },
	{ "P", "project", NULL },
	{ "D", "dev", NULL },
	{ "E", "extras", NULL },
	{ "G", "group", NULL },
	{ "V", "version", NULL },
	{ "T", "top-level", NULL },
	{ "a", "all", NULL },
	{ "c", "config-settings", NULL },
	{ "e", "editable", NULL },
	{ "f", "format", NULL },
	{ "h", "help", NULL },
	{ "i", "interactive", NULL },
	{ "l", "local-version", NULL },
	{ "n", "no-interaction", NULL },
	{ "o", "output", NULL },
	{ "p", "password", NULL },
	{ "q", "quiet", NULL },
	{ "r", "repository", NULL },
	{ "s", "short", NULL },
	{ "t", "tree", NULL },
	{ "u", "username", NULL },
	{ "v", "verbose", NULL },
	{ 0 },
};

const struct pmg_arg_table pmg_poetry_args = { .flags = flags, .values = values, .shorts = shorts };

static enum pmg_verb classify(char *const *argv)
{
	return pmg_classify(&pmg_poetry_args, verbs, NULL, argv) == PMG_VERB_FETCH ? PMG_VERB_FETCH
										   : PMG_VERB_RUN;
}

const struct pmg_pm pmg_pm_poetry = {
	.name = "poetry",
	.eco = PMG_ECO_PYPI,
	.tools = tools,
	.classify = classify,
	.learn = pmg_poetry_learn,
	.point = pmg_point_python,
};
