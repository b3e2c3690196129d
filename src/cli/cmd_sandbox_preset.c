#include "base/env.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/cmd_sandbox.h"
#include "cli/shelves.h"
#include "cli/table.h"
#include "conf/yaml.h"
#include "policy/draft.h"

#define TEXT_MAX 65536U

struct list_opts {
	bool json;
	const char *author;
	const char *label;
};

struct show_opts {
	bool json;
};

struct init_opts {
	const char *author;
	const char *description;
	struct pmg_strv labels;
};

static const struct pmg_opt list_opts[] = {
	{ PMG_OPT_TEXT, 0, "author", offsetof(struct list_opts, author), 0, "AUTHOR",
	  "only those of this author" },
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct list_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_TEXT, 0, "label", offsetof(struct list_opts, label), 0, "LABEL",
	  "only those with this label" },
	{ 0 },
};

static const struct pmg_opt show_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct show_opts, json), 0, NULL,
	  "print what it allows as JSON" },
	{ 0 },
};

static const struct pmg_opt lint_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct pmg_lint_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_FLAG, 0, "strict", offsetof(struct pmg_lint_opts, strict), 0, NULL,
	  "end with 1 when there are warnings" },
	{ 0 },
};

static const struct pmg_opt init_opts[] = {
	{ PMG_OPT_TEXT, 0, "author", offsetof(struct init_opts, author), 0, "AUTHOR",
	  "who wrote it; by default you" },
	{ PMG_OPT_TEXT, 0, "description", offsetof(struct init_opts, description), 0, "TEXT",
	  "what it is for" },
	{ PMG_OPT_LIST, 0, "label", offsetof(struct init_opts, labels), 0, "LABEL",
	  "a word to find it by; may be given again" },
	{ 0 },
};

static int edit_preset(const struct pmg_call *call, struct pmg_err *err);
static int init_preset(const struct pmg_call *call, struct pmg_err *err);
static int lint_presets(const struct pmg_call *call, struct pmg_err *err);
static int list_presets(const struct pmg_call *call, struct pmg_err *err);
static int show_preset(const struct pmg_call *call, struct pmg_err *err);

const struct pmg_cmd pmg_sandbox_preset_cmds[] = {
	{ .name = "edit",
	  .synopsis = "NAME",
	  .summary = "edit a preset of yours; saved when it can be used",
	  .min = 1,
	  .max = 1,
	  .run = edit_preset },
	{ .name = "init",
	  .synopsis = "[--author AUTHOR] [--label LABEL] [--description TEXT] NAME",
	  .summary = "begin a preset of yours",
	  .about = "At a terminal it is opened in $VISUAL or $EDITOR.\n",
	  .min = 1,
	  .max = 1,
	  .opts = init_opts,
	  .opts_size = sizeof(struct init_opts),
	  .run = init_preset },
	{ .name = "lint",
	  .synopsis = "[--json] [--strict] FILE|NAME...",
	  .summary = "say all that is wrong with presets",
	  .about = "Ends with 0 when they can be used, with 121 when one cannot.\n",
	  .min = 1,
	  .max = PMG_CMD_ANY,
	  .opts = lint_opts,
	  .opts_size = sizeof(struct pmg_lint_opts),
	  .run = lint_presets },
	{ .name = "list",
	  .synopsis = "[--label LABEL] [--author AUTHOR] [--json]",
	  .summary = "list presets, built in and yours",
	  .opts = list_opts,
	  .opts_size = sizeof(struct list_opts),
	  .run = list_presets },
	{ .name = "show",
	  .synopsis = "[--json] NAME",
	  .summary = "show a preset as it is written",
	  .min = 1,
	  .max = 1,
	  .opts = show_opts,
	  .opts_size = sizeof(struct show_opts),
	  .run = show_preset },
	{ 0 },
};

static bool is_wanted(const void *call_opts, const struct pmg_library_item *item)
{
	const struct list_opts *opts = call_opts;

	return (!opts->label || pmg_strv_has(&item->labels, opts->label)) &&
	       (!opts->author || pmg_streq(item->author, opts->author));
}

static void add_row(struct pmg_table *table, const struct pmg_library_item *item)
{
	pmg_autofree char *labels = pmg_strv_join(&item->labels, ", ", TEXT_MAX);
	pmg_autofree char *note = pmg_shelves_note(item);
	const char *const cells[] = { item->name, pmg_shelves_origin(item), item->author,
				      labels,     item->description,        note };

	pmg_table_add(table, cells);
}

static int list_presets(const struct pmg_call *call, struct pmg_err *err)
{
	static const char *const heads[] = { "NAME",        "FROM", "AUTHOR", "LABELS",
					     "DESCRIPTION", "NOTE", NULL };
	static const struct pmg_shelves_listing listing = {
		.kind = PMG_LIBRARY_PRESET,
		.heads = heads,
		.add_row = add_row,
		.is_wanted = is_wanted,
	};
	const struct list_opts *opts = call->opts;

	return pmg_shelves_list(call, &listing, opts->json, err);
}

static struct json_t *allows_json(const struct pmg_draft *draft)
{
	struct json_t *list = pmg_json_array();
	size_t i;

