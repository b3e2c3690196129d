#include "fuzz.h"

#include <stdlib.h>

#include "conf/narrow.h"

/* Whatever a file that only takes away says, what it leaves is no looser than before, and to take
 * it away again changes nothing. */
static void take_away(const struct pmg_managed *by, struct pmg_config *config)
{
	pmg_auto(strv) struct pmg_strv notes = { 0 };
	struct pmg_config was = *config;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_narrow(config, by, &notes, &err) < 0) {
		if (err.code != PMG_E_CONFIG)
			abort();
		return;
	}
	/* What the user has not set managed policy may set as it likes. */
	if (!by->of_project)
		return;
	if (config->sandbox.enabled < was.sandbox.enabled ||
	    config->sandbox.strict < was.sandbox.strict || config->on_missing < was.on_missing ||
	    config->verbosity != was.verbosity || config->n_registries != was.n_registries ||
	    config->sandbox.n_templates != was.sandbox.n_templates)
		abort();
}

static void check(const struct pmg_managed *managed)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	pmg_auto(strv) struct pmg_strv again = { 0 };
	size_t i;

	for (i = 0; i < managed->deny.n; i++)
		if (!managed->deny.v[i].text || managed->deny.v[i].line == 0)
			abort();
	if (!pmg_managed_is_in_force(managed) ||
	    (managed->of_project && (managed->lockdown || managed->block.n > 0)))
		abort();
	pmg_config_init(&config);
	config.path = pmg_xstrdup("c");
	take_away(managed, &config);
	if (managed->of_project) {
		struct pmg_err err = PMG_ERR_INIT;

		if (pmg_narrow(&config, managed, &again, &err) < 0 || again.n > 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	pmg_auto(managed) struct pmg_managed project = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_managed_parse("m", (const char *)data, size, &managed, &err) == 0)
		check(&managed);
	else if (err.code != PMG_E_CONFIG || err.diag != PMG_DIAG_MANAGED)
		abort();
	if (pmg_managed_parse_project("p", (const char *)data, size, &project, &err) == 0)
		check(&project);
	else if (err.code != PMG_E_CONFIG)
		abort();
	return 0;
}
