#include "pm/yarn_lock.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/url.h"
#include "pm/facts.h"
#include "pm/npm_lock.h"

/* One entry while its lines are read. */
struct entry {
	char *name; /* as it is asked for: of an alias, that of the package behind it */
	char *version;
	char *url;
};

struct lock {
	struct pmg_facts *facts;
	struct pmg_strv bases;
	struct entry entry;
	struct pmg_err *err;
};

static void entry_done(struct entry *entry)
{
	free(entry->name);
	free(entry->version);
	free(entry->url);
	*entry = (struct entry){ 0 };
}

static int flush(struct lock *lock)
{
	struct entry *e = &lock->entry;
	int r = 0;

	if (e->url && !pmg_npm_lock_is_usual(&lock->bases, e->url, strlen(e->url)))
		r = pmg_facts_source(lock->facts, PMG_ECO_NPM, e->url, e->name, e->version,
				     lock->err);
	entry_done(e);
	return r;
}

const char *pmg_yarn_line_end(const char *p, const char *end, bool in_comments, const char **next)
{
	bool cr = in_comments || *p != '#';

	while (p < end && *p != '\n' && !(cr && *p == '\r'))
		p++;
	*next = p < end ? p + 1 : end;
	if (*next < end && *p == '\r' && **next == '\n')
		(*next)++;
	return p;
}

const char *pmg_yarn_lock_range(const char *text, size_t len)
{
	return len > 1 ? memchr(text + 1, '@', len - 1) : NULL;
}

char *pmg_yarn_lock_name(const char *text, size_t len)
{
	const char *at = pmg_yarn_lock_range(text, len);
	const char *range = at ? at + 1 : NULL;
	size_t left = range ? (size_t)(text + len - range) : 0;

	if (!at)
		return NULL;
	if (left > 4 && memcmp(range, "npm:", 4) == 0) {
		const char *real = range + 4;
		const char *end = pmg_yarn_lock_range(real, left - 4);

		if (end)
			return pmg_xstrndup(real, (size_t)(end - real));
	}
	return pmg_xstrndup(text, (size_t)(at - text));
}

void pmg_yarn_lock_strip(const char **at, size_t *len)
{
	while (*len > 0 && strchr(": \t\"", **at)) {
		(*at)++;
		(*len)--;
	}
	while (*len > 0 && strchr(" \t\r\"", (*at)[*len - 1]))
		(*len)--;
}

static void take_header(struct lock *lock, const char *line, size_t len)
{
	const char *end;

	pmg_yarn_lock_strip(&line, &len);
	end = memchr(line, ',', len);
	if (end)
		len = (size_t)(end - line);
	while (len > 0 && strchr(":\"", line[len - 1]))
		len--;
	lock->entry.name = pmg_yarn_lock_name(line, len);
}

/* Berry: "x@npm:1.0.0::__archiveUrl=https%3A%2F%2Fcdn.test%2Fx.tgz", "x@https://h.test/x.tgz". */
static void take_resolution(struct lock *lock, const char *value, size_t len)
{
	static const char mark[] = "__archiveUrl=";
	const char *at = memmem(value, len, mark, sizeof mark - 1);
	const char *range = pmg_yarn_lock_range(value, len);
	size_t left;

	if (!range)
		return;
	free(lock->entry.name);
	lock->entry.name = pmg_xstrndup(value, (size_t)(range - value));
	left = (size_t)(value + len - ++range);
	if (at) {
		pmg_autofree char *escaped = NULL;

		at += sizeof mark - 1;
		left = (size_t)(value + len - at);
		escaped = pmg_xstrndup(at, left);
		escaped[strcspn(escaped, "&")] = '\0';
		free(lock->entry.url);
		lock->entry.url = pmg_url_decode(escaped);
	} else if (left > 4 && memcmp(range, "http", 4) == 0) {
		free(lock->entry.url);
		lock->entry.url = pmg_xstrndup(range, left);
	}
}

static void take_field(struct lock *lock, const char *line, size_t len)
{
	size_t n = 0;
	const char *key = line, *value;

	while (n < len && !strchr(" :", line[n]))
		n++;
	value = line + n;
	len -= n;
	pmg_yarn_lock_strip(&value, &len);
	if (n == 7 && memcmp(key, "version", n) == 0) {
		free(lock->entry.version);
		lock->entry.version = pmg_xstrndup(value, len);
	} else if (n == 8 && memcmp(key, "resolved", n) == 0) {
		free(lock->entry.url);
		lock->entry.url = pmg_xstrndup(value, len);
	} else if (n == 10 && memcmp(key, "resolution", n) == 0) {
		take_resolution(lock, value, len);
	}
}

static int take_line(struct lock *lock, const char *line, size_t len)
{
	int r = 0;

	if (len == 0 || line[0] == '#' || line[0] == '\r')
		return 0;
	if (line[0] != ' ') {
		r = flush(lock);
		take_header(lock, line, len);
	} else if (len > 2 && line[1] == ' ' && line[2] != ' ') {
		take_field(lock, line + 2, len - 2);
	}
	return r;
}

int pmg_yarn_lock_parse(struct pmg_facts *facts, const char *name, const char *text, size_t len,
			struct pmg_err *err)
{
	struct lock lock = { .facts = facts, .err = err };
	const char *p = text, *end = text + len, *next;
	int r = 0;

	(void)name; /* nothing is wrong of it */
	pmg_npm_lock_bases(facts, &lock.bases);
	for (; r == 0 && p < end; p = next) {
		const char *stop = pmg_yarn_line_end(p, end, true, &next);

		r = take_line(&lock, p, (size_t)(stop - p));
	}
	if (r == 0)
		r = flush(&lock);
	entry_done(&lock.entry);
	pmg_strv_done(&lock.bases);
	return r;
}
