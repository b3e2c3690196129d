#ifndef PMG_TESTS_UNIT_FEED_TOLD_H
#define PMG_TESTS_UNIT_FEED_TOLD_H
/** What the sink of a feed was told, a line each: "record a.json 2 {}" (bytes, and the first two
 * of them), "unread b.json why", "other c". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/strv.h"
#include "verdict/feed.h"

static inline int told_record(void *arg, const char *path, const char *text, size_t len,
			      struct pmg_err *err)
{
	(void)err;
	pmg_strv_addf(arg, "record %s %zu %.2s", path, len, text);
	return 0;
}

static inline void told_unread(void *arg, const char *path, const char *why)
{
	pmg_strv_addf(arg, "unread %s %s", path, why);
}

static inline void told_other(void *arg, const char *path)
{
	pmg_strv_addf(arg, "other %s", path);
}

static inline int read_feed(const char *path, const struct pmg_feed_limits *limits,
			    struct pmg_strv *told, struct pmg_err *err)
{
	const struct pmg_feed_sink sink = { told_record, told_unread, told_other, told, NULL };

	return pmg_feed_read(path, limits, &sink, err);
}

/** Each line begins as it should, and there are no others. */
static inline void assert_told(const struct pmg_strv *told, const char *const *lines)
{
	size_t i;

	for (i = 0; lines[i]; i++) {
		if (i >= told->n)
			fail_msg("not told: %s", lines[i]);
		if (!pmg_str_has_prefix(told->v[i], lines[i]))
			fail_msg("told %s, not %s", told->v[i], lines[i]);
	}
	if (told->n != i)
		fail_msg("told too: %s", told->v[i]);
}

#endif
