#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/tar.h"
#include "../helper/zip.h"
#include "base/io.h"
#include "verdict/inspect_priv.h"

#define ROOM SIZE_MAX / 2

/* Hands out the bytes in pieces. */
struct feed {
	const char *bytes;
	size_t len, piece;
};

static ssize_t feed_read(void *ctx, void *to, size_t room)
{
	struct feed *feed = ctx;
	size_t n = feed->len < room ? feed->len : room;

	n = n < feed->piece ? n : feed->piece;
	if (n == 0)
		return 0;
	memcpy(to, feed->bytes, n);
	feed->bytes += n;
	feed->len -= n;
	return (ssize_t)n;
}

static struct pmg_inspect_what what_of(enum pmg_eco eco, const char *name, const char *version)
{
	struct pmg_inspect_what what = { .eco = eco,
					 .limits = *pmg_inspect_limits_default(),
					 .opens = true };

	if (name)
		pmg_inspect_what_add(&what, name, version);
	return what;
}

static void inspect(const struct pmg_inspect_what *what, const void *bytes, size_t len,
		    size_t piece, struct pmg_traits *out)
{
	struct feed feed = { bytes, len, piece };
	const struct pmg_inspect_source source = { feed_read, &feed };
	pmg_auto(inspection) struct pmg_inspection in = { .what = what, .out = out };

	pmg_inspection_read(&in, &source);
}

/* The findings as lines, joined by "; ". */
static char *lines_of(const struct pmg_traits *findings)
{
	pmg_auto(strv) struct pmg_strv list = { 0 };

	pmg_traits_list(findings, PMG_TRAIT_ALL, &list);
	return pmg_strv_join(&list, "; ", 10000);
}

static void assert_found(enum pmg_eco eco, const char *name, const char *version,
			 const struct pmg_str *bytes, const char *expected)
{
	struct pmg_inspect_what what = what_of(eco, name, version);
	pmg_auto(traits) struct pmg_traits findings = { 0 };
	pmg_autofree char *lines = NULL;

	inspect(&what, bytes->s, bytes->len, 4096, &findings);
	lines = lines_of(&findings);
	assert_string_equal(lines, expected);
	pmg_inspect_what_done(&what);
}

#define JSON "{\"name\":\"a\",\"version\":\"1.0.0\"}"
#define PACKAGE                                                                                    \
	{                                                                                          \
		.path = "package/package.json", .text = JSON                                       \
	}
#define METADATA "Metadata-Version: 2.1\nName: A_b\nVersion: 1.0\n\nName: no\n"

