#include "verdict/index.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/str.h"
#include "conf/trusted.h"
#include "pm/version.h"
#include "store/store.h"
#include "verdict/index_priv.h"
#include "verdict/index_rows.h"

static const char broken_hint[] = "remove the file and import the feeds again";

struct pmg_index {
	struct pmg_store *store;
	struct pmg_stmt *find, *has, *find_digest, *find_fixes, *source;
	int64_t built, records, packages;
	bool sha256, sha512;          /* there are such digests */
	struct pmg_index_feeds feeds; /* number i + 1 at i: each hit names its own */
};

void pmg_index_close(struct pmg_index *index)
{
	if (!index)
		return;
	pmg_stmt_free(index->find);
	pmg_stmt_free(index->has);
	pmg_stmt_free(index->find_digest);
	pmg_stmt_free(index->find_fixes);
	pmg_stmt_free(index->source);
	pmg_index_feeds_done(&index->feeds);
	pmg_store_close(index->store);
	free(index);
}

int64_t pmg_index_built(const struct pmg_index *index)
{
	return index->built;
}

uint64_t pmg_index_records(const struct pmg_index *index)
{
	return (uint64_t)index->records;
}

uint64_t pmg_index_packages(const struct pmg_index *index)
{
	return (uint64_t)index->packages;
}

void pmg_index_feeds_done(struct pmg_index_feeds *feeds)
{
	size_t i;

	for (i = 0; i < feeds->n; i++)
		free(feeds->v[i].name);
	free(feeds->v);
	*feeds = (struct pmg_index_feeds){ 0 };
}

void pmg_index_answer_done(struct pmg_index_answer *answer)
{
	pmg_strv_done(&answer->ids);
	pmg_strv_done(&answer->sources);
	pmg_strv_done(&answer->notes);
}

