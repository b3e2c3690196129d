#include "verdict/blocklist.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/dirs.h"
#include "conf/keys.h"
#include "conf/trusted.h"
#include "pm/entries.h"
#include "pm/version.h"
#include "verdict/lock.h"

#define SCHEMA_VERSION 1U

static void block_done(struct pmg_block *block)
{
	pmg_purl_done(&block->purl);
	free(block->text);
	free(block->version);
	free(block->reason);
	free(block->created);
	*block = (struct pmg_block){ 0 };
}
PMG_DEFINE_AUTO_DONE(block, struct pmg_block, block_done);

void pmg_blocklist_done(struct pmg_blocklist *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		block_done(&list->v[i]);
	free(list->v);
	free(list->sorted);
	*list = (struct pmg_blocklist){ 0 };
}

static void list_take(struct pmg_blocklist *list, struct pmg_block *block)
{
	list->v = pmg_grow(list->v, list->n, &list->cap, sizeof *list->v);
	list->v[list->n++] = *block;
	*block = (struct pmg_block){ 0 };
}

static void set_purl(struct pmg_block *block, struct pmg_purl *taken)
{
	block->purl = *taken;
	*taken = (struct pmg_purl){ 0 };
	if (block->purl.version)
		block->version = pmg_version_canonical(block->purl.eco, block->purl.version);
}

static int read_purl(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	struct pmg_block *block = out;
	struct pmg_err why = PMG_ERR_INIT;

	if (value->kind != PMG_YAML_SCALAR)
		return pmg_yaml_err(err, value, "\"purl\" must be a package URL");
	if (pmg_purl_parse(value->text, &purl, &why) < 0) {
		(void)pmg_yaml_err(err, value, "%s", why.msg);
		return pmg_err_hint(err, "%s", why.hint);
	}
	block->text = pmg_xstrdup(value->text);
	set_purl(block, &purl);
	return 0;
}

static int read_created(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct pmg_block *block = out;
	int64_t when;

	if (value->kind != PMG_YAML_SCALAR || pmg_clock_parse(value->text, &when) < 0)
		return pmg_yaml_err(err, value,
				    "\"created\" must be a date like 2026-11-29T10:00:00Z");
	block->created = pmg_xstrdup(value->text);
	return 0;
}

static const struct pmg_key block_keys[] = {
	{ .name = "purl", .kind = PMG_KEY_CALL, .flags = PMG_KEY_REQUIRED, .read = read_purl },
	{ .name = "reason",
	  .kind = PMG_KEY_STR,
	  .offset = offsetof(struct pmg_block, reason),
	  .max = PMG_BLOCKLIST_REASON_MAX },
	{ .name = "created", .kind = PMG_KEY_CALL, .read = read_created },
	{ 0 },
};

struct document {
	uint64_t schema_version;
	bool is_feed; /* another's: what is wrong with one entry does not take the others */
	struct pmg_blocklist list;
};

static int read_block(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct document *document = out;
	pmg_auto(block) struct pmg_block block = { 0 };
	struct pmg_err why = PMG_ERR_INIT;
	int r = pmg_keys_read(block_keys, value, &block, err);

	if (r == 0 && !document->is_feed && pmg_purl_check_exact(&block.purl, &why) < 0) {
		(void)pmg_yaml_err(err, pmg_yaml_get(value, "purl"), "%s", why.msg);
		r = pmg_err_hint(err, "%s", why.hint);
	}
	if (r == 0)
		list_take(&document->list, &block);
	return r;
}

static const struct pmg_key document_keys[] = {
	{ .name = "schema_version",
	  .kind = PMG_KEY_UINT,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct document, schema_version),
	  .max = SCHEMA_VERSION },
	{ .name = "block", .kind = PMG_KEY_LIST, .read = read_block, .max = PMG_BLOCKLIST_MAX },
	{ 0 },
};

/* All versions ("no version") sorts before one version. */
static int compare(enum pmg_eco eco, const char *name, const char *version,
		   const struct pmg_block *b)
{
	int c = (int)eco - (int)b->purl.eco;

	if (c == 0)
		c = strcmp(name, b->purl.name);
	if (c == 0)
		c = strcmp(version ? version : "", b->version ? b->version : "");
	return c;
}