static const struct {
	const char *why;
	struct tar_entry entries[4];
	const char *expected;
} npm[] = {
	{ "honest", { PACKAGE, { .path = "package/a.js", .text = "1" } }, "" },
	{ "dots and slashes", { PACKAGE, { .path = "./package//./a.js" } }, "" },
	{ "folders twice",
	  { PACKAGE, { .path = "package/a/", .type = '5' }, { .path = "package/a", .type = '5' } },
	  "" },
	{ "climbs",
	  { PACKAGE, { .path = "package/../../evil" } },
	  "traversal: package/../../evil" },
	{ "absolute",
	  { PACKAGE, { .path = "/etc/cron.d/x" } },
	  "traversal: /etc/cron.d/x; outside: etc/cron.d/x" },
	{ "backslash",
	  { PACKAGE, { .path = "package\\..\\..\\x" } },
	  "traversal: package\\..\\..\\x; outside: package\\..\\..\\x" },
	{ "drive", { PACKAGE, { .path = "C:/x" } }, "traversal: C:/x; outside: C:/x" },
	{ "dots in a name", { PACKAGE, { .path = "package/..a/...b/c.." } }, "" },
	{ "beside", { PACKAGE, { .path = "other/a.js" } }, "outside: other/a.js" },
	{ "two that land in one place",
	  { PACKAGE, { .path = "other/package.json", .text = JSON } },
	  "duplicate: package.json; outside: other/package.json" },
	{ "link within",
	  { PACKAGE, { .path = "package/b/l", .type = '2', .text = "../a.js" } },
	  "link: package/b/l -> ../a.js" },
	{ "link that leaves",
	  { PACKAGE, { .path = "package/l", .type = '2', .text = "../../x" } },
	  "link-outside: package/l -> ../../x" },
	{ "absolute link",
	  { PACKAGE, { .path = "package/l", .type = '2', .text = "/etc/passwd" } },
	  "link-outside: package/l -> /etc/passwd" },
	{ "link that climbs behind a name",
	  { PACKAGE, { .path = "package/l", .type = '2', .text = "a/../../x" } },
	  "link-outside: package/l -> a/../../x" },
	{ "hard link",
	  { PACKAGE, { .path = "package/h", .type = '1', .text = "package/package.json" } },
	  "link: package/h -> package/package.json" },
	{ "hard link that leaves",
	  { PACKAGE, { .path = "package/h", .type = '1', .text = "../x" } },
	  "link-outside: package/h -> ../x" },
	{ "through a link",
	  { PACKAGE, { .path = "package/d", .type = '2', .text = "e" }, { .path = "package/d/x" } },
	  "link-outside: d/x goes through a link; link: package/d -> e" },
	{ "device",
	  { PACKAGE,
	    { .path = "package/null", .type = '3' },
	    { .path = "package/p", .type = '6' } },
	  "device: package/null; device: package/p" },
	{ "setuid", { PACKAGE, { .path = "package/s", .mode = 04755 } }, "setuid: package/s" },
	{ "setgid folder", { PACKAGE, { .path = "package/s/", .type = '5', .mode = 02755 } }, "" },
	{ "control", { PACKAGE, { .path = "package/a\x1b[2Jb" } }, "control: package/a\\x1b[2Jb" },
	{ "twice",
	  { PACKAGE, { .path = "package/a.js" }, { .path = "package/./a.js", .text = "2" } },
	  "duplicate: a.js" },
	{ "case",
	  { PACKAGE, { .path = "package/a.js" }, { .path = "package/A.js" } },
	  "case: A.js, a.js" },
	{ "elf program",
	  { PACKAGE, { .path = "package/bin/x", .text = "\177ELF2" } },
	  "binary: package/bin/x" },
	{ "elf library",
	  { PACKAGE, { .path = "package/x.node", .text = "\177ELF2" } },
	  "native: package/x.node" },
	{ "a library's name alone", { PACKAGE, { .path = "package/x.node", .text = "text" } }, "" },
	{ "mach-o",
	  { PACKAGE, { .path = "package/x", .text = "\xcf\xfa\xed\xfe\x07\x01\x01\x03" } },
	  "binary: package/x" },
	{ "name",
	  { { .path = "package/package.json", .text = "{\"name\":\"b\",\"version\":\"1.0.0\"}" } },
	  "mismatch: package/package.json says b@1.0.0" },
	{ "version",
	  { { .path = "package/package.json", .text = "{\"name\":\"a\",\"version\":\"1.0.1\"}" } },
	  "mismatch: package/package.json says a@1.0.1" },
	{ "version written otherwise, with a mark before it",
	  { { .path = "x/package.json",
	      .text = "\xef\xbb\xbf{\"name\":\"a\",\"version\":\"v1.0.0+b\"}" } },
	  "" },
	{ "scripts",
	  { { .path = "package/package.json",
	      .text = "{\"name\":\"a\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"x\","
		      "\"postinstall\":\"node i.js\",\"prepare\":\"y\"}}" },
	    { .path = "package/binding.gyp" } },
	  "scripts: postinstall: node i.js; build: binding.gyp: built by node-gyp" },
	{ "scripts of a package within",
	  { PACKAGE,
	    { .path = "package/node_modules/b/package.json",
	      .text = "{\"name\":\"b\",\"scripts\":{\"install\":\"x\"}}" } },
	  "" },
	{ "no json",
	  { { .path = "package/package.json", .text = "{" } },
	  "unreadable: package/package.json cannot be read; "
	  "uninspected: no package.json that says its name" },
	{ "a number that npm reads",
	  { { .path = "package/package.json",
	      .text = "{\"name\":\"a\",\"x\":1e999,\"scripts\":{\"install\":\"x\"}}" } },
	  "unreadable: package/package.json cannot be read; "
	  "uninspected: no package.json that says its name" },
	{ "keys that stand twice",
	  { { .path = "package/package.json",
	      .text = "{\"name\":\"b\",\"name\":\"a\",\"scripts\":{\"install\":\"x\"}}" } },
	  "scripts: install: x; uninspected: package/package.json has a key twice" },
	{ "an author in an old encoding",
	  { { .path = "package/package.json",
	      .text = "{\"name\":\"a\",\"author\":\"Andr\xe9\",\"scripts\":{\"install\":\"x\"}"
		      "}" } },
	  "scripts: install: x" },
	{ "nothing that names it",
	  { { .path = "package/a.js" } },
	  "uninspected: no package.json that says its name" },
};

