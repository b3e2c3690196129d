#ifndef PMG_CONF_INI_H
#define PMG_CONF_INI_H
/**
 * Other tools' INI files, read as those tools read them and no stricter: what
 * pmg refused to read but the tool took would be a way round pmg. A line that
 * cannot be understood is passed over.
 */
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strv.h"

#define PMG_INI_TEXT_MAX    1048576U /* bytes of a file */
#define PMG_INI_ENTRIES_MAX 16384U

enum pmg_ini_dialect {
	/* npm's package `ini` as npm uses it: "key = value", "key[] = value" (key without "[]"),
	 * values in quotes are JSON, ";" and "#" begin comments unless escaped, a key alone is
	 * "true" */
	PMG_INI_NPMRC,
	/* Python's configparser as pip uses it: "=" or ":", keys in lower case with "-" for "_",
	 * indented lines go on with the value (joined by a newline), comments only as whole lines
	 */
	PMG_INI_PYTHON
};

struct pmg_ini_entry {
	char *section; /* "" before the first */
	char *key;
	char *value;
	unsigned line;
};

struct pmg_ini {
	struct pmg_ini_entry *entries; /* in the order of the file */
	size_t n;
	size_t cap;
};

void pmg_ini_done(struct pmg_ini *ini);
PMG_DEFINE_AUTO_DONE(ini, struct pmg_ini, pmg_ini_done);

/**
 * @param name  for messages
 * @param[out] out  zeroed by the caller; untouched on failure
 * @return 0; -PMG_E_LIMIT: too large or too many entries
 */
int pmg_ini_parse(enum pmg_ini_dialect dialect, const char *name, const char *text, size_t len,
		  struct pmg_ini *out, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Put the values of variables where a text names them, as npm and pnpm do:
 * "${X}", "${X?}" (nothing when unset), "${X-word}" and "${X:-word}"; a
 * backslash before "$" takes the meaning away. An unset "${X}" stays as it is.
 * @param env  borrowed
 * @return new text
 */
char *pmg_ini_expand(const char *text, const struct pmg_strv *env) PMG_MUST_CHECK;

#endif
