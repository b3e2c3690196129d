#include "pm/project.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"

#define DEPTH_MAX   8U /* of "**" */
#define PATTERN_MAX 1024U
#define VISITS_MAX  16384U /* folders opened: patterns of many "**" must end too */

struct walk {
	struct pmg_strv *out;
	unsigned visits;
};

char *pmg_project_up(const char *start, const char *name)
{
	pmg_autofree char *dir = pmg_path_clean(start);
	unsigned level;

	for (level = 0; level < PMG_PROJECT_LEVELS_MAX; level++) {
		pmg_autofree char *file = pmg_path_join(dir, name);
		char *up;

		if (access(file, F_OK) == 0)
			return pmg_steal_ptr(&dir);
		up = pmg_path_dir(dir);
		if (strcmp(up, dir) == 0) {
			free(up);
			return NULL;
		}
		free(dir);
		dir = up;
	}
	return NULL;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void expand(struct walk *w, const char *dir, const char *pattern, unsigned depth);

/* Every folder in dir whose name fits; "**" takes the pattern along. */
static void expand_names(struct walk *w, const char *dir, const char *segment, const char *rest,
			 unsigned depth)
{
	bool deep = strcmp(segment, "**") == 0;
	struct dirent *entry;
	DIR *d = w->visits++ < VISITS_MAX ? opendir(dir) : NULL;

	while (d && w->out->n < PMG_PROJECT_FOLDERS_MAX && (entry = readdir(d))) {
		pmg_autofree char *path = NULL;

		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "node_modules") == 0 ||
		    (!deep && fnmatch(segment, entry->d_name, FNM_PERIOD) != 0))
			continue;
		path = pmg_path_join(dir, entry->d_name);
		if (!is_folder(path))
			continue;
		if (deep && depth < DEPTH_MAX)
			expand_names(w, path, segment, rest, depth + 1);
		expand(w, path, rest, depth);
	}
	if (d)
		(void)closedir(d);
}

static void expand(struct walk *w, const char *dir, const char *pattern, unsigned depth)
{
	pmg_autofree char *segment = NULL;
	size_t n;

	pattern += strspn(pattern, "/");
	n = strcspn(pattern, "/");
	segment = pmg_xstrndup(pattern, n);
	if (n == 0) {
		if (w->out->n < PMG_PROJECT_FOLDERS_MAX)
			(void)pmg_strv_add_once(w->out, dir);
	} else if (strcmp(segment, ".") == 0) {
		expand(w, dir, pattern + n, depth);
	} else {
		if (strcmp(segment, "**") == 0)
			expand(w, dir, pattern + n, depth); /* it may stand for nothing */
		expand_names(w, dir, segment, pattern + n, depth);
	}
}

void pmg_project_expand(const char *root, const char *pattern, struct pmg_strv *out)
{
	struct walk w = { .out = out };

	if (pattern[0] != '!' && strlen(pattern) <= PATTERN_MAX)
		expand(&w, root, pattern, 0);
}
