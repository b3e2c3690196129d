#ifndef PMG_VERDICT_INDEX_PRIV_H
#define PMG_VERDICT_INDEX_PRIV_H
/**
 * The format of intel.db, shared by who writes it (build.c) and who reads it
 * (index.c). The file is only ever replaced whole, so it needs no migration:
 * a reader takes exactly its own PMG_INDEX_FORMAT.
 *
 *   info    built (seconds since 1970), records, packages
 *   feed    one row a feed, numbered in the order of their names; newest is the latest
 *           `modified` of its records, 0 when none has one
 *   record  one row a live record, numbered in the order of feed and id; note is why, of lists
 *   entry   what is affected, found by (eco, name, version): canonical forms.
 *           version "" is an interval: low <= v < high, or <= when inclusive;
 *           "" is no bound. Else low and high are "".
 *   digest  artifacts by what is in them, found by (alg, digest)
 *   gone    ids of withdrawn records: an update of single records must know them
 *   fix     versions that end a vulnerability (fixes.h), and by which record of which feed
 */
#define PMG_INDEX_FORMAT      3          /* user_version */
#define PMG_INDEX_APPLICATION 0x504d4749 /* "PMGI", application_id */
#define PMG_INDEX_SCHEMA                                                                           \
	"PRAGMA application_id=0x504d4749;"                                                        \
	"CREATE TABLE info(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"           \
	"CREATE TABLE feed(feed INTEGER PRIMARY KEY, name TEXT NOT NULL,"                          \
	" imported INTEGER NOT NULL, records INTEGER NOT NULL, withdrawn INTEGER NOT NULL,"        \
	" newest INTEGER NOT NULL);"                                                               \
	"CREATE TABLE record(record INTEGER PRIMARY KEY, feed INTEGER NOT NULL,"                   \
	" id TEXT NOT NULL, note TEXT);"                                                           \
	"CREATE TABLE entry(eco INTEGER, name TEXT, version TEXT, record INTEGER, low TEXT,"       \
	" high TEXT, inclusive INTEGER NOT NULL,"                                                  \
	" PRIMARY KEY(eco, name, version, record, low, high)) WITHOUT ROWID;"                      \
	"CREATE TABLE digest(alg INTEGER, digest BLOB, record INTEGER,"                            \
	" PRIMARY KEY(alg, digest, record)) WITHOUT ROWID;"                                        \
	"CREATE TABLE gone(feed INTEGER, id TEXT, PRIMARY KEY(feed, id)) WITHOUT ROWID;"           \
	"CREATE TABLE fix(eco INTEGER, name TEXT, version TEXT, feed INTEGER, id TEXT,"            \
	" PRIMARY KEY(eco, name, version, feed, id)) WITHOUT ROWID;"

#endif
