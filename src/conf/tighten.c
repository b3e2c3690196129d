#include "conf/tighten.h"

#include <string.h>

#include "base/mem.h"

int pmg_tighten_only(const struct pmg_yaml *value, const char *strictest, struct pmg_err *err)
{
	pmg_autofree char *name = pmg_yaml_where(value);

	if (value->kind == PMG_YAML_SCALAR && !value->quoted && strcmp(value->text, strictest) == 0)
		return 0;
	(void)pmg_yaml_err(err, value, "\"%s\" can only be %s in a project's file", name,
			   strictest);
	return pmg_err_hint(err, "a file inside a project may tighten, and nothing else");
}

int pmg_tighten_not_here(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	pmg_autofree char *name = pmg_yaml_where(value);

	(void)out;
	(void)pmg_yaml_key_err(err, value, "\"%s\" cannot be set by a project's file", name);
	return pmg_err_hint(err, "a file inside a project may tighten, and nothing else: \"deny\", "
				 "\"sandbox\", \"inspection\", \"dependency_cooldown\", \"intel\"");
}
