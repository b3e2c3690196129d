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
 * Does a command line name packages ("npm install x", "npx x")? Then npm asks the registry for each
 * document anew: one that a bare run left in its cache has versions in it that are withheld here,
 * and would be refused only when they are fetched. Not otherwise, since npm would then also ask for
 * each file that it has. By the look of it: the value of an option may count as a name.
 * @param argv  NULL-terminated; [0] is the tool
 */
bool pmg_point_is_naming(char *const *argv);

/**
 * Remove each spelling of an npm setting: "npm_config_" and then the key, in
 * any case, "_" for "-" ("NPM_CONFIG_HTTPS_PROXY"). @return true when one was there
 */
bool pmg_point_forget(struct pmg_strv *env, const char *prefix, const char *key);

#endif
