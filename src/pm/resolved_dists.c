/*
 * Installed projects of Python. The name of folder or file is what pip goes by; what is written in
 * it names it as it is called: both count.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "pm/resolved_priv.h"
#include "pm/resolved_walk_priv.h"
#include "pm/version.h"

/* "Name: x" of a text of headers; NULL when it is not there. Caller frees. */
static char *header_of(const char *text, size_t len, const char *key)
{
	size_t n = strlen(key);
	const char *p = text, *end = text + len, *stop;

	while (p < end && *p != '\n' && *p != '\r') { /* an empty line ends them */
		stop = memchr(p, '\n', (size_t)(end - p));
		stop = stop ? stop : end;
		if ((size_t)(stop - p) > n && strncmp(p, key, n) == 0) {
			const char *last = stop;

			for (p += n; p < last && (*p == ' ' || *p == '\t'); p++)
				;
			while (last > p && strchr(" \t\r", last[-1]))
				last--;
			return pmg_xstrndup(p, (size_t)(last - p));
		}
		p = stop < end ? stop + 1 : end;
	}
	return NULL;
}

static bool is_same(const char *a, const char *b)
{
	pmg_autofree char *left = pmg_name_canonical(PMG_ECO_PYPI, a);
	pmg_autofree char *right = pmg_name_canonical(PMG_ECO_PYPI, b);

	return pmg_streq(left, right);
}

/* What tells of an installed project of Python: of wheels, of setuptools, of distutils and
 * easy_install. */
static const struct kind {
	const char *suffix, *folder, *file; /* folder within: NULL for none; file NULL: it is one */
	bool is_dir;
} kinds[] = {
	{ ".dist-info", NULL, "METADATA", true },
	{ ".egg-info", NULL, "PKG-INFO", true },
	{ ".egg-info", NULL, NULL, false },
	{ ".egg", "EGG-INFO", "PKG-INFO", true },
};

static bool is_link(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static const struct kind *kind_of(int dir, const struct dirent *entry)
{
	bool is_dir = pmg_tree_is_folder(dir, entry);
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(kinds); i++)
		if (pmg_str_has_suffix(entry->d_name, kinds[i].suffix) &&
		    (kinds[i].is_dir == is_dir || is_link(dir, entry->d_name)))
			return &kinds[i];
	return NULL;
}

bool pmg_tree_is_dist(const char *folder, const char *name)
{
	return pmg_str_has_suffix(name, ".dist-info") ||
	       /* Elsewhere such a thing is what a project of one's own has been built with. */
	       (pmg_str_has_suffix(folder, "-packages") &&
		(pmg_str_has_suffix(name, ".egg-info") || pmg_str_has_suffix(name, ".egg")));
}

/* The folder of an installed project, opened; or, of a file, what it lies in. A link is not
 * followed: -1.
 */
static int open_dist(int dir, const struct dirent *entry, const struct kind *kind)
{
	pmg_autofd int fd = -1;

	if (!kind->file)
		return openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = pmg_tree_open(dir, entry->d_name);
	return fd < 0 || !kind->folder ? pmg_steal_fd(&fd) : pmg_tree_open(fd, kind->folder);
}

/* NAME-VERSION, NAME-VERSION-pyX.Y */
static char *stem_of(const char *name, const struct kind *kind, char **version)
{
	char *stem = pmg_xstrndup(name, strlen(name) - strlen(kind->suffix));
	char *dash = strchr(stem, '-'), *tag;

	*version = NULL;
	if (!dash)
		return stem;
	*dash = '\0';
	*version = dash + 1;
	tag = strcmp(kind->suffix, ".dist-info") == 0 ? NULL : strstr(*version, "-py");
	if (tag)
		*tag = '\0';
	return stem;
}

/* PEP 610: what was named by address or path is of no index; but an archive at an index is, and has
 * its date there. Caller frees. */
static char *source_of(int dist)
{
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	const char *url = NULL;
	size_t len = 0;

	if (dist < 0 || faccessat(dist, "direct_url.json", F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return pmg_xstrdup(PMG_RESOLVED_ANYWHERE);
	if (pmg_tree_slurp(dist, "direct_url.json", &text, &len) &&
	    pmg_json_parse_as_js("direct_url.json", text, len, &json, &scratch) == 0 &&
	    pmg_json_get(json, "archive_info"))
		url = pmg_json_str(json, "url");
	return pmg_xstrdup(url ? url : "direct");
}

int pmg_tree_dist(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		  unsigned depth, struct pmg_err *err)
{
	const struct kind *kind = kind_of(dir, entry);
	pmg_autofree char *file = NULL, *text = NULL, *name = NULL, *version = NULL, *stem = NULL;
	pmg_autofree char *source = NULL;
	struct pmg_resolving from = { .set = tree->set, .installed = true };
	struct pmg_locked locked = { 0 };
	pmg_autofd int fd = -1;
	char *stem_version;
	size_t len = 0;
	int r;

	(void)depth;
	if (!kind)
		return 0;
	fd = open_dist(dir, entry, kind);
	tree->manifest = fd >= 0 && kind->file ? pmg_tree_stamp(fd, kind->file) : 0;
	if (!tree->manifest)
		tree->manifest = pmg_tree_stamp(dir, entry->d_name);
	if (fd >= 0 && pmg_tree_slurp(fd, kind->file ? kind->file : entry->d_name, &text, &len)) {
		name = header_of(text, len, "Name:");
		version = header_of(text, len, "Version:");
	}
	stem = stem_of(entry->d_name, kind, &stem_version);
	source = source_of(fd);
	locked.url = source;
	locked.name = name ? name : stem;
	locked.version = version ? version : stem_version;
	file = pmg_xasprintf("%s/%s%s%s%s%s", path, entry->d_name, kind->folder ? "/" : "",
			     kind->folder ? kind->folder : "", kind->file ? "/" : "",
			     kind->file ? kind->file : "");
	if (!name && !pmg_name_is_valid(PMG_ECO_PYPI, stem)) {
		pmg_resolved_skip(tree->set, file, "no name of a package; pip takes it for none");
		return 0;
	}
	from.file = pmg_resolved_keep(tree->set, file);
	r = pmg_tree_add(tree, &from, PMG_ECO_PYPI, &locked, err);
	if (r < 0 || !name || is_same(name, stem) || !pmg_name_is_valid(PMG_ECO_PYPI, stem))
		return r;
	locked.name = stem;
	return pmg_tree_add(tree, &from, PMG_ECO_PYPI, &locked, err);
}

int pmg_resolved_site_packages(struct pmg_resolved *set, const char *path, struct pmg_err *err)
{
	struct pmg_tree tree = { .set = set };
	int fd = pmg_tree_open(AT_FDCWD, path);

	return fd < 0 ? 0 : pmg_tree_each(&tree, fd, path, 0, pmg_tree_dist, err);
}
