/*
 * yarn.lock. Yarn 1 writes it in a form of its own, which is read line by line; berry writes YAML,
 * and reads any: so a parser for all of it is used here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/url.h"
#include "conf/yamlscan.h"
#include "pm/resolved_priv.h"
#include "pm/yarn_lock.h"

#define PATCHES_MAX 8U /* of patches */

struct entry {
	char *key;                       /* as it stands: `x@^1, x@^2` */
	char *asked;                     /* the name in front of its ranges; NULL: several */
	struct pmg_strv needs, optional; /* "dependencies"; those that may fail */
	struct pmg_strv others;          /* what else the key calls it */
	struct pmg_strv behind; /* what its locator fetches: name, version, address, in threes */
	char *name, *version, *url, *integrity;
	unsigned line;
	bool is_own; /* of the project's own folders */
	bool is_foreign;
};

struct lock {
	const struct pmg_resolving *from;
	struct entry entry;
	struct pmg_misfits misfits;
	struct pmg_err *err;
};

static void entry_done(struct entry *entry)
{
	free(entry->key);
	free(entry->asked);
	pmg_strv_done(&entry->needs);
	pmg_strv_done(&entry->optional);
	free(entry->name);
	free(entry->version);
	free(entry->url);
	free(entry->integrity);
	pmg_strv_done(&entry->others);
	pmg_strv_done(&entry->behind);
	*entry = (struct entry){ 0 };
}

static int wrong(const struct lock *lock, unsigned line, const char *what)
{
	return pmg_resolving_wrong(lock->from, line, what, lock->err);
}

/* Berry goes by the locator alone, yarn 1 knows none: "version" beside it may say anything. */
static int add_behind(struct lock *lock, struct pmg_locked *locked)
{
	const struct entry *e = &lock->entry;
	const char *version = locked->version, *name = locked->name, *url = locked->url;
	int r = 0;
	size_t i;

	for (i = 0; r == 0 && i + 2 < e->behind.n; i += 3) {
		locked->name = e->behind.v[i];
		locked->version = e->behind.v[i + 1];
		locked->url = *e->behind.v[i + 2] ? e->behind.v[i + 2] : NULL;
		if (!pmg_streq(locked->name, name) || !pmg_streq(locked->version, version) ||
		    !pmg_streq(locked->url, url))
			r = pmg_resolving_add(lock->from, PMG_ECO_NPM, locked, lock->err);
	}
	return r;
}

/* Berry links what does not fit to nothing when it makes folders; with PnP only what is optional.
 */
static void note_fit(struct lock *lock, size_t from)
{
	struct entry *e = &lock->entry;
	size_t i;

	for (i = 0; i < e->needs.n; i++)
		pmg_strv_add(pmg_strv_has(&e->optional, e->needs.v[i]) ? &lock->misfits.optional
								       : &lock->misfits.needed,
			     e->needs.v[i]);
	if (e->is_foreign && e->asked)
		pmg_misfits_add(&lock->misfits, e->asked, from, lock->from->set->n);
}

static int flush(struct lock *lock)
{
	struct entry *e = &lock->entry;
	struct pmg_locked locked = { .name = e->name,
				     .version = e->version,
				     .url = e->url,
				     .integrity = e->integrity,
				     .line = e->line };
	size_t i, from = lock->from->set->n;
	int r = 0;

	if (e->key && !e->is_own) {
		r = e->name ? pmg_resolving_add(lock->from, PMG_ECO_NPM, &locked, lock->err)
			    : wrong(lock, e->line, "an entry without a name");
	}
	for (i = 0; r == 0 && !e->is_own && i < e->others.n; i++) {
		locked.name = e->others.v[i];
		r = pmg_resolving_add(lock->from, PMG_ECO_NPM, &locked, lock->err);
	}
	locked.name = e->name;
	if (r == 0 && !e->is_own)
		r = add_behind(lock, &locked);
	note_fit(lock, from);
	entry_done(e);
	return r;
}

