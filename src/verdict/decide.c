#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "pm/version.h"
#include "verdict/judge_priv.h"
#include "verdict/supplement.h"

#define IDS_SHOWN 3U
/* Of texts of the configuration in a line for people, which may be long and is sent on. */
#define PURL_SHOWN   160U
#define PLACE_SHOWN  160U
#define REASON_SHOWN 240U
#define NOTE_MAX     800U  /* then no more is added to a note */
#define NOTES_MAX    1024U /* bytes of what lists say, together */

/* A question on its way through what is asked one after the other. */
struct work {
	struct pmg_judge *judge;
	const struct pmg_question *asked;
	struct pmg_index_question q; /* canonical */
	struct pmg_judgement *out;
};

/* No package has such a name; who asks for it is up to something, or is broken. */
static bool is_askable(const char *name, const char *version)
{
	const char *c;

	if (*name == '\0' || strnlen(name, PMG_NAME_MAX + 1) > PMG_NAME_MAX)
		return false;
	if (version && strnlen(version, PMG_VERSION_MAX + 1) > PMG_VERSION_MAX)
		return false;
	for (c = name; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return false;
	return true;
}

static const struct pmg_packages *policy_of(const struct work *work)
{
	return pmg_waivers_policy(work->judge->waivers);
}

static void refuse(struct work *work, enum pmg_reason reason)
{
	work->out->verdict =
		reason == PMG_REASON_INDETERMINATE ? PMG_VERDICT_INDETERMINATE : PMG_VERDICT_BLOCK;
	work->out->reason = reason;
}

static struct pmg_waived find(const struct work *work, enum pmg_waiver_list list, const char *id,
			      bool wait)
{
	return pmg_waivers_find(work->judge->waivers, list, work->q.eco, work->q.name,
				work->q.version, id, wait);
}

/* "known malware (MAL-1, MAL-2 and 3 more)" */
static char *what_is_waived(const struct pmg_judgement *out)
{
	struct pmg_str text = PMG_STR_INIT(SIZE_MAX / 2);
	bool by_record = out->reason != PMG_REASON_TOO_YOUNG;
	size_t i, n = by_record ? out->ids.n : 0;

	(void)!pmg_str_adds(&text, pmg_reason_text(out->reason));
	for (i = 0; i < n && i < IDS_SHOWN; i++)
		(void)!pmg_str_addf(&text, "%s%s", i == 0 ? " (" : ", ", out->ids.v[i]);
	if (n > IDS_SHOWN)
		(void)!pmg_str_addf(&text, " and %zu more", n - IDS_SHOWN);
	(void)!pmg_str_adds(&text, n > 0 ? ")" : "");
	return pmg_str_steal(&text);
}

/* What would have refused it is kept, and what let it in. */
static void let_in(struct work *work, const char *by)
{
	pmg_autofree char *what = what_is_waived(work->out);

	pmg_strv_addf(&work->out->waivers, "%s, waived by %s", what, by);
	work->out->verdict = PMG_VERDICT_ALLOW;
	work->out->reason = PMG_REASON_NONE;
}

static char *shown(const char *text, size_t max)
{
	return pmg_str_quote(text, strlen(text), max);
}

/* "trusted_packages pkg:npm/x (/home/u/.config/pmg/config.yml:3)" */
static char *entry_name(const char *list, const struct pmg_packages_entry *entry)
{
	pmg_autofree char *purl = shown(entry->purl, PURL_SHOWN);
	pmg_autofree char *where = shown(entry->where, PLACE_SHOWN);

	return pmg_xasprintf("%s %s (%s)", list, purl, where);
}

static char *entry_text(const char *list, const struct pmg_packages_entry *entry)
{
	pmg_autofree char *name = entry_name(list, entry);
	pmg_autofree char *reason = shown(entry->reason ? entry->reason : "", REASON_SHOWN);

	return pmg_xasprintf("%s%s%s", name, *reason ? ": " : "", reason);
}

static const struct {
	enum pmg_waiver_list list;
	const char *key;
} waiver_lists[] = {
	{ PMG_WAIVER_TRUSTED, "trusted_packages" },
	{ PMG_WAIVER_SKIP, "dependency_cooldown.skip" },
};

/* An entry that has run out is named where it would have helped: else nobody knows why something
 * that was let in yesterday is not today. */
static void note_expired(struct work *work, const char *key, const struct pmg_packages_entry *entry)
{
	pmg_autofree char *name = entry_name(key, entry);
	pmg_autofree char *before = NULL;
	char date[PMG_RFC3339_LEN];

	if (work->out->note && strlen(work->out->note) + strlen(name) > NOTE_MAX)
		return;
	before = work->out->note;
	pmg_clock_format(entry->expires, date);
	work->out->note = pmg_xasprintf("%s%s%s expired on %.10s", before ? before : "",
					before ? "; " : "", name, date);
}

/* @param wait  it is the wait that is to be waived; else a record */
static void ask_waivers(struct work *work, bool wait)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(waiver_lists); i++) {
		const char *key = waiver_lists[i].key;
		struct pmg_waived waived;

		if (!wait && waiver_lists[i].list == PMG_WAIVER_SKIP)
			continue;
		waived = find(work, waiver_lists[i].list, NULL, wait);
		if (waived.entry) {
			pmg_autofree char *by = entry_text(key, waived.entry);

			let_in(work, by);
			return;
		}
		if (waived.expired)
			note_expired(work, key, waived.expired);
	}
}

