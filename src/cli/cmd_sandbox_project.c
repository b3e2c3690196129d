#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cmd_sandbox.h"
#include "cli/front.h"
#include "cli/table.h"
#include "policy/allow.h"
#include "policy/overlay.h"
#include "run/prepare.h"

#define WORDS_MAX 65536U

struct project_opts {
	bool json;
};

static const struct pmg_opt project_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct project_opts, json), 0, NULL, "print JSON" },
	{ 0 },
};

static int run_list(const struct pmg_call *call, struct pmg_err *err);
static int run_reset(const struct pmg_call *call, struct pmg_err *err);
static int run_show(const struct pmg_call *call, struct pmg_err *err);

const struct pmg_cmd pmg_sandbox_project_cmds[] = {
	{ .name = "list",
	  .synopsis = "[--json]",
	  .summary = "show which repositories have allowances",
	  .opts = project_opts,
	  .opts_size = sizeof(struct project_opts),
	  .run = run_list },
	{ .name = "reset",
	  .synopsis = "[PATH]",
	  .summary = "take back all that is allowed in a repository",
	  .about = "PATH is a folder of the repository, the current one if not given. What is "
		   "taken back is\nprinted as commands that would allow it again.\n",
	  .max = 1,
	  .run = run_reset },
	{ .name = "show",
	  .synopsis = "[--json] [PATH]",
	  .summary = "show what is allowed in a repository",
	  .about = "PATH is a folder of the repository, the current one if not given.\n",
	  .max = 1,
	  .opts = project_opts,
	  .opts_size = sizeof(struct project_opts),
	  .run = run_show },
	{ 0 },
};

/* A repository that is gone has no top level any more: it is found by what was typed. */
static int find_repository(const struct pmg_call *call, struct pmg_prepared *prepared,
			   struct pmg_err *err)
{
	const char *path = call->n_operands > 0 ? call->operands[0] : NULL;
	pmg_auto(strv) struct pmg_strv env = { 0 };

	pmg_front_environment(&env);
	return pmg_prepare_repository(&env, path, prepared, err);
}

/* Of a folder that is gone what is left can be shown and taken back; where nothing is left it was
 * never meant. */
static int check_there(const struct pmg_call *call, struct pmg_err *err)
{
	const char *path = call->n_operands > 0 ? call->operands[0] : NULL;
	pmg_autofree char *shown = pmg_out_quote(path);
	struct stat st;

	if (!path || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s is no folder, and nothing is allowed there",
			  shown);
	return pmg_err_hint(err, "\"pmg sandbox project list\" shows where something is");
}

static bool is_live(const struct pmg_overlay_entry *entry)
{
	return entry->expires == 0 || entry->expires > pmg_clock_now();
}

/* NULL: never. */
static char *time_text(int64_t at)
{
	char text[PMG_RFC3339_LEN];

	if (at == 0)
		return NULL;
	pmg_clock_format(at, text);
	return pmg_xstrdup(text);
}

static struct json_t *entry_json(const struct pmg_overlay_entry *entry)
{
	struct json_t *json = pmg_json_object();
	pmg_autofree char *created = time_text(entry->created);
	pmg_autofree char *expires = time_text(entry->expires);

	pmg_json_set_str(json, "type", pmg_allow_type_name(entry->type));
	pmg_json_set_str(json, "value", entry->value);
	pmg_json_set_str(json, "reason", entry->reason);
	pmg_json_set_str(json, "author", entry->author);
	pmg_json_set_str(json, "created", created);
	pmg_json_set_str(json, "expires", expires);
	if (entry->tools.n > 0)
		pmg_json_set(json, "for", pmg_json_strv(&entry->tools));
	pmg_json_set_bool(json, "live", is_live(entry));
	return json;
}

static struct json_t *overlay_json(const struct pmg_overlay *overlay)
{
	struct json_t *json = pmg_json_object();
	struct json_t *entries = pmg_json_array();
	size_t i;

	for (i = 0; i < overlay->n_entries; i++)
		pmg_json_add(entries, entry_json(&overlay->entries[i]));
	pmg_json_set_str(json, "repository", overlay->repository);
	pmg_json_set_str(json, "path", overlay->path);
	pmg_json_set(json, "entries", entries);
	return json;
}

static void print_entries(const struct pmg_overlay *overlay, const struct pmg_out *out)
{
	static const char *const heads[] = { "TYPE",   "VALUE",  "FOR",  "EXPIRES",
					     "AUTHOR", "REASON", "NOTE", NULL };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	size_t i;

	for (i = 0; i < overlay->n_entries; i++) {
		const struct pmg_overlay_entry *entry = &overlay->entries[i];
		pmg_autofree char *tools = pmg_strv_join(&entry->tools, " ", WORDS_MAX);
		pmg_autofree char *expires = time_text(entry->expires);
		const char *cells[] = { pmg_allow_type_name(entry->type),
					entry->value,
					tools,
					expires,
					entry->author,
					entry->reason,
					is_live(entry) ? NULL : "expired" };

		pmg_table_add(table, cells);
	}
	pmg_table_print(table, out->to);
}

