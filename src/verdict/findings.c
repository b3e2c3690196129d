#include "verdict/findings.h"

#include <limits.h>
#include <string.h>

#include "base/str.h"

void pmg_findings_done(struct pmg_findings *findings)
{
	unsigned kind;

	for (kind = 0; kind < PMG_FINDING_MAX; kind++)
		pmg_strv_done(&findings->texts[kind]);
	*findings = (struct pmg_findings){ 0 };
}

void pmg_findings_add(struct pmg_findings *findings, enum pmg_finding kind, const char *fmt, ...)
{
	pmg_autofree char *text = NULL;
	va_list ap;

	if (findings->counts[kind] < UINT_MAX)
		findings->counts[kind]++;
	if (findings->texts[kind].n >= PMG_FINDINGS_SHOWN)
		return;
	va_start(ap, fmt);
	text = pmg_xvasprintf(fmt, ap);
	va_end(ap);
	pmg_strv_take(&findings->texts[kind],
		      pmg_str_quote(text, strlen(text), PMG_FINDINGS_TEXT_MAX));
}

uint32_t pmg_findings_kinds(const struct pmg_findings *findings)
{
	uint32_t bits = 0;
	unsigned kind;

	for (kind = 0; kind < PMG_FINDING_MAX; kind++)
		if (findings->counts[kind] > 0)
			bits |= PMG_FINDING_BIT(kind);
	return bits;
}

enum pmg_finding pmg_findings_first(const struct pmg_findings *findings, uint32_t kinds)
{
	uint32_t bits = pmg_findings_kinds(findings) & kinds;
	unsigned kind = 0;

	while (kind < PMG_FINDING_MAX && !(bits & PMG_FINDING_BIT(kind)))
		kind++;
	return (enum pmg_finding)kind;
}

void pmg_findings_list(const struct pmg_findings *findings, uint32_t kinds, struct pmg_strv *out)
{
	unsigned kind;
	size_t i;

	for (kind = 0; kind < PMG_FINDING_MAX; kind++) {
		const struct pmg_strv *texts = &findings->texts[kind];

		if (!(kinds & PMG_FINDING_BIT(kind)))
			continue;
		for (i = 0; i < texts->n; i++)
			pmg_strv_addf(out, "%s: %s", pmg_finding_name(kind), texts->v[i]);
		if (findings->counts[kind] > texts->n)
			pmg_strv_addf(out, "%s: and %zu more", pmg_finding_name(kind),
				      findings->counts[kind] - texts->n);
	}
}
