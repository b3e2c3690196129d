#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sandbox/who_priv.h"

static void check(bool (*read)(const char *, size_t, struct pmg_package *), const uint8_t *data,
		  size_t size)
{
	pmg_auto(package) struct pmg_package package = { 0 };
	bool found = read((const char *)data, size, &package);

	/* A name or nothing; neither longer than it may be. */
	if (found != (package.name != NULL))
		abort();
	if (found && strlen(package.name) > PMG_PACKAGE_NAME_MAX)
		abort();
	if (package.version && strlen(package.version) > PMG_PACKAGE_VER_MAX)
		abort();
	free(pmg_package_text(&package));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(pmg_package_json, data, size);
	check(pmg_package_pkginfo, data, size);
	check(pmg_package_pyproject, data, size);
	return 0;
}
