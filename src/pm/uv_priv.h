#ifndef PMG_PM_UV_PRIV_H
#define PMG_PM_UV_PRIV_H
/** The parts of uv's learning: command line and variables, files. */
#include "pm/pip_priv.h"

/** One learning. */
struct pmg_uv {
	struct pmg_pip pip;
	struct pmg_strv operands; /* of the command line, up to the command that is run */
	char *start;              /* where uv looks for its project */
	bool no_config;           /* no file steers it */
};

void pmg_uv_done(struct pmg_uv *uv);
PMG_DEFINE_AUTO_DONE(uv, struct pmg_uv, pmg_uv_done);

/** An operand: kept, and read as pip's; a script is read for its inline metadata. */
int pmg_uv_word(struct pmg_uv *uv, const char *word) PMG_MUST_CHECK;
/** Hand over what was typed; uv has none of it any more. */
void pmg_uv_give(struct pmg_uv *uv, struct pmg_strv *typed, struct pmg_strv *operands);

/**
 * uv.toml, pyproject.toml and uv.lock from uv->start upward, the user's and
 * the machine's uv.toml, into uv->pip.
 * @return 0; -PMG_E_UNSUPPORTED: one of them names a proxy, which no variable overrules;
 * -PMG_E_LIMIT
 */
int pmg_uv_files(struct pmg_uv *uv) PMG_MUST_CHECK;
/** The inline metadata of a script (PEP 723); a file without any says nothing. */
int pmg_uv_script(struct pmg_uv *uv, const char *path) PMG_MUST_CHECK;

#endif
