#include "violation/wire.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/str.h"

static struct json_t *json_of(const char *text)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *json = NULL;

	assert_int_equal(pmg_json_parse("row", text, strlen(text), &json, &err), 0);
	return json;
}

/* One decoder a message, in a shape that a row can hold: decode, encode again, free. */
#define RECODE(NAME)                                                                               \
	static int recode_##NAME(const struct json_t *body, char **again, struct pmg_err *err)     \
	{                                                                                          \
		struct pmg_wire_##NAME m = { 0 };                                                  \
		struct json_t *json;                                                               \
		int r = pmg_wire_##NAME##_decode(body, &m, err);                                   \
                                                                                                   \
		if (r < 0)                                                                         \
			return r;                                                                  \
		json = pmg_wire_##NAME##_encode(&m);                                               \
		*again = pmg_json_dump(json);                                                      \
		pmg_json_free(json);                                                               \
		pmg_wire_##NAME##_done(&m);                                                        \
		return 0;                                                                          \
	}

RECODE(registry)
RECODE(source)
RECODE(start)
RECODE(ready)
RECODE(judged)
RECODE(passed)
RECODE(trouble)
RECODE(dated)
RECODE(contents)
RECODE(done)
RECODE(netrule)
RECODE(listen)
RECODE(walls)
RECODE(started)
RECODE(stopped)
RECODE(ended)
RECODE(connect)
RECODE(packages)
RECODE(ask)
RECODE(answer)
RECODE(answered)

static int recode_failed(const struct json_t *body, char **again, struct pmg_err *err)
{
	struct pmg_err m = PMG_ERR_INIT;
	struct json_t *json;
	int r = pmg_wire_failed_decode(body, &m, err);

	if (r < 0)
		return r;
	json = pmg_wire_failed_encode(&m);
	*again = pmg_json_dump(json);
	pmg_json_free(json);
	return 0;
}

typedef int recode_fn(const struct json_t *body, char **again, struct pmg_err *err);

static const struct {
	recode_fn *fn;
	const char *json;
} whole[] = {
	{ recode_registry, "{\"eco\":\"npm\",\"url\":\"http://registry.test/"
			   "\",\"is_private\":false,\"is_replaced\":true}" },
	{ recode_registry, "{\"eco\":\"npm\",\"url\":\"http://registry.test/"
			   "\",\"scope\":\"@a\",\"is_private\":true,\"is_replaced\":false}" },
	{ recode_packages, "{\"piece\":\"{\\\"enabled\\\":true\"}" },
	{ recode_source, "{\"eco\":\"pypi\",\"url\":\"http://h.test/x.whl\",\"name\":\"x\","
			 "\"version\":\"1\"}" },
	{ recode_start, "{\"token\":\"t\",\"index_path\":\"/i\",\"blocklist_path\":\"/b\","
			"\"managed_path\":\"/m\",\"contents_path\":\"/c\",\"https_proxy\":\"http://"
			"p.test:1\",\"ca_files\":[\"/c\"],"
			"\"ca_dirs\":[],\"debug\":true,\"walls\":false,\"inspect\":true,"
			"\"inspect_block\":[\"device\"],\"inspect_report\":[]}" },
	{ recode_ready, "{\"index_present\":true,\"index_built\":1,\"index_checked\":1,"
			"\"index_records\":2,"
			"\"blocklist_entries\":3,\"ca_pem\":\"c\",\"notes\":[\"n\"]}" },
	{ recode_judged, "{\"eco\":\"npm\",\"name\":\"x\",\"version\":\"1.0.0\","
			 "\"verdict\":\"block\",\"reason\":\"known malware\",\"diag\":3001,"
			 "\"more\":168,\"url\":\"http://registry.test/x\",\"ids\":[\"MAL-1\"],"
			 "\"sources\":[\"osv\"],\"findings\":[\"link: a\"],\"waivers\":[]}" },
	{ recode_judged, "{\"eco\":\"npm\",\"name\":\"x\",\"version\":\"1.0.0\","
			 "\"verdict\":\"block\",\"diag\":3006,\"rule\":\"pkg:npm/x\","
			 "\"more\":0,\"url\":\"http://registry.test/x\",\"ids\":[],\"sources\":[],"
			 "\"findings\":[],\"waivers\":[\"w\"]}" },
	{ recode_passed, "{\"target\":\"h.test:443\",\"why\":\"tunnel\"}" },
	{ recode_trouble, "{\"target\":\"h.test:443\",\"what\":\"refused\",\"diag\":4001}" },
	{ recode_dated, "{\"lines\":[\"l\"]}" },
	{ recode_contents, "{\"lines\":[]}" },
	{ recode_done, "{\"requests\":1,\"bytes\":9223372036854775807,\"learned\":[]}" },
	{ recode_netrule, "{\"rank\":5,\"roles\":1,\"layer\":0,\"text\":\"registry\","
			  "\"source\":\"built-in:3\",\"sensitive\":false}" },
	{ recode_listen, "{\"kinds\":[\"proxy\",\"broker\"]}" },
	{ recode_walls, "{\"kinds\":[\"proxy\"],\"notes\":[\"n\"]}" },
	{ recode_started, "{\"pid\":12}" },
	{ recode_stopped, "{\"signal\":20}" },
	{ recode_ended, "{\"status\":256}" },
	{ recode_connect,
	  "{\"protocol\":\"tcp6\",\"local\":\"[::1]:65535\",\"target\":\"[::1]:443\","
	  "\"role\":2,\"package\":\"x@1\",\"script\":\"install\","
	  "\"how_known\":\"tree\",\"process\":[\"npm\"]}" },
	{ recode_connect,
	  "{\"protocol\":\"udp4\",\"local\":\"10.0.0.1:1\",\"target\":\"10.0.0.1:53\","
	  "\"role\":1,\"process\":[]}" },
	{ recode_ask, "{\"number\":1,\"eco\":\"npm\",\"names\":[\"x\"],\"versions\":[\"\"],"
		      "\"hashes\":[\"sha512-ab\"],\"ages\":[\"ahead\"],\"urls\":[\"\"],"
		      "\"limit_ms\":5}" },
	{ recode_answer,
	  "{\"number\":1,\"at\":0,\"verdict\":\"block\",\"reason\":\"known malware\","
	  "\"diag\":3001,\"ids\":[\"MAL-1\"],\"sources\":[\"osv\"],"
	  "\"waivers\":[\"waived\"]}" },
	{ recode_answered, "{\"number\":1}" },
	{ recode_failed, "{\"code\":3,\"errnum\":0,\"diag\":0,\"msg\":\"m\",\"hint\":\"h\"}" },
};

