#include "cli/out.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

/* What fn writes to messages. */
static char *said_by(void (*fn)(struct pmg_out *out), bool color)
{
	struct pmg_out out = { .messages_color = color };
	char *text = NULL;
	size_t len = 0;

	out.messages = out.to = open_memstream(&text, &len);
	fn(&out);
	assert_int_equal(fclose(out.to), 0);
	return text;
}

static void say_error(struct pmg_out *out)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)pmg_err_set(&err, PMG_E_NETWORK, 0, "no way to \033[31mx");
	(void)pmg_err_hint(&err, "try y");
	(void)pmg_err_diag(&err, 4001);
	pmg_out_error(out, &err);
}

static void an_error_shows_its_number_and_hint_and_no_control_bytes(void **state)
{
	pmg_autofree char *plain = said_by(say_error, false);
	pmg_autofree char *color = said_by(say_error, true);

	(void)state;
	assert_string_equal(plain, "pmg: [PMG4001] no way to \\x1b[31mx\npmg: try y\n");
	assert_string_equal(color, "pmg: \033[1;31m[PMG4001]\033[0m no way to \\x1b[31mx\n"
				   "pmg: try y\n");
}

static void say_json(struct pmg_out *out)
{
	pmg_auto(json) struct json_t *json = pmg_json_array();

	pmg_json_add_str(json, "a\nb");
	pmg_out_json(out, json);
}

static void json_is_one_line(void **state)
{
	pmg_autofree char *text = said_by(say_json, false);

	(void)state;
	assert_string_equal(text, "[\"a\\nb\"]\n");
}

static void outside_text_is_made_safe(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ NULL, "" },
		{ "@acme/x", "@acme/x" },
		{ "a\tb\033c", "a\\x09b\\x1bc" },
		{ "r\xc3\xa9", "r\xc3\xa9" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *safe = pmg_out_quote(rows[i].in);

		assert_string_equal(safe, rows[i].out);
	}
}

static void colour_follows_option_then_NO_COLOR(void **state)
{
	struct pmg_out out;

	(void)state;
	assert_int_equal(setenv("TERM", "xterm", 1), 0);
	assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
	pmg_out_init(&out, NULL);
	assert_false(out.messages_color);
	pmg_out_init(&out, "always");
	assert_true(out.messages_color && out.to_color);
	pmg_out_init(&out, "never");
	assert_false(out.messages_color || out.to_color);
	assert_string_equal(pmg_out_on(false, PMG_STYLE_BAD), "");
	assert_string_equal(pmg_out_off(false), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_shows_its_number_and_hint_and_no_control_bytes),
		cmocka_unit_test(json_is_one_line),
		cmocka_unit_test(outside_text_is_made_safe),
		cmocka_unit_test(colour_follows_option_then_NO_COLOR),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
