#include "proxy/learn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/str.h"

static struct pmg_catalog *two_registries(void)
{
	struct pmg_catalog *catalog = pmg_catalog_new();
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(
		pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://npm.test/r/", &err), 0);
	assert_int_equal(
		pmg_catalog_add_registry(catalog, PMG_ECO_PYPI, "https://pypi.test/simple/", &err),
		0);
	return catalog;
}

/* One document; @return what "address" is then: "name@version ...", NULL when nothing */
static char *teach(enum pmg_eco eco, const char *type, const char *encoding, const char *body,
		   size_t len, size_t piece, const char *address)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = two_registries();
	pmg_auto(learner) struct pmg_learner *learner = NULL;
	pmg_auto(asked) struct pmg_asked asked = { 0 };
	pmg_auto(url) struct pmg_url page = { 0 };
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_str text = PMG_STR_INIT(65536);
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	assert_int_equal(pmg_url_parse(eco == PMG_ECO_NPM ? "https://npm.test/r/pkg"
							  : "https://pypi.test/simple/pkg/",
				       &page, &err),
			 0);
	learner =
		pmg_learner_new(catalog, eco == PMG_ECO_NPM ? 0 : 1, &page, "pkg", type, encoding);
	if (!learner)
		return NULL;
	for (i = 0; i < len; i += piece)
		pmg_learner_feed(learner, body + i, len - i < piece ? len - i : piece);
	assert_int_equal(pmg_url_parse(address, &url, &err), 0);
	pmg_catalog_ask(catalog, &url, &asked);
	if (asked.kind != PMG_PATH_ARTIFACT)
		return NULL;
	for (i = 0; i < asked.who.n; i++)
		assert_int_equal(
			pmg_str_addf(&text, "%s%s@%s", i ? " " : "", asked.who.v[i].name,
				     asked.who.v[i].version ? asked.who.v[i].version : "?"),
			0);
	return pmg_str_steal(&text);
}

struct row {
	const char *type, *body, *address, *who;
};

static void check_rows(enum pmg_eco eco, const struct row *rows, size_t n)
{
	size_t i, piece;

	for (i = 0; i < n; i++)
		for (piece = 1; piece < 50; piece += 3) {
			pmg_autofree char *got =
				teach(eco, rows[i].type, NULL, rows[i].body, strlen(rows[i].body),
				      piece, rows[i].address);

			if (!pmg_streq(got, rows[i].who))
				fail_msg("%s is %s after %s", rows[i].address,
					 got ? got : "nothing", rows[i].body);
		}
}

#define JSON "application/json"

static void npm_documents_name_their_tarballs(void **state)
{
	static const struct row rows[] = {
		{ JSON,
		  "{\"name\":\"other\",\"versions\":{\"1.0.0\":{\"dist\":{\"tarball\":\"https://"
		  "dl.test/1\"}},\"2.0.0\":{\"version\":\"1.0.0\",\"dist\":{\"integrity\":\"x\","
		  "\"tarball\":\"https://dl.test/2\"}}},\"time\":{}}",
		  "https://dl.test/2", "pkg@2.0.0" },
		{ "application/vnd.npm.install-v1+json",
		  "{\"versions\":{\"1.0.0\":{\"dist\":{\"tarball\":\"https:\\/\\/"
		  "dl.test\\u002f1\"}}}}",
		  "https://dl.test/1", "pkg@1.0.0" },
		{ "text/plain", "{\"versions\":{\"1.0.0\":{\"dist\":{\"tarball\":\"/dl/1\"}}}}",
		  "https://npm.test/dl/1", "pkg@1.0.0" },
		{ JSON, "{\"dist\":{\"tarball\":\"https://dl.test/1\"},\"version\":\"3.0.0\"}",
		  "https://dl.test/1", "pkg@3.0.0" },
		{ JSON, "{\"version\":\"3.0.0\",\"dist\":{\"tarball\":\"https://dl.test/1\"}}",
		  "https://dl.test/1", "pkg@3.0.0" },
		{ JSON,
		  "{\"versions\":{\"1.0.0\":{\"x\":{\"dist\":{\"tarball\":\"https://dl.test/1\"}},"
		  "\"dist\":{\"x\":{\"tarball\":\"https://dl.test/"
		  "1\"}}}},\"x\":{\"1.0.0\":{\"dist\":"
		  "{\"tarball\":\"https://dl.test/1\"}}},\"versions\":[{\"dist\":{\"tarball\":"
		  "\"https://dl.test/1\"}}]}",
		  "https://dl.test/1", NULL },
		{ JSON,
		  "{\"versions\":{\"1.0.0\":{\"dist\":{\"tarball\":\"https://dl.test/1\"}}},"
		  "\"versions\":{\"2.0.0\":{\"dist\":{\"tarball\":\"https://dl.test/1\"}}}}",
		  "https://dl.test/1", "pkg@1.0.0 pkg@2.0.0" },
		{ JSON, "{\"versions\":{\"1.0.0\":{\"dist\":{\"tarball\":7}}}}",
		  "https://dl.test/1", NULL },
	};

	(void)state;
	check_rows(PMG_ECO_NPM, rows, PMG_ARRAY_LEN(rows));
}

