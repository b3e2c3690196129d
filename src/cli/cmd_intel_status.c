#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "cli/cmd_intel.h"
#include "cli/table.h"
#include "conf/managed.h"
#include "verdict/blocklist.h"
#include "verdict/fetched.h"
#include "verdict/index.h"
#include "verdict/known.h"
#include "verdict/supplement.h"

struct status {
	struct pmg_intel_place place;
	struct pmg_intel_settings settings;
	struct pmg_index *index; /* NULL: there is none */
	struct pmg_index_info info;
	struct pmg_index_feeds feeds;
	struct pmg_strv old; /* what is to be said of them */
	struct pmg_blocklist blocklist;
	struct pmg_managed managed; /* whether in force or not */
	struct pmg_blocklist blocked;
};

static void status_done(struct status *status)
{
	pmg_intel_place_done(&status->place);
	pmg_intel_settings_done(&status->settings);
	pmg_index_close(status->index);
	pmg_index_feeds_done(&status->feeds);
	pmg_strv_done(&status->old);
	pmg_blocklist_done(&status->blocklist);
	pmg_managed_done(&status->managed);
	pmg_blocklist_done(&status->blocked);
}
PMG_DEFINE_AUTO_DONE(status, struct status, status_done);

static int look(struct status *status, struct pmg_err *err)
{
	int64_t checked = 0;
	int r = pmg_intel_place_find(&status->place, err);

	if (r == 0)
		r = pmg_blocklist_load(status->place.blocklist, &status->blocklist, err);
	if (r == 0)
		r = pmg_managed_load(PMG_MANAGED_PATH, &status->managed, err);
	if (r == 0)
		r = pmg_blocklist_managed(&status->managed, &status->blocked, err);
	if (r == 0)
		r = pmg_intel_settings_load(&status->settings, err);
	if (r < 0)
		return r;
	r = pmg_index_open(status->place.index, &status->index, err);
	if (r == -PMG_E_NOTFOUND)
		return 0;
	if (r == 0)
		r = pmg_index_check(status->index, err);
	if (r == 0)
		r = pmg_index_feeds(status->index, &status->feeds, err);
	if (r == 0)
		r = pmg_fetched_checked(status->place.index, status->index, &checked, err);
	if (r == 0)
		status->info = (struct pmg_index_info){
			.checked = checked,
			.present = true,
			.built = pmg_index_built(status->index),
			.records = pmg_index_records(status->index),
			.packages = pmg_index_packages(status->index),
		};
	pmg_known_old_feeds(&status->feeds, pmg_clock_now(), &status->old);
	return r;
}

static struct json_t *feed_json(const struct pmg_index_feed *feed)
{
	struct json_t *json = pmg_json_object();
	char when[PMG_RFC3339_LEN];

	pmg_clock_format(feed->imported, when);
	pmg_json_set_str(json, "name", feed->name);
	pmg_json_set_str(json, "imported", when);
	pmg_json_set_count(json, "records", feed->records);
	pmg_json_set_count(json, "withdrawn", feed->withdrawn);
	pmg_clock_format(feed->newest, when);
	pmg_json_set_str(json, "newest", feed->newest ? when : NULL);
	return json;
}

static struct json_t *list_json(const char *path, const struct pmg_blocklist *list)
{
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "path", path);
	pmg_json_set_count(json, "entries", list->n);
	return json;
}

static void print_json(const struct pmg_out *out, const struct status *status)
{
	pmg_auto(json) struct json_t *json = pmg_json_object();
	struct json_t *feeds = pmg_json_array(), *index;
	size_t i;

	index = pmg_intel_state_json(&status->settings, &status->info);
	pmg_json_set_count(index, "max_age_s", status->settings.config.intel.max_age_s);
	pmg_json_set_str(index, "on_missing",
			 pmg_config_on_missing(&status->settings.config, status->settings.managed,
					       getenv("CI")) == PMG_ON_MISSING_BLOCK
				 ? "block"
				 : "warn");
	pmg_json_set_str(index, "path", status->place.index);
	pmg_json_set_bool(index, "present", status->index != NULL);
	if (status->index)
		pmg_json_set_count(index, "packages", pmg_index_packages(status->index));
	for (i = 0; i < status->feeds.n; i++)
		pmg_json_add(feeds, feed_json(&status->feeds.v[i]));
	pmg_json_set(index, "feeds", feeds);
	pmg_json_set(index, "warnings", pmg_json_strv(&status->old));
	pmg_json_set(json, "index", index);
	pmg_json_set_count(json, "built_in", pmg_supplement_count());
	pmg_json_set(json, "blocklist", list_json(status->place.blocklist, &status->blocklist));
	if (pmg_managed_is_in_force(&status->managed))
		pmg_json_set(json, "managed",
			     list_json(status->managed.config.path, &status->blocked));
	pmg_out_json(out, json);
}

static void print_feeds(const struct pmg_out *out, const struct pmg_index_feeds *feeds)
{
	static const char *const heads[] = { "FEED", "IMPORTED", "RECORDS", "WITHDRAWN", NULL };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	char when[PMG_RFC3339_LEN];
	size_t i;

	for (i = 0; i < feeds->n; i++) {
		pmg_autofree char *records = pmg_xasprintf("%" PRIu64, feeds->v[i].records);
		pmg_autofree char *withdrawn = pmg_xasprintf("%" PRIu64, feeds->v[i].withdrawn);

		pmg_clock_format(feeds->v[i].imported, when);
		pmg_table_add(table,
			      (const char *const[]){ feeds->v[i].name, when, records, withdrawn });
	}
	pmg_table_print(table, out->to);
}

static void print_list(const struct pmg_out *out, const char *what, const char *path,
		       const struct pmg_blocklist *list)
{
	pmg_autofree char *safe = pmg_out_quote(path);

	(void)fprintf(out->to, "%s %s, %zu %s\n", what, safe, list->n,
		      list->n == 1 ? "entry" : "entries");
}

static void print_text(const struct pmg_out *out, const struct status *status)
{
	pmg_autofree char *index = pmg_out_quote(status->place.index);
	pmg_autofree char *state = pmg_intel_state_text(&status->settings, &status->info);
	char when[PMG_RFC3339_LEN];

	if (status->index) {
		pmg_clock_format(pmg_index_built(status->index), when);
		(void)fprintf(out->to,
			      "index       %s\nstate       %s\nbuilt       %s\nrecords     %" PRIu64
			      "\npackages    %" PRIu64 "\n",
			      index, state, when, pmg_index_records(status->index),
			      pmg_index_packages(status->index));
	} else {
		(void)fprintf(out->to, "index       %s\nstate       %s\n", index, state);
	}
	(void)fprintf(out->to, "built in    %zu versions of well-known hijacks\n",
		      pmg_supplement_count());
	print_list(out, "block list ", status->place.blocklist, &status->blocklist);
	if (pmg_managed_is_in_force(&status->managed))
		print_list(out, "managed    ", status->managed.config.path, &status->blocked);
	if (status->feeds.n > 0) {
		(void)fputc('\n', out->to);
		print_feeds(out, &status->feeds);
	}
	pmg_intel_say_old(out, &status->old);
}

int pmg_cmd_intel_status(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_status_opts *opts = call->opts;
	pmg_auto(status) struct status status = { 0 };
	int r = look(&status, err);

	if (r < 0)
		return r;
	if (opts->json)
		print_json(call->out, &status);
	else
		print_text(call->out, &status);
	return 0;
}
