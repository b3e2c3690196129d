#include "run/pins.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/str.h"
#include "pm/version.h"
#include "run/run_priv.h"

#define SHOWN_MAX 16U /* lines about what stands there to be mended */

void pmg_pins_done(struct pmg_pins *pins)
{
	pmg_resolved_done(&pins->pins);
	pmg_resolved_done(&pins->tree);
	pmg_resolved_done(&pins->listed);
	pmg_stamps_done(&pins->stamps);
	free(pins->stamp);
}

/* "PATH:LINE: why" goes into the ledger and to the user. */
static void record_unread(struct pmg_running *run, const char *what, const char *also)
{
	const char *colon = strstr(what, ": ");
	size_t len = colon ? (size_t)(colon - what) : strlen(what);
	struct pmg_wire_trouble trouble = {
		.target = pmg_xstrndup(what, len),
		.what = pmg_xasprintf("%s%swhat it pins is not checked", colon ? colon + 2 : "",
				      colon ? ": " : ""),
		.diag = PMG_PINS_DIAG,
	};
	pmg_autofree char *line = pmg_xasprintf("[PMG%d] %s: what it pins is not checked%s",
						PMG_PINS_DIAG, what, also);

	pmg_running_say(run, PMG_SAY_NOTE, line);
	if (!pmg_record_trouble(&run->result->record, &trouble))
		pmg_wire_trouble_done(&trouble);
}

/* A tool may make sense of what pmg cannot read. For a person the run goes on: all that it fetches
 * and every script is judged then. Who wants a run refused without an index wants it refused
 * without this. @return is it? */
static bool refuse_unread(struct pmg_running *run, const struct pmg_resolved *set)
{
	bool bound = pmg_managed_is_in_force(&run->prepared.bounds.managed);
	bool block =
		pmg_config_on_missing(&run->result->config, bound,
				      pmg_env_get(run->want->env, "CI")) == PMG_ON_MISSING_BLOCK;
	size_t i;

	for (i = 0; i < set->unread.n; i++)
		record_unread(run, set->unread.v[i], block ? "; nothing was started" : "");
	if (i > 0 && block)
		pmg_running_say(run, PMG_SAY_NOTE,
				"\"intel: {on_missing: warn}\" in config.yml goes on all the same");
	return i > 0 && block;
}

/* What the run itself has left so. */
static void tell_new_unread(struct pmg_running *run, const struct pmg_resolved *now,
			    const struct pmg_resolved *before)
{
	size_t i;

	for (i = 0; i < now->unread.n; i++)
		if (!pmg_strv_has(&before->unread, now->unread.v[i]))
			record_unread(run, now->unread.v[i], "");
}

int pmg_pins_read(struct pmg_running *run, struct pmg_err *err)
{
	const struct pmg_settled *settled = &run->prepared.settled;
	struct pmg_pins *pins = &run->pins;
	size_t i;
	int r;

	pins->lands = run->prepared.verb == PMG_VERB_FETCH ||
		      pmg_settled_lands(run->prepared.pm, run->want->argv);
	pins->anew = pmg_settled_anew(run->prepared.pm, run->want->argv);
	/* First: what changes now is new. */
	pins->stamp = pmg_settled_stamp(settled, &pins->stamps);
	r = pmg_settled_pins(settled, &pins->pins, err);
	pmg_resolved_sort(&pins->pins);
	/* That a list tells of it matters to what is left out because it lies there. */
	if (r == 0)
		r = pmg_settled_tree(settled, &pins->pins, pins->lands && !pins->anew, &pins->tree,
				     err);
	for (i = 0; i < pins->tree.n; i++)
		if (pins->tree.v[i].stamp)
			pmg_stamps_add(&pins->stamps, pins->tree.v[i].stamp);
	pmg_stamps_sort(&pins->stamps);
	pmg_resolved_sort(&pins->tree);
	return r;
}

static char *where(const struct pmg_resolved_package *p)
{
	return p->line ? pmg_xasprintf("%s:%u", p->file, p->line) : pmg_xstrdup(p->file);
}

static char *copy(const char *text)
{
	return text ? pmg_xstrdup(text) : NULL;
}

static bool is_young(const struct pmg_wire_answer *answer)
{
	return answer->diag == PMG_PINS_YOUNG;
}

/* A package as the record has it, without a reason. @param url  taken */
static struct pmg_wire_judged judged_of(const struct pmg_resolved_package *p, const char *verdict,
					char *url)
{
	return (struct pmg_wire_judged){
		.eco = pmg_xstrdup(pmg_eco_name(p->eco)),
		.name = pmg_xstrdup(p->name),
		.version = pmg_xstrdup(p->version ? p->version : ""),
		.verdict = pmg_xstrdup(verdict),
		.url = url,
	};
}