static int run_show(const struct pmg_call *call, struct pmg_err *err)
{
	const struct project_opts *opts = call->opts;
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	int r = find_repository(call, &prepared, err);

	if (r == 0)
		r = pmg_overlay_load(prepared.dirs.config, prepared.repository, &overlay, err);
	if (r == 0 && overlay.n_entries == 0)
		r = check_there(call, err);
	if (r < 0)
		return r;
	if (opts->json) {
		pmg_auto(json) struct json_t *json = overlay_json(&overlay);

		pmg_out_json(call->out, json);
	} else {
		print_entries(&overlay, call->out);
	}
	if (overlay.n_entries == 0 && !opts->json)
		pmg_out_note(call->out, "nothing is allowed in %s", overlay.repository);
	return 0;
}

/* One line of the list. */
static void list_one(const struct pmg_overlay *overlay, struct pmg_table *table)
{
	pmg_autofree char *n = NULL;
	pmg_autofree char *expired = NULL;
	struct stat st;
	size_t i, live = 0;

	for (i = 0; i < overlay->n_entries; i++)
		live += is_live(&overlay->entries[i]);
	n = pmg_xasprintf("%zu", live);
	expired = pmg_xasprintf("%zu", overlay->n_entries - live);
	pmg_table_add(table,
		      (const char *[]){ overlay->repository, n, expired,
					stat(overlay->repository, &st) < 0 ? "gone" : NULL });
}

static int run_list(const struct pmg_call *call, struct pmg_err *err)
{
	static const char *const heads[] = { "REPOSITORY", "ALLOWED", "EXPIRED", "NOTE", NULL };
	const struct project_opts *opts = call->opts;
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	pmg_auto(json) struct json_t *json = pmg_json_array();
	pmg_auto(strv) struct pmg_strv repositories = { 0 };
	pmg_auto(strv) struct pmg_strv broken = { 0 };
	size_t i;
	int r = find_repository(call, &prepared, err);

	if (r == 0)
		r = pmg_overlay_repositories(prepared.dirs.config, &repositories, &broken, err);
	for (i = 0; r == 0 && i < repositories.n; i++) {
		pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
		struct pmg_err why = PMG_ERR_INIT;

		if (pmg_overlay_load(prepared.dirs.config, repositories.v[i], &overlay, &why) < 0) {
			pmg_strv_add(&broken, why.msg);
			continue;
		}
		list_one(&overlay, table);
		pmg_json_add(json, overlay_json(&overlay));
	}
	if (r < 0)
		return r;
	for (i = 0; i < broken.n; i++) {
		pmg_autofree char *safe = pmg_out_quote(broken.v[i]);

		pmg_out_note(call->out, "%s", safe);
	}
	if (opts->json)
		pmg_out_json(call->out, json);
	else
		pmg_table_print(table, call->out->to);
	return broken.n > 0 ? 1 : 0;
}

/* "pmg sandbox allow ..." for a shell. */
static char *command_of(const struct pmg_overlay_entry *entry)
{
	pmg_autofree char *allow =
		pmg_xasprintf("%s=%s", pmg_allow_type_name(entry->type), entry->value);
	pmg_autofree char *quoted = pmg_str_shell(allow);
	pmg_autofree char *expires = time_text(entry->expires);
	pmg_autofree char *until = expires ? pmg_xasprintf("  # until %s", expires) : NULL;
	pmg_autofree char *tools = pmg_strv_join(&entry->tools, " --for ", WORDS_MAX);

	return pmg_xasprintf("pmg sandbox allow%s%s %s%s", *tools ? " --for " : "", tools, quoted,
			     until ? until : "");
}

static int run_reset(const struct pmg_call *call, struct pmg_err *err)
{
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	pmg_autofd int lock = -1;
	size_t i, n;
	int r = find_repository(call, &prepared, err);

	if (r == 0)
		r = lock = pmg_overlay_lock(prepared.dirs.config, err);
	if (r >= 0)
		r = pmg_overlay_load(prepared.dirs.config, prepared.repository, &overlay, err);
	if (r < 0)
		return r;
	n = overlay.n_entries;
	r = n == 0 ? check_there(call, err) : 0;
	if (r < 0)
		return r;
	if (n == 0) {
		pmg_out_note(call->out, "nothing is allowed in %s", overlay.repository);
		return 0;
	}
	for (i = 0; i < n; i++) {
		pmg_autofree char *command = command_of(&overlay.entries[i]);
		pmg_autofree char *safe = pmg_out_quote(command);

		(void)fprintf(call->out->to, "%s\n", safe);
	}
	while (overlay.n_entries > 0)
		pmg_overlay_entry_done(&overlay.entries[--overlay.n_entries]);
	r = pmg_overlay_save(&overlay, err);
	if (r == 0)
		pmg_out_note(call->out, "no longer allowed in %s: %zu %s", overlay.repository, n,
			     n == 1 ? "entry" : "entries");
	return r;
}