static void ask_blocklists(struct work *work)
{
	const struct {
		const struct pmg_blocklist *list;
		enum pmg_reason reason;
		const char *source;
	} rows[] = {
		{ &work->judge->managed, PMG_REASON_MANAGED, "managed" },
		{ &work->judge->blocklist, PMG_REASON_BLOCKLIST, "blocklist" },
	};
	struct pmg_judgement *out = work->out;
	const struct pmg_block *block = NULL;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows) && !block; i++) {
		block = pmg_blocklist_find(rows[i].list, work->q.eco, work->q.name,
					   work->q.version);
		if (!block)
			continue;
		refuse(work, rows[i].reason);
		pmg_strv_add(&out->sources, rows[i].source);
		out->rule = pmg_xstrdup(block->text);
		out->note = block->reason ? pmg_xstrdup(block->reason) : NULL;
	}
}

/* Takes out the ids that overrides are for, unless there are no others. @return are there? */
static bool drop_overridden(struct work *work, struct pmg_index_answer *answer)
{
	struct pmg_strv left = { 0 };
	size_t i;

	for (i = 0; i < answer->ids.n; i++) {
		const char *id = answer->ids.v[i];
		struct pmg_waived waived = find(work, PMG_WAIVER_OVERRIDES, id, false);

		if (waived.entry) {
			pmg_autofree char *by = entry_text("intel.overrides", waived.entry);

			pmg_strv_addf(&work->out->waivers, "%s, waived by %s", id, by);
			continue;
		}
		if (waived.expired)
			note_expired(work, "intel.overrides", waived.expired);
		pmg_strv_add(&left, id);
	}
	if (left.n == 0)
		return false;
	pmg_strv_done(&answer->ids);
	answer->ids = left;
	return true;
}

static void take_ids(struct pmg_judgement *out, struct pmg_index_answer *answer)
{
	pmg_strv_done(&out->ids);
	pmg_strv_done(&out->sources);
	out->ids = answer->ids;
	out->sources = answer->sources;
	answer->ids = answer->sources = (struct pmg_strv){ 0 };
}

static void take_answer(struct work *work, struct pmg_index_answer *answer, enum pmg_reason hit)
{
	if (answer->hit == PMG_INDEX_MISS)
		return;
	/* An override names one version and one record: it says nothing of what cannot be read. */
	if (answer->hit == PMG_INDEX_HIT && !drop_overridden(work, answer)) {
		take_ids(work->out, answer);
		return;
	}
	refuse(work, answer->hit == PMG_INDEX_HIT ? hit : PMG_REASON_INDETERMINATE);
	take_ids(work->out, answer);
	if (answer->notes.n > 0 && !work->out->note)
		work->out->note = pmg_strv_join(&answer->notes, "; ", NOTES_MAX);
}

static int ask_digests(struct work *work, struct pmg_err *err)
{
	const struct {
		enum pmg_digest_alg alg;
		const unsigned char *bytes;
	} rows[] = {
		{ PMG_DIGEST_SHA512, work->asked->sha512 },
		{ PMG_DIGEST_SHA256, work->asked->sha256 },
	};
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && work->out->verdict == PMG_VERDICT_ALLOW && i < PMG_ARRAY_LEN(rows);
	     i++) {
		pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };

		if (!rows[i].bytes)
			continue;
		r = pmg_index_find_digest(work->judge->index, rows[i].alg, rows[i].bytes,
					  pmg_digest_len(rows[i].alg), &answer, err);
		if (r == 0)
			take_answer(work, &answer, PMG_REASON_HASH);
	}
	return r;
}