static int by_package(const void *a, const void *b, void *list)
{
	const struct pmg_block *v = ((const struct pmg_blocklist *)list)->v;
	const size_t *x = a, *y = b;
	int c = compare(v[*x].purl.eco, v[*x].purl.name, v[*x].version, &v[*y]);

	return c ? c : (*x < *y ? -1 : *x > *y);
}

static void sort(struct pmg_blocklist *list)
{
	size_t i;

	list->sorted = pmg_xrealloc(list->sorted, list->n, sizeof *list->sorted);
	for (i = 0; i < list->n; i++)
		list->sorted[i] = i;
	if (list->n > 0)
		qsort_r(list->sorted, list->n, sizeof *list->sorted, by_package, list);
}

static int parse(const char *path, const char *text, size_t len, bool is_feed,
		 struct pmg_blocklist *out, struct pmg_err *err)
{
	pmg_auto(yaml) struct pmg_yaml *yaml = NULL;
	struct document document = { .is_feed = is_feed };
	int r = pmg_yaml_parse(path, text, len, &yaml, err);

	if (r == 0)
		r = pmg_keys_read(document_keys, yaml, &document, err);
	if (r == 0 && document.schema_version != SCHEMA_VERSION)
		r = pmg_yaml_err(err, pmg_yaml_get(yaml, "schema_version"),
				 "\"schema_version\" must be %u", SCHEMA_VERSION);
	if (r < 0) {
		pmg_blocklist_done(&document.list);
		return r;
	}
	sort(&document.list);
	*out = document.list;
	return 0;
}

int pmg_blocklist_parse(const char *path, const char *text, size_t len, struct pmg_blocklist *out,
			struct pmg_err *err)
{
	return parse(path, text, len, false, out, err);
}

int pmg_blocklist_parse_feed(const char *path, const char *text, size_t len,
			     struct pmg_blocklist *out, struct pmg_err *err)
{
	return parse(path, text, len, true, out, err);
}

int pmg_blocklist_managed(const struct pmg_managed *managed, struct pmg_blocklist *out,
			  struct pmg_err *err)
{
	pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
	size_t i;

	for (i = 0; i < managed->block.n; i++) {
		const struct pmg_managed_entry *e = &managed->block.v[i];
		pmg_auto(purl) struct pmg_purl purl = { 0 };
		pmg_auto(block) struct pmg_block block = { 0 };
		int r = pmg_entry_read_block(managed, e, &purl, err);

		if (r < 0)
			return r;
		block.text = pmg_xstrdup(e->text);
		block.reason = pmg_xasprintf("%s:%u", managed->config.path, e->line);
		set_purl(&block, &purl);
		list_take(&list, &block);
	}
	sort(&list);
	*out = list;
	list = (struct pmg_blocklist){ 0 };
	return 0;
}

int pmg_blocklist_load(const char *path, struct pmg_blocklist *out, struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_trusted_slurp(path, PMG_YAML_TEXT_MAX, &text, &len, err);

	if (r == -PMG_E_NOTFOUND) {
		*out = (struct pmg_blocklist){ 0 };
		return 0;
	}
	if (r < 0)
		return pmg_err_wrap(err, "block list");
	return pmg_blocklist_parse(path, text, len, out, err);
}

/* Where in the sorted list the first entry is that is not below this. */
static size_t lower_bound(const struct pmg_blocklist *list, enum pmg_eco eco, const char *name,
			  const char *version)
{
	size_t low = 0, high = list->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare(eco, name, version, &list->v[list->sorted[mid]]) > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The first entry for exactly this; NULL when there is none. */
static struct pmg_block *find_exact(const struct pmg_blocklist *list, enum pmg_eco eco,
				    const char *name, const char *version)
{
	size_t low = lower_bound(list, eco, name, version);

	if (low == list->n || compare(eco, name, version, &list->v[list->sorted[low]]) != 0)
		return NULL;
	return &list->v[list->sorted[low]];
}

const struct pmg_block *pmg_blocklist_find(const struct pmg_blocklist *list, enum pmg_eco eco,
					   const char *name, const char *version)
{
	const struct pmg_block *block = find_exact(list, eco, name, NULL);

	return block || !version ? block : find_exact(list, eco, name, version);
}

/* Entries for all versions come before those for one. */
bool pmg_blocklist_has(const struct pmg_blocklist *list, enum pmg_eco eco, const char *name)
{
	size_t low = lower_bound(list, eco, name, NULL);
	const struct pmg_block *block = low < list->n ? &list->v[list->sorted[low]] : NULL;

	return block && compare(eco, name, block->version, block) == 0;
}

static void add_text(struct pmg_str *out, const char *before, const char *text, const char *after)
{
	pmg_autofree char *quoted = pmg_yaml_quote(text);

	/* Entries are limited in number and length: far below SIZE_MAX. */
	(void)!pmg_str_addf(out, "%s%s%s", before, quoted, after);
}

char *pmg_blocklist_format(const struct pmg_blocklist *list)
{
	struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);
	const struct pmg_block *b;
	size_t i;

	(void)!pmg_str_addf(&out,
			    "# Packages that pmg does not let in. Change it here or by "
			    "`pmg intel block` and\n# `pmg intel unblock`, which keep the entries "
			    "and no comments.\nschema_version: %u\nblock:%s\n",
			    SCHEMA_VERSION, list->n > 0 ? "" : " []");
	for (i = 0; i < list->n; i++) {
		b = &list->v[i];
		add_text(&out, "  - purl: ", b->text, "\n");
		if (b->reason)
			add_text(&out, "    reason: ", b->reason, "\n");
		if (b->created)
			add_text(&out, "    created: ", b->created, "\n");
	}
	return pmg_str_steal(&out);
}

