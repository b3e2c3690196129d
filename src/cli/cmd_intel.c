#include "cli/cmd_intel.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "cli/cmd_scan.h"
#include "conf/dirs.h"
#include "conf/overrides.h"

void pmg_intel_place_done(struct pmg_intel_place *place)
{
	free(place->state);
	free(place->index);
	free(place->blocklist);
	free(place->config);
	free(place->overrides);
}

int pmg_intel_place_find(struct pmg_intel_place *out, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(dirs) struct pmg_dirs dirs = { 0 };
	int r;

	pmg_strv_extend(&env, environ);
	r = pmg_dirs_find(&env, &dirs, err);
	if (r < 0)
		return r;
	out->state = pmg_steal_ptr(&dirs.state);
	out->index = pmg_path_join(out->state, "intel.db");
	out->blocklist = pmg_path_join(dirs.config, "blocklist.yml");
	out->config = pmg_path_join(dirs.config, "config.yml");
	out->overrides = pmg_path_join(dirs.config, PMG_OVERRIDES_FILE);
	return 0;
}

int pmg_intel_purl(const char *text, struct pmg_purl *out, struct pmg_err *err)
{
	/* Typed, not from a file: the command line is wrong. */
	return pmg_purl_parse(text, out, err) < 0 ? pmg_err_as(err, PMG_E_USAGE) : 0;
}

struct json_t *pmg_intel_index_json(int64_t built, uint64_t records)
{
	struct json_t *json = pmg_json_object();
	char when[PMG_RFC3339_LEN];

	pmg_clock_format(built, when);
	pmg_json_set_str(json, "built", when);
	pmg_json_set_count(json, "records", records);
	return json;
}

#define JSON_ROW(type)                                                                             \
	{                                                                                          \
		.kind = PMG_OPT_FLAG, .name = "json", .offset = offsetof(struct type, json),       \
		.help = "print JSON"                                                               \
	}

static const struct pmg_opt import_opts[] = {
	{ .kind = PMG_OPT_FLAG,
	  .name = "accept",
	  .offset = offsetof(struct pmg_intel_import_opts, accept),
	  .help = "take a feed that looks wrong (PMG3010), or an index that is not signed" },
	{ .kind = PMG_OPT_TEXT,
	  .name = "ecosystem",
	  .offset = offsetof(struct pmg_intel_import_opts, ecosystem),
	  .arg = "npm|pypi",
	  .help = "of a list that does not say so itself" },
	JSON_ROW(pmg_intel_import_opts),
	{ .kind = PMG_OPT_TEXT,
	  .name = "manifest",
	  .offset = offsetof(struct pmg_intel_import_opts, manifest),
	  .arg = "FILE",
	  .help = "take the signed index that it names, in place of the whole index" },
	{ .kind = PMG_OPT_TEXT,
	  .name = "name",
	  .offset = offsetof(struct pmg_intel_import_opts, name),
	  .arg = "FEED",
	  .help = "the feed whose records are replaced; else named after PATH" },
	{ .kind = PMG_OPT_LIST,
	  .name = "pubkey",
	  .offset = offsetof(struct pmg_intel_import_opts, pubkeys),
	  .arg = "KEY",
	  .help = "of --manifest: whose signature counts, a file or base64; at most two" },
	{ .kind = PMG_OPT_TEXT,
	  .name = "remove",
	  .offset = offsetof(struct pmg_intel_import_opts, remove),
	  .arg = "FEED",
	  .help = "take a feed out of the index, with all its records" },
	{ 0 },
};

static const struct pmg_opt allow_opts[] = {
	{ .kind = PMG_OPT_TEXT,
	  .name = "expires",
	  .offset = offsetof(struct pmg_intel_allow_opts, expires),
	  .arg = "WHEN",
	  .help = "a day, 2027-01-31, or a duration, 30d; else never" },
	{ .kind = PMG_OPT_TEXT,
	  .name = "id",
	  .offset = offsetof(struct pmg_intel_allow_opts, id),
	  .arg = "ID",
	  .help = "the record that does not count; else all that are against it now" },
	JSON_ROW(pmg_intel_allow_opts),
	{ .kind = PMG_OPT_TEXT,
	  .name = "reason",
	  .offset = offsetof(struct pmg_intel_allow_opts, reason),
	  .arg = "TEXT",
	  .help = "why; must be given" },
	{ .kind = PMG_OPT_FLAG,
	  .name = "remove",
	  .offset = offsetof(struct pmg_intel_allow_opts, remove),
	  .help = "let the records count again" },
	{ 0 },
};

