#include "cli/cmd_sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/front.h"
#include "tests/helper/folder.h"
#include "tests/helper/said.h"
#include "violation/ledger.h"

#define ODD "schema_version: 1\nkind: preset\nname: other\ndescription: d\n"
#define BAD                                                                                        \
	"schema_version: 1\nkind: preset\nname: bad\nfilesytem: {}\n"                              \
	"network: {allow_bind: [ \"0.0.0.0:1\"]}\ndescription: d\n"

static char *root; /* HOME, with a project in it; its ledger has one run */

static const char loose[] = "schema_version: 1\nname: loose\ndescription: d\n"
			    "filesystem: {allow_read: [\"${HOME}/**\"]}\n";
static const char broken[] = "schema_version: 1\nname: broken\ndescription: d\nnetwrok: {}\n";

static const char open_out[] = "schema_version: 1\nname: open\ndescription: d\ninherits: npm\n"
			       "network: {network_via_proxy_only: false}\n";

static void deny(struct pmg_record *record, const char *target, const char *allow, bool sensitive)
{
	struct pmg_event event = { .code = 2002,
				   .op = PMG_EVENT_WRITE,
				   .by = PMG_EVENT_BY_BROKER,
				   .target = pmg_xstrdup(target),
				   .rule = sensitive ? pmg_xstrdup("**/.ssh") : NULL,
				   .allow = allow ? pmg_xstrdup(allow) : NULL,
				   .sensitive = sensitive,
				   .first = 100,
				   .last = 100 };

	(void)pmg_record_denied(record, &event);
}

/* What was refused later, in another repository, is not opened in this one. */
static int add_other_run(const char *ledger, const struct pmg_ledger_keep *keep)
{
	pmg_auto(record) struct pmg_record record = { .started = 200, .ended = 201 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)snprintf(record.id, sizeof record.id, "r-19700101-0002");
	record.tool = pmg_xstrdup("npm");
	record.cwd = pmg_xstrdup("/elsewhere");
	record.profile = pmg_xstrdup("npm");
	deny(&record, "/elsewhere/x", "write=/elsewhere/x", false);
	return pmg_ledger_write(ledger, &record, keep, &err);
}