/* A word, perhaps in quotes; escapes are those of JSON. Caller frees. */
static char *word_of(const char *at, size_t len)
{
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	while (len > 0 && strchr(" \t\r:", at[len - 1]))
		len--;
	while (len > 0 && strchr(" \t:", at[0])) {
		at++;
		len--;
	}
	if (len > 0 && at[0] == '"' && memchr(at, '\\', len) &&
	    pmg_json_parse("text", at, len, &json, &err) == 0 && pmg_json_text(json))
		return pmg_xstrdup(pmg_json_text(json));
	pmg_yarn_lock_strip(&at, &len);
	return pmg_xstrndup(at, len);
}

/* "x@file:./x", "x@../x": a folder has no "resolved" behind it, an archive has. */
static void take_range(struct entry *e, const char *key, size_t len)
{
	const char *range = pmg_yarn_lock_range(key, len);
	size_t n = range ? len - (size_t)(range + 1 - key) : 0;

	if (n > 0 && (strchr("./~", range[1]) || (n > 5 && memcmp(range + 1, "file:", 5) == 0))) {
		free(e->url);
		e->url = pmg_xstrndup(range + 1, n);
	}
}

static void note_asked(struct entry *e, const char *descriptor, size_t len, bool is_first)
{
	const char *at = pmg_yarn_lock_range(descriptor, len);
	pmg_autofree char *name = at ? pmg_xstrndup(descriptor, (size_t)(at - descriptor)) : NULL;

	if (is_first) {
		e->asked = pmg_steal_ptr(&name);
	} else if (!pmg_streq(name, e->asked)) {
		free(e->asked);
		e->asked = NULL;
	}
}

/* `x@^1, "x@npm:y@^2"`: each is asked for by its own name, whatever one would expect. */
static void take_key(struct entry *e, const char *key, unsigned line)
{
	const char *at = key, *next;

	e->key = pmg_xstrdup(key);
	e->line = line;
	for (; at; at = next ? next + 1 : NULL) {
		pmg_autofree char *name = NULL;
		const char *from = at;
		size_t len;

		next = strchr(at, ',');
		len = next ? (size_t)(next - at) : strlen(at);
		pmg_yarn_lock_strip(&from, &len);
		name = pmg_yarn_lock_name(from, len);
		note_asked(e, from, len, at == key);
		if (at == key) {
			free(e->name);
			e->name = pmg_steal_ptr(&name);
			take_range(e, from, len);
		} else if (name && !pmg_streq(name, e->name)) {
			(void)pmg_strv_add_once(&e->others, name);
		}
	}
}

/* "...::__archiveUrl=https%3A%2F%2F...&...": an address of its own. Caller frees; NULL: none */
static char *archive_of(const char *range)
{
	static const char mark[] = "__archiveUrl=";
	const char *archive = strstr(range, mark);
	pmg_autofree char *escaped = NULL;

	if (!archive)
		return NULL;
	archive += sizeof mark - 1;
	escaped = pmg_xstrndup(archive, strcspn(archive, "&"));
	return pmg_url_decode(escaped);
}

/* "virtual:HASH#RANGE" is RANGE, and yarn fetches it as such. */
static const char *devirtualized(const char *range)
{
	const char *hash;

	while (pmg_str_has_prefix(range, "virtual:") && (hash = strchr(range, '#')))
		range = hash + 1;
	return range;
}

/* What of a registry is fetched for "x@npm:1.0.0", or for "x@patch:y@npm%3A2.0.0#...": y. */
static void take_behind(struct entry *e, const char *locator, unsigned depth)
{
	const char *at = pmg_yarn_lock_range(locator, strlen(locator)), *range, *version;
	char *name = NULL;

	if (!at || depth > PATCHES_MAX)
		return;
	range = devirtualized(at + 1);
	if (pmg_str_has_prefix(range, "patch:")) {
		pmg_autofree char *inner = pmg_xstrndup(range + 6, strcspn(range + 6, "#"));
		pmg_autofree char *decoded = pmg_url_decode(inner);

		take_behind(e, decoded ? decoded : inner, depth + 1);
	} else if (pmg_str_has_prefix(range, "npm:")) {
		char *url = archive_of(range);

		version = pmg_resolving_alias(range, &name);
		version = version ? version : range + 4;
		pmg_strv_take(&e->behind,
			      name ? name : pmg_xstrndup(locator, (size_t)(at - locator)));
		pmg_strv_take(&e->behind, pmg_xstrndup(version, strcspn(version, ":?#")));
		pmg_strv_take(&e->behind, url ? url : pmg_xstrdup(""));
	}
}

