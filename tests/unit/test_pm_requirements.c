#include "pm/requirements.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static int note(void *ctx, const struct pmg_requirement *r)
{
	struct pmg_str *out = ctx;

	if (strcmp(r->value, "./stop") == 0)
		return 7;
	if (r->option)
		return pmg_str_addf(out, "%u --%s %s;", r->line, r->option, r->value);
	return pmg_str_addf(out, "%u %s%s%s;", r->line, r->name ? r->name : "", r->name ? "@" : "",
			    r->value);
}

struct row {
	const char *text;
	const char *seen;
	int ret;
};

static const struct row files[] = {
	{ "requests==2.0\n# c\n\n  flask >= 1 ; python_version < '3'\n", "", 0 },
	{ "x @ https://h.test/x-1.0.whl\n", "1 x@https://h.test/x-1.0.whl;", 0 },
	{ "x[a,b]@https://h.test/x.zip ; python_version > '3'\n", "1 x@https://h.test/x.zip;", 0 },
	{ "x @ https://h.test/x.whl --hash=sha256:ab\n", "1 x@https://h.test/x.whl;", 0 },
	{ "https://h.test/x.tar.gz#egg=x\n", "1 https://h.test/x.tar.gz#egg=x;", 0 },
	{ "https://h.test/x.tar.gz # c\n", "1 https://h.test/x.tar.gz;", 0 },
	{ "./local\n../up\n/abs\nsub/dir\nfile:x\n", "1 ./local;2 ../up;3 /abs;4 sub/dir;5 file:x;",
	  0 },
	{ "-i https://r.test/simple\n", "1 --index-url https://r.test/simple;", 0 },
	{ "-ihttps://r.test/simple\n", "1 --index-url https://r.test/simple;", 0 },
	{ "--index-url=https://r.test\n", "1 --index-url https://r.test;", 0 },
	{ "--extra-index-url \"https://r.test\" --pre -f 'https://f.test'\n",
	  "1 --extra-index-url https://r.test;1 --find-links https://f.test;", 0 },
	{ "-r other.txt\n-c c.txt\n-e ./x\n",
	  "1 --requirement other.txt;2 --constraint c.txt;3 --editable ./x;", 0 },
	{ "x \\\n  @ https://h.test/x.whl\ny @ https://h.test/y.whl",
	  "1 x@https://h.test/x.whl;3 y@https://h.test/y.whl;", 0 },
	{ "x @ https://${HOST}/x.whl\nx @ https://${NONE}/x.whl\nx @ https://${host}/x.whl\n",
	  "1 x@https://h.test/x.whl;2 x@https://${NONE}/x.whl;3 x@https://${host}/x.whl;", 0 },
	{ "\xef\xbb\xbfx @ https://h.test/x.whl\r\n", "1 x@https://h.test/x.whl;", 0 },
	/* Lines end where Python ends them. */
	{ "# c\r./a\v./b\f./c\x1c./d\x1d./e\x1e./f\xc2\x85./g\xe2\x80\xa8./h\xe2\x80\xa9./i\r\n./j",
	  "2 ./a;3 ./b;4 ./c;5 ./d;6 ./e;7 ./f;8 ./g;9 ./h;10 ./i;11 ./j;", 0 },
	{ "# c\r--index-url https://r.test/s\n", "2 --index-url https://r.test/s;", 0 },
	{ "# c\x85-i https://r.test/s", "2 --index-url https://r.test/s;", 0 },
	{ "# \xc3\x85-i https://r.test/s\n# \xe2\x80\xa6 ./a\n./b", "3 ./b;", 0 },
	{ "x \\\r @ https://h.test/x.whl", "1 x@https://h.test/x.whl;", 0 },
	/* A comment ends with its line. */
	{ "# c \\\n-i https://r.test/s\n", "2 --index-url https://r.test/s;", 0 },
	{ "  # c\\\n./a", "2 ./a;", 0 },
	{ "./a\\\n# c\\\n./b", "1 ./a;3 ./b;", 0 },
	{ "./a\n./stop\n./b\n", "1 ./a;", 7 },
	{ "x @\n@ y\n--index-url\n\\\n", "", 0 },
};

static void a_file_is_read_for_where_packages_come_from(void **state)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	size_t i;

	(void)state;
	pmg_strv_add(&env, "HOST=h.test");
	pmg_strv_add(&env, "host=no.test");
	for (i = 0; i < PMG_ARRAY_LEN(files); i++) {
		pmg_auto(str) struct pmg_str out = PMG_STR_INIT(4096);

		assert_int_equal(pmg_requirements_parse(files[i].text, strlen(files[i].text), &env,
							note, &out),
				 files[i].ret);
		assert_string_equal(out.s ? out.s : "", files[i].seen);
	}
}

static const struct row texts[] = {
	{ "dependencies = [\"x @ https://h.test/x-1.whl\", \"y\"]\n", "1 x@https://h.test/x-1.whl;",
	  0 },
	{ "a\nb = 'x[e]@https://h.test/x-1.tar.gz'\n", "2 x@https://h.test/x-1.tar.gz;", 0 },
	{ "url = \"https://h.test/a-1-py3-none-any.whl\"\n",
	  "1 https://h.test/a-1-py3-none-any.whl;", 0 },
	{ "https://h.test/x.zip?a=b#c", "1 https://h.test/x.zip?a=b#c;", 0 },
	{ "homepage = \"https://h.test/\"\nrepo = \"git+https://h.test/x.git\"\n", "", 0 },
	{ "://://http://", "", 0 },
	{ "file:///x.whl", "", 0 },
};

static void archives_are_found_in_any_text(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++) {
		pmg_auto(str) struct pmg_str out = PMG_STR_INIT(4096);

		assert_int_equal(
			pmg_requirements_scan(texts[i].text, strlen(texts[i].text), note, &out),
			texts[i].ret);
		assert_string_equal(out.s ? out.s : "", texts[i].seen);
	}
}

static int count_hashes(void *ctx, const struct pmg_pin *pin)
{
	size_t *n = ctx;
	const char *p;

	assert_string_equal(pin->name, "x");
	assert_string_equal(pin->version, "1.0");
	for (p = pin->hashes; (p = strstr(p, "sha256:")); p++)
		(*n)++;
	return 0;
}

static void a_line_of_any_length_is_read(void **state)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(1U << 20);
	pmg_auto(strv) struct pmg_strv env = { 0 };
	size_t i, n = 0;

	(void)state;
	assert_int_equal(pmg_str_adds(&text, "x==1.0"), 0);
	for (i = 0; i < 3000; i++)
		assert_int_equal(pmg_str_addf(&text, " \\\n  --hash=sha256:%064zu", i), 0);
	assert_int_equal(pmg_requirements_pins(text.s, text.len, &env, count_hashes, &n), 0);
	assert_int_equal(n, 3000);
}

/* As Windows' tools write them, and pip reads them. */
static void a_file_in_utf16_is_read(void **state)
{
	static const char text[] = "\xff\xfe.\0/\0y\0\n\0.\0/\0z\0";
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(4096);
	pmg_auto(strv) struct pmg_strv env = { 0 };

	(void)state;
	assert_int_equal(pmg_requirements_parse(text, sizeof text - 1, &env, note, &out), 0);
	assert_string_equal(out.s, "1 ./y;2 ./z;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_for_where_packages_come_from),
		cmocka_unit_test(archives_are_found_in_any_text),
		cmocka_unit_test(a_line_of_any_length_is_read),
		cmocka_unit_test(a_file_in_utf16_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
