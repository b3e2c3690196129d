#ifndef PMG_TESTS_HELPER_RECORDS_H
#define PMG_TESTS_HELPER_RECORDS_H
/** An index made of records that stand in a test. Ends the program on trouble. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "verdict/build.h"
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
#define EVER           RANGE("{\"introduced\":\"0\"}")

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
	records_must(pmg_build_add(build, &record, text, strlen(text), &err), &err);
}

/** Builds folder/intel.db anew with this feed; texts end with NULL. */
static inline struct pmg_build_result records_build(const char *folder, const char *feed,
						    const char *const *texts)
{
	pmg_autofree char *path = pmg_path_join(folder, "intel.db");
	pmg_auto(build) struct pmg_build *build = NULL;
	struct pmg_build_result result = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	records_must(pmg_build_open(path, feed, &build, &err), &err);
	for (; *texts; texts++)
		records_add(build, *texts);
	records_must(pmg_build_finish(build, RECORDS_NOW, &result, &err), &err);
	return result;
}

#endif
