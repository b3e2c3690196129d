#ifndef PMG_PM_ASK_H
#define PMG_PM_ASK_H
/**
 * What only the program itself knows: the registries built into it. It is
 * asked once, in an empty folder, with configuration that names nothing and an
 * environment without credentials, and the answer is kept in the cache folder
 * for as long as the program is the same file. Never asked in the project:
 * that would run project code (.pnpmfile.cjs, yarn-path).
 */
#include "pm/pm.h"

#define PMG_ASK_ASIDE "aside"

struct pmg_question {
	const char *tool;        /* "npm": who is asked; also when its sibling (npx) was called */
	const char *const *args; /* behind the program; NULL-terminated */
	/* It is the interpreter in the program's first line that is asked, "python3" on PATH where
	 * there is none */
	bool interpreted;
	/* Variables of the question, "NAME=VALUE"; "%s" in a value is the empty folder */
	const char *const *env;
	/* Put "URL" or "@scope URL" of each registry in what was said into out; PMG_ASK_ASIDE in
	 * place of a scope: of one that is not asked for a name by itself. */
	void (*read)(const char *said, struct pmg_strv *out);
};

/**
 * @param place  program may be a sibling of the tool: then the tool beside it is asked, else the
 *               first of that name on PATH
 * @param[out] out  "URL" or "@scope URL" or "aside URL", at least one
 * @return 0; -PMG_E_UNSUPPORTED: the program could not be started or did not say (hint says what
 *         helps)
 */
int pmg_ask(const struct pmg_question *question, const struct pmg_place *place,
	    struct pmg_strv *out, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Ask and add the answers to the registries. Where the program does not say
 * but a registry for all names was found already, a note has to do.
 * @return as pmg_ask(), -PMG_E_LIMIT
 */
int pmg_ask_registries(const struct pmg_question *question, const struct pmg_place *place,
		       enum pmg_eco eco, struct pmg_facts *facts,
		       struct pmg_err *err) PMG_MUST_CHECK;

#endif
