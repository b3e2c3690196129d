#include <string.h>

#include "base/clock.h"
#include "cli/cmd_intel.h"
#include "pm/version.h"
#include "verdict/blocklist.h"

/* Three numbers: what is read loosely elsewhere, "1" or "1.0.0.1", is a range or nobody's version.
 */
static bool has_three_parts(const char *version)
{
	static const char digits[] = "0123456789";
	const char *s = version + strspn(version, "v= \t");
	size_t part, n;

	for (part = 0; part < 3; part++) {
		n = strspn(s, digits);
		if (n == 0 || (part < 2 && s[n] != '.'))
			return false;
		s += part < 2 ? n + 1 : n;
	}
	return *s != '.';
}

static bool is_exact(const struct pmg_purl *purl)
{
	return pmg_version_is_valid(purl->eco, purl->version) &&
	       (purl->eco != PMG_ECO_NPM || has_three_parts(purl->version));
}

/* "^1" or "1.0" of npm is no version that any package has: it would look blocked and block
   nothing. The file itself may hold what is merely odd; it then matches the same text. */
static int check_version(const struct pmg_purl *purl, struct pmg_err *err)
{
	pmg_autofree char *shown = NULL;

	if (!purl->version || is_exact(purl))
		return 0;
	shown = pmg_out_quote(purl->version);
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "\"%s\" is not one exact %s version", shown,
			  pmg_eco_name(purl->eco));
	return pmg_err_hint(err, "give one exact version, like %s, or none: then all are blocked",
			    purl->eco == PMG_ECO_NPM ? "1.0.0" : "1.0");
}

static void say_blocked(const struct pmg_out *out, const struct pmg_purl *purl, int added)
{
	static const char *const what[] = { "was already blocked", "is now blocked",
					    "is blocked as before" };
	pmg_autofree char *shown = pmg_purl_format(purl);

	pmg_out_note(out, "%s %s%s%s", shown, what[added], purl->version ? "" : ", in all versions",
		     added == 2 ? "; reason changed" : "");
}

int pmg_cmd_intel_block(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_block_opts *opts = call->opts;
	const struct pmg_cmd_settings *settings = call->settings;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	int r = pmg_intel_purl(call->operands[0], &purl, err);

	if (r == 0)
		r = check_version(&purl, err);
	if (r == 0)
		r = pmg_intel_place_find(&place, err);
	if (r == 0)
		r = pmg_blocklist_add(place.blocklist, &purl, opts->reason, pmg_clock_now(), err);
	if (r < 0)
		return r;
	if (!settings->quiet)
		say_blocked(call->out, &purl, r);
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