static void take_list(struct pmg_strv *to, struct pmg_strv *from)
{
	*to = *from;
	*from = (struct pmg_strv){ 0 };
}

/* @param judged  taken */
static void put_on_record(struct pmg_running *run, struct pmg_wire_judged *judged)
{
	if (!pmg_record_judged(&run->result->record, judged))
		pmg_wire_judged_done(judged);
}

/* It is in the record as what the proxy refuses is: the run does not end with 0. */
static void refuse(struct pmg_running *run, const struct pmg_resolved_package *p,
		   struct pmg_wire_answer *answer, const char *also)
{
	pmg_autofree char *place = where(p);
	struct pmg_wire_judged judged = judged_of(p, answer->verdict, copy(place));

	judged.reason = answer->diag && !is_young(answer)
				? pmg_xasprintf("%s, PMG%d", answer->reason, answer->diag)
				: pmg_xstrdup(answer->reason);
	judged.diag = is_young(answer) ? PMG_PINS_YOUNG : PMG_PINS_DIAG;
	judged.rule = copy(answer->rule);
	judged.note = pmg_xasprintf("%s%s%s%s", place, answer->note ? ": " : "",
				    answer->note ? answer->note : "", also);
	take_list(&judged.ids, &answer->ids);
	take_list(&judged.sources, &answer->sources);
	put_on_record(run, &judged);
}

static bool may_mend(const struct pmg_running *run, const struct pmg_resolved *set,
		     const struct pmg_pin_hits *hits)
{
	pmg_auto(strv) struct pmg_strv names = { 0 };
	size_t i;

	for (i = 0; i < hits->n; i++)
		(void)pmg_strv_add_once(&names, set->v[hits->v[i].at].name);
	return pmg_settled_mends(run->prepared.pm, run->want->argv, &names);
}

static void let_stand(struct pmg_running *run, const struct pmg_resolved_package *p,
		      const struct pmg_wire_answer *answer, size_t n)
{
	struct pmg_resolved *listed = &run->pins.listed;
	pmg_autofree char *place = where(p);
	pmg_autofree char *line =
		pmg_xasprintf("[PMG%d] %s: %s%s%s: %s; this command may take it out%s",
			      is_young(answer) ? PMG_PINS_YOUNG : PMG_PINS_DIAG, place, p->name,
			      p->version ? "@" : "", p->version ? p->version : "", answer->reason,
			      is_young(answer) ? "" : ", its scripts do not run");

	if (n < SHOWN_MAX)
		pmg_running_say(run, PMG_SAY_NOTE, line);
	listed->v = pmg_grow(listed->v, listed->n, &listed->cap, sizeof *listed->v);
	listed->v[listed->n++] = (struct pmg_resolved_package){ .eco = p->eco,
								.name = pmg_xstrdup(p->name),
								.version = copy(p->version),
								.file = p->file,
								.line = p->line };
}

static bool is_waived(const struct pmg_pin_hit *hit)
{
	return strcmp(hit->what.verdict, "allow") == 0;
}

/* The user's own policy lets it in: each use of that is told and kept. */
static void note_waived(struct pmg_running *run, const struct pmg_resolved_package *p,
			struct pmg_wire_answer *answer)
{
	struct pmg_wire_judged judged = judged_of(p, "allow", where(p));

	judged.note = copy(answer->note);
	take_list(&judged.ids, &answer->ids);
	take_list(&judged.sources, &answer->sources);
	take_list(&judged.waivers, &answer->waivers);
	put_on_record(run, &judged);
}

/* @return how many are left that are refused */
static size_t take_waived(struct pmg_running *run, const struct pmg_resolved *set,
			  struct pmg_pin_hits *hits)
{
	size_t i, n = 0;

	for (i = 0; i < hits->n; i++) {
		if (!is_waived(&hits->v[i])) {
			hits->v[n++] = hits->v[i];
			continue;
		}
		note_waived(run, &set->v[hits->v[i].at], &hits->v[i].what);
		pmg_wire_answer_done(&hits->v[i].what);
	}
	hits->n = n;
	return n;
}

static void refuse_all(struct pmg_running *run, const struct pmg_resolved *set,
		       struct pmg_pin_hits *hits)
{
	size_t i;

	for (i = 0; i < hits->n; i++)
		refuse(run, &set->v[hits->v[i].at], &hits->v[i].what, "; nothing was started");
}

/* @return are there any that keep the tool from being started? */
static bool weigh(struct pmg_running *run, const struct pmg_resolved *set,
		  struct pmg_pin_hits *hits)
{
	size_t i;

