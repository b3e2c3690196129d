#ifndef PMG_PM_RESOLVED_PRIV_H
#define PMG_PM_RESOLVED_PRIV_H
/** What the readers of resolved.h share. */
#include "base/str.h"
#include "pm/resolved.h"

/* One file while it is read. */
struct pmg_resolving {
	struct pmg_resolved *set;
	const char *file; /* of set->files */
	const char *text;
	size_t len;
	bool installed;
};

/* What one entry says; all borrowed. */
struct pmg_locked {
	const char *name;
	const char *version; /* NULL: not known */
	const char *url; /* of its archive, as resolved.h has it. What it names is added as well */
	const char *integrity; /* NULL */
	unsigned line;
	bool open, foreign;
};

/** @return 0; -PMG_E_LIMIT: too many; -PMG_E_PARSE: no package can have such a name */
int pmg_resolving_add(const struct pmg_resolving *from, enum pmg_eco eco,
		      const struct pmg_locked *locked, struct pmg_err *err) PMG_MUST_CHECK;

/* What a package says of systems it is for: bits of "os", "cpu", "libc". Zeroed is any. */
struct pmg_fits {
	unsigned said, met;
};
/** One of the values of such a key ("darwin", "!win32"); other keys say nothing. */
void pmg_fits_add(struct pmg_fits *fits, const char *key, const char *value);
/** Is it for other systems than this one? */
bool pmg_fits_is_foreign(const struct pmg_fits *fits);

/* What is for other systems is left out where all that need it can do without, which a lockfile may
 * say elsewhere. Zeroed is empty. */
struct pmg_misfit {
	char *key;       /* NULL: it is known to be optional */
	size_t from, to; /* of the set */
};
struct pmg_misfits {
	struct pmg_misfit *v;
	size_t n, cap;
	struct pmg_strv optional, needed; /* keys, by one of those that name them */
};
/** @param key  copied */
void pmg_misfits_add(struct pmg_misfits *misfits, const char *key, size_t from, size_t to);
/** All is read: those that are optional and needed nowhere are foreign. */
void pmg_misfits_settle(struct pmg_misfits *misfits, struct pmg_resolved *set);
void pmg_misfits_done(struct pmg_misfits *misfits);

bool pmg_resolving_is_in(const struct pmg_strv *sorted, const char *text);

/** What "npm:bad@1.0.0", a version or range of an alias, stands for. @param[out] name  caller frees
 *  @return its version; NULL: it is no alias */
const char *pmg_resolving_alias(const char *range, char **name) PMG_MUST_CHECK;

/** A reader's error. @return -PMG_E_PARSE, "PATH:LINE: what" */
int pmg_resolving_wrong(const struct pmg_resolving *from, unsigned line, const char *what,
			struct pmg_err *err);

/** Note what could not be read; `why` names the place. */
void pmg_resolved_unread(struct pmg_resolved *set, const char *why);
/** Note what was left out. */
void pmg_resolved_skip(struct pmg_resolved *set, const char *path, const char *why);
/** Keep a name of a file. Borrowed from the set. */
const char *pmg_resolved_keep(struct pmg_resolved *set, const char *path);

/* Lines of keys in a text that is walked in the order in which it is written. */
struct pmg_lines {
	const char *at, *end;
	unsigned line;
	unsigned missed; /* keys that are written in another way, with escapes */
};
void pmg_lines_begin(struct pmg_lines *lines, const char *text, size_t len);
/** The line of the next `"key": {` or `"key": [`; 0: not known */
unsigned pmg_lines_find(struct pmg_lines *lines, const char *key);

/* The readers. @return 0; -PMG_E_PARSE: "PATH:LINE: why"; -PMG_E_LIMIT */
int pmg_resolve_npm(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolve_bun(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolve_pnpm(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolve_yarn(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolve_requirements(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolve_asked(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolve_poetry(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolve_uv(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolve_pylock(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolve_pip_report(const struct pmg_resolving *from, struct pmg_err *err) PMG_MUST_CHECK;

#endif
