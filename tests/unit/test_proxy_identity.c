#include "proxy/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "pm/version.h"

/* "name@version name@version", "?" where there is no version. */
static char *show(const struct pmg_identities *list)
{
	struct pmg_str text = PMG_STR_INIT(65536);
	size_t i;

	for (i = 0; i < list->n; i++)
		assert_int_equal(pmg_str_addf(&text, "%s%s@%s", i ? " " : "", list->v[i].name,
					      list->v[i].version ? list->v[i].version : "?"),
				 0);
	return pmg_str_steal(&text);
}

struct row {
	const char *path;
	enum pmg_path_kind kind;
	const char *who;
};

static void check_rows(enum pmg_eco eco, const struct row *row, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		pmg_auto(identities) struct pmg_identities who = { 0 };
		enum pmg_path_kind kind = pmg_identity_path(eco, row[i].path, &who);
		pmg_autofree char *text = show(&who);

		if (kind != row[i].kind)
			fail_msg("%s: kind %d", row[i].path, (int)kind);
		assert_string_equal(text, row[i].who);
		assert_false(who.overflow);
	}
}

static void npm_paths_name_their_package(void **state)
{
	static const struct row rows[] = {
		{ "is-odd", PMG_PATH_METADATA, "is-odd@?" },
		{ "is-odd/", PMG_PATH_METADATA, "is-odd@?" },
		{ "is-odd/latest", PMG_PATH_METADATA, "is-odd@latest" },
		{ "is-odd/3.0.1", PMG_PATH_METADATA, "is-odd@3.0.1" },
		{ "@acme/x", PMG_PATH_METADATA, "@acme/x@?" },
		{ "@acme/x/^1", PMG_PATH_METADATA, "@acme/x@^1" },
		{ "is-odd/-/is-odd-3.0.1.tgz", PMG_PATH_ARTIFACT, "is-odd@3.0.1" },
		{ "is-odd//-//is-odd-3.0.1.tgz", PMG_PATH_ARTIFACT, "is-odd@3.0.1" },
		{ "is-odd/-/is-odd-3.0.1.tgz/", PMG_PATH_ARTIFACT, "is-odd@3.0.1" },
		{ "is-odd/-/is-odd-3.0.1.tgz;a=b", PMG_PATH_ARTIFACT, "is-odd@3.0.1" },
		{ "is-odd/-/is-odd-3.0.1.TGZ", PMG_PATH_ARTIFACT, "is-odd@3.0.1" },
		{ "JSONStream/-/jsonstream-1.0.0.tgz", PMG_PATH_ARTIFACT, "JSONStream@1.0.0" },
		{ "@acme/x/-/x-1.0.0-rc.1.tgz", PMG_PATH_ARTIFACT, "@acme/x@1.0.0-rc.1" },
		{ "@acme/x/-/@acme/x-1.0.0.tgz", PMG_PATH_ARTIFACT, "@acme/x@1.0.0" },
		{ "x-1/-/x-1-2.0.0.tgz", PMG_PATH_ARTIFACT, "x-1@2.0.0" },
		{ "x/-/2.0.0/x-1.0.0.tgz", PMG_PATH_ARTIFACT, "x@1.0.0 x@2.0.0" },
		{ "x/-/y-1.0.0.tgz", PMG_PATH_ARTIFACT, "x@1.0.0" },
		{ "x/-/a-1.0.0-2.0.0.tgz", PMG_PATH_ARTIFACT, "x@1.0.0-2.0.0 x@2.0.0" },
		{ "x/-/x-nightly.tgz", PMG_PATH_ARTIFACT, "x@nightly" },
		{ "x/-/blob", PMG_PATH_ARTIFACT, "x@?" },
		{ "x/-/y/-/y-1.0.0.tgz", PMG_PATH_ARTIFACT, "x@1.0.0 y@1.0.0" },
		{ "-/x/-/x-1.0.0.tgz", PMG_PATH_ARTIFACT, "x@1.0.0" },
		{ "x/x-1.0.0.tgz", PMG_PATH_ARTIFACT, "x@1.0.0" },
		{ "x/y-1.0.0.tgz", PMG_PATH_METADATA, "x@y-1.0.0.tgz" },
		{ "", PMG_PATH_OTHER, "" },
		{ "@acme", PMG_PATH_OTHER, "" },
		{ "-/v1/search", PMG_PATH_OTHER, "" },
		{ "-/npm/v1/security/advisories/bulk", PMG_PATH_OTHER, "" },
		{ "-/package/x/dist-tags", PMG_PATH_OTHER, "" },
		{ "download/@acme/x/1.0.0/0a1b", PMG_PATH_ARTIFACT, "@acme/x@1.0.0" },
		{ "a/download/x/1.0.0-rc.1/0a1b/c", PMG_PATH_ARTIFACT, "x@1.0.0-rc.1" },
		{ "download/@acme/x/1.0.0", PMG_PATH_OTHER, "" },
		{ "download/x/latest/0a1b", PMG_PATH_OTHER, "" },
		{ "download/a/x/1.0.0/0a1b", PMG_PATH_OTHER, "" },
		{ "x/y/1.0.0/0a1b", PMG_PATH_OTHER, "" },
		{ "~/11/@acme/x/1.0.0.tgz", PMG_PATH_ARTIFACT, "@acme/x@1.0.0" },
		{ "x/1.0.0.tgz", PMG_PATH_ARTIFACT, "x@1.0.0" },
		{ "x/latest.tgz", PMG_PATH_METADATA, "x@latest.tgz" },
		{ "1.0.0.tgz", PMG_PATH_METADATA, "1.0.0.tgz@?" },
	};

	(void)state;
	check_rows(PMG_ECO_NPM, rows, PMG_ARRAY_LEN(rows));
}

