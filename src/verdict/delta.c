#include "verdict/delta.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"

#define STAMP_MAX 40U

static const char id_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
static const char stamp_letters[] = "0123456789TZtz:.+-";

void pmg_delta_done(struct pmg_delta *delta)
{
	size_t i;

	for (i = 0; i < delta->n; i++) {
		free(delta->v[i].id);
		free(delta->v[i].stamp);
	}
	free(delta->v);
	*delta = (struct pmg_delta){ 0 };
}

/* Both become parts of a file's name and of an address: only letters that mean nothing there. */
static bool split(const char *line, size_t len, char **stamp, char **id)
{
	const char *comma = memchr(line, ',', len);
	size_t before = comma ? (size_t)(comma - line) : 0, behind = comma ? len - before - 1 : 0;

	if (before == 0 || before > STAMP_MAX || behind == 0 || behind > PMG_DELTA_ID_MAX)
		return false;
	*stamp = pmg_xstrndup(line, before);
	*id = pmg_xstrndup(comma + 1, behind);
	return strlen(*stamp) == before && strlen(*id) == behind &&
	       strspn(*stamp, stamp_letters) == before && strspn(*id, id_letters) == behind &&
	       (*id)[0] != '-';
}

static int take_line(const char *line, size_t len, int64_t since, struct pmg_delta *out)
{
	pmg_autofree char *stamp = NULL;
	pmg_autofree char *id = NULL;
	int64_t when;

	out->lines++;
	if (!split(line, len, &stamp, &id) || pmg_clock_parse(stamp, &when) < 0) {
		out->unread++;
		return 0;
	}
	if (when < since)
		return 0;
	if (out->n == PMG_DELTA_MAX)
		return -PMG_E_LIMIT;
	out->v = pmg_grow(out->v, out->n, &out->cap, sizeof *out->v);
	out->v[out->n++] = (struct pmg_delta_item){ pmg_steal_ptr(&id), pmg_steal_ptr(&stamp) };
	return 0;
}

static int take_lines(const char *text, size_t len, int64_t since, struct pmg_delta *out)
{
	const char *end = text + len;
	int r = 0;

	while (r == 0 && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = newline ? (size_t)(newline - text) : (size_t)(end - text);
		size_t bare = n > 0 && text[n - 1] == '\r' ? n - 1 : n;

		if (bare > 0)
			r = take_line(text, bare, since, out);
		text += n + (newline ? 1 : 0);
	}
	return r;
}

int pmg_delta_parse(const char *name, const char *text, size_t len, int64_t since,
		    struct pmg_delta *out, struct pmg_err *err)
{
	pmg_auto(delta) struct pmg_delta delta = { 0 };

	if (take_lines(text, len, since, &delta) < 0)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: more than %u records were changed",
				   name, PMG_DELTA_MAX);
	if (delta.lines == delta.unread)
		return pmg_err_set(err, PMG_E_PARSE, 0, "%s: not one line is a date and an id",
				   name);
	*out = delta;
	delta = (struct pmg_delta){ 0 };
	return 0;
}

char *pmg_delta_file(const struct pmg_delta_item *item)
{
	return pmg_xasprintf("%s~%s.json", item->id, item->stamp);
}
