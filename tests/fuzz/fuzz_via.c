/* PMG_VIA as a script may have left it: whatever it holds, a program of PATH is found or is not. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "run/find.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(found) struct pmg_found found = { 0 };
	pmg_autofree char *text = NULL;
	pmg_autofree char *via = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (size > 65536)
		return 0;
	text = pmg_xstrndup((const char *)data, size);
	pmg_env_set(&env, "PMG_VIA", text);
	pmg_env_set(&env, "PATH", "/bin");
	if (pmg_find_program("sh", &env, "/", &found, &err) < 0)
		return 0;
	via = pmg_found_via(&found, 1);
	if (strlen(via) > 4096 || found.depth > PMG_FIND_DEPTH_MAX ||
	    found.passed.n > PMG_FIND_DEPTH_MAX)
		abort();
	return 0;
}
