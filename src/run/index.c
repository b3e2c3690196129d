#include "run/index.h"

#include "base/clock.h"
#include "base/env.h"

static char *stale_text(const struct pmg_config *config, const struct pmg_run_index *index)
{
	pmg_autofree char *age = pmg_config_age(index->checked, pmg_clock_now());
	pmg_autofree char *most = pmg_config_age(0, (int64_t)config->intel.max_age_s);

	return pmg_xasprintf(
		"the malware index was last brought up to date %s ago, intel.max_age is "
		"%s",
		age, most);
}

int pmg_run_index_check(const struct pmg_config *config, const struct pmg_managed *managed,
			const struct pmg_strv *env, const struct pmg_wire_ready *ready,
			struct pmg_run_index *out, struct pmg_err *err)
{
	bool bound = pmg_managed_is_in_force(managed);
	pmg_autofree char *what = NULL;

	out->checked = ready->index_checked;
	out->state =
		pmg_config_index_state(config, ready->index_present, out->checked, pmg_clock_now());
	if (out->state == PMG_INDEX_FRESH ||
	    pmg_config_on_missing(config, bound, pmg_env_get(env, "CI")) != PMG_ON_MISSING_BLOCK)
		return 0;
	what = out->state == PMG_INDEX_STALE ? stale_text(config, out)
					     : pmg_xstrdup("no malware index yet");
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "%s, and intel.on_missing is block%s", what,
			  pmg_config_line(config, "intel.on_missing") ? ""
			  : bound ? ", as always under managed policy"
				  : ", as always where CI is set");
	(void)pmg_err_diag(err, 3007);
	return pmg_err_hint(err,
			    "\"pmg intel update\" fetches one; \"intel: {on_missing: warn}\" in "
			    "config.yml goes on without");
}

char *pmg_run_index_note(const struct pmg_config *config, const struct pmg_run_index *index)
{
	pmg_autofree char *stale = NULL;

	if (index->state == PMG_INDEX_FRESH)
		return NULL;
	if (index->state == PMG_INDEX_MISSING)
		return pmg_xstrdup("no malware index yet, only the block list is checked; \"pmg "
				   "intel update\" fetches one");
	stale = stale_text(config, index);
	return pmg_xasprintf("%s: \"pmg intel update\" does it", stale);
}
