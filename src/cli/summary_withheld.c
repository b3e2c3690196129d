#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "cli/summary.h"
#include "pm/version.h"

#define VERSIONS_SHOWN 3U
#define TEXT_MAX       4096U

enum { DIAG_YOUNG = 3003, DIAG_NEEDED = 3004 }; /* docs/codes/ */

/* A file of PyPI spells its project in its own way: "my_name-1.0.zip" is of "my-name". */
static bool is_of(const struct pmg_wire_judged *m, const struct pmg_wire_judged *of)
{
	pmg_autofree char *name = NULL, *of_name = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	enum pmg_eco eco;

	if (strcmp(m->eco, of->eco) != 0)
		return false;
	if (strcmp(m->name, of->name) == 0)
		return true;
	if (pmg_eco_parse(m->eco, &eco, &scratch) < 0 || eco != PMG_ECO_PYPI)
		return false;
	name = pmg_name_canonical(eco, m->name);
	of_name = pmg_name_canonical(eco, of->name);
	return strcmp(name, of_name) == 0;
}

/* Was the package told of before, in this list? Then so were all of its versions. */
static bool is_told(const struct pmg_record *record, size_t at)
{
	const struct pmg_wire_judged *m = &record->packages[at].what;
	size_t i;

	for (i = 0; i < at; i++)
		if (pmg_judged_is_withheld(&record->packages[i].what) &&
		    is_of(&record->packages[i].what, m))
			return true;
	return false;
}

/* "1.2.0 (1 h old, min age 5 d), 1.1.9 (known malware MAL-1) and 4 more"; `dated`: and on which day
 * one is old enough. */
static char *versions(const struct pmg_record *record, const struct pmg_wire_judged *of, bool dated)
{
	struct pmg_str text = PMG_STR_INIT(TEXT_MAX);
	uint64_t more = 0;
	size_t i, n = 0;

	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;
		pmg_autofree char *version = pmg_out_quote(m->version);
		pmg_autofree char *reason = pmg_out_quote(m->reason);
		pmg_autofree char *joined = pmg_strv_join(&m->ids, " ", PMG_OUT_TEXT_MAX);
		pmg_autofree char *ids = pmg_out_quote(joined);
		pmg_autofree char *when = pmg_out_quote(dated ? m->note : NULL);

		if (!pmg_judged_is_withheld(m) || !is_of(m, of))
			continue;
		more += m->more;
		if (n++ >= VERSIONS_SHOWN)
			continue;
		(void)!pmg_str_addf(&text, "%s%s (%s%s%s", n > 1 ? ", " : "", version, reason,
				    *ids ? " " : "", ids);
		if (m->diag == DIAG_YOUNG && *when)
			(void)!pmg_str_addf(&text, ", %s", when);
		if (m->diag != DIAG_YOUNG) /* what stands on a list is worth its page */
			(void)!pmg_str_addf(&text, ", PMG%d", m->diag);
		(void)!pmg_str_adds(&text, ")");
	}
	more += n > VERSIONS_SHOWN ? n - VERSIONS_SHOWN : 0;
	if (more > 0)
		(void)!pmg_str_addf(&text, " and %" PRIu64 " more", more);
	return pmg_str_steal(&text);
}

/* The version of that package that was let in last; NULL: none was. */
static const char *used(const struct pmg_record *record, const struct pmg_wire_judged *of)
{
	size_t i;

	for (i = record->n_packages; i > 0; i--)
		if (pmg_judged_is_allowed(&record->packages[i - 1].what) &&
		    is_of(&record->packages[i - 1].what, of))
			return record->packages[i - 1].what.version;
	return NULL;
}

/* What is known of where it led: a version that was fetched, or one that was offered. */
static char *outcome(const char *version, const struct pmg_wire_judged *m)
{
	pmg_autofree char *taken = pmg_out_quote(version ? version : m->instead);

	if (!*taken)
		return pmg_xstrdup("");
	return pmg_xasprintf("%s %s instead", taken, version ? "used" : "offered");
}

/* What stands behind the name in a word of the command line: "@1.2.3", of PyPI "[extra]==1.2.3", or
 * nothing; NULL: it is another package. */
