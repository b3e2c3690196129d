#include "cli/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "violation/codes.h"
#include "violation/explain.h"

static void every_code_of_the_sandbox_has_its_page(void **state)
{
	const struct pmg_code_row *row;
	const struct pmg_page *page;
	int before = 0;

	(void)state;
	for (row = pmg_codes(); row->code; row++)
		assert_non_null(pmg_page_find(row->code));
	for (page = pmg_pages; page->code; page++) {
		assert_true(page->code > before);
		before = page->code;
	}
	assert_null(pmg_page_find(1234));
}

static void a_page_has_the_name_that_reports_use(void **state)
{
	const struct pmg_code_row *row;

	(void)state;
	for (row = pmg_codes(); row->code; row++) {
		pmg_autofree char *head = pmg_xasprintf("# PMG%04d: %s\n", row->code, row->name);

		assert_memory_equal(pmg_page_find(row->code), head, strlen(head));
	}
}

static void codes_are_read_as_people_write_them(void **state)
{
	static const struct {
		const char *word;
		int code;
		const char *hint;
	} rows[] = {
		{ "PMG2001", 2001, NULL },
		{ "pmg2001", 2001, NULL },
		{ "2001", 2001, NULL },
		{ "PMG2010", 0, "did you mean PMG2012?" },
		{ "PMG200", 0, NULL },
		{ "PMG20011", 0, NULL },
		{ "", 0, "codes look like PMG2001; they stand in brackets in messages" },
		{ "read", 0, "codes look like PMG2001; they stand in brackets in messages" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		int code = 0;

		assert_int_equal(pmg_page_parse(rows[i].word, &code, &err),
				 rows[i].code ? 0 : -PMG_E_USAGE);
		assert_int_equal(code, rows[i].code);
		if (rows[i].hint && strcmp(rows[i].word, "PMG2010") != 0)
			assert_string_equal(err.hint, rows[i].hint);
	}
}

static void a_page_becomes_plain_lines(void **state)
{
	static const char markdown[] =
		"# PMG1: a title\n\n**What.** Some *words* and `a**b` with [a link](x.md), which "
		"go "
		"on and on, so that\nlines must be broken.\n- *One.* First item, which is long "
		"enough to be broken once more, and then\n  goes on.\n- Two\n\n  ```yaml\n  a:\n"
		"    - \"*[b]*\"\n\n  # c\n  ```\n\n  Behind.\n\nEnd\n";
	pmg_autofree char *text = pmg_page_text(markdown);

	(void)state;
	assert_string_equal(
		text,
		"PMG1: a title\n\n"
		"What. Some words and `a**b` with a link, which go on and on, so that lines must\n"
		"be broken.\n"
		"  - One. First item, which is long enough to be broken once more, and then goes\n"
		"    on.\n"
		"  - Two\n"
		"\n"
		"  a:\n"
		"    - \"*[b]*\"\n"
		"\n"
		"  # c\n"
		"\n"
		"Behind.\n"
		"\n"
		"End\n");
}

static void all_pages_fit_a_terminal(void **state)
{
	const struct pmg_page *page;

	(void)state;
	for (page = pmg_pages; page->code; page++) {
		pmg_autofree char *text = pmg_page_text(page->text);
		const char *line = text;

		while (*line) {
			size_t len = strcspn(line, "\n");
			bool one_word = !memchr(line + strspn(line, " -"), ' ', len);

			assert_true(len <= 80 || one_word);
			line += len + 1;
		}
	}
}

/* What a page shows as an example is what pmg says. */
static void examples_are_what_is_really_said(void **state)
{
	static const struct {
		int code;
		enum pmg_event_op op;
		const char *target, *rule;
	} rows[] = {
		{ 2001, PMG_EVENT_READ, "/home/u/.netrc", "/home/u/.netrc" },
		{ 2002, PMG_EVENT_WRITE, "/home/u/.bashrc", "/home/u/.bashrc" },
		{ 2007, PMG_EVENT_EXEC, "/home/u/evil", NULL },
		{ 2009, PMG_EVENT_CONNECT, "tcp 10.99.0.1:8080", NULL },
		{ 2012, PMG_EVENT_RENAME, "/home/u/p/.git", "/home/u/p/**/.git" },
		{ 2013, PMG_EVENT_UNIX, "unix /run/docker.sock", NULL },
		{ 2014, PMG_EVENT_BIND, "tcp 0.0.0.0:4444", NULL },
		{ 2015, PMG_EVENT_READ, "/proc/1234/mem", NULL },
		{ 2016, PMG_EVENT_KERNEL, "io_uring_setup", NULL },
		{ 2017, PMG_EVENT_METADATA, "/home/u/.netrc", "/home/u/.netrc" },
	};
	static char package[] = "dep-evil@1.2.3", script[] = "postinstall", layer[] = "mandatory";
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *target = pmg_xstrdup(rows[i].target);
		pmg_autofree char *rule = rows[i].rule ? pmg_xstrdup(rows[i].rule) : NULL;
		const struct pmg_event event = { .code = rows[i].code,
						 .op = rows[i].op,
						 .target = target,
						 .rule = rule,
						 .layer = rule ? layer : NULL,
						 .package = package,
						 .script = script,
						 .count = 1 };
		pmg_autofree char *line = pmg_explain_line(&event);
		pmg_autofree char *example =
			pmg_xasprintf("Example: `[PMG%d] %s`\n", rows[i].code, line);

		assert_non_null(strstr(pmg_page_find(rows[i].code), example));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_of_the_sandbox_has_its_page),
		cmocka_unit_test(a_page_has_the_name_that_reports_use),
		cmocka_unit_test(codes_are_read_as_people_write_them),
		cmocka_unit_test(a_page_becomes_plain_lines),
		cmocka_unit_test(examples_are_what_is_really_said),
		cmocka_unit_test(all_pages_fit_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
