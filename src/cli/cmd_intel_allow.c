#include <string.h>

#include "base/clock.h"
#include "base/path.h"
#include "cli/cmd_intel.h"
#include "conf/config_packages.h"
#include "conf/dirs.h"
#include "conf/overrides.h"
#include "conf/units.h"
#include "verdict/judge.h"
#include "verdict/lock.h"

#define EXPIRES_MAX (3650ULL * 86400U)

/* A day, or so long from now. */
static int read_expires(const char *text, int64_t *out, struct pmg_err *err)
{
	uint64_t seconds;

	if (!text)
		return 0;
	if (pmg_duration_parse(text, EXPIRES_MAX, &seconds) == 0 && seconds > 0) {
		*out = pmg_clock_now() + (int64_t)seconds;
		return 0;
	}
	if (pmg_config_parse_day(text, out) == 0 && *out > pmg_clock_now())
		return 0;
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "--expires is no day to come, and no duration");
	return pmg_err_hint(err, "like 2027-01-31, or 30d");
}

/* Which records are meant: the one that was named, or all that speak against it. */
static int find_ids(const struct pmg_purl *purl, const char *id, struct pmg_strv *out,
		    struct pmg_err *err)
{
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	int r = pmg_intel_place_find(&place, err);
	size_t i;

	if (r == 0)
		r = pmg_intel_open_judge(&place, NULL, &judge, err);
	if (r == 0)
		r = pmg_judge_ask(judge, purl->eco, purl->name, purl->version, &j, err);
	if (r < 0)
		return r;
	for (i = 0; i < j.ids.n; i++)
		if (!id || strcmp(id, j.ids.v[i]) == 0)
			pmg_strv_add(out, j.ids.v[i]);
	if (out->n > 0)
		return 0;
	if (j.reason == PMG_REASON_BLOCKLIST || j.reason == PMG_REASON_MANAGED)
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "no record is against it: it is %s",
				  pmg_reason_text(j.reason));
	else
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "no such record is against this version");
	return pmg_err_hint(err, "\"pmg intel query\" says what is");
}

static int check(const struct pmg_intel_allow_opts *opts, const struct pmg_purl *purl,
		 struct pmg_err *err)
{
	if (!purl->version) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0,
				  "of which version? One exact version has to be "
				  "allowed");
		return pmg_err_hint(err, "like pkg:npm/name@1.0.0; trusted_packages in config.yml "
					 "trusts a package in all of its versions");
	}
	if (!opts->reason || !*opts->reason) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "why? --reason TEXT has to be there");
		return pmg_err_hint(err, "who reads it later wants to know");
	}
	return 0;
}

/* Locked, so that of two commands at a time none undoes the other. */
static int lock_overrides(struct pmg_intel_place *place, int *lock, struct pmg_err *err)
{
	pmg_autofree char *dir = NULL;
	int r = pmg_intel_place_find(place, err);

	if (r < 0)
		return r;
	dir = pmg_path_dir(place->overrides);
	r = pmg_dirs_make(dir, err);
	return r < 0 ? r : pmg_lock_take(place->overrides, PMG_LOCK_MS, lock, err);
}

/* What both ways of the command print. */
static struct json_t *answer_json(const struct pmg_call *call, const char *path,
				  const struct pmg_strv *ids)
{
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "purl", call->operands[0]);
	pmg_json_set(json, "ids", pmg_json_strv(ids));
	pmg_json_set_str(json, "path", path);
	return json;
}

static void print_added(const struct pmg_call *call, const char *path, const struct pmg_strv *ids,
			int64_t expires, bool fresh)
{
	const struct pmg_intel_allow_opts *opts = call->opts;
	const struct pmg_cmd_settings *settings = call->settings;
	pmg_autofree char *safe = pmg_out_quote(call->operands[0]);
	char when[PMG_RFC3339_LEN];
	size_t i;

	pmg_clock_format(expires, when);
	if (opts->json) {
		pmg_auto(json) struct json_t *json = answer_json(call, path, ids);

		pmg_json_set_str(json, "expires", expires ? when : NULL);
		pmg_json_set_bool(json, "added", fresh);
		pmg_out_json(call->out, json);
		return;
	}
	for (i = 0; !settings->quiet && i < ids->n; i++) {
		pmg_autofree char *id = pmg_out_quote(ids->v[i]);

		pmg_out_note(call->out, "%s does not count for %s any more%s%s: %s", id, safe,
			     expires ? ", until " : "", expires ? when : "", path);
	}
}

