#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "cli/cmd_intel.h"
#include "conf/managed.h"
#include "conf/narrow.h"
#include "pm/entries.h"

int pmg_intel_settings_load(struct pmg_intel_settings *out, struct pmg_err *err)
{
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(strv) struct pmg_strv notes = { 0 }; /* said by runs */
	int r = pmg_intel_place_find(&place, err);

	if (r == 0)
		r = pmg_config_load(place.config, &out->config, err);
	if (r == 0)
		r = pmg_managed_load(PMG_MANAGED_PATH, &managed, err);
	if (r == 0)
		r = pmg_narrow(&out->config, &managed, &notes, err);
	if (r == 0)
		r = pmg_entries_check(&out->config.packages, &managed, err);
	out->managed = pmg_managed_is_in_force(&managed);
	return r;
}

void pmg_intel_settings_done(struct pmg_intel_settings *settings)
{
	pmg_config_done(&settings->config);
}

int pmg_intel_open_judge(const struct pmg_intel_place *place, struct pmg_intel_settings *settings,
			 struct pmg_judge **out, struct pmg_err *err)
{
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	int r = pmg_judge_open(place->index, place->blocklist, &judge, err);

	if (r == 0)
		r = pmg_judge_add_managed(judge, PMG_MANAGED_PATH, err);
	if (r == 0 && settings) {
		pmg_packages_date(&settings->config.packages, pmg_clock_now(), NULL);
		r = pmg_judge_set_packages(judge, &settings->config.packages, err);
	}
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&judge);
	return 0;
}

void pmg_intel_note_state(const struct pmg_out *out, const struct pmg_intel_settings *settings,
			  const struct pmg_index_info *info)
{
	pmg_autofree char *text = NULL;

	if (pmg_config_index_state(&settings->config, info->present, info->checked,
				   pmg_clock_now()) == PMG_INDEX_FRESH)
		return;
	text = pmg_intel_state_text(settings, info);
	pmg_out_note(out, "%s%s", info->present ? "the index is " : "", text);
}

struct json_t *pmg_intel_state_json(const struct pmg_intel_settings *settings,
				    const struct pmg_index_info *info)
{
	struct json_t *json = info->present ? pmg_intel_index_json(info->built, info->records)
					    : pmg_json_object();
	int64_t now = pmg_clock_now();
	char when[PMG_RFC3339_LEN];

	pmg_json_set_str(json, "state",
			 pmg_index_state_name(pmg_config_index_state(
				 &settings->config, info->present, info->checked, now)));
	if (!info->present)
		return json;
	pmg_clock_format(info->checked, when);
	pmg_json_set_str(json, "checked", when);
	pmg_json_set_count(json, "age_s",
			   now > info->checked ? (uint64_t)(now - info->checked) : 0);
	return json;
}

char *pmg_intel_state_text(const struct pmg_intel_settings *settings,
			   const struct pmg_index_info *info)
{
	int64_t now = pmg_clock_now();
	enum pmg_index_state state =
		pmg_config_index_state(&settings->config, info->present, info->checked, now);
	pmg_autofree char *age = pmg_clock_age(info->checked, now);
	pmg_autofree char *most = pmg_clock_age(0, (int64_t)settings->config.intel.max_age_s);

	if (state == PMG_INDEX_MISSING)
		return pmg_xasprintf("no index: your block list and the built-in list are all that "
				     "is asked; `pmg intel update` fetches "
				     "one");
	if (state == PMG_INDEX_FRESH)
		return pmg_xasprintf("brought up to date %s ago", age);
	return pmg_xasprintf("old: brought up to date %s ago, intel.max_age is %s; `pmg intel "
			     "update` does it",
			     age, most);
}

void pmg_intel_say_old(const struct pmg_out *out, const struct pmg_strv *lines)
{
	size_t i;

	for (i = 0; i < lines->n; i++)
		pmg_out_note(out, "%s%s%s", pmg_out_on(out->messages_color, PMG_STYLE_WARN),
			     lines->v[i], pmg_out_off(out->messages_color));
}