static void what_is_odd_in_a_tarball_is_found_and_what_is_not_is_not(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(npm); i++) {
		pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(ROOM);
		pmg_auto(str) struct pmg_str gz = PMG_STR_INIT(ROOM);

		tar_write(&tar, npm[i].entries);
		tar_compress(&gz, tar.s, tar.len, ARCHIVE_FILTER_GZIP);
		print_message("%s\n", npm[i].why);
		assert_found(PMG_ECO_NPM, "a", "1.0.0", &tar, npm[i].expected);
		assert_found(PMG_ECO_NPM, "a", "1.0.0", &gz, npm[i].expected);
	}
}

static void a_source_distribution_says_who_it_is_and_what_it_runs(void **state)
{
	static const struct {
		struct tar_entry entries[4];
		const char *expected;
	} rows[] = {
		{ { { .path = "a_b-1.0/PKG-INFO", .text = METADATA },
		    { .path = "a_b-1.0/setup.py" },
		    { .path = "a_b-1.0/pyproject.toml" } },
		  "build: setup.py" },
		{ { { .path = "a_b-1.0/PKG-INFO", .text = METADATA },
		    { .path = "a_b-1.0/pyproject.toml" } },
		  "build: pyproject.toml" },
		{ { { .path = "a-1/PKG-INFO", .text = "Name: other\r\nVersion: 1.0.0\r\n\r\n" } },
		  "mismatch: a-1/PKG-INFO says other@1.0.0" },
		{ { { .path = "a-1/PKG-INFO", .text = "name:a.B\nVERSION: 1.0.0\nName: c\n" } },
		  "mismatch: a-1/PKG-INFO says c@1.0.0" },
		{ { { .path = "a-1/setup.py" } },
		  "build: setup.py; uninspected: no METADATA or PKG-INFO that says its name" },
		{ { { .path = "a-1/PKG-INFO", .text = METADATA }, { .path = "x.pth" } },
		  "outside: x.pth; startup: x.pth" },
	};
	static const int filters[] = { ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP,
				       ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ };
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(ROOM);

		tar_write(&tar, rows[i].entries);
		for (k = 0; k < PMG_ARRAY_LEN(filters); k++) {
			pmg_auto(str) struct pmg_str out = PMG_STR_INIT(ROOM);

			tar_compress(&out, tar.s, tar.len, filters[k]);
			assert_found(PMG_ECO_PYPI, "a-b", "1", &out, rows[i].expected);
		}
	}
}

static void slurp_zip(const struct zip_entry *entries, bool store, struct pmg_str *out)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.zip");
	pmg_autofree char *bytes = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;

	zip_write(path, entries, store);
	assert_int_equal(pmg_io_slurp(path, 1 << 20, &bytes, &len, &err), 0);
	assert_int_equal(pmg_str_add(out, bytes, len), 0);
}

