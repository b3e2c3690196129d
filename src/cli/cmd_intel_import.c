#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "cli/cmd_intel.h"
#include "conf/dirs.h"
#include "verdict/import.h"
#include "verdict/signed.h"

#define LINES_SHOWN 50U

/* The clock, or what stands in its place where builds are to be repeated
   (https://reproducible-builds.org/specs/source-date-epoch/). */
int64_t pmg_intel_date(void)
{
	const char *text = getenv("SOURCE_DATE_EPOCH");
	uint64_t when;

	if (text && pmg_parse_uint(text, INT32_MAX * 2ULL, &when) == 0)
		return (int64_t)when;
	return pmg_clock_now();
}

static struct json_t *lines_json(const struct pmg_import_list *list)
{
	struct json_t *array = pmg_json_array(), *line;
	size_t i;

	for (i = 0; i < list->n; i++) {
		line = pmg_json_object();
		pmg_json_set_str(line, "path", list->v[i].path);
		pmg_json_set_str(line, "reason", list->v[i].text);
		pmg_json_add(array, line);
	}
	return array;
}

struct json_t *pmg_intel_report_json(const char *feed, int64_t now,
				     const struct pmg_import_report *r)
{
	struct json_t *json = pmg_json_object();
	struct json_t *index = pmg_intel_index_json(now, r->result.total);
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {
		{ "read", r->read },
		{ "records", r->result.records },
		{ "withdrawn", r->result.withdrawn },
		{ "duplicates", r->result.duplicates },
		{ "not_malware", r->not_malware },
		{ "tests", r->tests },
		{ "other_ecosystems", r->other_ecosystems },
		{ "other_files", r->other_files },
		{ "unread", r->unread },
	};
	size_t i;

	pmg_json_set_str(json, "feed", feed);
	for (i = 0; i < PMG_ARRAY_LEN(counts); i++)
		pmg_json_set_count(json, counts[i].key, counts[i].n);
	pmg_json_set(json, "accepted", pmg_json_strv(&r->suspect));
	pmg_json_set(json, "faults", lines_json(&r->faults));
	pmg_json_set(json, "notes", lines_json(&r->notes));
	pmg_json_set_count(index, "packages", r->result.packages);
	pmg_json_set(json, "index", index);
	return json;
}

static void print_index(const struct pmg_out *out, const char *from, const struct json_t *report)
{
	const struct json_t *index = pmg_json_get(report, "index");
	const int64_t total = pmg_json_int(index, "records");
	const int64_t packages = pmg_json_int(index, "packages");
	pmg_autofree char *safe = pmg_out_quote(from);

	(void)fprintf(out->to,
		      "%s; in the index now: %" PRId64 " record%s, %" PRId64 " package%s\n", safe,
		      total, pmg_out_plural((uint64_t)total), packages,
		      pmg_out_plural((uint64_t)packages));
}

static void print_text(const struct pmg_out *out, const char *feed, const struct json_t *report)
{
	const int64_t records = pmg_json_int(report, "records");
	pmg_autofree char *taken = pmg_xasprintf("%s: %" PRId64 " record%s", feed, records,
						 pmg_out_plural((uint64_t)records));

	print_index(out, taken, report);
}

static void note_lines(const struct pmg_out *out, const struct json_t *lines, int64_t all)
{
	int64_t i, n = (int64_t)pmg_json_len(lines);

	for (i = 0; i < n && i < LINES_SHOWN; i++) {
		const struct json_t *line = pmg_json_at(lines, (size_t)i);
		pmg_autofree char *path = pmg_out_quote(pmg_json_str(line, "path"));
		pmg_autofree char *text = pmg_out_quote(pmg_json_str(line, "reason"));

		pmg_out_note(out, "  %s: %s", path, text);
	}
	if (all > i)
		pmg_out_note(out, "  and %" PRId64 " more, see --json", all - i);
}

/* What a reader would otherwise take to be in the index. */
static void note_rest(const struct pmg_out *out, const struct json_t *report)
{
	static const struct {
		const char *key, *one, *many;
	} rest[] = {
		{ "withdrawn", "withdrawn record is passed over",
		  "withdrawn records are passed over" },
		{ "duplicates", "record gave way to a later one with its id",
		  "records gave way to later ones with their ids" },
		{ "not_malware", "record is an ordinary vulnerability, not malware",
		  "records are ordinary vulnerabilities, not malware" },
		{ "tests", "record is a test of the feed (MAL-0000-)",
		  "records are tests of the feed (MAL-0000-)" },
		{ "other_ecosystems", "entry is of another ecosystem than npm and PyPI",
		  "entries are of other ecosystems than npm and PyPI" },
		{ "other_files", "file is no record (not named *.json)",
		  "files are no records (not named *.json)" },
	};
	int64_t n;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rest); i++) {
		n = pmg_json_int(report, rest[i].key);
		if (n > 0)
			pmg_out_note(out, "%" PRId64 " %s", n, n == 1 ? rest[i].one : rest[i].many);
	}
}

