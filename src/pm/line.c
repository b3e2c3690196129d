#include "pm/version.h"
#include "pm/version_priv.h"

/* The numbers of a release; those that were not written are zero. */
struct numbers {
	struct pmg_digits v[PMG_LINE_PARTS];
	struct pmg_digits epoch;
	size_t n; /* that were written */
};

static bool take_numbers(const char *s, const char *end, struct numbers *out)
{
	while (s < end && pmg_is_digit(*s)) {
		if (out->n == PMG_LINE_PARTS)
			return false;
		out->v[out->n++] = pmg_digits_take(&s, end);
		if (s < end && *s == '.')
			s++;
	}
	return s == end && out->n > 0;
}

static bool npm_numbers(const char *text, struct numbers *out)
{
	struct pmg_semver v;
	size_t i;

	if (!pmg_semver_parse(text, &v) || v.pre)
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(v.part); i++)
		out->v[i] = v.part[i];
	out->n = PMG_ARRAY_LEN(v.part);
	return true;
}

static bool pypi_numbers(const char *text, struct numbers *out)
{
	struct pmg_pep440 v;

	if (!pmg_pep440_parse(text, &v) || v.pre || v.has_dev)
		return false;
	out->epoch = v.epoch;
	return take_numbers(v.release, v.release + v.release_len, out);
}

static bool numbers_of(enum pmg_eco eco, const char *text, struct numbers *out)
{
	*out = (struct numbers){ 0 };
	if (strnlen(text, PMG_VERSION_MAX + 1) > PMG_VERSION_MAX)
		return false;
	return eco == PMG_ECO_NPM ? npm_numbers(text, out) : pypi_numbers(text, out);
}

/* As it is written: "1" and "1.0.0" are one version and two lines of versions below 1.0. */
static bool base_of(enum pmg_eco eco, const char *base, struct numbers *out)
{
	struct numbers written = { 0 };

	if (!numbers_of(eco, base, out) || !take_numbers(base, base + strlen(base), &written))
		return false;
	out->n = written.n;
	return eco != PMG_ECO_NPM || written.n <= 3;
}

bool pmg_line_is_valid(enum pmg_eco eco, const char *base)
{
	struct numbers unused;

	return base_of(eco, base, &unused);
}

bool pmg_line_has(enum pmg_eco eco, const char *base, const char *version)
{
	struct numbers b, v;
	size_t i;

	if (!base_of(eco, base, &b) || !numbers_of(eco, version, &v) ||
	    pmg_digits_compare(b.epoch, v.epoch) != 0 ||
	    pmg_version_compare(eco, version, base) < 0)
		return false;
	for (i = 0; i < b.n; i++) {
		if (pmg_digits_compare(b.v[i], v.v[i]) != 0)
			return false;
		if (b.v[i].n > 0) /* not zero */
			return true;
	}
	return true;
}
