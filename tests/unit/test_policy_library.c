#include "policy/library.h"

#include "building.h"

#include <sys/stat.h>

#define PRESET(name, more)  "schema_version: 1\nkind: preset\nname: " name "\n" more
#define PROFILE(name, more) "schema_version: 1\nname: " name "\n" more

static const struct pmg_library_item *item_of(const struct pmg_library_list *list, const char *name,
					      bool shadowed)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (strcmp(list->v[i].name, name) == 0 && list->v[i].shadowed == shadowed)
			return &list->v[i];
	fail_msg("%s is not in the list", name);
	return NULL;
}

/* A library with one of each: official, of config.yml, a file, and what has another's name. */
struct shelves {
	struct building b;
	struct pmg_config_template templates[2];
	struct pmg_library library;
};

static void begin(struct shelves *s)
{
	static char mine[] = "mine", pip[] = "pip";

	building_begin(&s->b, "npm", "npm");
	building_write(&s->b, "home/.config/pmg/profiles/mine.yml", PROFILE("mine", ""));
	building_write(&s->b, "home/.config/pmg/profiles/team.yml",
		       PROFILE("team", "description: for the team\ninherits: npm\n"
				       "package_managers: [npm, npx]\npresets: [git]\n"));
	building_write(&s->b, "home/.config/pmg/profiles/npm.yml", PROFILE("npm", ""));
	building_write(&s->b, "home/.config/pmg/profiles/.team.yml.swp", "");
	building_write(&s->b, "home/.config/pmg/profiles/team.yml~", "");
	building_write(&s->b, "home/elsewhere.yml", PROFILE("mine", "description: elsewhere\n"));
	building_write(&s->b, "home/.config/pmg/presets/git.yml", PRESET("git", ""));
	building_write(&s->b, "home/.config/pmg/presets/own.yml",
		       PRESET("own", "description: mine\n"
				     "metadata: {author: ann, labels: [vcs, x]}\n"));
	building_write(&s->b, "home/.config/pmg/presets/bad.yml",
		       PRESET("bad", "description: odd\nnetwrok: {}\n"));
	s->templates[0] = (struct pmg_config_template){
		.name = mine, .path = building_text(&s->b, "{home}/elsewhere.yml")
	};
	s->templates[1] =
		(struct pmg_config_template){ .name = pip,
					      .path = building_text(&s->b, "{home}/none.yml") };
	s->library = (struct pmg_library){ .config_dir = s->b.config,
					   .templates = s->templates,
					   .n_templates = 2 };
}

static void end(struct shelves *s)
{
	free(s->templates[0].path);
	free(s->templates[1].path);
	building_end(&s->b);
}

static void a_list_has_all_and_says_who_is_shadowed(void **state)
{
	pmg_auto(library_list) struct pmg_library_list profiles = { 0 };
	pmg_auto(library_list) struct pmg_library_list presets = { 0 };
	const struct pmg_library_item *item;
	struct pmg_err err = PMG_ERR_INIT;
	struct shelves s;
	size_t i;

	(void)state;
	begin(&s);
	assert_int_equal(pmg_library_all(&s.library, PMG_LIBRARY_PROFILE, &profiles, &err), 0);
	assert_int_equal(pmg_library_all(&s.library, PMG_LIBRARY_PRESET, &presets, &err), 0);
	for (i = 1; i < profiles.n; i++)
		assert_true(strcmp(profiles.v[i - 1].name, profiles.v[i].name) <= 0);
	item = item_of(&profiles, "team", false);
	assert_null(item->official);
	assert_null(item->error);
	assert_string_equal(item->description, "for the team");
	assert_string_equal(item->inherits, "npm");
	assert_string_equal(item->managers.v[1], "npx");
	assert_string_equal(item->presets.v[0], "git");
	assert_true(pmg_str_has_suffix(item->path, "/.config/pmg/profiles/team.yml"));
	item = item_of(&profiles, "npm", false);
	assert_non_null(item->official);
	assert_null(item->path);
	assert_string_equal(item->inherits, "base-node");
	assert_non_null(item_of(&profiles, "npm", true)->path);
	assert_string_equal(item_of(&profiles, "mine", false)->description, "elsewhere");
	assert_true(item_of(&profiles, "mine", false)->is_template);
	assert_false(item_of(&profiles, "mine", true)->is_template);
	assert_non_null(strstr(item_of(&profiles, "pip", true)->error, "none.yml"));
	assert_null(item_of(&profiles, "pip", false)->error);
	item = item_of(&presets, "own", false);
	assert_string_equal(item->author, "ann");
	assert_string_equal(item->labels.v[0], "vcs");
	item = item_of(&presets, "git", true);
	assert_null(item->official);
	assert_null(item->error);
	item = item_of(&presets, "bad", false);
	assert_string_equal(item->description, "odd");
	assert_non_null(strstr(item->error, "presets/bad.yml:5:1: "));
	end(&s);
}