static int save(const char *path, const struct pmg_blocklist *list, struct pmg_err *err)
{
	pmg_autofree char *text = pmg_blocklist_format(list);
	size_t len = strlen(text);

	if (list->n > PMG_BLOCKLIST_MAX || len > PMG_YAML_TEXT_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: too many entries", path);
	return pmg_io_replace(path, text, len, 0600, err);
}

static struct pmg_block new_block(const struct pmg_purl *purl, const char *reason, int64_t now)
{
	struct pmg_block block = { 0 };
	struct pmg_purl copy = { purl->eco, pmg_xstrdup(purl->name),
				 purl->version ? pmg_xstrdup(purl->version) : NULL };

	block.text = pmg_purl_format(purl);
	set_purl(&block, &copy);
	block.reason = reason ? pmg_xstrdup(reason) : NULL;
	block.created = pmg_xmalloc(PMG_RFC3339_LEN);
	pmg_clock_format(now, block.created);
	return block;
}

/* Locks, so that of two commands at a time none undoes the other. */
static int open_for_change(const char *path, int *lock, struct pmg_blocklist *list,
			   struct pmg_err *err)
{
	pmg_autofree char *dir = pmg_path_dir(path);
	int r = pmg_dirs_make(dir, err);

	if (r == 0)
		r = pmg_lock_take(path, PMG_LOCK_MS, lock, err);
	if (r == 0)
		r = pmg_blocklist_load(path, list, err);
	return r;
}

int pmg_blocklist_add(const char *path, const struct pmg_purl *purl, const char *reason,
		      int64_t now, struct pmg_err *err)
{
	pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
	pmg_auto(block) struct pmg_block block = new_block(purl, reason, now);
	pmg_autofd int lock = -1;
	struct pmg_block *old;
	int r;

	if (reason && strlen(reason) > PMG_BLOCKLIST_REASON_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "the reason is longer than %u bytes",
				   PMG_BLOCKLIST_REASON_MAX);
	r = open_for_change(path, &lock, &list, err);
	if (r < 0)
		return r;
	old = find_exact(&list, purl->eco, purl->name, block.version);
	if (!old) {
		list_take(&list, &block);
	} else if (reason && !pmg_streq(reason, old->reason)) {
		free(old->reason);
		old->reason = pmg_steal_ptr(&block.reason);
	} else {
		return 0;
	}
	r = save(path, &list, err);
	return r < 0 ? r : old ? 2 : 1;
}

int pmg_blocklist_remove(const char *path, const struct pmg_purl *purl, struct pmg_err *err)
{
	pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
	pmg_autofree char *version = NULL;
	pmg_autofd int lock = -1;
	size_t i, kept = 0;
	int r, removed;

	if (purl->version)
		version = pmg_version_canonical(purl->eco, purl->version);
	r = open_for_change(path, &lock, &list, err);
	if (r < 0)
		return r;
	for (i = 0; i < list.n; i++) {
		if (compare(purl->eco, purl->name, version, &list.v[i]) == 0)
			block_done(&list.v[i]);
		else
			list.v[kept++] = list.v[i];
	}
	removed = (int)(list.n - kept);
	list.n = kept;
	r = removed > 0 ? save(path, &list, err) : 0;
	return r < 0 ? r : removed;
}
