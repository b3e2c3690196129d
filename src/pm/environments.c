#include "pm/environments.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/resolved_walk_priv.h"

static void add_found(const char *pattern, struct pmg_strv *out)
{
	glob_t found = { 0 };
	size_t i;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
		for (i = 0; i < found.gl_pathc; i++)
			pmg_strv_add(out, found.gl_pathv[i]);
	globfree(&found);
}

/* @param base  a pattern itself */
static void add_sites(const char *base, struct pmg_strv *out)
{
	static const char *const below[] = { "lib/python3*/site-packages",
					     "lib64/python3*/site-packages",
					     "lib/python3*/dist-packages",
					     "local/lib/python3*/dist-packages",
					     "python3*/site-packages" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(below); i++) {
		pmg_autofree char *pattern = pmg_path_join(base, below[i]);

		add_found(pattern, out);
	}
}

void pmg_environments_sites(const char *base, struct pmg_strv *out)
{
	if (!strpbrk(base, "*?[\\")) /* else no prefix that a manager would make */
		add_sites(base, out);
}

void pmg_environments_match(const struct pmg_strv *patterns, struct pmg_strv *out)
{
	size_t i;

	for (i = 0; i < patterns->n; i++)
		add_sites(patterns->v[i], out);
}

/* python3.11, of which the packages lie in lib/python3.11: the program that a virtual environment
 * leads to. Caller frees; NULL: it is none, or leads to nothing, and will be made anew. */
static char *python_of(const char *base)
{
	pmg_autofree char *path = pmg_path_join(base, "bin/python");
	pmg_autofree char *real = realpath(path, NULL);
	const char *name = real ? pmg_path_name(real) : "";

	return pmg_str_has_prefix(name, "python3.") ? pmg_xstrdup(name) : NULL;
}

static bool is_venv(const char *base)
{
	pmg_autofree char *path = pmg_path_join(base, "pyvenv.cfg");

	return strcmp(pmg_path_name(base), ".venv") == 0 || access(path, F_OK) == 0;
}

bool pmg_environments_looks(const char *base, const char *site)
{
	pmg_autofree char *python = python_of(base), *above = pmg_path_dir(site);

	return !is_venv(base) || pmg_streq(python, pmg_path_name(above));
}

/* A walk through the entries of such folders. */
struct walk {
	struct pmg_tree tree; /* first: what a visitor is given */
	struct pmg_strv *out;
	const struct pmg_strv *before; /* sorted */
};

static char *stamp_of(const char *folder, const char *name)
{
	pmg_autofree char *path = pmg_path_join(folder, name);
	struct stat st;

	if (lstat(path, &st) < 0)
		st = (struct stat){ 0 };
	return pmg_xasprintf("%s %ju %ju %jd.%09ld", path, (uintmax_t)st.st_dev,
			     (uintmax_t)st.st_ino, (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
}

static int add_stamp(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		     unsigned depth, struct pmg_err *err)
{
	struct pmg_strv *out = ((const struct walk *)tree)->out;

	(void)dir;
	(void)depth;
	(void)err;
	if (pmg_tree_is_dist(path, entry->d_name))
		pmg_strv_take(out, stamp_of(path, entry->d_name));
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int take_new(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		    unsigned depth, struct pmg_err *err)
{
	const struct pmg_strv *before = ((const struct walk *)tree)->before;
	pmg_autofree char *stamp = stamp_of(path, entry->d_name);

	if (before->n > 0 && bsearch(&stamp, before->v, before->n, sizeof *before->v, compare))
		return 0;
	return pmg_tree_dist(tree, dir, path, entry, depth, err);
}

static int walk_all(struct walk *walk, const struct pmg_strv *patterns, pmg_tree_fn *fn,
		    struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv sites = { 0 };
	size_t i;
	int r = 0;

	pmg_environments_match(patterns, &sites);
	for (i = 0; r == 0 && i < sites.n; i++) {
		int fd = pmg_tree_open(AT_FDCWD, sites.v[i]);

		if (fd >= 0)
			r = pmg_tree_each(&walk->tree, fd, sites.v[i], 0, fn, err);
	}
	return r;
}

void pmg_environments_stamps(const struct pmg_strv *patterns, struct pmg_strv *out)
{
	struct walk walk = { .out = out };
	struct pmg_err err = PMG_ERR_INIT;

	/* Beyond its limit all that has no line is new. */
	(void)!walk_all(&walk, patterns, add_stamp, &err);
	pmg_strv_sort(out);
}

int pmg_environments_new(const struct pmg_strv *patterns, const struct pmg_strv *stamps,
			 struct pmg_resolved *set, struct pmg_err *err)
{
	struct walk walk = { .tree = { .set = set }, .before = stamps };

	return walk_all(&walk, patterns, take_new, err);
}
