#include "run/prepare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/str.h"
#include "tests/helper/folder.h"

#define V1 "schema_version: 1\n"

/* A home with a project, below /tmp: the build folder is in a repository itself. What managed
 * policy does to each is in test_run_bounds and test_conf_narrow; here there is none. */
struct scene {
	char *top, *project;
	struct pmg_strv env;
};

static void begin(struct scene *s)
{
	pmg_autofree char *real = NULL;
	char *top = pmg_xstrdup("/tmp/pmg-test.XXXXXX");

	*s = (struct scene){ .top = top };
	assert_non_null(mkdtemp(top));
	real = pmg_path_real(top);
	assert_non_null(real);
	s->project = pmg_path_join(top, "home/p");
	folder_write(top, "home/p/package.json", "{}", 2);
	pmg_strv_addf(&s->env, "HOME=%s/home", real);
	pmg_strv_add(&s->env, "PATH=/usr/bin:/bin");
	assert_int_equal(chdir(s->project), 0);
}

static void end(struct scene *s)
{
	assert_int_equal(chdir("/"), 0);
	folder_free(s->top);
	free(s->project);
	pmg_strv_done(&s->env);
}

static void put(const struct scene *s, const char *name, const char *text)
{
	pmg_autofree char *all = pmg_xasprintf(V1 "%s", text);
	pmg_autofree char *path = pmg_path_join(s->top, name);

	if (text[0])
		folder_write(s->top, name, all, strlen(all));
	else
		(void)remove(path);
}

#define CONFIG  "home/.config/pmg/config.yml"
#define PROJECT "home/p/.pmg.yml"
#define ON      "sandbox: {enabled: true}\n"
#define OFF     "sandbox: {enabled: false}\n"
#define NO_EXEC "sandbox: {policies: {exec: {enabled: false}}}\n"

/* Command line > project's file > config.yml > default. */
static const struct {
	const char *config, *project;
	bool no_sandbox, walls;
} walls[] = {
	{ "", "", false, true },       { OFF, "", false, false }, { ON, "", false, true },
	{ NO_EXEC, "", false, false }, { "", ON, false, true },   { OFF, ON, false, true },
	{ NO_EXEC, ON, false, true },  { "", "", true, false },   { ON, "", true, false },
	{ "", ON, true, false },       { OFF, ON, true, false },
};

static void walls_are_as_the_strongest_says(void **state)
{
	char sh[] = "sh", *argv[] = { sh, NULL };
	struct scene s;
	size_t i;

	(void)state;
	begin(&s);
	for (i = 0; i < PMG_ARRAY_LEN(walls); i++) {
		const struct pmg_run_want want = { .tool = sh,
						   .argv = argv,
						   .command = true,
						   .env = &s.env,
						   .no_sandbox = walls[i].no_sandbox };
		pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
		pmg_auto(config) struct pmg_config config = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		put(&s, CONFIG, walls[i].config);
		put(&s, PROJECT, walls[i].project);
		assert_int_equal(pmg_prepare_program(&want, &prepared, &err), 0);
		assert_int_equal(pmg_prepare_config(&want, &prepared, &config, &err), 0);
		if (prepared.walls != walls[i].walls)
			fail_msg("row %zu: %d", i, prepared.walls);
	}
	end(&s);
}

/* Command line > config.yml > the manager's own. */
static const struct {
	const char *config, *typed;
	const char *profile; /* or what the error says */
} profiles[] = {
	{ "", NULL, "exec" },
	{ "", "mine", "mine" },
	{ "sandbox: {policies: {exec: {profile: mine}}}\n", NULL, "mine" },
	{ "sandbox: {policies: {exec: {profile: mine}}}\n", "exec", "exec" },
	{ "sandbox: {policies: {npm: {profile: mine}}}\n", NULL, "exec" },
	{ "sandbox: {policies: {exec: {profile: named}}, policy_templates: {named: {path: "
	  "../../p/in.yml}}}\n",
	  NULL, "in" },
	{ "", "../out.yml", "out" },
	/* Whoever wrote the project wrote it. */
	{ "", "./in.yml", "/in.yml lies in the project" },
};

