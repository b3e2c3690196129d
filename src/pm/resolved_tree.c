/*
 * The folder's name is what was asked for; what the package calls itself may be a lie, or what was
 * installed there under another name. So both count. Everything is opened by descriptor, and of
 * links only those are followed that managers make: who made the tree may have put others there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "pm/resolved_priv.h"
#include "pm/resolved_walk_priv.h"
#include "pm/version.h"

#define METADATA_MAX 1048576U /* of a package.json, or METADATA */

int pmg_tree_open(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int pmg_tree_follow(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
}

bool pmg_tree_slurp(int dir, const char *name, char **text, size_t *len)
{
	pmg_autofd int fd =
		openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct pmg_err err = PMG_ERR_INIT;
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       pmg_io_slurp_fd(fd, name, METADATA_MAX, text, len, &err) == 0;
}

int pmg_tree_each(struct pmg_tree *tree, int dir, const char *path, unsigned depth, pmg_tree_fn *fn,
		  struct pmg_err *err)
{
	struct dirent *entry;
	DIR *d = depth < PMG_RESOLVED_DEPTH_MAX ? fdopendir(dir) : NULL;
	int r = 0;

	if (!d) {
		if (dir >= 0)
			(void)close(dir);
		if (tree->set)
			pmg_resolved_skip(tree->set, path,
					  depth < PMG_RESOLVED_DEPTH_MAX ? strerror(errno)
									 : "too deep");
		return 0;
	}
	while (r == 0 && (entry = readdir(d))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (++tree->seen > PMG_RESOLVED_ENTRIES_MAX)
			r = pmg_err_set(err, PMG_E_LIMIT, 0, "%s: more than %u files and folders",
					path, PMG_RESOLVED_ENTRIES_MAX);
		else
			r = fn(tree, dirfd(d), path, entry, depth, err);
	}
	(void)closedir(d);
	return r;
}

bool pmg_tree_is_folder(int dir, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

int pmg_tree_add(struct pmg_tree *tree, const struct pmg_resolving *from, enum pmg_eco eco,
		 const struct pmg_locked *locked, struct pmg_err *err)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	struct pmg_resolved *set = tree->set;

	if (pmg_resolving_add(from, eco, locked, &scratch) == 0) {
		set->v[set->n - 1].there = true;
		set->v[set->n - 1].stamp = tree->manifest;
		return 0;
	}
	if (scratch.code == PMG_E_LIMIT) {
		*err = scratch;
		return -PMG_E_LIMIT;
	}
	pmg_resolved_unread(tree->set, scratch.msg);
	return 0;
}

/* Without blanks around it, as npm takes names and versions. NULL: no text. Caller frees. */
static char *trimmed(const char *text)
{
	static const char blanks[] = " \t\r\n\v\f";
	size_t len;

	if (!text)
		return NULL;
	text += strspn(text, blanks);
	for (len = strlen(text); len > 0 && strchr(blanks, text[len - 1]); len--)
		;
	return pmg_xstrndup(text, len);
}

uint32_t pmg_tree_stamp(int dir, const char *name)
{
	uint32_t h = PMG_FNV1A_INIT;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	h = pmg_fnv1a(h, &st.st_dev, sizeof st.st_dev);
	h = pmg_fnv1a(h, &st.st_ino, sizeof st.st_ino);
	h = pmg_fnv1a(h, &st.st_ctim, sizeof st.st_ctim);
	return h ? h : 1;
}

/* One that is there and cannot be read (too large, a link) still makes it a package. */
static bool has_manifest(struct pmg_tree *tree, int folder)
{
	tree->manifest = pmg_tree_stamp(folder, "package.json");
	if (!tree->manifest)
		return false;
	tree->stamp = pmg_fnv1a(tree->stamp, &tree->manifest, sizeof tree->manifest);
	if (tree->stamps)
		pmg_stamps_add(tree->stamps, tree->manifest);
	return true;
}

/* "NAME-npm-VERSION-HASH" of berry's store. Of "@SCOPE-NAME-npm-..." nobody can tell where the
 * scope ends: NULL, as of any other text. Caller frees. */
static char *slug_name(const char *key)
{
	const char *found = NULL, *at = key;

	while ((at = strstr(at, "-npm-")))
		found = at++;
	return found && found > key && key[0] != '@' ? pmg_xstrndup(key, (size_t)(found - key))
						     : NULL;
}

/* Does a package say that others come within its archive? */
static bool brings(const struct json_t *manifest)
{
	static const char *const keys[] = { "bundleDependencies", "bundledDependencies" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(keys); i++)
		if (pmg_json_bool(manifest, keys[i]) ||
		    pmg_json_len(pmg_json_get(manifest, keys[i])) > 0)
			return true;
	return false;
}

/* Where the version cannot be read nobody knows it, and it may be any.
 * @param name  of its folder; NULL: that says nothing, and the package names itself
 * @param[in,out] brought  raised where it brings others along */
static int add_installed(struct pmg_tree *tree, int folder, const char *path, const char *name,
			 unsigned *brought, struct pmg_err *err)
{
	pmg_autofree char *file = pmg_path_join(path, "package.json");
	pmg_autofree char *text = NULL;
	pmg_autofree char *called = NULL;
	pmg_autofree char *version = NULL;
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	struct pmg_resolving from = { .set = tree->set, .installed = true };
	/* It does not say where it is from: a folder's copy and a bundled one look the same. So its
	 * age is judged where a lockfile names it. */
	struct pmg_locked locked = { .name = name, .url = tree->brought ? "bundled" : "installed" };
	size_t len = 0;
	int r;

	if (!tree->set)
		return 0;
	if (pmg_tree_slurp(folder, "package.json", &text, &len) &&
	    pmg_json_parse_as_js("package.json", text, len, &json, &scratch) == 0) {
		called = trimmed(pmg_json_str(json, "name"));
		version = trimmed(pmg_json_str(json, "version"));
		*brought += brings(json);
	}
	locked.version = version;
	from.file = pmg_resolved_keep(tree->set, file);
	if (!name) {
		locked.name = called ? called : "";
		return pmg_tree_add(tree, &from, PMG_ECO_NPM, &locked, err);
	}
	r = pmg_tree_add(tree, &from, PMG_ECO_NPM, &locked, err);
	if (r < 0 || !called || strcmp(called, name) == 0 ||
	    !pmg_name_is_valid(PMG_ECO_NPM, called))
		return r;
	locked.name = called;
	return pmg_tree_add(tree, &from, PMG_ECO_NPM, &locked, err);
}

static int take_module(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		       unsigned depth, struct pmg_err *err);

/* The packages in FOLDER/node_modules. @param folder  borrowed */
static int take_below(struct pmg_tree *tree, int folder, const char *path, unsigned depth,
		      struct pmg_err *err)
{
	pmg_autofree char *modules = pmg_path_join(path, "node_modules");
	int below = pmg_tree_open(folder, "node_modules");

	return below < 0 ? 0 : pmg_tree_each(tree, below, modules, depth + 1, take_module, err);
}

/* What managers keep beside the folder that links into it: KEY/node_modules/NAME of pnpm (.pnpm),
 * npm (.store) and bun (.bun), KEY/package of berry (.store). */
static int take_key(struct pmg_tree *tree, int folder, const char *path, const char *key,
		    unsigned depth, struct pmg_err *err)
{
	pmg_autofree char *package = pmg_path_join(path, "package");
	pmg_autofree char *name = slug_name(key);
	pmg_autofd int fd = pmg_tree_open(folder, "package");
	unsigned unused = 0; /* what it brings along is looked for nowhere */
	int r = fd >= 0 && has_manifest(tree, fd)
			? add_installed(tree, fd, package, name, &unused, err)
			: 0;

	return r < 0 ? r : take_below(tree, folder, path, depth, err);
}

static int take_stored(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		       unsigned depth, struct pmg_err *err)
{
	pmg_autofree char *inside = pmg_path_join(path, entry->d_name);
	/* bun's "globalStore" has links there, into its cache; no more is opened behind one than
	 * the folders of this key. */
	pmg_autofd int fd = pmg_tree_follow(dir, entry->d_name);

	return fd < 0 ? 0 : take_key(tree, fd, inside, entry->d_name, depth, err);
}

static bool is_store(const char *name)
{
	return strcmp(name, ".pnpm") == 0 || strcmp(name, ".store") == 0 ||
	       strcmp(name, ".bun") == 0;
}

/* A package's folder: itself, and what lies in a node_modules of its own. */
static int take_package(struct pmg_tree *tree, int dir, const char *path, const char *folder,
			const char *name, unsigned depth, struct pmg_err *err)
{
	pmg_autofree char *inside = pmg_path_join(path, folder);
	pmg_autofd int fd = pmg_tree_open(dir, folder);
	unsigned brought = tree->brought;
	int r;

	if (fd < 0)
		return 0;            /* gone, or none of ours to read */
	if (!has_manifest(tree, fd)) /* a folder, no package: or the key of a store */
		return take_key(tree, fd, inside, folder, depth, err);
	r = add_installed(tree, fd, inside, name, &tree->brought, err);
	if (r == 0)
		r = take_below(tree, fd, inside, depth, err);
	tree->brought = brought;
	return r;
}

static int take_scoped(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		       unsigned depth, struct pmg_err *err)
{
	pmg_autofree char *name = pmg_xasprintf("%s/%s", pmg_path_name(path), entry->d_name);

	if (!pmg_tree_is_folder(dir, entry))
		return 0;
	/* No package's name: it is "@scope+name@1.0.0" of a store that has another name. */
	if (strcmp(entry->d_name, "node_modules") == 0)
		return take_below(tree, dir, path, depth, err);
	return take_package(tree, dir, path, entry->d_name, name, depth, err);
}

static int take_module(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		       unsigned depth, struct pmg_err *err)
{
	const char *name = entry->d_name;
	pmg_autofree char *inside = NULL;
	bool store = is_store(name);
	int fd;

	if (!pmg_tree_is_folder(dir, entry) || (name[0] == '.' && !store))
		return 0;
	if (name[0] != '@' && !store)
		return take_package(tree, dir, path, name, name, depth, err);
	inside = pmg_path_join(path, name);
	fd = pmg_tree_open(dir, name);
	return fd < 0 ? 0
		      : pmg_tree_each(tree, fd, inside, depth + 1,
				      store ? take_stored : take_scoped, err);
}

int pmg_tree_modules(struct pmg_tree *tree, int dir, const char *path, unsigned depth,
		     struct pmg_err *err)
{
	return pmg_tree_each(tree, dir, path, depth,
			     is_store(pmg_path_name(path)) ? take_stored : take_module, err);
}

int pmg_resolved_node_modules(struct pmg_resolved *set, const char *path, struct pmg_err *err)
{
	struct pmg_tree tree = { .set = set };
	int fd = pmg_tree_open(AT_FDCWD, path);

	return fd < 0 ? 0 : pmg_tree_modules(&tree, fd, path, 0, err);
}

uint32_t pmg_resolved_stamp(const char *path, struct pmg_stamps *out)
{
	struct pmg_tree tree = { .stamp = PMG_FNV1A_INIT, .stamps = out };
	struct pmg_err err = PMG_ERR_INIT;
	int fd = pmg_tree_open(AT_FDCWD, path);

	return fd < 0 ? 0 : pmg_tree_modules(&tree, fd, path, 0, &err) < 0 ? 0 : tree.stamp;
}