static void a_wheel_says_who_it_is_and_where_it_puts_things(void **state)
{
	static const struct {
		struct zip_entry entries[5];
		const char *expected;
	} rows[] = {
		{ { { .name = "a/__init__.py", .text = "" },
		    { .name = "b.py", .text = "1" },
		    { .name = "a_b-1.0.dist-info/METADATA", .text = METADATA } },
		  "" },
		{ { { .name = "a_b-1.0.dist-info/METADATA", .text = METADATA },
		    { .name = "x.pth", .text = "import os" },
		    { .name = "a_b-1.0.data/scripts/x", .text = "#!" },
		    { .name = "a_b-1.0.data/purelib/y.pth", .text = "" } },
		  "outside: a_b-1.0.data/scripts/x; startup: x.pth; "
		  "startup: a_b-1.0.data/purelib/y.pth" },
		{ { { .name = "c-1.0.dist-info/METADATA", .text = METADATA } },
		  "mismatch: c-1.0.dist-info says c@1.0" },
		{ { { .name = "a_b-1.0.dist-info/METADATA", .text = METADATA },
		    { .name = "c-1.0.dist-info/RECORD", .text = "" } },
		  "ambiguous: both a_b-1.0.dist-info and c-1.0.dist-info" },
		{ { { .name = "a_b-1.0.dist-info/METADATA", .text = METADATA },
		    { .name = "../../x.py", .text = "" },
		    { .name = "l", .text = "/etc/passwd", .link = true } },
		  "traversal: ../../x.py; link: l" },
		{ { { .name = "a/METADATA", .text = METADATA } },
		  "uninspected: no METADATA or PKG-INFO that says its name" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str zip = PMG_STR_INIT(ROOM);
		pmg_auto(str) struct pmg_str stored = PMG_STR_INIT(ROOM);
		slurp_zip(rows[i].entries, false, &zip);
		slurp_zip(rows[i].entries, true, &stored);
		assert_found(PMG_ECO_PYPI, "a.b", "1.0.0", &zip, rows[i].expected);
		assert_found(PMG_ECO_PYPI, "a.b", "1.0.0", &stored, rows[i].expected);
	}
}

/* The limits of a test, so that nothing large is needed. */
static void assert_limited(const struct pmg_inspect_limits *limits, const struct pmg_str *bytes,
			   const char *expected)
{
	struct pmg_inspect_what what = what_of(PMG_ECO_NPM, "a", "1.0.0");
	pmg_auto(traits) struct pmg_traits findings = { 0 };
	pmg_autofree char *lines = NULL;

	what.limits = *limits;
	inspect(&what, bytes->s, bytes->len, SIZE_MAX, &findings);
	lines = lines_of(&findings);
	assert_string_equal(lines, expected);
	pmg_inspect_what_done(&what);
}

static void a_bomb_is_left_at_its_limit_and_said_to_be_too_large(void **state)
{
	const struct tar_entry bomb[] = { PACKAGE,
					  { .path = "package/z", .zeros = 8 << 20 },
					  { 0 } };
	const struct tar_entry one[] = { PACKAGE, { 0 } };
	struct pmg_inspect_limits limits = *pmg_inspect_limits_default();
	static const int filters[] = { ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2,
				       ARCHIVE_FILTER_XZ };
	pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(ROOM);
	pmg_auto(str) struct pmg_str zeros = PMG_STR_INIT(ROOM);
	size_t i;

	(void)state;
	limits.unpacked = 1 << 20;
	tar_write(&tar, bomb);
	tar_write(&zeros, one);
	for (i = 0; i < 8; i++) /* behind its end, where no entry is: 8 MiB of empty blocks */
		tar_block(&zeros, tar.s + 4096, 1 << 20);
	for (i = 0; i < PMG_ARRAY_LEN(filters); i++) {
		pmg_auto(str) struct pmg_str a = PMG_STR_INIT(ROOM);
		pmg_auto(str) struct pmg_str b = PMG_STR_INIT(ROOM);
		pmg_auto(str) struct pmg_str twice = PMG_STR_INIT(ROOM);

		tar_compress(&a, tar.s, tar.len, filters[i]);
		assert_limited(&limits, &a, "oversized: it unpacks to too much");
		tar_compress(&b, zeros.s, zeros.len, filters[i]);
		if (b.len > 16384)
			assert_limited(&limits, &b, "oversized: it unpacks to too much");
		tar_compress(&twice, a.s, a.len, ARCHIVE_FILTER_GZIP);
		assert_limited(&limits, &twice,
			       "unreadable: it is no archive that is known here, or is cut");
	}
}

static void too_many_entries_and_too_long_paths_are_said_to_be_too_large(void **state)
{
	struct pmg_inspect_limits limits = *pmg_inspect_limits_default();
	pmg_auto(str) struct pmg_str many = PMG_STR_INIT(ROOM);
	pmg_auto(str) struct pmg_str deep = PMG_STR_INIT(ROOM);
	pmg_auto(str) struct pmg_str path = PMG_STR_INIT(ROOM);
	size_t i;

	(void)state;
	for (i = 0; i < 10000; i++)
		assert_int_equal(pmg_str_adds(&path, "d/"), 0);
	tar_add(&deep, &(struct tar_entry)PACKAGE);
	tar_add(&deep, &(struct tar_entry){ .path = path.s });
	tar_end(&deep);
	assert_limited(&limits, &deep, "oversized: it has too long a path");
	for (i = 0; i < 20; i++)
		tar_add(&many, &(struct tar_entry){ .path = "package/x", .type = '5' });
	tar_end(&many);
	limits.entries = 10;
	assert_limited(&limits, &many, "oversized: it has too many entries");
	limits = *pmg_inspect_limits_default();
	limits.paths = 100;
	assert_limited(&limits, &many,
		       "oversized: it has too many long paths; "
		       "uninspected: no package.json that says its name");
	limits = *pmg_inspect_limits_default();
	limits.document = 10;
	pmg_str_clear(&many);
	tar_write(&many, (const struct tar_entry[]){ PACKAGE, { 0 } });
	assert_limited(&limits, &many,
		       "oversized: package/package.json is too large; "
		       "uninspected: no package.json that says its name");
}

/* Each is asked about: so there are not more than can be. */
static void names_without_end_are_said_to_be_too_many(void **state)
{
	static const unsigned counts[] = { PMG_INSPECT_OTHERS_MAX, PMG_INSPECT_OTHERS_MAX + 1 };
	unsigned i, n;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(counts); i++) {
		pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(ROOM);
		struct pmg_inspect_what what = what_of(PMG_ECO_NPM, "a", "1.0.0");
		pmg_auto(traits) struct pmg_traits findings = { 0 };

		for (n = 0; n < counts[i]; n++) {
			pmg_autofree char *path = pmg_xasprintf("p%u/package.json", n);

			tar_add(&tar, &(struct tar_entry){
					      .path = path,
					      .text = "{\"name\":\"b\",\"version\":\"1\"}" });
		}
		tar_end(&tar);
		inspect(&what, tar.s, tar.len, SIZE_MAX, &findings);
		assert_int_equal(findings.counts[PMG_TRAIT_MISMATCH], counts[i]);
		assert_int_equal(findings.counts[PMG_TRAIT_OVERSIZED], i);
		pmg_inspect_what_done(&what);
	}
}

