#include "cli/shelves.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/editor.h"
#include "cli/front.h"
#include "conf/yaml.h"
#include "pm/pm.h"
#include "policy/draft.h"

#define TOOLS_MAX    64U
#define DIAG_INVALID 2106 /* docs/codes/PMG2106.md */

int pmg_shelves_open(struct pmg_strv *env, struct pmg_shelf *shelf, struct pmg_err *err)
{
	pmg_front_environment(env);
	return pmg_shelf_open(env, shelf, err);
}

const char *pmg_shelves_origin(const struct pmg_library_item *item)
{
	if (item->official)
		return "built in";
	return item->is_template ? "config.yml" : "yours";
}

struct json_t *pmg_shelves_item_json(const struct pmg_library_item *item)
{
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "name", item->name);
	pmg_json_set_bool(json, "official", item->official != NULL);
	pmg_json_set_bool(json, "shadowed", item->shadowed);
	pmg_json_set_str(json, "path", item->path);
	pmg_json_set_str(json, "description", item->description);
	if (item->kind == PMG_LIBRARY_PRESET) {
		pmg_json_set_str(json, "author", item->author);
		pmg_json_set(json, "labels", pmg_json_strv(&item->labels));
	} else {
		pmg_json_set_str(json, "inherits", item->inherits);
		pmg_json_set(json, "package_managers", pmg_json_strv(&item->managers));
		pmg_json_set(json, "presets", pmg_json_strv(&item->presets));
	}
	pmg_json_set_str(json, "error", item->error);
	return json;
}

char *pmg_shelves_note(const struct pmg_library_item *item)
{
	const char *shadowed = item->kind == PMG_LIBRARY_PRESET
				       ? "not used: a built-in one has its name"
				       : "not used: another one has its name";

	return pmg_xasprintf("%s%s%s", item->shadowed ? shadowed : "",
			     item->shadowed && item->error ? "; " : "",
			     item->error ? item->error : "");
}

int pmg_shelves_list(const struct pmg_call *call, const struct pmg_shelves_listing *listing,
		     bool as_json, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(shelf) struct pmg_shelf shelf = { 0 };
	pmg_auto(library_list) struct pmg_library_list list = { 0 };
	pmg_auto(json) struct json_t *json = pmg_json_array();
	pmg_auto(table) struct pmg_table *table = pmg_table_new(listing->heads);
	size_t i;
	int r = pmg_shelves_open(&env, &shelf, err);

	if (r == 0)
		r = pmg_library_all(&shelf.library, listing->kind, &list, err);
	if (r < 0)
		return r;
	for (i = 0; i < list.n; i++) {
		if (listing->is_wanted && !listing->is_wanted(call->opts, &list.v[i]))
			continue;
		pmg_json_add(json, pmg_shelves_item_json(&list.v[i]));
		listing->add_row(table, &list.v[i]);
	}
	if (as_json)
		pmg_out_json(call->out, json);
	else
		pmg_table_print(table, call->out->to);
	return 0;
}

int pmg_shelves_print(const struct pmg_library_item *item, const struct pmg_out *out,
		      struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_library_text(item, &text, &len, err);

	if (r == -PMG_E_NOTFOUND) /* since it was found */
		return pmg_err_as(err, PMG_E_CONFIG);
	if (r == 0)
		(void)fwrite(text, 1, len, out->to);
	return r;
}

static struct json_t *finding_json(const char *file, const struct pmg_finding *finding)
{
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "file", file);
	pmg_json_set_int(json, "line", finding->line);
	pmg_json_set_int(json, "column", finding->column);
	pmg_json_set_str(json, "severity", finding->is_error ? "error" : "warning");
	pmg_json_set_str(json, "message", finding->message);
	pmg_json_set_str(json, "hint", finding->hint);
	return json;
}

static void print_finding(const char *file, const struct pmg_finding *finding,
			  const struct pmg_out *out)
{
	pmg_autofree char *where = pmg_out_quote(file);
	pmg_autofree char *message = pmg_out_quote(finding->message);
	pmg_autofree char *hint = pmg_out_quote(finding->hint);
	const char *kind = finding->is_error ? "error" : "warning";

	if (finding->line > 0)
		(void)fprintf(out->to, "%s:%u:%u: %s: %s", where, finding->line, finding->column,
			      kind, message);
	else
		(void)fprintf(out->to, "%s: %s: %s", where, kind, message);
	(void)fprintf(out->to, "%s%s%s\n", *hint ? " (" : "", hint, *hint ? ")" : "");
}