static void pypi_paths_name_their_package(void **state)
{
	static const struct row rows[] = {
		{ "requests/", PMG_PATH_METADATA, "requests@?" },
		{ "Zope.Interface", PMG_PATH_METADATA, "Zope.Interface@?" },
		{ "", PMG_PATH_OTHER, "" },
		{ "a/b/", PMG_PATH_OTHER, "" },
		{ "requests-2.31.0-py3-none-any.whl", PMG_PATH_ARTIFACT, "requests@2.31.0" },
		{ "p/ab/requests-2.31.0-py3-none-any.whl.metadata", PMG_PATH_ARTIFACT,
		  "requests@2.31.0" },
		{ "a_b-1.0-1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
		  PMG_PATH_ARTIFACT, "a_b@1.0 a_b-1.0@1" },
		{ "a-b-1.0-py2-none-any.whl", PMG_PATH_ARTIFACT, "a-b@1.0" },
		{ "a-1.0+local.1-py3-none-any.whl", PMG_PATH_ARTIFACT, "a@1.0+local.1" },
		{ "a-1.0_1-py3-none-any.whl", PMG_PATH_ARTIFACT, "a@1.0-1" },
		{ "a-nightly-py3-none-any.whl", PMG_PATH_ARTIFACT, "a@nightly" },
		{ "a.whl", PMG_PATH_ARTIFACT, "a@?" },
		{ "requests-2.31.0.tar.gz", PMG_PATH_ARTIFACT, "requests@2.31.0" },
		{ "requests-2.31.0.TAR.GZ", PMG_PATH_ARTIFACT, "requests@2.31.0" },
		{ "a-b-1.0.zip", PMG_PATH_ARTIFACT, "a-b@1.0" },
		{ "a-1.0-1.tar.bz2", PMG_PATH_ARTIFACT, "a@1.0-1 a-1.0@1" },
		{ "a-1.0-beta-x.tar.gz", PMG_PATH_ARTIFACT, "a@1.0-beta-x" },
		{ "a-b-dev.tar.gz", PMG_PATH_ARTIFACT, "a-b@dev" },
		{ "snapshot.zip", PMG_PATH_ARTIFACT, "snapshot@?" },
		{ "a-1.0-py3.11.egg", PMG_PATH_ARTIFACT, "a@1.0" },
		{ "a-pyx-1.0-py2.7-linux-x86_64.egg", PMG_PATH_ARTIFACT, "a-pyx@1.0" },
		{ "a-1.0.tar.gz/", PMG_PATH_ARTIFACT, "a@1.0" },
		{ "a-1.0.tar.gz.asc", PMG_PATH_METADATA, "a-1.0.tar.gz.asc@?" },
	};

	(void)state;
	check_rows(PMG_ECO_PYPI, rows, PMG_ARRAY_LEN(rows));
}

