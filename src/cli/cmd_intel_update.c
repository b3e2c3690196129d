#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cmd_intel.h"
#include "conf/dirs.h"
#include "pm/surroundings.h"
#include "verdict/index.h"
#include "verdict/known.h"
#include "verdict/lock.h"
#include "verdict/update.h"

#define PROGRESS_MS 100U /* between two looks of the bar */
#define BAR         24U

/* How to reach the outside, and what is reported of each feed. */
struct work {
	const struct pmg_out *out;
	struct pmg_intel_place place;
	struct pmg_intel_settings settings;
	const struct pmg_config_feed *feeds[PMG_CONFIG_FEEDS_MAX + 2]; /* of the settings */
	size_t n_feeds;
	struct pmg_facts facts;
	struct pmg_route *route;
	struct pmg_bundle *bundle;
	struct pmg_fetch *fetch;
	struct json_t *report; /* of the import that is over; NULL */
	bool bar;              /* on a terminal, for who wants to hear */
	bool shown;
	uint64_t shown_ms;
};

static void work_done(struct work *work)
{
	pmg_fetch_free(work->fetch);
	pmg_route_free(work->route);
	pmg_bundle_free(work->bundle);
	pmg_facts_done(&work->facts);
	pmg_json_free(work->report);
	pmg_intel_settings_done(&work->settings);
	pmg_intel_place_done(&work->place);
}
PMG_DEFINE_AUTO_DONE(work, struct work, work_done);

static int reach_out(struct work *work, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv env = { 0 }, notes = { 0 };
	pmg_auto(dirs) struct pmg_dirs dirs = { 0 };
	struct pmg_place place = { .cwd = "/", .env = &env };
	size_t i;
	int r;

	pmg_strv_extend(&env, environ);
	r = pmg_dirs_find(&env, &dirs, err);
	if (r < 0)
		return r;
	place.home = dirs.home;
	place.cache_dir = dirs.cache;
	pmg_surroundings_proxy(&work->facts, &env);
	pmg_surroundings_ca(&work->facts, &place);
	r = pmg_route_new(work->facts.https_proxy, work->facts.http_proxy, work->facts.no_proxy,
			  &work->route, err);
	work->bundle = pmg_bundle_new();
	if (r == 0)
		r = pmg_bundle_complete(work->bundle, &work->facts.ca_files, &work->facts.ca_dirs,
					&notes, err);
	for (i = 0; r == 0 && i < notes.n; i++)
		pmg_out_note(work->out, "%s", notes.v[i]);
	return r < 0 ? r : pmg_fetch_new(work->route, work->bundle, &work->fetch, err);
}

static int import(void *arg, const struct pmg_import_want *want, struct pmg_err *err)
{
	struct work *work = arg;
	struct json_t *report = NULL;
	int r;

	if (work->bar) { /* some seconds, of which nothing else is seen */
		(void)fprintf(work->out->messages, "\r\033[K%s: reading it", want->feed);
		(void)fflush(work->out->messages);
		work->shown = true;
	}
	r = pmg_intel_import_apart(want, &report, err);
	if (r < 0)
		return r;
	pmg_json_free(work->report);
	work->report = report;
	return 0;
}

static void wipe_bar(struct work *work)
{
	if (work->shown)
		(void)fputs("\r\033[K", work->out->messages);
	work->shown = false;
}

static void progress(void *arg, const char *feed, uint64_t done, uint64_t total, bool records)
{
	struct work *work = arg;
	uint64_t now = pmg_clock_ms();
	double unit = records ? 1 : 1e6;
	int digits = records ? 0 : 1;
	char bar[BAR + 1];
	size_t i, full = total ? (size_t)(done * BAR / total) : 0;

	if (!work->bar || (work->shown && now - work->shown_ms < PROGRESS_MS))
		return;
	for (i = 0; i < BAR; i++)
		bar[i] = i < full ? '#' : '.';
	bar[BAR] = '\0';
	(void)fprintf(work->out->messages, "\r\033[K%s [%s] %.*f", feed, bar, digits,
		      (double)done / unit);
	if (total)
		(void)fprintf(work->out->messages, " of %.*f", digits, (double)total / unit);
	(void)fprintf(work->out->messages, " %s", records ? "records" : "MB");
	(void)fflush(work->out->messages);
	work->shown = true;
	work->shown_ms = now;
}

