#ifndef PMG_STORE_STORE_PRIV_H
#define PMG_STORE_STORE_PRIV_H
/** What store.c and stmt.c share. */
#include <sqlite3.h>

#include "store/store.h"

struct pmg_store {
	sqlite3 *db;
	char *path;
	enum pmg_store_mode mode;
	bool leaves_log;
};

/** Turn SQLite's last error of db into ours. rc is its result code. @return -PMG_E_DB */
int pmg_store_fail(const struct pmg_store *store, int rc, const char *doing, struct pmg_err *err);

#endif
