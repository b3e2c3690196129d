#include "verdict/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/signing.h"

#define NOW 1780000000
#define DAY 86400

static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";

static struct pmg_sign_key *key_of(const char *pem)
{
	struct pmg_sign_key *key = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_sign_key_read("key", pem, strlen(pem), &key, &err), 0);
	return key;
}

static struct pmg_manifest signed_by(const struct pmg_sign_key *key)
{
	struct pmg_manifest m = { .file = "intel.db",
				  .size = 4096,
				  .sequence = 7,
				  .created = NOW,
				  .expires = NOW + 30 * DAY };
	struct pmg_err err = PMG_ERR_INIT;

	memcpy(m.sha256, zeros, sizeof m.sha256);
	assert_int_equal(pmg_manifest_sign(&m, key, &err), 0);
	return m;
}

static void what_was_written_is_read_again_and_verifies(void **state)
{
	pmg_auto(sign_key) struct pmg_sign_key *key = key_of(SIGN_KEY);
	pmg_auto(sign_key) struct pmg_sign_key *next = key_of(SIGN_OTHER);
	struct pmg_manifest m = signed_by(key), again;
	pmg_autofree char *text = pmg_manifest_format(&m);
	struct pmg_pubkey keys[2];
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_manifest_parse("m", text, strlen(text), &again, &err), 0);
	assert_string_equal(again.file, "intel.db");
	assert_string_equal(again.sha256, zeros);
	assert_int_equal(again.sequence, 7);
	assert_int_equal(again.expires, NOW + 30 * DAY);
	pmg_sign_public(next, &keys[0]);
	pmg_sign_public(key, &keys[1]);
	assert_int_equal(pmg_manifest_verify(&again, keys, 2, NOW, &err), 0);
	/* While keys are changed either is good. */
	again = signed_by(next);
	assert_int_equal(pmg_manifest_verify(&again, keys, 2, NOW, &err), 0);
	assert_int_equal(pmg_manifest_verify(&again, keys + 1, 1, NOW, &err), -PMG_E_PARSE);
	assert_int_equal(err.diag, 3010);
	assert_non_null(strstr(err.msg, "none of those that are pinned"));
}

static void a_changed_value_is_not_what_was_signed(void **state)
{
	pmg_auto(sign_key) struct pmg_sign_key *key = key_of(SIGN_KEY);
	const struct pmg_manifest good = signed_by(key);
	struct pmg_manifest changed[6] = { good, good, good, good, good, good };
	struct pmg_pubkey pinned;
	size_t i;

	(void)state;
	pmg_sign_public(key, &pinned);
	changed[0].file[0] = 'x';
	changed[1].size++;
	changed[2].sha256[5] = '1';
	changed[3].sequence++;
	changed[4].created--;
	changed[5].expires++;
	for (i = 0; i < PMG_ARRAY_LEN(changed); i++) {
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_manifest_verify(&changed[i], &pinned, 1, NOW, &err),
				 -PMG_E_PARSE);
		assert_int_equal(err.diag, 3010);
		assert_non_null(strstr(err.msg, "the signature is not that of the key"));
	}
}

static void it_is_believed_between_its_dates_and_the_clock_is_said(void **state)
{
	static const struct {
		int64_t now;
		const char *what; /* NULL: believed */
	} rows[] = {
		{ NOW, NULL },
		{ NOW + 30 * DAY - 1, NULL },
		{ NOW + 30 * DAY, "the index expired at 2026-06-27T20:26:40Z; this machine's clock "
				  "says 2026-06-27T20:26:40Z" },
		{ NOW - DAY, NULL },
		{ NOW - DAY - 1, "the index was made at 2026-05-28T20:26:40Z; this machine's clock "
				 "says 2026-05-27T20:26:39Z" },
	};
	pmg_auto(sign_key) struct pmg_sign_key *key = key_of(SIGN_KEY);
	const struct pmg_manifest m = signed_by(key);
	struct pmg_pubkey pinned;
	size_t i;

	(void)state;
	pmg_sign_public(key, &pinned);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		int r = pmg_manifest_verify(&m, &pinned, 1, rows[i].now, &err);

		assert_int_equal(r, rows[i].what ? -PMG_E_PARSE : 0);
		if (rows[i].what)
			assert_string_equal(err.msg, rows[i].what);
	}
}

/* The text with one of its parts replaced. */
static char *with(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	assert_non_null(at);
	return pmg_xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void what_is_not_as_it_has_to_be_is_an_error(void **state)
{
	static const struct {
		const char *from, *to, *what;
	} rows[] = {
		{ "\"format\":\"pmg-index\"", "\"format\":\"x\"", "not a manifest of" },
		{ "\"version\":1", "\"version\":2", "not a manifest of" },
		{ "\"version\":1,", "", "not a manifest of" },
		{ "\"file\":\"intel.db\"", "\"file\":\"../x\"", "\"file\"" },
		{ "\"file\":\"intel.db\"", "\"file\":\".x\"", "\"file\"" },
		{ "\"file\":\"intel.db\"", "\"file\":\"\"", "\"file\"" },
		{ "\"size\":4096", "\"size\":-1", "\"size\"" },
		{ "\"size\":4096", "\"size\":\"4096\"", "\"size\"" },
		{ "\"sha256\":\"0", "\"sha256\":\"", "\"sha256\"" },
		{ "\"sha256\":\"0", "\"sha256\":\"G", "\"sha256\"" },
		{ "\"sequence\":7", "\"sequence\":7.5", "\"sequence\"" },
		{ "\"sequence\":7", "\"sequence\":7,\"sequence\":8", "sequence" },
		{ "2026-05-28T20:26:40Z", "2026-05-28T22:26:40+02:00", "\"created\"" },
		{ "2026-06-27T20:26:40Z", "2026-06-27T20:26:40.5Z", "\"expires\"" },
		{ "\"key\":\"", "\"key\":\"0", "\"key\"" },
		{ "\"signature\":\"", "\"signature\":\"AAAA", "\"signature\"" },
		{ "\"signature\":\"", "\"signatur\":\"", "unknown key \"signatur\"" },
		{ "{", "[{", "m" },
	};
	pmg_auto(sign_key) struct pmg_sign_key *key = key_of(SIGN_KEY);
	struct pmg_manifest m = signed_by(key), out;
	pmg_autofree char *text = pmg_manifest_format(&m);
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *bad = with(text, rows[i].from, rows[i].to);
		struct pmg_err err = PMG_ERR_INIT;

		if (pmg_manifest_parse("m", bad, strlen(bad), &out, &err) != -PMG_E_PARSE ||
		    !strstr(err.msg, rows[i].what))
			fail_msg("row %zu: %s", i, err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read_again_and_verifies),
		cmocka_unit_test(a_changed_value_is_not_what_was_signed),
		cmocka_unit_test(it_is_believed_between_its_dates_and_the_clock_is_said),
		cmocka_unit_test(what_is_not_as_it_has_to_be_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