static int make_root(void **state)
{
	static const struct pmg_ledger_keep keep = { 0, 0 };
	pmg_auto(record) struct pmg_record record = { .started = 100, .ended = 101 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;

	(void)state;
	root = folder_new();
	folder_write(root, "project/package.json", "{}", 2);
	folder_write(root, "bin/edit", "#!/bin/sh\n", 10); /* that changes nothing */
	folder_write(root, "loose.yml", loose, strlen(loose));
	folder_write(root, "broken.yml", broken, strlen(broken));
	folder_write(root, "open.yml", open_out, strlen(open_out));
	folder_write(root, "project/own.yml", loose, strlen(loose));
	path = pmg_path_join(root, "bin/edit");
	if (chmod(path, 0755) < 0)
		return -1;
	free(path);
	path = pmg_path_join(root, ".local/state/pmg/ledger.db");
	(void)snprintf(record.id, sizeof record.id, "r-19700101-0001");
	record.tool = pmg_xstrdup("npm");
	record.cwd = pmg_path_join(root, "project");
	record.profile = pmg_xstrdup("npm");
	deny(&record, "/h/.ssh/id_x", NULL, true);
	deny(&record, "/p/build/a", "write=${PROJECT}/build/a", false);
	deny(&record, "/p/build/b", "write=${PROJECT}/build/b", false);
	return pmg_ledger_write(path, &record, &keep, &err) < 0 ? -1 : add_other_run(path, &keep);
}

static int remove_root(void **state)
{
	(void)state;
	folder_free(root);
	return 0;
}

static int play(const char *const *argv)
{
	pmg_autofree char *project = pmg_path_join(root, "project");
	pmg_autofree char *editor = NULL;
	char *copy[16];
	size_t n;

	for (n = 0; argv[n] && n < 15; n++)
		copy[n] = pmg_xstrdup(argv[n]); /* the child ends */
	copy[n] = NULL;
	if (clearenv() != 0 || setenv("HOME", root, 1) != 0 || chdir(project) < 0)
		return 99;
	(void)setenv("PATH", "/usr/bin:/bin", 1);
	editor = pmg_path_join(root, "bin/edit");
	(void)setenv("VISUAL", editor, 1);
	(void)setenv("TMPDIR", root, 1);
	if (!freopen("/dev/null", "r", stdin)) /* nobody is asked */
		return 99;
	return pmg_front_main(copy);
}

/* What is said must begin with `said`, or with "*" in front have it somewhere; "": nothing is. */
static const struct {
	const char *argv[12];
	int status;
	const char *said;
} rows[] = {
	{ { "pmg", "sandbox", "allow" }, 121, "pmg: nothing to allow\n" },
	{ { "pmg", "sandbox", "allow", "--all" }, 121, "pmg: nothing to allow\n" },
	{ { "pmg", "sandbox", "allow", "--all", "read=x" }, 121, "pmg: --all goes with --last\n" },
	{ { "pmg", "sandbox", "allow", "--last", "read=x" },
	  121,
	  "pmg: either TYPE=VALUE or --last\n" },
	{ { "pmg", "sandbox", "allow", "--expires=soon", "read=x" },
	  121,
	  "pmg: --expires is no duration: soon\n" },
	{ { "pmg", "sandbox", "allow", "raed=x" }, 121, "*did you mean" },
	{ { "pmg", "sandbox", "allow", "--for=nmp", "read=x" }, 121, "*did you mean \"npm\"?" },
	{ { "pmg", "sandbox", "allow", "exec=sh" }, 121, "*PATH is exec=/" },
	{ { "pmg", "sandbox", "allow", "read=$HOME/x" }, 121, "*\"$\" begins a variable" },
	{ { "pmg", "sandbox", "allow", "read=/" }, 121, "pmg: /** is all of the machine\n" },
	{ { "pmg", "sandbox", "allow", "--force", "read=/" }, 0, "*: read=/\n" },
	{ { "pmg", "sandbox", "allow", "--remove", "read=/" }, 0, "pmg: no longer" },
	{ { "pmg", "sandbox", "project", "show", "/nope" }, 121, "pmg: /nope is no folder" },
	{ { "pmg", "sandbox", "preset", "lint", "vit" }, 121, "*did you mean \"vite\"?" },
	{ { "pmg", "sandbox", "preset", "lint", "vite" }, 0, "" },
	{ { "pmg", "sandbox", "allow", "write=${HOME}/.ssh/x" }, 121, "*--force" },
	{ { "pmg", "sandbox", "allow", "--remove", "write=build" }, 121, "*is not among" },
	{ { "pmg", "sandbox", "allow", "--reason=test", "--for=npm", "write=build" },
	  0,
	  "*: write=build\n" },
	{ { "pmg", "sandbox", "profile", "show", "--resolved", "npm" }, 0, "*/project/build" },
	{ { "pmg", "sandbox", "allow", "--remove", "write=build" }, 0, "pmg: no longer allowed" },
	{ { "pmg", "sandbox", "allow", "--last", "--all" },
	  121,
	  "pmg: /h/.ssh/id_x was touched in the last run" },
	{ { "pmg", "sandbox", "allow", "--last" }, 121, "pmg: /h/.ssh/id_x was touched" },
	{ { "pmg", "sandbox", "allow", "--last", "--all", "--force" },
	  0,
	  "pmg: /h/.ssh/id_x stays closed" },
	{ { "pmg", "sandbox", "allow", "--last", "--force" }, 0, "*: write=/h/.ssh/id_x\n" },
	{ { "pmg", "sandbox", "allow", "--remove", "write=/h/.ssh/id_x" }, 0, "pmg: no longer" },
	{ { "pmg", "sandbox", "allow", "--expires=7d", "--for=pnpm", "--force", "env=NPM_TOKEN" },
	  0,
	  "*: env=NPM_TOKEN\n" },
	{ { "pmg", "sandbox", "allow", "env=NPM_TOKEN" }, 121, "*--force" }, /* no less one now */
	{ { "pmg", "sandbox", "project", "show" }, 0, "*\nenv    NPM_TOKEN " },
	{ { "pmg", "sandbox", "project", "show", "--json", "../project" }, 0, "*\"live\":true" },
	{ { "pmg", "sandbox", "project", "list" }, 0, "REPOSITORY" },
	{ { "pmg", "sandbox", "project", "reset", "gone" },
	  121,
	  "pmg: gone is no folder, and nothing is allowed there\n" },
	{ { "pmg", "sandbox", "project", "reset" }, 0, "*allow --for pnpm env=NPM_TOKEN  # until" },
	{ { "pmg", "sandbox", "project", "show" }, 0, "pmg: nothing is allowed in " },
	{ { "pmg", "sandbox", "project", "list", "--json" }, 0, "[]\n" },
	{ { "pmg", "sandbox", "allow", "--preset=git", "write=build/b" }, 0, "*: preset=git\n" },
	{ { "pmg", "sandbox", "allow", "preset=gti" }, 121, "pmg: no preset \"gti\"" },
	{ { "pmg", "sandbox", "allow", "preset=git" }, 0, "*: preset=git\n" },
	{ { "pmg", "sandbox", "profile", "show", "--json", "exec" }, 0, "*/project/build/b\"" },
	{ { "pmg", "sandbox", "check" }, 121, "pmg: nothing is asked\n" },
	{ { "pmg", "--no-sandbox", "sandbox", "check", "--read=x" },
	  121,
	  "pmg: with --no-sandbox" },
	{ { "pmg", "sandbox", "check", "--read=package.json", "--exec=sh" }, 0, "read /" },
	{ { "pmg", "sandbox", "check", "--read=../.ssh/x" }, 1, "*/.ssh/x: denied [PMG2001] by " },
	{ { "pmg", "sandbox", "check", "--write=build/b", "--write=src/x" },
	  1,
	  "*/src/x: denied [PMG2002]: no rule allows it\n  this would allow it: pmg sandbox "
	  "allow" },
	{ { "pmg", "sandbox", "check", "--write=build/b" }, 0, "*overlay" },
	{ { "pmg", "--sandbox-allow=write=src/x", "sandbox", "check", "--write=src/x" },
	  0,
	  "*(flag: --sandbox-allow)\n" },
	{ { "pmg", "sandbox", "check", "--write=package.json" }, 1, "*denied [PMG2002]" },
	{ { "pmg", "sandbox", "check", "--role=manager", "--write=package.json" }, 0, "write /" },
	{ { "pmg", "sandbox", "check", "--profile=exec", "--write=package.json" }, 0, "write /" },
	{ { "pmg", "sandbox", "check", "--write=package.json", "--", "sh", "x" }, 0, "write /" },
	{ { "pmg", "sandbox", "check", "--env=MY_TOKEN", "--env=X" },
	  1,
	  "*allow it: pmg sandbox allow --force env=MY_TOKEN\nenv X: allowed\n" },
	{ { "pmg", "sandbox", "check", "--unix=/run/docker.sock" },
	  1,
	  "unix /run/docker.sock: denied [PMG2013] by " },
	{ { "pmg", "sandbox", "check", "--exec=no-such-program", "--json" },
	  1,
	  "[{\"access\":\"exec\",\"role\":\"script\"" },
	{ { "pmg", "sandbox", "check", "--profile=nmp", "--read=x" },
	  121,
	  "pmg: [PMG2106] no profile \"nmp\"\npmg: did you mean \"npm\"?" },
	{ { "pmg", "sandbox", "check", "--role=user", "--read=x" },
	  121,
	  "*pmg: it takes manager|script\n" },
	/* What no run takes is answered by no answer. */
	{ { "pmg", "sandbox", "check", "--profile=./own.yml", "--read=x" },
	  121,
	  "*own.yml lies in the project\n" },
	{ { "pmg", "sandbox", "check", "--profile=../open.yml", "--read=x" },
	  120,
	  "pmg: [PMG2107] " },
	{ { "pmg", "sandbox", "profile", "show", "npm" }, 0, "*schema_version: 1\n" },
	{ { "pmg", "sandbox", "profile", "show", "--plan", "pip" }, 0, "*\nfingerprint: " },
	{ { "pmg", "sandbox", "profile", "show", "--driver=full", "--json", "npm" },
	  -1, /* as the machine is */
	  "*{\"driver\":\"full\",\"usable\":" },
	{ { "pmg", "sandbox", "profile", "show", "--driver=x", "npm" },
	  121,
	  "pmg: no driver \"x\"\n" },
	{ { "pmg", "sandbox", "profile", "list" }, 0, "NAME " },
	{ { "pmg", "sandbox", "profile", "list", "--json" }, 0, "[{\"name\":\"base-node\"" },
	{ { "pmg", "sandbox", "profile", "init", "ours" }, 121, "pmg: --from BASE is needed\n" },
	{ { "pmg", "sandbox", "profile", "init", "--from=nmp", "ours" },
	  121,
	  "pmg: no profile \"nmp\"\npmg: did you mean \"npm\"?" },
	{ { "pmg", "sandbox", "profile", "init", "--from=npm", "npm" },
	  121,
	  "pmg: \"npm\" is built in, and would win\n" },
	{ { "pmg", "sandbox", "profile", "init", "--from=npm", "a b" },
	  121,
	  "pmg: a name is 1 to" },
	{ { "pmg", "sandbox", "profile", "init", "--from=npm", "--description=our: own", "ours" },
	  0,
	  "*/.config/pmg/profiles/ours.yml\n" },
	{ { "pmg", "sandbox", "profile", "init", "--from=npm", "ours" },
	  121,
	  "*ours.yml is there already\npmg: \"pmg sandbox profile edit ours\"" },
	{ { "pmg", "sandbox", "profile", "init", "--from=ours", "more" },
	  121,
	  "pmg: \"ours\" is not built in" },
	{ { "pmg", "sandbox", "profile", "list" }, 0, "*our: own" },
	{ { "pmg", "sandbox", "profile", "lint", "--strict", "ours", "npm" }, 0, "" },
	{ { "pmg", "sandbox", "profile", "lint", "nmp" },
	  121,
	  "nmp: error: no profile \"nmp\" (did you mean \"npm\"?)\n" },
	{ { "pmg", "sandbox", "profile", "lint", "../loose.yml" }, 0, "" },
	{ { "pmg", "sandbox", "profile", "lint", "--strict", "../loose.yml" },
	  1,
	  "../loose.yml:4:27: warning: \"${HOME}/**\": is all of the home (name the folders" },
	{ { "pmg", "sandbox", "profile", "lint", "--json", "../loose.yml", "../broken.yml" },
	  121,
	  "[{\"file\":\"../broken.yml\",\"line\":4,\"column\":1,\"severity\":\"error\"" },
	{ { "pmg", "sandbox", "profile", "diff", "ours", "npm" },
	  0,
	  "pmg: ours and npm allow the" },
	{ { "pmg", "sandbox", "profile", "diff", "npm", "pnpm" },
	  0,
	  "pnpm allows more than npm:\n+ " },
	{ { "pmg", "sandbox", "profile", "diff", "--json", "exec", "npm" },
	  0,
	  "{\"a\":\"exec\",\"b\":\"npm\",\"more\":[{\"access\":\"read\"" },
	{ { "pmg", "sandbox", "profile", "diff", "npm", "nmp" }, 121, "pmg: [PMG2106] no profile" },
	{ { "pmg", "sandbox", "profile", "edit", "npm" }, 121, "pmg: \"npm\" is built in" },
	{ { "pmg", "sandbox", "profile", "edit", "nmp" }, 121, "pmg: no profile \"nmp\"\n" },
	{ { "pmg", "sandbox", "profile", "edit", "../loose.yml" },
	  121,
	  "pmg: \"../loose.yml\" is the file ../loose.yml\n" },
	{ { "pmg", "sandbox", "profile", "edit", "ours" }, 0, "*ours.yml is as it was\n" },
	{ { "pmg", "sandbox", "profile", "show", "nmp" },
	  121,
	  "pmg: [PMG2106] no profile \"nmp\"\n" },
	{ { "pmg", "sandbox", "profile", "show", "--plan", "nmp" },
	  121,
	  "pmg: [PMG2106] no profile \"nmp\"\n" },
};

/* In this order: what one makes the next one finds. */
static const struct {
	const char *argv[12];
	int status;
	const char *said;
} presets[] = {
	{ { "pmg", "sandbox", "preset", "list" }, 0, "*\nvite " },
	{ { "pmg", "sandbox", "preset", "list", "--label=browser" }, 0, "*\nplaywright  built in" },
	{ { "pmg", "sandbox", "preset", "list", "--label=none" }, 0, "" },
	{ { "pmg", "sandbox", "preset", "show", "vite" }, 0, "schema_version: 1\nkind: preset\n" },
	{ { "pmg", "sandbox", "preset", "show", "--json", "vite" },
	  0,
	  "*{\"access\":\"write\",\"value\":\"${TREE}/dist/**\",\"line\":" },
	{ { "pmg", "sandbox", "preset", "show", "vtie" },
	  121,
	  "pmg: no preset \"vtie\"\npmg: did you mean \"vite\"?\n" },
	{ { "pmg", "sandbox", "preset", "init", "vite" }, 121, "pmg: \"vite\" is built in" },
	{ { "pmg", "sandbox", "preset", "init", "../x" }, 121, "pmg: a name is 1 to 64 letters" },
	{ { "pmg", "sandbox", "preset", "init", "--label=a b", "x" }, 121, "*\"labels\" must be" },
	{ { "pmg", "sandbox", "preset", "init", "--author=Ann \"A\"", "--label=acme", "--label=x",
	    "--description=for: acme", "acme" },
	  0,
	  "*/.config/pmg/presets/acme.yml\n" },
	{ { "pmg", "sandbox", "preset", "init", "acme" }, 121, "*acme.yml is there already\n" },
	{ { "pmg", "sandbox", "preset", "lint", "--strict", "../.config/pmg/presets/acme.yml" },
	  0,
	  "" },
	{ { "pmg", "sandbox", "preset", "list", "--author=Ann \"A\"" },
	  0,
	  "*acme  yours  Ann \"A\"  acme, x  for: acme\n" },
	{ { "pmg", "sandbox", "preset", "list", "--label=acme", "--json" },
	  0,
	  "[{\"name\":\"acme\",\"official\":false,\"shadowed\":false,\"path\":\"" },
	{ { "pmg", "sandbox", "preset", "show", "acme" }, 0, "*# Threat notes" },
	{ { "pmg", "sandbox", "preset", "lint", "odd.yml" },
	  0,
	  "odd.yml:3:7: warning: the file is found as \"odd\", whatever its \"name\" says\n" },
	{ { "pmg", "sandbox", "preset", "lint", "--strict", "odd.yml" },
	  1,
	  "odd.yml:3:7: warning: " },
	{ { "pmg", "sandbox", "preset", "lint", "odd.yml", "bad.yml", "none.yml" },
	  121,
	  "*bad.yml:4:1: error: unknown key \"filesytem\" (did you mean \"filesystem\"?)\n"
	  "bad.yml:5:25: error: \"allow_bind\": " },
	{ { "pmg", "sandbox", "preset", "lint", "none.yml" }, 121, "none.yml: error: " },
	{ { "pmg", "sandbox", "preset", "lint", "--json", "bad.yml" },
	  121,
	  "*{\"file\":\"bad.yml\",\"line\":4,\"column\":1,\"severity\":\"error\"," },
	{ { "pmg", "sandbox", "preset", "edit", "vite" }, 121, "pmg: \"vite\" is built in and" },
	{ { "pmg", "sandbox", "preset", "edit", "acem" }, 121, "*did you mean \"acme\"?" },
	{ { "pmg", "sandbox", "preset", "edit", "acme" }, 0, "*/presets/acme.yml is written\n" },
	{ { "pmg", "sandbox", "preset", "edit", "acme" }, 0, "*/presets/acme.yml is as it was\n" },
	{ { "pmg", "sandbox", "preset", "show", "acme" }, 0, "*name: acme\ndescription: edited\n" },
	{ { "pmg", "sandbox", "preset", "edit", "git" },
	  121,
	  "*/presets/git.yml is not used: a built-in one has its name\n" },
	{ { "pmg", "sandbox", "preset", "edit", "git" },
	  121,
	  "*nothing was changed, your text is in" },
	{ { "pmg", "sandbox", "preset", "edit", "git" }, 121, "*pmg: [PMG2106] " },
	{ { "pmg", "sandbox", "preset", "list" }, 0, "*not used: a built-in one has its name\n" },
	{ { "pmg", "sandbox", "allow", "preset=acme" }, 0, "*: preset=acme\n" },
};

static bool is_said(const char *said, const char *expected)
{
	if (*expected == '*')
		return strstr(said, expected + 1) != NULL;
	return *expected ? pmg_str_has_prefix(said, expected) : said[0] == '\0';
}

static void presets_are_listed_checked_made_and_edited(void **state)
{
	static const char editor[] = "#!/bin/sh\ncase $1 in */git.yml) echo nonsense >\"$1\" ;;\n"
				     "*) sed -i 's/^description.*/description: edited/' \"$1\" ;;\n"
				     "esac\n";
	static char said[262144];
	pmg_autofree char *path = pmg_path_join(root, "bin/edit");
	size_t i;

	(void)state;
	folder_write(root, "bin/edit", editor, strlen(editor));
	assert_int_equal(chmod(path, 0755), 0);
	folder_write(root, "project/odd.yml", ODD, strlen(ODD));
	folder_write(root, "project/bad.yml", BAD, strlen(BAD));
	folder_write(root, ".config/pmg/presets/git.yml", ODD, strlen(ODD));
	for (i = 0; i < PMG_ARRAY_LEN(presets); i++) {
		const char *expected = presets[i].said;
		int status = said_by(play, presets[i].argv, -1, said, sizeof said);

		if (status != presets[i].status || !is_said(said, expected))
			fail_msg("row %zu: %d: %s", i, status, said);
	}
}

static void command_lines_do_what_they_say(void **state)
{
	static char said[262144];
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const char *expected = rows[i].said;
		int status = said_by(play, rows[i].argv, -1, said, sizeof said);

		if ((rows[i].status >= 0 && status != rows[i].status) || !is_said(said, expected))
			fail_msg("row %zu: %d: %s", i, status, said);
	}
}

