#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "cli/cmd_intel.h"
#include "pm/version.h"
#include "verdict/judge.h"
#include "verdict/known.h"

#define LINE_MAX_BYTES 8192

struct question {
	enum pmg_eco eco;
	const char *name, *version; /* version NULL: unknown */
};

/* Whom a command asks, and what it says of the index. */
struct asking {
	struct pmg_judge *judge;
	struct pmg_intel_settings settings;
	struct pmg_index_info info;
	const char *index, *blocklist; /* paths */
};

static void asking_done(struct asking *asking)
{
	pmg_judge_close(asking->judge);
	pmg_intel_settings_done(&asking->settings);
}
PMG_DEFINE_AUTO_DONE(asking, struct asking, asking_done);

/* Without a version only what counts for all versions is the answer; that there is more of single
 * ones must not go unsaid. Their ids, each once. */
static int find_single(const struct asking *asking, const struct question *q,
		       const struct pmg_judgement *j, struct pmg_strv *out, struct pmg_err *err)
{
	pmg_auto(known) struct pmg_known known = { 0 };
	pmg_autofree char *name = NULL;
	size_t i, indexed;
	int r;

	if (q->version)
		return 0;
	name = pmg_name_canonical(q->eco, q->name);
	if (!name)
		return 0;
	r = asking->info.present ? pmg_known_load(asking->index, q->eco, name, &known, err) : 0;
	indexed = known.n;
	if (r == 0)
		r = pmg_intel_add_listed(&known, asking->blocklist, q->eco, name, err);
	for (i = 0; r == 0 && i < known.n; i++)
		if (!pmg_strv_has(&j->ids, known.v[i].id) &&
		    (i < indexed || known.v[i].version[0])) /* what blocks all is the answer */
			(void)pmg_strv_add_once(out, known.v[i].id);
	return r;
}

static void print_json(const struct pmg_out *out, const struct question *q,
		       const struct pmg_judgement *j, const struct pmg_strv *single,
		       const struct asking *asking)
{
	pmg_auto(json) struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "ecosystem", pmg_eco_name(q->eco));
	pmg_json_set_str(json, "name", q->name);
	pmg_json_set_str(json, "version", q->version);
	pmg_json_set_str(json, "verdict", pmg_verdict_name(j->verdict));
	pmg_json_set(json, "ids", pmg_json_strv(&j->ids));
	pmg_json_set(json, "source", pmg_json_strv(&j->sources));
	if (j->verdict != PMG_VERDICT_ALLOW)
		pmg_json_set_str(json, "reason", pmg_reason_text(j->reason));
	pmg_json_set_str(json, "note", j->note);
	if (j->waivers.n > 0)
		pmg_json_set(json, "waivers", pmg_json_strv(&j->waivers));
	if (single->n > 0)
		pmg_json_set(json, "single_versions", pmg_json_strv(single));
	pmg_json_set(json, "index", pmg_intel_state_json(&asking->settings, &asking->info));
	pmg_out_json(out, json);
	(void)fflush(out->to); /* who asks line by line waits for it; pmg_out_finish() checks */
}

/* Of one that is let in as well. */
static const char *why(const struct pmg_judgement *j, bool has_single)
{
	if (j->reason != PMG_REASON_NONE)
		return pmg_reason_text(j->reason);
	if (j->ids.n > 0)
		return "though on record";
	return has_single ? "nothing known against all of its versions"
			  : pmg_reason_text(j->reason);
}

static void print_text(const struct pmg_out *out, const struct question *q,
		       const struct pmg_judgement *j, const struct pmg_strv *single)
{
	pmg_autofree char *name = pmg_out_quote(q->name);
	pmg_autofree char *version = pmg_out_quote(q->version);
	pmg_autofree char *note = pmg_out_quote(j->note);
	size_t i;

	(void)fprintf(out->to, "%s %s%s%s: %s%s%s, %s", pmg_eco_name(q->eco), name,
		      q->version ? "@" : "", version,
		      pmg_out_on(out->to_color,
				 j->verdict == PMG_VERDICT_ALLOW ? PMG_STYLE_DIM : PMG_STYLE_BAD),
		      pmg_verdict_name(j->verdict), pmg_out_off(out->to_color),
		      why(j, single->n > 0));
	for (i = 0; i < j->ids.n; i++) {
		pmg_autofree char *id = pmg_out_quote(j->ids.v[i]);

		(void)fprintf(out->to, "%s%s", i ? ", " : ": ", id);
	}
	(void)fprintf(out->to, "%s%s\n", j->note ? ": " : "", note);
	for (i = 0; i < j->waivers.n; i++) {
		pmg_autofree char *waiver = pmg_out_quote(j->waivers.v[i]);

		(void)fprintf(out->to, "  %s\n", waiver);
	}
	if (single->n > 0) {
		pmg_autofree char *joined = pmg_strv_join(single, ", ", PMG_OUT_TEXT_MAX);
		pmg_autofree char *ids = pmg_out_quote(joined);

		(void)fprintf(out->to, "  single versions are known to be bad: %s\n", ids);
	}
}