/* Berry: "x@npm:1.0.0", "x@npm:1.0.0::__archiveUrl=https%3A%2F%2F...", "x@workspace:." */
static void take_resolution(struct entry *e, const char *value)
{
	static const char *const own[] = { "workspace:", "link:", "portal:" };
	const char *at = pmg_yarn_lock_range(value, strlen(value)), *range;
	pmg_autofree char *archive = archive_of(value);
	char *real = NULL;
	size_t i;

	if (!at)
		return;
	range = devirtualized(at + 1);
	pmg_strv_done(&e->others); /* it alone says what it is */
	free(e->name);
	e->name = pmg_xstrndup(value, (size_t)(at - value));
	take_behind(e, value, 0);
	if (pmg_resolving_alias(range, &real)) {
		pmg_strv_take(&e->others, e->name);
		e->name = real;
	}
	for (i = 0; i < PMG_ARRAY_LEN(own); i++)
		e->is_own = e->is_own || pmg_str_has_prefix(range, own[i]);
	if (archive || !pmg_str_has_prefix(range, "npm:")) {
		free(e->url); /* else git, an address, a patch of another entry */
		e->url = archive ? pmg_steal_ptr(&archive) : pmg_xstrdup(range);
	}
}

/* Berry: "os=linux & (cpu=x64 | cpu=arm64)". */
static void take_conditions(struct entry *e, const char *value)
{
	pmg_auto(strv) struct pmg_strv words = { 0 };
	struct pmg_fits fits = { 0 };
	size_t i;

	pmg_strv_split(&words, value, " ()&|");
	for (i = 0; i < words.n; i++) {
		char *is = strchr(words.v[i], '=');

		if (is) {
			*is = '\0';
			pmg_fits_add(&fits, words.v[i], is + 1);
		}
	}
	e->is_foreign = pmg_fits_is_foreign(&fits);
}

static void take_field(struct entry *e, const char *key, const char *value)
{
	const struct {
		const char *key;
		char **slot;
	} fields[] = {
		{ "version", &e->version },
		{ "resolved", &e->url },
		{ "integrity", &e->integrity },
	};
	size_t i;

	if (strcmp(key, "resolution") == 0)
		take_resolution(e, value);
	if (strcmp(key, "conditions") == 0)
		take_conditions(e, value);
	for (i = 0; i < PMG_ARRAY_LEN(fields); i++)
		if (strcmp(key, fields[i].key) == 0) {
			free(*fields[i].slot);
			*fields[i].slot = pmg_xstrdup(value);
		}
}

/* yarn 1 solves such conflicts by taking both sides. */
static bool is_conflict(const char *line, size_t len)
{
	static const char *const marks[] = { "<<<<<<<", "=======", ">>>>>>>" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(marks); i++)
		if (len >= 7 && memcmp(line, marks[i], 7) == 0)
			return true;
	return false;
}

