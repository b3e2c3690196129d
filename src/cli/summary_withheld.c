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

/* "1.2.0 (1 h old, min age 5 d), 1.1.9 (known malware MAL-1) and 4 more" */
static char *versions(const struct pmg_record *record, const struct pmg_wire_judged *of)
{
	struct pmg_str text = PMG_STR_INIT(TEXT_MAX);
	size_t i, n = 0;

	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;
		pmg_autofree char *version = pmg_out_quote(m->version);
		pmg_autofree char *reason = pmg_out_quote(m->reason);
		pmg_autofree char *joined = pmg_strv_join(&m->ids, " ", PMG_OUT_TEXT_MAX);
		pmg_autofree char *ids = pmg_out_quote(joined);

		if (!pmg_judged_is_withheld(m) || !is_of(m, of) || n++ >= VERSIONS_SHOWN)
			continue;
		(void)!pmg_str_addf(&text, "%s%s (%s%s%s", n > 1 ? ", " : "", version, reason,
				    *ids ? " " : "", ids);
		if (m->diag != DIAG_YOUNG) /* what stands on a list is worth its page */
			(void)!pmg_str_addf(&text, ", PMG%d", m->diag);
		(void)!pmg_str_adds(&text, ")");
	}
	if (n > VERSIONS_SHOWN)
		(void)!pmg_str_addf(&text, " and %zu more", n - VERSIONS_SHOWN);
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

/* Nothing of it came in and the run failed: most likely because of that. Both ways out. */
static void needed(const struct pmg_out *out, const struct pmg_wire_judged *m, const char *list)
{
	pmg_autofree char *name = pmg_out_quote(m->name);
	pmg_autofree char *version = pmg_out_quote(m->version);
	pmg_autofree char *code = pmg_out_code(out, DIAG_NEEDED);

	pmg_out_note(out, "%s%s (%s): no version that was let in was taken; withheld: %s", code,
		     name, m->eco, list);
	if (m->diag == DIAG_YOUNG)
		pmg_out_note(out,
			     "  ask for an older version of it or of what needs it, or let it in: "
			     "\"pkg:%s/%s@%s\" under dependency_cooldown.skip",
			     m->eco, name, version);
}

static void tell(const struct pmg_out *out, const struct pmg_record *record,
		 const struct pmg_wire_judged *m, bool failed)
{
	pmg_autofree char *list = versions(record, m);
	const char *version = used(record, m);
	pmg_autofree char *name = pmg_out_quote(m->name);
	pmg_autofree char *then = outcome(version, m);

	if (failed && !version)
		needed(out, m, list);
	else
		pmg_out_note(out, "withheld: %s %s (%s)%s%s", name, list, m->eco, *then ? "; " : "",
			     then);
}

void pmg_summary_withheld(const struct pmg_out *out, const struct pmg_record *record, bool failed)
{
	size_t i, told = 0;

	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;

		if (!pmg_judged_is_withheld(m) || is_told(record, i))
			continue;
		if (told++ < PMG_SUMMARY_WITHHELD)
			tell(out, record, m, failed);
	}
	if (told > PMG_SUMMARY_WITHHELD)
		pmg_out_note(out,
			     "withheld: of %zu more packages: \"pmg audit list --run %s --json\"",
			     told - PMG_SUMMARY_WITHHELD, record->id);
}