/* An absurd path, or very many of them, hides nothing of what comes behind. */
static void what_stands_behind_too_long_a_path_is_found(void **state)
{
	static const char script[] = "{\"name\":\"a\",\"version\":\"1.0.0\","
				     "\"scripts\":{\"install\":\"x\"}}";
	static const char *const parts[] = { "d/", "./", "dddddddddddddddd" };
	static const char *const said[] = { "too long a path", "too long a path",
					    "too many long paths" };
	struct pmg_inspect_limits limits = *pmg_inspect_limits_default();
	size_t i, n;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(parts); i++) {
		pmg_auto(str) struct pmg_str path = PMG_STR_INIT(ROOM);
		pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(ROOM);
		pmg_autofree char *want = NULL;

		limits.paths = i == 2 ? 100 : pmg_inspect_limits_default()->paths;
		assert_int_equal(pmg_str_adds(&path, "package/"), 0);
		for (n = 0; n < (i == 0 ? 260 : i == 1 ? 5000 : 20); n++)
			assert_int_equal(pmg_str_adds(&path, parts[i]), 0);
		assert_int_equal(pmg_str_adds(&path, "package.json"), 0);
		tar_add(&tar, &(struct tar_entry){ .path = path.s, .text = script });
		tar_add(&tar,
			&(struct tar_entry){ .path = "package/package.json", .text = script });
		tar_add(&tar, &(struct tar_entry){ .path = "package/../../evil" });
		tar_end(&tar);
		want = pmg_xasprintf("traversal: package/../../evil; oversized: it has %s; "
				     "scripts: install: x%s",
				     said[i], i == 1 ? "; scripts: install: x" : "");
		assert_limited(&limits, &tar, want);
	}
}