	if (take_waived(run, set, hits) == 0)
		return false;
	if (!may_mend(run, set, hits)) {
		refuse_all(run, set, hits);
		return true;
	}
	for (i = 0; i < hits->n; i++)
		let_stand(run, &set->v[hits->v[i].at], &hits->v[i].what, i);
	return false;
}

static bool lies_there(const struct pmg_resolved *tree, const struct pmg_resolved_package *p)
{
	size_t i, n;
	const struct pmg_resolved_package *same = pmg_resolved_same(tree, p, &n);

	for (i = 0; i < n; i++)
		if (same[i].there)
			return true;
	return false;
}

/* What lies there already is not fetched, nor taken from a cache; what is for other systems is not
 * either. */
static bool may_land(const struct pmg_running *run, const struct pmg_resolved_package *p)
{
	return run->pins.lands && !p->installed && (!p->foreign || run->prepared.any_system) &&
	       (run->pins.anew || !lies_there(&run->pins.tree, p));
}

static enum pmg_pin_age age_ahead(void *ctx, const struct pmg_resolved_package *p)
{
	return may_land(ctx, p) ? PMG_PIN_AGE_AHEAD : PMG_PIN_AGE_NONE;
}

/* What the manager has to fetch is judged when it does, and finds its date then: nobody waits. */
static enum pmg_pin_age age_before(void *ctx, const struct pmg_resolved_package *p)
{
	const struct pmg_running *run = ctx;

	if (!may_land(run, p))
		return PMG_PIN_AGE_NONE;
	return pmg_cached_may_have(&run->prepared.cached, p->integrity) ? PMG_PIN_AGE_BEFORE
									: PMG_PIN_AGE_AHEAD;
}

/* How many of a set are not in the other: a lockfile and a folder mostly name the same. */
static size_t count_others(const struct pmg_resolved *set, const struct pmg_resolved *other)
{
	size_t i, n = 0;

	for (i = 0; i < set->n; i++)
		n += !pmg_resolved_has(other, &set->v[i]);
	return n;
}

static int judge_before(struct pmg_running *run, const struct pmg_resolved *set, bool *refused,
			struct pmg_err *err)
{
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 }, unused = { 0 };
	size_t i, landing = 0;
	int r = 0;

	if (refuse_unread(run, set))
		*refused = true;
	for (i = 0; i < set->n; i++)
		landing += may_land(run, &set->v[i]);
	/* More than one question: registries are asked at once for what all of them need. */
	if (landing > PMG_PINS_AT_ONCE)
		r = pmg_pins_ask(&run->attend, set, age_ahead, run, &unused, err);
	if (r == 0 && !run->attend.ended_by)
		r = pmg_pins_ask(&run->attend, set, age_before, run, &hits, err);
	if (r == 0 && !run->attend.ended_by && weigh(run, set, &hits))
		*refused = true;
	return r;
}

int pmg_pins_before(struct pmg_running *run, bool *refused, struct pmg_err *err)
{
	int r;

	*refused = false;
	run->pins.checked = run->pins.pins.n + count_others(&run->pins.tree, &run->pins.pins);
	r = judge_before(run, &run->pins.pins, refused, err);
	if (r == 0)
		r = judge_before(run, &run->pins.tree, refused, err);
	run->result->signal = run->attend.ended_by;
	return r;
}

/* Has the proxy judged it in this run? What it has seen is a file's name: PyPI spells those in many
 * ways. */
static bool was_judged(const struct pmg_record *record, const struct pmg_resolved_package *p)
{
	const char *eco = pmg_eco_name(p->eco), *version = p->version ? p->version : "";
	pmg_autofree char *name = NULL;
	size_t i;

	if (p->eco == PMG_ECO_NPM)
		return pmg_record_has(record, eco, p->name, version);
	name = pmg_name_canonical(p->eco, p->name);
	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;
		pmg_autofree char *seen = pmg_name_canonical(p->eco, m->name);

		/* What was withheld was not let in: when it stands there, it came another way. */
		if (strcmp(m->eco, eco) == 0 && strcmp(m->version, version) == 0 &&
		    strcmp(seen, name) == 0 && !pmg_judged_is_withheld(m))
			return true;
	}
	return false;
}

struct newness {
	const struct pmg_running *run;
	const struct pmg_resolved *before;
};

/* Of what lies somewhere its own file tells, whatever was said to lie there. */
static bool was_there(const struct newness *newness, const struct pmg_resolved_package *p)
{
	return p->stamp ? pmg_stamps_have(&newness->run->pins.stamps, p->stamp)
			: pmg_resolved_has(newness->before, p);
}