/* Each official one is as good as those of a user's. */
static void what_is_official_can_be_read(void **state)
{
	static const enum pmg_library_kind kinds[] = { PMG_LIBRARY_PROFILE, PMG_LIBRARY_PRESET };
	const struct pmg_library library = { .config_dir = "/nonexistent" };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, k;

	(void)state;
	for (k = 0; k < PMG_ARRAY_LEN(kinds); k++) {
		pmg_auto(library_list) struct pmg_library_list list = { 0 };

		assert_int_equal(pmg_library_all(&library, kinds[k], &list, &err), 0);
		assert_true(list.n > 0);
		for (i = 0; i < list.n; i++) {
			if (list.v[i].error)
				fail_msg("%s", list.v[i].error);
			assert_non_null(list.v[i].official);
			assert_non_null(list.v[i].description);
		}
	}
}

static void a_name_is_looked_up_in_order(void **state)
{
	static const struct {
		enum pmg_library_kind kind;
		const char *name;
		bool official;
		const char *path;    /* NULL: none */
		const char *shadows; /* NULL: nothing */
	} rows[] = {
		{ PMG_LIBRARY_PROFILE, "npm", true, NULL, "{config}/profiles/npm.yml" },
		{ PMG_LIBRARY_PROFILE, "pip", true, NULL, "{home}/none.yml" },
		{ PMG_LIBRARY_PROFILE, "pnpm", true, NULL, NULL },
		{ PMG_LIBRARY_PROFILE, "mine", false, "{home}/elsewhere.yml",
		  "{config}/profiles/mine.yml" },
		{ PMG_LIBRARY_PROFILE, "team", false, "{config}/profiles/team.yml", NULL },
		{ PMG_LIBRARY_PROFILE, "./x.yml", false, "./x.yml", NULL },
		{ PMG_LIBRARY_PROFILE, "x.yml", false, "x.yml", NULL },
		{ PMG_LIBRARY_PRESET, "git", true, NULL, "{config}/presets/git.yml" },
		{ PMG_LIBRARY_PRESET, "own", false, "{config}/presets/own.yml", NULL },
		{ PMG_LIBRARY_PRESET, "bad", false, "{config}/presets/bad.yml", NULL },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct shelves s;
	size_t i;

	(void)state;
	begin(&s);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(library_item) struct pmg_library_item item = { 0 };
		pmg_autofree char *path = rows[i].path ? building_text(&s.b, rows[i].path) : NULL;
		pmg_autofree char *shadows =
			rows[i].shadows ? building_text(&s.b, rows[i].shadows) : NULL;
		pmg_autofree char *got = NULL;

		if (pmg_library_find(&s.library, rows[i].kind, rows[i].name, &item, &err) < 0)
			fail_msg("%s: %s", rows[i].name, err.msg);
		assert_int_equal(item.official != NULL, rows[i].official);
		if (!pmg_streq(item.path, path))
			fail_msg("%s is %s", rows[i].name, item.path);
		got = pmg_library_shadows(&s.library, &item);
		if (!pmg_streq(got, shadows))
			fail_msg("%s shadows %s", rows[i].name, got);
	}
	end(&s);
}

