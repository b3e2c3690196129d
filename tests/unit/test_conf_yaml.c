#include "conf/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static int parse(const char *text, struct pmg_yaml **out, struct pmg_err *err)
{
	return pmg_yaml_parse("f.yml", text, strlen(text), out, err);
}

static void every_node_knows_its_line_and_column(void **state)
{
	const char *text = "# c\na: 1\nb:\n  - x\n  - {k: 'v w'}\n";
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_yaml *b;
	pmg_autofree char *where = NULL;

	(void)state;
	assert_int_equal(parse(text, &doc, &err), 0);
	assert_int_equal(doc->kind, PMG_YAML_MAP);
	assert_int_equal(doc->n, 2);
	assert_string_equal(pmg_yaml_str(doc, "a"), "1");
	assert_false(pmg_yaml_get(doc, "a")->quoted);
	b = pmg_yaml_get(doc, "b");
	assert_int_equal(b->kind, PMG_YAML_SEQ);
	assert_int_equal(b->key_line, 3);
	assert_int_equal(b->key_column, 1);
	assert_int_equal(b->line, 4);
	assert_int_equal(b->column, 3);
	assert_int_equal(b->first->line, 4);
	assert_int_equal(b->first->column, 5);
	b = b->first->next->first;
	assert_string_equal(b->text, "v w");
	assert_true(b->quoted);
	assert_int_equal(b->line, 5);
	assert_int_equal(b->column, 9);
	where = pmg_yaml_where(b);
	assert_string_equal(where, "b[1].k");
	assert_null(pmg_yaml_get(doc, "c"));
	assert_int_equal(pmg_yaml_err(&err, b, "no %d", 7), -PMG_E_CONFIG);
	assert_string_equal(err.msg, "f.yml:5:9: no 7");
	assert_int_equal(pmg_yaml_key_err(&err, b, "no"), -PMG_E_CONFIG);
	assert_string_equal(err.msg, "f.yml:5:6: no");
}

static void an_empty_text_is_an_empty_mapping(void **state)
{
	static const char *const texts[] = { "", "\n", "# nothing\n", "\xef\xbb\xbf" };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++) {
		pmg_auto(yaml) struct pmg_yaml *doc = NULL;

		assert_int_equal(parse(texts[i], &doc, &err), 0);
		assert_int_equal(doc->kind, PMG_YAML_MAP);
		assert_int_equal(doc->n, 0);
	}
}

static const struct {
	const char *text;
	int ret;
	const char *msg;
} bad[] = {
	{ "a: 1\nb: 2\na: 3\n", -PMG_E_CONFIG,
	  "f.yml:3:1: key \"a\" is there twice, first in line 1" },
	{ "{a: 1, \"a\": 2}\n", -PMG_E_CONFIG,
	  "f.yml:1:8: key \"a\" is there twice, first in line 1" },
	{ "a: &x 1\n", -PMG_E_CONFIG, "f.yml:1:4: anchors (&...) are not taken" },
	{ "a: &x [1]\n", -PMG_E_CONFIG, "f.yml:1:4: anchors (&...) are not taken" },
	{ "a: &x {b: 1}\n", -PMG_E_CONFIG, "f.yml:1:4: anchors (&...) are not taken" },
	{ "a: *x\n", -PMG_E_CONFIG, "f.yml:1:4: aliases (*...) are not taken" },
	{ "<<: *x\n", -PMG_E_CONFIG, "f.yml:1:5: aliases (*...) are not taken" },
	{ "a: !!str 1\n", -PMG_E_CONFIG, "f.yml:1:4: tags (!...) are not taken" },
	{ "a: ! 1\n", -PMG_E_CONFIG, "f.yml:1:4: tags (!...) are not taken" },
	{ "a: !!set {b}\n", -PMG_E_CONFIG, "f.yml:1:4: tags (!...) are not taken" },
	{ "a: 1\n---\nb: 1\n", -PMG_E_CONFIG, "f.yml:2:1: a second document" },
	{ "? [x]\n: 1\n", -PMG_E_CONFIG, "f.yml:1:3: a key must be text" },
	{ "\"\": 1\n", -PMG_E_CONFIG, "f.yml:1:1: a key is empty" },
	{ "a: \"x\\0y\"\n", -PMG_E_CONFIG, "f.yml:1:4: a NUL byte inside a value" },
	{ "a:\n\t- b\n", -PMG_E_CONFIG,
	  "f.yml:2:1: not YAML: found character that cannot start any token while scanning for "
	  "the next token" },
	{ "a: [1\n", -PMG_E_CONFIG,
	  "f.yml:2:1: not YAML: did not find expected ',' or ']' while parsing a flow sequence" },
	{ "a: \xff\n", -PMG_E_CONFIG, "f.yml: byte 3: not YAML: invalid leading UTF-8 octet" },
	{ "a: \x01\n", -PMG_E_CONFIG,
	  "f.yml: byte 3: not YAML: control characters are not allowed" },
	{ "\xff\xfe"
	  "a",
	  -PMG_E_CONFIG, "f.yml: byte 0: not YAML: invalid leading UTF-8 octet" },
};

