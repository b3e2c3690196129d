#include "policy/builtin.h"

#include <stddef.h>
#include <string.h>

const struct pmg_builtin *pmg_builtin_find(const char *kind, const char *name)
{
	const struct pmg_builtin *b;

	for (b = pmg_builtins; b->name; b++)
		if (strcmp(b->kind, kind) == 0 && strcmp(b->name, name) == 0)
			return b;
	return NULL;
}
