#include "cli/shelves.h"

#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/editor.h"
#include "conf/yaml.h"

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

/* One that cannot be read is one finding. */
static void lint_file(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *file,
		      struct pmg_findings *found)
{
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;

	if (pmg_io_slurp(file, PMG_YAML_TEXT_MAX, &text, &len, &err) < 0)
		pmg_findings_add(found, true, err.msg, err.hint);
	else
		pmg_lint(&shelf->library, shelf->dirs.home, kind, file, text, len, found);
}

int pmg_shelves_lint(const struct pmg_shelf *shelf, enum pmg_library_kind kind, char *const *files,
		     const struct pmg_lint_opts *opts, const struct pmg_out *out)
{
	pmg_auto(json) struct json_t *list = pmg_json_array();
	size_t i, errors = 0, warnings = 0;

	for (; *files; files++) {
		pmg_auto(findings) struct pmg_findings found = { 0 };

		lint_file(shelf, kind, *files, &found);
		for (i = 0; i < found.n; i++)
			if (opts->json)
				pmg_json_add(list, finding_json(*files, &found.v[i]));
			else
				print_finding(*files, &found.v[i], out);
		errors += found.n_errors;
		warnings += found.n - found.n_errors;
	}
	if (opts->json)
		pmg_out_json(out, list);
	if (errors > 0)
		return PMG_EXIT_CONFIG;
	return warnings > 0 && opts->strict ? 1 : 0;
}

int pmg_shelves_check(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *path,
		      const char *text, size_t len, struct pmg_err *err)
{
	pmg_auto(findings) struct pmg_findings found = { 0 };

	pmg_lint(&shelf->library, shelf->dirs.home, kind, path, text, len, &found);
	return pmg_findings_err(&found, path, err);
}

struct checked {
	const struct pmg_shelf *shelf;
	enum pmg_library_kind kind;
};

static int check(const char *label, const char *text, size_t len, void *arg, struct pmg_err *err)
{
	const struct checked *checked = arg;

	return pmg_shelves_check(checked->shelf, checked->kind, label, text, len, err);
}

int pmg_shelves_edit(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *name,
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
