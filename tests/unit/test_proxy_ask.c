#include "proxy/ask.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/json.h"
#include "base/str.h"
#include "proxy/link.h"
#include "proxy/loop.h"
#include "violation/wire.h"

static void ignore_message(void *ctx, const struct pmg_msg *msg)
{
	(void)ctx;
	(void)msg;
}

static void ignore(void *ctx)
{
	(void)ctx;
}

struct world {
	char *folder;
	struct pmg_judge *judge;
	struct pmg_loop *loop;
	struct pmg_link *link;
	int fds[2];
};

/* A judge without an index, and with two entries in its block list. */
static int set_up(void **state)
{
	static const char list[] = "schema_version: 1\nblock:\n"
				   "  - {purl: \"pkg:npm/bad@1.0.0\", reason: e2e}\n"
				   "  - {purl: \"pkg:npm/worse\", reason: all}\n";
	static const struct pmg_link_user user = { NULL, ignore_message, ignore, ignore };
	struct world *w = pmg_xcalloc(1, sizeof *w);
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *index = NULL;
	pmg_autofree char *blocklist = NULL;

	w->folder = folder_new();
	index = pmg_path_join(w->folder, "intel.db");
	blocklist = pmg_path_join(w->folder, "blocklist.yml");
	folder_write(w->folder, "blocklist.yml", list, strlen(list));
	if (pmg_judge_open(index, blocklist, &w->judge, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	assert_int_equal(pmg_msg_pair(w->fds, &err), 0);
	assert_int_equal(pmg_loop_new(&w->loop, &err), 0);
	assert_int_equal(pmg_link_new(w->loop, w->fds[0], &user, &w->link, &err), 0);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	pmg_link_free(w->link);
	pmg_loop_free(w->loop);
	pmg_judge_close(w->judge);
	(void)close(w->fds[0]);
	(void)close(w->fds[1]);
	folder_free(w->folder);
	free(w);
	return 0;
}

static const struct {
	unsigned type;
	const char *body;
	int r;
	const char *told; /* types and bodies, one a line */
} rows[] = {
	{ PMG_WIRE_ASK,
	  "{\"number\":7,\"eco\":\"npm\",\"names\":[\"x\",\"bad\",\"bad\"],"
	  "\"versions\":[\"1.0.0\",\"1.0.0\",\"2.0.0\"],\"hashes\":[\"\",\"\",\"\"],\"ages\":[\"\","
	  "\"\",\"\"],\"urls\":[\"\",\"\",\"\"],\"limit_ms\":0}",
	  0,
	  "ANSWER {\"number\":7,\"at\":1,\"verdict\":\"block\",\"reason\":\"on your block list\","
	  "\"diag\":3006,\"rule\":\"pkg:npm/bad@1.0.0\",\"note\":\"e2e\",\"ids\":[],"
	  "\"sources\":[\"blocklist\"],\"waivers\":[]}\nANSWERED {\"number\":7}\n" },
	{ PMG_WIRE_ASK,
	  "{\"number\":8,\"eco\":\"pypi\",\"names\":[],\"versions\":[],\"hashes\":[],\"ages\":[],"
	  "\"urls\":[],\"limit_ms\":0}",
	  0, "ANSWERED {\"number\":8}\n" },
	/* Of no version yet: single ones do not count, and none can be unreadable. */
	{ PMG_WIRE_ASK,
	  "{\"number\":8,\"eco\":\"npm\",\"names\":[\"bad\",\"bad\",\"worse\"],\"versions\":[\"\","
	  "\"\",\"\"],\"hashes\":[\"\",\"\",\"\"],\"ages\":[\"open\",\"\",\"open\"],\"urls\":[\"\","
	  "\"\","
	  "\"\"],\"limit_ms\":0}",
	  0,
	  "ANSWER {\"number\":8,\"at\":1,\"verdict\":\"indeterminate\","
	  "\"reason\":\"its name or version cannot be read\",\"diag\":3005,"
	  "\"note\":\"single versions of that name are on record\",\"ids\":[],"
	  "\"sources\":[],\"waivers\":[]}\n"
	  "ANSWER {\"number\":8,\"at\":2,\"verdict\":\"block\",\"reason\":\"on your block list\","
	  "\"diag\":3006,\"rule\":\"pkg:npm/worse\",\"note\":\"all\",\"ids\":[],"
	  "\"sources\":[\"blocklist\"],\"waivers\":[]}\nANSWERED {\"number\":8}\n" },
	/* A name that nobody can ask for does not pass. */
	{ PMG_WIRE_ASK,
	  "{\"number\":9,\"eco\":\"npm\",\"names\":[\"\"],\"versions\":[\"1\"],\"hashes\":[\"\"],"
	  "\"ages\":[\"\"],\"urls\":[\"\"],\"limit_ms\":0}",
	  0,
	  "ANSWER {\"number\":9,\"at\":0,\"verdict\":\"indeterminate\","
	  "\"reason\":\"its name or version cannot be read\",\"diag\":3005,\"ids\":[],"
	  "\"sources\":[],\"waivers\":[]}\nANSWERED {\"number\":9}\n" },
	{ PMG_WIRE_ASK,
	  "{\"number\":1,\"eco\":\"npm\",\"names\":[\"x\"],\"versions\":[],\"hashes\":[\"\"],"
	  "\"ages\":[\"\"],\"urls\":[\"\"],\"limit_ms\":0}",
	  -PMG_E_PEER, "" },
	{ PMG_WIRE_ASK,
	  "{\"number\":1,\"eco\":\"cargo\",\"names\":[],\"versions\":[],\"hashes\":[],\"ages\":[],"
	  "\"urls\":[],\"limit_ms\":0}",
	  -PMG_E_PEER, "" },
	{ PMG_WIRE_ASK, "{}", -PMG_E_PEER, "" },
	{ PMG_WIRE_STOP, "{}", -PMG_E_PEER, "" },
};

static char *heard(int fd)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(1U << 16);
	struct pmg_err err = PMG_ERR_INIT;

	for (;;) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };
		pmg_autofree char *body = NULL;

		if (pmg_msg_recv(fd, &msg, &err) <= 0)
			break;
		body = pmg_json_dump(msg.body);
		assert_int_equal(pmg_str_addf(&out, "%s %s\n",
					      msg.type == PMG_WIRE_ANSWER ? "ANSWER" : "ANSWERED",
					      body),
				 0);
	}
	return pmg_str_steal(&out);
}

static void questions_are_answered_by_the_judge(void **state)
{
	struct world *w = *state;
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	const struct pmg_gate gate = { .judge = w->judge, .catalog = catalog };
	size_t i;

	assert_int_equal(fcntl(w->fds[1], F_SETFL, O_NONBLOCK), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(msg) struct pmg_msg msg = { .type = (uint16_t)rows[i].type };
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *told = NULL;

		assert_int_equal(
			pmg_json_parse("row", rows[i].body, strlen(rows[i].body), &msg.body, &err),
			0);
		assert_int_equal(pmg_ask_answer(&gate, w->link, &msg, &err), rows[i].r);
		told = heard(w->fds[1]);
		if (strcmp(told, rows[i].told) != 0)
			fail_msg("row %zu: %s", i, told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(questions_are_answered_by_the_judge, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
