#include "verdict/osv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/records.h"
#include "base/str.h"
#include "pm/version.h"

#define NPM(rest) "\"affected\":[{\"package\":{\"ecosystem\":\"npm\",\"name\":\"x\"}," rest "}]"
#define ONE       NPM("\"versions\":[\"1.0.0\"]")
#define ID        "{\"id\":\"MAL-2025-1\","
#define MODIFIED  "\"modified\":\"2025-06-04T10:00:00.5Z\","

static int parse(const char *text, struct pmg_osv *out, struct pmg_err *err)
{
	return pmg_osv_parse(text, strlen(text), out, err);
}

static void a_record_is_reduced_to_what_a_verdict_needs(void **state)
{
	static const char text[] =
		"{\"id\":\"MAL-2025-1\",\"schema_version\":\"1.7.4\",\"details\":"
		"\"\\u00e9\"," MODIFIED "\"affected\":["
		"{\"package\":{\"ecosystem\":\"PyPI\",\"name\":\"Foo_Bar\"},"
		"\"versions\":[\"1.0.0\",\"v_05\"],\"ranges\":[{\"type\":\"ECOSYSTEM\",\"events\":"
		"[{\"introduced\":\"2.0\"},{\"fixed\":\"2.1.0\"}]}]},"
		"{\"package\":{\"ecosystem\":\"RubyGems\",\"name\":\"y\"}},"
		"{\"package\":null},"
		"{\"package\":{\"ecosystem\":\"npm\",\"name\":\"@s/X\"},\"ranges\":"
		"[{\"type\":\"SEMVER\",\"events\":[{\"introduced\":\"0\"}]}]}]}";
	pmg_auto(osv) struct pmg_osv r = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(parse(text, &r, &err), 0);
	assert_string_equal(r.id, "MAL-2025-1");
	assert_int_equal(r.modified, 1749031200);
	assert_true(r.malware);
	assert_false(r.withdrawn);
	assert_false(r.test);
	assert_int_equal(r.elsewhere, 2);
	assert_int_equal(r.n_affected, 2);
	assert_int_equal(r.notes.n, 0);
	assert_int_equal(r.affected[0].eco, PMG_ECO_PYPI);
	assert_string_equal(r.affected[0].name, "foo-bar");
	assert_int_equal(r.affected[0].versions.n, 2);
	assert_string_equal(r.affected[0].versions.v[0], "1");
	assert_string_equal(r.affected[0].versions.v[1], "v_05");
	assert_int_equal(r.affected[0].n_intervals, 1);
	assert_string_equal(r.affected[0].intervals[0].low, "2");
	assert_string_equal(r.affected[0].intervals[0].high, "2.1");
	assert_false(r.affected[0].intervals[0].inclusive);
	assert_string_equal(r.affected[1].name, "@s/X");
	assert_string_equal(r.affected[1].intervals[0].low, "");
	assert_string_equal(r.affected[1].intervals[0].high, "");
}

static const struct {
	const char *text;
	bool malware, withdrawn, test;
} kinds[] = {
	{ ID ONE "}", true, false, false },
	{ "{\"id\":\"LWA-2026-1\"," ONE "}", true, false, false },
	{ "{\"id\":\"MAL-0000-foo\"," ONE "}", true, false, true },
	{ "{\"id\":\"GHSA-1\"," ONE "}", false, false, false },
	{ "{\"id\":\"CVE-2025-1\",\"aliases\":[\"GHSA-1\"]," ONE "}", false, false, false },
	{ "{\"id\":\"GHSA-1\",\"aliases\":[\"CVE-1\",\"MAL-2025-1\"]," ONE "}", true, false,
	  false },
	{ "{\"id\":\"X-1\",\"database_specific\":{\"malicious-packages-origins\":[{}]}," ONE "}",
	  true, false, false },
	{ "{\"id\":\"X-1\",\"database_specific\":{\"malicious-packages-origins\":[]}," ONE "}",
	  false, false, false },
	{ ID "\"withdrawn\":\"2025-01-01T00:00:00Z\"," ONE "}", true, true, false },
	{ ID "\"withdrawn\":null," ONE "}", true, false, false },
	{ ID "\"withdrawn\":\"2025-01-01T00:00:00Z\",\"affected\":[]}", true, true, false },
	{ "{\"id\":\"RHSA-1\",\"affected\":[]}", false, false, false },
	{ "{\"id\":\"RHSA-1\"}", false, false, false },
};

static void only_records_of_malware_count(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(kinds); i++) {
		pmg_auto(osv) struct pmg_osv r = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		if (parse(kinds[i].text, &r, &err) < 0)
			fail_msg("%s: %s", kinds[i].text, err.msg);
		if (r.malware != kinds[i].malware || r.withdrawn != kinds[i].withdrawn ||
		    r.test != kinds[i].test)
			fail_msg("%s: %d %d %d", kinds[i].text, r.malware, r.withdrawn, r.test);
	}
}

