#include "run/links.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/strv.h"
#include "run/target.h"

#define NAMES_MAX 50000U /* looked at, of project and home each */
#define HARD_MAX  1024U  /* files with more names than one that are followed up */

/* A file with several names, and how many of them the project has. */
struct hard {
	dev_t dev;
	ino_t ino;
	nlink_t links, seen;
	char *path, *other;
};

struct search {
	const char *project;
	struct pmg_links *out;
	struct hard hard[HARD_MAX];
	size_t n_hard;
	struct pmg_strv folders; /* to be looked through */
	size_t names;
	bool is_outside; /* in the home now: other names are wanted */
};

void pmg_links_done(struct pmg_links *links)
{
	size_t i;

	for (i = 0; i < links->n; i++) {
		free(links->v[i].path);
		free(links->v[i].target);
	}
	*links = (struct pmg_links){ 0 };
}

static void add(struct pmg_links *out, bool is_hard, const char *path, const char *target)
{
	out->found++;
	if (out->n == PMG_LINKS_MAX)
		return;
	out->v[out->n++] = (struct pmg_link_pair){ .is_hard = is_hard,
						   .path = pmg_xstrdup(path),
						   .target = target ? pmg_xstrdup(target) : NULL };
}

static void look_at_symlink(struct search *search, const char *folder, const char *name,
			    const char *path)
{
	struct stat st;
	pmg_autofree char *target = pmg_target_find(NULL, folder, name, &st);

	if (target && !pmg_path_is_under(target, search->project))
		add(search->out, false, path, target);
}

/* Managers make these by the thousand: a store's files, git's objects in a clone beside it. */
static bool is_made_so(const char *path)
{
	static const char *const folders[] = { "/node_modules/", "/.venv/", "/venv/",
					       "/site-packages/", "/.git/" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(folders); i++)
		if (strstr(path, folders[i]))
			return true;
	return false;
}

static struct hard *find_hard(struct search *search, const struct stat *st)
{
	size_t i;

	for (i = 0; i < search->n_hard; i++)
		if (search->hard[i].ino == st->st_ino && search->hard[i].dev == st->st_dev)
			return &search->hard[i];
	return NULL;
}

static void look_at_file(struct search *search, const char *path, const struct stat *st)
{
	struct hard *hard;

	if (st->st_nlink < 2 || (!search->is_outside && is_made_so(path + strlen(search->project))))
		return;
	hard = find_hard(search, st);
	if (search->is_outside) {
		if (hard && !hard->other)
			hard->other = pmg_xstrdup(path);
	} else if (hard) {
		hard->seen++;
	} else if (search->n_hard < HARD_MAX) {
		search->hard[search->n_hard++] = (struct hard){ .dev = st->st_dev,
								.ino = st->st_ino,
								.links = st->st_nlink,
								.seen = 1,
								.path = pmg_xstrdup(path) };
	} else {
		search->out->has_more = true;
	}
}

static void look_at(struct search *search, int dir, const char *folder, const char *name)
{
	pmg_autofree char *path = pmg_path_join(folder, name);
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISDIR(st.st_mode)) {
		if (!search->is_outside || strcmp(path, search->project) != 0)
			pmg_strv_add(&search->folders, path);
	} else if (S_ISREG(st.st_mode)) {
		look_at_file(search, path, &st);
	} else if (S_ISLNK(st.st_mode) && !search->is_outside) {
		look_at_symlink(search, folder, name, path);
	}
}

/* @return false: enough */
static bool look_through(struct search *search, const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		pmg_auto_closep(&fd);
		return true;
	}
	while (search->names <= NAMES_MAX && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		search->names++;
		look_at(search, fd, folder, entry->d_name);
	}
	(void)closedir(dir);
	return search->names <= NAMES_MAX;
}

/* By depth: what lies on top is found however much lies below. */
static bool look_below(struct search *search, const char *top)
{
	bool all = true;
	size_t i;

	search->names = 0;
	pmg_strv_add(&search->folders, top);
	for (i = 0; all && i < search->folders.n; i++)
		all = look_through(search, search->folders.v[i]);
	pmg_strv_done(&search->folders);
	return all;
}

static void settle(struct search *search, const char *home)
{
	size_t i, kept = 0;

	for (i = 0; i < search->n_hard; i++) {
		if (search->hard[i].seen < search->hard[i].links)
			search->hard[kept++] = search->hard[i];
		else
			free(search->hard[i].path);
	}
	search->n_hard = kept;
	search->is_outside = true;
	if (kept > 0)
		(void)look_below(search, home); /* what is not found stays unnamed */
	for (i = 0; i < kept; i++) {
		add(search->out, true, search->hard[i].path, search->hard[i].other);
		free(search->hard[i].path);
		free(search->hard[i].other);
	}
}

static int compare(const void *left, const void *right)
{
	const struct pmg_link_pair *a = left, *b = right;

	return strcmp(a->path, b->path);
}

void pmg_links_escaping(const char *project, const char *home, struct pmg_links *out)
{
	struct search *search = pmg_xcalloc(1, sizeof *search);

	search->project = project;
	search->out = out;
	out->has_more = !look_below(search, project);
	settle(search, home);
	free(search);
	if (out->n > 0)
		qsort(out->v, out->n, sizeof *out->v, compare);
}
