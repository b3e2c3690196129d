/*
 * What it costs to leave versions out of npm's largest packument, which is made here: 18 MB, 5,000
 * versions with their dependencies, scripts and people, the last 100 of them withheld. Beside it a
 * plain copy of the same bytes, and parsing and printing it. Medians of rounds in milliseconds of
 * CPU.
 *
 *   splice_bench
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "proxy/packument.h"

#define VERSIONS 5000U
#define WITHHELD 100U
#define ROUNDS   15U
#define PIECE    65536U

static double cpu_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void add(struct pmg_str *out, const char *text)
{
	if (pmg_str_adds(out, text) < 0)
		abort();
}

static void add_version(struct pmg_str *out, unsigned i)
{
	unsigned k;

	if (pmg_str_addf(
		    out,
		    "%s\"%u.%u.0\":{\"name\":\"large\",\"version\":\"%u.%u.0\",\"description\":"
		    "\"The largest of all packages, made for a benchmark, with some text\","
		    "\"license\":\"MIT\",\"main\":\"./dist/index.js\",\"dist\":{\"integrity\":"
		    "\"sha512-"
		    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
		    "AAAAAAAAAAAAAAAA==\",\"shasum\":\"da39a3ee5e6b4b0d3255bfef95601890afd80709\","
		    "\"tarball\":\"https://registry.test/large/-/large-%u.%u.0.tgz\",\"fileCount\":"
		    "%u,\"unpackedSize\":4823917,\"signatures\":[{\"keyid\":\"SHA256:jl3bwswu80Pjj"
		    "okCgh0o2w5c2U4LhQAE57gj9cz1kzA\",\"sig\":\"MEUCIQDkp3wHhQmTqn\"}]}",
		    i ? "," : "", i / 100, i % 100, i / 100, i % 100, i / 100, i % 100, i) < 0)
		abort();
	add(out, ",\"dependencies\":{");
	for (k = 0; k < 60; k++)
		if (pmg_str_addf(out, "%s\"@scope/dependency-%u\":\"^%u.%u.3\"", k ? "," : "", k, k,
				 i % 50) < 0)
			abort();
	add(out, "},\"scripts\":{");
	for (k = 0; k < 12; k++)
		if (pmg_str_addf(out,
				 "%s\"build:%u\":\"tsc -p \\\"tsconfig.%u.json\\\" && node x\"",
				 k ? "," : "", k, k) < 0)
			abort();
	add(out, "},\"maintainers\":[");
	for (k = 0; k < 8; k++)
		if (pmg_str_addf(out, "%s{\"name\":\"person%u\",\"email\":\"person%u@mail.test\"}",
				 k ? "," : "", k, k) < 0)
			abort();
	add(out, "],\"_hasShrinkwrap\":false}");
}

static void make(struct pmg_str *out)
{
	unsigned i;

	add(out, "{\"_id\":\"large\",\"name\":\"large\",\"dist-tags\":{\"latest\":\"49.99.0\"},"
		 "\"versions\":{");
	for (i = 0; i < VERSIONS; i++)
		add_version(out, i);
	add(out, "},\"time\":{\"created\":\"2015-01-01T00:00:00.000Z\"");
	for (i = 0; i < VERSIONS; i++)
		if (pmg_str_addf(out, ",\"%u.%u.0\":\"20%02u-01-01T00:00:00.123Z\"", i / 100,
				 i % 100, 10 + i / 400) < 0)
			abort();
	add(out, "}}");
}

/* By the counter that ctx points to: the last ones. */
static int withhold(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	unsigned *n = ctx;

	(void)version, (void)published, (void)err;
	return ++*n > VERSIONS - WITHHELD;
}

static int put(void *ctx, const char *bytes, size_t len)
{
	return pmg_str_add(ctx, bytes, len);
}

static size_t piece_at(const struct pmg_str *doc, size_t at)
{
	return doc->len - at < PIECE ? doc->len - at : PIECE;
}

static void copy(const struct pmg_str *doc, struct pmg_str *out)
{
	size_t i;

	for (i = 0; i < doc->len; i += PIECE)
		if (pmg_str_add(out, doc->s + i, piece_at(doc, i)) < 0)
			abort();
}

static void scan(const struct pmg_str *doc, struct pmg_str *out)
{
	pmg_auto(packument) struct pmg_packument *packument =
		pmg_packument_new(PMG_PACKUMENT_PACKAGE);
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)out;
	for (i = 0; i < doc->len; i += PIECE)
		if (pmg_packument_feed(packument, doc->s + i, piece_at(doc, i), &err) < 0)
			abort();
	if (pmg_packument_finish(packument, &err) < 0)
		abort();
}

static void filter(const struct pmg_str *doc, struct pmg_str *out)
{
	pmg_auto(packument) struct pmg_packument *packument =
		pmg_packument_new(PMG_PACKUMENT_PACKAGE);
	pmg_auto(filtered) struct pmg_filtered filtered = PMG_FILTERED_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_splicer splicer;
	unsigned asked = 0;
	size_t i;

	for (i = 0; i < doc->len; i += PIECE)
		if (pmg_packument_feed(packument, doc->s + i, piece_at(doc, i), &err) < 0)
			abort();
	if (pmg_packument_finish(packument, &err) < 0 ||
	    pmg_packument_filter(packument, withhold, &asked, &filtered, &err) < 0 ||
	    filtered.n != WITHHELD)
		abort();
	pmg_splicer_init(&splicer, &filtered.splice, put, out);
	for (i = 0; i < doc->len; i += PIECE)
		if (pmg_splicer_feed(&splicer, doc->s + i, piece_at(doc, i)) < 0)
			abort();
	if (pmg_splicer_finish(&splicer) < 0)
		abort();
}

static void parse_and_print(const struct pmg_str *doc, struct pmg_str *out)
{
	pmg_auto(json) struct json_t *json = NULL;
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)out;
	if (pmg_json_parse("large", doc->s, doc->len, &json, &err) < 0)
		abort();
	text = pmg_json_dump(json);
}

static void measure(const char *name, unsigned rounds, const struct pmg_str *doc,
		    void (*what)(const struct pmg_str *doc, struct pmg_str *out))
{
	struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);
	double took[ROUNDS];
	unsigned i;

	if (pmg_str_reserve(&out, doc->len) < 0)
		abort();
	memset(out.s, 0, doc->len); /* its pages are there */
	for (i = 0; i < rounds; i++) {
		pmg_str_clear(&out);
		took[i] = cpu_ms();
		what(doc, &out);
		took[i] = cpu_ms() - took[i];
	}
	qsort(took, rounds, sizeof *took, by_value);
	(void)printf("%s %.2f ms\n", name, took[rounds / 2]);
	pmg_str_done(&out);
}

int main(void)
{
	pmg_auto(str) struct pmg_str doc = PMG_STR_INIT(SIZE_MAX / 2);

	make(&doc);
	(void)printf("size %.1f MB\n", (double)doc.len / 1e6);
	measure("copy", ROUNDS, &doc, copy);
	measure("scan", ROUNDS, &doc, scan);
	measure("filter", ROUNDS, &doc, filter);
	measure("parse_and_print", 3, &doc, parse_and_print);
	return 0;
}