static const struct {
	const char *text;
	enum pmg_code code;
	const char *why;
} wrong[] = {
	{ "", PMG_E_PARSE, "record:1:" },
	{ "[]", PMG_E_PARSE, "not a JSON object" },
	{ "{}", PMG_E_PARSE, "no id" },
	{ "{\"id\":\"\"}", PMG_E_PARSE, "no id" },
	{ "{\"id\":7}", PMG_E_PARSE, "no id" },
	{ "{\"id\":\"MAL-1\",\"id\":\"CVE-1\"}", PMG_E_PARSE, "duplicate" },
	{ "{\"id\":\"MAL-1\"", PMG_E_PARSE, "record:1:" },
	{ ID "\"modified\":\"yesterday\"," ONE "}", PMG_E_PARSE, "modified is no date" },
	{ ID "\"affected\":[]}", PMG_E_PARSE, "names no package" },
	{ ID "\"affected\":{}}", PMG_E_PARSE, "names no package" },
	{ ID "\"affected\":[{\"package\":{\"ecosystem\":\"npm\"},\"versions\":[\"1\"]}]}",
	  PMG_E_PARSE, "affected[0]: a package has no name" },
	{ ID NPM("\"versions\":[]") "}", PMG_E_PARSE, "neither versions nor ranges" },
	{ ID NPM("\"versions\":[1]") "}", PMG_E_PARSE, "version 1 is no text" },
	{ ID NPM("\"versions\":[\"1\",\"\"]") "}", PMG_E_PARSE, "version 2 is no text" },
	{ ID NPM("\"ranges\":[{\"type\":\"GIT\",\"events\":[{\"introduced\":\"0\"}]}]") "}",
	  PMG_E_PARSE, "neither versions nor ranges" },
	{ ID NPM("\"ranges\":[{\"type\":\"SEMVER\",\"events\":[{\"fixed\":\"1.0.0\"}]}]") "}",
	  PMG_E_PARSE, "neither versions nor ranges" },
};

static void what_cannot_be_read_is_an_error_that_says_why(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(wrong); i++) {
		struct pmg_osv r = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		if (parse(wrong[i].text, &r, &err) != -(int)wrong[i].code ||
		    !strstr(err.msg, wrong[i].why))
			fail_msg("%s: %s", wrong[i].text, err.msg);
		assert_null(r.id);
	}
}

static void an_entry_that_cannot_be_read_does_not_hide_the_others(void **state)
{
	static const char text[] = ID
		"\"affected\":[{\"package\":{\"ecosystem\":\"npm\",\"name\":\"\"}},"
		"{\"package\":{\"ecosystem\":\"npm\",\"name\":\"x\"},\"versions\":[\"1.0.0\"]}]}";
	pmg_auto(osv) struct pmg_osv r = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(parse(text, &r, &err), 0);
	assert_int_equal(r.n_affected, 1);
	assert_int_equal(r.notes.n, 1);
	assert_string_equal(r.notes.v[0], "affected[0]: a package has no name");
}

#define FILES(list) "\"database_specific\":{\"indicators\":{\"package_integrity\":[" list "]}}"

static void digests_of_artifacts_are_taken_and_odd_ones_told(void **state)
{
	static const char text[] = ID NPM("\"versions\":[\"1.0.0\"]," FILES(
		"{\"filename\":\"a\",\"hashes\":{\"sha1\":\"xx\",\"sha512_sri\":"
		"\"sha512-" ABC512_BASE64 "\",\"sha256\":\"" ABC256
		"\"}},{\"hashes\":{\"sha256\":\"abc\",\"sha512\":7}},"
		"{\"hashes\":null},null,{\"hashes\":{\"sha512\":\"" ABC512 "\"}}")) "}";
	pmg_auto(osv) struct pmg_osv r = { 0 };
	const struct pmg_digest *d;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(parse(text, &r, &err), 0);
	assert_int_equal(r.affected[0].n_digests, 3);
	d = r.affected[0].digests;
	assert_int_equal(d[0].alg, PMG_DIGEST_SHA512);
	assert_int_equal(d[1].alg, PMG_DIGEST_SHA256);
	assert_memory_equal(d[0].bytes, d[2].bytes, 64);
	assert_int_equal(d[1].bytes[0], 0xba);
	assert_int_equal(r.notes.n, 2);
	assert_string_equal(r.notes.v[0], "sha512 of an artifact is passed over: it is no text");
	assert_non_null(
		strstr(r.notes.v[1], "sha256 of an artifact is passed over: a digest of 3"));
}

static void a_record_may_name_a_file_and_no_version(void **state)
{
	pmg_auto(osv) struct pmg_osv r = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(parse(ID NPM(HASH("sha256", ABC256)) "}", &r, &err), 0);
	assert_int_equal(r.affected[0].n_digests, 1);
	assert_int_equal(r.affected[0].versions.n, 0);
}

static void sizes_have_limits(void **state)
{
	char id[PMG_OSV_ID_MAX + 2], name[PMG_NAME_MAX + 2], version[PMG_VERSION_MAX + 2];
	char *texts[3];
	size_t i;

	(void)state;
	memset(id, 'i', sizeof id - 1);
	id[sizeof id - 1] = '\0';
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	memset(version, '1', sizeof version - 1);
	version[sizeof version - 1] = '\0';
	texts[0] = pmg_xasprintf("{\"id\":\"%s\"}", id);
	texts[1] = pmg_xasprintf(ID "\"affected\":[{\"package\":{\"ecosystem\":\"npm\",\"name\":"
				    "\"%s\"},\"versions\":[\"1\"]}]}",
				 name);
	texts[2] = pmg_xasprintf(ID NPM("\"versions\":[\"%s\"]") "}", version);
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++) {
		struct pmg_osv r = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(parse(texts[i], &r, &err), -PMG_E_LIMIT);
		free(texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_reduced_to_what_a_verdict_needs),
		cmocka_unit_test(only_records_of_malware_count),
		cmocka_unit_test(what_cannot_be_read_is_an_error_that_says_why),
		cmocka_unit_test(an_entry_that_cannot_be_read_does_not_hide_the_others),
		cmocka_unit_test(digests_of_artifacts_are_taken_and_odd_ones_told),
		cmocka_unit_test(a_record_may_name_a_file_and_no_version),
		cmocka_unit_test(sizes_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
