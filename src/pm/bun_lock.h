#ifndef PMG_PM_BUN_LOCK_H
#define PMG_PM_BUN_LOCK_H
/**
 * bun.lock, JSON with commas to spare: the archives that it names by address,
 * with name and version. Read line by line, as bun writes it: one package in
 * each. (bun.lockb, the older form, is binary and not read.)
 */
#include "pm/pm.h"

/** For pmg_lock_read(). @return 0; -PMG_E_LIMIT */
int pmg_bun_lock_parse(struct pmg_facts *facts, const char *name, const char *text, size_t len,
		       struct pmg_err *err) PMG_MUST_CHECK;

#endif