static struct json_t *feed_json(struct work *work, const struct pmg_config_feed *feed,
				const struct pmg_update_report *report, const struct pmg_err *err)
{
	struct json_t *json = pmg_json_object();
	char diag[PMG_DIAG_LEN];

	pmg_json_set_str(json, "feed", feed->name);
	if (err) {
		pmg_json_set_str(json, "error", err->msg);
		pmg_diag_text(err->diag, diag);
		pmg_json_set_str(json, "code", err->diag ? diag : NULL);
	} else {
		pmg_json_set_str(json, "outcome", pmg_update_kind_name(report->kind));
	}
	pmg_json_set_count(json, "bytes", report->bytes);
	pmg_json_set_count(json, "resumed", report->resumed);
	pmg_json_set_count(json, "changed", report->changed);
	pmg_json_set_count(json, "missing", report->missing);
	if (work->report)
		pmg_json_set(json, "import", pmg_steal_ptr(&work->report));
	return json;
}

static void print_whole(const struct pmg_out *out, const struct json_t *import,
			const struct pmg_update_report *report)
{
	(void)fprintf(out->to, "%lld record%s, %.1f MB fetched",
		      (long long)pmg_json_int(import, "records"),
		      pmg_out_plural((uint64_t)pmg_json_int(import, "records")),
		      (double)report->bytes / 1e6);
	if (report->resumed > 0)
		(void)fprintf(out->to, ", %.1f MB were there", (double)report->resumed / 1e6);
	(void)fputc('\n', out->to);
}

static void print_feed(struct work *work, const struct pmg_config_feed *feed,
		       const struct pmg_update_report *report)
{
	const struct json_t *import = work->report;
	int64_t unread = pmg_json_int(import, "unread");

	(void)fprintf(work->out->to, "%s: ", feed->name);
	if (report->kind == PMG_UPDATE_UNCHANGED)
		(void)fprintf(work->out->to, "nothing new\n");
	else if (report->kind == PMG_UPDATE_CHANGES)
		(void)fprintf(work->out->to, "%zu changed record%s, now %lld\n", report->changed,
			      pmg_out_plural(report->changed),
			      (long long)pmg_json_int(import, "records"));
	else
		print_whole(work->out, import, report);
	if (report->missing > 0)
		pmg_out_note(work->out, "%s: of the changed records %zu %s not there", feed->name,
			     report->missing, report->missing == 1 ? "is" : "are");
	if (report->unread > 0)
		pmg_out_note(work->out, "%s: %zu line%s of the list of changes cannot be read",
			     feed->name, report->unread, pmg_out_plural(report->unread));
	if (unread > 0)
		pmg_out_note(work->out,
			     "%s: %lld file%s could not be read; \"pmg intel report\" lists them",
			     feed->name, (long long)unread, pmg_out_plural((uint64_t)unread));
}

/* Other feeds are brought up to date whatever becomes of one. @return of the last that failed */
static int each_feed(struct work *work, const struct pmg_update *update, struct json_t *list,
		     struct pmg_err *err)
{
	int result = 0;
	size_t i;

	for (i = 0; i < work->n_feeds; i++) {
		struct pmg_update_report report = { 0 };
		struct pmg_err why = PMG_ERR_INIT;
		int r = pmg_update_feed(update, work->feeds[i], &report, &why);

		wipe_bar(work);
		if (r == 0 && !list)
			print_feed(work, work->feeds[i], &report);
		if (r < 0 && result < 0)
			pmg_out_error(work->out, err);
		if (r < 0) {
			*err = why;
			result = r;
		}
		if (list)
			pmg_json_add(list,
				     feed_json(work, work->feeds[i], &report, r < 0 ? &why : NULL));
		pmg_json_free(work->report);
		work->report = NULL;
	}
	return result;
}

/* Those that are named, in the order of the configuration; without a name all. */
static int choose(const struct pmg_call *call, struct work *work, struct pmg_err *err)
{
	size_t n, i;
	const struct pmg_config_feed *feeds = pmg_config_feeds(&work->settings.config.intel, &n);
	int k;

	for (i = 0; call->n_operands == 0 && i < n; i++)
		work->feeds[work->n_feeds++] = &feeds[i];
	for (k = 0; k < call->n_operands; k++) {
		for (i = 0; i < n && strcmp(feeds[i].name, call->operands[k]) != 0; i++)
			;
		if (i == n || work->n_feeds == n) {
			pmg_autofree char *shown = pmg_out_quote(call->operands[k]);

			(void)pmg_err_set(err, PMG_E_USAGE, 0, "there is no feed \"%s\"", shown);
			return pmg_err_hint(err, "\"pmg intel status\" and intel.feeds in "
						 "config.yml say which there are");
		}
		work->feeds[work->n_feeds++] = &feeds[i];
	}
	return 0;
}