/* It was not there before, or was let stand and still does. */
static bool is_new(void *ctx, const struct pmg_resolved_package *p)
{
	const struct newness *newness = ctx;
	const struct pmg_running *run = newness->run;

	return pmg_resolved_has(&run->pins.listed, p) ||
	       (!was_there(newness, p) && !was_judged(&run->result->record, p));
}

/* It went past the proxy; it is on record as checked all the same. */
static void record_landed(struct pmg_running *run, const struct pmg_resolved_package *p)
{
	struct pmg_wire_judged judged = judged_of(p, "allow", pmg_xstrdup(p->file));

	pmg_strv_add(&judged.sources, "lockfile");
	run->pins.landed++;
	put_on_record(run, &judged);
}

static enum pmg_pin_age age_after(void *ctx, const struct pmg_resolved_package *p)
{
	const bool *landed = ctx;

	return *landed && (p->installed || !p->foreign) ? PMG_PIN_AGE_AFTER : PMG_PIN_AGE_NONE;
}

/* What stands installed now: what that means, and what takes it out of the project. */
static char *installed_text(const struct pmg_running *run, const struct pmg_resolved_package *p)
{
	static const char *const elsewhere[] = { "-g", "--global", "-t", "--target" };
	static const char *const removals[] = { "npm uninstall", "pip uninstall", "pnpm remove",
						"yarn remove",   "bun remove",    "poetry remove" };
	static const char came[] = "; it is installed now, out of the tool's own cache or store";
	pmg_autofree char *name = pmg_str_shell(p->name);
	pmg_autofree char *manager = pmg_xasprintf("%s ", run->prepared.pm->name);
	char *const *word;
	size_t i;

	for (word = run->want->argv; *word; word++)
		for (i = 0; i < PMG_ARRAY_LEN(elsewhere); i++)
			if (strcmp(*word, elsewhere[i]) == 0)
				return pmg_xstrdup(came);
	for (i = 0; i < PMG_ARRAY_LEN(removals); i++)
		if (pmg_str_has_prefix(removals[i], manager))
			return pmg_xasprintf("%s: \"%s %s\" takes it out", came, removals[i], name);
	return pmg_xstrdup(came);
}

static int judge_new(struct pmg_running *run, struct pmg_resolved *now, bool landed,
		     struct pmg_err *err)
{
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 };
	size_t i, k = 0;
	int r;

	pmg_resolved_sort(now);
	r = pmg_pins_ask(&run->attend, now, age_after, &landed, &hits, err);
	if (r == 0)
		(void)take_waived(run, now, &hits);
	for (i = 0; r == 0 && i < now->n; i++) {
		while (k < hits.n && hits.v[k].at < i)
			k++;
		if (k < hits.n && hits.v[k].at == i) {
			pmg_autofree char *also = now->v[i].installed
							  ? installed_text(run, &now->v[i])
							  : pmg_xstrdup("; it stands there now");

			refuse(run, &now->v[i], &hits.v[k].what, also);
		} else if (landed) {
			record_landed(run, &now->v[i]);
		}
	}
	return r;
}

int pmg_pins_after(struct pmg_running *run, struct pmg_err *err)
{
	struct pmg_pins *pins = &run->pins;
	pmg_auto(resolved) struct pmg_resolved now = { 0 }, tree = { 0 };
	/* Where the manager keeps no list of what is installed, the lockfile says where it is from.
	 */
	const struct pmg_settled *settled = &run->prepared.settled;
	bool has_list = settled->lists.n + settled->dists.n + settled->bases.n > 0;
	pmg_auto(stamps) struct pmg_stamps stamps = { 0 };
	pmg_autofree char *stamp = pmg_settled_stamp(settled, &stamps);
	int r;

	/* Most commands change nothing; what was let stand to be mended then still stands. */
	if (pmg_streq(stamp, pins->stamp) && pins->listed.n == 0)
		return 0;
	r = pmg_settled_pins(settled, &now, err);
	pmg_resolved_sort(&now);
	if (r == 0)
		r = pmg_settled_tree(settled, &now, true, &tree, err);
	if (r < 0)
		return r;
	tell_new_unread(run, &now, &pins->pins);
	tell_new_unread(run, &tree, &pins->tree);
	pmg_resolved_sort(&pins->listed);
	pmg_resolved_filter(&now, is_new, &(struct newness){ run, &pins->pins });
	if (!has_list)
		r = judge_new(run, &now, true, err);
	pmg_resolved_filter(&tree, is_new, &(struct newness){ run, &pins->tree });
	pmg_resolved_sort(&tree);
	pins->checked += tree.n + count_others(&now, &tree);
	if (r == 0)
		r = judge_new(run, &tree, true, err);
	return r == 0 && has_list ? judge_new(run, &now, false, err) : r;
}
