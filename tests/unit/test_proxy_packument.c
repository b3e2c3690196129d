#include "proxy/packument.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "packumenting.h"
#include "splicing.h"

/* Rows are written with ' for ". */
static char *quoted(const char *text)
{
	char *json = pmg_xstrdup(text), *at;

	for (at = json; (at = strchr(at, '\'')); *at = '"')
		;
	return json;
}

static int read_pieces(struct pmg_packument *doc, const char *json, size_t len, size_t piece,
		       struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < len; i += piece)
		r = pmg_packument_feed(doc, json + i, len - i < piece ? len - i : piece, err);
	return r < 0 ? r : pmg_packument_finish(doc, err);
}

static struct pmg_packument *read_row(enum pmg_packument_kind kind, const char *row, size_t piece)
{
	pmg_autofree char *json = quoted(row);
	struct pmg_packument *doc = pmg_packument_new(kind);
	struct pmg_err err = PMG_ERR_INIT;

	if (read_pieces(doc, json, strlen(json), piece, &err) < 0)
		fail_msg("%s: %s", row, err.msg);
	return doc;
}

/* ctx: " 1.0.0 2.0.0 ", the versions that are withheld. */
static int listed(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	pmg_autofree char *word = pmg_xasprintf(" %s ", version);

	(void)published, (void)err;
	return strstr(ctx, word) ? 7 : 0;
}

static void what_is_withheld_is_gone_everywhere(void **state)
{
	static const struct {
		const char *doc, *withheld, *want;
	} rows[] = {
		{ "{}", " 1.0.0 ", "{}" },
		{ "{'versions':{'1.0.0':{},'2.0.0':{}}}", " ",
		  "{'versions':{'1.0.0':{},'2.0.0':{}}}" },
		{ "{'versions':{'1.0.0':{},'2.0.0':{}}}", " 2.0.0 ", "{'versions':{'1.0.0':{}}}" },
		{ "{'versions':{'1.0.0':{},'2.0.0':{}}}", " 1.0.0 ", "{'versions':{'2.0.0':{}}}" },
		{ "{'versions':{'1.0.0':{},'2.0.0':{}}}", " 1.0.0 2.0.0 ", "{'versions':{}}" },
		{ "{'name':'x','dist-tags':{'latest':'2.0.0'},'versions':{'1.0.0':{'version':'1.0."
		  "0',"
		  "'dist':{'tarball':'http://h/"
		  "}'}},'2.0.0':{'version':'2.0.0'}},'time':{'created':'2020-01-"
		  "01T"
		  "00:00:00Z','1.0.0':'2020-01-01T00:00:00Z','2.0.0':'2021-01-01T00:00:00Z'},'"
		  "readme':"
		  "'2.0.0'}",
		  " 2.0.0 ",
		  "{'name':'x','dist-tags':{'latest':'1.0.0'},'versions':{'1.0.0':{'version':'1.0."
		  "0',"
		  "'dist':{'tarball':'http://h/"
		  "}'}}},'time':{'created':'2020-01-01T00:00:00Z','1.0.0':"
		  "'2020-01-01T00:00:00Z'},'readme':'2.0.0'}" },
		{ "{'time':{'2.0.0':'x'},'versions':{'2.0.0':{}},'dist-tags':{'latest':'2.0.0'}}",
		  " 2.0.0 ", "{'time':{},'versions':{},'dist-tags':{}}" },
		{ " { 'dist-tags' : { 'latest' : '2.0.0' , 'old' : '1.0.0' } , 'versions' :\n{ "
		  "'1.0.0' : "
		  "{ } ,\n '2.0.0' : [ ] } }",
		  " 2.0.0 ",
		  " { 'dist-tags' : { 'latest' : '1.0.0' , 'old' : '1.0.0' } , 'versions' :\n{ "
		  "'1.0.0' : "
		  "{ } } }" },
		/* Who asks whether it has changed since is told that it has. */
		{ "{'versions':{'1.0.0':{},'2.0.0':{}},'modified':'1970-01-01T00:01:00.000Z','time'"
		  ":"
		  "{'2.0.0':'x','modified':'1970-01-01T00:02:00Z','created':'1970-01-01T00:00:00Z'}"
		  "}",
		  " 2.0.0 ",
		  "{'versions':{'1.0.0':{}},'modified':'1970-01-01T00:00:59Z','time':"
		  "{'modified':'1970-01-01T00:01:59Z','created':'1970-01-01T00:00:00Z'}}" },
		{ "{'versions':{'1.0.0':{},'2.0.0':{}},'modified':'today','time':{'modified':[1]}}",
		  " 2.0.0 ",
		  "{'versions':{'1.0.0':{}},'modified':'1970-01-01T00:00:00Z','time':{'modified':["
		  "1]}}" },
		{ "{'versions':{'1.0.0':{}},'modified':'1970-01-01T00:01:00.000Z'}", " ",
		  "{'versions':{'1.0.0':{}},'modified':'1970-01-01T00:01:00.000Z'}" },
		/* What only looks like it stays. */
		{ "{'x':{'versions':{'2.0.0':{}},'time':{'2.0.0':1}},'versions':{'1.0.0':{'"
		  "versions':"
		  "{'2.0.0':1},'dist-tags':{'latest':'2.0.0'}},'2.0.0':{}}}",
		  " 2.0.0 ",
		  "{'x':{'versions':{'2.0.0':{}},'time':{'2.0.0':1}},'versions':{'1.0.0':{'"
		  "versions':"
		  "{'2.0.0':1},'dist-tags':{'latest':'2.0.0'}}}}" },
		/* Dates of versions that are not there, and what is no date, stay. */
		{ "{'versions':{'1.0.0':{},'2.0.0':{}},'time':{'0.9.0':'x','unpublished':{'a':[1]},"
		  "'2.0.0':null,'1.0.0':3}}",
		  " 0.9.0 2.0.0 ",
		  "{'versions':{'1.0.0':{}},'time':{'0.9.0':'x','unpublished':{'a':[1]},'1.0.0':3}"
		  "}" },
	};
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *json = quoted(rows[i].doc), *want = quoted(rows[i].want);

		for (piece = 1; piece < 50; piece += piece < 12 ? 1 : 9) {
			pmg_auto(packument) struct pmg_packument *doc =
				read_row(PMG_PACKUMENT_PACKAGE, rows[i].doc, piece);
			pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
			struct pmg_err err = PMG_ERR_INIT;
			pmg_autofree char *withheld = pmg_xstrdup(rows[i].withheld);
			pmg_autofree char *got = NULL;

			assert_int_equal(pmg_packument_filter(doc, listed, withheld, &out, &err),
					 0);
			got = splicing_apply(&out.splice, json, strlen(json), piece);
			assert_string_equal(got, want);
			assert_int_equal(out.n + out.left, pmg_packument_count(doc));
		}
	}
}

