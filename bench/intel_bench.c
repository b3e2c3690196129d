/*
 * How long the index of malware takes at the size that is to be expected some
 * day: intel_bench [RECORDS] [FOLDER]. 300,000 records with some 2 million
 * entries by default, made up here, the same ones each time; build_cpu is
 * without that. build_peak is of a process that builds and does nothing else,
 * build_peak_tenth of one with a tenth of the records. Prints
 * "name value unit" lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "verdict/build.h"
#include "verdict/index.h"
#include "verdict/judge.h"

#define LOOKUPS 200000U
#define OPENS   200U
#define SEED    88172645463325252ULL

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

/* xorshift64: the same numbers everywhere. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void must(int r, const struct pmg_err *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "intel_bench: %s\n", err->msg);
	exit(1);
}

/* The digest of the artifact of record i, which half of the records have. */
static void make_digest(uint64_t i, unsigned char out[64])
{
	uint64_t seed = i + 1, word;
	size_t k;

	for (k = 0; k < 64; k += sizeof word) {
		word = next(&seed);
		memcpy(out + k, &word, sizeof word);
	}
}

static int add_artifact(struct pmg_str *out, uint64_t i)
{
	unsigned char bytes[64];
	pmg_autofree char *hex = NULL;
	bool npm = i % 4 != 0;

	make_digest(i, bytes);
	hex = pmg_hex(bytes, npm ? 64 : 32);
	return pmg_str_addf(out,
			    ",\"database_specific\":{\"indicators\":{\"package_integrity\":["
			    "{\"filename\":\"f\",\"hashes\":{\"%s\":\"%s\"}}]}}",
			    npm ? "sha512" : "sha256", hex);
}

/* As in real feeds: a third of the records say "all versions", the others list some. */
static void make_record(struct pmg_str *out, uint64_t i, uint64_t *seed)
{
	uint64_t n = next(seed) % 20, k;
	int r;

	pmg_str_clear(out);
	r = pmg_str_addf(out,
			 "{\"id\":\"MAL-2030-%llu\",\"modified\":\"2030-01-01T00:00:00Z\","
			 "\"affected\":[{\"package\":{\"ecosystem\":\"%s\",\"name\":"
			 "\"package-%llu-%llx\"},",
			 (unsigned long long)i, i % 4 ? "npm" : "PyPI", (unsigned long long)i,
			 (unsigned long long)(i * 2654435761U));
	if (r == 0 && i % 3 == 0)
		r = pmg_str_adds(out, "\"ranges\":[{\"type\":\"ECOSYSTEM\",\"events\":[{"
				      "\"introduced\":\"0\"}]}]");
	for (k = 0; r == 0 && i % 3 != 0 && k <= n; k++)
		r = pmg_str_addf(out, "%s\"%llu.%llu.%llu\"", k ? "," : "\"versions\":[",
				 (unsigned long long)k, (unsigned long long)(next(seed) % 50),
				 (unsigned long long)(next(seed) % 50));
	if (r == 0 && i % 3 != 0)
		r = pmg_str_adds(out, "]");
	if (r == 0 && i % 2 == 0)
		r = add_artifact(out, i);
	if (r == 0)
		r = pmg_str_adds(out, "}]}");
	if (r < 0)
		abort();
}

static uint64_t cpu_ms(void)
{
	return (uint64_t)clock() / (CLOCKS_PER_SEC / 1000);
}

/* The processor time that making the records up takes. */
static uint64_t make_ms(uint64_t records)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(65536);
	uint64_t seed = SEED, i, began = cpu_ms();

	for (i = 0; i < records; i++)
		make_record(&text, i, &seed);
	return cpu_ms() - began;
}

static void build(const char *path, uint64_t records)
{
	pmg_auto(build) struct pmg_build *b = NULL;
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(65536);
	struct pmg_build_result result;
	struct pmg_err err = PMG_ERR_INIT;
	uint64_t seed = SEED, i, entries = 0, made = make_ms(records);
	uint64_t began = now_ns(), began_cpu = cpu_ms();

	must(pmg_build_open(path, "bench", &b, &err), &err);
	for (i = 0; i < records; i++) {
		pmg_auto(osv) struct pmg_osv record = { 0 };

		make_record(&text, i, &seed);
		must(pmg_osv_parse(text.s, text.len, &record, &err), &err);
		entries += record.affected[0].versions.n + record.affected[0].n_intervals;
		must(pmg_build_add(b, &record, text.s, text.len, &err), &err);
	}
	must(pmg_build_finish(b, 1893456000, &result, &err), &err);
	printf("build %llu ms\n", (unsigned long long)((now_ns() - began) / 1000000U));
	printf("build_cpu %llu ms\n", (unsigned long long)(cpu_ms() - began_cpu - made));
	printf("records %llu records\n", (unsigned long long)result.total);
	printf("entries %llu entries\n", (unsigned long long)entries);
}