void pmg_shelves_tools(const char **names, size_t max)
{
	const struct pmg_pm *const *pm;
	const char *const *tool;
	size_t n = 0;

	names[n++] = "exec";
	for (pm = pmg_pm_all(); *pm; pm++)
		for (tool = (*pm)->tools; *tool && n < max - 1; tool++)
			names[n++] = *tool;
	names[n] = NULL;
}

/* What is typed is a path, or a name: of a preset, where no file here is called so.
 * @param[out] label  how findings call it; caller frees */
static int read_typed(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *typed,
		      char **label, char **text, size_t *len, struct pmg_err *err)
{
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	int r;

	*label = pmg_xstrdup(typed);
	if (pmg_library_is_path(typed) || (kind == PMG_LIBRARY_PRESET && access(typed, F_OK) == 0))
		return pmg_io_slurp(typed, PMG_YAML_TEXT_MAX, text, len, err);
	r = pmg_library_find(&shelf->library, kind, typed, &item, err);
	if (r < 0)
		return r;
	free(*label);
	*label = item.path ? pmg_xstrdup(item.path) : pmg_xasprintf("built-in %s", typed);
	return pmg_library_text(&item, text, len, err);
}

/* One that cannot be read is one finding. */
static void lint_typed(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *typed,
		       bool strict, char **label, struct pmg_findings *found)
{
	const char *tools[TOOLS_MAX];
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;

	pmg_shelves_tools(tools, TOOLS_MAX);
	if (read_typed(shelf, kind, typed, label, &text, &len, &err) < 0)
		pmg_findings_add(found, true, err.msg, err.hint);
	else if (strict && kind == PMG_LIBRARY_PROFILE)
		pmg_lint_strict(&shelf->library, shelf->dirs.home, *label, text, len, tools, found);
	else
		pmg_lint(&shelf->library, shelf->dirs.home, kind, *label, text, len, found);
}

int pmg_shelves_lint(const struct pmg_call *call, enum pmg_library_kind kind, struct pmg_err *err)
{
	const struct pmg_lint_opts *opts = call->opts;
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(shelf) struct pmg_shelf shelf = { 0 };
	pmg_auto(json) struct json_t *list = pmg_json_array();
	char *const *typed = call->operands;
	size_t i, errors = 0, warnings = 0;
	int r = pmg_shelves_open(&env, &shelf, err);

	if (r < 0)
		return r;
	for (; *typed; typed++) {
		pmg_auto(findings) struct pmg_findings found = { 0 };
		pmg_autofree char *label = NULL;

		lint_typed(&shelf, kind, *typed, opts->strict, &label, &found);
		for (i = 0; i < found.n; i++)
			if (opts->json)
				pmg_json_add(list, finding_json(label, &found.v[i]));
			else
				print_finding(label, &found.v[i], call->out);
		errors += found.n_errors;
		warnings += found.n - found.n_errors;
	}
	if (opts->json)
		pmg_out_json(call->out, list);
	if (errors > 0)
		return PMG_EXIT_CONFIG;
	return warnings > 0 && opts->strict ? 1 : 0;
}

/* Is a text good to be saved as the file of that path? */
static int check_text(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *path,
		      const char *text, size_t len, struct pmg_err *err)
{
	pmg_auto(findings) struct pmg_findings found = { 0 };

	pmg_lint(&shelf->library, shelf->dirs.home, kind, path, text, len, &found);
	if (pmg_findings_err(&found, path, err) == 0)
		return 0;
	return pmg_err_diag(err, DIAG_INVALID);
}

struct checked {
	const struct pmg_shelf *shelf;
	enum pmg_library_kind kind;
};

static int check(const char *label, const char *text, size_t len, void *arg, struct pmg_err *err)
{
	const struct checked *checked = arg;

	return check_text(checked->shelf, checked->kind, label, text, len, err);
}

