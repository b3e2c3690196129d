#include "base/clock.h"
#include "cli/cmd_intel.h"
#include "verdict/blocklist.h"

int pmg_cmd_intel_block(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_block_opts *opts = call->opts;
	const struct pmg_cmd_settings *settings = call->settings;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	pmg_autofree char *shown = NULL;
	int r = pmg_intel_purl(call->operands[0], &purl, err);

	if (r == 0)
		r = pmg_intel_place_find(&place, err);
	if (r == 0)
		r = pmg_blocklist_add(place.blocklist, &purl, opts->reason, pmg_clock_now(), err);
	if (r < 0)
		return r;
	shown = pmg_purl_format(&purl);
	if (!settings->quiet)
		pmg_out_note(call->out, "%s %s blocked%s", shown, r ? "is now" : "was already",
			     purl.version ? "" : ", in all versions");
	return 0;
}

int pmg_cmd_intel_unblock(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_cmd_settings *settings = call->settings;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	pmg_autofree char *shown = NULL;
	int r = pmg_intel_purl(call->operands[0], &purl, err);

	if (r == 0)
		r = pmg_intel_place_find(&place, err);
	if (r == 0)
		r = pmg_blocklist_remove(place.blocklist, &purl, err);
	if (r < 0)
		return r;
	shown = pmg_purl_format(&purl);
	if (r == 0) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s is not on your block list", shown);
		return pmg_err_hint(err, "an entry is for one version or for all: see %s",
				    place.blocklist);
	}
	if (!settings->quiet)
		pmg_out_note(call->out, "%s is no longer on your block list", shown);
	return 0;
}
