#include "verdict/gates.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "verdict/index_rows.h"
#include "verdict/popular.h"

#define NAMES_SHOWN 5U

/* Runs SQL of one row about the feed. @return 1: the row is there; 0; -PMG_E_DB */
static int ask(struct pmg_store *store, const char *sql, const char *feed, struct pmg_stmt **out,
	       struct pmg_err *err)
{
	int r = pmg_store_prepare(store, sql, out, err);

	if (r < 0)
		return r;
	pmg_stmt_bind_text(*out, 1, feed);
	return pmg_stmt_step(*out, err);
}

/* Single records leave a feed every day; those that it takes back by their ids do not count. */
static int check_count(struct pmg_store *store, const char *feed, struct pmg_strv *found,
		       struct pmg_err *err)
{
	static const char sql[] =
		"SELECT (SELECT count(*) FROM old.record r JOIN old.feed o ON o.feed = r.feed"
		" WHERE o.name = ?1),"
		" (SELECT count(*) FROM old.record r JOIN old.feed o ON o.feed = r.feed"
		" WHERE o.name = ?1 AND r.id IN (SELECT id FROM best WHERE withdrawn)),"
		" (SELECT records FROM main.feed WHERE name = ?1)";
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int64_t had, withdrawn, has;
	int r = ask(store, sql, feed, &stmt, err);

	if (r <= 0)
		return r;
	had = pmg_stmt_int(stmt, 0);
	withdrawn = pmg_stmt_int(stmt, 1);
	has = pmg_stmt_int(stmt, 2);
	if (has == 0 && withdrawn < had)
		pmg_strv_addf(found,
			      "no record of malware in it; the feed \"%s\" has %" PRId64
			      " in the index",
			      feed, had);
	else if (has + withdrawn < had - had / 10)
		pmg_strv_addf(found,
			      "%" PRId64 " record%s, where the feed \"%s\" has %" PRId64
			      " in the index",
			      has, has == 1 ? "" : "s", feed, had);
	return 0;
}

static int check_date(struct pmg_store *store, const char *feed, struct pmg_strv *found,
		      struct pmg_err *err)
{
	static const char sql[] = "SELECT o.newest, f.newest FROM old.feed o JOIN main.feed f"
				  " ON f.name = o.name WHERE o.name = ?1";
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	char before[PMG_RFC3339_LEN], after[PMG_RFC3339_LEN];
	int r = ask(store, sql, feed, &stmt, err);

	if (r <= 0)
		return r;
	if (pmg_stmt_int(stmt, 1) == 0 || pmg_stmt_int(stmt, 1) >= pmg_stmt_int(stmt, 0))
		return 0;
	pmg_clock_format(pmg_stmt_int(stmt, 0), before);
	pmg_clock_format(pmg_stmt_int(stmt, 1), after);
	pmg_strv_addf(found, "its newest record is of %s, before that of the index: %s", after,
		      before);
	return 0;
}

static int fill_popular(struct pmg_store *store, struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	const struct pmg_popular *p;
	int r = pmg_store_exec(store, "CREATE TEMP TABLE popular(eco INTEGER, name TEXT)", err);

	if (r == 0)
		r = pmg_store_prepare(store, "INSERT INTO popular VALUES(?1, ?2)", &stmt, err);
	for (p = pmg_popular_names; r == 0 && p->name; p++) {
		pmg_stmt_bind_int(stmt, 1, p->eco);
		pmg_stmt_bind_text(stmt, 2, p->name);
		r = pmg_stmt_run(stmt, err);
	}
	return r;
}

static void tell_names(const struct pmg_strv *names, struct pmg_strv *found)
{
	pmg_auto(strv) struct pmg_strv shown = { 0 };
	pmg_autofree char *text = NULL;
	size_t i;

	for (i = 0; i < names->n && i < NAMES_SHOWN; i++)
		pmg_strv_add(&shown, names->v[i]);
	text = pmg_strv_join(&shown, ", ", SIZE_MAX / 2);
	if (names->n > NAMES_SHOWN)
		pmg_strv_addf(found,
			      "all versions of %s and %zu more that everybody uses are "
			      "called malware",
			      text, names->n - NAMES_SHOWN);
	else if (names->n > 0)
		pmg_strv_addf(found, "all versions of %s, which everybody uses, are called malware",
			      text);
}

/* Does a range of this row cover every version? No published one is below these. */
static bool covers_all_versions(struct pmg_stmt *stmt)
{
	static const char *const lowest[] = { "", "0", "0.0.0" };
	struct pmg_rows ranges = pmg_rows_of(stmt, 2);
	struct pmg_rows_range range;
	size_t i;

	while (pmg_rows_range(&ranges, &range))
		for (i = 0; *range.high == '\0' && i < PMG_ARRAY_LEN(lowest); i++)
			if (strcmp(range.low, lowest[i]) == 0)
				return true;
	return false;
}

/* The popular names of which a database calls all versions malware: a digit for the ecosystem, then
   the name; sorted. */
static int read_condemned(struct pmg_store *store, const char *sql, const char *feed,
			  struct pmg_strv *names, struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = ask(store, sql, feed, &stmt, err);

	for (; r > 0; r = pmg_stmt_step(stmt, err)) {
		pmg_autofree char *name = pmg_xasprintf("%c%s", '0' + (char)pmg_stmt_int(stmt, 0),
							pmg_stmt_text(stmt, 1));

		if (covers_all_versions(stmt))
			(void)pmg_strv_add_once(names, name);
	}
	return r;
}

#define RANGES_SQL(db)                                                                             \
	"SELECT p.eco, p.name, e.ranges FROM popular p JOIN " db ".package e"                      \
	" ON e.name = p.name AND e.eco = p.eco JOIN " db ".record r ON r.record = e.record"        \
	" JOIN " db ".feed f ON f.feed = r.feed WHERE f.name = ?1 ORDER BY 1, 2"

static int check_popular(struct pmg_store *store, const char *feed, struct pmg_strv *found,
			 struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv had = { 0 }, names = { 0 }, fresh = { 0 };
	size_t i;
	int r = fill_popular(store, err);

	if (r == 0)
		r = read_condemned(store, RANGES_SQL("old"), feed, &had, err);
	if (r == 0)
		r = read_condemned(store, RANGES_SQL("main"), feed, &names, err);
	for (i = 0; r == 0 && i < names.n; i++)
		if (!pmg_strv_has(&had, names.v[i]))
			pmg_strv_add(&fresh, names.v[i] + 1);
	if (r == 0)
		tell_names(&fresh, found);
	return r;
}

int pmg_gates_check(struct pmg_store *store, const char *feed, struct pmg_strv *found,
		    struct pmg_err *err)
{
	int r = check_count(store, feed, found, err);

	if (r >= 0)
		r = check_date(store, feed, found, err);
	return r < 0 ? r : check_popular(store, feed, found, err);
}
