#ifndef PMG_TESTS_UNIT_CONFIGURED_H
#define PMG_TESTS_UNIT_CONFIGURED_H
/** A folder of a test's own with a config.yml in it. Behind cmocka.h. */
#include <string.h>

#include "conf/config.h"
#include "tests/helper/folder.h"

#define V1 "schema_version: 1\n"

static char *top, *file; /* the folder; its config.yml */

static inline int setup(void **state)
{
	(void)state;
	top = folder_new();
	file = pmg_path_join(top, "config.yml");
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	free(file);
	folder_free(top);
	return 0;
}

/** Write config.yml and read it. */
static inline int load(const char *text, struct pmg_config *config, struct pmg_err *err)
{
	folder_write(top, "config.yml", text, strlen(text));
	return pmg_config_load(file, config, err);
}

#endif
