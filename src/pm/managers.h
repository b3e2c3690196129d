#ifndef PMG_PM_MANAGERS_H
#define PMG_PM_MANAGERS_H
/** The managers, one file each, and the tables of their command lines. */
#include <stdbool.h>

#include "pm/args.h"
#include "pm/pm.h"

extern const struct pmg_pm pmg_pm_npm;
extern const struct pmg_pm pmg_pm_pnpm;
extern const struct pmg_pm pmg_pm_yarn;
extern const struct pmg_pm pmg_pm_bun;
extern const struct pmg_pm pmg_pm_pip;
extern const struct pmg_pm pmg_pm_uv;
extern const struct pmg_pm pmg_pm_pipx;
extern const struct pmg_pm pmg_pm_poetry;

/** struct pmg_pm's learn(), one file each. */
int pmg_npm_learn(const struct pmg_place *place, struct pmg_facts *out,
		  struct pmg_err *err) PMG_MUST_CHECK;
int pmg_pnpm_learn(const struct pmg_place *place, struct pmg_facts *out,
		   struct pmg_err *err) PMG_MUST_CHECK;
int pmg_yarn_learn(const struct pmg_place *place, struct pmg_facts *out,
		   struct pmg_err *err) PMG_MUST_CHECK;
int pmg_bun_learn(const struct pmg_place *place, struct pmg_facts *out,
		  struct pmg_err *err) PMG_MUST_CHECK;
int pmg_pip_learn(const struct pmg_place *place, struct pmg_facts *out,
		  struct pmg_err *err) PMG_MUST_CHECK;
int pmg_uv_learn(const struct pmg_place *place, struct pmg_facts *out,
		 struct pmg_err *err) PMG_MUST_CHECK;
int pmg_poetry_learn(const struct pmg_place *place, struct pmg_facts *out,
		     struct pmg_err *err) PMG_MUST_CHECK;
/** Key of a setting: what a script's inline metadata asks for. */
#define PMG_UV_WANTS "script dependencies"
int pmg_pipx_learn(const struct pmg_place *place, struct pmg_facts *out,
		   struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_npmlike;
struct pmg_settings;
/**
 * What command line, environment and files say, the stronger first; nobody is asked.
 * @param n  place and facts (scratch ones do) are set
 * @param[out] start  where the command works; caller frees, also on failure
 */
int pmg_npm_settings(struct pmg_npmlike *n, char **start, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_pnpm_settings(struct pmg_npmlike *n, char **start, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_yarn_settings(struct pmg_npmlike *n, char **start, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_bun_settings(struct pmg_npmlike *n, char **start, struct pmg_err *err) PMG_MUST_CHECK;
/** @param[out] typed   paths that the command line names as packages or requirements, absolute
 *  @param[out] python  the interpreter in pip's first line, NULL for none; caller frees */
int pmg_pip_settings(const struct pmg_place *place, struct pmg_settings *out,
		     struct pmg_strv *typed, char **python, struct pmg_err *err) PMG_MUST_CHECK;

/** The same of uv. @param[out] verbs  operands of the command line, up to a command that is run */
int pmg_uv_settings(const struct pmg_place *place, struct pmg_settings *out, struct pmg_strv *typed,
		    struct pmg_strv *verbs, struct pmg_err *err) PMG_MUST_CHECK;
/** What a line of pipx names: paths, and operands up to the arguments of an app. */
int pmg_pipx_operands(const struct pmg_place *place, struct pmg_strv *typed,
		      struct pmg_strv *operands, struct pmg_err *err) PMG_MUST_CHECK;
/** The same of poetry as of uv. */
int pmg_poetry_settings(const struct pmg_place *place, struct pmg_settings *out,
			struct pmg_strv *typed, struct pmg_strv *verbs,
			struct pmg_err *err) PMG_MUST_CHECK;
char *pmg_poetry_start(const struct pmg_place *place) PMG_MUST_CHECK;
/** The folder of config.toml and auth.toml. */
char *pmg_poetry_config(const struct pmg_place *place) PMG_MUST_CHECK;
/** Where uv looks for its project: --directory, --project and their variables. */
char *pmg_uv_start(const struct pmg_place *place) PMG_MUST_CHECK;
/** How many operands of a line are the tool's own, not those of what it starts; 0: all. */
unsigned pmg_yarn_own_operands(char *const *argv);
unsigned pmg_bun_own_operands(char *const *argv);
/** Does bun itself become what it is told to run, with all that this loads? @param operands  the
 *  verb first */
bool pmg_bun_runs_code(const char *tool, const struct pmg_strv *operands);
/** What yarn-path or yarnPath names, NULL for none: yarn starts that in its place. Borrowed. */
const char *pmg_yarn_path(const struct pmg_npmlike *n);
/** It is yarn 1 that will do the work, or nobody can tell which. */
bool pmg_yarn_is_classic(const struct pmg_npmlike *n);

/** The program is one of corepack's names for a manager, not the manager itself. */
bool pmg_is_corepack(const char *program);

struct pmg_question;
extern const struct pmg_question pmg_npm_question; /* pm/ask.h */
extern const struct pmg_question pmg_uv_question;

extern const struct pmg_arg_table pmg_npm_args;
extern const struct pmg_arg_table pmg_pnpm_args;
extern const struct pmg_arg_table pmg_yarn_args;
extern const struct pmg_arg_table pmg_bun_args;
extern const struct pmg_arg_table pmg_pip_args;
extern const struct pmg_arg_table pmg_pip_general_args; /* before the verb */
extern const struct pmg_arg_table pmg_uv_args;
extern const struct pmg_arg_table pmg_pipx_args;
extern const struct pmg_arg_table pmg_poetry_args;

#endif