static void every_message_survives_the_way(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(whole); i++) {
		pmg_auto(json) struct json_t *body = json_of(whole[i].json);
		pmg_autofree char *again = NULL;

		assert_int_equal(whole[i].fn(body, &again, &err), 0);
		assert_string_equal(again, whole[i].json);
	}
}

static const struct {
	recode_fn *fn;
	const char *json;
	const char *msg;
} broken[] = {
	{ recode_passed, "[]", "message is no object" },
	{ recode_passed, "{\"target\":\"a\"}", "message field \"why\" is missing" },
	{ recode_passed, "{\"target\":\"a\",\"why\":null}", "message field \"why\" is no text" },
	{ recode_passed, "{\"target\":1,\"why\":\"b\"}", "message field \"target\" is no text" },
	{ recode_passed, "{\"target\":\"a\",\"why\":\"b\",\"more\":1}",
	  "message has an unknown field" },
	{ recode_registry, "{\"eco\":\"0123456789abcdefg\",\"url\":\"u\"}",
	  "message field \"eco\" is too long" },
	{ recode_registry, "{\"eco\":\"npm\",\"url\":\"u\",\"scope\":null}",
	  "message field \"scope\" is no text" },
	{ recode_trouble, "{\"target\":\"a\",\"what\":\"b\",\"diag\":-1}",
	  "message field \"diag\" is no count" },
	{ recode_trouble, "{\"target\":\"a\",\"what\":\"b\",\"diag\":1.5}",
	  "message field \"diag\" is no count" },
	{ recode_trouble, "{\"target\":\"a\",\"what\":\"b\",\"diag\":2147483648}",
	  "message field \"diag\" is too large" },
	{ recode_done, "{\"requests\":true,\"bytes\":0,\"learned\":[]}",
	  "message field \"requests\" is no count" },
	{ recode_done, "{\"requests\":0,\"bytes\":0,\"learned\":{}}",
	  "message field \"learned\" is no list" },
	{ recode_done, "{\"requests\":0,\"bytes\":0,\"learned\":[\"a\",1]}",
	  "message field \"learned\" holds no text, or one too long" },
	{ recode_ready,
	  "{\"index_present\":1,\"index_built\":1,\"index_checked\":1,"
	  "\"index_records\":2,"
	  "\"blocklist_entries\":3,\"ca_pem\":\"c\",\"notes\":[]}",
	  "message field \"index_present\" is neither true nor false" },
	{ recode_connect,
	  "{\"protocol\":\"udp4\",\"local\":\"l\",\"target\":\"t\",\"role\":4,"
	  "\"process\":[]}",
	  "message field \"role\" is too large" },
	{ recode_netrule,
	  "{\"rank\":6,\"roles\":1,\"layer\":0,\"text\":\"t\",\"source\":\"s\","
	  "\"sensitive\":false}",
	  "message field \"rank\" is too large" },
	{ recode_failed, "{\"code\":0,\"errnum\":0,\"diag\":0,\"msg\":\"m\",\"hint\":\"\"}",
	  "message field \"code\" is no error code" },
	{ recode_failed, "{\"code\":99,\"errnum\":0,\"diag\":0,\"msg\":\"m\",\"hint\":\"\"}",
	  "message field \"code\" is no error code" },
};