static void ask_any_version(struct work *work)
{
	struct pmg_judgement *out = work->out;

	if (!work->asked->any_version || work->q.readable || out->verdict != PMG_VERDICT_ALLOW ||
	    out->waivers.n > 0)
		return;
	if (!pmg_judge_knows(work->judge, work->q.eco, work->asked->name))
		return;
	refuse(work, PMG_REASON_INDETERMINATE);
	if (!out->note)
		out->note = pmg_xstrdup("single versions of that name are on record");
}

static int ask_name(struct work *work, struct pmg_err *err)
{
	pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
	int r = 0;

	if (work->judge->index)
		r = pmg_index_find(work->judge->index, &work->q, &answer, err);
	if (r < 0)
		return r;
	(void)pmg_supplement_find(work->q.eco, work->q.name, work->q.version, &answer);
	take_answer(work, &answer, PMG_REASON_MALWARE);
	ask_any_version(work);
	if (work->out->verdict != PMG_VERDICT_ALLOW && work->asked->origin == PMG_PLACE_PRIVATE &&
	    policy_of(work)->private_origin == PMG_PRIVATE_WARN)
		let_in(work, "intel.private_origin: its registry is a private one, and the record "
			     "is about the public package of that name");
	return 0;
}

static int ask_index(struct work *work, struct pmg_err *err)
{
	int r = work->judge->index ? ask_digests(work, err) : 0;

	if (r == 0 && work->out->verdict == PMG_VERDICT_ALLOW)
		r = ask_name(work, err);
	if (r == 0 && work->out->verdict != PMG_VERDICT_ALLOW)
		ask_waivers(work, false);
	return r;
}

static bool has_date(const struct work *work)
{
	return work->asked->published > 0;
}

/* A refusal for its age: records that were waived do not belong to it. */
static void refuse_age(struct work *work, const char *rule, char *note)
{
	struct pmg_judgement *out = work->out;

	refuse(work, PMG_REASON_TOO_YOUNG);
	pmg_strv_done(&out->ids);
	pmg_strv_done(&out->sources);
	free(out->age_rule);
	out->age_rule = pmg_xstrdup(rule);
	free(out->note);
	out->note = note;
}

static char *undated_note(void)
{
	return pmg_xstrdup("its registry does not say when it was published");
}

/* With --as-of what came later does not exist, and nothing waives that. */
static void ask_as_of(struct work *work)
{
	const struct pmg_packages *policy = policy_of(work);

	if (!policy->as_of || work->asked->published == PMG_DATE_UNASKED)
		return;
	if (has_date(work) && work->asked->published > policy->now)
		refuse_age(work, PMG_AGE_RULE_AS_OF,
			   pmg_xstrdup("it was published after the day of --as-of"));
	else if (!has_date(work) && policy->undated == PMG_UNDATED_BLOCK)
		refuse_age(work, PMG_AGE_RULE_AS_OF, undated_note());
}

/* @return is it old enough, or could it not be told? */
static bool is_old_enough(struct work *work)
{
	struct pmg_judgement *out = work->out;
	int64_t now = policy_of(work)->now, published = work->asked->published;

	if (out->min_age_s == 0)
		return true;
	if (!has_date(work))
		return false;
	out->age_s = published < now ? now - published : 0;
	if (published <= now && (uint64_t)(now - published) >= out->min_age_s)
		return true;
	if (__builtin_add_overflow(published, (int64_t)out->min_age_s, &out->eligible_at))
		out->eligible_at = 0;
	return false;
}

/* Until when it is to wait; how old it is and has to be says pmg_judgement_text(). */
static char *young_note(const struct work *work)
{
	char day[PMG_RFC3339_LEN];

	if (!has_date(work))
		return undated_note();
	if (work->asked->published > policy_of(work)->now)
		return pmg_xstrdup("its registry says that it is yet to be published");
	pmg_clock_format(work->out->eligible_at, day);
	return pmg_xasprintf("old enough on %s", day);
}

/* Is it what ends a known vulnerability? Then to wait would be to stay vulnerable. */
static int ask_fixes(struct work *work, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv ids = { 0 };
	pmg_autofree char *all = NULL;
	pmg_autofree char *by = NULL;
	int r;

	if (policy_of(work)->fixes != PMG_FIXES_PASS || !work->judge->index || !work->q.readable ||
	    !has_date(work) || work->asked->published > policy_of(work)->now)
		return 0;
	r = pmg_index_find_fixes(work->judge->index, work->q.eco, work->q.name, work->q.version,
				 &ids, err);
	if (r < 0 || ids.n == 0)
		return r;
	all = pmg_strv_join(&ids, ", ", NOTES_MAX);
	by = pmg_xasprintf("dependency_cooldown.security_fixes: it ends %s", all);
	let_in(work, by);
	return 0;
}