static void the_doctor_says_for_each_wall_whether_it_works(void **state)
{
	static const char *const argv[] = { "pmg", "sandbox", "doctor", "--json", NULL };
	static char said[65536];
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const struct json_t *driver;
	int status = said_by(play, argv, -1, said, sizeof said);

	(void)state;
	assert_int_equal(pmg_json_parse("doctor", said, strlen(said), &json, &err), 0);
	driver = pmg_json_at(json, 0);
	assert_string_equal(pmg_json_str(driver, "driver"), "full");
	assert_int_equal(status, pmg_json_bool(driver, "usable") ? 0 : 1);
	assert_true(pmg_json_len(pmg_json_get(driver, "items")) > 0);
}

static const struct json_t *item_of(const struct json_t *driver, const char *id)
{
	const struct json_t *items = pmg_json_get(driver, "items");
	size_t i;

	for (i = 0; i < pmg_json_len(items); i++)
		if (pmg_streq(pmg_json_str(pmg_json_at(items, i), "id"), id))
			return pmg_json_at(items, i);
	return NULL;
}

static void the_doctor_says_what_is_wrong_with_configuration(void **state)
{
	static const char bad[] = "schema_version: 1\ntrusted_packages: [{purl: 'left-pad'}]\n";
	static const char *const argv[] = { "pmg", "sandbox", "doctor", "--json", NULL };
	static char said[65536];
	pmg_autofree char *path = pmg_path_join(root, ".config/pmg/config.yml");
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const struct json_t *item;
	int status;

	(void)state;
	folder_write(root, ".config/pmg/config.yml", bad, strlen(bad));
	status = said_by(play, argv, -1, said, sizeof said);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(status, 1);
	assert_int_equal(pmg_json_parse("doctor", said, strlen(said), &json, &err), 0);
	item = item_of(pmg_json_at(json, 0), "config");
	assert_non_null(item);
	assert_false(pmg_json_bool(item, "works"));
	assert_non_null(strstr(pmg_json_str(item, "detail"),
			       "config.yml:2:20: trusted_packages: package URL \"left-pad\""));
	item = item_of(pmg_json_at(json, 0), "intel.index");
	assert_string_equal(pmg_json_str(item, "detail"),
			    "not looked at: mend the configuration first");
}