/* What one look can tell: that it is our format, and that its end was not cut off. */
static int check_head(struct pmg_index *index, struct pmg_err *err)
{
	static const char sql[] = "SELECT (SELECT application_id FROM pragma_application_id),"
				  " (SELECT user_version FROM pragma_user_version),"
				  " (SELECT page_count FROM pragma_page_count) *"
				  " (SELECT page_size FROM pragma_page_size)";
	const char *path = pmg_store_path(index->store);
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	struct stat st;
	int r = pmg_store_prepare(index->store, sql, &stmt, err);

	if (r == 0)
		r = pmg_stmt_step(stmt, err);
	if (r < 0)
		return r;
	if (r == 0 || pmg_stmt_int(stmt, 0) != PMG_INDEX_APPLICATION ||
	    pmg_stmt_int(stmt, 1) != PMG_INDEX_FORMAT)
		return pmg_err_set(err, PMG_E_DB, 0, "%s: not an index of this version of pmg",
				   path);
	if (stat(path, &st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "stat %s", path);
	if (st.st_size != pmg_stmt_int(stmt, 2))
		return pmg_err_set(err, PMG_E_DB, 0, "%s: damaged: %lld bytes instead of %lld",
				   path, (long long)st.st_size, (long long)pmg_stmt_int(stmt, 2));
	return 0;
}

static int read_info(struct pmg_index *index, struct pmg_err *err)
{
	static const char sql[] = "SELECT (SELECT value FROM info WHERE key = 'built'),"
				  " (SELECT value FROM info WHERE key = 'records'),"
				  " (SELECT value FROM info WHERE key = 'packages'),"
				  " (SELECT value FROM info WHERE key = 'sha256'),"
				  " (SELECT value FROM info WHERE key = 'sha512')";
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	bool complete = true;
	int i, r = pmg_store_prepare(index->store, sql, &stmt, err);

	if (r == 0)
		r = pmg_stmt_step(stmt, err);
	if (r < 0)
		return r;
	for (i = 0; r > 0 && i < 5; i++)
		complete = complete && !pmg_stmt_is_null(stmt, i);
	if (r == 0 || !complete)
		return pmg_err_set(err, PMG_E_DB, 0, "%s: damaged: no date or count",
				   pmg_store_path(index->store));
	index->built = pmg_stmt_int(stmt, 0);
	index->records = pmg_stmt_int(stmt, 1);
	index->packages = pmg_stmt_int(stmt, 2);
	index->sha256 = pmg_stmt_int(stmt, 3) != 0;
	index->sha512 = pmg_stmt_int(stmt, 4) != 0;
	return 0;
}

static int prepare(struct pmg_index *index, struct pmg_err *err)
{
	/* One transaction for as long as it is open: else each lookup would read the file's head
	   again to see whether somebody had written, which nobody does. */
	int r = pmg_store_exec(index->store, "BEGIN", err);

	if (r == 0)
		r = pmg_store_prepare(index->store,
				      "SELECT record, versions, ranges FROM package"
				      " WHERE name = ?2 AND eco = ?1",
				      &index->find, err);
	if (r == 0)
		r = pmg_store_prepare(index->store,
				      "SELECT 1 FROM package WHERE name = ?2 AND eco = ?1 LIMIT 1",
				      &index->has, err);
	if (r == 0)
		r = pmg_store_prepare(index->store, "SELECT record FROM digest WHERE digest = ?1",
				      &index->find_digest, err);
	if (r == 0)
		r = pmg_store_prepare(index->store,
				      "SELECT DISTINCT id FROM fix WHERE eco = ?1 AND name = ?2"
				      " AND version = ?3 ORDER BY id LIMIT ?4",
				      &index->find_fixes, err);
	if (r == 0)
		r = pmg_store_prepare(index->store,
				      "SELECT id, feed, note FROM record WHERE record = ?1",
				      &index->source, err);
	if (r == 0)
		r = pmg_index_feeds(index, &index->feeds, err);
	return r;
}

int pmg_index_open(const char *path, struct pmg_index **out, struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *index = pmg_xcalloc(1, sizeof *index);
	int r = pmg_trusted_check(path, err);

	if (r < 0)
		return r;
	r = pmg_store_open(path, PMG_STORE_READ, &index->store, err);
	if (r == 0)
		r = check_head(index, err);
	if (r == 0)
		r = read_info(index, err);
	if (r == 0)
		r = prepare(index, err);
	if (r < 0)
		return pmg_err_hint(err, "%s", broken_hint);
	*out = pmg_steal_ptr(&index);
	return 0;
}

int pmg_index_check(struct pmg_index *index, struct pmg_err *err)
{
	int r = pmg_store_check(index->store, err);

	return r < 0 ? pmg_err_hint(err, "%s", broken_hint) : 0;
}

static int take_feeds(struct pmg_stmt *stmt, struct pmg_index_feeds *feeds, struct pmg_err *err)
{
	const char *name;
	int r;

	while ((r = pmg_stmt_step(stmt, err)) > 0) {
		name = pmg_stmt_text(stmt, 0);
		feeds->v = pmg_grow(feeds->v, feeds->n, &feeds->cap, sizeof *feeds->v);
		feeds->v[feeds->n++] = (struct pmg_index_feed){
			.name = pmg_xstrdup(name ? name : ""),
			.imported = pmg_stmt_int(stmt, 1),
			.records = (uint64_t)pmg_stmt_int(stmt, 2),
			.withdrawn = (uint64_t)pmg_stmt_int(stmt, 3),
			.newest = pmg_stmt_int(stmt, 4),
			.unread = (uint64_t)pmg_stmt_int(stmt, 5),
		};
	}
	return r;
}

int pmg_index_feeds(struct pmg_index *index, struct pmg_index_feeds *out, struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(
		index->store,
		"SELECT name, imported, records, withdrawn, newest, unread FROM feed"
		" ORDER BY feed",
		&stmt, err);

	if (r == 0)
		r = take_feeds(stmt, out, err);
	if (r < 0)
		pmg_index_feeds_done(out); /* as zeroed as the caller gave it */
	return r;
}

static int fail_row(const struct pmg_index *index, struct pmg_err *err)
{
	return pmg_err_set(err, PMG_E_DB, 0, "%s: damaged: a package's row cannot be read",
			   pmg_store_path(index->store));
}

static enum pmg_index_hit judge_range(const struct pmg_index_question *q,
				      const struct pmg_rows_range *range)
{
	int c;

	if (*range->low == '\0' && *range->high == '\0')
		return PMG_INDEX_HIT;
	if (!q->version)
		return PMG_INDEX_MISS;
	if (!q->readable)
		return PMG_INDEX_UNSURE;
	if (*range->low != '\0' && pmg_version_compare(q->eco, q->version, range->low) < 0)
		return PMG_INDEX_MISS;
	if (*range->high == '\0')
		return PMG_INDEX_HIT;
	c = pmg_version_compare(q->eco, q->version, range->high);
	return c < 0 || (c == 0 && range->inclusive) ? PMG_INDEX_HIT : PMG_INDEX_MISS;
}

/* @return 1: the version is in the list; 0; -PMG_E_DB: it is no list of ours */
static int is_listed(const struct pmg_index *index, struct pmg_rows list, const char *version,
		     struct pmg_err *err)
{
	const char *one;

	while ((one = pmg_rows_version(&list)))
		if (pmg_streq(one, version))
			return 1;
	return pmg_rows_is_damaged(&list) ? fail_row(index, err) : 0;
}

/* @return what a row says of the version, an enum pmg_index_hit; -PMG_E_DB */
static int judge_row(const struct pmg_index *index, const struct pmg_index_question *q,
		     struct pmg_stmt *row, struct pmg_err *err)
{
	struct pmg_rows ranges = pmg_rows_of(row, 2);
	struct pmg_rows_range range;
	enum pmg_index_hit hit = PMG_INDEX_MISS, one;
	int r = is_listed(index, pmg_rows_of(row, 1), q->version, err);

	if (r != 0)
		return r < 0 ? r : (int)PMG_INDEX_HIT;
	while (hit != PMG_INDEX_HIT && pmg_rows_range(&ranges, &range)) {
		one = judge_range(q, &range);
		hit = one > hit ? one : hit;
	}
	if (hit != PMG_INDEX_HIT && pmg_rows_is_damaged(&ranges))
		return fail_row(index, err);
	return (int)hit;
}

static int add_source(struct pmg_index *index, int64_t record, struct pmg_index_answer *answer,
		      struct pmg_err *err)
{
	const char *id, *note;
	int64_t feed;
	int r;

	pmg_stmt_bind_int(index->source, 1, record);
	r = pmg_stmt_step(index->source, err);
	if (r < 0)
		return r;
	id = r > 0 ? pmg_stmt_text(index->source, 0) : NULL;
	feed = r > 0 ? pmg_stmt_int(index->source, 1) : 0;
	note = r > 0 ? pmg_stmt_text(index->source, 2) : NULL;
	if (!id || feed < 1 || (uint64_t)feed > index->feeds.n)
		r = pmg_err_set(err, PMG_E_DB, 0, "%s: damaged: record %lld is missing",
				pmg_store_path(index->store), (long long)record);
	if (r > 0) {
		(void)pmg_strv_add_once(&answer->ids, id);
		(void)pmg_strv_add_once(&answer->sources, index->feeds.v[feed - 1].name);
		if (note)
			(void)pmg_strv_add_once(&answer->notes, note);
		r = 0;
	}
	pmg_stmt_reset(index->source);
	return r;
}

/* The strongest answer counts, with all records that give it. */
static int take_row(struct pmg_index *index, enum pmg_index_hit hit, int64_t record,
		    struct pmg_index_answer *answer, struct pmg_err *err)
{
	if (hit == PMG_INDEX_MISS || hit < answer->hit)
		return 0;
	if (hit > answer->hit)
		pmg_index_answer_done(answer);
	answer->hit = hit;
	return add_source(index, record, answer, err);
}

static int read_rows(struct pmg_index *index, const struct pmg_index_question *q,
		     struct pmg_index_answer *answer, struct pmg_err *err)
{
	int r, hit;

	while ((r = pmg_stmt_step(index->find, err)) > 0) {
		hit = judge_row(index, q, index->find, err);
		r = hit < 0 ? hit
			    : take_row(index, (enum pmg_index_hit)hit, pmg_stmt_int(index->find, 0),
				       answer, err);
		if (r < 0)
			break;
	}
	return r;
}

/* @param r  what the looking returned; *answer is emptied */
static int give(struct pmg_index_answer *answer, int r, struct pmg_index_answer *out,
		struct pmg_err *err)
{
	if (r < 0)
		return pmg_err_hint(err, "%s", broken_hint);
	pmg_strv_sort(&answer->ids);
	pmg_strv_sort(&answer->sources);
	pmg_strv_sort(&answer->notes);
	*out = *answer;
	*answer = (struct pmg_index_answer){ 0 };
	return 0;
}

int pmg_index_find(struct pmg_index *index, const struct pmg_index_question *question,
		   struct pmg_index_answer *out, struct pmg_err *err)
{
	pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
	int r;

	pmg_stmt_bind_int(index->find, 1, question->eco);
	pmg_stmt_bind_text(index->find, 2, question->name);
	r = read_rows(index, question, &answer, err);
	pmg_stmt_reset(index->find);
	return give(&answer, r, out, err);
}

int pmg_index_has_name(struct pmg_index *index, enum pmg_eco eco, const char *name,
		       struct pmg_err *err)
{
	int r;

	pmg_stmt_bind_int(index->has, 1, eco);
	pmg_stmt_bind_text(index->has, 2, name);
	r = pmg_stmt_step(index->has, err);
	pmg_stmt_reset(index->has);
	return r;
}

bool pmg_index_has_digests(const struct pmg_index *index, enum pmg_digest_alg alg)
{
	return (alg == PMG_DIGEST_SHA256 && index->sha256) ||
	       (alg == PMG_DIGEST_SHA512 && index->sha512);
}

int pmg_index_find_digest(struct pmg_index *index, enum pmg_digest_alg alg, const void *bytes,
			  size_t len, struct pmg_index_answer *out, struct pmg_err *err)
{
	pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
	struct pmg_stmt *find = index->find_digest;
	int r = 0, taken = 0;

	if (len != pmg_digest_len(alg))
		return 0;
	pmg_stmt_bind_blob(find, 1, bytes, len);
	while (taken == 0 && (r = pmg_stmt_step(find, err)) > 0)
		taken = take_row(index, PMG_INDEX_HIT, pmg_stmt_int(find, 0), &answer, err);
	pmg_stmt_reset(find);
	return give(&answer, taken < 0 ? taken : r, out, err);
}

int pmg_index_find_fixes(struct pmg_index *index, enum pmg_eco eco, const char *name,
			 const char *version, struct pmg_strv *ids, struct pmg_err *err)
{
	struct pmg_stmt *find = index->find_fixes;
	const char *id;
	int r;

	pmg_stmt_bind_int(find, 1, eco);
	pmg_stmt_bind_text(find, 2, name);
	pmg_stmt_bind_text(find, 3, version);
	pmg_stmt_bind_int(find, 4, PMG_INDEX_FIXES_MAX);
	while ((r = pmg_stmt_step(find, err)) > 0) {
		id = pmg_stmt_text(find, 0);
		if (id)
			pmg_strv_add(ids, id);
	}
	pmg_stmt_reset(find);
	return r < 0 ? pmg_err_hint(err, "%s", broken_hint) : 0;
}