static const struct pmg_opt report_opts[] = {
	JSON_ROW(pmg_intel_report_opts),
	{ 0 },
};

static const struct pmg_opt export_opts[] = {
	{ .kind = PMG_OPT_TEXT,
	  .name = "expires",
	  .offset = offsetof(struct pmg_intel_export_opts, expires),
	  .arg = "DURATION",
	  .help = "how long it is to be believed; else 30d" },
	JSON_ROW(pmg_intel_export_opts),
	{ .kind = PMG_OPT_UINT,
	  .name = "sequence",
	  .offset = offsetof(struct pmg_intel_export_opts, sequence),
	  .max = INT64_MAX,
	  .arg = "N",
	  .help = "greater than that of all before; else seconds since 1970" },
	{ .kind = PMG_OPT_TEXT,
	  .name = "sign",
	  .offset = offsetof(struct pmg_intel_export_opts, sign),
	  .arg = "KEY",
	  .help = "write FILE.json too, signed by this private key (Ed25519, PEM)" },
	{ 0 },
};

static const struct pmg_opt status_opts[] = {
	JSON_ROW(pmg_intel_status_opts),
	{ 0 },
};

static const struct pmg_opt query_opts[] = {
	{ .kind = PMG_OPT_TEXT,
	  .name = "ecosystem",
	  .offset = offsetof(struct pmg_intel_query_opts, ecosystem),
	  .arg = "npm|pypi",
	  .help = "with --name, in place of a package URL" },
	JSON_ROW(pmg_intel_query_opts),
	{ .kind = PMG_OPT_TEXT,
	  .name = "name",
	  .offset = offsetof(struct pmg_intel_query_opts, name),
	  .arg = "NAME",
	  .help = "of the package" },
	{ .kind = PMG_OPT_FLAG,
	  .name = "stdin",
	  .offset = offsetof(struct pmg_intel_query_opts, from_stdin),
	  .help = "read ecosystem, name and version from lines, between tabs" },
	{ .kind = PMG_OPT_TEXT,
	  .name = "version",
	  .offset = offsetof(struct pmg_intel_query_opts, version),
	  .arg = "VERSION",
	  .help = "of the package; else only what is known of all versions counts" },
	{ 0 },
};

static const struct pmg_opt rollback_opts[] = {
	JSON_ROW(pmg_intel_rollback_opts),
	{ 0 },
};

static const struct pmg_opt update_opts[] = {
	{ .kind = PMG_OPT_FLAG,
	  .name = "accept",
	  .offset = offsetof(struct pmg_intel_update_opts, accept),
	  .help = "take feeds though they look wrong" },
	{ .kind = PMG_OPT_FLAG,
	  .name = "full",
	  .offset = offsetof(struct pmg_intel_update_opts, full),
	  .help = "fetch all of each feed, whatever its server says of changes" },
	JSON_ROW(pmg_intel_update_opts),
	{ 0 },
};

static const struct pmg_opt block_opts[] = {
	{ .kind = PMG_OPT_TEXT,
	  .name = "reason",
	  .offset = offsetof(struct pmg_intel_block_opts, reason),
	  .arg = "TEXT",
	  .help = "shown when the package is refused" },
	{ 0 },
};

