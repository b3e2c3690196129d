#include "verdict/traits.h"

#include <limits.h>
#include <string.h>

#include "base/str.h"

void pmg_traits_done(struct pmg_traits *findings)
{
	unsigned kind;

	for (kind = 0; kind < PMG_TRAIT_MAX; kind++)
		pmg_strv_done(&findings->texts[kind]);
	*findings = (struct pmg_traits){ 0 };
}

void pmg_traits_add(struct pmg_traits *findings, enum pmg_trait kind, const char *fmt, ...)
{
	pmg_autofree char *text = NULL;
	va_list ap;

	if (findings->counts[kind] < UINT_MAX)
		findings->counts[kind]++;
	if (findings->texts[kind].n >= PMG_TRAITS_SHOWN)
		return;
	va_start(ap, fmt);
	text = pmg_xvasprintf(fmt, ap);
	va_end(ap);
	pmg_strv_take(&findings->texts[kind],
		      pmg_str_quote(text, strlen(text), PMG_TRAITS_TEXT_MAX));
}

uint32_t pmg_traits_kinds(const struct pmg_traits *findings)
{
	uint32_t bits = 0;
	unsigned kind;

	for (kind = 0; kind < PMG_TRAIT_MAX; kind++)
		if (findings->counts[kind] > 0)
			bits |= PMG_TRAIT_BIT(kind);
	return bits;
}

enum pmg_trait pmg_traits_first(const struct pmg_traits *findings, uint32_t kinds)
{
	uint32_t bits = pmg_traits_kinds(findings) & kinds;
	unsigned kind = 0;

	while (kind < PMG_TRAIT_MAX && !(bits & PMG_TRAIT_BIT(kind)))
		kind++;
	return (enum pmg_trait)kind;
}

void pmg_traits_list(const struct pmg_traits *findings, uint32_t kinds, struct pmg_strv *out)
{
	unsigned kind;
	size_t i;

	for (kind = 0; kind < PMG_TRAIT_MAX; kind++) {
		const struct pmg_strv *texts = &findings->texts[kind];

		if (!(kinds & PMG_TRAIT_BIT(kind)))
			continue;
		for (i = 0; i < texts->n; i++)
			pmg_strv_addf(out, "%s: %s", pmg_trait_name(kind), texts->v[i]);
		if (findings->counts[kind] > texts->n)
			pmg_strv_addf(out, "%s: and %zu more", pmg_trait_name(kind),
				      findings->counts[kind] - texts->n);
	}
}