static void tags_go_back_to_what_passes(void **state)
{
	static const struct {
		const char *tag; /* what is asked about; it points to the first version */
		const char
			*versions; /* "!" is withheld, "~" deprecated, "@N" published on that day */
		const char *now;   /* "" for none */
	} rows[] = {
		{ "latest", "!3.0.0@9 2.0.0@5 1.0.0@1", "2.0.0" },
		{ "latest", "!3.0.0@9 !2.0.0@8 1.0.0@1", "1.0.0" },
		{ "latest", "!3.0.0@9 !2.0.0@8 !1.0.0@7", "" },
		/* By precedence, not by date or place. */
		{ "latest", "!2.10.0@9 1.9.0@8 2.9.0@3 2.2.0@4", "2.9.0" },
		{ "latest", "!2.0.0@9 1.0.0@1 1.0.1@2", "1.0.1" },
		/* Never upwards, never to a pre-release. */
		{ "latest", "!2.0.0@9 3.0.0@1 1.0.0@1", "1.0.0" },
		{ "latest", "!2.0.0@9 3.0.0@1", "" },
		{ "latest", "!2.0.0@9 2.0.0-rc.1@3 1.0.0@1", "1.0.0" },
		{ "latest", "!2.0.0@9 2.0.0-rc.1@3", "" },
		/* The same precedence is not above. */
		{ "latest", "!2.0.0+b@9 2.0.0+a@3 1.0.0@1", "2.0.0+a" },
		/* Deprecated ones only where there is no other. */
		{ "latest", "!2.2.0@9 ~2.1.0@3 2.0.0@2", "2.0.0" },
		{ "latest", "!2.2.0@9 ~2.1.0@3 ~2.0.0@2", "2.1.0" },
		{ "latest", "!3.0.0@9 ~2.1.0@3 1.0.0@2", "1.0.0" },
		/* Other tags stay within their first number. */
		{ "v2", "!2.2.0@9 2.1.0@3 1.0.0@2", "2.1.0" },
		{ "v2", "!2.0.0@9 1.9.0@3", "" },
		{ "next", "!2.0.0@9 1.9.0@3 2.0.0-rc.1@4", "" },
		/* Pre-releases: the same word, the newest by date, then by precedence. */
		{ "next", "!5.0.0-rc.2@9 5.0.0-rc.1@4 4.9.0@3", "5.0.0-rc.1" },
		{ "next", "!5.0.0-rc.2@9 5.0.0-beta.9@4 4.9.0@3", "" },
		{ "next", "!5.0.0-rc.1@9 4.9.0-rc.1@4 4.9.0@3", "" },
		{ "canary", "!5.1.0-canary.1@9 5.0.0-canary.10@4 5.0.0-canary.9@4",
		  "5.0.0-canary.10" },
		{ "canary", "!5.1.0-canary.1@9 5.0.0-canary.10@4 5.0.0-canary.9@5",
		  "5.0.0-canary.9" },
		{ "canary", "!5.1.0-canary.1@3 5.1.0-canary.2@4 5.1.0-canary.0@2",
		  "5.1.0-canary.0" },
		{ "canary", "!5.1.0-canary.1 5.1.0-canary.2 5.1.0-canary.0", "5.1.0-canary.0" },
		{ "experimental",
		  "!0.0.0-experimental-a1-9@9 0.0.0-experimental-f2-8@8 "
		  "0.0.0-experimental-b3-7@7",
		  "0.0.0-experimental-f2-8" },
		{ "nightly", "!0.0.0-20260109@9 0.0.0-20260108@8", "0.0.0-20260108" },
		{ "latest", "!1.0.0-beta.3@9 1.0.0-beta.2@8 0.9.0@7", "1.0.0-beta.2" },
		{ "latest", "!1.0.0-beta.3@9 1.0.0-alpha.2@8 0.9.0@7", "0.9.0" },
		{ "latest", "!1.0.0-beta.3@9 1.0.0@8 1.0.0-alpha.2@7", "" },
		/* What is no version at all has no place in an order. */
		{ "latest", "!nonsense@9 1.0.0@1", "" },
		{ "latest", "!2.0.0@9 nonsense@1", "" },
		/* A tag whose version passes stays. */
		{ "latest", "1.0.0@1 !2.0.0@9", "1.0.0" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str versions = PMG_STR_INIT(4096),
					     time = PMG_STR_INIT(4096),
					     withheld = PMG_STR_INIT(4096),
					     first = PMG_STR_INIT(99);
		pmg_auto(packument) struct pmg_packument *doc = NULL;
		pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *json = NULL, *text = NULL;
		const struct pmg_retagged *now;
		const char *s = rows[i].versions;
		size_t n;

		assert_int_equal(pmg_str_adds(&withheld, " "), 0);
		for (; *s; s += n + strspn(s + n, " ")) {
			bool is_out = *s == '!', is_old = *s == '~';
			const char *comma = first.len ? "," : "";

			s += is_out || is_old;
			n = strcspn(s, " @");
			if (!first.len)
				assert_int_equal(pmg_str_add(&first, s, n), 0);
			assert_int_equal(pmg_str_addf(&versions, "%s'%.*s':{'deprecated':'%s'}",
						      comma, (int)n, s, is_old ? "old" : ""),
					 0);
			if (s[n] == '@')
				assert_int_equal(
					pmg_str_addf(&time, "%s'%.*s':'2026-01-0%cT00:00:00Z'",
						     time.len ? "," : "", (int)n, s, s[n + 1]),
					0);
			if (is_out)
				assert_int_equal(pmg_str_addf(&withheld, "%.*s ", (int)n, s), 0);
			n += s[n] == '@' ? 2 : 0;
		}
		text = pmg_xasprintf("{'dist-tags':{'%s':'%s'},'versions':{%s},'time':{%s}}",
				     rows[i].tag, first.s, versions.s, time.len ? time.s : "");
		json = quoted(text);
		doc = read_row(PMG_PACKUMENT_PACKAGE, text, 1000);
		assert_string_equal(packument_tag(doc, rows[i].tag), first.s);
		assert_int_equal(pmg_packument_filter(doc, listed, withheld.s, &out, &err), 0);
		now = packument_retagged(&out, rows[i].tag);
		if (!now) {
			assert_string_equal(rows[i].now, first.s);
			continue;
		}
		assert_string_equal(now->was, first.s);
		if (!pmg_streq(now->now ? now->now : "", rows[i].now))
			fail_msg("%s: %s, not %s", rows[i].versions, now->now, rows[i].now);
	}
}

static int listed_later(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	static bool is_later;

	is_later = !is_later;
	return is_later ? PMG_WITHHOLD_LATER : listed(ctx, version, published, err);
}

static void who_answers_later_is_asked_again(void **state)
{
	static const char text[] = "{'versions':{'1.0.0':{},'2.0.0':{},'3.0.0':{}},"
				   "'dist-tags':{'latest':'3.0.0'}}";
	pmg_autofree char *json = quoted(text);
	pmg_auto(packument) struct pmg_packument *doc = read_row(PMG_PACKUMENT_PACKAGE, text, 64);
	pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *withheld = pmg_xstrdup(" 1.0.0 3.0.0 ");
	pmg_autofree char *got = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_int_equal(pmg_packument_filter(doc, listed_later, withheld, &out, &err), 1);
		assert_int_equal(out.asked, i);
	}
	assert_int_equal(pmg_packument_filter(doc, listed_later, withheld, &out, &err), 0);
	assert_int_equal(out.n, 2);
	assert_int_equal(out.left, 1);
	got = splicing_apply(&out.splice, json, strlen(json), 7);
	assert_string_equal(got,
			    "{\"versions\":{\"2.0.0\":{}},\"dist-tags\":{\"latest\":\"2.0.0\"}}");
}

