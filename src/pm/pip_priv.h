#ifndef PMG_PM_PIP_PRIV_H
#define PMG_PM_PIP_PRIV_H
/** The parts of pip's learning: command line and requirements, configuration files. */
#include "pm/pm.h"
#include "pm/settings.h"

/** One learning. */
struct pmg_pip {
	const struct pmg_place *place;
	struct pmg_facts *facts;
	struct pmg_settings settings;
	struct pmg_strv seen;  /* files that were read: they may name each other */
	struct pmg_strv typed; /* paths that the command line names, absolute */
	const char *file;      /* now being read, NULL for the command line */
	bool isolated;         /* pip reads neither its variables nor the user's files */
	struct pmg_err *err;
};

/** All files that pip may read, the stronger first, into p->settings. */
int pmg_pip_confs(struct pmg_pip *p) PMG_MUST_CHECK;
/** The interpreter in the first line of a script, "#!/venv/bin/python"; NULL when it has none. */
char *pmg_pip_interpreter(const char *program) PMG_MUST_CHECK;

#endif
