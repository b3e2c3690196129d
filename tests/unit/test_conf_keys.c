#include "conf/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strv.h"

struct values {
	char *name;
	bool on;
	uint64_t count;
	uint64_t age_s;
	uint64_t size;
	int level;
	struct pmg_strv list;
	size_t called;
};

static const char *const levels[] = { "silent", "normal", "verbose", NULL };

static int count_item(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct values *values = out;

	if (value->kind != PMG_YAML_MAP)
		return pmg_yaml_err(err, value, "an item must be a mapping");
	values->called++;
	return 0;
}

static const struct pmg_key inner[] = {
	{ .name = "age",
	  .kind = PMG_KEY_DURATION,
	  .offset = offsetof(struct values, age_s),
	  .max = 864000 },
	{ .name = "size", .kind = PMG_KEY_SIZE, .offset = offsetof(struct values, size) },
	{ .name = "soon", .kind = PMG_KEY_LATER },
	{ 0 },
};

static const struct pmg_key rows[] = {
	{ .name = "schema",
	  .kind = PMG_KEY_UINT,
	  .flags = PMG_KEY_REQUIRED,
	  .max = 10,
	  .offset = offsetof(struct values, count) },
	{ .name = "name", .kind = PMG_KEY_STR, .offset = offsetof(struct values, name), .max = 8 },
	{ .name = "on", .kind = PMG_KEY_BOOL, .offset = offsetof(struct values, on) },
	{ .name = "level",
	  .kind = PMG_KEY_ENUM,
	  .offset = offsetof(struct values, level),
	  .words = levels },
	{ .name = "list", .kind = PMG_KEY_STRV, .offset = offsetof(struct values, list), .max = 2 },
	{ .name = "items", .kind = PMG_KEY_LIST, .read = count_item, .max = 2 },
	{ .name = "one", .kind = PMG_KEY_CALL, .read = count_item },
	{ .name = "inner", .kind = PMG_KEY_MAP, .rows = inner },
	{ .name = "sandbox", .kind = PMG_KEY_LATER },
	{ 0 },
};

static void values_done(struct values *values)
{
	free(values->name);
	pmg_strv_done(&values->list);
}

static int read_text(const char *text, struct values *out, struct pmg_err *err)
{
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	int r = pmg_yaml_parse("c.yml", text, strlen(text), &doc, err);

	assert_int_equal(r, 0);
	return pmg_keys_read(rows, doc, out, err);
}

static void each_kind_goes_where_its_row_says(void **state)
{
	const char *text = "schema: 1\nname: '1.10'\non: true\nlevel: verbose\nlist: [a, 'b']\n"
			   "items: [{}, {x: y}]\none: {}\ninner: {age: 36h, size: 2M}\n";
	struct values values = { .name = pmg_xstrdup("old") };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(read_text(text, &values, &err), 0);
	assert_int_equal(values.count, 1);
	assert_string_equal(values.name, "1.10");
	assert_true(values.on);
	assert_int_equal(values.level, 2);
	assert_int_equal(values.list.n, 2);
	assert_string_equal(values.list.v[1], "b");
	assert_int_equal(values.called, 3);
	assert_int_equal(values.age_s, 129600);
	assert_int_equal(values.size, 2097152);
	values_done(&values);
}

