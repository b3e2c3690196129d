#ifndef PMG_CLI_SHELVES_H
#define PMG_CLI_SHELVES_H
/** What commands about presets and profiles share: listing, lint, editing. */
#include "cli/cmd.h"
#include "cli/out.h"
#include "cli/table.h"
#include "policy/library.h"
#include "policy/lint.h"
#include "run/prepare.h"

/** What runs of the caller have. @param[out] env  theirs, @param[out] shelf  both zeroed before */
int pmg_shelves_open(struct pmg_strv *env, struct pmg_shelf *shelf,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** An element of the lists of docs/cli-json.md. */
struct json_t *pmg_shelves_item_json(const struct pmg_library_item *item) PMG_MUST_CHECK;

/** "vite" or "/p/x.yml" as the user's, "built in", "config.yml"; static but for a path. */
const char *pmg_shelves_origin(const struct pmg_library_item *item);

/** Why it is not used, or cannot be; "": it is. Caller frees. */
char *pmg_shelves_note(const struct pmg_library_item *item) PMG_MUST_CHECK;

/* How the items of a kind are listed. */
struct pmg_shelves_listing {
	enum pmg_library_kind kind;
	const char *const *heads; /* of the table; NULL-terminated */
	/* A row for the item; the table copies it. */
	void (*add_row)(struct pmg_table *table, const struct pmg_library_item *item);
	/* NULL: all are wanted. @param opts  the call's */
	bool (*is_wanted)(const void *opts, const struct pmg_library_item *item);
};
/** Print all that are wanted, as a table or as JSON. @return 0 or as pmg_library_all() */
int pmg_shelves_list(const struct pmg_call *call, const struct pmg_shelves_listing *listing,
		     bool json, struct pmg_err *err) PMG_MUST_CHECK;

/** Print its text as it is written. @return 0; -PMG_E_CONFIG: it cannot be read */
int pmg_shelves_print(const struct pmg_library_item *item, const struct pmg_out *out,
		      struct pmg_err *err) PMG_MUST_CHECK;

/** Names that package_managers may have, and --for: all tools, and "exec". NULL-terminated.
 *  @param max  room in names */
#define PMG_SHELVES_TOOLS_MAX 64U
void pmg_shelves_tools(const char **names, size_t max);

/* Options of a call of pmg_shelves_lint(). */
struct pmg_lint_opts {
	bool json;
	bool strict;
};

/**
 * Lint the operands (paths, or names of profiles) and print what is found.
 * @return exit status: 0; 1: warnings, and strict; 121: errors; or an error
 */
int pmg_shelves_lint(const struct pmg_call *call, enum pmg_library_kind kind,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** May a new file have that name? Not that of a built-in one, or of one that is there. */
int pmg_shelves_check_name(const struct pmg_library *library, enum pmg_library_kind kind,
			   const char *name, struct pmg_err *err) PMG_MUST_CHECK;

/** Write a new file, after check_name(), and print its path; at a terminal let it be edited. */
int pmg_shelves_begin(const struct pmg_shelf *shelf, enum pmg_library_kind kind, const char *name,
		      const char *text, const struct pmg_strv *env, const struct pmg_out *out,
		      struct pmg_err *err) PMG_MUST_CHECK;

/** Let the caller edit the user's file that the operand names; that it is shadowed is said. */
int pmg_shelves_change(const struct pmg_call *call, enum pmg_library_kind kind,
		       struct pmg_err *err) PMG_MUST_CHECK;

#endif
