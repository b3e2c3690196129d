#include <inttypes.h>
#include <string.h>

#include "cli/cmd_intel.h"
#include "verdict/build.h"
#include "verdict/index.h"

/* @return 0 with how many records the index has of the feed; -PMG_E_USAGE: none such is there */
static int find_feed(const char *index_path, const char *name, uint64_t *records,
		     struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	pmg_auto(index_feeds) struct pmg_index_feeds feeds = { 0 };
	pmg_autofree char *shown = pmg_out_quote(name);
	size_t i;
	int r = pmg_index_open(index_path, &index, err);

	if (r == 0)
		r = pmg_index_feeds(index, &feeds, err);
	if (r < 0 && r != -PMG_E_NOTFOUND)
		return r;
	for (i = 0; i < feeds.n; i++)
		if (strcmp(feeds.v[i].name, name) == 0) {
			*records = feeds.v[i].records;
			return 0;
		}
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "the index has no feed \"%s\"", shown);
	return pmg_err_hint(err, "\"pmg intel status\" shows which it has");
}

static int drop(const char *index_path, const char *name, int64_t now,
		struct pmg_build_result *result, struct pmg_err *err)
{
	pmg_auto(build) struct pmg_build *build = NULL;
	int r = pmg_build_open(index_path, name, &build, err);

	if (r < 0)
		return r;
	pmg_build_drop(build);
	return pmg_build_finish(build, now, result, err);
}

static void print(const struct pmg_call *call, const char *name, uint64_t records, int64_t now,
		  const struct pmg_build_result *result)
{
	const struct pmg_intel_import_opts *opts = call->opts;
	pmg_auto(json) struct json_t *json = pmg_json_object();
	struct json_t *index = pmg_intel_index_json(now, result->total);

	if (!opts->json) {
		(void)fprintf(call->out->to,
			      "%s: removed, %" PRIu64 " record%s; in the index now: %" PRIu64
			      " record%s, %" PRIu64 " package%s\n",
			      name, records, pmg_out_plural(records), result->total,
			      pmg_out_plural(result->total), result->packages,
			      pmg_out_plural(result->packages));
		pmg_json_free(index);
		return;
	}
	pmg_json_set_count(index, "packages", result->packages);
	pmg_json_set_str(json, "feed", name);
	pmg_json_set_count(json, "removed", records);
	pmg_json_set(json, "index", index);
	pmg_out_json(call->out, json);
}

/* What is fetched would be back with the next update. */
static void note_fetched(const struct pmg_out *out, const struct pmg_intel_settings *settings,
			 const char *name)
{
	size_t n, i;
	const struct pmg_config_feed *feeds = pmg_config_feeds(&settings->config.intel, &n);

	for (i = 0; i < n; i++)
		if (strcmp(feeds[i].name, name) == 0)
			pmg_out_note(out,
				     "%s is one of the feeds that \"pmg intel update\" fetches: "
				     "intel.feeds in config.yml",
				     name);
}

int pmg_intel_import_remove(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_import_opts *opts = call->opts;
	const char *name = opts->remove;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(intel_settings) struct pmg_intel_settings settings = { 0 };
	struct pmg_build_result result = { 0 };
	int64_t now = pmg_intel_date();
	uint64_t records = 0;
	int r;

	if (call->n_operands > 0 || opts->accept || opts->ecosystem || opts->manifest ||
	    opts->name || opts->pubkeys.n > 0)
		return pmg_err_set(err, PMG_E_USAGE, 0,
				   "beside --remove only --json has a meaning");
	r = pmg_intel_place_find(&place, err);
	if (r == 0)
		r = pmg_intel_settings_load(&settings, err);
	if (r == 0)
		r = find_feed(place.index, name, &records, err);
	if (r == 0)
		r = drop(place.index, name, now, &result, err);
	if (r < 0)
		return r;
	print(call, name, records, now, &result);
	note_fetched(call->out, &settings, name);
	if (result.total == 0)
		pmg_out_note(call->out, "no record of malware is left in the index");
	return 0;
}
