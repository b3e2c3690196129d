#include "verdict/build.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "store/store.h"
#include "verdict/build_priv.h"
#include "verdict/gates.h"
#include "verdict/index.h"
#include "verdict/index_priv.h"
#include "verdict/index_rows.h"
#include "verdict/lock.h"
#include "verdict/publish.h"

struct pmg_build {
	char *path; /* intel.db */
	char *folder;
	char *temp; /* the file in it */
	char *feed;
	int lock; /* -1: another process holds it, and publishes */
	struct pmg_store *store;
	struct pmg_stmt *add_record, *add_package, *add_digest, *add_fix, *add_fault;
	struct pmg_str versions, ranges; /* of the package that is being added */
	int64_t n_records;
	struct pmg_strv *found; /* what looks wrong; NULL: nobody asked */
	bool accept, merge, drop;
	uint64_t unread;
};

/* One for each table of what is staged (build_sql.c). */
static const struct {
	const char *sql;
	size_t offset;
} inserts[] = {
	{ "INSERT INTO s_record VALUES(?1,?2,?3,?4,?5,?6,?7)",
	  offsetof(struct pmg_build, add_record) },
	{ "INSERT INTO s_package VALUES(?1,?2,?3,?4,?5)", offsetof(struct pmg_build, add_package) },
	{ "INSERT INTO s_digest VALUES(?1,?2)", offsetof(struct pmg_build, add_digest) },
	{ "INSERT INTO s_fix VALUES(?1,?2,?3,?4)", offsetof(struct pmg_build, add_fix) },
	{ "INSERT INTO s_fault VALUES(?1,?2)", offsetof(struct pmg_build, add_fault) },
};

static struct pmg_stmt **insert_at(struct pmg_build *build, size_t i)
{
	return (void *)((char *)build + inserts[i].offset);
}

static void free_inserts(struct pmg_build *build)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(inserts); i++)
		pmg_stmt_free(pmg_steal_ptr(insert_at(build, i)));
}

void pmg_build_close(struct pmg_build *build)
{
	if (!build)
		return;
	free_inserts(build);
	pmg_store_close(build->store);
	if (build->lock >= 0) {
		pmg_publish_clear(build->folder);
		(void)close(build->lock);
	}
	pmg_str_done(&build->versions);
	pmg_str_done(&build->ranges);
	free(build->path);
	free(build->folder);
	free(build->temp);
	free(build->feed);
	free(build);
}

/* What the present index holds becomes readable as old.*; no index: empty tables. */
static int open_old(struct pmg_build *build, struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	int r = pmg_index_open(build->path, &index, err);

	if (r == -PMG_E_NOTFOUND)
		return pmg_store_exec(build->store, pmg_build_no_old_sql, err);
	if (r == 0)
		r = pmg_index_check(index, err);
	if (r < 0) /* copying from a damaged file would make a sound one with holes */
		return pmg_err_wrap(err, "the present index");
	return pmg_store_attach(build->store, build->path, "old", err);
}

static int open_new(struct pmg_build *build, struct pmg_err *err)
{
	/* It is always made anew: the numbers that formats had before are only counted. */
	static const char *const steps[] = { PMG_INDEX_SCHEMA, "", "", "", "" };
	size_t i;
	int r;

	_Static_assert(PMG_ARRAY_LEN(steps) == PMG_INDEX_FORMAT, "one for each number");

	build->temp = pmg_publish_file(build->folder);
	r = pmg_store_open(build->temp, PMG_STORE_BUILD, &build->store, err);
	if (r == 0)
		r = pmg_store_migrate(build->store, steps, PMG_INDEX_FORMAT, err);
	if (r == 0)
		r = open_old(build, err);
	if (r == 0)
		r = pmg_store_exec(build->store, pmg_build_stage_sql, err);
	if (r == 0)
		r = pmg_store_begin(build->store, err);
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(inserts); i++)
		r = pmg_store_prepare(build->store, inserts[i].sql, insert_at(build, i), err);
	return r;
}

static struct pmg_build *new_build(const char *index_path, const char *feed)
{
	struct pmg_build *build = pmg_xcalloc(1, sizeof *build);

	build->lock = -1;
	build->versions = (struct pmg_str)PMG_STR_INIT(PMG_ROWS_MAX);
	build->ranges = (struct pmg_str)PMG_STR_INIT(PMG_ROWS_MAX);
	build->path = pmg_xstrdup(index_path);
	build->feed = pmg_xstrdup(feed);
	return build;
}

int pmg_build_open_in(const char *folder, const char *index_path, const char *feed,
		      struct pmg_build **out, struct pmg_err *err)
{
	pmg_auto(build) struct pmg_build *build = new_build(index_path, feed);
	int r;

	build->folder = pmg_xstrdup(folder);
	r = open_new(build, err);
	if (r == 0)
		*out = pmg_steal_ptr(&build);
	return r;
}

int pmg_build_open(const char *index_path, const char *feed, struct pmg_build **out,
		   struct pmg_err *err)
{
	pmg_auto(build) struct pmg_build *build = new_build(index_path, feed);
	pmg_autofree char *dir = pmg_path_dir(index_path);
	pmg_autofd int lock = -1;
	int r = pmg_io_mkdirs(dir, 0700, err);