static void what_could_be_read_in_two_ways_is_refused(void **state)
{
	static const struct {
		const char *doc, *message;
	} rows[] = {
		{ "[]", "byte 0: the document is no object" },
		{ "'x'", "byte 0: the document is no object" },
		{ "{'versions':{},'versions':{}}",
		  "byte 15: a key that decides stands there twice" },
		{ "{'time':{},'time':{}}", "byte 11: a key that decides stands there twice" },
		{ "{'dist-tags':{},'dist-tags':{}}",
		  "byte 16: a key that decides stands there twice" },
		{ "{'\\u0076ersions':{}}", "byte 1: a key that decides, with an escape" },
		{ "{'dist\\u002dtags':{}}", "byte 1: a key that decides, with an escape" },
		{ "{'versions':[]}",
		  "byte 12: \"versions\", \"time\" or \"dist-tags\" is no object" },
		{ "{'time':null}", "byte 8: \"versions\", \"time\" or \"dist-tags\" is no object" },
		{ "{'versions':{'1.0.0':{},'1.0.0':{}}}", "1.0.0 stands in \"versions\" twice" },
		{ "{'versions':{'2':{},'1.0.0':{},'3':{},'1.0.0':{}}}",
		  "1.0.0 stands in \"versions\" twice" },
		{ "{'time':{'1.0.0':'a','1.0.0':'b'}}", "1.0.0 stands in \"time\" twice" },
		{ "{'dist-tags':{'latest':'a','latest':'b'}}",
		  "latest stands in \"dist-tags\" twice" },
		{ "{'versions':{'1.0\\u002e0':{}}}",
		  "byte 13: a version, or a key beside it, with an escape" },
		{ "{'time':{'1.0\\u002e0':'x'}}",
		  "byte 9: a version, or a key beside it, with an escape" },
		{ "{'dist-tags':{'latest':'1\\u002e0'}}",
		  "byte 23: a version, or a key beside it, with an escape" },
		{ "{'versions':{'1.0.0':{}}", "byte 24: the document has not ended" },
		{ "{'versions':{'1.0.0':{}}}}", "byte 25: something follows the document" },
		{ "", "byte 0: the document has not ended" },
	};
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 40; piece++) {
			pmg_autofree char *json = quoted(rows[i].doc);
			pmg_auto(packument) struct pmg_packument *doc =
				pmg_packument_new(PMG_PACKUMENT_PACKAGE);
			struct pmg_err err = PMG_ERR_INIT;

			assert_int_equal(read_pieces(doc, json, strlen(json), piece, &err),
					 -PMG_E_PARSE);
			assert_string_equal(err.msg, rows[i].message);
		}
}