static void what_is_not_there_is_told_with_the_nearest(void **state)
{
	static const struct {
		enum pmg_library_kind kind;
		const char *name, *msg, *hint;
	} rows[] = {
		{ PMG_LIBRARY_PROFILE, "zzzzzz", "no profile \"zzzzzz\"",
		  "a file of yours would be" },
		{ PMG_LIBRARY_PROFILE, "taem", "no profile \"taem\"", "did you mean \"team\"?" },
		{ PMG_LIBRARY_PROFILE, "mien", "no profile \"mien\"", "did you mean \"mine\"?" },
		{ PMG_LIBRARY_PROFILE, "a b", "no profile \"a b\"", "" },
		{ PMG_LIBRARY_PRESET, "gti", "no preset \"gti\"", "did you mean \"git\"?" },
		{ PMG_LIBRARY_PRESET, "../x", "no preset \"../x\"", "" },
		{ PMG_LIBRARY_PRESET, "/etc/passwd", "no preset \"/etc/passwd\"", "" },
		{ PMG_LIBRARY_PRESET, "", "no preset \"\"", "" },
	};
	struct shelves s;
	size_t i;

	(void)state;
	begin(&s);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_library_item item = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(
			pmg_library_find(&s.library, rows[i].kind, rows[i].name, &item, &err),
			-PMG_E_NOTFOUND);
		assert_string_equal(err.msg, rows[i].msg);
		if (!strstr(err.hint, rows[i].hint))
			fail_msg("%s: %s", rows[i].name, err.hint);
		assert_null(item.name);
	}
	end(&s);
}

/* A run and the commands have one answer: what the library finds is what a policy is made of. */
static void a_run_takes_what_is_found(void **state)
{
	static const struct building_row team = { "read", "s", "{home}/acme/x", true };
	static const struct building_row npm = { "read", "s", "{home}/acme/x", false };
	pmg_auto(policy) struct pmg_policy *mine = NULL;
	pmg_auto(policy) struct pmg_policy *official = NULL;
	struct shelves s;

	(void)state;
	begin(&s);
	building_write(&s.b, "home/elsewhere.yml",
		       PROFILE("mine", "inherits: npm\nfilesystem: {allow_read: "
				       "[\"${HOME}/acme/**\"]}\n"));
	building_write(&s.b, "home/.config/pmg/profiles/npm.yml",
		       PROFILE("npm", "filesystem: {allow_read: [\"${HOME}/acme/**\"]}\n"));
	s.b.facts.templates = s.templates;
	s.b.facts.n_templates = 2;
	mine = building_policy(&s.b, "mine", NULL);
	building_ask(&s.b, mine, &team, 1);
	official = building_policy(&s.b, NULL, NULL);
	building_ask(&s.b, official, &npm, 1);
	assert_int_equal(official->notes.n, 1);
	assert_non_null(
		strstr(official->notes.v[0], "/profiles/npm.yml is not used: \"npm\" is built in"));
	end(&s);
}

static void a_file_of_others_is_in_the_list_with_its_error(void **state)
{
	pmg_auto(library_list) struct pmg_library_list list = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;
	struct shelves s;

	(void)state;
	begin(&s);
	path = building_text(&s.b, "{config}/presets/own.yml");
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(pmg_library_all(&s.library, PMG_LIBRARY_PRESET, &list, &err), 0);
	assert_non_null(strstr(item_of(&list, "own", false)->error, "can be written to by others"));
	assert_null(item_of(&list, "own", false)->author);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_has_all_and_says_who_is_shadowed),
		cmocka_unit_test(what_is_official_can_be_read),
		cmocka_unit_test(a_name_is_looked_up_in_order),
		cmocka_unit_test(what_is_not_there_is_told_with_the_nearest),
		cmocka_unit_test(a_run_takes_what_is_found),
		cmocka_unit_test(a_file_of_others_is_in_the_list_with_its_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