/* What one reader takes for the end, and another goes on behind. */
static void what_stands_behind_an_end_is_looked_into_too(void **state)
{
	const struct tar_entry first[] = { PACKAGE, { 0 } };
	const struct tar_entry second[] = { { .path = "package/../../evil" }, { 0 } };
	pmg_auto(str) struct pmg_str a = PMG_STR_INIT(ROOM);
	pmg_auto(str) struct pmg_str b = PMG_STR_INIT(ROOM);
	pmg_auto(str) struct pmg_str gz = PMG_STR_INIT(ROOM);
	char block[512];

	(void)state;
	tar_write(&a, first);
	tar_write(&b, second);
	tar_compress(&gz, a.s, a.len, ARCHIVE_FILTER_GZIP);
	tar_compress(&gz, b.s, b.len, ARCHIVE_FILTER_GZIP);
	assert_found(PMG_ECO_NPM, "a", "1.0.0", &gz,
		     "traversal: package/../../evil; ambiguous: it is compressed in several parts; "
		     "ambiguous: bytes follow its end");
	tar_block(&a, b.s, b.len);
	assert_found(PMG_ECO_NPM, "a", "1.0.0", &a,
		     "traversal: package/../../evil; ambiguous: bytes follow its end");
	memset(block, 'Z', sizeof block);
	pmg_str_clear(&a);
	tar_write(&a, first);
	tar_block(&a, block, sizeof block);
	tar_block(&a, b.s, b.len);
	assert_found(PMG_ECO_NPM, "a", "1.0.0", &a,
		     "traversal: package/../../evil; ambiguous: a header in it is damaged; "
		     "ambiguous: bytes follow its end");
	pmg_str_clear(&gz);
	pmg_str_clear(&a);
	tar_write(&a, first);
	tar_compress(&gz, a.s, a.len, ARCHIVE_FILTER_GZIP);
	tar_block(&gz, "", 0);
	assert_int_equal(pmg_str_add(&gz, "\0\0\0", 3), 0);
	assert_found(PMG_ECO_NPM, "a", "1.0.0", &gz, "");
	assert_int_equal(pmg_str_add(&gz, "behind", 6), 0);
	assert_found(PMG_ECO_NPM, "a", "1.0.0", &gz, "ambiguous: bytes follow its end");
}

#define SCRIPT "{\"name\":\"a\",\"version\":\"1.0.0\",\"scripts\":{\"install\":\"x\"}}"

/* To one reader the size in front is for the long name, and what it hides is headers; to libarchive
 * it is for the file, and all of that is the name. */
static void write_hidden(struct pmg_str *tar)
{
	static const struct tar_entry pax = { .path = "pax", .type = 'x' };
	static const struct tar_entry name = { .path = "././@LongLink", .type = 'L' };
	static const struct tar_entry hidden = { .path = "package/hidden" };
	static const struct tar_entry readme = { .path = "package/README.md" };
	char json[512];

	tar_header(tar, &pax, "", strlen("12 size=512\n"));
	tar_block(tar, "12 size=512\n", strlen("12 size=512\n"));
	tar_header(tar, &name, "", 3 * (size_t)512);
	tar_block(tar, "package/package.json", strlen("package/package.json"));
	tar_header(tar, &hidden, "", strlen(SCRIPT));
	tar_block(tar, SCRIPT, strlen(SCRIPT));
	tar_header(tar, &readme, "", 512);
	memset(json, ' ', sizeof json);
	memcpy(json, JSON, strlen(JSON));
	tar_block(tar, json, sizeof json);
	tar_end(tar);
}

