#include "verdict/oci.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void an_address_is_taken_apart(void **state)
{
	static const struct {
		const char *url, *base, *reference;
	} rows[] = {
		{ "oci://reg.test/team/intel:v1", "https://reg.test:443/v2/team/intel/", "v1" },
		{ "oci://reg.test:5000/intel", "https://reg.test:5000/v2/intel/", "latest" },
		{ "oci://127.0.0.1:5000/a/b/c:1.0", "http://127.0.0.1:5000/v2/a/b/c/", "1.0" },
		{ "oci://reg.test/a@sha256:" HEX, "https://reg.test:443/v2/a/", "sha256:" HEX },
	};
	static const char *const bad[] = {
		"oci://",
		"oci://reg.test",
		"oci://reg.test/",
		"oci://u:p@reg.test/a",
		"oci://reg.test/a:b?c=d",
		"oci://reg.test/a b",
		"https://reg.test/a",
		"oci://reg.test/a:",
		"oci://reg.test/a%2fb",
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(oci) struct pmg_oci oci = { 0 };

		assert_int_equal(pmg_oci_parse(rows[i].url, &oci, &err), 0);
		assert_string_equal(oci.base, rows[i].base);
		assert_string_equal(oci.reference, rows[i].reference);
	}
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++) {
		pmg_auto(oci) struct pmg_oci oci = { 0 };

		if (pmg_oci_parse(bad[i], &oci, &err) != -PMG_E_PARSE)
			fail_msg("%s is an address", bad[i]);
	}
}

static void a_token_is_asked_for_where_it_is_said_and_never_less_safely(void **state)
{
	static const struct {
		const char *challenge, *base, *url; /* NULL: none */
	} rows[] = {
		{ "Bearer "
		  "realm=\"https://a.test/token\",service=\"reg.test\",scope=\"repository:x:pull\"",
		  "https://reg.test/v2/x/",
		  "https://a.test/token?service=reg.test&scope=repository:x:pull" },
		{ "bearer scope=\"a b&c\", realm=\"https://a.test/t\"", "https://r/",
		  "https://a.test/t?service=&scope=a%20b%26c" },
		{ "Bearer realm=\"http://a.test/t\"", "https://r/", NULL },
		{ "Bearer realm=\"http://127.0.0.1/t\"", "http://127.0.0.1/",
		  "http://127.0.0.1/t?service=&scope=" },
		{ "Basic realm=\"https://a.test/t\"", "https://r/", NULL },
		{ "Bearer realm=\"file:///etc/passwd\"", "http://r/", NULL },
		{ "Bearer realm=\"https://u:p@a.test/t\"", "https://r/", NULL },
		{ "Bearer realm=\"https://a.test/t", "https://r/", NULL },
		{ "Bearer service=\"x\"", "https://r/", NULL },
		{ "Bearer ", "https://r/", NULL },
		{ NULL, "https://r/", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *url = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		int r = pmg_oci_token_url(rows[i].challenge, rows[i].base, &url, &err);

		if (r != (rows[i].url ? 0 : -PMG_E_PARSE))
			fail_msg("row %zu: %d", i, r);
		if (rows[i].url)
			assert_string_equal(url, rows[i].url);
	}
}

static void a_token_is_what_a_header_can_hold(void **state)
{
	static const struct {
		const char *text, *token;
	} rows[] = {
		{ "{\"token\":\"abc.def-_=\"}", "Bearer abc.def-_=" },
		{ "{\"access_token\":\"x\"}", "Bearer x" },
		{ "{\"token\":\"a\\r\\nHost: evil\"}", NULL },
		{ "{\"token\":\"\"}", NULL },
		{ "{}", NULL },
		{ "<html>", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *token = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_oci_token(rows[i].text, strlen(rows[i].text), &token, &err),
				 rows[i].token ? 0 : -PMG_E_PARSE);
		if (rows[i].token)
			assert_string_equal(token, rows[i].token);
	}
}

static void the_first_layer_is_the_file(void **state)
{
	static const char good[] = "{\"schemaVersion\":2,\"layers\":[{\"digest\":\"sha256:" HEX
				   "\",\"size\":42},{\"digest\":\"sha256:x\"}]}";
	static const char *const bad[] = {
		"{}",
		"[]",
		"{\"layers\":[]}",
		"{\"layers\":[{\"digest\":\"sha512:" HEX "\",\"size\":1}]}",
		"{\"layers\":[{\"digest\":\"sha256:../../x\",\"size\":1}]}",
		"{\"layers\":[{\"digest\":\"sha256:" HEX "0\",\"size\":1}]}",
		"{\"layers\":[{\"digest\":\"sha256:" HEX "\",\"size\":-1}]}",
		"{\"layers\":[{\"digest\":\"sha256:" HEX "\"}]}",
		"{\"manifests\":[{\"digest\":\"sha256:" HEX "\",\"size\":1}]}",
	};
	struct pmg_oci_blob blob;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_oci_blob(good, strlen(good), &blob, &err), 0);
	assert_string_equal(blob.sha256, HEX);
	assert_int_equal(blob.size, 42);
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++)
		if (pmg_oci_blob(bad[i], strlen(bad[i]), &blob, &err) != -PMG_E_PARSE)
			fail_msg("row %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_taken_apart),
		cmocka_unit_test(a_token_is_asked_for_where_it_is_said_and_never_less_safely),
		cmocka_unit_test(a_token_is_what_a_header_can_hold),
		cmocka_unit_test(the_first_layer_is_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
