#include <stdlib.h>
#include <string.h>

#include "conf/yamlscan.h"
#include "pm/pnpm_lock.h"
#include "pm/resolved_priv.h"

/* The entry of "packages" that is being read; it ends where the next one begins. */
struct entry {
	char *key, *name, *version, *tarball, *integrity;
	unsigned line;
	bool is_folder; /* of the project's own */
	struct pmg_fits fits;
};

struct reading {
	const struct pmg_resolving *from;
	struct entry entry;
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
	if (at->depth == 4 && pmg_streq(at->keys[2], "resolution") &&
	    pmg_streq(at->keys[3], "directory"))
		e->is_folder = true;
}

static int odd(const struct reading *reading, const struct pmg_yamlscan_at *at)
{
	return pmg_err_set(reading->err, PMG_E_PARSE, 0,
			   "%s:%u: an alias, or a key that is none, where packages are named",
			   reading->from->file, at->line);
}

static int take(void *ctx, const struct pmg_yamlscan_at *at, const char *value)
{
	struct reading *reading = ctx;
	int r = 0;

	if (at->depth >= 1 && at->depth <= 4 && at->keys[0] &&
	    (strcmp(at->keys[0], "packages") == 0 || !at->keys[0][0] ||
	     strcmp(at->keys[0], "<<") == 0)) {
		if (at->kind == PMG_YAMLSCAN_ALIAS || !at->keys[0][0] || at->keys[0][0] == '<' ||
		    (at->depth >= 2 && (!at->keys[1] || !at->keys[1][0])))
			return odd(reading, at);
	}
	if (at->depth < 2 || !pmg_streq(at->keys[0], "packages"))
		return 0;
	if (!pmg_streq(reading->entry.key, at->keys[1])) {
		r = flush(reading);
		reading->entry.key = pmg_xstrdup(at->keys[1]);
		reading->entry.line = at->key_line;
	}
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
	entry_done(&reading.entry);
	return r;
}
