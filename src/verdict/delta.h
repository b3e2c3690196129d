#ifndef PMG_VERDICT_DELTA_H
#define PMG_VERDICT_DELTA_H
/**
 * modified_id.csv: which records of a dump were changed, and when. A line is
 * "2026-11-29T10:00:00Z,MAL-2026-1". (Servers write the newest first; nothing
 * here depends on that.) Each record lies beside the list as ID.json.
 *
 * Source: https://google.github.io/osv.dev/data/ ("Downloading recent changes").
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_DELTA_CSV_MAX 67108864U /* bytes: some 40 times what npm's has */
#define PMG_DELTA_MAX     3000U     /* records; with more of them the whole dump is cheaper */
#define PMG_DELTA_ID_MAX  128U

struct pmg_delta_item {
	char *id;
	char *stamp; /* when it was changed, as written; id and stamp name one state of a record */
};

struct pmg_delta {
	struct pmg_delta_item *v;
	size_t n, cap;
	size_t unread; /* lines that cannot be read */
	size_t lines;
};

void pmg_delta_done(struct pmg_delta *delta);
PMG_DEFINE_AUTO_DONE(delta, struct pmg_delta, pmg_delta_done);

/**
 * @param name   for messages
 * @param since  seconds since 1970: records that were changed before are left out
 * @param[out] out  zeroed by the caller
 * @return 0; -PMG_E_PARSE: not one line can be read; -PMG_E_LIMIT: more than PMG_DELTA_MAX
 */
int pmg_delta_parse(const char *name, const char *text, size_t len, int64_t since,
		    struct pmg_delta *out, struct pmg_err *err) PMG_MUST_CHECK;

/** Name of the file that keeps this state of the record. Caller frees. */
char *pmg_delta_file(const struct pmg_delta_item *item) PMG_MUST_CHECK;

#endif
