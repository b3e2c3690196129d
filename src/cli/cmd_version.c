#include <stdio.h>

#include "base/json.h"
#include "cli/front.h"

int pmg_cmd_version(const struct pmg_call *call, struct pmg_err *err)
{
	const bool *as_json = call->opts;
	pmg_auto(json) struct json_t *json = pmg_json_object();

	(void)err;
	if (!*as_json) {
		(void)fprintf(call->out->to, "pmg %s\n", PACKAGE_VERSION);
		return 0;
	}
	pmg_json_set_str(json, "name", "pmg");
	pmg_json_set_str(json, "version", PACKAGE_VERSION);
	pmg_out_json(call->out, json);
	return 0;
}