static int none(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	(void)ctx, (void)version, (void)published, (void)err;
	return 0;
}

static void a_version_that_could_be_two_is_withheld(void **state)
{
	static const struct {
		const char *version;
		bool is_unreadable;
	} rows[] = {
		{ "{}", false },
		{ "{'version':'1.0.0'}", false },
		{ "{'version':'v1.0.0'}", false },
		{ "{'dist':{'version':'6.6.6'},'version':'1.0.0'}", false },
		{ "{'version':'6.6.6'}", true },
		{ "{'version':'1.0.1'}", true },
		{ "{'version':1}", true },
		{ "{'version':{}}", true },
		{ "{'version':'1.0.0','version':'1.0.0'}", true },
		{ "{'version':'1.0.\\u0030'}", true },
		{ "{'\\u0076ersion':'1.0.0'}", true },
		{ "{'\\u0076ersions':'1.0.0'}", false },
		{ "{'dist':{'tarball':'http://h/x'}}", false },
		{ "{'dist':{'tarball':'http:\\/\\/h\\/x'}}", false },
		{ "{'dist':{'signatures':[{'tarball':'x'}],'x':{'tarball':1}}}", false },
		{ "{'x':{'tarball':'x'},'dist':null}", false },
		{ "{'dist':{'tarball':'http:h/x'}}", true },
		{ "{'dist':{'tarball':'http:\\\\\\\\h/x'}}", true },
		{ "{'dist':{'tarball':'http://h/\\u002e./x'}}", true },
		{ "{'dist':{'tarball':'http://h/\\ud800'}}", true },
		{ "{'dist':{'tarball':'x.tgz'}}", true },
		{ "{'dist':{'tarball':['http://h/x']}}", true },
		{ "{'dist':{'tarball':'http://h/x','tarball':'http://h/x'}}", true },
		{ "{'dist':{'t\\u0061rball':'http://h/x'}}", true },
		{ "{'dist':{},'dist':{'tarball':'http://h/x'}}", true },
		{ "{'\\u0064ist':{'tarball':'http://h/x'}}", true },
		{ "[]", true },
		{ "'1.0.0'", true },
		{ "null", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = pmg_xasprintf(
			"{'versions':{'0.1.0':{'version':'0.1.0'},'1.0.0':%s}}", rows[i].version);
		pmg_auto(packument) struct pmg_packument *doc =
			read_row(PMG_PACKUMENT_PACKAGE, text, 3);
		pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_packument_filter(doc, none, NULL, &out, &err), 0);
		assert_int_equal(out.n, rows[i].is_unreadable);
		if (out.n > 0) {
			assert_string_equal(out.withheld[0].version, "1.0.0");
			assert_int_equal(out.withheld[0].reason, PMG_WITHHELD_UNREADABLE);
		}
	}
}

