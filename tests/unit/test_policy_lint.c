#include "policy/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "policy/builtin.h"

#define PRESET  "schema_version: 1\nkind: preset\nname: x\ndescription: d\n"
#define PROFILE "schema_version: 1\nname: x\ndescription: d\n"

static const char *const tools[] = { "npm", "npx", "pip", NULL };

/* @param strict  of profiles */
static char *lint_as(enum pmg_library_kind kind, const char *file, const char *text, bool strict)
{
	const struct pmg_library library = { .config_dir = "/home/u/.config/pmg" };
	pmg_auto(findings) struct pmg_findings found = { 0 };
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(65536);
	size_t i, errors = 0;

	if (strict)
		pmg_lint_strict(&library, "/home/u", file, text, strlen(text), tools, &found);
	else
		pmg_lint(&library, "/home/u", kind, file, text, strlen(text), &found);
	for (i = 0; i < found.n; i++) {
		const struct pmg_finding *f = &found.v[i];

		errors += f->is_error;
		assert_int_equal(pmg_str_addf(&out, "%u:%u %s %s%s%s\n", f->line, f->column,
					      f->is_error ? "E" : "W", f->message,
					      f->hint ? " / " : "", f->hint ? f->hint : ""),
				 0);
	}
	assert_int_equal(errors, found.n_errors);
	return pmg_str_steal(&out);
}

static char *lint(enum pmg_library_kind kind, const char *file, const char *text)
{
	return lint_as(kind, file, text, false);
}

static const struct {
	enum pmg_library_kind kind;
	const char *file, *text;
	const char *lines[8]; /* each begins so, in this order */
} rows[] = {
	{ PMG_LIBRARY_PRESET, "x.yml", PRESET, { NULL } },
	{ PMG_LIBRARY_PRESET, "y.yml", PRESET, { "3:7 W the file is found as \"y\"" } },
	{ PMG_LIBRARY_PRESET,
	  "d/git.yml",
	  "schema_version: 1\nkind: preset\nname: git\n",
	  { "1:1 W no \"description\"", "3:7 W a built-in one has that name" } },
	/* All of it, not the first alone. */
	{ PMG_LIBRARY_PRESET,
	  "x.yml",
	  PRESET "filesytem: {}\nfilesystem:\n  allow_read: [a, \"${HOME}/.ssh/x\"]\n"
		 "  deny_read: [/x]\nnetwork: {allow_bind: [\"0.0.0.0:1\"]}\n"
		 "environment: {allow: [\"A*\", NPM_TOKEN]}\n",
	  { "5:1 E unknown key \"filesytem\" / did you mean \"filesystem\"?",
	    "7:16 E \"allow_read\": a path begins",
	    "7:19 E a preset does not open \"${HOME}/.ssh/x\"", "8:3 E unknown key \"deny_read\"",
	    "9:24 E \"allow_bind\": a preset listens", "10:23 E \"allow\": a preset names",
	    "10:29 W \"NPM_TOKEN\"" } },
	{ PMG_LIBRARY_PRESET,
	  "x.yml",
	  PRESET "filesystem: {allow_read: [\"${PROJCT}/x\", \"${HOME}/a${B}\"]}\n",
	  { "5:27 E ${PROJCT} is no variable of pmg", "5:42 E ${B} is no variable" } },
	{ PMG_LIBRARY_PRESET,
	  "x.yml",
	  PRESET "network: {allow_outbound: [\"*.cdn.test\"]}\n",
	  { "5:28 W \"*.cdn.test\": is every host below it" } },
	{ PMG_LIBRARY_PRESET,
	  "x.yml",
	  PRESET "environment: {allow: [NPM_TOKEN]}\n",
	  { "5:23 W \"NPM_TOKEN\": lets a credential through" } },
	{ PMG_LIBRARY_PRESET,
	  "x.yml",
	  PRESET "filesystem: {allow_write: [\"/a/**\"]}\nprocess: {allow_exec: [\"/a/**\"]}\n",
	  { "6:24 W \"/a/**\": may be written and started" } },
	{ PMG_LIBRARY_PRESET,
	  "x.yml",
	  PRESET "filesystem: {allow_read: [/a, /b, /a]}\n",
	  { "5:35 W \"/a\": is there twice" } },
	{ PMG_LIBRARY_PRESET, "x.yml", "schema_version: 1\n  kind: [\n", { "2:7 E " } },
	{ PMG_LIBRARY_PRESET, "x.yml", "- a\n", { "1:1 E not a mapping" } },
	{ PMG_LIBRARY_PRESET,
	  "x.yml",
	  "schema_version: 9\nname: x\ndescription: d\n",
	  { "1:1 E key \"kind\" is missing", "1:17 E \"schema_version\" must be 1" } },
	{ PMG_LIBRARY_PROFILE, "x.yml", PROFILE "inherits: npm\n", { NULL } },
	{ PMG_LIBRARY_PROFILE,
	  "x.yml",
	  PROFILE "inherits: nmp\n",
	  { "4:11 E \"inherits\" must name a built-in profile / did you mean \"npm\"?" } },
	{ PMG_LIBRARY_PROFILE,
	  "x.yml",
	  PROFILE "inhertis: npm\nnetwork: {allow_bind: [\"localhost:99999\"]}\n",
	  { "4:1 E unknown key \"inhertis\"", "5:24 E \"allow_bind\"" } },
};