static void a_script_that_only_some_readers_see_is_not_passed_over(void **state)
{
	static const int filters[] = { ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP,
				       ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ };
	const struct tar_entry plain[] = { { .path = "package/package.json", .text = SCRIPT },
					   { 0 } };
	pmg_auto(str) struct pmg_str control = PMG_STR_INIT(ROOM);
	pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(ROOM);
	size_t i;

	(void)state;
	tar_write(&control, plain);
	write_hidden(&tar);
	for (i = 0; i < PMG_ARRAY_LEN(filters); i++) {
		pmg_auto(str) struct pmg_str a = PMG_STR_INIT(ROOM);
		pmg_auto(str) struct pmg_str b = PMG_STR_INIT(ROOM);

		tar_compress(&a, control.s, control.len, filters[i]);
		assert_found(PMG_ECO_NPM, "a", "1.0.0", &a, "scripts: install: x");
		tar_compress(&b, tar.s, tar.len, filters[i]);
		assert_found(PMG_ECO_NPM, "a", "1.0.0", &b,
			     "ambiguous: ././@LongLink: a header that is for it has one for "
			     "itself");
	}
}

/* A file that does not get smaller, so that the compressed archive ends about a block's end. */
static void write_noise(struct pmg_str *tar, size_t len)
{
	char *noise = pmg_xcalloc(len + 1, 1);
	const struct tar_entry entries[] = { PACKAGE,
					     { .path = "package/noise", .text = noise },
					     { 0 } };
	uint32_t x = 1;
	size_t i;

	for (i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (char)(1 + (x >> 24) % 255);
	}
	tar_write(tar, entries);
	free(noise);
}

/* The first part alone is the package to one reader. Where it ends is told at every place. */
static void parts_of_a_compression_are_found_wherever_a_block_ends(void **state)
{
	struct pmg_inspect_what what = what_of(PMG_ECO_NPM, "a", "1.0.0");
	size_t i, len, crossed = 0;

	(void)state;
	for (len = 16080; len < 16200; len++) {
		pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(ROOM);
		pmg_auto(str) struct pmg_str one = PMG_STR_INIT(ROOM);
		pmg_auto(str) struct pmg_str two = PMG_STR_INIT(ROOM);

		write_noise(&tar, len);
		tar_compress(&one, tar.s, tar.len, ARCHIVE_FILTER_GZIP);
		if (one.len <= 16384 || one.len > 16384 + 9)
			continue;
		crossed++;
		tar_compress(&two, tar.s, 512, ARCHIVE_FILTER_GZIP);
		tar_compress(&two, tar.s + 512, tar.len - 512, ARCHIVE_FILTER_GZIP);
		for (i = 1; i <= 9; i++) {
			pmg_auto(traits) struct pmg_traits a = { 0 };
			pmg_auto(traits) struct pmg_traits b = { 0 };
			pmg_autofree char *lines = NULL;

			inspect(&what, one.s, one.len, i, &a);
			assert_int_equal(pmg_traits_kinds(&a), 0);
			inspect(&what, two.s, two.len, i, &b);
			lines = lines_of(&b);
			assert_string_equal(lines, "ambiguous: it is compressed in several parts");
		}
	}
	assert_true(crossed >= 5);
	pmg_inspect_what_done(&what);
}

/* Wherever it is cut, and in whatever pieces it comes: it ends, and is not told as clean. */
static void what_is_cut_is_never_clean_and_pieces_do_not_matter(void **state)
{
	const struct tar_entry entries[] = { PACKAGE,
					     { .path = "package/a", .text = "aaaaaaaaaa" },
					     { 0 } };
	static const struct zip_entry files[] = {
		{ .name = "a_b-1.0.dist-info/METADATA", .text = METADATA },
		{ .name = "a/__init__.py", .text = "import os\n" },
		{ 0 },
	};
	struct pmg_inspect_what what[] = { what_of(PMG_ECO_NPM, "a", "1.0.0"),
					   what_of(PMG_ECO_PYPI, "a.b", "1") };
	pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(ROOM);
	struct pmg_str bytes[] = { PMG_STR_INIT(ROOM), PMG_STR_INIT(ROOM) };
	size_t i, n;

	(void)state;
	tar_write(&tar, entries);
	tar_compress(&bytes[0], tar.s, tar.len, ARCHIVE_FILTER_GZIP);
	slurp_zip(files, false, &bytes[1]);
	for (i = 0; i < PMG_ARRAY_LEN(bytes); i++) {
		for (n = 0; n < bytes[i].len; n++) {
			pmg_auto(traits) struct pmg_traits findings = { 0 };

			inspect(&what[i], bytes[i].s, n, SIZE_MAX, &findings);
			assert_int_not_equal(pmg_traits_kinds(&findings), 0);
		}
		for (n = 1; n <= bytes[i].len; n++) {
			pmg_auto(traits) struct pmg_traits findings = { 0 };

			inspect(&what[i], bytes[i].s, bytes[i].len, n, &findings);
			assert_int_equal(pmg_traits_kinds(&findings), 0);
		}
		pmg_str_done(&bytes[i]);
		pmg_inspect_what_done(&what[i]);
	}
}

