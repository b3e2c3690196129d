#include "proxy/identity.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "pm/version.h"

#define SEGMENTS_MAX 64U

void pmg_identities_done(struct pmg_identities *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].name);
		free(list->v[i].version);
	}
	*list = (struct pmg_identities){ 0 };
}

void pmg_identities_add(struct pmg_identities *list, enum pmg_eco eco, const char *name,
			const char *version)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->v[i].eco == eco && pmg_streq(list->v[i].name, name) &&
		    pmg_streq(list->v[i].version, version))
			return;
	if (list->n == PMG_IDENTITIES_MAX || strlen(name) > PMG_NAME_MAX ||
	    (version && strlen(version) > PMG_VERSION_MAX)) {
		list->overflow = true;
		return;
	}
	list->v[list->n++] = (struct pmg_identity){ eco, pmg_xstrdup(name),
						    version ? pmg_xstrdup(version) : NULL };
}

/* Cuts suffix off the end of s, whatever its case. */
static bool cut_suffix(char *s, const char *suffix)
{
	size_t ls = strlen(s), lx = strlen(suffix);

	if (ls <= lx || strcasecmp(s + ls - lx, suffix) != 0)
		return false;
	s[ls - lx] = '\0';
	return true;
}

static bool cut_any(char *s, const char *const *suffixes)
{
	for (; *suffixes; suffixes++)
		if (cut_suffix(s, *suffixes))
			return true;
	return false;
}

static void add_split(struct pmg_identities *out, enum pmg_eco eco, const char *text,
		      const char *dash)
{
	pmg_autofree char *name = pmg_xstrndup(text, (size_t)(dash - text));

	pmg_identities_add(out, eco, name, dash + 1);
}

/* Every "name-version" that the text can be split into. @return how many */
static size_t add_splits(struct pmg_identities *out, enum pmg_eco eco, const char *text,
			 bool (*fits)(enum pmg_eco eco, const char *version))
{
	const char *dash;
	size_t count = 0;

	for (dash = strchr(text, '-'); dash; dash = strchr(dash + 1, '-'))
		if (dash > text && fits(eco, dash + 1)) {
			add_split(out, eco, text, dash);
			count++;
		}
	return count;
}

static bool starts_with_digit(enum pmg_eco eco, const char *version)
{
	(void)eco;
	return isdigit((unsigned char)version[0]) != 0;
}

struct segments {
	char *v[SEGMENTS_MAX];
	size_t n;
	bool overflow;
};

/* Cuts text up at "/". What follows ";" in a segment is a parameter to some servers. */
static void cut_segments(char *text, struct segments *out)
{
	size_t n;

	for (text += strspn(text, "/"); *text; text += strspn(text, "/")) {
		if (out->n == SEGMENTS_MAX) {
			out->overflow = true;
			return;
		}
		n = strcspn(text, "/");
		out->v[out->n++] = text;
		text += n;
		if (*text)
			*text++ = '\0';
		out->v[out->n - 1][strcspn(out->v[out->n - 1], ";")] = '\0';
	}
}

/* "name" or "@scope/name" that ends with segment i. Caller frees. */
static char *npm_name(const struct segments *seg, size_t i)
{
	assert(i < SEGMENTS_MAX);
	const char *before = i > 0 ? seg->v[i - 1] : "";

	if (before[0] == '@')
		return pmg_xasprintf("%s/%s", before, seg->v[i]);
	return pmg_xstrdup(seg->v[i]);
}

/* The file after "/-/": BASE-VERSION.tgz, BASE being the name without its scope. */
static void npm_file(const char *name, const char *base, const char *file,
		     struct pmg_identities *out)
{
	static const char *const suffixes[] = { ".tgz", ".tar.gz", ".tar", NULL };
	pmg_autofree char *stem = pmg_xstrdup(file);
	const char *dash, *version = NULL;
	size_t n = strlen(base), count = 0;

	(void)cut_any(stem, suffixes);
	if (strncasecmp(stem, base, n) == 0 && stem[n] == '-')
		version = stem + n + 1;
	if (version && pmg_version_is_valid(PMG_ECO_NPM, version)) {
		pmg_identities_add(out, PMG_ECO_NPM, name, version);
		return;
	}
	/* Not as registries name files: any tail may be what the server goes by. */
	for (dash = strchr(stem, '-'); dash; dash = strchr(dash + 1, '-'))
		if (pmg_version_is_valid(PMG_ECO_NPM, dash + 1)) {
			pmg_identities_add(out, PMG_ECO_NPM, name, dash + 1);
			count++;
		}
	if (count == 0)
		pmg_identities_add(out, PMG_ECO_NPM, name, version);
}

