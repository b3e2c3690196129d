#include <stdlib.h>
#include <string.h>

#include "conf/yamlscan.h"
#include "pm/pnpm_lock.h"
#include "pm/resolved_priv.h"
#include "pm/version.h"

/* The entry of "packages" that is being read; it ends where the next one begins. */
struct entry {
	char *key, *id, *name, *version, *tarball, *integrity;
	unsigned line;
	bool is_folder;   /* of the project's own */
	bool is_snapshot; /* of "snapshots": what "packages" says of it stands there, but for what
			   * only this says */
	bool is_told;     /* and "packages" says something of it */
	struct pmg_fits fits;
	bool says_optional, is_optional; /* pnpm leaves it out where it does not fit */
};

struct reading {
	const struct pmg_resolving *from;
	struct entry entry;
	/* By "packages"; what is optional "snapshots" say. Keys without what is in brackets. */
	struct pmg_misfits misfits;
	struct pmg_strv packages; /* keys of "packages", until they are sorted */
	bool is_sorted;
	struct pmg_err *err;
};

static void entry_done(struct entry *entry)
{
	free(entry->key);
	free(entry->id);
	free(entry->name);
	free(entry->version);
	free(entry->tarball);
	free(entry->integrity);
	*entry = (struct entry){ 0 };
}

/* "host.test/x/1.0.0" of a registry that is not the usual one (pnpm 5 to 8): the host goes. */
static void split_key(const char *key, char **name, char **version)
{
	size_t host = strcspn(key, "/");
	bool has_host = key[host] && host > 0 && memchr(key, '.', host) && !memchr(key, '@', host);

	pmg_pnpm_lock_split(has_host ? key + host : key, name, version);
	if (*name && pmg_name_is_valid(PMG_ECO_NPM, *name) && (*version || !has_host))
		return;
	free(*name); /* a path, or of git */
	free(*version);
	*name = *version = NULL;
}

static bool is_other(const char *one, const char *other)
{
	return one && !pmg_streq(one, other);
}

/* "id", in place of the key: what the store is asked for. */
static int add_id(struct reading *reading, const char *name, const char *version)
{
	const struct entry *e = &reading->entry;
	pmg_autofree char *id_name = NULL, *id_version = NULL;
	struct pmg_locked locked = { .integrity = e->integrity, .line = e->line };

	if (e->id)
		split_key(e->id, &id_name, &id_version);
	if (!id_version || (pmg_streq(id_name, name) && pmg_streq(id_version, version)))
		return 0;
	locked.name = id_name;
	locked.version = id_version;
	return pmg_resolving_add(reading->from, PMG_ECO_NPM, &locked, reading->err);
}

/* What the key says and what "name" and "version" below it say: versions of pnpm differ in which of
 * them they go by, and fetch or take from the store what that says. All of it is judged. */
static int add_readings(struct reading *reading)
{
	struct entry *e = &reading->entry;
	pmg_autofree char *name = NULL, *version = NULL;
	struct pmg_locked locked = { .url = e->tarball,
				     .integrity = e->integrity,
				     .line = e->line };
	const char *names[] = { e->name, NULL }, *versions[] = { e->version, NULL };
	size_t i, k;
	int r = 0;

	split_key(e->key, &name, &version);
	if (!e->name)
		names[0] = name ? name : e->key;
	else if (is_other(name, e->name))
		names[1] = name;
	if (!e->version)
		versions[0] = version;
	else if (is_other(version, e->version))
		versions[1] = version;
	for (i = 0; i < PMG_ARRAY_LEN(names) && names[i]; i++)
		for (k = 0; r == 0 && k < PMG_ARRAY_LEN(versions); k++) {
			locked.name = names[i];
			locked.version = versions[k];
			if (k == 0 || versions[k])
				r = pmg_resolving_add(reading->from, PMG_ECO_NPM, &locked,
						      reading->err);
		}
	return r == 0 ? add_id(reading, names[0], versions[0]) : r;
}

/* A snapshot of what stands in "packages" adds nothing, unless it has fields of its own. */
static bool says_something(const struct entry *e)
{
	return !e->is_told || e->id || e->name || e->version || e->tarball || e->integrity;
}

static char *bare(const char *key)
{
	return pmg_xstrndup(key, strcspn(key, "("));
}

/* Only what is optional is left out where it does not fit. */
static void note_fit(struct reading *reading, size_t from)
{
	struct entry *e = &reading->entry;
	pmg_autofree char *key = bare(e->key);

	if (e->is_snapshot)
		pmg_strv_add(e->is_optional ? &reading->misfits.optional : &reading->misfits.needed,
			     key);
	if (pmg_fits_is_foreign(&e->fits) && (!e->says_optional || e->is_optional))
		pmg_misfits_add(&reading->misfits, e->says_optional ? NULL : key, from,
				reading->from->set->n);
}