static const char *behind_name(const char *word, const struct pmg_wire_judged *of)
{
	const char *ends = strcmp(of->eco, "pypi") == 0 ? "[=<>!~;@ " : "@";
	size_t len = *word ? 1 + strcspn(word + 1, ends) : 0; /* "@scope/name" begins with one */
	pmg_autofree char *name = pmg_xstrndup(word, len);
	const struct pmg_wire_judged typed = { .eco = of->eco, .name = name };

	return len > 0 && is_of(&typed, of) ? word + len : NULL;
}

/* Does the command line name this package? Its first word is the tool. */
static bool is_named(const struct pmg_record *record, const struct pmg_wire_judged *m)
{
	size_t i;

	for (i = 1; i < record->argv.n; i++)
		if (behind_name(record->argv.v[i], m))
			return true;
	return false;
}

/* And this version: "name@1.2.3", or "name==1.2.3" of PyPI? */
static bool is_typed(const struct pmg_record *record, const struct pmg_wire_judged *m)
{
	const char *sign = strcmp(m->eco, "pypi") == 0 ? "==" : "@";
	size_t i;

	for (i = 1; i < record->argv.n; i++) {
		const char *behind = behind_name(record->argv.v[i], m);
		const char *at = behind ? strstr(behind, sign) : NULL;

		if (at && strcmp(at + strlen(sign), m->version) == 0)
			return true;
	}
	return false;
}

/* Is a version of it withheld for more than its age? */
static bool is_listed(const struct pmg_record *record, const struct pmg_wire_judged *of)
{
	size_t i;

	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;

		if (pmg_judged_is_withheld(m) && m->diag != DIAG_YOUNG && is_of(m, of))
			return true;
	}
	return false;
}

static bool is_refused_too(const struct pmg_record *record, const struct pmg_wire_judged *m)
{
	size_t i;

	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *other = &record->packages[i].what;

		if (pmg_judged_is_refused(other) && is_of(other, m) &&
		    strcmp(other->version, m->version) == 0)
			return true;
	}
	return false;
}

/* Is this version the one that was wanted: refused as an artifact, or typed? Once of the two. */
static bool is_asked_for(const struct pmg_record *record, const struct pmg_wire_judged *m)
{
	return pmg_judged_is_refused(m) || (is_typed(record, m) && !is_refused_too(record, m));
}

static bool may_be_let_in(const struct pmg_wire_judged *m, const struct pmg_wire_judged *of)
{
	return !pmg_judged_is_allowed(m) && m->diag == DIAG_YOUNG && !pmg_summary_is_as_of(m) &&
	       is_of(m, of);
}

/* @param asked  only what was asked for. @return how many there are; VERSIONS_SHOWN are shown */
static size_t say_entries(const struct pmg_out *out, const struct pmg_record *record,
			  const struct pmg_wire_judged *of, bool asked)
{
	size_t i, n = 0;

	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;

		if (!may_be_let_in(m, of) || (asked && !is_asked_for(record, m)))
			continue;
		if (out && n < VERSIONS_SHOWN)
			pmg_summary_entry(out, m);
		n++;
	}
	return n;
}

/*
 * The entry that would let in what was asked for. Where that is not known, some of those that it
 * may be, since an entry without a version would let in all that are to come as well.
 */
static void ways_out(const struct pmg_out *out, const struct pmg_record *record,
		     const struct pmg_wire_judged *of, const struct pmg_summary_how *how)
{
	bool asked = say_entries(NULL, record, of, true) > 0;
	size_t n = say_entries(NULL, record, of, asked);
	pmg_autofree char *config = pmg_out_quote(how->config);

	if (n == 0)
		return;
	pmg_out_note(out,
		     "  ask for an older version of it or of what needs it, give "
		     "--skip-dependency-cooldown for this once, or let %s in: "
		     "dependency_cooldown.skip in %s",
		     n > 1 ? "one of these" : "it", config);
	(void)say_entries(out, record, of, asked);
}

/* Nothing of it came in and the run failed: most likely because of that. */
static void needed(const struct pmg_out *out, const struct pmg_record *record,
		   const struct pmg_wire_judged *m, const struct pmg_summary_how *how)
{
	pmg_autofree char *list = versions(record, m, true);
	pmg_autofree char *name = pmg_out_quote(m->name);
	pmg_autofree char *code = pmg_out_code(out, DIAG_NEEDED);

	pmg_out_note(out, "%s%s (%s): no version that was let in was taken; withheld: %s", code,
		     name, m->eco, list);
	ways_out(out, record, m, how);
}