static void all_findings_are_told_in_their_order(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *got = lint(rows[i].kind, rows[i].file, rows[i].text);
		const char *p = got;

		for (k = 0; k < PMG_ARRAY_LEN(rows[i].lines) && rows[i].lines[k]; k++) {
			if (!pmg_str_has_prefix(p, rows[i].lines[k]))
				fail_msg("row %zu: %s", i, got);
			p = strchr(p, '\n') + 1;
		}
		if (*p)
			fail_msg("row %zu: more than that: %s", i, got);
	}
}

/* Where browsers are, what is written there is started: their threat notes say so. */
static void what_is_official_has_no_errors(void **state)
{
	const struct pmg_builtin *b;

	(void)state;
	for (b = pmg_builtins; b->name; b++) {
		pmg_autofree char *file = pmg_xasprintf("presets/%s.yml", b->name);
		pmg_autofree char *got = NULL;
		const char *p;

		if (strcmp(b->kind, "preset") != 0)
			continue;
		got = lint(PMG_LIBRARY_PRESET, file, b->text);
		for (p = got; *p; p = strchr(p, '\n') + 1)
			if (strchr(p, ' ')[1] != 'W' ||
			    (!strstr(p, "a built-in one has that name") && !strstr(p, "/.cache/")))
				fail_msg("%s: %s", b->name, got);
		if (!strstr(b->text, "# Threat notes."))
			fail_msg("%s has no threat notes", b->name);
	}
}

#define FILES PROFILE "filesystem: "
#define ENV   PROFILE "environment: "
#define EXEC  PROFILE "process: "

/* What --strict says of a profile, and that nothing of it is said without. */
static const struct {
	const char *text;
	const char *said; /* with its place; NULL: nothing */
} strict_rows[] = {
	{ FILES "{allow_read: [\"${HOME}/.config/x/**\"]}\n", NULL },
	{ FILES "{allow_read: [\"${HOME}/**\"]}\n",
	  "4:27 W \"${HOME}/**\": is all of the home / name the folders" },
	{ FILES "{allow_read: [\"/**\"]}\n", "4:27 W \"/**\": is all of the home" },
	{ FILES "{allow_read: [\"${HOME}/*\"]}\n", "4:27 W \"${HOME}/*\": is all of the home" },
	{ FILES "{allow_write: [\"${PROJECT}/**\"]}\n",
	  "4:28 W \"${PROJECT}/**\": is all of the project" },
	{ FILES "{allow_read: [\"${PROJECT}/**\"]}\n", NULL },
	{ FILES "{allow_read: [\"${HOME}/.ssh/**\"]}\n",
	  "4:27 W \"${HOME}/.ssh/**\": allows nothing: /home/u/.ssh/** is closed (mandatory: " },
	{ FILES "{allow_read: [\"${HOME}/.ssh/id_x\"]}\n", NULL }, /* by its name it opens */
	{ FILES "{allow_read: [\"${PROJECT}/**/.env\"]}\n",
	  "4:27 W \"${PROJECT}/**/.env\": allows nothing: " },
	{ FILES "{allow_read: [/a/b], deny_read: [/a]}\n",
	  NULL }, /* one path opens what a pattern denies */
	{ FILES "{allow_read: [\"/a/*\"], deny_read: [/a]}\n",
	  "4:27 W \"/a/*\": allows nothing: /a/** is closed (profile: " },
	/* Who runs it: the loader is in no folder that a profile on its own allows. */
	{ EXEC "{allow_exec: [/bin/sh]}\n", "4:24 W \"/bin/sh\": cannot be started: /lib" },
	{ PROFILE "inherits: npm\nprocess: {allow_exec: [/bin/sh]}\n", NULL },
	{ EXEC "{allow_exec: [/nowhere/x]}\n", NULL },
	{ PROFILE "package_managers: [npm, nmp]\n",
	  "4:25 W \"nmp\" is no package manager that pmg guards / did you mean \"npm\"?" },
	{ ENV "{allow: [PLAIN]}\n", "4:23 W \"PLAIN\": is not needed: it stays anyway" },
	{ ENV "{allow: [NODE_OPTIONS]}\n", NULL },
	{ ENV "{only_allowed: true, allow: [PLAIN]}\n", NULL },
	{ ENV "{deny: [PATH]}\n", "4:22 W \"PATH\": stays all the same" },
	{ ENV "{deny: [PLAIN]}\n", NULL },
	{ PROFILE "network: {allow_outbound: [\"169.254.169.254:80\"]}\n",
	  "4:28 W \"169.254.169.254:80\": allows nothing: " },
};