/* The file of that name, or with a text, which it begins with, a new one. */
static int edit_file(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *name,
		     const char *text, const struct pmg_strv *env, const struct pmg_out *out,
		     struct pmg_err *err)
{
	pmg_autofree char *path = pmg_library_path(&shelf->library, kind, name);
	pmg_autofree char *shown = pmg_out_quote(path);
	pmg_autofree char *old = NULL;
	struct checked checked = { .shelf = shelf, .kind = kind };
	struct pmg_edit edit = { .env = env,
				 .out = out,
				 .in = STDIN_FILENO,
				 .path = path,
				 .text = text,
				 .is_new = text != NULL,
				 .check = check,
				 .arg = &checked };
	bool written = false;
	size_t len = 0;
	int r = text ? 0 : pmg_io_slurp(path, PMG_YAML_TEXT_MAX, &old, &len, err);

	if (r < 0)
		return r;
	if (old)
		edit.text = old;
	r = pmg_edit(&edit, &written, err);
	if (r < 0)
		return r;
	pmg_out_note(out, written ? "%s is written" : "%s is as it was", shown);
	return 0;
}

int pmg_shelves_check_name(const struct pmg_library *library, enum pmg_library_kind kind,
			   const char *name, struct pmg_err *err)
{
	const char *what = pmg_library_kind_name(kind);
	pmg_autofree char *path = NULL;
	pmg_autofree char *safe = pmg_out_quote(name);
	struct stat st;

	if (!pmg_draft_is_name(name))
		return pmg_err_set(err, PMG_E_USAGE, 0,
				   "a name is 1 to 64 letters, digits, \"_\" and \"-\", not \"%s\"",
				   safe);
	if (pmg_builtin_find(what, name)) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "\"%s\" is built in, and would win", safe);
		return pmg_err_hint(err, "take another name; \"pmg sandbox %s show %s\" shows it",
				    what, safe);
	}
	path = pmg_library_path(library, kind, name);
	if (lstat(path, &st) < 0)
		return 0;
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s is there already", path);
	return pmg_err_hint(err, "\"pmg sandbox %s edit %s\" changes it", what, safe);
}

int pmg_shelves_begin(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *name,
		      const char *text, const struct pmg_strv *env, const struct pmg_out *out,
		      struct pmg_err *err)
{
	pmg_autofree char *path = pmg_library_path(&shelf->library, kind, name);
	struct pmg_err why = PMG_ERR_INIT;
	int r;

	/* Options that would make a file that cannot be used are wrong, not the file. */
	if (check_text(shelf, kind, path, text, strlen(text), &why) < 0)
		return pmg_err_set(err, PMG_E_USAGE, 0, "%s", why.msg);
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return edit_file(shelf, kind, name, text, env, out, err);
	r = pmg_edit_write(path, text, strlen(text), true, err);
	if (r == 0)
		(void)fprintf(out->to, "%s\n", path);
	return r;
}

int pmg_shelves_change(const struct pmg_call *call, enum pmg_library_kind kind, struct pmg_err *err)
{
	const char *what = pmg_library_kind_name(kind), *name = call->operands[0];
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(shelf) struct pmg_shelf shelf = { 0 };
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	pmg_autofree char *shadowed = NULL;
	pmg_autofree char *shown = NULL;
	pmg_autofree char *safe = pmg_out_quote(name);
	int r = pmg_shelves_open(&env, &shelf, err);

	if (r == 0)
		r = pmg_library_find(&shelf.library, kind, name, &item, err);
	if (r == -PMG_E_NOTFOUND)
		return pmg_err_as(err, PMG_E_USAGE);
	if (r < 0)
		return r;
	shadowed = pmg_library_shadows(&shelf.library, &item);
	if (item.official && !shadowed) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "\"%s\" is built in and cannot be edited",
				  safe);
		return pmg_err_hint(err, "\"pmg sandbox %s init\" begins one of another name",
				    what);
	}
	if (item.path && !shadowed && (item.is_template || pmg_library_is_path(name))) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "\"%s\" is the file %s", safe, item.path);
		return pmg_err_hint(err, "edit that, then \"pmg sandbox %s lint\" it", what);
	}
	shown = pmg_out_quote(shadowed);
	if (shadowed)
		pmg_out_note(call->out, "%s is not used: %s has its name", shown,
			     item.official ? "a built-in one" : "one of config.yml");
	return edit_file(&shelf, kind, name, NULL, &env, call->out, err);
}
