#ifndef PMG_POLICY_LIBRARY_H
#define PMG_POLICY_LIBRARY_H
/**
 * Which profiles and presets there are, for runs and for commands alike: the official ones, which
 * are part of the program; profiles that config.yml names (sandbox.policy_templates); and the
 * user's files profiles/NAME.yml and presets/NAME.yml below the configuration folder.
 *
 * Where two have a name, the first in this order has it; the others are shadowed and nothing uses
 * them by their name. A file is called as it is named, whatever its key "name" says.
 */
#include <stdbool.h>

#include "base/strv.h"
#include "conf/config_sandbox.h"
#include "policy/builtin.h"

/* Of a profile or preset that cannot be used: docs/codes/PMG2106.md */
#define PMG_DIAG_INVALID 2106

enum pmg_library_kind { PMG_LIBRARY_PROFILE, PMG_LIBRARY_PRESET };
/** "profile", "preset" */
const char *pmg_library_kind_name(enum pmg_library_kind kind);

/* Where to look; all borrowed. */
struct pmg_library {
	const char *config_dir; /* $XDG_CONFIG_HOME/pmg */
	const struct pmg_config_template *templates;
	size_t n_templates;
};

struct pmg_library_item {
	enum pmg_library_kind kind;
	char *name;
	const struct pmg_builtin *official; /* NULL: it is a file */
	bool is_template;                   /* config.yml names it */
	bool shadowed;                      /* another one has its name */
	char *path;                         /* of a file; NULL: official */
	/* By pmg_library_describe(); what is not said is NULL or empty. */
	char *description;
	char *inherits;           /* of a profile */
	struct pmg_strv managers; /* package_managers of a profile */
	struct pmg_strv presets;  /* of a profile */
	char *author;             /* metadata of a preset */
	struct pmg_strv labels;
	char *error; /* why it cannot be used, with its place; NULL: it can */
};
void pmg_library_item_done(struct pmg_library_item *item);
PMG_DEFINE_AUTO_DONE(library_item, struct pmg_library_item, pmg_library_item_done);

struct pmg_library_list {
	struct pmg_library_item *v;
	size_t n, cap;
};
void pmg_library_list_done(struct pmg_library_list *list);
PMG_DEFINE_AUTO_DONE(library_list, struct pmg_library_list, pmg_library_list_done);

/** Is it the path of a file rather than a name? With a "/" in it, or ".yml" at its end. */
bool pmg_library_is_path(const char *name);

/**
 * What a run takes for that name. Looks whether the file is there, does not read it.
 * @param name  or, of a profile, path of a file: its name is the file's, it is shadowed by nothing
 * @param[out] out  zeroed before
 * @return 0; -PMG_E_NOTFOUND: the hint has the nearest name, or where a file would be
 */
int pmg_library_find(const struct pmg_library *library, enum pmg_library_kind kind,
		     const char *name, struct pmg_library_item *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** The file that an official one, or a profile of config.yml, keeps from being used by its name;
 *  NULL: there is none. Caller frees. */
char *pmg_library_shadows(const struct pmg_library *library,
			  const struct pmg_library_item *item) PMG_MUST_CHECK;

/** Where a file of the user's is, or would be. Caller frees. */
char *pmg_library_path(const struct pmg_library *library, enum pmg_library_kind kind,
		       const char *name) PMG_MUST_CHECK;

/** The text as written. A file others could have written is refused (conf/trusted.h).
 *  @param[out] text  caller frees. @return 0; -PMG_E_CONFIG, -PMG_E_NOTFOUND, -PMG_E_SYS */
int pmg_library_text(const struct pmg_library_item *item, char **text, size_t *len,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** Read it as a run would, and fill what it says of itself. Why it cannot be used is in error. */
void pmg_library_describe(struct pmg_library_item *item);

/**
 * All of a kind, described; sorted by name, what is used before what it shadows. One that cannot be
 * read is in the list with its error.
 * @param[out] out  zeroed before
 * @return 0; -PMG_E_SYS: the folder is there and cannot be read
 */
int pmg_library_all(const struct pmg_library *library, enum pmg_library_kind kind,
		    struct pmg_library_list *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
