#include "run/learned.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"

static int read_lines(const char *path, struct pmg_strv *out, struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	size_t len;
	int r = pmg_io_slurp(path, PMG_LEARNED_FILE_MAX, &text, &len, err);

	if (r == -PMG_E_NOTFOUND)
		return 0;
	if (r < 0)
		return r;
	pmg_strv_split(out, text, "\n");
	return 0;
}

/* The last `max` of them. */
static int write_lines(const char *path, const struct pmg_strv *all, size_t max,
		       struct pmg_err *err)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(PMG_LEARNED_FILE_MAX);
	pmg_autofree char *dir = pmg_path_dir(path);
	size_t i;
	int r;

	for (i = all->n > max ? all->n - max : 0; i < all->n; i++)
		if (pmg_str_addf(&text, "%s\n", all->v[i]) < 0)
			return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: too large", path);
	r = pmg_io_mkdirs(dir, 0700, err);
	return r < 0 ? r : pmg_io_replace(path, text.s, text.len, 0600, err);
}

int pmg_learned_add(const char *path, const struct pmg_strv *lines, size_t max, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv all = { 0 };
	size_t added = 0, i;
	int r = lines->n > 0 ? read_lines(path, &all, err) : 0;

	for (i = 0; r == 0 && i < lines->n; i++)
		if (!strchr(lines->v[i], '\n'))
			added += pmg_strv_add_once(&all, lines->v[i]);
	return r < 0 || added == 0 ? r : write_lines(path, &all, max, err);
}

#define NAMING 4U /* words */

static int by_thing(const void *a, const void *b)
{
	const char *x = a, *y = b;
	unsigned words = 0;

	while (*x && *x == *y && (*x != ' ' || ++words < NAMING)) {
		x++;
		y++;
	}
	return words == NAMING ? 0 : (unsigned char)*x - (unsigned char)*y;
}

static bool is_recent(const char *line, int64_t today)
{
	const char *day = strrchr(line, ' ');
	uint64_t n = 0;

	return day && pmg_parse_uint(day + 1, (uint64_t)today, &n) == 0 &&
	       today - (int64_t)n <= PMG_LEARNED_DAYS;
}

static void ignore(void *text)
{
	(void)text;
}

int pmg_learned_put(const char *path, const struct pmg_strv *lines, int64_t today,
		    struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv before = { 0 };
	pmg_auto(strv) struct pmg_strv all = { 0 };
	pmg_auto(strv) struct pmg_strv now = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	void *things = NULL;
	size_t i;

	if (lines->n == 0)
		return 0;
	(void)!read_lines(path, &before, &scratch); /* what cannot be read is begun anew */
	for (i = 0; i < lines->n; i++) {
		const char *const *place = tsearch(lines->v[i], &things, by_thing);

		if (place && *place == lines->v[i] && !strchr(*place, '\n'))
			pmg_strv_addf(&now, "%s %" PRId64, *place, today);
	}
	for (i = 0; i < before.n; i++)
		if (is_recent(before.v[i], today) && !tfind(before.v[i], &things, by_thing))
			pmg_strv_add(&all, before.v[i]);
	tdestroy(things, ignore);
	for (i = 0; i < now.n; i++)
		pmg_strv_take(&all, pmg_steal_ptr(&now.v[i]));
	return write_lines(path, &all, PMG_LEARNED_CONTENTS_MAX, err);
}