	if (r == 0)
		r = pmg_lock_take(index_path, PMG_LOCK_MS, &lock, err);
	if (r == 0)
		r = pmg_publish_folder(index_path, &build->folder, err);
	if (r < 0)
		return r;
	build->lock = pmg_steal_fd(&lock);
	r = open_new(build, err);
	if (r == 0)
		*out = pmg_steal_ptr(&build);
	return r;
}

static void bind_column(struct pmg_stmt *stmt, int param, const struct pmg_str *column)
{
	pmg_stmt_bind_blob(stmt, param, column->len > 0 ? column->s : "", column->len);
}

/* What the record says of one package: n entries. */
static int add_package(struct pmg_build *build, const struct pmg_osv_affected *const *entries,
		       size_t n, struct pmg_err *err)
{
	struct pmg_stmt *stmt = build->add_package;
	int r = pmg_rows_pack(entries, n, &build->versions, &build->ranges, err);

	if (r < 0 || (build->versions.len == 0 && build->ranges.len == 0))
		return r; /* only files are known of it */
	pmg_stmt_bind_int(stmt, 1, build->n_records);
	pmg_stmt_bind_text(stmt, 2, entries[0]->name);
	pmg_stmt_bind_int(stmt, 3, entries[0]->eco);
	bind_column(stmt, 4, &build->versions);
	bind_column(stmt, 5, &build->ranges);
	return pmg_stmt_run(stmt, err);
}

static int add_digests(struct pmg_build *build, const struct pmg_osv_affected *a,
		       struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < a->n_digests; i++) {
		const struct pmg_digest *digest = &a->digests[i];

		pmg_stmt_bind_int(build->add_digest, 1, build->n_records);
		pmg_stmt_bind_blob(build->add_digest, 2, digest->bytes,
				   pmg_digest_len(digest->alg));
		r = pmg_stmt_run(build->add_digest, err);
	}
	return r;
}

static int by_package(const void *a, const void *b)
{
	const struct pmg_osv_affected *x = *(const struct pmg_osv_affected *const *)a;
	const struct pmg_osv_affected *y = *(const struct pmg_osv_affected *const *)b;

	return x->eco != y->eco ? (int)x->eco - (int)y->eco : strcmp(x->name, y->name);
}

/* Records name a package more than once: a row has all that one says of it. */
static int add_affected(struct pmg_build *build, const struct pmg_osv *record, struct pmg_err *err)
{
	size_t i, begin, n = record->n_affected;
	pmg_autofree const struct pmg_osv_affected **sorted = pmg_xcalloc(n, sizeof *sorted);
	int r = 0;

	for (i = 0; r == 0 && i < n; i++) {
		sorted[i] = &record->affected[i];
		r = add_digests(build, sorted[i], err);
	}
	qsort(sorted, n, sizeof *sorted, by_package);
	for (begin = 0, i = 1; r == 0 && i <= n; i++) {
		if (i < n && by_package(&sorted[begin], &sorted[i]) == 0)
			continue;
		r = add_package(build, sorted + begin, i - begin, err);
		begin = i;
	}
	return r;
}

int pmg_build_add(struct pmg_build *build, const struct pmg_osv *record, const char *text,
		  size_t len, struct pmg_err *err)
{
	struct pmg_stmt *stmt = build->add_record;
	char digest[PMG_SHA256_HEX];
	bool live = !record->withdrawn && record->n_affected > 0;
	int r;

	pmg_sha256_hex(text, len, digest);
	build->n_records++;
	pmg_stmt_bind_int(stmt, 1, build->n_records);
	pmg_stmt_bind_text(stmt, 2, record->id);
	pmg_stmt_bind_int(stmt, 3, record->modified);
	pmg_stmt_bind_int(stmt, 4, live);
	pmg_stmt_bind_int(stmt, 5, record->withdrawn);
	pmg_stmt_bind_text(stmt, 6, digest);
	pmg_stmt_bind_text(stmt, 7, record->note);
	r = pmg_stmt_run(stmt, err);
	return r == 0 && live ? add_affected(build, record, err) : r;
}

/* Without a version: the record is there, and has none any more. */
static int add_fix(struct pmg_build *build, const char *id, const struct pmg_fix *fix,
		   struct pmg_err *err)
{
	struct pmg_stmt *stmt = build->add_fix;

	pmg_stmt_bind_text(stmt, 1, id);
	pmg_stmt_bind_int(stmt, 2, fix ? (int64_t)fix->eco : 0);
	pmg_stmt_bind_text(stmt, 3, fix ? fix->name : NULL);
	pmg_stmt_bind_text(stmt, 4, fix ? fix->version : NULL);
	return pmg_stmt_run(stmt, err);
}

int pmg_build_add_fixes(struct pmg_build *build, const struct pmg_osv *record, struct pmg_err *err)
{
	size_t i;
	int r = add_fix(build, record->id, NULL, err);

	for (i = 0; r == 0 && i < record->fixes.n; i++)
		r = add_fix(build, record->id, &record->fixes.v[i], err);
	return r;
}

