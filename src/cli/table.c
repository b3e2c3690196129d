#include "cli/table.h"

#include "base/strv.h"
#include "cli/out.h"

struct pmg_table {
	const char *const *heads;
	size_t columns;
	struct pmg_strv cells; /* row after row */
};

void pmg_table_free(struct pmg_table *table)
{
	if (!table)
		return;
	pmg_strv_done(&table->cells);
	pmg_auto_freep(&table);
}

struct pmg_table *pmg_table_new(const char *const *heads)
{
	struct pmg_table *table = pmg_xcalloc(1, sizeof *table);

	table->heads = heads;
	while (heads[table->columns])
		table->columns++;
	return table;
}

void pmg_table_add(struct pmg_table *table, const char *const *cells)
{
	size_t i;

	for (i = 0; i < table->columns; i++)
		pmg_strv_take(&table->cells, pmg_out_quote(cells[i]));
}

size_t pmg_table_rows(const struct pmg_table *table)
{
	return table->columns ? table->cells.n / table->columns : 0;
}

/* Columns on a terminal, near enough: one for each UTF-8 character. */
static size_t width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		if (((unsigned char)*s & 0xc0) != 0x80)
			n++;
	return n;
}

static void print_row(const char *const *row, const size_t *wide, size_t columns, FILE *to)
{
	size_t i, last = 0, pad = 0;

	for (i = 0; i < columns; i++)
		if (*row[i])
			last = i;
	for (i = 0; i <= last && columns > 0; i++) {
		(void)fprintf(to, "%*s%s", (int)pad, "", row[i]);
		pad = wide[i] - width(row[i]) + 2;
	}
	(void)fputc('\n', to);
}

void pmg_table_print(const struct pmg_table *table, FILE *to)
{
	size_t rows = pmg_table_rows(table), columns = table->columns, r, c, w;
	const char *const *cells = (const char *const *)table->cells.v;
	pmg_autofree size_t *wide = NULL;

	if (rows == 0)
		return;
	wide = pmg_xcalloc(columns, sizeof *wide);
	for (c = 0; c < columns; c++)
		wide[c] = width(table->heads[c]);
	for (r = 0; r < rows * columns; r++) {
		w = width(cells[r]);
		if (w > wide[r % columns])
			wide[r % columns] = w;
	}
	print_row(table->heads, wide, columns, to);
	for (r = 0; r < rows; r++)
		print_row(cells + r * columns, wide, columns, to);
}