static void broken_messages_are_refused_by_the_field(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(broken); i++) {
		pmg_auto(json) struct json_t *body = json_of(broken[i].json);
		pmg_autofree char *again = NULL;

		assert_int_equal(broken[i].fn(body, &again, &err), -PMG_E_PEER);
		assert_string_equal(err.msg, broken[i].msg);
		assert_null(again);
	}
}

static void a_failed_decode_leaves_the_output_alone(void **state)
{
	struct pmg_wire_passed m = { 0 };
	struct pmg_err err = PMG_ERR_INIT, failed = PMG_ERR_INIT;
	pmg_auto(json) struct json_t *body = json_of("{\"target\":\"a\",\"why\":7}");

	(void)state;
	assert_int_equal(pmg_wire_passed_decode(body, &m, &err), -PMG_E_PEER);
	assert_null(m.target);
	assert_int_equal(pmg_wire_failed_decode(body, &failed, &err), -PMG_E_PEER);
	assert_string_equal(failed.msg, "");
}

static void lists_longer_than_their_maximum_are_refused(void **state)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(65536);
	struct pmg_wire_done m = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(json) struct json_t *body = NULL;
	unsigned i;

	(void)state;
	assert_int_equal(pmg_str_adds(&text, "{\"requests\":0,\"bytes\":0,\"learned\":[\"\""), 0);
	for (i = 0; i < PMG_WIRE_LIST_MAX; i++)
		assert_int_equal(pmg_str_adds(&text, ",\"\""), 0);
	assert_int_equal(pmg_str_adds(&text, "]}"), 0);
	body = json_of(text.s);
	assert_int_equal(pmg_wire_done_decode(body, &m, &err), -PMG_E_PEER);
	assert_string_equal(err.msg, "message field \"learned\" is too long");
}

static void an_error_cut_inside_a_character_still_arrives(void **state)
{
	struct pmg_err sent = PMG_ERR_INIT, got = PMG_ERR_INIT, err = PMG_ERR_INIT;
	pmg_auto(json) struct json_t *body = NULL;

	(void)state;
	memset(sent.msg, 0xe2, sizeof sent.msg - 1);
	(void)pmg_err_hint(&sent, "do this");
	body = pmg_wire_failed_encode(&sent);
	assert_int_equal(pmg_wire_failed_decode(body, &got, &err), 0);
	assert_int_equal(got.code, PMG_E_INTERNAL);
	assert_string_equal(got.hint, "do this");
}

static void messages_cross_a_socket(void **state)
{
	struct pmg_wire_passed m = { (char *)(uintptr_t) "h.test:443",
				     (char *)(uintptr_t) "tunnel" };
	pmg_auto(json) struct json_t *body = pmg_wire_passed_encode(&m);
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	pmg_auto(wire_passed) struct pmg_wire_passed got = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];

	(void)state;
	assert_int_equal(pmg_msg_pair(fds, &err), 0);
	assert_int_equal(pmg_msg_send(fds[0], PMG_WIRE_PASSED, body, &err), 0);
	assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), 1);
	assert_int_equal(msg.type, PMG_WIRE_PASSED);
	assert_int_equal(pmg_wire_passed_decode(msg.body, &got, &err), 0);
	assert_string_equal(got.target, "h.test:443");
	pmg_auto_closep(&fds[0]);
	pmg_auto_closep(&fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_survives_the_way),
		cmocka_unit_test(broken_messages_are_refused_by_the_field),
		cmocka_unit_test(a_failed_decode_leaves_the_output_alone),
		cmocka_unit_test(lists_longer_than_their_maximum_are_refused),
		cmocka_unit_test(an_error_cut_inside_a_character_still_arrives),
		cmocka_unit_test(messages_cross_a_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
