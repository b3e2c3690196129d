#ifndef PMG_TESTS_HELPER_RECORDS_H
#define PMG_TESTS_HELPER_RECORDS_H
/** An index made of records that stand in a test. Ends the program on trouble. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "verdict/build.h"
#include "verdict/import.h"
#include "verdict/index.h"

#define RECORDS_NOW 1780000000 /* 2026-05-28T20:26:40Z */

/** {"id":ID, "modified":..., "affected":[{npm NAME, REST}]}; REST: "\"versions\":[...]". */
#define RECORD(id, name, rest)                                                                     \
	"{\"id\":\"" id "\",\"modified\":\"2025-06-04T00:00:00Z\",\"affected\":[{\"package\":"     \
	"{\"ecosystem\":\"npm\",\"name\":\"" name "\"}," rest "}]}"
#define RECORD_PYPI(id, name, rest)                                                                \
	"{\"id\":\"" id "\",\"modified\":\"2025-06-04T00:00:00Z\",\"affected\":[{\"package\":"     \
	"{\"ecosystem\":\"PyPI\",\"name\":\"" name "\"}," rest "}]}"
#define VERSIONS(list) "\"versions\":[" list "]"
#define RANGE(events)  "\"ranges\":[{\"type\":\"ECOSYSTEM\",\"events\":[" events "]}]"
/* Digests of "abc" (FIPS 180-4, examples). */
#define ABC256        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABC256_BASE64 "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
#define ABC512                                                                                     \
	"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"                         \
	"2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
#define ABC512_BASE64                                                                              \
	"3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
/* Behind one of the others and a comma: the artifact "abc" by one of its digests. */
#define HASH(key, value)                                                                           \
	"\"database_specific\":{\"indicators\":{\"package_integrity\":[{\"filename\":\"f\","       \
	"\"hashes\":{\"" key "\":\"" value "\"}}]}}"
#define EVER RANGE("{\"introduced\":\"0\"}")

static inline void records_must(int r, const struct pmg_err *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "%s\n", err->msg);
	abort();
}

static inline void records_add(struct pmg_build *build, const char *text)
{
	pmg_auto(osv) struct pmg_osv record = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	records_must(pmg_osv_parse(text, strlen(text), &record, &err), &err);
	records_must(record.malware ? pmg_build_add(build, &record, text, strlen(text), &err)
				    : pmg_build_add_fixes(build, &record, &err),
		     &err);
}

static inline struct pmg_build_result records_add_all(const char *folder, const char *feed,
						      const char *const *texts, bool merge)
{
	pmg_autofree char *path = pmg_path_join(folder, "intel.db");
	pmg_auto(build) struct pmg_build *build = NULL;
	struct pmg_build_result result = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	records_must(pmg_build_open(path, feed, &build, &err), &err);
	if (merge)
		pmg_build_merge(build);
	for (; *texts; texts++)
		records_add(build, *texts);
	records_must(pmg_build_finish(build, RECORDS_NOW, &result, &err), &err);
	return result;
}

/** Builds folder/intel.db anew with this feed; texts end with NULL. */
static inline struct pmg_build_result records_build(const char *folder, const char *feed,
						    const char *const *texts)
{
	return records_add_all(folder, feed, texts, false);
}

/** The same, but records of the feed with other ids stay. */
static inline struct pmg_build_result records_merge(const char *folder, const char *feed,
						    const char *const *texts)
{
	return records_add_all(folder, feed, texts, true);
}

/** Replace the records of one feed by what is at path. */
static inline int records_import(const char *path, const char *index, const char *feed,
				 struct pmg_import_report *report, struct pmg_err *err)
{
	const struct pmg_import_want want = {
		.path = path, .index = index, .feed = feed, .now = RECORDS_NOW
	};

	return pmg_import(&want, report, err);
}

#endif