static void keep_tarball(void *ctx, const char *version, const char *reference)
{
	(void)!pmg_str_addf(ctx, "%s=%s ", version, reference);
}

static void tarballs_are_told_with_their_versions(void **state)
{
	static const struct {
		enum pmg_packument_kind kind;
		const char *doc, *want;
		size_t unreadable;
	} rows[] = {
		{ PMG_PACKUMENT_PACKAGE,
		  "{'versions':{'1.0.0':{'dist':{'x':[{}],'tarball':'http:\\/\\/h\\/"
		  "1'},'y':{'z':{}}},"
		  "'2.0.0':{'x':{'dist':{'tarball':'http://h/x'}}},"
		  "'3.0.0':{'version':'3.0.0','dist':{'tarball':'HTTP:h/3'}}},"
		  "'dist':{'tarball':'http://h/y'}}",
		  "1.0.0=http://h/1 3.0.0=HTTP:h/3 ", 1 },
		{ PMG_PACKUMENT_VERSION,
		  "{'versions':{'9.0.0':{'dist':{'tarball':'http://h/9'}}},"
		  "'dist':{'a':{'tarball':'z'},'tarball':'http://h/1'},'version':'1.0.0'}",
		  "1.0.0=http://h/1 ", 0 },
		{ PMG_PACKUMENT_VERSION, "{'version':'1.0.0','dist':{'tarball':'http:h/1'}}",
		  "1.0.0=http:h/1 ", 1 },
		{ PMG_PACKUMENT_VERSION, "{'version':'1.0.0','dist':{'tarball':{}}}", "", 1 },
	};
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 40; piece += 6) {
			pmg_autofree char *json = quoted(rows[i].doc);
			pmg_auto(packument) struct pmg_packument *doc =
				pmg_packument_new(rows[i].kind);
			pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
			pmg_auto(str) struct pmg_str told = PMG_STR_INIT(1000);
			struct pmg_err err = PMG_ERR_INIT;

			pmg_packument_set_tarballs(doc, keep_tarball, &told);
			assert_int_equal(read_pieces(doc, json, strlen(json), piece, &err), 0);
			assert_string_equal(told.s ? told.s : "", rows[i].want);
			assert_int_equal(pmg_packument_filter(doc, none, NULL, &out, &err), 0);
			assert_int_equal(out.n, rows[i].unreadable);
		}
}

static void dates_are_read_strictly(void **state)
{
	static const struct {
		const char *date;
		int64_t want;
	} rows[] = {
		{ "'1970-01-02T00:00:00.000Z'", 86400 },
		{ "'1970-01-02T00:00:00.123456+00:00'", 86400 },
		{ "'1970-01-02T02:00:00+02:00'", 86400 },
		{ "'1970-01-02'", PMG_PUBLISHED_NONE },
		{ "'1970-01-02T00:00:00'", PMG_PUBLISHED_NONE },
		{ "'1970-01-02T00:00:00Zx'", PMG_PUBLISHED_NONE },
		{ "'1970\\u002d01-02T00:00:00Z'", PMG_PUBLISHED_NONE },
		{ "'1970-02-30T00:00:00Z'", PMG_PUBLISHED_NONE },
		{ "''", PMG_PUBLISHED_NONE },
		{ "86400", PMG_PUBLISHED_NONE },
		{ "null", PMG_PUBLISHED_NONE },
		{ "['1970-01-02T00:00:00Z']", PMG_PUBLISHED_NONE },
		{ "{'1.0.0':'1970-01-02T00:00:00Z'}", PMG_PUBLISHED_NONE },
	};
	size_t i, piece;
	int64_t published;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 40; piece += 3) {
			pmg_autofree char *text = pmg_xasprintf(
				"{'time':{'1.0.0':%s},'versions':{'1.0.0':{}}}", rows[i].date);
			pmg_auto(packument) struct pmg_packument *doc =
				read_row(PMG_PACKUMENT_PACKAGE, text, piece);

			assert_string_equal(pmg_packument_version(doc, 0, &published), "1.0.0");
			assert_int_equal(published, rows[i].want);
		}
}