/* PATH/NAME/NAME-VERSION.tgz, as some mirrors lay files out. */
static bool npm_flat(const struct segments *seg, struct pmg_identities *out)
{
	const char *file = seg->n >= 2 ? seg->v[seg->n - 1] : "", *base;
	pmg_autofree char *name = NULL;
	size_t n;

	if (!pmg_str_has_suffix(file, ".tgz") && !pmg_str_has_suffix(file, ".tar.gz"))
		return false;
	base = seg->v[seg->n - 2];
	n = strlen(base);
	if (strncasecmp(file, base, n) != 0 || file[n] != '-')
		return false;
	name = npm_name(seg, seg->n - 2);
	npm_file(name, base, file, out);
	return true;
}

/* download/NAME/VERSION/HASH, and PATH/NAME/VERSION.tgz, as some registries hand artifacts out. The
 * document that names them may be in the manager's cache, so that nothing is learned from it. */
static bool npm_spelled(const struct segments *seg, struct pmg_identities *out)
{
	size_t last = seg->n - 1, i;
	bool found = false;

	for (i = 1; i < seg->n; i++) {
		pmg_autofree char *version = pmg_xstrdup(seg->v[i]);
		pmg_autofree char *name = npm_name(seg, i - 1);
		size_t before = name[0] == '@' ? 3 : 2; /* from the version to what stands before */
		bool download =
			i < last && i >= before && strcmp(seg->v[i - before], "download") == 0;

		if ((download || (i == last && cut_suffix(version, ".tgz"))) &&
		    pmg_version_is_valid(PMG_ECO_NPM, version)) {
			pmg_identities_add(out, PMG_ECO_NPM, name, version);
			found = true;
		}
	}
	return found;
}

/* PATH/NAME/-/[VERSION/]FILE: for every "-" with something on both sides. */
static bool npm_artifact(const struct segments *seg, struct pmg_identities *out)
{
	bool found = false;
	size_t i, k;

	for (i = 1; i + 1 < seg->n; i++) {
		pmg_autofree char *name = NULL;

		if (strcmp(seg->v[i], "-") != 0 || strcmp(seg->v[i - 1], "-") == 0)
			continue;
		name = npm_name(seg, i - 1);
		npm_file(name, seg->v[i - 1], seg->v[seg->n - 1], out);
		for (k = i + 1; k + 1 < seg->n; k++)
			if (pmg_version_is_valid(PMG_ECO_NPM, seg->v[k]))
				pmg_identities_add(out, PMG_ECO_NPM, name, seg->v[k]);
		found = true;
	}
	out->overflow |= seg->overflow;
	return found || npm_flat(seg, out) || npm_spelled(seg, out);
}

static enum pmg_path_kind npm_path(const char *rest, struct pmg_identities *out)
{
	pmg_autofree char *text = pmg_xstrdup(rest);
	pmg_autofree char *name = NULL;
	struct segments seg = { 0 };
	size_t at;

	cut_segments(text, &seg);
	if (npm_artifact(&seg, out))
		return PMG_PATH_ARTIFACT;
	if (seg.n == 0 || strcmp(seg.v[0], "-") == 0)
		return PMG_PATH_OTHER;
	at = seg.v[0][0] == '@' ? 1 : 0;
	/* NAME, or NAME/VERSION-OR-TAG */
	if (seg.n < at + 1 || seg.n > at + 2)
		return PMG_PATH_OTHER;
	name = npm_name(&seg, at);
	pmg_identities_add(out, PMG_ECO_NPM, name, seg.n == at + 2 ? seg.v[at + 1] : NULL);
	return PMG_PATH_METADATA;
}

bool pmg_identity_is_audit(enum pmg_eco eco, const char *rest)
{
	static const char *const paths[] = { "-/npm/v1/security/advisories/bulk",
					     "-/npm/v1/security/audits/quick",
					     "-/npm/v1/security/audits" };
	size_t i;

	for (i = 0; eco == PMG_ECO_NPM && i < PMG_ARRAY_LEN(paths); i++)
		if (strcmp(paths[i], rest) == 0)
			return true;
	return false;
}

static bool npm_anywhere(const char *path, struct pmg_identities *out)
{
	pmg_autofree char *text = pmg_xstrdup(path);
	struct segments seg = { 0 };

	cut_segments(text, &seg);
	return npm_artifact(&seg, out);
}

static const char *const sdist_suffixes[] = { ".tar.gz", ".zip", ".tgz", ".tar.bz2",
					      ".tar.xz", ".tbz", ".txz", ".tar.lzma",
					      ".tar.Z",  ".tar", NULL };

/* NAME-VERSION, where both may hold dashes. */
static void pypi_sdist(const char *stem, struct pmg_identities *out)
{
	const char *dash;

	if (add_splits(out, PMG_ECO_PYPI, stem, pmg_version_is_valid) > 0 ||
	    add_splits(out, PMG_ECO_PYPI, stem, starts_with_digit) > 0)
		return;
	dash = strrchr(stem, '-');
	if (dash && dash > stem)
		add_split(out, PMG_ECO_PYPI, stem, dash);
	else
		pmg_identities_add(out, PMG_ECO_PYPI, stem, NULL);
}

