#ifndef PMG_CLI_TABLE_H
#define PMG_CLI_TABLE_H
/**
 * Rows of text in aligned columns, for people. Cells are quoted here, so they
 * may come from outside. Programs read --json.
 */
#include <stdio.h>

#include "base/mem.h"

struct pmg_table;
void pmg_table_free(struct pmg_table *table);
PMG_DEFINE_AUTO(table, struct pmg_table *, pmg_table_free);

/** @param heads  column heads, NULL-terminated, borrowed for the life of the table */
struct pmg_table *pmg_table_new(const char *const *heads) PMG_MUST_CHECK;
/** @param cells  as many as heads, copied; NULL is an empty cell */
void pmg_table_add(struct pmg_table *table, const char *const *cells);
size_t pmg_table_rows(const struct pmg_table *table);
/** Heads, then rows; columns two blanks apart, no blank at a line's end. Nothing without rows. */
void pmg_table_print(const struct pmg_table *table, FILE *to);

#endif