static int64_t only_one(void *ctx, const char *version)
{
	(void)ctx;
	return strcmp(version, "1.0.0") == 0 ? 77 : PMG_PUBLISHED_NONE;
}

static void what_has_no_date_may_get_one_from_elsewhere(void **state)
{
	pmg_auto(packument) struct pmg_packument *doc =
		read_row(PMG_PACKUMENT_PACKAGE,
			 "{'versions':{'1.0.0':{},'2.0.0':{},'3.0.0':{}},'time':{'3.0.0':'1970-01-"
			 "01T00:00:09Z'}}",
			 3);
	static const int64_t want[] = { 77, PMG_PUBLISHED_NONE, 9 };
	int64_t published;
	size_t i;

	(void)state;
	assert_true(pmg_packument_has_dates(doc));
	pmg_packument_date(doc, only_one, NULL);
	for (i = 0; i < PMG_ARRAY_LEN(want); i++) {
		(void)pmg_packument_version(doc, i, &published);
		assert_int_equal(published, want[i]);
	}
}

static void the_abbreviated_form_says_when_it_was_modified(void **state)
{
	static const struct {
		const char *doc;
		int64_t want;
	} rows[] = {
		{ "{'versions':{'1.0.0':{}},'modified':'1970-01-01T00:01:00.000Z'}", 60 },
		{ "{'versions':{'1.0.0':{'modified':'1970-01-01T00:01:00Z'}}}",
		  PMG_PUBLISHED_NONE },
		{ "{'versions':{},'modified':7}", PMG_PUBLISHED_NONE },
		{ "{'versions':{},'modified':{'a':'1970-01-01T00:01:00Z'}}", PMG_PUBLISHED_NONE },
		{ "{'versions':{},'modified':'yesterday'}", PMG_PUBLISHED_NONE },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(packument) struct pmg_packument *doc =
			read_row(PMG_PACKUMENT_PACKAGE, rows[i].doc, 5);

		assert_false(pmg_packument_has_dates(doc));
		assert_int_equal(pmg_packument_modified(doc), rows[i].want);
	}
}

static void the_document_of_one_version_is_judged_by_its_version(void **state)
{
	static const struct {
		const char *doc, *version; /* NULL: refused, with the message */
		const char *message;
	} rows[] = {
		{ "{'name':'x','version':'2.0.0','versions':{'1.0.0':{}}}", "2.0.0", NULL },
		{ "{'time':[],'versions':0,'dist-tags':'x','version':'2.0.0'}", "2.0.0", NULL },
		{ "{'versions':{'1.0.0':{}}}", NULL,
		  "the document of a version has no \"version\"" },
		{ "{'version':2}", NULL, "byte 11: \"version\" is no text" },
		{ "{'version':'1','version':'2'}", NULL,
		  "byte 15: a key that decides stands there twice" },
		{ "{'\\u0076ersion':'1'}", NULL, "byte 1: a key that decides, with an escape" },
		{ "{'a\\ud800b':1,'\\n':2,'version':'1.0.0'}", "1.0.0", NULL },
	};
	int64_t published;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *json = quoted(rows[i].doc), *withheld = NULL;
		pmg_auto(packument) struct pmg_packument *doc =
			pmg_packument_new(PMG_PACKUMENT_VERSION);
		pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
		struct pmg_err err = PMG_ERR_INIT;
		int r = read_pieces(doc, json, strlen(json), 5, &err);

		assert_int_equal(r, rows[i].version ? 0 : -PMG_E_PARSE);
		if (!rows[i].version) {
			assert_string_equal(err.msg, rows[i].message);
			continue;
		}
		assert_int_equal(pmg_packument_count(doc), 1);
		assert_string_equal(pmg_packument_version(doc, 0, &published), rows[i].version);
		withheld = pmg_xasprintf(" %s ", rows[i].version);
		assert_int_equal(pmg_packument_filter(doc, listed, withheld, &out, &err), 0);
		assert_int_equal(out.n, 1);
		assert_int_equal(out.left, 0);
		assert_int_equal(out.splice.n, 0);
	}
}