/* Wheels write "_" for "-" in a version. */
static char *wheel_version(const char *text, size_t n)
{
	char *version = pmg_xstrndup(text, n), *p;

	if (!pmg_version_is_valid(PMG_ECO_PYPI, version))
		for (p = version; *p; p++)
			if (*p == '_')
				*p = '-';
	return version;
}

/* NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM: with the three tags gone, the version is the last
 * part, or the one before when the last is a build number. */
static void pypi_wheel(char *stem, struct pmg_identities *out)
{
	char *dash;
	size_t tags, before = out->n;

	for (tags = 0; tags < 3 && (dash = strrchr(stem, '-')) && dash > stem; tags++)
		*dash = '\0';
	for (dash = strchr(stem, '-'); dash; dash = strchr(dash + 1, '-')) {
		pmg_autofree char *name = pmg_xstrndup(stem, (size_t)(dash - stem));
		pmg_autofree char *version = wheel_version(dash + 1, strcspn(dash + 1, "-"));

		if (dash > stem && pmg_version_is_valid(PMG_ECO_PYPI, version))
			pmg_identities_add(out, PMG_ECO_PYPI, name, version);
	}
	if (out->n == before)
		pypi_sdist(stem, out);
}

/* NAME-VERSION-pyX.Y[-PLATFORM] */
static void pypi_egg(char *stem, struct pmg_identities *out)
{
	char *py;

	for (py = strstr(stem, "-py"); py; py = strstr(py + 1, "-py"))
		if (isdigit((unsigned char)py[3])) {
			*py = '\0';
			break;
		}
	pypi_sdist(stem, out);
}

static bool pypi_file(const char *file, struct pmg_identities *out)
{
	pmg_autofree char *stem = pmg_xstrdup(file);

	stem[strcspn(stem, ";")] = '\0';
	(void)cut_suffix(stem, ".metadata"); /* PEP 658: what the resolver goes by */
	if (cut_suffix(stem, ".whl"))
		pypi_wheel(stem, out);
	else if (cut_suffix(stem, ".egg"))
		pypi_egg(stem, out);
	else if (cut_any(stem, sdist_suffixes))
		pypi_sdist(stem, out);
	else
		return false;
	return true;
}

/* The last segment that is not empty. Caller frees. */
static char *last_segment(const char *path)
{
	size_t end = strlen(path), start;

	while (end > 0 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/';)
		start--;
	return pmg_xstrndup(path + start, end - start);
}

static bool pypi_anywhere(const char *path, struct pmg_identities *out)
{
	pmg_autofree char *file = last_segment(path);

	return pypi_file(file, out);
}

/* PROJECT/ below the index; whatever is deeper can only be a file. */
static enum pmg_path_kind pypi_path(const char *rest, struct pmg_identities *out)
{
	pmg_autofree char *last = last_segment(rest);

	if (pypi_file(last, out))
		return PMG_PATH_ARTIFACT;
	if (last[0] == '\0' || strncmp(rest, last, strlen(last)) != 0 ||
	    strspn(rest + strlen(last), "/") != strlen(rest + strlen(last)))
		return PMG_PATH_OTHER;
	pmg_identities_add(out, PMG_ECO_PYPI, last, NULL);
	return PMG_PATH_METADATA;
}

char *pmg_identity_pypi_version(const char *file, const char *project)
{
	pmg_autofree char *want = pmg_name_canonical(PMG_ECO_PYPI, project);
	pmg_auto(identities) struct pmg_identities all = { 0 };
	size_t i;

	if (!pypi_file(file, &all) || all.overflow)
		return NULL;
	for (i = 0; i < all.n; i++) {
		pmg_autofree char *name = pmg_name_canonical(PMG_ECO_PYPI, all.v[i].name);

		if (all.v[i].version && pmg_streq(name, want))
			return pmg_steal_ptr(&all.v[i].version);
	}
	return NULL;
}

static const struct {
	enum pmg_path_kind (*path)(const char *rest, struct pmg_identities *out);
	bool (*anywhere)(const char *path, struct pmg_identities *out);
} ecos[PMG_ECO_MAX] = {
	[PMG_ECO_NPM] = { npm_path, npm_anywhere },
	[PMG_ECO_PYPI] = { pypi_path, pypi_anywhere },
};

enum pmg_path_kind pmg_identity_path(enum pmg_eco eco, const char *rest, struct pmg_identities *out)
{
	return ecos[eco].path(rest, out);
}

bool pmg_identity_artifact(enum pmg_eco eco, const char *path, struct pmg_identities *out)
{
	return ecos[eco].anywhere(path, out);
}

bool pmg_path_looks_like_artifact(const char *path)
{
	pmg_autofree char *file = last_segment(path);

	return cut_suffix(file, ".whl") || cut_suffix(file, ".egg") ||
	       cut_suffix(file, ".whl.metadata") || cut_any(file, sdist_suffixes);
}