/* It comes in place of the whole index: what others bring would be gone each time. */
static int check_alone(const struct work *work, struct pmg_err *err)
{
	size_t n, i;
	const struct pmg_config_feed *feeds = pmg_config_feeds(&work->settings.config.intel, &n);

	for (i = 0; i < n; i++)
		if (n > 1 && feeds[i].format == PMG_FEED_PMG_INDEX) {
			(void)pmg_err_set(
				err, PMG_E_CONFIG, 0,
				"%s:%u: feed \"%s\" is a whole index (pmg-index), and there "
				"are others beside it",
				feeds[i].file ? feeds[i].file : work->settings.config.path,
				feeds[i].line, feeds[i].name);
			return pmg_err_hint(err, "let who signs it take the others in");
		}
	return 0;
}

static int find_old(const struct work *work, struct pmg_strv *old, struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	pmg_auto(index_feeds) struct pmg_index_feeds feeds = { 0 };
	int r = pmg_index_open(work->place.index, &index, err);

	if (r == 0)
		r = pmg_index_feeds(index, &feeds, err);
	if (r == 0)
		pmg_known_old_feeds(&feeds, pmg_clock_now(), old);
	return r;
}

static int say_index(const struct work *work, struct json_t *json, struct pmg_err *err)
{
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	pmg_auto(strv) struct pmg_strv old = { 0 };
	struct pmg_index_info info = { 0 };
	struct json_t *index;
	int r = pmg_judge_open(work->place.index, work->place.blocklist, &judge, err);

	if (r < 0)
		return r;
	pmg_judge_info(judge, &info);
	r = info.present ? find_old(work, &old, err) : 0;
	if (r < 0)
		return r;
	if (json) {
		index = pmg_intel_state_json(&work->settings, &info);
		pmg_json_set(index, "warnings", pmg_json_strv(&old));
		pmg_json_set(json, "index", index);
		return 0;
	}
	pmg_intel_say_old(work->out, &old);
	if (info.present)
		(void)fprintf(work->out->to,
			      "in the index now: %" PRIu64 " record%s, %" PRIu64 " package%s\n",
			      info.records, pmg_out_plural(info.records), info.packages,
			      pmg_out_plural(info.packages));
	return 0;
}

static int run(struct work *work, const struct pmg_update *update, bool as_json,
	       struct pmg_err *err)
{
	pmg_auto(json) struct json_t *json = as_json ? pmg_json_object() : NULL;
	struct json_t *list = as_json ? pmg_json_array() : NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	int result = each_feed(work, update, list, err), r;

	if (json)
		pmg_json_set(json, "feeds", list);
	r = say_index(work, json, result < 0 ? &scratch : err);
	if (json)
		pmg_out_json(work->out, json);
	return result < 0 ? result : r;
}

/* What is wanted, where it lies, and what it is fetched with. */
static int prepare(const struct pmg_call *call, struct work *work, struct pmg_err *err)
{
	int r = pmg_intel_place_find(&work->place, err);

	if (r == 0)
		r = pmg_intel_settings_load(&work->settings, err);
	if (r == 0)
		r = check_alone(work, err);
	if (r == 0)
		r = choose(call, work, err);
	if (r == 0)
		r = pmg_dirs_make(work->place.state, err);
	return r < 0 ? r : reach_out(work, err);
}

int pmg_cmd_intel_update(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_update_opts *opts = call->opts;
	const struct pmg_cmd_settings *settings = call->settings;
	pmg_auto(work) struct work work = { .out = call->out,
					    .bar = !settings->quiet && isatty(STDERR_FILENO) };
	pmg_autofree char *folder = NULL;
	pmg_autofd int lock = -1;
	struct pmg_update update = { .now = pmg_clock_now(),
				     .built_as = pmg_intel_date(),
				     .full = opts->full,
				     .accept = opts->accept,
				     .import = import,
				     .progress = progress,
				     .arg = &work };
	int r = prepare(call, &work, err);

	if (r < 0)
		return r;
	folder = pmg_fetched_folder(work.place.index);
	update.index = work.place.index;
	update.folder = folder;
	update.fetch = work.fetch;
	r = pmg_dirs_make(folder, err);
	if (r == 0)
		r = pmg_lock_take(folder, PMG_LOCK_MS, &lock, err);
	return r < 0 ? r : run(&work, &update, opts->json, err);
}