/* A key longer than any limit, with an escape, in one piece: it is none that decides. */
static void a_long_key_with_an_escape_is_passed_over(void **state)
{
	pmg_auto(packument) struct pmg_packument *doc = pmg_packument_new(PMG_PACKUMENT_PACKAGE);
	pmg_auto(str) struct pmg_str json = PMG_STR_INIT(1 << 20);
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_str_adds(&json, "{\"versions\":{\"1.0.0\":{\"\\u0076"), 0);
	for (i = 0; i < 40000; i++)
		assert_int_equal(pmg_str_adds(&json, "x"), 0);
	assert_int_equal(pmg_str_adds(&json, "\":1}}}"), 0);
	assert_int_equal(read_pieces(doc, json.s, json.len, json.len, &err), 0);
	assert_int_equal(pmg_packument_count(doc), 1);
}

static int no_answer(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	(void)ctx, (void)published;
	return pmg_streq(version, "2.0.0") ? pmg_err_set(err, PMG_E_DB, 0, "it is locked") : 0;
}

static void a_judge_without_an_answer_ends_it(void **state)
{
	pmg_auto(packument) struct pmg_packument *doc =
		read_row(PMG_PACKUMENT_PACKAGE, "{'versions':{'1.0.0':{},'2.0.0':{}}}", 9);
	pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_packument_filter(doc, no_answer, NULL, &out, &err), -PMG_E_DB);
	assert_int_equal(err.code, PMG_E_DB);
	assert_string_equal(err.msg, "version 2.0.0 could not be judged: it is locked");
}

static void what_is_too_much_is_refused(void **state)
{
	pmg_auto(packument) struct pmg_packument *doc = pmg_packument_new(PMG_PACKUMENT_PACKAGE);
	struct pmg_err err = PMG_ERR_INIT;
	char text[32];
	unsigned i;
	int r;

	(void)state;
	assert_int_equal(pmg_packument_feed(doc, "{\"versions\":{\"x\":0", 18, &err), 0);
	for (i = 1; i < PMG_PACKUMENT_VERSIONS_MAX; i++) {
		r = snprintf(text, sizeof text, ",\"%u.0.0\":{}", i);
		assert_int_equal(pmg_packument_feed(doc, text, (size_t)r, &err), 0);
	}
	assert_int_equal(pmg_packument_feed(doc, ",\"y\":0", 6, &err), -PMG_E_LIMIT);
	assert_non_null(strstr(err.msg, "too many versions"));
}

/* What xorshift makes of a seed. */
static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed % below;
}

static void add_blank(struct pmg_str *out, uint32_t *seed)
{
	static const char *const blanks[] = { "", "", "", " ", "\n\t", "  " };

	assert_int_equal(pmg_str_adds(out, blanks[draw(seed, 6)]), 0);
}

/* A member with blanks at random into `all`, and without, where it stays, into `left`. */
static void add_member(struct pmg_str *all, struct pmg_str *left, uint32_t *seed, bool stays,
		       const char *key, const char *value, const char *new_value)
{
	assert_int_equal(pmg_str_adds(all, all->len ? "," : ""), 0);
	add_blank(all, seed);
	assert_int_equal(pmg_str_addf(all, "\"%s\"", key), 0);
	add_blank(all, seed);
	assert_int_equal(pmg_str_addf(all, ":%s", value), 0);
	add_blank(all, seed);
	if (stays)
		assert_int_equal(pmg_str_addf(left, "%s\"%s\":%s", left->len ? "," : "", key,
					      new_value ? new_value : value),
				 0);
}

#define RANDOM_MAX 12U

struct random_doc {
	unsigned n;
	bool is_out[RANDOM_MAX];
	struct pmg_str all, left; /* the document, and what should be left of it */
};

static char *text_of(const struct pmg_str *members)
{
	return pmg_xasprintf("{%s}", members->len ? members->s : "");
}