static void a_key_that_is_not_there_leaves_its_member(void **state)
{
	struct values values = { .level = 1, .age_s = 7 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(read_text("schema: 1\n", &values, &err), 0);
	assert_int_equal(values.level, 1);
	assert_int_equal(values.age_s, 7);
	assert_null(values.name);
}

static const struct {
	const char *text;
	const char *msg;
	const char *hint;
} bad[] = {
	{ "schema: 1\nsandbx: {}\n", "c.yml:2:1: unknown key \"sandbx\"",
	  "did you mean \"sandbox\"?" },
	{ "schema: 1\nzzzzzz: {}\n", "c.yml:2:1: unknown key \"zzzzzz\"", "" },
	{ "schema: 1\ninner: {sise: 1M}\n", "c.yml:2:9: unknown key \"sise\"",
	  "did you mean \"size\"?" },
	{ "schema: 1\nsandbox: {}\n", "c.yml:2:1: \"sandbox\" is not supported by this version",
	  "take the key out: a later pmg keeps what it promises" },
	{ "schema: 1\ninner: {soon: 1}\n",
	  "c.yml:2:9: \"inner.soon\" is not supported by this version",
	  "take the key out: a later pmg keeps what it promises" },
	{ "name: x\n", "c.yml:1:1: key \"schema\" is missing", "" },
	{ "", "c.yml:1:1: key \"schema\" is missing", "" },
	{ "- x\n", "c.yml:1:1: not a mapping (key: value)", "" },
	{ "schema: one\n", "c.yml:1:9: \"schema\" must be a whole number, not \"one\"", "" },
	{ "schema: \"1\"\n", "c.yml:1:9: \"schema\" must be a whole number, not the text \"1\"",
	  "" },
	{ "schema: -1\n", "c.yml:1:9: \"schema\" must be a whole number, not \"-1\"", "" },
	{ "schema: 11\n", "c.yml:1:9: \"schema\" is above the greatest number, 10", "" },
	{ "schema: 99999999999999999999\n",
	  "c.yml:1:9: \"schema\" is above the greatest number, 10", "" },
	{ "name: [x]\n", "c.yml:1:7: \"name\" must be text, not a list", "" },
	{ "name:\n", "c.yml:1:6: \"name\" must be text, and is empty", "" },
	{ "name: 123456789\n", "c.yml:1:7: \"name\" is above the greatest length in bytes, 8", "" },
	{ "on: yes\n", "c.yml:1:5: \"on\" must be true or false, not \"yes\"", "" },
	{ "on: True\n", "c.yml:1:5: \"on\" must be true or false, not \"True\"", "" },
	{ "on: 'true'\n", "c.yml:1:5: \"on\" must be true or false, not the text \"true\"", "" },
	{ "level: verbos\n",
	  "c.yml:1:8: \"level\" must be one of silent, normal, verbose, not \"verbos\"",
	  "did you mean \"verbose\"?" },
	{ "level: {}\n",
	  "c.yml:1:8: \"level\" must be one of silent, normal, verbose, not a mapping", "" },
	{ "list: x\n", "c.yml:1:7: \"list\" must be a list of texts, not \"x\"", "" },
	{ "list: [x, {}]\n", "c.yml:1:11: \"list[1]\" must be text, not a mapping", "" },
	{ "list: [x, y, z]\n", "c.yml:1:7: \"list\" is above the greatest number of items, 2", "" },
	{ "items: {}\n", "c.yml:1:8: \"items\" must be a list, not a mapping", "" },
	{ "items: [{}, x]\n", "c.yml:1:13: an item must be a mapping", "" },
	{ "items: [{}, {}, {}]\n", "c.yml:1:8: \"items\" is above the greatest number of items, 2",
	  "" },
	{ "inner: x\n", "c.yml:1:8: \"inner\" must be a mapping, not \"x\"", "" },
	{ "inner: {age: 7}\n",
	  "c.yml:1:14: \"inner.age\" must be a duration with its unit (30s, 5m, 36h, 7d, 2w), not "
	  "\"7\"",
	  "" },
	{ "inner: {age: 11d}\n",
	  "c.yml:1:14: \"inner.age\" is above the greatest duration in seconds, 864000", "" },
	{ "inner: {size: 7}\n",
	  "c.yml:1:15: \"inner.size\" must be a size with its unit (512K, 256M, 2G), not \"7\"",
	  "" },
	{ "\"\\e]0;x\": 1\n", "c.yml:1:1: unknown key \"\\x1b]0;x\"", "" },
};

static void every_error_names_place_and_what_would_be_right(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++) {
		struct values values = { 0 };

		assert_int_equal(read_text(bad[i].text, &values, &err), -PMG_E_CONFIG);
		assert_string_equal(err.msg, bad[i].msg);
		assert_string_equal(err.hint, bad[i].hint);
		values_done(&values);
	}
}

static void every_error_can_be_had(void **state)
{
	static const char text[] =
		"nmae: x\nname: too long a name\non: yes\ninner: {age: 1, size: 2K}\n"
		"items: [1, {}]\nlevel: verbose\n";
	static const char *const expected[] = { "t:1:1: unknown key \"nmae\"",
						"t:2:7: ",
						"t:3:5: ",
						"t:4:14: ",
						"t:5:9: an item must be",
						"t:1:1: key \"schema\" is missing" };
	pmg_auto(keys_errors) struct pmg_keys_errors errors = { 0 };
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct values values = { 0 };
	size_t i;

	(void)state;
	assert_int_equal(pmg_yaml_parse("t", text, strlen(text), &doc, &err), 0);
	pmg_keys_read_all(rows, doc, &values, &errors);
	assert_int_equal(errors.n, PMG_ARRAY_LEN(expected));
	for (i = 0; i < errors.n; i++)
		if (strncmp(errors.v[i].msg, expected[i], strlen(expected[i])) != 0)
			fail_msg("%zu: %s", i, errors.v[i].msg);
	assert_string_equal(errors.v[0].hint, "did you mean \"name\"?");
	/* What is right is read. */
	assert_int_equal(values.level, 2);
	assert_int_equal(values.size, 2048);
	assert_int_equal(values.called, 1);
	assert_null(values.name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_goes_where_its_row_says),
		cmocka_unit_test(a_key_that_is_not_there_leaves_its_member),
		cmocka_unit_test(every_error_can_be_had),
		cmocka_unit_test(every_error_names_place_and_what_would_be_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
