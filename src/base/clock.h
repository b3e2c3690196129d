#ifndef PMG_BASE_CLOCK_H
#define PMG_BASE_CLOCK_H
/** Time: durations from the monotonic clock, dates from the real one. */
#include <stdint.h>
#include <time.h>

#include "base/err.h"

#define PMG_RFC3339_LEN 21 /* "2026-11-29T10:00:00Z" and NUL */

uint64_t pmg_clock_ms(void); /* monotonic milliseconds */
int64_t pmg_clock_now(void); /* seconds since 1970, UTC */
/** "2026-11-29T10:00:00Z"; a year that has not four digits becomes "0000-00-00T00:00:00Z". */
void pmg_clock_format(int64_t when, char out[PMG_RFC3339_LEN]);

/** How long ago: "3 days", "5 hours", "1 minute", "0 seconds", in whole ones of the largest unit;
 *  what is yet to come is "0 seconds". Caller frees. */
char *pmg_clock_age(int64_t then, int64_t now) PMG_MUST_CHECK;

#define PMG_SPAN_LEN 24 /* "12 min" and NUL, whatever the number */
/** How long, where there is little room: "45 s", "12 min", "36 h", "5 d". In days from two days on;
 * what is left over is dropped; below 0 is "0 s". */
void pmg_clock_span(int64_t span_s, char out[PMG_SPAN_LEN]);

/**
 * Read an RFC 3339 date-time: "Z" or "+hh:mm", fraction of any length cut off.
 * @return 0 or -PMG_E_PARSE
 */
int pmg_clock_parse(const char *s, int64_t *out) PMG_MUST_CHECK;

#endif