static void note_faults(const struct pmg_out *out, const struct json_t *report)
{
	const struct json_t *notes = pmg_json_get(report, "notes");
	const int64_t unread = pmg_json_int(report, "unread");
	const int64_t noted = (int64_t)pmg_json_len(notes);

	if (unread > 0) {
		pmg_out_note(out, "%s%" PRId64 " file%s could not be read:%s",
			     pmg_out_on(out->messages_color, PMG_STYLE_WARN), unread,
			     pmg_out_plural((uint64_t)unread), pmg_out_off(out->messages_color));
		note_lines(out, pmg_json_get(report, "faults"), unread);
	}
	if (noted > 0) {
		pmg_out_note(out, "%" PRId64 " %s:", noted,
			     noted == 1 ? "record was not taken as it is written"
					: "records were not taken as they are written");
		note_lines(out, notes, noted);
	}
}

static void note_suspect(const struct pmg_out *out, const struct json_t *report)
{
	const struct json_t *accepted = pmg_json_get(report, "accepted");
	size_t i;

	for (i = 0; i < pmg_json_len(accepted); i++) {
		pmg_autofree char *line = pmg_out_quote(pmg_json_text(pmg_json_at(accepted, i)));

		pmg_out_note(out, "%saccepted, though%s %s",
			     pmg_out_on(out->messages_color, PMG_STYLE_WARN),
			     pmg_out_off(out->messages_color), line);
	}
}

/* Said even with -q: a feed that holds nothing protects from nothing. */
static void note_empty(const struct pmg_out *out, const char *feed, const struct json_t *report)
{
	if (pmg_json_int(report, "records") == 0)
		pmg_out_note(out, "%s%s: 0 records%s",
			     pmg_out_on(out->messages_color, PMG_STYLE_WARN), feed,
			     pmg_out_off(out->messages_color));
}

static int feed_name(const struct pmg_intel_import_opts *opts, const char *path, char **out,
		     struct pmg_err *err)
{
	pmg_autofree char *name = opts->name ? pmg_xstrdup(opts->name) : pmg_import_name(path);

	if (name && pmg_feed_name_is_valid(name)) {
		*out = pmg_steal_ptr(&name);
		return 0;
	}
	if (opts->name) {
		pmg_autofree char *shown = pmg_out_quote(opts->name);

		(void)pmg_err_set(err, PMG_E_USAGE, 0, "\"%s\" cannot be the name of a feed",
				  shown);
	} else {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "the feed needs a name: --name FEED");
	}
	return pmg_err_hint(err,
			    "a feed's name: letters, digits and -_. , a letter or digit first, "
			    "at most %u in all",
			    PMG_FEED_NAME_MAX);
}

static int take(struct pmg_import_want *want, struct json_t **report, struct pmg_err *err)
{
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	int r = pmg_intel_place_find(&place, err);

	if (r == 0)
		r = pmg_dirs_make(place.state, err);
	want->index = place.index;
	return r < 0 ? r : pmg_intel_import_apart(want, report, err);
}

/* Nobody vouches for it, and what else the present one knows is gone with it. */
static int import_whole(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_import_opts *opts = call->opts;
	pmg_auto(json) struct json_t *report = NULL;
	struct pmg_import_want want = { .path = call->operands[0], .is_index = true };
	int r;

	if (opts->name || opts->ecosystem)
		return pmg_err_set(err, PMG_E_USAGE, 0,
				   "--name and --ecosystem are for feeds, not for an index");
	if (!opts->accept) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s: an index that nobody has signed",
				  want.path);
		return pmg_err_hint(err,
				    "it comes in place of the whole index; --accept takes it, if "
				    "you know where it is from");
	}
	r = take(&want, &report, err);
	if (r < 0)
		return r;
	if (opts->json)
		pmg_out_json(call->out, report);
	else
		print_index(call->out, want.path, report);
	return 0;
}

int pmg_cmd_intel_import(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_import_opts *opts = call->opts;
	const struct pmg_cmd_settings *settings = call->settings;
	pmg_auto(json) struct json_t *report = NULL;
	pmg_autofree char *feed = NULL;
	struct pmg_import_want want = { .path = call->operands[0],
					.now = pmg_intel_date(),
					.typed = true };
	enum pmg_eco eco;
	int r;

	if (opts->remove)
		return pmg_intel_import_remove(call, err);
	if (opts->manifest)
		return pmg_intel_import_signed(call, err);
	if (opts->pubkeys.n > 0)
		return pmg_err_set(err, PMG_E_USAGE, 0, "--pubkey is for --manifest");
	if (call->n_operands == 0)
		return pmg_err_set(err, PMG_E_USAGE, 0, "which feed? Give its PATH");
	if (pmg_signed_is_index(want.path))
		return import_whole(call, err);
	r = feed_name(opts, want.path, &feed, err);
	if (r == 0 && opts->ecosystem) {
		want.eco = &eco;
		r = pmg_eco_parse(opts->ecosystem, &eco, err) < 0 ? pmg_err_as(err, PMG_E_USAGE)
								  : 0;
	}
	want.feed = feed;
	want.accept = opts->accept;
	if (r == 0)
		r = take(&want, &report, err);
	if (r < 0)
		return r;
	if (opts->json)
		pmg_out_json(call->out, report);
	else
		print_text(call->out, feed, report);
	note_suspect(call->out, report);
	note_empty(call->out, feed, report);
	if (!settings->quiet && !opts->json)
		note_rest(call->out, report);
	note_faults(call->out, report);
	return 0;
}
