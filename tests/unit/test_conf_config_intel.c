#include "conf/config_intel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/unit/configured.h"

static void without_feeds_the_public_ones_hold(void **state)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_config_feed *feeds;
	size_t n, i;

	(void)state;
	assert_int_equal(load(V1, &config, &err), 0);
	feeds = pmg_config_feeds(&config.intel, &n);
	assert_int_equal(n, 2);
	for (i = 0; i < n; i++) {
		assert_true(pmg_str_has_prefix(feeds[i].url, "https://"));
		assert_true(pmg_str_has_suffix(feeds[i].url, "/all.zip"));
		assert_int_equal(feeds[i].format, PMG_FEED_OSV_ZIP);
		assert_int_equal(feeds[i].ecosystem, -1);
	}
	assert_int_equal(config.intel.max_age_s, 7 * 86400);
}

static void feeds_are_read_as_they_are_written(void **state)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_config_feed *feeds;
	size_t n;

	(void)state;
	assert_int_equal(load(V1 "intel:\n"
				 "  max_age: 36h\n"
				 "  feeds:\n"
				 "    - {name: a, url: 'http://127.0.0.1:8080/npm/all.zip',"
				 " format: osv-zip}\n"
				 "    - {name: b.2, url: 'file:///srv/x.json', ecosystem: pypi}\n"
				 "    - {name: c, url: 'oci://reg.test/intel:v1'}\n"
				 "    - name: d\n"
				 "      url: 'https://s.test/manifest.json'\n"
				 "      format: pmg-index\n"
				 "      pubkeys: [one, two]\n",
			      &config, &err),
			 0);
	feeds = pmg_config_feeds(&config.intel, &n);
	assert_int_equal(n, 4);
	assert_int_equal(config.intel.max_age_s, 36 * 3600);
	assert_int_equal(feeds[0].format, PMG_FEED_OSV_ZIP);
	assert_int_equal(feeds[0].line, 5);
	assert_int_equal(feeds[1].format, PMG_FEED_AUTO);
	assert_int_equal(feeds[1].ecosystem, 1);
	assert_int_equal(feeds[3].format, PMG_FEED_PMG_INDEX);
	assert_int_equal(feeds[3].pubkeys.n, 2);
}

#define FEED(x) V1 "intel: {feeds: [{" x "}]}\n"

static const struct {
	const char *text;
	const char *msg; /* behind the path */
} bad[] = {
	{ FEED("name: a"), ":2:17: key \"url\" is missing" },
	{ FEED("name: ../a, url: 'https://a.test/x'"),
	  ":2:24: \"name\" is letters, digits and -_. and begins with one of the first two" },
	{ FEED("name: .a, url: 'https://a.test/x'"),
	  ":2:24: \"name\" is letters, digits and -_. and begins with one of the first two" },
	{ FEED("name: a, url: 'https://a.test/x'}, {name: a, url: 'https://b.test/x'"),
	  ":2:60: a second feed \"a\"" },
	{ FEED("name: a, url: 'ftp://a.test/x'"),
	  ":2:32: \"url\": address \"ftp://a.test/x\": neither http:// nor https://" },
	{ FEED("name: a, url: 'file://host/x'"),
	  ":2:32: \"url\": address \"file://host/x\": neither http:// nor https://" },
	{ FEED("name: a, url: 'https://u:p@a.test/x'"),
	  ":2:32: \"url\" has a user name or password in it" },
	{ FEED("name: a, url: 'oci://u:p@a.test/x'"),
	  ":2:32: \"url\" has a user name or password in it" },
	{ FEED("name: a, url: 'https://a.test/x', format: tar"),
	  ":2:60: \"intel.feeds[0].format\" must be one of auto, osv-zip, pmg-index, not \"tar\"" },
	{ FEED("name: a, url: 'https://a.test/x', format: pmg-index"),
	  ":2:17: \"pubkeys\" and \"format: pmg-index\" go together" },
	{ FEED("name: a, url: 'https://a.test/x', pubkeys: [k]"),
	  ":2:17: \"pubkeys\" and \"format: pmg-index\" go together" },
	{ FEED("name: a, url: 'oci://a.test/x', format: pmg-index, pubkeys: [k]"),
	  ":2:17: a signed index is not fetched from oci://" },
	{ V1 "intel: {max_age: 7}\n",
	  ":2:18: \"intel.max_age\" must be a duration with its unit (30s, 5m, 36h, 7d, 2w), "
	  "not \"7\"" },
};

