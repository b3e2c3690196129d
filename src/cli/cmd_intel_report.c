#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "cli/cmd_intel.h"
#include "cli/table.h"
#include "verdict/fetched.h"
#include "verdict/index.h"
#include "verdict/known.h"
#include "verdict/supplement.h"

#define FAULTS_SHOWN 10U

/* What there is altogether. */
struct report {
	struct pmg_intel_place place;
	struct pmg_intel_settings settings;
	struct pmg_index *index; /* NULL: none */
	struct pmg_index_info info;
	struct pmg_index_feeds feeds;
	struct pmg_known_feed *known; /* of each of them */
	struct pmg_strv old;          /* what is to be said of them */
	struct pmg_known_totals totals;
};

static void report_done(struct report *report)
{
	size_t i;

	for (i = 0; report->known && i < report->feeds.n; i++)
		pmg_known_feed_done(&report->known[i]);
	free(report->known);
	pmg_strv_done(&report->old);
	pmg_intel_place_done(&report->place);
	pmg_intel_settings_done(&report->settings);
	pmg_index_close(report->index);
	pmg_index_feeds_done(&report->feeds);
}
PMG_DEFINE_AUTO_DONE(report, struct report, report_done);

static int look_at_feeds(struct report *report, struct pmg_err *err)
{
	size_t i;
	int r = pmg_index_feeds(report->index, &report->feeds, err);

	if (r < 0)
		return r;
	pmg_known_old_feeds(&report->feeds, pmg_clock_now(), &report->old);
	report->known = pmg_xcalloc(report->feeds.n + 1, sizeof *report->known);
	for (i = 0; r == 0 && i < report->feeds.n; i++)
		r = pmg_known_of_feed(report->place.index, report->feeds.v[i].name,
				      &report->known[i], err);
	return r;
}

static int look(struct report *report, struct pmg_err *err)
{
	struct pmg_index_info *info = &report->info;
	int r = pmg_intel_place_find(&report->place, err);

	if (r == 0)
		r = pmg_intel_settings_load(&report->settings, err);
	if (r < 0)
		return r;
	r = pmg_index_open(report->place.index, &report->index, err);
	if (r == -PMG_E_NOTFOUND)
		return 0;
	if (r == 0)
		r = look_at_feeds(report, err);
	if (r == 0)
		r = pmg_known_count(report->place.index, &report->totals, err);
	if (r == 0)
		r = pmg_fetched_checked(report->place.index, report->index, &info->checked, err);
	if (r < 0)
		return r;
	info->present = true;
	info->built = pmg_index_built(report->index);
	info->records = pmg_index_records(report->index);
	return 0;
}

static void set_when(struct json_t *json, const char *key, int64_t when)
{
	char text[PMG_RFC3339_LEN];

	pmg_clock_format(when, text);
	pmg_json_set_str(json, key, when ? text : NULL);
}

static struct json_t *faults_json(const struct pmg_known_feed *known)
{
	struct json_t *list = pmg_json_array();
	size_t i;

	for (i = 0; i < known->n_faults; i++) {
		struct json_t *one = pmg_json_object();

		pmg_json_set_str(one, "path", known->faults[i].path);
		pmg_json_set_str(one, "reason", known->faults[i].reason);
		pmg_json_add(list, one);
	}
	return list;
}

static struct json_t *feed_json(const struct report *report, size_t i)
{
	const struct pmg_index_feed *feed = &report->feeds.v[i];
	pmg_autofree char *folder = pmg_fetched_folder(report->place.index);
	pmg_auto(fetched) struct pmg_fetched fetched = { 0 };
	struct json_t *json = pmg_json_object();

	pmg_fetched_load(folder, feed->name, &fetched);
	pmg_json_set_str(json, "name", feed->name);
	pmg_json_set_count(json, "records", feed->records);
	pmg_json_set_count(json, "withdrawn", feed->withdrawn);
	set_when(json, "imported", feed->imported);
	set_when(json, "newest", feed->newest);
	set_when(json, "checked", fetched.checked);
	pmg_json_set(json, "newest_ids", pmg_json_strv(&report->known[i].newest));
	pmg_json_set_count(json, "unread", feed->unread);
	pmg_json_set(json, "faults", faults_json(&report->known[i]));
	return json;
}

