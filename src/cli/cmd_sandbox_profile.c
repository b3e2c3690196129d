#include "base/str.h"
#include "cli/cmd_sandbox.h"
#include "cli/shelves.h"
#include "cli/table.h"
#include "conf/yaml.h"

#define TEXT_MAX 65536U

struct json_opts {
	bool json;
};

struct init_opts {
	const char *description;
	const char *from;
};

static const struct pmg_opt json_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct json_opts, json), 0, NULL, "print JSON" },
	{ 0 },
};

static const struct pmg_opt lint_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct pmg_lint_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_FLAG, 0, "strict", offsetof(struct pmg_lint_opts, strict), 0, NULL,
	  "warn of more, and end with 1 when there are warnings" },
	{ 0 },
};

static const struct pmg_opt init_opts[] = {
	{ PMG_OPT_TEXT, 0, "description", offsetof(struct init_opts, description), 0, "TEXT",
	  "what it is for" },
	{ PMG_OPT_TEXT, 0, "from", offsetof(struct init_opts, from), 0, "BASE",
	  "the built-in profile that it stands on" },
	{ 0 },
};

static int edit_profile(const struct pmg_call *call, struct pmg_err *err);
static int init_profile(const struct pmg_call *call, struct pmg_err *err);
static int lint_profiles(const struct pmg_call *call, struct pmg_err *err);
static int list_profiles(const struct pmg_call *call, struct pmg_err *err);

const struct pmg_cmd pmg_sandbox_profile_cmds[] = {
	{ .name = "diff",
	  .synopsis = "[--json] A B",
	  .summary = "show what profile B allows more than A, or less",
	  .about = "Both are names or files, and taken as they come to in this folder.\n",
	  .min = 2,
	  .max = 2,
	  .opts = json_opts,
	  .opts_size = sizeof(struct json_opts),
	  .run = pmg_cmd_sandbox_profile_diff },
	{ .name = "edit",
	  .synopsis = "NAME",
	  .summary = "edit a profile of yours; saved when it can be used",
	  .min = 1,
	  .max = 1,
	  .run = edit_profile },
	{ .name = "init",
	  .synopsis = "[--from BASE] [--description TEXT] NAME",
	  .summary = "begin a profile of yours, on a built-in one",
	  .about = "At a terminal it is opened in $VISUAL or $EDITOR.\n",
	  .min = 1,
	  .max = 1,
	  .opts = init_opts,
	  .opts_size = sizeof(struct init_opts),
	  .run = init_profile },
	{ .name = "lint",
	  .synopsis = "[--json] [--strict] FILE|NAME...",
	  .summary = "say all that is wrong with profiles",
	  .about = "Ends with 0 when they can be used, with 121 when one cannot.\n",
	  .min = 1,
	  .max = PMG_CMD_ANY,
	  .opts = lint_opts,
	  .opts_size = sizeof(struct pmg_lint_opts),
	  .run = lint_profiles },
	{ .name = "list",
	  .synopsis = "[--json]",
	  .summary = "list profiles, built in and yours",
	  .opts = json_opts,
	  .opts_size = sizeof(struct json_opts),
	  .run = list_profiles },
	{ .name = "show",
	  .synopsis = "[--resolved] [--plan] [--driver DRIVER] [--json] NAME",
	  .summary = "show a profile: as written, or what it comes to here",
	  .min = 1,
	  .max = 1,
	  .opts = pmg_sandbox_profile_show_opts,
	  .opts_size = PMG_SANDBOX_PROFILE_SHOW_SIZE,
	  .run = pmg_cmd_sandbox_profile_show },
	{ 0 },
};

static void add_row(struct pmg_table *table, const struct pmg_library_item *item)
{
	pmg_autofree char *tools = pmg_strv_join(&item->managers, ", ", TEXT_MAX);
	pmg_autofree char *presets = pmg_strv_join(&item->presets, ", ", TEXT_MAX);
	pmg_autofree char *note = pmg_shelves_note(item);
	const char *const cells[] = { item->name,
				      pmg_shelves_origin(item),
				      item->inherits,
				      tools,
				      presets,
				      item->description,
				      note };

	pmg_table_add(table, cells);
}

