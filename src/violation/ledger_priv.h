#ifndef PMG_VIOLATION_LEDGER_PRIV_H
#define PMG_VIOLATION_LEDGER_PRIV_H
/** What writing and reading the ledger share. */
#include "store/store.h"

/** Open (made when missing) with the present schema. */
int pmg_ledger_open(const char *path, struct pmg_store **out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
