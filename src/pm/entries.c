#include "pm/entries.h"

#include <stdio.h>

#include "base/str.h"

/* What patterns a list may have. To trust all of an ecosystem would be to switch pmg off. */
static const struct {
	const char *key;
	size_t offset;
	enum pmg_pattern_of widest;
	bool needs_version, takes_version;
	const char *narrower; /* the hint where a pattern names too many */
} kinds[PMG_ENTRIES_LISTS] = {
	[PMG_ENTRIES_SKIP] = { "dependency_cooldown.skip", offsetof(struct pmg_packages, skip),
			       PMG_PATTERN_ALL, false, true, "" },
	[PMG_ENTRIES_TRUSTED] = { "trusted_packages", offsetof(struct pmg_packages, trusted),
				  PMG_PATTERN_SCOPE, false, true,
				  "\"pkg:npm/@scope/*\" names the most that it takes" },
	[PMG_ENTRIES_OVERRIDES] = { "intel.overrides", offsetof(struct pmg_packages, overrides),
				    PMG_PATTERN_NAME, true, true,
				    "\"pkg:npm/name@1.2.3\" names one version" },
	[PMG_ENTRIES_AGES] = { "dependency_cooldown.ages", offsetof(struct pmg_packages, ages),
			       PMG_PATTERN_ALL, false, false, "" },
};

const struct pmg_packages_list *pmg_entries_list(const struct pmg_packages *packages,
						 enum pmg_entries_of of)
{
	return (const void *)((const char *)packages + kinds[of].offset);
}

/* In front of `what` the place: that of the list's line where the column is not known. */
static int fail(const struct pmg_packages_entry *entry, enum pmg_entries_of of, const char *what,
		const char *hint, struct pmg_err *err)
{
	char column[16] = "";

	if (entry->column > 0)
		(void)snprintf(column, sizeof column, ":%u", entry->column);
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s%s: %s: %s", entry->where, column, kinds[of].key,
			  what);
	(void)pmg_err_hint(err, "%s", hint);
	return pmg_err_diag(err, entry->layer == PMG_PACKAGES_MANAGED ? PMG_DIAG_MANAGED
								      : PMG_DIAG_CONFIG);
}

static const char *what_is_wrong(const struct pmg_pattern *pattern, enum pmg_entries_of of)
{
	if (pattern->of > kinds[of].widest)
		return "names too many packages for this list";
	if (kinds[of].needs_version && !pattern->version)
		return "has to name one version";
	if (!kinds[of].takes_version && !pmg_pattern_is_whole(pattern))
		return "takes no version: an age is for all of a package";
	return NULL;
}

int pmg_entry_read(const struct pmg_packages_entry *entry, enum pmg_entries_of of,
		   struct pmg_pattern *out, struct pmg_err *err)
{
	pmg_auto(pattern) struct pmg_pattern pattern = { 0 };
	pmg_autofree char *text = NULL;
	struct pmg_err why = PMG_ERR_INIT;
	const char *wrong;

	if (!entry->purl && of == PMG_ENTRIES_AGES)
		return 0;
	if (!entry->purl)
		return fail(entry, of, "an entry names no package", "", err);
	if (pmg_pattern_parse(entry->purl, &pattern, &why) < 0)
		return fail(entry, of, why.msg, why.hint, err);
	wrong = what_is_wrong(&pattern, of);
	if (wrong) {
		text = pmg_xasprintf("\"%s\" %s", entry->purl, wrong);
		return fail(entry, of, text,
			    pattern.of > kinds[of].widest ? kinds[of].narrower : "", err);
	}
	*out = pattern;
	pattern = (struct pmg_pattern){ 0 };
	return 0;
}

int pmg_entry_read_block(const struct pmg_managed *managed, const struct pmg_managed_entry *entry,
			 struct pmg_purl *out, struct pmg_err *err)
{
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	struct pmg_err why = PMG_ERR_INIT;

	if (pmg_purl_parse(entry->text, &purl, &why) < 0 || pmg_purl_check_exact(&purl, &why) < 0) {
		(void)pmg_err_set(err, PMG_E_CONFIG, 0, "managed policy: %s:%u:%u: %s",
				  managed->config.path, entry->line, entry->column, why.msg);
		(void)pmg_err_hint(err, "%s", why.hint);
		return pmg_err_diag(err, PMG_DIAG_MANAGED);
	}
	*out = purl;
	purl = (struct pmg_purl){ 0 };
	return 0;
}

int pmg_entries_check(const struct pmg_packages *packages, const struct pmg_managed *managed,
		      struct pmg_err *err)
{
	enum pmg_entries_of of;
	size_t i;
	int r = 0;

	for (of = 0; of < PMG_ENTRIES_LISTS; of++) {
		const struct pmg_packages_list *list = pmg_entries_list(packages, of);

		for (i = 0; r == 0 && i < list->n; i++) {
			pmg_auto(pattern) struct pmg_pattern pattern = { 0 };

			r = pmg_entry_read(&list->v[i], of, &pattern, err);
		}
	}
	for (i = 0; r == 0 && i < managed->block.n; i++) {
		pmg_auto(purl) struct pmg_purl purl = { 0 };

		r = pmg_entry_read_block(managed, &managed->block.v[i], &purl, err);
	}
	return r;
}
