#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "policy/glob.h"

#define SMALL 24U /* bytes, of pattern and path, that the slow way can take */

/* The dialect once more, said in the plainest way: try everything. `p` is read until "/" or end. */
static bool in_set(const char **p, char byte)
{
	bool negated = **p == '!', found = false, first = true;
	unsigned char low, high, c = (unsigned char)byte;

	*p += negated;
	for (; first || **p != ']'; first = false) {
		*p += **p == '\\';
		low = high = (unsigned char)*(*p)++;
		if (**p == '-' && (*p)[1] != ']') {
			(*p)++;
			*p += **p == '\\';
			high = (unsigned char)*(*p)++;
		}
		found |= low <= c && c <= high;
	}
	(*p)++;
	return found != negated;
}

static bool slow(const char *p, const char *s)
{
	if (p[0] == '*' && p[1] == '*') { /* a whole component: the reader has seen to that */
		p += 2;
		if (*p == '\0')
			return true;
		for (;;) {
			if (slow(p + 1, s))
				return true;
			s = strchr(s, '/');
			if (!s)
				return false;
			s++;
		}
	}
	if (*p == '*') {
		for (;; s++) {
			if (slow(p + 1, s))
				return true;
			if (*s == '\0' || *s == '/')
				return false;
		}
	}
	if (*s == '\0')
		while (pmg_str_has_prefix(p, "/**")) /* no component at all */
			p += 3;
	if (*p == '\0' || *s == '\0')
		return *p == *s;
	if (*p == '/')
		return *s == '/' && slow(p + 1, s + 1);
	if (*s == '/')
		return false;
	if (*p == '?')
		return slow(p + 1, s + 1);
	if (*p == '[') {
		p++;
		return in_set(&p, *s) && slow(p, s + 1);
	}
	p += *p == '\\';
	return *p == *s && slow(p + 1, s + 1);
}

static bool is_clean(const char *path)
{
	return path[0] == '/' && path[1] && !strstr(path, "//") && !pmg_str_has_suffix(path, "/");
}

/* What is said of a folder must hold for the one file that is known to lie below it. */
static void must_agree(const struct pmg_glob *glob, const char *path, bool matches)
{
	pmg_autofree char *dir = pmg_xstrdup(path);
	pmg_auto(glob_path) struct pmg_glob_path parts;
	struct pmg_glob_mask needs = pmg_glob_needs(glob);
	char *slash;

	pmg_glob_path_init(&parts, path);
	if (matches && !pmg_glob_mask_has(&parts.mask, &needs))
		abort();
	if (pmg_glob_is_exact(glob) && !pmg_glob_is_subtree(glob) &&
	    matches != pmg_streq(path, pmg_glob_fixed(glob)))
		abort();
	while ((slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (matches && !pmg_glob_may_match_below(glob, dir))
			abort();
		if (pmg_glob_covers(glob, dir) && !matches)
			abort();
	}
}

/* Input: pattern, newline, path. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *pattern = pmg_xstrndup((const char *)data, size);
	char *path = strchr(pattern, '\n');
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	bool matches;

	if (!path)
		return 0;
	*path++ = '\0';
	if (pmg_glob_new(pattern, &glob, &err) < 0)
		return 0;
	matches = pmg_glob_match(glob, path);
	if (pattern[0] == '@' || !strchr(pattern, '/') || !is_clean(path))
		return 0;
	must_agree(glob, path, matches);
	if (strlen(pattern) <= SMALL && strlen(path) <= SMALL &&
	    matches != slow(pattern + (pattern[0] == '/'), path + 1))
		abort();
	return 0;
}
