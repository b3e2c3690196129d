#ifndef PMG_PM_VERSION_PRIV_H
#define PMG_PM_VERSION_PRIV_H
/**
 * The parts of version.c: one reader for each ecosystem's grammar. A parsed
 * version borrows from the text it was parsed from; nothing is allocated.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

/* A number of any length: its digits without leading zeros; n is 0 for zero. */
struct pmg_digits {
	const char *s;
	size_t n;
};

static inline bool pmg_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool pmg_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char pmg_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Reads all digits at *s, at least one must be there; *s then stands behind them. */
static inline struct pmg_digits pmg_digits_take(const char **s, const char *end)
{
	struct pmg_digits d;

	while (*s < end && **s == '0')
		(*s)++;
	d.s = *s;
	while (*s < end && pmg_is_digit(**s))
		(*s)++;
	d.n = (size_t)(*s - d.s);
	return d;
}

static inline int pmg_digits_compare(struct pmg_digits a, struct pmg_digits b)
{
	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	return a.n ? memcmp(a.s, b.s, a.n) : 0;
}

/** Append the number. The buffer's limit must have room. */
void pmg_digits_add(struct pmg_str *out, struct pmg_digits d);

struct pmg_semver {
	struct pmg_digits part[3];
	const char *pre; /* "rc.1"; NULL when none */
	size_t pre_len;
};

/** @return false when the text is not SemVer even loosely (version.h says what that is) */
bool pmg_semver_parse(const char *text, struct pmg_semver *out);
int pmg_semver_compare(const struct pmg_semver *a, const struct pmg_semver *b);
void pmg_semver_canonical(const struct pmg_semver *v, struct pmg_str *out);

struct pmg_pep440 {
	struct pmg_digits epoch;
	const char *release; /* "1.02.0": digits and dots */
	size_t release_len;
	char pre; /* 'a', 'b', 'c' (rc); 0 when none */
	bool has_post, has_dev;
	struct pmg_digits pre_n, post_n, dev_n;
	const char *local; /* NULL when none */
	size_t local_len;
};

bool pmg_pep440_parse(const char *text, struct pmg_pep440 *out);
int pmg_pep440_compare(const struct pmg_pep440 *a, const struct pmg_pep440 *b);
void pmg_pep440_canonical(const struct pmg_pep440 *v, struct pmg_str *out);

/** Order of two texts that are both not PEP 440. 0 only for equal texts. */
int pmg_legacy_compare(const char *a, const char *b);

#endif