/* Versions are 0.0.0, 1.0.0, ...; `latest` points to the one it is given. */
static void make_random(struct random_doc *doc, uint32_t *seed)
{
	static const char *const values[] = { "{}", "{\"a\":[1,{\"b\":\"}\\\"\"}],\"c\":null}",
					      "{\"deprecated\":false,\"x\":\"\xc3\xa9\\n\"}" };
	struct pmg_str all[3] = { PMG_STR_INIT(9999), PMG_STR_INIT(9999), PMG_STR_INIT(9999) };
	struct pmg_str left[3] = { PMG_STR_INIT(9999), PMG_STR_INIT(9999), PMG_STR_INIT(9999) };
	static const char *const keys[] = { "versions", "time", "dist-tags" };
	unsigned i, latest, now, turn = draw(seed, 3);
	char key[16], was_text[16], now_text[16];

	doc->n = 1 + draw(seed, RANDOM_MAX - 1);
	for (i = 0; i < doc->n; i++)
		doc->is_out[i] = draw(seed, 2);
	for (i = 0; i < doc->n; i++) {
		(void)snprintf(key, sizeof key, "%u.0.0", i);
		add_member(&all[0], &left[0], seed, !doc->is_out[i], key, values[draw(seed, 3)],
			   NULL);
		if (draw(seed, 4) > 0)
			add_member(&all[1], &left[1], seed, !doc->is_out[i], key, "\"x\"", NULL);
		(void)snprintf(key, sizeof key, "%u.0.0-gone", i);
		if (draw(seed, 4) == 0)
			add_member(&all[1], &left[1], seed, true, key, "[]", NULL);
	}
	latest = draw(seed, doc->n);
	for (now = latest; now > 0 && doc->is_out[now]; now--)
		;
	(void)snprintf(was_text, sizeof was_text, "\"%u.0.0\"", latest);
	(void)snprintf(now_text, sizeof now_text, "\"%u.0.0\"", now);
	if (draw(seed, 2))
		add_member(&all[2], &left[2], seed, true, "odd", "\"9.9.9\"", NULL);
	add_member(&all[2], &left[2], seed, !doc->is_out[now], "latest", was_text, now_text);
	if (draw(seed, 2))
		add_member(&all[2], &left[2], seed, true, "z", "{\"latest\":1}", NULL);
	for (i = 0; i < 3; i++, turn = (turn + 1) % 3) {
		pmg_autofree char *whole = text_of(&all[turn]), *rest = text_of(&left[turn]);

		add_member(&doc->all, &doc->left, seed, true, keys[turn], whole, rest);
		(void)snprintf(key, sizeof key, "readme%u", i);
		if (draw(seed, 3) == 0)
			add_member(&doc->all, &doc->left, seed, true, key,
				   "\"{\\\"versions\\\":{\"", NULL);
		pmg_str_done(&all[turn]);
		pmg_str_done(&left[turn]);
	}
}

static int drawn(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	const struct random_doc *doc = ctx;

	(void)published, (void)err;
	return doc->is_out[strtoul(version, NULL, 10)];
}

/* What comes out, parsed by another parser, is what filtering by hand gives; wherever it was cut.
 */
static void random_documents_are_filtered_as_by_hand(void **state)
{
	uint32_t seed = 2463534242U;
	unsigned round;
	size_t piece;

	(void)state;
	for (round = 0; round < 400; round++) {
		struct random_doc doc = { .all = PMG_STR_INIT(65536), .left = PMG_STR_INIT(65536) };
		pmg_autofree char *all = NULL, *left = NULL, *want = NULL;
		pmg_auto(json) struct json_t *by_hand = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		make_random(&doc, &seed);
		all = text_of(&doc.all);
		left = text_of(&doc.left);
		assert_int_equal(pmg_json_parse("by hand", left, strlen(left), &by_hand, &err), 0);
		want = pmg_json_dump(by_hand);
		for (piece = 1; piece < 2000; piece = piece * 3 + draw(&seed, 2)) {
			pmg_auto(packument) struct pmg_packument *packument =
				pmg_packument_new(PMG_PACKUMENT_PACKAGE);
			pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
			pmg_auto(json) struct json_t *parsed = NULL;
			pmg_autofree char *got = NULL, *dumped = NULL;

			assert_int_equal(read_pieces(packument, all, strlen(all), piece, &err), 0);
			assert_int_equal(pmg_packument_filter(packument, drawn, &doc, &out, &err),
					 0);
			got = splicing_apply(&out.splice, all, strlen(all), piece);
			if (out.n == 0)
				assert_string_equal(got, all);
			assert_int_equal(pmg_json_parse("got", got, strlen(got), &parsed, &err), 0);
			dumped = pmg_json_dump(parsed);
			assert_string_equal(dumped, want);
		}
		pmg_str_done(&doc.all);
		pmg_str_done(&doc.left);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_withheld_is_gone_everywhere),
		cmocka_unit_test(what_has_no_date_may_get_one_from_elsewhere),
		cmocka_unit_test(the_abbreviated_form_says_when_it_was_modified),
		cmocka_unit_test(tags_go_back_to_what_passes),
		cmocka_unit_test(who_answers_later_is_asked_again),
		cmocka_unit_test(what_could_be_read_in_two_ways_is_refused),
		cmocka_unit_test(a_version_that_could_be_two_is_withheld),
		cmocka_unit_test(tarballs_are_told_with_their_versions),
		cmocka_unit_test(dates_are_read_strictly),
		cmocka_unit_test(the_document_of_one_version_is_judged_by_its_version),
		cmocka_unit_test(a_long_key_with_an_escape_is_passed_over),
		cmocka_unit_test(a_judge_without_an_answer_ends_it),
		cmocka_unit_test(what_is_too_much_is_refused),
		cmocka_unit_test(random_documents_are_filtered_as_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