static int flush(struct reading *reading)
{
	struct entry *e = &reading->entry;
	size_t from = reading->from->set->n;
	int r = 0;

	if (e->key && !e->is_folder && says_something(e))
		r = add_readings(reading);
	if (e->key)
		note_fit(reading, from);
	entry_done(e);
	return r;
}

static void set(char **slot, const char *value)
{
	free(*slot);
	*slot = pmg_xstrdup(value);
}

static void take_field(struct entry *e, const struct pmg_yamlscan_at *at, const char *value)
{
	const struct {
		unsigned depth;
		const char *last;
		char **slot;
	} fields[] = {
		{ 3, "id", &e->id },
		{ 3, "name", &e->name },
		{ 3, "version", &e->version },
		{ 4, "tarball", &e->tarball },
		{ 4, "repo", &e->tarball }, /* of git */
		{ 4, "integrity", &e->integrity },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(fields); i++)
		if (at->depth == fields[i].depth &&
		    (at->depth == 3 || pmg_streq(at->keys[2], "resolution")) &&
		    pmg_streq(at->keys[at->depth - 1], fields[i].last))
			set(fields[i].slot, value);
	if (at->depth == 3 && pmg_streq(at->keys[2], "optional")) {
		e->says_optional = true;
		e->is_optional = at->plain && strcasecmp(value, "true") == 0;
	}
	if (e->is_snapshot)
		return;
	if (at->depth == 4 && at->keys[2] && !at->keys[3])
		pmg_fits_add(&e->fits, at->keys[2], value);
	/* By that alone: with an integrity and no type it is fetched, whatever else stands there.
	 */
	if (at->depth == 4 && pmg_streq(at->keys[2], "resolution") &&
	    pmg_streq(at->keys[3], "type"))
		e->is_folder = pmg_streq(value, "directory");
}

static int odd(const struct reading *reading, const struct pmg_yamlscan_at *at)
{
	return pmg_resolving_wrong(reading->from, at->line,
				   "an alias, or a key that is none, where packages are named",
				   reading->err);
}

static bool is_snapshot(const struct pmg_yamlscan_at *at)
{
	return pmg_streq(at->keys[0], "snapshots");
}

/* "x@1.0.0(y@2.0.0)" of "snapshots": pnpm puts what "packages" has of "x@1.0.0" beside it. Is there
 * any?
 */
static bool is_in_packages(struct reading *reading, const char *key)
{
	pmg_autofree char *text = bare(key);

	if (!reading->is_sorted)
		pmg_strv_sort(&reading->packages);
	reading->is_sorted = true;
	return pmg_resolving_is_in(&reading->packages, text);
}

static int begin(struct reading *reading, const struct pmg_yamlscan_at *at)
{
	struct entry *e = &reading->entry;
	int r = flush(reading);

	e->is_snapshot = is_snapshot(at);
	e->is_told = e->is_snapshot && is_in_packages(reading, at->keys[1]);
	if (!e->is_snapshot) {
		pmg_strv_add(&reading->packages, at->keys[1]);
		reading->is_sorted = false;
	}
	e->key = pmg_xstrdup(at->keys[1]);
	e->line = at->key_line;
	return r;
}

static int take(void *ctx, const struct pmg_yamlscan_at *at, const char *value)
{
	struct reading *reading = ctx;
	int r = 0;

	if (at->depth >= 1 && at->depth <= 4 && at->keys[0] &&
	    (strcmp(at->keys[0], "packages") == 0 || is_snapshot(at) || !at->keys[0][0] ||
	     strcmp(at->keys[0], "<<") == 0)) {
		if (at->kind == PMG_YAMLSCAN_ALIAS || !at->keys[0][0] || at->keys[0][0] == '<' ||
		    (at->depth >= 2 && (!at->keys[1] || !at->keys[1][0])))
			return odd(reading, at);
	}
	if (at->depth < 2 || (!pmg_streq(at->keys[0], "packages") && !is_snapshot(at)))
		return 0;
	if (!pmg_streq(reading->entry.key, at->keys[1]) ||
	    reading->entry.is_snapshot != is_snapshot(at))
		r = begin(reading, at);
	if (at->kind == PMG_YAMLSCAN_SCALAR)
		take_field(&reading->entry, at, value);
	return r;
}

int pmg_resolve_pnpm(const struct pmg_resolving *from, struct pmg_err *err)
{
	struct reading reading = { .from = from, .err = err };
	int r = pmg_yamlscan(from->file, from->text, from->len, take, &reading, err);

	if (r == 0)
		r = flush(&reading);
	if (r == 0)
		pmg_misfits_settle(&reading.misfits, from->set);
	entry_done(&reading.entry);
	pmg_strv_done(&reading.packages);
	pmg_misfits_done(&reading.misfits);
	return r;
}