static void the_doctor_names_links_that_lead_out_and_where_tools_lie(void **state)
{
	static const char *const argv[] = { "pmg", "sandbox", "doctor", "--json", NULL };
	static char said[65536];
	pmg_auto(json) struct json_t *json = NULL;
	pmg_autofree char *link_path = pmg_path_join(root, "project/out");
	pmg_autofree char *target = pmg_path_join(root, "loose.yml");
	pmg_autofree char *real = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const struct json_t *pairs, *tools;
	size_t i;

	(void)state;
	assert_int_equal(symlink("../loose.yml", link_path), 0);
	(void)said_by(play, argv, -1, said, sizeof said);
	assert_int_equal(pmg_json_parse("doctor", said, strlen(said), &json, &err), 0);
	pairs = pmg_json_get(item_of(pmg_json_at(json, 0), "links.escape"), "pairs");
	assert_int_equal(pmg_json_len(pairs), 1);
	assert_string_equal(pmg_json_str(pmg_json_at(pairs, 0), "kind"), "symlink");
	assert_string_equal(pmg_json_str(pmg_json_at(pairs, 0), "path"), link_path);
	assert_string_equal(pmg_json_str(pmg_json_at(pairs, 0), "target"), target);
	tools = pmg_json_get(item_of(pmg_json_at(json, 0), "tools"), "tools");
	assert_true(pmg_json_is_array(tools));
	for (i = 0; i < pmg_json_len(tools); i++) {
		real = pmg_path_real(pmg_json_str(pmg_json_at(tools, i), "path"));
		assert_string_equal(pmg_json_str(pmg_json_at(tools, i), "real"), real);
		free(pmg_steal_ptr(&real));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines_do_what_they_say),
		cmocka_unit_test(presets_are_listed_checked_made_and_edited),
		cmocka_unit_test(the_doctor_says_for_each_wall_whether_it_works),
		cmocka_unit_test(the_doctor_says_what_is_wrong_with_configuration),
		cmocka_unit_test(the_doctor_names_links_that_lead_out_and_where_tools_lie),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
