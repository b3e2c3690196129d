#include "conf/units.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

struct unit {
	char letter;
	uint64_t factor;
};

static const struct unit durations[] = {
	{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 }, { 0 },
};
static const struct unit sizes[] = {
	{ 'K', 1024 },
	{ 'M', 1048576 },
	{ 'G', 1073741824 },
	{ 0 },
};

static int parse(const struct unit *unit, const char *text, uint64_t max, uint64_t *out)
{
	pmg_autofree char *digits = NULL;
	size_t n = strlen(text);
	uint64_t value;
	int r;

	while (n > 0 && unit->letter && unit->letter != text[n - 1])
		unit++;
	if (n == 0 || !unit->letter)
		return -PMG_E_PARSE;
	digits = pmg_xstrndup(text, n - 1);
	r = pmg_parse_uint(digits, UINT64_MAX, &value);
	if (r < 0)
		return r;
	if (__builtin_mul_overflow(value, unit->factor, &value) || value > max)
		return -PMG_E_LIMIT;
	*out = value;
	return 0;
}

int pmg_duration_parse(const char *text, uint64_t max_s, uint64_t *out_s)
{
	return parse(durations, text, max_s, out_s);
}

int pmg_size_parse(const char *text, uint64_t max, uint64_t *out)
{
	return parse(sizes, text, max, out);
}
