#include "verdict/known.h"

#include <stdlib.h>

#include "base/clock.h"
#include "store/store.h"
#include "verdict/index.h"
#include "verdict/index_priv.h"
#include "verdict/index_rows.h"

void pmg_known_done(struct pmg_known *known)
{
	size_t i;

	for (i = 0; i < known->n; i++) {
		struct pmg_known_row *row = &known->v[i];

		free(row->feed);
		free(row->id);
		free(row->note);
		free(row->version);
		free(row->low);
		free(row->high);
	}
	free(known->v);
	*known = (struct pmg_known){ 0 };
}

/* After the checks that everybody who asks the index has made. */
static int open_checked(const char *path, struct pmg_store **out, struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	int r = pmg_index_open(path, &index, err);

	return r < 0 ? r : pmg_store_open(path, PMG_STORE_READ, out, err);
}

static char *text(struct pmg_stmt *stmt, int column)
{
	const char *value = pmg_stmt_text(stmt, column);

	return pmg_xstrdup(value ? value : "");
}

static void take(struct pmg_known *known, struct pmg_stmt *stmt, const char *version,
		 const struct pmg_rows_range *range)
{
	if (known->n == PMG_KNOWN_MAX) {
		known->has_more = true;
		return;
	}
	known->v = pmg_grow(known->v, known->n, &known->cap, sizeof *known->v);
	known->v[known->n++] = (struct pmg_known_row){
		.feed = text(stmt, 0),
		.id = text(stmt, 1),
		.note = text(stmt, 2),
		.version = pmg_xstrdup(version),
		.low = pmg_xstrdup(range->low),
		.high = pmg_xstrdup(range->high),
		.inclusive = range->inclusive,
	};
}

/* What one record says of the package. */
static void take_all(struct pmg_known *known, struct pmg_stmt *stmt)
{
	static const struct pmg_rows_range none = { "", "", false };
	struct pmg_rows ranges = pmg_rows_of(stmt, 4), versions = pmg_rows_of(stmt, 3);
	struct pmg_rows_range range;
	const char *version;

	while (!known->has_more && pmg_rows_range(&ranges, &range))
		take(known, stmt, "", &range);
	while (!known->has_more && (version = pmg_rows_version(&versions)))
		take(known, stmt, version, &none);
}

int pmg_known_load(const char *index_path, enum pmg_eco eco, const char *name,
		   struct pmg_known *out, struct pmg_err *err)
{
	static const char sql[] =
		"SELECT f.name, r.id, r.note, p.versions, p.ranges FROM package p"
		" JOIN record r ON r.record = p.record JOIN feed f ON f.feed = r.feed"
		" WHERE p.eco = ?1 AND p.name = ?2 ORDER BY 1, 2";
	pmg_auto(store) struct pmg_store *store = NULL;
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	pmg_auto(known) struct pmg_known known = { 0 };
	int r = open_checked(index_path, &store, err);

	if (r == 0)
		r = pmg_store_prepare(store, sql, &stmt, err);
	if (r < 0)
		return r;
	pmg_stmt_bind_int(stmt, 1, eco);
	pmg_stmt_bind_text(stmt, 2, name);
	while ((r = pmg_stmt_step(stmt, err)) > 0)
		take_all(&known, stmt);
	if (r < 0)
		return r;
	*out = known;
	known = (struct pmg_known){ 0 };
	return 0;
}

char *pmg_known_versions(const struct pmg_known_row *row)
{
	const char *before = row->inclusive ? "<=" : "<";

	if (row->version[0])
		return pmg_xstrdup(row->version);
	if (!row->low[0] && !row->high[0])
		return pmg_xstrdup("all versions");
	return pmg_xasprintf("%s%s%s%s%s", row->low[0] ? ">=" : "", row->low,
			     row->low[0] && row->high[0] ? " " : "", row->high[0] ? before : "",
			     row->high);
}

void pmg_known_feed_done(struct pmg_known_feed *feed)
{
	size_t i;

	pmg_strv_done(&feed->newest);
	for (i = 0; i < feed->n_faults; i++) {
		free(feed->faults[i].path);
		free(feed->faults[i].reason);
	}
	free(feed->faults);
	*feed = (struct pmg_known_feed){ 0 };
}

static void take_newest(struct pmg_known_feed *feed, struct pmg_stmt *stmt)
{
	pmg_strv_take(&feed->newest, text(stmt, 0));
}

