#include <stdlib.h>
#include <string.h>

#include "conf/yamlscan.h"
#include "pm/pnpm_lock.h"
#include "pm/resolved_priv.h"

/* The entry of "packages" that is being read; it ends where the next one begins. */
struct entry {
	char *key, *name, *version, *tarball, *integrity;
	unsigned line;
	bool is_folder;   /* of the project's own */
	bool is_snapshot; /* of "snapshots": what "packages" says of it stands there */
	struct pmg_fits fits;
};

struct reading {
	const struct pmg_resolving *from;
	struct entry entry;
	struct pmg_strv packages; /* keys of "packages", until they are sorted */
	bool is_sorted;
	struct pmg_err *err;
};

static void entry_done(struct entry *entry)
{
	free(entry->key);
	free(entry->name);
	free(entry->version);
	free(entry->tarball);
	free(entry->integrity);
	*entry = (struct entry){ 0 };
}

/* "host.test/x" of a registry that is not the usual one (pnpm 5 to 8): the host goes. */
static const char *without_host(const char *name)
{
	const char *slash = strchr(name, '/');

	return name[0] != '@' && slash && memchr(name, '.', (size_t)(slash - name)) ? slash + 1
										    : name;
}

static int flush(struct reading *reading)
{
	struct entry *e = &reading->entry;
	pmg_autofree char *name = NULL;
	pmg_autofree char *version = NULL;
	struct pmg_locked locked = { .line = e->line };
	int r = 0;

	if (e->key && !e->is_folder) {
		pmg_pnpm_lock_split(e->key, &name, &version);
		locked.name = e->name ? e->name : name ? without_host(name) : e->key;
		locked.version = e->version ? e->version : version;
		locked.url = e->tarball;
		locked.integrity = e->integrity;
		locked.foreign = pmg_fits_is_foreign(&e->fits);
		r = pmg_resolving_add(reading->from, PMG_ECO_NPM, &locked, reading->err);
	}
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
		{ 3, "name", &e->name },           { 3, "version", &e->version },
		{ 4, "tarball", &e->tarball },     { 4, "repo", &e->tarball }, /* of git */
		{ 4, "integrity", &e->integrity },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(fields); i++)
		if (at->depth == fields[i].depth &&
		    (at->depth == 3 || pmg_streq(at->keys[2], "resolution")) &&
		    pmg_streq(at->keys[at->depth - 1], fields[i].last))
			set(fields[i].slot, value);
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
	return pmg_err_set(reading->err, PMG_E_PARSE, 0,
			   "%s:%u: an alias, or a key that is none, where packages are named",
			   reading->from->file, at->line);
}

static bool is_snapshot(const struct pmg_yamlscan_at *at)
{
	return pmg_streq(at->keys[0], "snapshots");
}

static int by_text(const void *key, const void *element)
{
	return strcmp(key, *(char *const *)element);
}

/* "x@1.0.0(y@2.0.0)" of "snapshots": pnpm puts what "packages" has of "x@1.0.0" beside it. Is there
 * any?
 */
static bool is_in_packages(struct reading *reading, const char *key)
{
	pmg_autofree char *bare = pmg_xstrndup(key, strcspn(key, "("));

	if (!reading->is_sorted)
		pmg_strv_sort(&reading->packages);
	reading->is_sorted = true;
	return reading->packages.n > 0 && bsearch(bare, reading->packages.v, reading->packages.n,
						  sizeof *reading->packages.v, by_text);
}

static int begin(struct reading *reading, const struct pmg_yamlscan_at *at)
{
	struct entry *e = &reading->entry;
	int r = flush(reading);

	if (r == 0 && is_snapshot(at) && is_in_packages(reading, at->keys[1])) {
		e->is_folder = true; /* it is said already */
	} else if (!is_snapshot(at)) {
		pmg_strv_add(&reading->packages, at->keys[1]);
		reading->is_sorted = false;
	}
	e->is_snapshot = is_snapshot(at);
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
	if (at->kind == PMG_YAMLSCAN_SCALAR && !is_snapshot(at))
		take_field(&reading->entry, at, value);
	return r;
}

int pmg_resolve_pnpm(const struct pmg_resolving *from, struct pmg_err *err)
{
	struct reading reading = { .from = from, .err = err };
	int r = pmg_yamlscan(from->file, from->text, from->len, take, &reading, err);

	if (r == 0)
		r = flush(&reading);
	entry_done(&reading.entry);
	pmg_strv_done(&reading.packages);
	return r;
}
