#include "conf/toml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

/* A document as one line: s"..." and w(...) with "@line" behind a key. */
static void show(const struct pmg_toml *node, struct pmg_str *out)
{
	static const char *const form[][2] = {
		{ "\"", "\"" }, { "", "" }, { "{", "}" }, { "[", "]" }
	};

	if (node->key)
		assert_int_equal(pmg_str_addf(out, "%s@%u=", node->key, node->line), 0);
	assert_int_equal(
		pmg_str_addf(out, "%s%s", form[node->kind][0], node->text ? node->text : ""), 0);
	pmg_toml_each(node, it)
	{
		assert_ptr_equal(it->parent, node);
		if (it != node->first)
			assert_int_equal(pmg_str_adds(out, " "), 0);
		show(it, out);
	}
	assert_int_equal(pmg_str_adds(out, form[node->kind][1]), 0);
}

struct row {
	const char *text;
	int passed_over;
	const char *shown;
};

/* What the specification (toml.io/en/v1.0.0) says of each form. */
static const struct row rows[] = {
	{ "", 0, "{}" },
	{ "\xef\xbb\xbf# c\n\n", 0, "{}" },
	{ "a = 1 # c\nb=true\n", 0, "{a@1=1 b@2=true}" },
	{ "d = 1979-05-27 07:32:00 # c\r\ne = -inf", 0, "{d@1=1979-05-27 07:32:00 e@2=-inf}" },
	{ "1a-b_c = 1\n\"q. \" = 2\n'l' = 3\n", 0, "{1a-b_c@1=1 q. @2=2 l@3=3}" },
	{ "a . b.\"c.d\" = 1\na.e = 2\n", 0, "{a@1={b@1={c.d@1=1} e@2=2}}" },
	/* strings of all four kinds */
	{ "a = \"\\b\\t\\n\\f\\r\\\"\\\\\"", 0, "{a@1=\"\b\t\n\f\r\"\\\"}" },
	{ "a = \"\\u00e9\\U0001f600\\x41\\e\"", 0,
	  "{a@1=\"\xc3\xa9\xf0\x9f\x98\x80"
	  "A\x1b\"}" },
	{ "a = 'x\\n#'\nb = ''", 0, "{a@1=\"x\\n#\" b@2=\"\"}" },
	{ "a = \"\"\"\nx\n y\\\n   \n\t z\"\"\"\nb = 1", 0, "{a@1=\"x\n yz\" b@6=1}" },
	{ "a = \"\"\"x\"\"y\"\"\"\"\"\nb = \"\"\"\"\"\"", 0, "{a@1=\"x\"\"y\"\"\" b@2=\"\"}" },
	{ "a = '''\r\nx\\\n'y''''\nb = 1", 0, "{a@1=\"x\\\n'y'\" b@4=1}" },
	/* arrays and inline tables */
	{ "a = [ 1, \"b\", [], # c\n ['d',],\n]\ne = 1", 0, "{a@1=[1 \"b\" [] [\"d\"]] e@4=1}" },
	{ "a = { b = 1, c.d = 'x', e = { } }\n", 0, "{a@1={b@1=1 c@1={d@1=\"x\"} e@1={}}}" },
	{ "a = [{ b = 1 }, { b = 2 }]\n", 0, "{a@1=[{b@1=1} {b@1=2}]}" },
	{ "a = {\n b = 1, # c\n c = 2,\n}\n", 0, "{a@1={b@2=1 c@3=2}}" },
	/* tables */
	{ "x = 0\n[a]\nb = 1\n[a.c]\nd = 2\n[e]\n", 0, "{x@1=0 a@2={b@3=1 c@4={d@5=2}} e@6={}}" },
	{ "[ a . 'b' ] # c\nc = 1", 0, "{a@1={b@1={c@2=1}}}" },
	{ "[a.b]\n[a]\nc = 1\n", 0, "{a@1={b@1={} c@3=1}}" },
	{ "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n[[a.e]]\n[[a.e]]\nf = 4\n", 0,
	  "{a@1=[{b@2=1} {b@4=2 c@5={d@6=3} e@7=[{} {f@9=4}]}]}" },
	/* what is no TOML is passed over, and the rest counts */
	{ "a\nb = 1", 1, "{b@2=1}" },
	{ "= 1\na =\nb = # c\nc = 3", 3, "{c@4=3}" },
	{ "a = 1 2\nb = \"x\" y\nc = 3", 1, "{a@1=1 2 b@2=\"x\" c@3=3}" },
	{ "a b = 1\n[c\nd = 2\n[e]f\ng = 3", 3, "{c@2={d@3=2} e@4={g@5=3}}" },
	{ "[]\na = 1\n[[]]\n", 2, "{a@2=1}" },
	{ "a = \"x\nb = 'y\nc = \"\"\"z\n", 3, "{a@1=\"x\" b@2=\"y\" c@3=\"z\n\"}" },
	{ "a = \"\\q\\u12\\ud800\\UFFFFFFFF\\", 6, "{a@1=\"\\q\\u12\\ud800\\UFFFFFFFF\\\"}" },
	{ "a = [1 ,, 2 = 'x'\n", 1, "{a@1=[1 2 = 'x']}" },
	{ "a = [}, 1]\nb = { c, d = 2 }\ne = 3", 2, "{a@1=[1] b@2={d@2=2} e@3=3}" },
	{ "a = 1\na = 2\n[a]\nb = 3\n[a.b.c]\n[[a]]\n", 0,
	  "{a@1=1 a@2=2 a@3={b@4=3 b@5={c@5={}}} a@6=[{}]}" },
};