static void take_fault(struct pmg_known_feed *feed, struct pmg_stmt *stmt)
{
	feed->faults =
		pmg_grow(feed->faults, feed->n_faults, &feed->cap_faults, sizeof *feed->faults);
	feed->faults[feed->n_faults++] = (struct pmg_known_fault){ text(stmt, 0), text(stmt, 1) };
}

int pmg_known_of_feed(const char *index_path, const char *feed, struct pmg_known_feed *out,
		      struct pmg_err *err)
{
	static const struct {
		const char *sql;
		int64_t most;
		void (*take)(struct pmg_known_feed *feed, struct pmg_stmt *stmt);
	} asks[] = {
		{ "SELECT r.id FROM record r JOIN feed f ON f.feed = r.feed WHERE f.name = ?1"
		  " AND r.modified > 0 ORDER BY r.modified DESC, r.id LIMIT ?2",
		  PMG_KNOWN_NEWEST, take_newest },
		{ "SELECT x.path, x.reason FROM fault x JOIN feed f ON f.feed = x.feed"
		  " WHERE f.name = ?1 ORDER BY 1, 2 LIMIT ?2",
		  PMG_INDEX_FAULTS_MAX, take_fault },
	};
	pmg_auto(store) struct pmg_store *store = NULL;
	pmg_auto(known_feed) struct pmg_known_feed known = { .n_faults = 0 };
	size_t i;
	int r = open_checked(index_path, &store, err);

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(asks); i++) {
		pmg_auto(stmt) struct pmg_stmt *stmt = NULL;

		r = pmg_store_prepare(store, asks[i].sql, &stmt, err);
		if (r < 0)
			break;
		pmg_stmt_bind_text(stmt, 1, feed);
		pmg_stmt_bind_int(stmt, 2, asks[i].most);
		while ((r = pmg_stmt_step(stmt, err)) > 0)
			asks[i].take(&known, stmt);
	}
	if (r < 0)
		return r;
	*out = known;
	known = (struct pmg_known_feed){ 0 };
	return 0;
}

void pmg_known_old_feeds(const struct pmg_index_feeds *feeds, int64_t now, struct pmg_strv *lines)
{
	char date[PMG_RFC3339_LEN];
	size_t i;

	for (i = 0; i < feeds->n; i++) {
		const struct pmg_index_feed *feed = &feeds->v[i];

		if (feed->records < PMG_KNOWN_OLD_MIN || feed->newest == 0 ||
		    feed->newest >= now - PMG_KNOWN_OLD_S)
			continue;
		pmg_clock_format(feed->newest, date);
		pmg_strv_addf(lines,
			      "newest record of %s is of %.10s, %lld days ago: is its address "
			      "still right?",
			      feed->name, date, (long long)((now - feed->newest) / 86400));
	}
}

static int count_ecosystems(struct pmg_store *store, struct pmg_known_totals *out,
			    struct pmg_err *err)
{
	static const char sql[] = "SELECT eco, count(DISTINCT name), count(DISTINCT record) FROM "
				  "package GROUP BY eco";
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(store, sql, &stmt, err);

	while (r >= 0 && (r = pmg_stmt_step(stmt, err)) > 0) {
		int64_t eco = pmg_stmt_int(stmt, 0);

		if (eco != PMG_ECO_NPM && eco != PMG_ECO_PYPI)
			continue;
		out->of[eco].packages = (uint64_t)pmg_stmt_int(stmt, 1);
		out->of[eco].records = (uint64_t)pmg_stmt_int(stmt, 2);
	}
	return r;
}

int pmg_known_count(const char *index_path, struct pmg_known_totals *out, struct pmg_err *err)
{
	pmg_auto(store) struct pmg_store *store = NULL;
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	struct pmg_known_totals totals = { .digests = 0 };
	int r = open_checked(index_path, &store, err);

	if (r == 0)
		r = count_ecosystems(store, &totals, err);
	if (r == 0)
		r = pmg_store_prepare(store, "SELECT count(*) FROM digest", &stmt, err);
	if (r == 0)
		r = pmg_stmt_step(stmt, err);
	if (r < 0)
		return r;
	totals.digests = r > 0 ? (uint64_t)pmg_stmt_int(stmt, 0) : 0;
	*out = totals;
	return 0;
}
