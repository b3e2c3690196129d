#ifndef PMG_BASE_STRV_H
#define PMG_BASE_STRV_H
/**
 * A list of owned strings. v is NULL-terminated whenever it is not NULL, so it
 * can be handed to execve() as it is.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct pmg_strv {
	char **v;
	size_t n;
	size_t cap;
};

void pmg_strv_done(struct pmg_strv *list);
PMG_DEFINE_AUTO_DONE(strv, struct pmg_strv, pmg_strv_done);

void pmg_strv_add(struct pmg_strv *list, const char *s); /* copies */
void pmg_strv_take(struct pmg_strv *list, char *s);      /* owns s from now on */
void pmg_strv_addf(struct pmg_strv *list, const char *fmt, ...) PMG_PRINTF(2, 3);
bool pmg_strv_has(const struct pmg_strv *list, const char *s);
/** Add unless it is there. @return true when added */
bool pmg_strv_add_once(struct pmg_strv *list, const char *s);
void pmg_strv_remove(struct pmg_strv *list, size_t i); /* i < n; order is kept */
void pmg_strv_sort(struct pmg_strv *list);             /* by bytes */
/** Copies a NULL-terminated array (argv, environ) to the end. */
void pmg_strv_extend(struct pmg_strv *list, char *const *v);
void pmg_strv_extend_once(struct pmg_strv *list,
			  const struct pmg_strv *more); /* what is not there */
/** Adds the pieces of text between bytes of `separators`; empty pieces are left out. */
void pmg_strv_split(struct pmg_strv *list, const char *text, const char *separators);
/** The words with `between` between them, "" for none; what goes beyond max bytes is left out
 * whole, with all behind it. Caller frees. */
char *pmg_strv_join(const struct pmg_strv *list, const char *between, size_t max) PMG_MUST_CHECK;
/** Never NULL, for execve(). Borrowed. */
char *const *pmg_strv_argv(struct pmg_strv *list);

#endif
