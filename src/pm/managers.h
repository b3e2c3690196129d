#ifndef PMG_PM_MANAGERS_H
#define PMG_PM_MANAGERS_H
/** The managers, one file each, and the tables of their command lines. */
#include <stdbool.h>

#include "pm/args.h"
#include "pm/pm.h"

extern const struct pmg_pm pmg_pm_npm;
extern const struct pmg_pm pmg_pm_pnpm;
extern const struct pmg_pm pmg_pm_pip;

/** struct pmg_pm's learn(), one file each. */
int pmg_npm_learn(const struct pmg_place *place, struct pmg_facts *out,
		  struct pmg_err *err) PMG_MUST_CHECK;
int pmg_pnpm_learn(const struct pmg_place *place, struct pmg_facts *out,
		   struct pmg_err *err) PMG_MUST_CHECK;
int pmg_pip_learn(const struct pmg_place *place, struct pmg_facts *out,
		  struct pmg_err *err) PMG_MUST_CHECK;

/** The program is one of corepack's names for a manager, not the manager itself. */
bool pmg_is_corepack(const char *program);

struct pmg_question;
extern const struct pmg_question pmg_npm_question; /* pm/ask.h */

extern const struct pmg_arg_table pmg_npm_args;
extern const struct pmg_arg_table pmg_pnpm_args;
extern const struct pmg_arg_table pmg_pip_args;
extern const struct pmg_arg_table pmg_pip_general_args; /* before the verb */

#endif