static void what_could_be_read_in_two_ways_is_refused_with_its_place(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_yaml *doc = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++) {
		assert_int_equal(parse(bad[i].text, &doc, &err), bad[i].ret);
		assert_string_equal(err.msg, bad[i].msg);
		assert_int_equal(err.code, -bad[i].ret);
		assert_null(doc);
	}
}

static void a_tab_as_indent_is_explained(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_yaml *doc = NULL;

	(void)state;
	assert_int_equal(parse("a:\n\tb: 1\n", &doc, &err), -PMG_E_CONFIG);
	assert_string_equal(err.hint, "indent with blanks: YAML knows no tabs there");
}

/* n times `unit`, then `tail`. */
static char *repeat(const char *unit, size_t n, const char *tail)
{
	struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);

	while (n-- > 0)
		assert_int_equal(pmg_str_adds(&out, unit), 0);
	assert_int_equal(pmg_str_adds(&out, tail), 0);
	return pmg_str_steal(&out);
}

static void size_depth_and_count_have_limits(void **state)
{
	pmg_autofree char *deep = repeat("[", PMG_YAML_DEPTH_MAX + 1, "");
	pmg_autofree char *many = repeat("- x\n", PMG_YAML_NODES_MAX, "");
	pmg_autofree char *large = repeat("########", PMG_YAML_TEXT_MAX / 8, "#");
	pmg_auto(str) struct pmg_str keys = PMG_STR_INIT(1048576);
	const struct {
		const char *text;
		const char *msg;
	} rows[] = {
		{ deep, "f.yml:1:33: more than 32 levels" },
		{ many, "f.yml:262144:3: more than 262144 values" },
		{ large, "f.yml: larger than 8388608 bytes" },
		{ "", "f.yml:1025:1: more than 1024 keys in one mapping" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_yaml *doc = NULL;
	size_t i;

	(void)state;
	for (i = 0; i <= PMG_YAML_KEYS_MAX; i++)
		assert_int_equal(pmg_str_addf(&keys, "k%zu: 1\n", i), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(parse(*rows[i].text ? rows[i].text : keys.s, &doc, &err),
				 -PMG_E_LIMIT);
		assert_string_equal(err.msg, rows[i].msg);
		assert_null(doc);
	}
}

static void null_is_told_from_text(void **state)
{
	static const struct {
		const char *text;
		bool null;
	} rows[] = {
		{ "a:", true },       { "a: ~", true },       { "a: null", true },
		{ "a: \"\"", false }, { "a: 'null'", false }, { "a: none", false },
		{ "a: []", false },
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(yaml) struct pmg_yaml *doc = NULL;

		assert_int_equal(parse(rows[i].text, &doc, &err), 0);
		assert_int_equal(pmg_yaml_is_null(doc->first), rows[i].null);
	}
}

static const struct {
	const char *text;
	const char *quoted;
} quotes[] = {
	{ "plain", "\"plain\"" },
	{ "", "\"\"" },
	{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
	{ "line\nbreak\t", "\"line\\x0Abreak\\x09\"" },
	{ "- x: # y", "\"- x: # y\"" },
	{ "\x7f", "\"\\x7F\"" },
	{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
	  "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"" },
	{ "\xc2\x85\xe2\x80\xa8\xef\xbb\xbf", "\"\\x85\\u2028\\uFEFF\"" },
};

static void quoted_text_comes_back_unchanged(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(quotes); i++) {
		pmg_autofree char *quoted = pmg_yaml_quote(quotes[i].text);
		pmg_autofree char *line = pmg_xasprintf("k: %s\n", quoted);
		pmg_auto(yaml) struct pmg_yaml *doc = NULL;

		assert_string_equal(quoted, quotes[i].quoted);
		assert_int_equal(parse(line, &doc, &err), 0);
		assert_string_equal(pmg_yaml_str(doc, "k"), quotes[i].text);
		assert_true(doc->first->quoted);
	}
}

static void bytes_that_are_not_utf8_are_quoted_as_text(void **state)
{
	pmg_autofree char *quoted = pmg_yaml_quote("a\xff"
						   "b");

	(void)state;
	assert_string_equal(quoted, "\"a\\\\xffb\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_node_knows_its_line_and_column),
		cmocka_unit_test(an_empty_text_is_an_empty_mapping),
		cmocka_unit_test(what_could_be_read_in_two_ways_is_refused_with_its_place),
		cmocka_unit_test(a_tab_as_indent_is_explained),
		cmocka_unit_test(size_depth_and_count_have_limits),
		cmocka_unit_test(null_is_told_from_text),
		cmocka_unit_test(quoted_text_comes_back_unchanged),
		cmocka_unit_test(bytes_that_are_not_utf8_are_quoted_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
