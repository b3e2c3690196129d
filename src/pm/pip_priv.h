#ifndef PMG_PM_PIP_PRIV_H
#define PMG_PM_PIP_PRIV_H
/** The parts of pip's learning: command line and requirements, configuration files. uv, poetry and
 * pipx share them. */
#include "pm/pm.h"
#include "pm/settings.h"

/** One learning. */
struct pmg_pip {
	const struct pmg_place *place;
	struct pmg_facts *facts;
	struct pmg_settings settings;
	struct pmg_strv seen;  /* files that were read: they may name each other */
	struct pmg_strv typed; /* paths that the command line names, absolute */
	struct pmg_strv hosts; /* that lockfiles named */
	const char *file;      /* now being read, NULL for the command line */
	bool isolated;         /* pip reads neither its variables nor the user's files */
	bool is_unsure;        /* of variables and files it is not known which are read */
	struct pmg_err *err;
};

void pmg_pip_done(struct pmg_pip *p);
PMG_DEFINE_AUTO_DONE(pip, struct pmg_pip, pmg_pip_done);

/** The text of a file, the first time; NULL the second, and when it cannot be read.
 *  @return 0; -PMG_E_LIMIT: larger than max, or too many files */
int pmg_pip_text(struct pmg_pip *p, const char *path, size_t max, char **text,
		 size_t *len) PMG_MUST_CHECK;
/** Archives that a file (pyproject.toml) names by address become sources. */
int pmg_pip_scan(struct pmg_pip *p, const char *path) PMG_MUST_CHECK;
/** The same of a text that was read from there. */
int pmg_pip_scan_text(struct pmg_pip *p, const char *path, const char *text,
		      size_t len) PMG_MUST_CHECK;
/** The same of a lockfile, which names a great many: one of each host. */
int pmg_pip_lock(struct pmg_pip *p, const char *path) PMG_MUST_CHECK;
/** An operand: a requirement, an address or the folder of a project. */
int pmg_pip_word(struct pmg_pip *p, const char *word) PMG_MUST_CHECK;
/** An option of the command line: files are read, all else is a setting. */
int pmg_pip_option(struct pmg_pip *p, const char *name, const char *value) PMG_MUST_CHECK;
/** A text that holds a line of pip's options. */
int pmg_pip_options(struct pmg_pip *p, const char *text) PMG_MUST_CHECK;
/** Requirements files that variables name, apart by blanks. @param names  NULL-terminated */
int pmg_pip_env_files(struct pmg_pip *p, const char *const *names) PMG_MUST_CHECK;
/** Registries that follow from the settings. */
int pmg_pip_registries(struct pmg_pip *p) PMG_MUST_CHECK;

/** Parent proxy, certificates and notes that follow from the settings and the environment. */
void pmg_pip_network(struct pmg_pip *p);

/** How pip is asked for the index that is built into it (pm/ask.h). */
extern const char *const pmg_pip_question_env[];
void pmg_pip_answer(const char *said, struct pmg_strv *out);

/** All files that pip may read, the stronger first, into p->settings. */
int pmg_pip_confs(struct pmg_pip *p) PMG_MUST_CHECK;
/** The interpreter in the first line of a script, "#!/venv/bin/python"; NULL when it has none. */
char *pmg_pip_interpreter(const char *program) PMG_MUST_CHECK;

#endif