static int ask_age(struct work *work, struct pmg_err *err)
{
	const struct pmg_packages *policy = policy_of(work);
	struct pmg_judgement *out = work->out;
	const char *rule;

	if (!policy->enabled || work->asked->published == PMG_DATE_UNASKED)
		return 0;
	out->min_age_s =
		pmg_waivers_min_age(work->judge->waivers, work->q.eco, work->q.name, &rule);
	free(out->age_rule);
	out->age_rule = pmg_xstrdup(rule);
	if (is_old_enough(work))
		return 0;
	refuse_age(work, rule, young_note(work));
	if (!has_date(work) && policy->undated == PMG_UNDATED_WARN)
		let_in(work, "dependency_cooldown.undated: its registry does not say when it was "
			     "published");
	if (out->verdict != PMG_VERDICT_ALLOW)
		ask_waivers(work, true);
	return out->verdict != PMG_VERDICT_ALLOW ? ask_fixes(work, err) : 0;
}

static int decide(struct work *work, struct pmg_err *err)
{
	int r;

	ask_as_of(work);
	if (work->out->verdict == PMG_VERDICT_ALLOW)
		ask_blocklists(work);
	if (work->out->verdict != PMG_VERDICT_ALLOW)
		return 0;
	r = ask_index(work, err);
	if (r == 0 && work->out->verdict == PMG_VERDICT_ALLOW)
		r = ask_age(work, err);
	return r;
}

int pmg_judge_decide(struct pmg_judge *judge, const struct pmg_question *q,
		     struct pmg_judgement *out, struct pmg_err *err)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { .age_s = -1 };
	struct work work = { judge, q, { .eco = q->eco }, &judgement };
	pmg_autofree char *name = NULL;
	pmg_autofree char *version = NULL;
	int r = 0;

	if (is_askable(q->name, q->version)) {
		name = pmg_name_canonical(q->eco, q->name);
		if (q->version)
			version = pmg_version_canonical(q->eco, q->version);
		work.q.name = name;
		work.q.version = version;
		work.q.readable = q->version && pmg_version_is_valid(q->eco, q->version);
		r = decide(&work, err);
	} else {
		refuse(&work, PMG_REASON_INDETERMINATE);
	}
	if (r < 0)
		return r;
	*out = judgement;
	judgement = (struct pmg_judgement){ 0 };
	return 0;
}

bool pmg_judge_needs_dates(struct pmg_judge *judge, enum pmg_eco eco, const char *name)
{
	const struct pmg_packages *policy = pmg_waivers_policy(judge->waivers);
	pmg_autofree char *canonical = pmg_name_canonical(eco, name);
	const char *rule;

	if (policy->as_of)
		return true;
	return policy->enabled && !pmg_waivers_skip_all(judge->waivers, eco, canonical) &&
	       pmg_waivers_min_age(judge->waivers, eco, canonical, &rule) > 0;
}

char *pmg_judge_trusts(struct pmg_judge *judge, enum pmg_eco eco, const char *name,
		       const char *version)
{
	pmg_autofree char *canonical = pmg_name_canonical(eco, name);
	pmg_autofree char *canonical_version = version ? pmg_version_canonical(eco, version) : NULL;
	struct pmg_waived waived = pmg_waivers_find(judge->waivers, PMG_WAIVER_TRUSTED, eco,
						    canonical, canonical_version, NULL, false);

	return waived.entry ? entry_text("trusted_packages", waived.entry) : NULL;
}

bool pmg_judge_knows_files(const struct pmg_judge *judge, unsigned bits)
{
	return judge->index && pmg_index_has_digests(judge->index, bits == 256 ? PMG_DIGEST_SHA256
									       : PMG_DIGEST_SHA512);
}

bool pmg_judge_knows(struct pmg_judge *judge, enum pmg_eco eco, const char *name)
{
	pmg_autofree char *canonical = pmg_name_canonical(eco, name);
	struct pmg_err scratch = PMG_ERR_INIT;

	return !is_askable(name, NULL) || pmg_blocklist_has(&judge->managed, eco, canonical) ||
	       pmg_blocklist_has(&judge->blocklist, eco, canonical) ||
	       pmg_supplement_has(eco, canonical) ||
	       (judge->index && pmg_index_has_name(judge->index, eco, canonical, &scratch) != 0);
}
