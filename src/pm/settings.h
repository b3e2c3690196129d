#ifndef PMG_PM_SETTINGS_H
#define PMG_PM_SETTINGS_H
/**
 * Settings of a manager in order of precedence: what was added first counts.
 * Each remembers where it was written. Keys are npm's: lower case, "-".
 */
#include <stdbool.h>

#include "base/strv.h"

#define PMG_SETTINGS_MAX 65536U

struct pmg_setting {
	char *key;
	char *value;
	char *what; /* "command line", "environment NAME", or a path */
	unsigned line;
	bool of_project; /* as of the list, when it was added */
};

struct pmg_settings {
	struct pmg_setting *v;
	size_t n;
	size_t cap;
	/* What is added now was written by who wrote the project, wherever the file lies: one above
	 * it, or one that its own files name. */
	bool of_project;
};

void pmg_settings_done(struct pmg_settings *settings);
PMG_DEFINE_AUTO_DONE(settings, struct pmg_settings, pmg_settings_done);

/** Copies all. @return 0; -PMG_E_LIMIT: more than PMG_SETTINGS_MAX */
int pmg_settings_add(struct pmg_settings *settings, const char *key, const char *value,
		     const char *what, unsigned line, struct pmg_err *err) PMG_MUST_CHECK;

/** What was added last counts from here on. */
void pmg_settings_reverse(struct pmg_settings *settings);

/** The first of a key, NULL when there is none. Borrowed. */
const struct pmg_setting *pmg_settings_find(const struct pmg_settings *settings, const char *key);
/** A value as npm takes it: NULL when it is empty, "null" or "undefined". Borrowed. */
const char *pmg_settings_use(const struct pmg_setting *setting);
/** Its value; NULL when there is none, or when it is empty, "null" or "undefined". Borrowed. */
const char *pmg_settings_value(const struct pmg_settings *settings, const char *key);

/**
 * Add what an npmrc says, variables put in. A file that is not there, cannot
 * be read or is no file adds nothing: the tool sees no more of it than we do.
 * @return 0; -PMG_E_LIMIT: larger than PMG_INI_TEXT_MAX or too many settings
 */
int pmg_settings_npmrc(struct pmg_settings *settings, const char *path, const struct pmg_strv *env,
		       struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Add PREFIX + key of the environment, the prefix in any case, "_" read as "-"
 * and letters as lower case, as npm does; empty ones are left out.
 */
int pmg_settings_env(struct pmg_settings *settings, const char *prefix, const struct pmg_strv *env,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** "httpsProxy" -> "https-proxy"; what has no capital letter stays. */
char *pmg_settings_kebab(const char *key) PMG_MUST_CHECK;

#endif
