#include "pm/version.h"

#include <string.h>

#include "pm/version_priv.h"

/* A canonical form is never longer than its text, but for parts that were left out: ".0.0" of
   SemVer, the words and zeros of "1a" -> "1a0", "1-1" -> "1.post1", "1c" -> "1rc0". */
#define CANONICAL_ROOM 32U

void pmg_digits_add(struct pmg_str *out, struct pmg_digits d)
{
	if (d.n == 0)
		(void)!pmg_str_adds(out, "0");
	else
		(void)!pmg_str_add(out, d.s, d.n);
}

static bool fits(const char *version)
{
	return strnlen(version, PMG_VERSION_MAX + 1) <= PMG_VERSION_MAX;
}

static bool semver(const char *text, struct pmg_semver *out)
{
	return fits(text) && pmg_semver_parse(text, out);
}

static bool pep440(const char *text, struct pmg_pep440 *out)
{
	return fits(text) && pmg_pep440_parse(text, out);
}

static int npm_compare(const char *a, const char *b)
{
	struct pmg_semver x, y;
	bool is_x = semver(a, &x), is_y = semver(b, &y);

	if (is_x && is_y)
		return pmg_semver_compare(&x, &y);
	if (is_x != is_y)
		return is_x ? 1 : -1;
	return strcmp(a, b);
}

static int pypi_compare(const char *a, const char *b)
{
	struct pmg_pep440 x, y;
	bool is_x = pep440(a, &x), is_y = pep440(b, &y);

	if (is_x && is_y)
		return pmg_pep440_compare(&x, &y);
	if (is_x != is_y)
		return is_x ? 1 : -1;
	return pmg_legacy_compare(a, b);
}

static bool npm_canonical(const char *version, struct pmg_str *out)
{
	struct pmg_semver v;

	if (!semver(version, &v))
		return false;
	pmg_semver_canonical(&v, out);
	return true;
}

static bool pypi_canonical(const char *version, struct pmg_str *out)
{
	struct pmg_pep440 v;

	if (!pep440(version, &v))
		return false;
	pmg_pep440_canonical(&v, out);
	return true;
}

static const struct {
	int (*compare)(const char *a, const char *b);
	bool (*canonical)(const char *version, struct pmg_str *out); /* false: not valid */
} ecos[PMG_ECO_MAX] = {
	[PMG_ECO_NPM] = { npm_compare, npm_canonical },
	[PMG_ECO_PYPI] = { pypi_compare, pypi_canonical },
};

static bool npm_prerelease(const char *version)
{
	struct pmg_semver v;

	return semver(version, &v) && v.pre;
}

static bool pypi_prerelease(const char *version)
{
	struct pmg_pep440 v;

	return pep440(version, &v) && (v.pre || v.has_dev);
}

/* "canary" of "canary-1.2", "" of "0.3". */
static size_t word_len(const struct pmg_semver *v)
{
	size_t n = 0;

	while (n < v->pre_len && pmg_is_alpha(v->pre[n]))
		n++;
	return n;
}

bool pmg_semver_is_same_line(const char *a, const char *b)
{
	struct pmg_semver x, y;
	size_t n;

	if (!semver(a, &x) || !semver(b, &y) || pmg_digits_compare(x.part[0], y.part[0]) != 0)
		return false;
	if (!x.pre || !y.pre)
		return !x.pre && !y.pre;
	n = word_len(&x);
	return n == word_len(&y) && memcmp(x.pre, y.pre, n) == 0;
}

bool pmg_version_is_prerelease(enum pmg_eco eco, const char *version)
{
	return eco == PMG_ECO_NPM ? npm_prerelease(version) : pypi_prerelease(version);
}

int pmg_version_compare(enum pmg_eco eco, const char *a, const char *b)
{
	return ecos[eco].compare(a, b);
}

/* "1", "1.0", "v1.x", "x": npm takes each for all that begin so. */
static bool is_partial(const char *s)
{
	size_t part, n;

	s += strspn(s, "v= \t");
	for (part = 0; part < 3; part++) {
		n = strspn(s, "0123456789");
		if (n == 0)
			return strchr("xX*", *s) && *s && (s[1] == '\0' || s[1] == '.');
		s += n;
		if (*s != '.')
			return *s == '\0' && part < 2;
		s++;
	}
	return false;
}

bool pmg_version_is_range(enum pmg_eco eco, const char *text)
{
	if (strcmp(text, "latest") == 0 || strpbrk(text, "<>*|^,") || *text == '~')
		return true;
	if (eco == PMG_ECO_NPM)
		return is_partial(text) || strstr(text, " - ");
	return *text == '=' || strncmp(text, "!=", 2) == 0;
}

bool pmg_version_is_valid(enum pmg_eco eco, const char *version)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(PMG_VERSION_MAX + CANONICAL_ROOM);

	return ecos[eco].canonical(version, &out);
}

char *pmg_version_canonical(enum pmg_eco eco, const char *version)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(PMG_VERSION_MAX + CANONICAL_ROOM);

	if (!ecos[eco].canonical(version, &out))
		return pmg_xstrdup(version);
	return pmg_str_steal(&out);
}