static void print_removed(const struct pmg_call *call, const char *path, const struct pmg_strv *ids)
{
	const struct pmg_intel_allow_opts *opts = call->opts;
	const struct pmg_cmd_settings *settings = call->settings;
	pmg_autofree char *safe = pmg_out_quote(call->operands[0]);
	size_t i;

	if (opts->json) {
		pmg_auto(json) struct json_t *json = answer_json(call, path, ids);

		pmg_json_set_bool(json, "removed", true);
		pmg_out_json(call->out, json);
		return;
	}
	for (i = 0; !settings->quiet && i < ids->n; i++) {
		pmg_autofree char *id = pmg_out_quote(ids->v[i]);

		pmg_out_note(call->out, "%s counts for %s again", id, safe);
	}
}

static int check_removal(const struct pmg_intel_allow_opts *opts, const struct pmg_purl *purl,
			 struct pmg_err *err)
{
	if (opts->reason || opts->expires)
		return pmg_err_set(err, PMG_E_USAGE, 0,
				   "--reason and --expires are not for --remove");
	if (!purl->version)
		return pmg_err_set(err, PMG_E_USAGE, 0, "of which version?");
	return 0;
}

static int remove_entries(const struct pmg_call *call, const struct pmg_purl *purl,
			  struct pmg_err *err)
{
	const struct pmg_intel_allow_opts *opts = call->opts;
	const struct pmg_override entry = { .ecosystem = pmg_eco_name(purl->eco),
					    .name = purl->name,
					    .version = purl->version,
					    .id = opts->id };
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(strv) struct pmg_strv ids = { 0 };
	pmg_autofd int lock = -1;
	int r = check_removal(opts, purl, err);

	if (r == 0)
		r = lock_overrides(&place, &lock, err);
	if (r == 0)
		r = pmg_overrides_remove(place.overrides, &entry, &ids, err);
	if (r < 0)
		return r;
	if (ids.n == 0) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s has no such entry for this version",
				  place.overrides);
		return pmg_err_hint(err,
				    "\"pmg intel query\" says which entry lets it in; those of "
				    "config.yml are taken out there");
	}
	print_removed(call, place.overrides, &ids);
	return 0;
}

static int add_entries(const struct pmg_call *call, const struct pmg_purl *purl,
		       struct pmg_err *err)
{
	const struct pmg_intel_allow_opts *opts = call->opts;
	struct pmg_override entry = { .ecosystem = pmg_eco_name(purl->eco),
				      .name = purl->name,
				      .version = purl->version,
				      .reason = opts->reason };
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(strv) struct pmg_strv ids = { 0 };
	pmg_autofd int lock = -1;
	bool fresh = false;
	size_t i;
	int r = check(opts, purl, err);

	if (r == 0)
		r = read_expires(opts->expires, &entry.expires, err);
	if (r == 0)
		r = find_ids(purl, opts->id, &ids, err);
	if (r == 0)
		r = lock_overrides(&place, &lock, err);
	for (i = 0; r >= 0 && i < ids.n; i++) {
		entry.id = ids.v[i];
		r = pmg_overrides_add(place.overrides, &entry, err);
		fresh = fresh || r > 0;
	}
	if (r < 0)
		return r;
	print_added(call, place.overrides, &ids, entry.expires, fresh);
	return 0;
}

int pmg_cmd_intel_allow(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_allow_opts *opts = call->opts;
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	int r = pmg_intel_purl(call->operands[0], &purl, err);

	if (r < 0)
		return r;
	return opts->remove ? remove_entries(call, &purl, err) : add_entries(call, &purl, err);
}