static int answer(const struct asking *asking, const struct pmg_out *out, const struct question *q,
		  bool as_json, struct pmg_err *err)
{
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	pmg_auto(strv) struct pmg_strv single = { 0 };
	int r = pmg_judge_ask(asking->judge, q->eco, q->name, q->version, &j, err);

	if (r == 0)
		r = find_single(asking, q, &j, &single, err);
	if (r < 0)
		return r;
	if (as_json)
		print_json(out, q, &j, &single, asking);
	else
		print_text(out, q, &j, &single);
	return 0;
}

/* Nothing is known of a range: "allow" would say that all of it is fine. */
static int check_version(const struct question *q, struct pmg_err *err)
{
	pmg_autofree char *shown = pmg_out_quote(q->version);

	if (!q->version || !pmg_version_is_range(q->eco, q->version))
		return 0;
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "\"%s\" is not one exact %s version", shown,
			  pmg_eco_name(q->eco));
	return pmg_err_hint(err,
			    "ask for one exact version, or for none: \"pmg intel report\" says "
			    "what is known of each");
}

/* "ecosystem TAB name TAB version"; columns behind are not looked at. */
static int read_line(char *line, struct question *q, struct pmg_err *err)
{
	const char *eco = strsep(&line, "\t");

	q->name = strsep(&line, "\t");
	q->version = line ? strsep(&line, "\t") : NULL;
	if (!q->name)
		return pmg_err_set(err, PMG_E_PARSE, 0, "no tab between ecosystem and name");
	return pmg_eco_parse(eco, &q->eco, err);
}

/* Empty lines, and those that begin with "#", are for people. */
static int answer_lines(const struct asking *asking, const struct pmg_out *out, struct pmg_err *err)
{
	char line[LINE_MAX_BYTES];
	size_t number = 0, len;
	struct question q;
	int r = 0;

	while (r == 0 && fgets(line, sizeof line, stdin)) {
		number++;
		len = strlen(line);
		if (len == sizeof line - 1 && line[len - 1] != '\n')
			r = pmg_err_set(err, PMG_E_USAGE, 0, "longer than %d bytes",
					LINE_MAX_BYTES - 2);
		line[strcspn(line, "\r\n")] = '\0';
		if (r < 0 || *line == '\0' || *line == '#')
			continue;
		/* What was piped in is wrong, not a file of ours. */
		r = read_line(line, &q, err) < 0 ? pmg_err_as(err, PMG_E_USAGE) : 0;
		/* What is read loosely elsewhere ("1.0" of npm) is what some list calls a version.
		 */
		if (r == 0 && q.version && !pmg_version_is_valid(q.eco, q.version))
			r = check_version(&q, err);
		if (r == 0)
			r = answer(asking, out, &q, true, err);
	}
	if (r < 0)
		return pmg_err_wrap(err, "line %zu", number);
	if (ferror(stdin))
		return pmg_err_set(err, PMG_E_SYS, errno, "read standard input");
	return 0;
}

static int usage(struct pmg_err *err, const char *what)
{
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s", what);
	return pmg_err_hint(err, "a package URL, or --ecosystem and --name, or --stdin");
}

static int answer_one(const struct asking *asking, const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_query_opts *opts = call->opts;
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	struct question q = { 0 };
	int r;

	if (call->n_operands > 0) {
		r = pmg_intel_purl(call->operands[0], &purl, err);
		q = (struct question){ purl.eco, purl.name, purl.version };
	} else {
		r = pmg_eco_parse(opts->ecosystem, &q.eco, err);
		if (r < 0)
			r = pmg_err_as(err, PMG_E_USAGE);
		q.name = opts->name;
		q.version = opts->version;
	}
	if (r == 0)
		r = check_version(&q, err);
	return r < 0 ? r : answer(asking, call->out, &q, opts->json, err);
}

/* Exactly one of the three ways to ask. */
static int check_options(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_query_opts *opts = call->opts;
	bool by_options = opts->ecosystem || opts->name || opts->version;

	if (by_options + opts->from_stdin + (call->n_operands > 0) > 1)
		return usage(err, "too many questions at once");
	if (by_options && (!opts->ecosystem || !opts->name))
		return usage(err, "--ecosystem and --name go together");
	if (!by_options && !opts->from_stdin && call->n_operands == 0)
		return usage(err, "which package?");
	return 0;
}

int pmg_cmd_intel_query(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_query_opts *opts = call->opts;
	const struct pmg_cmd_settings *settings = call->settings;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(asking) struct asking asking = { 0 };
	int r = check_options(call, err);

	if (r == 0)
		r = pmg_intel_place_find(&place, err);
	if (r == 0)
		r = pmg_intel_settings_load(&asking.settings, err);
	if (r == 0)
		r = pmg_intel_open_judge(&place, &asking.settings, &asking.judge, err);
	if (r < 0)
		return r;
	asking.index = place.index;
	asking.blocklist = place.blocklist;
	pmg_judge_info(asking.judge, &asking.info);
	if (!settings->quiet) /* once, whatever the number of questions */
		pmg_intel_note_state(call->out, &asking.settings, &asking.info);
	return opts->from_stdin ? answer_lines(&asking, call->out, err)
				: answer_one(&asking, call, err);
}
