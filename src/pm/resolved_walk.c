#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/resolved_priv.h"
#include "pm/resolved_walk_priv.h"

static bool is_left_out(const char *name)
{
	static const char *const names[] = { ".git", ".hg", ".svn", ".jj" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static int take(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		unsigned depth, struct pmg_err *err);

/* The lockfile that npm keeps of what it has installed, and all that lies there. */
static int take_modules(struct pmg_tree *tree, int dir, const char *path, unsigned depth,
			struct pmg_err *err)
{
	pmg_autofree char *inside = pmg_path_join(path, "node_modules");
	int fd = pmg_tree_follow(dir, "node_modules");

	if (fd >= 0)
		return pmg_tree_modules(tree, fd, inside, depth + 1, err);
	pmg_resolved_skip(tree->set, inside, strerror(errno));
	return 0;
}

static int take_folder(struct pmg_tree *tree, int dir, const char *path, const char *name,
		       unsigned depth, struct pmg_err *err)
{
	pmg_autofree char *inside = pmg_path_join(path, name);
	int fd = pmg_tree_open(dir, name);

	if (fd < 0) {
		pmg_resolved_skip(tree->set, inside, strerror(errno));
		return 0;
	}
	return pmg_tree_each(tree, fd, inside, depth + 1, take, err);
}

static int take(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		unsigned depth, struct pmg_err *err)
{
	const char *name = entry->d_name;
	pmg_autofree char *file = NULL;
	struct stat st;

	if (pmg_tree_is_dist(path, name))
		return pmg_tree_dist(tree, dir, path, entry, depth, err);
	if (strcmp(name, "node_modules") == 0) /* a link, too: managers install through it */
		return take_modules(tree, dir, path, depth, err);
	if (pmg_tree_is_folder(dir, entry))
		return is_left_out(name) ? 0 : take_folder(tree, dir, path, name, depth, err);
	if (!pmg_resolved_is_name(name))
		return 0;
	file = pmg_path_join(path, name);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode)) {
		pmg_resolved_skip(tree->set, file, "no file of its own, but a link");
		return 0;
	}
	return pmg_resolved_file(tree->set, file, err) == -PMG_E_LIMIT ? -PMG_E_LIMIT : 0;
}

int pmg_resolved_walk(struct pmg_resolved *set, const char *path, struct pmg_err *err)
{
	struct pmg_tree tree = { .set = set };
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return pmg_err_set(err, errno == ENOENT ? PMG_E_NOTFOUND : PMG_E_SYS, errno, "%s",
				   path);
	if (!S_ISDIR(st.st_mode))
		return pmg_resolved_file(set, path, err);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "%s", path);
	if (strcmp(pmg_path_name(path), "node_modules") == 0)
		return pmg_tree_modules(&tree, fd, path, 0, err);
	return pmg_tree_each(&tree, fd, path, 0, take, err);
}