/* The directory of a zip says one thing, the headers before its files another. */
static void a_zip_whose_halves_disagree_is_found(void **state)
{
	static const struct zip_entry files[] = {
		{ .name = "a_b-1.0.dist-info/METADATA", .text = METADATA },
		{ .name = "a/one.py", .text = "import os\n" },
		{ 0 },
	};
	pmg_auto(str) struct pmg_str zip = PMG_STR_INIT(ROOM);
	pmg_auto(str) struct pmg_str changed = PMG_STR_INIT(ROOM);
	char *last;

	(void)state;
	slurp_zip(files, true, &zip);
	assert_int_equal(pmg_str_add(&changed, zip.s, zip.len), 0);
	last = memrchr(changed.s, 'o', changed.len); /* of a/one.py, in the directory */
	assert_non_null(last);
	*last = 'O';
	assert_found(PMG_ECO_PYPI, "a-b", "1", &changed,
		     "ambiguous: a/One.py: it has another name before its bytes");
	pmg_str_clear(&changed);
	assert_int_equal(pmg_str_add(&changed, "0123456789012345678901234567890", 31), 0);
	assert_int_equal(pmg_str_add(&changed, zip.s, zip.len), 0);
	assert_found(PMG_ECO_PYPI, "a-b", "1", &changed,
		     "unreadable: it is no archive that is known here, or is cut");
	assert_int_equal(pmg_str_add(&zip, "x", 1), 0);
	assert_found(PMG_ECO_PYPI, "a-b", "1", &zip, "ambiguous: bytes follow its end");
}

static void what_is_no_archive_is_said_to_be_unread(void **state)
{
	static const char *const texts[] = { "<html>not found</html>", "x", "PK", "\x1f\x8b",
					     "BZh" };
	pmg_auto(str) struct pmg_str empty = PMG_STR_INIT(ROOM);
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++) {
		pmg_auto(str) struct pmg_str text = PMG_STR_INIT(ROOM);

		assert_int_equal(pmg_str_adds(&text, texts[i]), 0);
		assert_found(PMG_ECO_NPM, "a", "1", &text,
			     "unreadable: it is no archive that is known here, or is cut");
	}
	assert_found(PMG_ECO_NPM, "a", "1", &empty, "unreadable: it is empty");
	tar_end(&empty);
	assert_found(PMG_ECO_NPM, "a", "1", &empty, "unreadable: it is an archive of nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_odd_in_a_tarball_is_found_and_what_is_not_is_not),
		cmocka_unit_test(a_source_distribution_says_who_it_is_and_what_it_runs),
		cmocka_unit_test(a_wheel_says_who_it_is_and_where_it_puts_things),
		cmocka_unit_test(a_bomb_is_left_at_its_limit_and_said_to_be_too_large),
		cmocka_unit_test(too_many_entries_and_too_long_paths_are_said_to_be_too_large),
		cmocka_unit_test(names_without_end_are_said_to_be_too_many),
		cmocka_unit_test(what_stands_behind_too_long_a_path_is_found),
		cmocka_unit_test(what_stands_behind_an_end_is_looked_into_too),
		cmocka_unit_test(a_script_that_only_some_readers_see_is_not_passed_over),
		cmocka_unit_test(parts_of_a_compression_are_found_wherever_a_block_ends),
		cmocka_unit_test(what_is_cut_is_never_clean_and_pieces_do_not_matter),
		cmocka_unit_test(a_zip_whose_halves_disagree_is_found),
		cmocka_unit_test(what_is_no_archive_is_said_to_be_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