static int list_profiles(const struct pmg_call *call, struct pmg_err *err)
{
	static const char *const heads[] = { "NAME",    "FROM",        "INHERITS", "TOOLS",
					     "PRESETS", "DESCRIPTION", "NOTE",     NULL };
	static const struct pmg_shelves_listing listing = {
		.kind = PMG_LIBRARY_PROFILE,
		.heads = heads,
		.add_row = add_row,
	};
	const struct json_opts *opts = call->opts;

	return pmg_shelves_list(call, &listing, opts->json, err);
}

static int lint_profiles(const struct pmg_call *call, struct pmg_err *err)
{
	return pmg_shelves_lint(call, PMG_LIBRARY_PROFILE, err);
}

/* What is meant to be changed, and can be used as it is. */
static char *beginning(const struct init_opts *opts, const char *name)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(TEXT_MAX);
	pmg_autofree char *description = pmg_yaml_quote(
		opts->description ? opts->description : "what it is for, in one line");
	int r = pmg_str_addf(&out,
			     "schema_version: 1\nname: %s\ndescription: %s\ninherits: %s\n"
			     "presets: [] # as \"git\"; \"pmg sandbox preset list\" has all\n",
			     name, description, opts->from);

	if (r == 0)
		r = pmg_str_adds(
			&out, "# What is added to the built-in profile. A deny beats an allow; "
			      "what stays closed\n"
			      "# (credentials, git hooks, start files) opens only by its own "
			      "name, hooks never.\n"
			      "filesystem:\n"
			      "  allow_read: [] # as \"${HOME}/.config/tool/**\"\n"
			      "  allow_write: [] # as \"${PROJECT}/dist/**\"\n"
			      "  deny_read: []\n"
			      "  deny_write: []\n"
			      "process:\n"
			      "  allow_exec: []\n"
			      "  deny_exec: []\n"
			      "network:\n"
			      "  allow_outbound: [] # of the manager, as \"downloads.test:443\"\n"
			      "  script_outbound: [] # of scripts\n"
			      "  deny_outbound: []\n"
			      "environment:\n"
			      "  allow: []\n"
			      "  deny: []\n");
	return r == 0 ? pmg_str_steal(&out) : NULL;
}

static int check_base(const struct pmg_library *library, const char *from, struct pmg_err *err)
{
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	pmg_autofree char *safe = pmg_out_quote(from);

	if (!from) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "--from BASE is needed");
		return pmg_err_hint(err, "a built-in profile, as --from npm; \"pmg sandbox profile "
					 "list\" has all");
	}
	if (pmg_library_find(library, PMG_LIBRARY_PROFILE, from, &item, err) < 0)
		return pmg_err_as(err, PMG_E_USAGE);
	return item.official ? 0
			     : pmg_err_set(err, PMG_E_USAGE, 0,
					   "\"%s\" is not built in: nothing can stand on it", safe);
}

static int init_profile(const struct pmg_call *call, struct pmg_err *err)
{
	const struct init_opts *opts = call->opts;
	const char *name = call->operands[0];
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(shelf) struct pmg_shelf shelf = { 0 };
	pmg_autofree char *text = NULL;
	int r = pmg_shelves_open(&env, &shelf, err);

	if (r == 0)
		r = pmg_shelves_check_name(&shelf.library, PMG_LIBRARY_PROFILE, name, err);
	if (r == 0)
		r = check_base(&shelf.library, opts->from, err);
	if (r < 0)
		return r;
	text = beginning(opts, name);
	if (!text)
		return pmg_err_set(err, PMG_E_USAGE, 0, "the description is too long");
	return pmg_shelves_begin(&shelf, PMG_LIBRARY_PROFILE, name, text, &env, call->out, err);
}

static int edit_profile(const struct pmg_call *call, struct pmg_err *err)
{
	return pmg_shelves_change(call, PMG_LIBRARY_PROFILE, err);
}