static void print_all_json(const struct pmg_out *out, const struct report *report)
{
	static const enum pmg_eco ecos[] = { PMG_ECO_NPM, PMG_ECO_PYPI };
	pmg_auto(json) struct json_t *json = pmg_json_object();
	struct json_t *feeds = pmg_json_array(), *ecosystems = pmg_json_object(), *index;
	size_t i;

	for (i = 0; i < report->feeds.n; i++)
		pmg_json_add(feeds, feed_json(report, i));
	for (i = 0; i < PMG_ARRAY_LEN(ecos); i++) {
		struct json_t *one = pmg_json_object();

		pmg_json_set_count(one, "packages", report->totals.of[ecos[i]].packages);
		pmg_json_set_count(one, "records", report->totals.of[ecos[i]].records);
		pmg_json_set(ecosystems, pmg_eco_name(ecos[i]), one);
	}
	index = pmg_intel_state_json(&report->settings, &report->info);
	pmg_json_set(index, "warnings", pmg_json_strv(&report->old));
	pmg_json_set(json, "index", index);
	pmg_json_set(json, "feeds", feeds);
	pmg_json_set(json, "ecosystems", ecosystems);
	pmg_json_set_count(json, "digests", report->totals.digests);
	pmg_json_set_count(json, "built_in", pmg_supplement_count());
	pmg_out_json(out, json);
}

static void print_ecosystem(const struct pmg_out *out, const struct report *report,
			    enum pmg_eco eco)
{
	uint64_t packages = report->totals.of[eco].packages;
	uint64_t records = report->totals.of[eco].records;

	(void)fprintf(out->to, "%-9s %" PRIu64 " package%s, %" PRIu64 " record%s\n",
		      pmg_eco_name(eco), packages, pmg_out_plural(packages), records,
		      pmg_out_plural(records));
}

static void print_feed(const struct pmg_out *out, const struct pmg_index_feed *feed,
		       const struct pmg_known_feed *known)
{
	pmg_autofree char *ids = pmg_strv_join(&known->newest, ", ", SIZE_MAX / 2);
	pmg_autofree char *newest = pmg_out_quote(ids);
	size_t i;

	if (known->newest.n > 0)
		(void)fprintf(out->to, "\nnewest of %s: %s\n", feed->name, newest);
	if (feed->unread > 0)
		(void)fprintf(out->to, "\nin %s %" PRIu64 " file%s could not be read:\n",
			      feed->name, feed->unread, pmg_out_plural(feed->unread));
	for (i = 0; i < known->n_faults && i < FAULTS_SHOWN; i++) {
		pmg_autofree char *path = pmg_out_quote(known->faults[i].path);
		pmg_autofree char *reason = pmg_out_quote(known->faults[i].reason);

		(void)fprintf(out->to, "  %s: %s\n", path, reason);
	}
	if (feed->unread > i)
		(void)fprintf(out->to, "  and %" PRIu64 " more\n", feed->unread - i);
}

static void print_all_text(const struct pmg_out *out, const struct report *report)
{
	static const char *const heads[] = { "FEED",     "RECORDS", "WITHDRAWN",
					     "IMPORTED", "NEWEST",  NULL };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	pmg_autofree char *state = pmg_intel_state_text(&report->settings, &report->info);
	char imported[PMG_RFC3339_LEN], newest[PMG_RFC3339_LEN];
	size_t i;

	(void)fprintf(out->to, "index     %s\n", state);
	print_ecosystem(out, report, PMG_ECO_NPM);
	print_ecosystem(out, report, PMG_ECO_PYPI);
	(void)fprintf(out->to, "digests   %" PRIu64 "\nbuilt in  %zu versions of past hijacks\n\n",
		      report->totals.digests, pmg_supplement_count());
	for (i = 0; i < report->feeds.n; i++) {
		const struct pmg_index_feed *feed = &report->feeds.v[i];
		pmg_autofree char *records = pmg_xasprintf("%" PRIu64, feed->records);
		pmg_autofree char *withdrawn = pmg_xasprintf("%" PRIu64, feed->withdrawn);

		pmg_clock_format(feed->imported, imported);
		pmg_clock_format(feed->newest, newest);
		pmg_table_add(table,
			      (const char *const[]){ feed->name, records, withdrawn, imported,
						     feed->newest ? newest : "-" });
	}
	pmg_table_print(table, out->to);
	for (i = 0; i < report->feeds.n; i++)
		print_feed(out, &report->feeds.v[i], &report->known[i]);
	pmg_intel_say_old(out, &report->old);
}