	for (i = 0; i < draft->n_entries; i++) {
		struct json_t *entry = pmg_json_object();

		pmg_json_set_str(entry, "access", pmg_access_name(draft->entries[i].access));
		pmg_json_set_str(entry, "value", draft->entries[i].text);
		pmg_json_set_int(entry, "line", draft->entries[i].line);
		pmg_json_add(list, entry);
	}
	return list;
}

static int print_json(struct pmg_library_item *item, const struct pmg_out *out, struct pmg_err *err)
{
	pmg_auto(draft) struct pmg_draft draft = { 0 };
	pmg_auto(json) struct json_t *json = NULL;
	int r = pmg_draft_read(&draft, item, err);

	if (r < 0)
		return r;
	pmg_library_describe(item);
	json = pmg_shelves_item_json(item);
	pmg_json_set(json, "allows", allows_json(&draft));
	pmg_out_json(out, json);
	return 0;
}

/* The one that was typed; a name that is not there is a wrong command line. */
static int find_preset(const struct pmg_shelf *shelf, const char *name,
		       struct pmg_library_item *item, struct pmg_err *err)
{
	int r = pmg_library_find(&shelf->library, PMG_LIBRARY_PRESET, name, item, err);

	return r == -PMG_E_NOTFOUND ? pmg_err_as(err, PMG_E_USAGE) : r;
}

/* @return whether a file of the user's has the name of a built-in one */
static bool note_shadowed(const struct pmg_shelf *shelf, const struct pmg_library_item *item,
			  const struct pmg_out *out)
{
	pmg_autofree char *shadowed = pmg_library_shadows(&shelf->library, item);
	pmg_autofree char *safe = pmg_out_quote(shadowed);

	if (shadowed)
		pmg_out_note(out, "%s is not used: a built-in one has its name", safe);
	return shadowed != NULL;
}

static int show_preset(const struct pmg_call *call, struct pmg_err *err)
{
	const struct show_opts *opts = call->opts;
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(shelf) struct pmg_shelf shelf = { 0 };
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	int r = pmg_shelves_open(&env, &shelf, err);

	if (r == 0)
		r = find_preset(&shelf, call->operands[0], &item, err);
	if (r < 0)
		return r;
	(void)note_shadowed(&shelf, &item, call->out);
	return opts->json ? print_json(&item, call->out, err)
			  : pmg_shelves_print(&item, call->out, err);
}

static int lint_presets(const struct pmg_call *call, struct pmg_err *err)
{
	return pmg_shelves_lint(call, PMG_LIBRARY_PRESET, err);
}

/* What is meant to be changed, and can be used as it is. */
static char *beginning(const struct init_opts *opts, const char *name, const char *author)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(TEXT_MAX);
	pmg_autofree char *description = pmg_yaml_quote(
		opts->description ? opts->description : "what it is for, in one line");
	pmg_autofree char *by = pmg_yaml_quote(author ? author : "");
	pmg_autofree char *labels = pmg_strv_join(&opts->labels, ", ", TEXT_MAX);
	int r = pmg_str_addf(&out, "schema_version: 1\nkind: preset\nname: %s\ndescription: %s\n",
			     name, description);

	if (r == 0)
		r = pmg_str_addf(&out, "metadata: {%s%s%slabels: [%s]}\n", author ? "author: " : "",
				 author ? by : "", author ? ", " : "", labels);
	if (r == 0)
		r = pmg_str_addf(
			&out,
			"# Threat notes: what each allowance opens, who could misuse it, and why "
			"that is\n"
			"# acceptable. What they do not say nobody has thought of.\n"
			"# Write: the cache of the tool, which no other program starts or reads.\n"
			"filesystem:\n"
			"  allow_read: []\n"
			"  allow_write:\n"
			"    - \"${PROJECT}/.%s/**\"\n"
			"process:\n"
			"  allow_exec: []\n"
			"network:\n"
			"  allow_bind: [] # loopback, as \"127.0.0.1:5173\"\n"
			"  allow_outbound: [] # hosts, as \"downloads.example:443\"\n"
			"environment:\n"
			"  allow: [] # exact names\n",
			name);
	return r == 0 ? pmg_str_steal(&out) : NULL;
}

static int init_preset(const struct pmg_call *call, struct pmg_err *err)
{
	const struct init_opts *opts = call->opts;
	const char *name = call->operands[0], *author;
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(shelf) struct pmg_shelf shelf = { 0 };
	pmg_autofree char *text = NULL;
	int r = pmg_shelves_open(&env, &shelf, err);

	if (r == 0)
		r = pmg_shelves_check_name(&shelf.library, PMG_LIBRARY_PRESET, name, err);
	if (r < 0)
		return r;
	author = opts->author ? opts->author : pmg_env_get(&env, "USER");
	text = beginning(opts, name, author);
	if (!text)
		return pmg_err_set(err, PMG_E_USAGE, 0,
				   "author, labels or description are too long");
	return pmg_shelves_begin(&shelf, PMG_LIBRARY_PRESET, name, text, &env, call->out, err);
}

static int edit_preset(const struct pmg_call *call, struct pmg_err *err)
{
	return pmg_shelves_change(call, PMG_LIBRARY_PRESET, err);
}