static void a_wrong_feed_is_an_error_with_its_place(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++) {
		pmg_auto(config) struct pmg_config config = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(load(bad[i].text, &config, &err), -PMG_E_CONFIG);
		assert_true(pmg_str_has_prefix(err.msg, file));
		assert_string_equal(err.msg + strlen(file), bad[i].msg);
		assert_null(strstr(err.msg, "u:p@"));
	}
}

static void nobody_said_so_warn_a_person_and_block_for_machines(void **state)
{
	static const struct {
		const char *text;
		bool managed;
		const char *ci;
		int want;
	} rows[] = {
		{ V1, false, NULL, PMG_ON_MISSING_WARN },
		{ V1, false, "", PMG_ON_MISSING_WARN },
		{ V1, false, "false", PMG_ON_MISSING_WARN },
		{ V1, false, "0", PMG_ON_MISSING_WARN },
		{ V1, false, "true", PMG_ON_MISSING_BLOCK },
		{ V1, false, "1", PMG_ON_MISSING_BLOCK },
		{ V1, false, "woodpecker", PMG_ON_MISSING_BLOCK },
		{ V1, true, NULL, PMG_ON_MISSING_BLOCK },
		{ V1 "intel: {on_missing: warn}\n", true, "true", PMG_ON_MISSING_WARN },
		{ V1 "intel: {on_missing: block}\n", false, NULL, PMG_ON_MISSING_BLOCK },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(config) struct pmg_config config = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(load(rows[i].text, &config, &err), 0);
		assert_int_equal(pmg_config_on_missing(&config, rows[i].managed, rows[i].ci),
				 rows[i].want);
	}
}

static void an_index_is_stale_when_it_is_older_than_the_limit(void **state)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(load(V1 "intel: {max_age: 1h}\n", &config, &err), 0);
	assert_int_equal(pmg_config_index_state(&config, false, 0, 7200), PMG_INDEX_MISSING);
	assert_int_equal(pmg_config_index_state(&config, true, 3600, 7200), PMG_INDEX_FRESH);
	assert_int_equal(pmg_config_index_state(&config, true, 3599, 7200), PMG_INDEX_STALE);
	assert_int_equal(pmg_config_index_state(&config, true, 9000, 7200), PMG_INDEX_FRESH);
	assert_string_equal(pmg_index_state_name(PMG_INDEX_STALE), "stale");
}

static void feed_names_are_plain(void **state)
{
	static const struct {
		const char *name;
		bool valid;
	} names[] = { { "osv-npm", true },  { "npm-all.2", true }, { "A_1", true },
		      { "", false },        { "-x", false },       { ".x", false },
		      { "a/b", false },     { "a b", false },      { "a\n", false },
		      { "\xc3\xa9", false } };
	char longest[PMG_FEED_NAME_MAX + 2];
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		assert_int_equal(pmg_feed_name_is_valid(names[i].name), names[i].valid);
	memset(longest, 'a', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	assert_false(pmg_feed_name_is_valid(longest));
	assert_true(pmg_feed_name_is_valid(longest + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_feeds_the_public_ones_hold),
		cmocka_unit_test(feeds_are_read_as_they_are_written),
		cmocka_unit_test(a_wrong_feed_is_an_error_with_its_place),
		cmocka_unit_test(nobody_said_so_warn_a_person_and_block_for_machines),
		cmocka_unit_test(an_index_is_stale_when_it_is_older_than_the_limit),
		cmocka_unit_test(feed_names_are_plain),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
