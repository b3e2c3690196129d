#include "conf/yamlscan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"

static int note(void *ctx, const struct pmg_yamlscan_at *at, const char *value)
{
	static const char *const kinds[] = { "=", "*", "[", "{" };
	struct pmg_str *out = ctx;
	unsigned i;
	int r = 0;

	for (i = 0; i < at->depth && r == 0; i++)
		r = pmg_str_addf(out, "%s%s", i > 0 ? "." : "", at->keys[i] ? at->keys[i] : "-");
	if (strcmp(value, "stop") == 0)
		return 7;
	return r < 0 ? r : pmg_str_addf(out, "%s%s:%u;", kinds[at->kind], value, at->line);
}

static const struct {
	const char *text;
	const char *seen;
	int ret;
} rows[] = {
	{ "a: 1\nb:\n  c: 2\n  d: 3\ne: 4\n", "{:1;a=1:1;b{:3;b.c=2:3;b.d=3:4;e=4:5;", 0 },
	{ "a: [1, {b: 2}]\nc: 3\n", "{:1;a[:1;a.-=1:1;a.-{:1;a.-.b=2:1;c=3:2;", 0 },
	{ "a: {b: {c: 1}, d: 2}\n", "{:1;a{:1;a.b{:1;a.b.c=1:1;a.d=2:1;", 0 },
	{ "a: &x {b: 1}\nc: *x\nd: 2\n", "{:1;a{:1;a.b=1:1;c*:2;d=2:3;", 0 },
	{ "a: &x b\n*x : 1\n<<: *x\n", "{:1;a=b:1;=1:2;<<*:3;", 0 },
	{ "? {x: y}\n: 1\n? [z]\n: 2\nb: 3\n", "{:1;=1:2;=2:4;b=3:5;", 0 },
	{ "a: !!str 1\na: 2\n", "{:1;a=1:1;a=2:2;", 0 },
	{ "a: 1\n---\nb: 2\n", "{:1;a=1:1;{:3;b=2:3;", 0 },
	{ "text\n", "=text:1;", 0 },
	{ "", "", 0 },
	{ "a: 1\nb: stop\nc: 2\n", "{:1;a=1:1;b", 7 },
	{ "a: 1\nb: [\n", "{:1;a=1:1;b[:2;", -PMG_E_PARSE },
	{ "a: 1\n[[[[[[[[[[[[[[[[[\n", "", -PMG_E_PARSE },
};

static void every_value_comes_with_the_keys_that_lead_to_it(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str out = PMG_STR_INIT(4096);
		int r = pmg_yamlscan("f.yaml", rows[i].text, strlen(rows[i].text), note, &out,
				     &err);

		assert_int_equal(r, rows[i].ret);
		if (*rows[i].seen)
			assert_string_equal(out.s, rows[i].seen);
	}
}

static void too_deep_is_told_with_the_files_name(void **state)
{
	const char *text = "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]";
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(4096);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_yamlscan("f.yaml", text, strlen(text), note, &out, &err),
			 -PMG_E_PARSE);
	assert_string_equal(err.msg, "f.yaml: more than 16 levels");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_comes_with_the_keys_that_lead_to_it),
		cmocka_unit_test(too_deep_is_told_with_the_files_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