static struct json_t *row_json(const struct pmg_known_row *row)
{
	struct json_t *json = pmg_json_object();
	pmg_autofree char *versions = pmg_known_versions(row);

	pmg_json_set_str(json, "id", row->id);
	pmg_json_set_str(json, "feed", row->feed);
	pmg_json_set_str(json, "versions", versions);
	if (row->note[0])
		pmg_json_set_str(json, "note", row->note);
	return json;
}

static void print_known(const struct pmg_call *call, const struct pmg_known *known,
			const struct pmg_judgement *j, bool has_version, bool as_json)
{
	static const char *const heads[] = { "ID", "FEED", "VERSIONS", "NOTE", NULL };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	pmg_auto(json) struct json_t *json = pmg_json_object();
	struct json_t *rows = pmg_json_array();
	pmg_autofree char *safe = pmg_out_quote(call->operands[0]);
	size_t i;

	for (i = 0; i < known->n; i++) {
		const struct pmg_known_row *row = &known->v[i];
		pmg_autofree char *versions = pmg_known_versions(row);

		pmg_json_add(rows, row_json(row));
		pmg_table_add(table,
			      (const char *const[]){ row->id, row->feed, versions, row->note });
	}
	pmg_json_set_str(json, "purl", call->operands[0]);
	pmg_json_set_str(json, "verdict", pmg_verdict_name(j->verdict));
	pmg_json_set_str(json, "reason",
			 j->verdict == PMG_VERDICT_ALLOW ? NULL : pmg_reason_text(j->reason));
	pmg_json_set(json, "source", pmg_json_strv(&j->sources));
	pmg_json_set(json, "known", rows);
	pmg_json_set_bool(json, "more", known->has_more);
	if (as_json) {
		pmg_out_json(call->out, json);
		return;
	}
	(void)fprintf(call->out->to, "%s: %s, %s\n", safe, pmg_verdict_name(j->verdict),
		      known->n == 0 || j->reason != PMG_REASON_NONE ? pmg_reason_text(j->reason)
		      : has_version ? "nothing known against this version"
				    : "single versions are known to be bad");
	if (known->n > 0)
		pmg_table_print(table, call->out->to);
	if (known->has_more)
		pmg_out_note(call->out, "and more");
}

/* Whatever of it counts for the version that is asked about: all that is known of the name. */
static int report_one(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_report_opts *opts = call->opts;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	pmg_auto(known) struct pmg_known known = { 0 };
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	int r = pmg_intel_purl(call->operands[0], &purl, err);

	if (r == 0)
		r = pmg_intel_place_find(&place, err);
	if (r == 0)
		r = pmg_intel_open_judge(&place, NULL, &judge, err);
	if (r == 0)
		r = pmg_judge_ask(judge, purl.eco, purl.name, purl.version, &j, err);
	if (r < 0)
		return r;
	r = pmg_known_load(place.index, purl.eco, purl.name, &known, err);
	if (r < 0 && r != -PMG_E_NOTFOUND)
		return r;
	r = pmg_intel_add_listed(&known, place.blocklist, purl.eco, purl.name, err);
	if (r < 0)
		return r;
	print_known(call, &known, &j, purl.version != NULL, opts->json);
	return 0;
}

int pmg_cmd_intel_report(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_report_opts *opts = call->opts;
	pmg_auto(report) struct report report = { 0 };
	int r;

	if (call->n_operands > 0)
		return report_one(call, err);
	r = look(&report, err);
	if (r < 0)
		return r;
	if (opts->json)
		print_all_json(call->out, &report);
	else
		print_all_text(call->out, &report);
	return 0;
}
