#ifndef PMG_BASE_ENV_H
#define PMG_BASE_ENV_H
/** An environment as data: a strv of NAME=VALUE, built before a child is started. */
#include "base/strv.h"

/** Value of name, borrowed from the block; NULL when unset. Empty is not unset. */
const char *pmg_env_get(const struct pmg_strv *env, const char *name);
void pmg_env_set(struct pmg_strv *env, const char *name, const char *value);
/** @return true when it was there */
bool pmg_env_unset(struct pmg_strv *env, const char *name);
/** The first executable of that name on the block's PATH, absolute folders only; NULL when there is
 *  none. Caller frees. */
char *pmg_env_search(const struct pmg_strv *env, const char *name);

#endif