static void who_asks_for_it_is_warned_of_what_is_hardly_meant(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(strict_rows); i++) {
		const char *said = strict_rows[i].said;
		pmg_autofree char *strictly =
			lint_as(PMG_LIBRARY_PROFILE, "x.yml", strict_rows[i].text, true);
		pmg_autofree char *plainly =
			lint(PMG_LIBRARY_PROFILE, "x.yml", strict_rows[i].text);

		if (said ? !strictly || !pmg_str_has_prefix(strictly, said) ||
				    strchr(strictly, '\n')[1] != '\0'
			 : strictly != NULL && *strictly)
			fail_msg("row %zu: %s", i, strictly ? strictly : "");
		/* What cannot work at all is said to everybody. */
		if (said && strstr(said, "cannot be started")
			    ? !plainly || !pmg_str_has_prefix(plainly, said)
			    : plainly && *plainly)
			fail_msg("row %zu, not strictly: %s", i, plainly);
	}
}

/* What a run would refuse is an error without --strict too. */
static void rules_that_no_run_takes_are_errors(void **state)
{
	pmg_autofree char *got = lint(PMG_LIBRARY_PROFILE, "x.yml",
				      FILES "{allow_write: [\"${PROJECT}/.git/hooks/x\"]}\n");

	(void)state;
	assert_non_null(strstr(got, " E "));
	assert_non_null(strstr(got, "nothing opens git hooks"));
	assert_true(pmg_str_has_prefix(got, "4:"));
}

static void the_first_error_says_where_it_is(void **state)
{
	const struct pmg_library library = { .config_dir = "/home/u/.config/pmg" };
	static const char text[] = PRESET "netwrok: {}\nfilesystem: {allow_raed: []}\n";
	pmg_auto(findings) struct pmg_findings found = { 0 };
	pmg_auto(findings) struct pmg_findings none = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	pmg_lint(&library, "/home/u", PMG_LIBRARY_PRESET, "/c/x.yml", text, strlen(text), &found);
	assert_int_equal(pmg_findings_err(&found, "/c/x.yml", &err), -PMG_E_CONFIG);
	assert_string_equal(err.msg, "/c/x.yml:5:1: unknown key \"netwrok\"");
	assert_string_equal(err.hint, "did you mean \"network\"?");
	pmg_lint(&library, "/home/u", PMG_LIBRARY_PRESET, "/c/y.yml", PRESET, strlen(PRESET),
		 &none);
	assert_int_equal(none.n, 1);
	assert_int_equal(pmg_findings_err(&none, "/c/y.yml", &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_findings_are_told_in_their_order),
		cmocka_unit_test(what_is_official_has_no_errors),
		cmocka_unit_test(who_asks_for_it_is_warned_of_what_is_hardly_meant),
		cmocka_unit_test(rules_that_no_run_takes_are_errors),
		cmocka_unit_test(the_first_error_says_where_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