static void artifacts_are_known_anywhere_on_their_host(void **state)
{
	static const struct {
		enum pmg_eco eco;
		const char *path, *who;
	} rows[] = {
		{ PMG_ECO_NPM, "/repo/npm/is-odd/-/is-odd-1.0.0.tgz", "is-odd@1.0.0" },
		{ PMG_ECO_NPM, "/r/@a/b/-/b-1.0.0.tgz", "@a/b@1.0.0" },
		{ PMG_ECO_NPM, "/is-odd", NULL },
		{ PMG_ECO_PYPI, "/packages/ab/cd/x-1.0.tar.gz", "x@1.0" },
		{ PMG_ECO_PYPI, "/packages/ab/cd/x", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(identities) struct pmg_identities who = { 0 };
		pmg_autofree char *text = NULL;

		assert_int_equal(pmg_identity_artifact(rows[i].eco, rows[i].path, &who),
				 rows[i].who != NULL);
		text = show(&who);
		assert_string_equal(text, rows[i].who ? rows[i].who : "");
	}
}

static void the_page_settles_how_a_file_name_is_split(void **state)
{
	static const struct {
		const char *file, *project, *version;
	} rows[] = {
		{ "a_b-1.0-1-py3-none-any.whl", "A.B", "1.0" },
		{ "a-1.0-1.tar.gz", "a", "1.0-1" },
		{ "a-1.0-1.tar.gz", "a-1-0", "1" },
		{ "a-1.0.tar.gz", "b", NULL },
		{ "readme.txt", "readme", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *version =
			pmg_identity_pypi_version(rows[i].file, rows[i].project);

		assert_true(pmg_streq(version, rows[i].version));
	}
}

static void too_many_readings_are_an_overflow(void **state)
{
	pmg_auto(identities) struct pmg_identities who = { 0 };
	char big[PMG_NAME_MAX + 20];

	(void)state;
	assert_int_equal(
		pmg_identity_path(PMG_ECO_PYPI, "a-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1x.zip", &who),
		PMG_PATH_ARTIFACT);
	assert_true(who.overflow);
	pmg_identities_done(&who);
	assert_false(who.overflow);
	memset(big, 'a', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	pmg_identities_add(&who, PMG_ECO_NPM, big, NULL);
	assert_true(who.overflow);
	assert_int_equal(who.n, 0);
}

static void unknown_artifacts_are_told_by_their_ending(void **state)
{
	static const struct {
		const char *path;
		bool is;
	} rows[] = {
		{ "/a/b.tgz", true },
		{ "/a/b.TAR.GZ", true },
		{ "/b.whl", true },
		{ "/b.zip/", true },
		{ "/b-1.whl.metadata", true },
		{ "/b.json", false },
		{ "/tgz", false },
		{ "/", false },
		{ "/.tgz", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_int_equal(pmg_path_looks_like_artifact(rows[i].path), rows[i].is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(npm_paths_name_their_package),
		cmocka_unit_test(pypi_paths_name_their_package),
		cmocka_unit_test(artifacts_are_known_anywhere_on_their_host),
		cmocka_unit_test(the_page_settles_how_a_file_name_is_split),
		cmocka_unit_test(too_many_readings_are_an_overflow),
		cmocka_unit_test(unknown_artifacts_are_told_by_their_ending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
