#ifndef PMG_CLI_SHELVES_H
#define PMG_CLI_SHELVES_H
/** What commands about presets and profiles share: listing, lint, editing. */
#include "cli/out.h"
#include "policy/library.h"
#include "policy/lint.h"
#include "run/prepare.h"

/** An element of the lists of docs/cli-json.md. */
struct json_t *pmg_shelves_item_json(const struct pmg_library_item *item) PMG_MUST_CHECK;

/** "vite" or "/p/x.yml" as the user's, "built in", "config.yml"; static but for a path. */
const char *pmg_shelves_origin(const struct pmg_library_item *item);

struct pmg_lint_opts {
	bool json;
	bool strict;
};

/**
 * Lint files and print what is found.
 * @param files  paths, or names of profiles, NULL-terminated
 * @return exit status: 0; 1: warnings, and strict; 121: errors
 */
int pmg_shelves_lint(const struct pmg_shelf *shelf, enum pmg_library_kind kind, char *const *files,
		     const struct pmg_lint_opts *opts, const struct pmg_out *out);

/** Is a text good to be saved as the file of that path? @return 0; -PMG_E_CONFIG: the first error
 */
int pmg_shelves_check(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *path,
		      const char *text, size_t len, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Let the caller edit the user's file of that name, or make it.
 * @param text  beginning of a new one; NULL: the file is there
 * @param env  the user's
 */
int pmg_shelves_edit(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *name,
		     const char *text, const struct pmg_strv *env, const struct pmg_out *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** May a new file have that name? Not that of a built-in one, or of one that is there. */
int pmg_shelves_check_name(const struct pmg_library *library, enum pmg_library_kind kind,
			   const char *name, struct pmg_err *err) PMG_MUST_CHECK;

/** Write a new file, after check_name(), and print its path; at a terminal let it be edited. */
int pmg_shelves_begin(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *name,
		      const char *text, const struct pmg_strv *env, const struct pmg_out *out,
		      struct pmg_err *err) PMG_MUST_CHECK;

/** Let the caller edit the user's file of that name; that it is shadowed is said. */
int pmg_shelves_change(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *name,
		       const struct pmg_strv *env, const struct pmg_out *out,
		       struct pmg_err *err) PMG_MUST_CHECK;

#endif
