#include "verdict/build_priv.h"

#include <stddef.h>

#include "verdict/index_priv.h"

#define TEXT_OF(n) #n
#define TEXT(n)    TEXT_OF(n)

/* Records of the feed as they come; temporary tables live outside the file. Whatever kept rows
   there are come from `old`. */
const char pmg_build_stage_sql[] =
	"CREATE TEMP TABLE s_record(no INTEGER PRIMARY KEY, id TEXT, modified INTEGER,"
	" live INTEGER, withdrawn INTEGER, digest TEXT, note TEXT);"
	"CREATE TEMP TABLE s_package(no INTEGER, name TEXT, eco INTEGER, versions BLOB,"
	" ranges BLOB);"
	"CREATE TEMP TABLE s_digest(no INTEGER, digest BLOB);"
	"CREATE TEMP TABLE s_fault(path TEXT, reason TEXT);"
	"CREATE TEMP TABLE s_fix(id TEXT, eco INTEGER, name TEXT, version TEXT);"
	"CREATE TEMP TABLE best(id TEXT PRIMARY KEY, no INTEGER, modified INTEGER, live INTEGER,"
	" withdrawn INTEGER, note TEXT) WITHOUT ROWID;"
	"CREATE TEMP TABLE kept(old INTEGER PRIMARY KEY, name TEXT, id TEXT, modified INTEGER,"
	" note TEXT);"
	"CREATE TEMP TABLE all_gone(name TEXT, id TEXT);"
	"CREATE TEMP TABLE merged(record INTEGER PRIMARY KEY, feed INTEGER, id TEXT,"
	" modified INTEGER, note TEXT, old INTEGER, no INTEGER);";

const char pmg_build_no_old_sql[] =
	"ATTACH ':memory:' AS old;"
	"CREATE TABLE old.feed(feed, name, imported, records, withdrawn, newest, unread);"
	"CREATE TABLE old.record(record, feed, id, modified, note);"
	"CREATE TABLE old.package(name, eco, record, versions, ranges);"
	"CREATE TABLE old.digest(digest, record);"
	"CREATE TABLE old.gone(feed, id);"
	"CREATE TABLE old.fault(feed, path, reason);"
	"CREATE TABLE old.fix(eco, name, version, feed, id);";

const char *const pmg_build_finish_sql[] = {
	/* Of each id the record that counts. */
	"INSERT INTO best SELECT id, no, modified, live, withdrawn, note FROM (SELECT *, "
	"row_number()"
	" OVER (PARTITION BY id ORDER BY modified DESC, live DESC, digest DESC) AS rank"
	" FROM s_record) WHERE rank = 1",
	"INSERT INTO kept SELECT r.record, o.name, r.id, r.modified, r.note FROM old.record r"
	" JOIN old.feed o ON o.feed = r.feed"
	" WHERE o.name <> ?1 OR (?3 AND r.id NOT IN (SELECT id FROM best))",
	"INSERT INTO all_gone SELECT o.name, g.id FROM old.gone g JOIN old.feed o"
	" ON o.feed = g.feed WHERE o.name <> ?1 OR (?3 AND g.id NOT IN (SELECT id FROM best))"
	" UNION ALL SELECT ?1, id FROM best WHERE withdrawn",
	"INSERT INTO main.feed SELECT row_number() OVER (ORDER BY name), * FROM ("
	"SELECT name, imported, records, withdrawn, newest, unread FROM old.feed WHERE name <> ?1"
	" UNION ALL SELECT ?1, ?2,"
	" (SELECT count(*) FROM best WHERE live) + (SELECT count(*) FROM kept WHERE name = ?1),"
	" (SELECT count(*) FROM all_gone WHERE name = ?1),"
	" max(ifnull((SELECT max(modified) FROM best), 0),"
	" ifnull((SELECT newest FROM old.feed WHERE ?3 AND name = ?1), 0)),"
	" ?4 + ifnull((SELECT unread FROM old.feed WHERE ?3 AND name = ?1), 0) WHERE NOT ?5)"
	" ORDER BY name",
	"INSERT INTO merged SELECT row_number() OVER (ORDER BY feed, id), * FROM ("
	"SELECT f.feed AS feed, k.id AS id, k.modified, k.note, k.old AS old, NULL AS no FROM kept "
	"k"
	" JOIN main.feed f ON f.name = k.name UNION ALL "
	"SELECT f.feed, b.id, b.modified, b.note, NULL, b.no FROM best b JOIN main.feed f ON "
	"f.name = ?1"
	" WHERE b.live)",
	"CREATE INDEX temp.merged_old ON merged(old, record)",
	"CREATE INDEX temp.merged_no ON merged(no, record)",
	"INSERT INTO main.record SELECT record, feed, id, modified, note FROM merged"
	" ORDER BY record",
	"INSERT INTO main.package SELECT name, eco, record, versions, ranges FROM ("
	"SELECT p.name, p.eco, m.record, p.versions, p.ranges FROM old.package p"
	" JOIN merged m ON m.old = p.record UNION ALL "
	"SELECT s.name, s.eco, m.record, s.versions, s.ranges FROM s_package s"
	" JOIN merged m ON m.no = s.no) ORDER BY 1, 2, 3",
	"INSERT INTO main.digest SELECT digest, record FROM ("
	"SELECT d.digest, m.record FROM old.digest d JOIN merged m ON m.old = d.record"
	" UNION SELECT s.digest, m.record FROM s_digest s JOIN merged m ON m.no = s.no)"
	" ORDER BY 1, 2",
	"INSERT INTO main.gone SELECT f.feed, g.id FROM all_gone g"
	" JOIN main.feed f ON f.name = g.name ORDER BY 1, 2",
	"INSERT INTO main.fix SELECT x.eco, x.name, x.version, f.feed, x.id FROM ("
	"SELECT o.name AS feed, p.eco, p.name, p.version, p.id FROM old.fix p JOIN old.feed o"
	" ON o.feed = p.feed WHERE o.name <> ?1 OR (?3 AND p.id NOT IN (SELECT id FROM s_fix))"
	" UNION SELECT ?1, eco, name, version, id FROM s_fix WHERE version IS NOT NULL) x"
	" JOIN main.feed f ON f.name = x.feed ORDER BY 1, 2, 3, 4, 5",
	"INSERT INTO main.fault SELECT feed, path, reason FROM (SELECT f.feed, x.path, x.reason,"
	" row_number() OVER (PARTITION BY f.feed ORDER BY x.path, x.reason) AS rank FROM ("
	"SELECT o.name AS feed, p.path, p.reason FROM old.fault p JOIN old.feed o"
	" ON o.feed = p.feed WHERE o.name <> ?1 OR ?3"
	" UNION SELECT ?1, path, reason FROM s_fault) x JOIN main.feed f ON f.name = x.feed)"
	" WHERE rank <= " TEXT(PMG_INDEX_FAULTS_MAX) " ORDER BY 1, 2, 3",
	"INSERT INTO main.info VALUES('built', ?2)",
	"INSERT INTO main.info SELECT 'records', count(*) FROM main.record",
	("INSERT INTO main.info SELECT 'packages', count(*) FROM"
	 " (SELECT 1 FROM main.package GROUP BY name, eco)"),
	"INSERT INTO main.info SELECT 'sha256', count(*) FROM main.digest"
	" WHERE length(digest) = 32",
	"INSERT INTO main.info SELECT 'sha512', count(*) FROM main.digest"
	" WHERE length(digest) = 64",
	NULL,
};
