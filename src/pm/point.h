#ifndef PMG_PM_POINT_H
#define PMG_PM_POINT_H
/**
 * Which variables tell a program of proxy and CA bundle. One table for all
 * managers, since a script of npm's may well start pip. docs/adding-a-package-
 * manager.md says how each row was measured.
 */
#include <stdbool.h>

#include "base/strv.h"

struct pmg_pointer;

/** struct pmg_pm's point(). */
void pmg_point(struct pmg_strv *env, const struct pmg_pointer *to);

/** The same for those that leave modules uncompiled: what a script would write beside them for that
 * is refused, each time that one is imported. */
void pmg_point_python(struct pmg_strv *env, const struct pmg_pointer *to);

/** The same for pipx, whose `python -m pip` imports nothing from the folder it is called in: else
 * that could not be believed to be a part of it (sandbox/who_start.c). */
void pmg_point_pipx(struct pmg_strv *env, const struct pmg_pointer *to);

/**
 * Remove each spelling of an npm setting: "npm_config_" and then the key, in
 * any case, "_" for "-" ("NPM_CONFIG_HTTPS_PROXY"). @return true when one was there
 */
bool pmg_point_forget(struct pmg_strv *env, const char *prefix, const char *key);

#endif