static void pypi_pages_name_their_files(void **state)
{
	static const struct row rows[] = {
		{ "application/vnd.pypi.simple.v1+json",
		  "{\"files\":[{\"filename\":\"pkg-1.0-1.tar.gz\",\"hashes\":{\"url\":\"no\"},"
		  "\"url\":\"https://files.test/pkg-1.0-1.tar.gz\"}]}",
		  "https://files.test/pkg-1.0-1.tar.gz", "pkg@1.0-1" },
		{ JSON, "{\"files\":[{\"url\":\"../../f/pkg-1.0.zip\"},{\"url\":\"b-1-2.zip\"}]}",
		  "https://pypi.test/f/pkg-1.0.zip", "pkg@1.0" },
		{ "Text/HTML; charset=utf-8",
		  "<!DOCTYPE html><a "
		  "href=\"https://files.test/x/PKG-1.0.tar.gz#sha256=00\">x</a>",
		  "https://files.test/x/PKG-1.0.tar.gz", "PKG@1.0" },
		{ "text/html",
		  "<base href=\"https://files.test/b/\"><a href=\"get?id=1#md5=0\">x</a>",
		  "https://files.test/b/get?id=1", "pkg@?" },
		{ "text/html", "<a href=\"https://home.test/about\">x</a>",
		  "https://home.test/about", NULL },
		{ "application/vnd.pypi.simple.v1+html",
		  "<a href=\"https://files.test/evil-1.0.zip\">x</a>",
		  "https://files.test/evil-1.0.zip", "pkg@? evil@1.0" },
		{ "text/plain", "{\"files\":[{\"url\":\"https://files.test/pkg-1.0.zip\"}]}",
		  "https://files.test/pkg-1.0.zip", NULL },
		{ JSON,
		  "{\"meta\":{\"files\":[{\"url\":\"https://files.test/pkg-1.0.zip\"}]},"
		  "\"files\":{\"url\":\"https://files.test/pkg-1.0.zip\"}}",
		  "https://files.test/pkg-1.0.zip", NULL },
	};

	(void)state;
	check_rows(PMG_ECO_PYPI, rows, PMG_ARRAY_LEN(rows));
}

static void compressed_bodies_are_read_or_said_to_be_unreadable(void **state)
{
	static const char body[] =
		"{\"versions\":{\"1.0.0\":{\"dist\":{\"tarball\":\"https://dl.test/1\"}}}}";
	static const struct {
		int bits;
		const char *encoding, *who;
	} rows[] = {
		{ 31, "gzip", "pkg@1.0.0" },
		{ 31, "X-GZIP", "pkg@1.0.0" },
		{ 15, "deflate", "pkg@1.0.0" },
		{ 31, "br", NULL },
		{ 31, "gzip, gzip", NULL },
		{ 31, "identity", NULL },
		{ 31, NULL, NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *got = NULL;
		z_stream z = { 0 };
		char packed[400];

		assert_int_equal(
			deflateInit2(&z, 9, Z_DEFLATED, rows[i].bits, 9, Z_DEFAULT_STRATEGY), Z_OK);
		z.next_in = (z_const Bytef *)(size_t)body;
		z.avail_in = sizeof body - 1;
		z.next_out = (Bytef *)packed;
		z.avail_out = sizeof packed;
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		got = teach(PMG_ECO_NPM, JSON, rows[i].encoding, packed,
			    sizeof packed - z.avail_out, 11, "https://dl.test/1");
		assert_true(pmg_streq(got, rows[i].who));
		assert_int_equal(deflateEnd(&z), Z_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(npm_documents_name_their_tarballs),
		cmocka_unit_test(pypi_pages_name_their_files),
		cmocka_unit_test(compressed_bodies_are_read_or_said_to_be_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
