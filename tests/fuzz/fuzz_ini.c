#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "conf/ini.h"

static void check(enum pmg_ini_dialect dialect, const uint8_t *data, size_t size)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(ini) struct pmg_ini ini = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	unsigned line = 0;
	size_t i;

	pmg_strv_add(&env, "X=value");
	if (pmg_ini_parse(dialect, "f", (const char *)data, size, &ini, &err) < 0)
		return;
	for (i = 0; i < ini.n; i++) {
		/* Lines only go up, and nothing is left out. */
		if (!ini.entries[i].key || !ini.entries[i].value || !ini.entries[i].section ||
		    ini.entries[i].line <= line)
			abort();
		line = ini.entries[i].line;
		free(pmg_ini_expand(ini.entries[i].value, &env));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(PMG_INI_NPMRC, data, size);
	check(PMG_INI_PYTHON, data, size);
	return 0;
}
