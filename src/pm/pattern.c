#include "pm/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/purl.h"
#include "pm/version.h"

#define SHOWN_MAX 200U

void pmg_pattern_done(struct pmg_pattern *pattern)
{
	free(pattern->name);
	free(pattern->version);
	free(pattern->line);
	*pattern = (struct pmg_pattern){ 0 };
}

static int bad(struct pmg_err *err, const char *text, const char *why)
{
	pmg_autofree char *shown = pmg_str_quote(text, strlen(text), SHOWN_MAX);

	(void)pmg_err_set(err, PMG_E_PARSE, 0, "package pattern \"%s\": %s", shown, why);
	return pmg_err_hint(err, "write it like pkg:npm/name, pkg:npm/name@1.0.0, "
				 "pkg:npm/name@^1, pkg:npm/@scope/*, pkg:npm/* or pkg:pypi/name");
}

/* "pkg:npm/@scope/" + "*": with a name in the star's place it is a package URL. */
static int parse_wide(const char *text, struct pmg_pattern *out, struct pmg_err *err)
{
	pmg_autofree char *named = pmg_xasprintf("%.*sx", (int)(strlen(text) - 1), text);
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	char *slash;

	/* What stands behind "?" is no name: it would leave everything. */
	if (strlen(text) > PMG_PURL_MAX || strpbrk(text, "?#") ||
	    pmg_purl_parse(named, &purl, &scratch) < 0 || purl.version)
		return bad(err, text, "what stands before its star cannot be read");
	slash = strchr(purl.name, '/');
	out->eco = purl.eco;
	out->of = slash ? PMG_PATTERN_SCOPE : PMG_PATTERN_ALL;
	if (slash) {
		slash[1] = '\0';
		out->name = pmg_steal_ptr(&purl.name);
	}
	return 0;
}

static int parse_version(const char *text, const struct pmg_purl *purl, struct pmg_pattern *out,
			 struct pmg_err *err)
{
	const char *version = purl->version;

	if (!version)
		return 0;
	if (version[0] == '^') {
		if (!pmg_line_is_valid(purl->eco, version + 1))
			return bad(err, text,
				   "behind \"^\" has to stand a release, as in ^1 or ^0.2");
		out->line = pmg_xstrdup(version + 1);
		return 0;
	}
	if (!pmg_version_is_valid(purl->eco, version))
		return bad(err, text, "its version is neither one version nor ^ and a release");
	out->version = pmg_version_canonical(purl->eco, version);
	return 0;
}

int pmg_pattern_parse(const char *text, struct pmg_pattern *out, struct pmg_err *err)
{
	pmg_auto(pattern) struct pmg_pattern pattern = { 0 };
	pmg_auto(purl) struct pmg_purl purl = { 0 };
	int r;

	if (pmg_str_has_suffix(text, "/*")) {
		r = parse_wide(text, &pattern, err);
	} else if (strchr(text, '*')) {
		r = bad(err, text, "a star stands only in the place of a whole name");
	} else {
		r = pmg_purl_parse(text, &purl, err);
		if (r == 0)
			r = parse_version(text, &purl, &pattern, err);
		if (r == 0) {
			pattern.eco = purl.eco;
			pattern.name = pmg_steal_ptr(&purl.name);
		}
	}
	if (r < 0)
		return r;
	*out = pattern;
	pattern = (struct pmg_pattern){ 0 };
	return 0;
}

bool pmg_pattern_has_name(const struct pmg_pattern *pattern, enum pmg_eco eco, const char *name)
{
	if (pattern->eco != eco)
		return false;
	switch (pattern->of) {
	case PMG_PATTERN_NAME:
		return strcmp(pattern->name, name) == 0;
	case PMG_PATTERN_SCOPE:
		return pmg_str_has_prefix(name, pattern->name);
	case PMG_PATTERN_ALL:
		return true;
	}
	return false;
}

bool pmg_pattern_is_whole(const struct pmg_pattern *pattern)
{
	return !pattern->version && !pattern->line;
}

bool pmg_pattern_has_version(const struct pmg_pattern *pattern, const char *version)
{
	if (pmg_pattern_is_whole(pattern))
		return true;
	if (!version)
		return false;
	return pattern->line ? pmg_line_has(pattern->eco, pattern->line, version)
			     : strcmp(pattern->version, version) == 0;
}