static void each_form_is_read(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(toml) struct pmg_toml *doc = NULL;
		pmg_auto(str) struct pmg_str out = PMG_STR_INIT(65536);

		assert_int_equal(
			pmg_toml_parse("f", rows[i].text, strlen(rows[i].text), &doc, &err),
			rows[i].passed_over);
		show(doc, &out);
		assert_string_equal(out.s, rows[i].shown);
	}
}

static void a_nul_is_no_end(void **state)
{
	static const char text[] = "a = \"x\0y\"\nb\0 = 1\nc = 2\n";
	pmg_auto(toml) struct pmg_toml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_toml_parse("f", text, sizeof text - 1, &doc, &err), 0);
	assert_string_equal(pmg_toml_str(doc, "a"), "x\xef\xbf\xbdy");
	assert_string_equal(pmg_toml_str(doc, "c"), "2");
}

static void values_are_found_by_their_keys(void **state)
{
	static const char text[] = "a = 1\na = 2\n[tool.uv]\nx = 'y'\n[[tool.uv.index]]\n";
	pmg_auto(toml) struct pmg_toml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_toml *uv;
	size_t n = 0;

	(void)state;
	assert_int_equal(pmg_toml_parse("f", text, strlen(text), &doc, &err), 0);
	uv = pmg_toml_at(doc, "tool.uv");
	assert_non_null(uv);
	assert_ptr_equal(uv, pmg_toml_get(pmg_toml_get(doc, "tool"), "uv"));
	assert_string_equal(pmg_toml_str(uv, "x"), "y");
	assert_string_equal(pmg_toml_str(doc, "a"), "2");
	assert_null(pmg_toml_str(uv, "index"));
	assert_int_equal(pmg_toml_get(uv, "index")->n, 1);
	assert_null(pmg_toml_get(pmg_toml_get(uv, "index"), "x"));
	assert_null(pmg_toml_at(doc, "tool.uv.x.y"));
	assert_null(pmg_toml_str(NULL, "x"));
	pmg_toml_each(pmg_toml_get(doc, "none"), it) n++;
	pmg_toml_each(uv, it) n++;
	assert_int_equal(n, 2);
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
	pmg_autofree char *arrays = repeat("[", PMG_TOML_DEPTH_MAX + 1, "");
	pmg_autofree char *tables = repeat("{a=", PMG_TOML_DEPTH_MAX + 1, "");
	pmg_autofree char *parts = repeat("a.", PMG_TOML_DEPTH_MAX, "a=1");
	pmg_autofree char *below = repeat("a.", PMG_TOML_DEPTH_MAX - 1, "a]\nb={c=1}");
	pmg_autofree char *values = repeat("1,", PMG_TOML_NODES_MAX, "");
	pmg_autofree char *keys = repeat("k=1\n", PMG_TOML_KEYS_MAX, "k=1");
	pmg_autofree char *large = repeat("########", PMG_TOML_TEXT_MAX / 8, "#");
	const struct {
		const char *before;
		const char *text;
		const char *msg;
	} cases[] = {
		{ "a=", arrays, "f:1: more than 32 levels" },
		{ "a=", tables, "f:1: more than 32 levels" },
		{ "", parts, "f:1: more than 32 levels" },
		{ "[", below, "f:2: more than 32 levels" },
		{ "a=[", values, "f:1: more than 1048576 values" },
		{ "", keys, "f:4097: more than 4096 keys in one table" },
		{ "", large, "f: larger than 33554432 bytes" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_toml *doc = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(cases); i++) {
		pmg_autofree char *text = pmg_xasprintf("%s%s", cases[i].before, cases[i].text);

		assert_int_equal(pmg_toml_parse("f", text, strlen(text), &doc, &err), -PMG_E_LIMIT);
		assert_string_equal(err.msg, cases[i].msg);
		assert_null(doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_is_read),
		cmocka_unit_test(a_nul_is_no_end),
		cmocka_unit_test(values_are_found_by_their_keys),
		cmocka_unit_test(size_depth_and_count_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