static void tell(const struct pmg_out *out, const struct pmg_record *record,
		 const struct pmg_wire_judged *m)
{
	pmg_autofree char *list = versions(record, m, false);
	pmg_autofree char *name = pmg_out_quote(m->name);
	pmg_autofree char *then = outcome(used(record, m), m);

	pmg_out_note(out, "withheld: %s %s (%s)%s%s", name, list, m->eco, *then ? "; " : "", then);
}

/* What the run may have failed for is said before what merely happened. */
static size_t say_needed(const struct pmg_out *out, const struct pmg_record *record,
			 const struct pmg_summary_how *how)
{
	size_t i, n = 0;

	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;

		if (pmg_judged_is_withheld(m) && !is_told(record, i) && !used(record, m) &&
		    n++ < PMG_SUMMARY_NEEDED)
			needed(out, record, m, how);
	}
	return n > PMG_SUMMARY_NEEDED ? n - PMG_SUMMARY_NEEDED : 0;
}

/* In the order in which they are told. The rest is told by number: tools ask about far more
 * packages than they take. */
enum rank { RANK_FIRST, RANK_CAME, RANK_REST, RANK_NONE };

static enum rank rank_of(const struct pmg_record *record, size_t at, bool needed_are_told)
{
	const struct pmg_wire_judged *m = &record->packages[at].what;
	bool came;

	if (!pmg_judged_is_withheld(m) || is_told(record, at))
		return RANK_NONE;
	came = used(record, m) != NULL;
	if (needed_are_told && !came)
		return RANK_NONE;
	if (is_named(record, m) || is_listed(record, m))
		return RANK_FIRST;
	return came ? RANK_CAME : RANK_REST;
}

/* @return how many were told, `most` at most */
static size_t tell_rank(const struct pmg_out *out, const struct pmg_record *record,
			const enum rank *ranks, enum rank rank, size_t most)
{
	size_t i, n = 0;

	for (i = 0; i < record->n_packages && n < most; i++) {
		if (ranks[i] != rank)
			continue;
		tell(out, record, &record->packages[i].what);
		n++;
	}
	return n;
}

static void say_more(const struct pmg_out *out, const struct pmg_record *record, size_t more)
{
	pmg_out_note(out,
		     "withheld: versions of %zu more package%s: \"pmg audit list --run %s --json\"",
		     more, pmg_out_plural(more), record->id);
}

static void say_notes(const struct pmg_out *out, const struct pmg_record *record,
		      const struct pmg_summary_how *how, bool needed_are_told, size_t more)
{
	size_t most = how->details ? PMG_SUMMARY_DETAILED : PMG_SUMMARY_WITHHELD;
	pmg_autofree enum rank *ranks = pmg_xcalloc(record->n_packages + 1, sizeof *ranks);
	size_t counts[RANK_NONE + 1] = { 0 };
	size_t i, told;

	for (i = 0; i < record->n_packages; i++)
		counts[ranks[i] = rank_of(record, i, needed_are_told)]++;
	told = tell_rank(out, record, ranks, RANK_FIRST, most);
	told += tell_rank(out, record, ranks, RANK_CAME, most - told);
	/* One has a line for its name as well as for its number. */
	if (how->details || more + counts[RANK_REST] == 1)
		told += tell_rank(out, record, ranks, RANK_REST, most - told);
	more += counts[RANK_FIRST] + counts[RANK_CAME] + counts[RANK_REST] - told;
	if (more == 0)
		return;
	if (how->details)
		say_more(out, record, more);
	else
		pmg_out_note(out, "withheld: versions of %zu %spackage%s; -v says which", more,
			     told > 0 || needed_are_told ? "more " : "", pmg_out_plural(more));
}

void pmg_summary_withheld(const struct pmg_out *out, const struct pmg_record *record,
			  const struct pmg_summary_how *how)
{
	bool lacks = how->failed && !how->asks;
	size_t more = lacks ? say_needed(out, record, how) : 0;

	if (how->notes)
		say_notes(out, record, how, lacks, more);
	else if (more > 0)
		say_more(out, record, more);
}
