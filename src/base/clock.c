#include "base/clock.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

uint64_t pmg_clock_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail for this clock */
	return (uint64_t)ts.tv_sec * 1000U + (uint64_t)ts.tv_nsec / 1000000U;
}

int64_t pmg_clock_now(void)
{
	return (int64_t)time(NULL);
}

void pmg_clock_format(int64_t when, char out[PMG_RFC3339_LEN])
{
	time_t t = (time_t)when;
	struct tm tm = { 0 };

	if (!gmtime_r(&t, &tm) || tm.tm_year < 1000 - 1900 || tm.tm_year > 9999 - 1900 ||
	    strftime(out, PMG_RFC3339_LEN, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		memcpy(out, "0000-00-00T00:00:00Z", PMG_RFC3339_LEN);
}

/* Reads exactly n digits. */
static int digits(const char **s, int n, int *out)
{
	int v = 0;

	for (; n > 0; n--, (*s)++) {
		if (**s < '0' || **s > '9')
			return -PMG_E_PARSE;
		v = v * 10 + (**s - '0');
	}
	*out = v;
	return 0;
}

static int letter(const char **s, const char *one_of)
{
	if (**s == '\0' || !strchr(one_of, **s))
		return -PMG_E_PARSE;
	(*s)++;
	return 0;
}

/* "Z" or "+hh:mm" or "-hh:mm", to the end of the text. */
static int offset(const char *s, int *seconds)
{
	int sign, h, m;

	if ((*s == 'Z' || *s == 'z') && s[1] == '\0') {
		*seconds = 0;
		return 0;
	}
	sign = *s == '-' ? -1 : 1;
	if (letter(&s, "+-") < 0 || digits(&s, 2, &h) < 0 || letter(&s, ":") < 0 ||
	    digits(&s, 2, &m) < 0 || *s != '\0' || h > 23 || m > 59)
		return -PMG_E_PARSE;
	*seconds = sign * (h * 3600 + m * 60);
	return 0;
}

/* Whether the month has that day. */
static bool is_day(const struct tm *tm)
{
	struct tm day = { .tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday };

	(void)timegm(&day); /* carries a day too many over into the next month */
	return day.tm_mday == tm->tm_mday;
}

int pmg_clock_parse(const char *s, int64_t *out)
{
	struct tm tm = { 0 };
	int off;

	if (digits(&s, 4, &tm.tm_year) < 0 || letter(&s, "-") < 0 ||
	    digits(&s, 2, &tm.tm_mon) < 0 || letter(&s, "-") < 0 ||
	    digits(&s, 2, &tm.tm_mday) < 0 || letter(&s, "Tt ") < 0 ||
	    digits(&s, 2, &tm.tm_hour) < 0 || letter(&s, ":") < 0 ||
	    digits(&s, 2, &tm.tm_min) < 0 || letter(&s, ":") < 0 || digits(&s, 2, &tm.tm_sec) < 0)
		return -PMG_E_PARSE;
	if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return -PMG_E_PARSE;
	if (*s == '.') {
		if (s[1] < '0' || s[1] > '9')
			return -PMG_E_PARSE;
		for (s++; *s >= '0' && *s <= '9'; s++)
			;
	}
	if (offset(s, &off) < 0)
		return -PMG_E_PARSE;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	if (!is_day(&tm))
		return -PMG_E_PARSE;
	*out = (int64_t)timegm(&tm) - off;
	return 0;
}

void pmg_clock_span(int64_t span_s, char out[PMG_SPAN_LEN])
{
	static const struct {
		int64_t from_s, unit_s;
		const char *name;
	} units[] = { { 172800, 86400, "d" }, { 3600, 3600, "h" }, { 60, 60, "min" } };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(units); i++)
		if (span_s >= units[i].from_s)
			break;
	if (i < PMG_ARRAY_LEN(units))
		(void)snprintf(out, PMG_SPAN_LEN, "%" PRId64 " %s", span_s / units[i].unit_s,
			       units[i].name);
	else
		(void)snprintf(out, PMG_SPAN_LEN, "%" PRId64 " s", span_s > 0 ? span_s : 0);
}

char *pmg_clock_age(int64_t then, int64_t now)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" } };
	int64_t age = now > then ? now - then : 0;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(units); i++)
		if (age >= units[i].seconds)
			return pmg_xasprintf("%lld %s%s", (long long)(age / units[i].seconds),
					     units[i].name, age / units[i].seconds == 1 ? "" : "s");
	return pmg_xasprintf("%lld second%s", (long long)age, age == 1 ? "" : "s");
}