int pmg_build_add_fault(struct pmg_build *build, const char *path, const char *why,
			struct pmg_err *err)
{
	pmg_autofree char *kept_path = pmg_xstrndup(path, PMG_INDEX_FAULT_MAX);
	pmg_autofree char *kept_why = pmg_xstrndup(why, PMG_INDEX_FAULT_MAX);

	pmg_stmt_bind_text(build->add_fault, 1, kept_path);
	pmg_stmt_bind_text(build->add_fault, 2, kept_why);
	return pmg_stmt_run(build->add_fault, err);
}

void pmg_build_set_unread(struct pmg_build *build, uint64_t n)
{
	build->unread = n;
}

void pmg_build_drop(struct pmg_build *build)
{
	build->drop = true;
}

static int run_one(struct pmg_build *build, const char *sql, int64_t now, struct pmg_err *err)
{
	const struct {
		const char *name;
		int64_t value;
	} numbers[] = { { "?2", now },
			{ "?3", build->merge },
			{ "?4", (int64_t)build->unread },
			{ "?5", build->drop } };
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	size_t i;
	int r = pmg_store_prepare(build->store, sql, &stmt, err);

	if (r < 0)
		return r;
	if (strstr(sql, "?1"))
		pmg_stmt_bind_text(stmt, 1, build->feed);
	for (i = 0; i < PMG_ARRAY_LEN(numbers); i++)
		if (strstr(sql, numbers[i].name))
			pmg_stmt_bind_int(stmt, (int)i + 2, numbers[i].value);
	return pmg_stmt_run(stmt, err);
}

static int read_result(struct pmg_build *build, struct pmg_build_result *out, struct pmg_err *err)
{
	static const char sql[] = "SELECT (SELECT records FROM main.feed WHERE name = ?1),"
				  " (SELECT withdrawn FROM main.feed WHERE name = ?1),"
				  " (SELECT count(*) FROM s_record) - (SELECT count(*) FROM best),"
				  " (SELECT value FROM main.info WHERE key = 'records'),"
				  " (SELECT value FROM main.info WHERE key = 'packages')";
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(build->store, sql, &stmt, err);

	if (r < 0)
		return r;
	pmg_stmt_bind_text(stmt, 1, build->feed);
	r = pmg_stmt_step(stmt, err);
	if (r <= 0)
		return r < 0 ? r : pmg_err_set(err, PMG_E_INTERNAL, 0, "no feed was made");
	out->records = (uint64_t)pmg_stmt_int(stmt, 0);
	out->withdrawn = (uint64_t)pmg_stmt_int(stmt, 1);
	out->duplicates = (uint64_t)pmg_stmt_int(stmt, 2);
	out->total = (uint64_t)pmg_stmt_int(stmt, 3);
	out->packages = (uint64_t)pmg_stmt_int(stmt, 4);
	return 0;
}

void pmg_build_guard(struct pmg_build *build, bool accept, struct pmg_strv *found)
{
	build->found = found;
	build->accept = accept;
}

void pmg_build_merge(struct pmg_build *build)
{
	build->merge = true;
}

/* An index that looks wrong would let in what the present one holds back, or hold back all. */
static int check_sanity(struct pmg_build *build, struct pmg_err *err)
{
	pmg_autofree char *all = NULL;
	int r;

	if (!build->found)
		return 0;
	r = pmg_gates_check(build->store, build->feed, build->found, err);
	if (r < 0 || build->accept || build->found->n == 0)
		return r;
	all = pmg_strv_join(build->found, "; ", SIZE_MAX / 2);
	(void)pmg_err_set(err, PMG_E_PARSE, 0, "it looks wrong: %s", all);
	(void)pmg_err_hint(err,
			   "the index is as it was. Is it the right feed, and all of it? "
			   "Another feed needs another --name; --accept takes it all the same");
	return pmg_err_diag(err, PMG_DIAG_FEED);
}

/* Read it back as a stranger would, before anybody relies on it. */
static int check_new(const struct pmg_build *build, struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	int r = pmg_index_open(build->temp, &index, err);

	if (r == 0)
		r = pmg_index_check(index, err);
	return r;
}

int pmg_build_finish(struct pmg_build *build, int64_t now, struct pmg_build_result *out,
		     struct pmg_err *err)
{
	struct pmg_build_result result = { 0 };
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && pmg_build_finish_sql[i]; i++)
		r = run_one(build, pmg_build_finish_sql[i], now, err);
	if (r == 0)
		r = read_result(build, &result, err);
	if (r == 0)
		r = check_sanity(build, err);
	if (r == 0)
		r = pmg_store_commit(build->store, err);
	if (r < 0)
		return r;
	free_inserts(build);
	pmg_store_close(pmg_steal_ptr(&build->store));
	r = check_new(build, err);
	if (r == 0 && build->lock >= 0)
		r = pmg_publish(build->temp, build->path, err);
	if (r == 0)
		*out = result;
	return r;
}
