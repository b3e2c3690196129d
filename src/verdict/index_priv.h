#ifndef PMG_VERDICT_INDEX_PRIV_H
#define PMG_VERDICT_INDEX_PRIV_H
/**
 * The format of intel.db, shared by who writes it (build.c) and who reads it
 * (index.c). The file is only ever replaced whole, so it needs no migration:
 * a reader takes exactly its own PMG_INDEX_FORMAT.
 *
 *   info    built (seconds since 1970), records, packages, sha256 and sha512 (rows of digest)
 *   feed    one row a feed, numbered in the order of their names; newest is the latest
 *           `modified` of its records, 0 when none has one; unread is how many of its files could
 *           not be read, since all of it was last taken
 *   fault   which files those were, the first by their paths, and why
 *   record  one row a live record, numbered in the order of feed and id; note is the reason that
 *           a list gives
 *   package  what a record says of a package, found by its canonical name: index_rows.h. Names
 *           stand first in the key: comparing texts is what SQLite does fastest
 *   digest  artifacts, by their digests, whose length tells the algorithm
 *   gone    ids of withdrawn records: an update of single records has to know them
 *   fix     versions that fix a vulnerability (fixes.h), and which record of which feed says so
 */
#define PMG_INDEX_FORMAT      5          /* user_version */
#define PMG_INDEX_APPLICATION 0x504d4749 /* "PMGI", application_id */
#define PMG_INDEX_FAULTS_MAX  100        /* rows of one feed */
#define PMG_INDEX_FAULT_MAX   512        /* bytes of a path, and of a reason: the rest is cut off */
#define PMG_INDEX_SCHEMA                                                                           \
	"PRAGMA application_id=0x504d4749;"                                                        \
	"CREATE TABLE info(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"           \
	"CREATE TABLE feed(feed INTEGER PRIMARY KEY, name TEXT NOT NULL,"                          \
	" imported INTEGER NOT NULL, records INTEGER NOT NULL, withdrawn INTEGER NOT NULL,"        \
	" newest INTEGER NOT NULL, unread INTEGER NOT NULL);"                                      \
	"CREATE TABLE fault(feed INTEGER, path TEXT, reason TEXT,"                                 \
	" PRIMARY KEY(feed, path, reason)) WITHOUT ROWID;"                                         \
	"CREATE TABLE record(record INTEGER PRIMARY KEY, feed INTEGER NOT NULL,"                   \
	" id TEXT NOT NULL, modified INTEGER NOT NULL, note TEXT);"                                \
	"CREATE TABLE package(name TEXT, eco INTEGER, record INTEGER, versions BLOB, ranges BLOB," \
	" PRIMARY KEY(name, eco, record)) WITHOUT ROWID;"                                          \
	"CREATE TABLE digest(digest BLOB, record INTEGER,"                                         \
	" PRIMARY KEY(digest, record)) WITHOUT ROWID;"                                             \
	"CREATE TABLE gone(feed INTEGER, id TEXT, PRIMARY KEY(feed, id)) WITHOUT ROWID;"           \
	"CREATE TABLE fix(eco INTEGER, name TEXT, version TEXT, feed INTEGER, id TEXT,"            \
	" PRIMARY KEY(eco, name, version, feed, id)) WITHOUT ROWID;"

#endif
