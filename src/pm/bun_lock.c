#include "pm/bun_lock.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "pm/facts.h"
#include "pm/npm_lock.h"

struct lock {
	struct pmg_facts *facts;
	struct pmg_strv bases;
	struct pmg_err *err;
};

/* The next "..." of [*at, end), escapes and all; NULL when something else comes first. */
static char *take_text(const char **at, const char *end)
{
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *list = NULL;
	const char *from, *p = *at;

	while (p < end && strchr(" \t,", *p))
		p++;
	if (p >= end || *p != '"')
		return NULL;
	for (from = p++; p < end && *p != '"'; p++)
		p += *p == '\\' && p + 1 < end;
	if (p >= end)
		return NULL;
	*at = p + 1;
	list = pmg_xasprintf("[%.*s]", (int)(p + 1 - from), from);
	if (pmg_json_parse("text", list, strlen(list), &json, &err) < 0 ||
	    !pmg_json_text(pmg_json_at(json, 0)))
		return NULL;
	return pmg_xstrdup(pmg_json_text(pmg_json_at(json, 0)));
}

/* "key": ["x@1.0.0", "ADDRESS or nothing", ...] or "key": ["x@https://h.test/x.tgz", ...] */
static int take_line(struct lock *lock, const char *line, const char *end)
{
	const char *open = memchr(line, '[', (size_t)(end - line));
	pmg_autofree char *package = NULL;
	pmg_autofree char *place = NULL;
	const char *range, *url;
	pmg_autofree char *name = NULL;

	if (!open)
		return 0;
	open++;
	package = take_text(&open, end);
	place = package ? take_text(&open, end) : NULL;
	range = package && package[0] ? strchr(package + 1, '@') : NULL;
	if (!range)
		return 0;
	url = strncmp(range + 1, "http", 4) == 0 ? range + 1 : place;
	if (!url || strncmp(url, "http", 4) != 0 ||
	    pmg_npm_lock_is_usual(&lock->bases, url, strlen(url)))
		return 0;
	name = pmg_xstrndup(package, (size_t)(range - package));
	return pmg_facts_source(lock->facts, PMG_ECO_NPM, url, name,
				url == range + 1 ? NULL : range + 1, lock->err);
}

int pmg_bun_lock_parse(struct pmg_facts *facts, const char *name, const char *text, size_t len,
		       struct pmg_err *err)
{
	struct lock lock = { .facts = facts, .err = err };
	const char *p = text, *end = text + len;
	int r = 0;

	(void)name; /* nothing is wrong of it */
	pmg_npm_lock_bases(facts, &lock.bases);
	while (r == 0 && p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		r = take_line(&lock, p, stop ? stop : end);
		p = stop ? stop + 1 : end;
	}
	pmg_strv_done(&lock.bases);
	return r;
}
