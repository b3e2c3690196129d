#ifndef PMG_CLI_EDITOR_H
#define PMG_CLI_EDITOR_H
/**
 * A file of pmg's, edited by a person: the editor gets a copy in a folder of its own, and what it
 * saves replaces the file only when it can be used. What was typed is never lost: if it is not
 * taken it stays in that copy, which is named.
 *
 * The editor is $VISUAL, else $EDITOR, each with its words ("code --wait"), else the first of
 * sensible-editor, editor, nano, vi that is installed. No shell reads it.
 */
#include "base/strv.h"
#include "cli/out.h"

struct pmg_edit {
	const struct pmg_strv *env; /* the user's; the editor gets it whole */
	const struct pmg_out
		*out;     /* for what is said; questions are asked where in is a terminal */
	int in;           /* where answers are read: 0 */
	const char *path; /* the file; its folder is made when it is missing */
	const char *text; /* what is edited: the file as it was read, or a beginning */
	bool is_new;      /* there may be no file of that name yet */
	/**
	 * Can it be used? Asked of each version that is saved.
	 * @param label  how messages call the file
	 * @return 0, or an error with label:line:column
	 */
	int (*check)(const char *label, const char *text, size_t len, void *arg,
		     struct pmg_err *err);
	void *arg;
};

/**
 * @param[out] written  false: it was left as it was, which for one that is there is no error. A new
 *                      one that is left as it began is written
 * @return 0; -PMG_E_CONFIG: it cannot be used, and was not asked for again; -PMG_E_NOTFOUND: no
 *         editor; -PMG_E_USAGE: the editor failed, or somebody else changed the file meanwhile;
 *         -PMG_E_SYS. The hint names the copy where there is one
 */
int pmg_edit(const struct pmg_edit *edit, bool *written, struct pmg_err *err) PMG_MUST_CHECK;

/** Write such a file: whole or not at all, mode 0600; where the name is a link, what it leads to.
 *  @param is_new  a file that is there already is an error, -PMG_E_USAGE */
int pmg_edit_write(const char *path, const char *text, size_t len, bool is_new,
		   struct pmg_err *err) PMG_MUST_CHECK;

#endif
