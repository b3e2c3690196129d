#include "run/index.h"

#include "base/clock.h"
#include "base/env.h"

int pmg_run_index_check(const struct pmg_config *config, const struct pmg_managed *managed,
			const struct pmg_strv *env, const struct pmg_wire_ready *ready,
			struct pmg_run_index *out, struct pmg_err *err)
{
	bool bound = pmg_managed_is_in_force(managed);

	out->checked = ready->index_checked;
	out->state =
		pmg_config_index_state(config, ready->index_present, out->checked, pmg_clock_now());
	return pmg_config_index_check(config, bound, pmg_env_get(env, "CI"), ready->index_present,
				      out->checked, err);
}

char *pmg_run_index_note(const struct pmg_config *config, const struct pmg_run_index *index)
{
	pmg_autofree char *stale = NULL;

	if (index->state == PMG_INDEX_FRESH)
		return NULL;
	if (index->state == PMG_INDEX_MISSING)
		return pmg_xstrdup(
			"no malware index yet, only the block list and the built-in list "
			"are checked; \"pmg intel update\" fetches one");
	stale = pmg_config_stale_text(config, index->checked);
	return pmg_xasprintf("%s: \"pmg intel update\" does it", stale);
}