static const struct pmg_cmd cmds[] = {
	{ .name = "allow",
	  .synopsis = "[--expires WHEN] [--id ID] [--json] --reason TEXT PURL | --remove [--id ID] "
		      "[--json] PURL",
	  .summary = "let a version in that a feed is mistaken about",
	  .about = "Writes an entry of intel.overrides into overrides.yml beside config.yml: the\n"
		   "record does not count for this version, and each use of it is said. --remove "
		   "takes\nsuch entries out again.\n",
	  .min = 1,
	  .max = 1,
	  .opts = allow_opts,
	  .opts_size = sizeof(struct pmg_intel_allow_opts),
	  .run = pmg_cmd_intel_allow },
	{ .name = "block",
	  .synopsis = "[--reason TEXT] PURL",
	  .summary = "put a package on your block list",
	  .about = "Without a version (pkg:npm/name) all versions are blocked.\n"
		   "\"pmg intel unblock PURL\" takes it off the list again.\n",
	  .min = 1,
	  .max = 1,
	  .opts = block_opts,
	  .opts_size = sizeof(struct pmg_intel_block_opts),
	  .run = pmg_cmd_intel_block },
	{ .name = "export",
	  .synopsis = "[--expires DURATION] [--json] [--sequence N] [--sign KEY] FILE",
	  .summary = "write the index to a file, for other machines",
	  .min = 1,
	  .max = 1,
	  .opts = export_opts,
	  .opts_size = sizeof(struct pmg_intel_export_opts),
	  .run = pmg_cmd_intel_export },
	{ .name = "import",
	  .synopsis = "[--accept] [--ecosystem E] [--json] [--name FEED] PATH | --manifest FILE "
		      "--pubkey KEY [PATH] | --remove FEED",
	  .summary = "take the records of a feed into the index",
	  .about = "PATH is an archive (zip, tar), a folder or a file of records in OSV format, or "
		   "a\n"
		   "list in another shape; its content tells. The records of other feeds stay; "
		   "those\n"
		   "of this one are replaced.\n",
	  .max = 1,
	  .opts = import_opts,
	  .opts_size = sizeof(struct pmg_intel_import_opts),
	  .run = pmg_cmd_intel_import },
	{ .name = "query",
	  .synopsis = "[--json] PURL | --ecosystem E --name N [--version V] | --stdin",
	  .summary = "ask what would be said of a package",
	  .about = "PURL is a package URL: pkg:npm/%40scope/name@1.0.0, pkg:pypi/name. With "
		   "--stdin\n"
		   "one JSON object a line is printed.\n",
	  .max = 1,
	  .opts = query_opts,
	  .opts_size = sizeof(struct pmg_intel_query_opts),
	  .run = pmg_cmd_intel_query },
	{ .name = "report",
	  .synopsis = "[--json] [PURL]",
	  .summary = "show what the index holds, or all that it knows of a package",
	  .max = 1,
	  .opts = report_opts,
	  .opts_size = sizeof(struct pmg_intel_report_opts),
	  .run = pmg_cmd_intel_report },
	{ .name = "rollback",
	  .synopsis = "[--json]",
	  .summary = "go back to the index before the present one",
	  .about = "The two change places: once more undoes it. The previous one is checked "
		   "first.\n",
	  .opts = rollback_opts,
	  .opts_size = sizeof(struct pmg_intel_rollback_opts),
	  .run = pmg_cmd_intel_rollback },
	{ .name = "status",
	  .synopsis = "[--json]",
	  .summary = "check the index and show what it holds",
	  .opts = status_opts,
	  .opts_size = sizeof(struct pmg_intel_status_opts),
	  .run = pmg_cmd_intel_status },
	{ .name = "unblock",
	  .synopsis = "PURL",
	  .summary = "take a package off your block list",
	  .min = 1,
	  .max = 1,
	  .run = pmg_cmd_intel_unblock },
	{ .name = "update",
	  .synopsis = "[--accept] [--full] [--json] [FEED...]",
	  .summary = "fetch what is new in the feeds",
	  .about = "Without FEED all feeds of config.yml, or the public ones where it names none.\n"
		   "What was cut off goes on where it ended the next time.\n",
	  .max = PMG_CMD_ANY,
	  .opts = update_opts,
	  .opts_size = sizeof(struct pmg_intel_update_opts),
	  .run = pmg_cmd_intel_update },
	{ 0 },
};

const struct pmg_cmd *pmg_cmd_intel(void)
{
	static const struct pmg_cmd audit[] = {
		{ .name = "exposure",
		  .synopsis = "[--json]",
		  .summary = "what passed before it was listed",
		  .about = "Packages that earlier runs let in, and that are listed now: in which "
			   "runs, "
			   "and what\ntheir scripts could reach. The status is 1 when there are "
			   "any.\n",
		  .opts = pmg_exposure_options,
		  .opts_size = sizeof(struct pmg_exposure_opts),
		  .run = pmg_cmd_intel_exposure },
		{ 0 },
	};
	static const struct pmg_cmd rows[] = {
		{ .name = "audit",
		  .summary = "what was fetched, and what was refused",
		  .subs = audit },
		{ .name = "intel", .summary = "what is known of packages", .subs = cmds },
		{ .name = "scan",
		  .synopsis = "[--json] [--sarif] [PATH]",
		  .summary = "check lockfiles and what is installed below a folder",
		  .about = "PATH is a folder, by default the current one, or one file. Links are "
			   "not "
			   "followed.\nThe status is 1 when something is listed, or cannot be "
			   "read.\n",
		  .max = 1,
		  .opts = pmg_scan_options,
		  .opts_size = sizeof(struct pmg_scan_opts),
		  .run = pmg_cmd_scan },
		{ 0 },
	};

	return rows;
}