/* In a process of its own. @return its peak of resident memory, in MB */
static double build_apart(const char *path, uint64_t records, bool say)
{
	struct rusage used = { 0 };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (!say && !freopen("/dev/null", "w", stdout))
			_exit(1);
		build(path, records);
		_exit(fflush(stdout) == 0 ? 0 : 1);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid || status != 0) {
		fprintf(stderr, "intel_bench: the build failed\n");
		exit(1);
	}
	return (double)used.ru_maxrss / 1024.0;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void print_times(const char *what, uint64_t *ns, size_t n)
{
	qsort(ns, n, sizeof *ns, by_value);
	printf("%s_p50 %.2f us\n", what, (double)ns[n / 2] / 1000.0);
	printf("%s_p99 %.2f us\n", what, (double)ns[n * 99 / 100] / 1000.0);
}

static void time_open(const char *path)
{
	uint64_t ns[OPENS], began;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	for (i = 0; i < OPENS; i++) {
		pmg_auto(index) struct pmg_index *index = NULL;

		began = now_ns();
		must(pmg_index_open(path, &index, &err), &err);
		ns[i] = now_ns() - began;
	}
	print_times("open", ns, OPENS);
}

/* Names that are in the index and names that are not, half and half, in no order. */
static void time_ask(const char *path, uint64_t records)
{
	pmg_autofree uint64_t *ns = pmg_xcalloc(LOOKUPS, sizeof *ns);
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	uint64_t seed = 1181783497276652981ULL, i, k, began, blocked = 0;
	struct pmg_err err = PMG_ERR_INIT;
	char name[96];
	int round;

	must(pmg_judge_open(path, "/nonexistent/blocklist.yml", &judge, &err), &err);
	for (round = 0; round < 2; round++) { /* the second is warm */
		for (i = 0; i < LOOKUPS; i++) {
			pmg_auto(judgement) struct pmg_judgement j = { 0 };

			k = next(&seed) % (records * 2);
			(void)snprintf(name, sizeof name, "package-%llu-%llx",
				       (unsigned long long)k,
				       (unsigned long long)(k * 2654435761U));
			began = now_ns();
			must(pmg_judge_ask(judge, k % 4 ? PMG_ECO_NPM : PMG_ECO_PYPI, name, "1.2.3",
					   &j, &err),
			     &err);
			ns[i] = now_ns() - began;
			blocked += j.verdict == PMG_VERDICT_BLOCK;
		}
	}
	print_times("ask", ns, LOOKUPS);
	printf("blocked %.1f %%\n", (double)blocked * 100.0 / (2.0 * LOOKUPS));
}

/* Digests that are in the index and digests that are not, half and half. */
static void time_digest(const char *path, uint64_t records)
{
	pmg_autofree uint64_t *ns = pmg_xcalloc(LOOKUPS, sizeof *ns);
	pmg_auto(index) struct pmg_index *index = NULL;
	uint64_t seed = 1181783497276652981ULL, i, k, began, hits = 0;
	struct pmg_err err = PMG_ERR_INIT;
	unsigned char bytes[64];
	int round;

	must(pmg_index_open(path, &index, &err), &err);
	for (round = 0; round < 2; round++) { /* the second is warm */
		for (i = 0; i < LOOKUPS; i++) {
			pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };

			k = next(&seed) % records;
			make_digest(k, bytes);
			began = now_ns();
			must(pmg_index_find_digest(index,
						   k % 4 ? PMG_DIGEST_SHA512 : PMG_DIGEST_SHA256,
						   bytes, k % 4 ? 64 : 32, &answer, &err),
			     &err);
			ns[i] = now_ns() - began;
			hits += answer.hit == PMG_INDEX_HIT;
		}
	}
	print_times("digest", ns, LOOKUPS);
	printf("found %.1f %%\n", (double)hits * 100.0 / (2.0 * LOOKUPS));
}

int main(int argc, char **argv)
{
	uint64_t records = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000U;
	pmg_autofree char *path = pmg_path_join(argc > 2 ? argv[2] : ".", "bench-intel.db");
	pmg_autofree char *lock = pmg_xasprintf("%s.lock", path);
	struct stat st = { 0 };
	double tenth;

	(void)unlink(path);
	tenth = build_apart(path, records / 10, false);
	(void)unlink(path);
	printf("build_peak %.1f MB\n", build_apart(path, records, true));
	printf("build_peak_tenth %.1f MB\n", tenth);
	if (stat(path, &st) == 0)
		printf("size %.1f MB\n", (double)st.st_size / 1e6);
	time_open(path);
	time_ask(path, records);
	time_digest(path, records);
	(void)unlink(path);
	(void)unlink(lock);
	return 0;
}