static void a_profile_is_as_the_strongest_says_and_not_the_projects(void **state)
{
	char sh[] = "sh", *argv[] = { sh, NULL };
	struct scene s;
	size_t i;

	(void)state;
	begin(&s);
	put(&s, PROJECT, "");
	put(&s, "home/.config/pmg/profiles/mine.yml", "name: mine\ninherits: exec\n");
	put(&s, "home/p/in.yml", "name: in\ninherits: exec\n");
	put(&s, "home/out.yml", "name: out\ninherits: exec\n");
	for (i = 0; i < PMG_ARRAY_LEN(profiles); i++) {
		const struct pmg_run_want want = { .tool = sh,
						   .argv = argv,
						   .command = true,
						   .env = &s.env,
						   .profile = profiles[i].typed };
		pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
		pmg_auto(config) struct pmg_config config = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		put(&s, CONFIG, profiles[i].config);
		assert_int_equal(pmg_prepare_program(&want, &prepared, &err), 0);
		assert_int_equal(pmg_prepare_config(&want, &prepared, &config, &err), 0);
		r = pmg_prepare_facts(&want, &config, NULL, 0, &prepared, &err);
		if (profiles[i].profile[0] == '/') {
			assert_int_equal(r, -PMG_E_CONFIG);
			assert_non_null(strstr(err.msg, profiles[i].profile));
			continue;
		}
		if (r < 0)
			fail_msg("row %zu: %s", i, err.msg);
		assert_string_equal(prepared.policy->profile, profiles[i].profile);
	}
	end(&s);
}

/* Each kind of file that may allow something, and its folder. */
static const struct {
	const char *path, *text;
} files[] = {
	{ CONFIG, "verbosity: normal\n" },
	{ "home/.config/pmg/profiles/mine.yml", "name: mine\ninherits: exec\npresets: [own]\n" },
	{ "home/.config/pmg/presets/own.yml", "kind: preset\nname: own\n" },
	{ "home/t/named.yml", "name: named\ninherits: exec\n" },
	{ NULL, "entries: []\n" }, /* the overlay of the project */
};

static int prepare(const struct scene *s, const char *profile, struct pmg_err *err)
{
	char sh[] = "sh", *argv[] = { sh, NULL };
	const struct pmg_run_want want = {
		.tool = sh, .argv = argv, .command = true, .env = &s->env, .profile = profile
	};
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };

	return pmg_prepare_policy(&want, &prepared, err);
}

static void what_others_could_have_written_allows_nothing(void **state)
{
	static const mode_t modes[] = { 0666, 0620, 0602 };
	struct scene s;
	size_t i, k;

	(void)state;
	begin(&s);
	for (i = 0; i < PMG_ARRAY_LEN(files); i++) {
		pmg_autofree char *real = pmg_path_real(s.project);
		pmg_autofree char *overlay = NULL;
		pmg_autofree char *text = NULL;
		pmg_autofree char *path = NULL;
		pmg_autofree char *dir = NULL;
		char hash[PMG_SHA256_HEX];
		const char *name = files[i].path;
		const char *profile = i == 3 ? "../t/named.yml" : i == 4 ? "exec" : "mine";
		struct pmg_err err = PMG_ERR_INIT;

		pmg_sha256_hex(real, strlen(real), hash);
		overlay = pmg_xasprintf("home/.config/pmg/overlays/%s.yml", hash);
		text = pmg_xasprintf("%s%s%s%s", name ? "" : "repository: ", name ? "" : real,
				     name ? "" : "\n", files[i].text);
		name = name ? name : overlay;
		for (k = 0; k < PMG_ARRAY_LEN(files) - 1; k++)
			put(&s, files[k].path, files[k].text);
		put(&s, name, text);
		path = pmg_path_join(s.top, name);
		dir = pmg_path_dir(path);
		if (prepare(&s, profile, &err) < 0)
			fail_msg("%s: %s", name, err.msg);
		for (k = 0; k < PMG_ARRAY_LEN(modes); k++) {
			assert_int_equal(chmod(path, modes[k]), 0);
			if (prepare(&s, profile, &err) != -PMG_E_CONFIG)
				fail_msg("%s, %o: it is believed", name, modes[k]);
			assert_non_null(strstr(err.msg, "can be written to by others"));
		}
		assert_int_equal(chmod(path, 0600), 0);
		assert_int_equal(chmod(dir, 0770), 0);
		if (prepare(&s, profile, &err) != -PMG_E_CONFIG)
			fail_msg("%s: its folder is believed", name);
		assert_int_equal(chmod(dir, 0700), 0);
	}
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walls_are_as_the_strongest_says),
		cmocka_unit_test(a_profile_is_as_the_strongest_says_and_not_the_projects),
		cmocka_unit_test(what_others_could_have_written_allows_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
