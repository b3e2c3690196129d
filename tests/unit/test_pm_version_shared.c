/* Every line of the shared lists of version comparisons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/shared.h"
#include "base/io.h"
#include "pm/version.h"

#define LIST_MAX (4U * 1024U * 1024U)

/* "A < B" @return false when the line is no such comparison */
static bool read_line(char *line, char **a, char *op, char **b)
{
	char *first = strchr(line, ' ');

	if (!first || first[1] == '\0' || first[2] != ' ')
		return false;
	*first = '\0';
	*a = line;
	*op = first[1];
	*b = first + 3;
	return strchr("<>=", *op) != NULL;
}

static void check_list(const char *name, enum pmg_eco eco, size_t least)
{
	pmg_autofree char *file = shared_path(name);
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	char *save, *line, *a = NULL, *b = NULL, op = 0;
	size_t len = 0, n = 0;
	int c;

	if (pmg_io_slurp(file, LIST_MAX, &text, &len, &err) < 0)
		fail_msg("%s", err.msg);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (line[0] == '/' && line[1] == '/')
			continue;
		if (!read_line(line, &a, &op, &b))
			fail_msg("%s: cannot read \"%s\"", file, line);
		c = pmg_version_compare(eco, a, b);
		if (!(op == '<' ? c < 0 : op == '>' ? c > 0 : c == 0))
			fail_msg("%s %c %s: got %d", a, op, b, c);
		n++;
	}
	assert_true(n >= least);
}

static void every_semver_line_holds(void **state)
{
	(void)state;
	check_list("data/versions/semver-versions.txt", PMG_ECO_NPM, 70);
}

static void every_pypi_line_holds(void **state)
{
	(void)state;
	check_list("data/versions/pypi-versions.txt", PMG_ECO_PYPI, 30);
	check_list("data/versions/pypi-versions-generated.txt", PMG_ECO_PYPI, 12000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_semver_line_holds),
		cmocka_unit_test(every_pypi_line_holds),
	};

	if (shared_is_missing())
		return SHARED_SKIP;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