static int take_line(struct lock *lock, const char *line, size_t len, unsigned number)
{
	pmg_autofree char *key = NULL;
	pmg_autofree char *value = NULL;
	size_t n = 2;
	bool quoted = false;
	int r = 0;

	if (is_conflict(line, len))
		return wrong(lock, number, "a merge conflict that is not solved");
	if (len == 0 || line[0] == '#' || line[0] == '\r')
		return 0;
	if (line[0] != ' ') {
		r = flush(lock);
		key = word_of(line, len);
		/* "__metadata:" and the like name no package. */
		if (r == 0 && line[len - 1] != ':' && line[len - 1] != '\r')
			return wrong(lock, number, "neither an entry nor a field of one");
		take_key(&lock->entry, key, number);
		return r;
	}
	if (len <= 2 || line[1] != ' ' || line[2] == ' ')
		return 0; /* of "dependencies" */
	for (; n < len && (quoted || !strchr(" :", line[n])); n++)
		quoted ^= line[n] == '"';
	key = word_of(line + 2, n - 2);
	value = word_of(line + n, len - n);
	take_field(&lock->entry, key, value);
	return 0;
}

/* A comment ends at LF alone for yarn 1, for berry, which takes such a file over, at CR as well:
 * what follows may be an entry for one of them. Both are said: the entry, and that the file is not
 * to be trusted. */
static void tell_odd_end(const struct lock *lock, unsigned line)
{
	pmg_autofree char *why = pmg_xasprintf(
		"%s:%u: a comment that ends in a carriage return alone", lock->from->file, line);

	pmg_resolved_unread(lock->from->set, why);
}

static int read_lines(struct lock *lock)
{
	const char *p = lock->from->text, *end = p + lock->from->len, *next;
	unsigned number = 1;
	bool told = false;
	int r = 0;

	for (; r == 0 && p < end; p = next) {
		const char *stop = pmg_yarn_line_end(p, end, true, &next);

		if (*p == '#' && next > stop && next[-1] == '\r' && !told) {
			tell_odd_end(lock, number);
			told = true;
		}
		r = take_line(lock, p, (size_t)(stop - p), number);
		number += next > stop && next[-1] == '\n';
	}
	return r == 0 ? flush(lock) : r;
}

/* dependencies: {x: RANGE}, dependenciesMeta: {x: {optional: true}} */
static void take_need(struct entry *e, const struct pmg_yamlscan_at *at, const char *value)
{
	if (!pmg_streq(e->key, at->keys[0]) || !at->keys[2])
		return;
	if (at->depth == 3 && pmg_streq(at->keys[1], "dependencies"))
		pmg_strv_add(&e->needs, at->keys[2]);
	if (at->depth == 4 && pmg_streq(at->keys[1], "dependenciesMeta") &&
	    pmg_streq(at->keys[3], "optional") && at->plain && strcmp(value, "true") == 0)
		pmg_strv_add(&e->optional, at->keys[2]);
}

static int take_yaml(void *ctx, const struct pmg_yamlscan_at *at, const char *value)
{
	struct lock *lock = ctx;
	int r = 0;

	if (at->depth > 2)
		take_need(&lock->entry, at, value);
	if (at->depth == 0 || at->depth > 2)
		return 0;
	if (at->kind == PMG_YAMLSCAN_ALIAS || !at->keys[0] || !at->keys[0][0] ||
	    strcmp(at->keys[0], "<<") == 0)
		return wrong(lock, at->line, "an alias, or a key that is none");
	if (strcmp(at->keys[0], "__metadata") == 0)
		return 0;
	if (!pmg_streq(lock->entry.key, at->keys[0])) {
		r = flush(lock);
		take_key(&lock->entry, at->keys[0], at->key_line);
	}
	if (at->depth == 2 && at->kind == PMG_YAMLSCAN_SCALAR && at->keys[1])
		take_field(&lock->entry, at->keys[1], value);
	return r;
}

int pmg_resolve_yarn(const struct pmg_resolving *from, struct pmg_err *err)
{
	struct lock lock = { .from = from, .err = err };
	int r;

	if (memmem(from->text, from->len, "__metadata", 10)) {
		r = pmg_yamlscan(from->file, from->text, from->len, take_yaml, &lock, err);
		if (r == 0)
			r = flush(&lock);
	} else {
		r = read_lines(&lock);
	}
	if (r == 0)
		pmg_misfits_settle(&lock.misfits, from->set);
	entry_done(&lock.entry);
	pmg_misfits_done(&lock.misfits);
	return r;
}
