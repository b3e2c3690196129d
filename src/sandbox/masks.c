#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/path.h"
#include "kernel/mounts.h"
#include "policy/glob.h"
#include "sandbox/judge.h"
#include "sandbox/walls_priv.h"

#define ENTRIES_MAX 20000U /* names looked at, of all roots together */
#define COLLECT_MAX 2000U  /* and of one folder that is hidden whole */
#define MASKS_MAX   1024U
#define TRIES       8

#define HIDE (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

struct mask {
	char *path;
};

struct pmg_masks {
	const struct pmg_policy *policy;
	struct mask *v;
	size_t n, cap;
	int null, empty;                     /* what is bound over files, and over folders */
	struct pmg_inodes *inodes, *scripts; /* denied to all, and to scripts alone */
	bool has_more;                       /* names that were not looked at */
	bool has_skipped;                    /* masks, or numbers, above their maximum */
	bool looks_only;                     /* numbers are wanted, nothing is hidden */
};

void pmg_masks_free(struct pmg_masks *masks)
{
	size_t i;

	if (!masks)
		return;
	for (i = 0; i < masks->n; i++)
		free(masks->v[i].path);
	free(masks->v);
	pmg_auto_closep(&masks->null);
	pmg_auto_closep(&masks->empty);
	pmg_inodes_free(masks->inodes);
	pmg_inodes_free(masks->scripts);
	free(masks);
}

struct pmg_inodes *pmg_masks_inodes(const struct pmg_masks *masks)
{
	return masks->inodes;
}

struct pmg_inodes *pmg_masks_script_inodes(const struct pmg_masks *masks)
{
	return masks->scripts;
}

dev_t pmg_masks_dev(const struct pmg_masks *masks)
{
	struct stat st;

	return fstat(masks->empty, &st) < 0 ? 0 : st.st_dev;
}

/* No link on the way: while the run goes on, folders are what its programs make of them. */
static int open_straight(const char *path, uint64_t flags)
{
	const struct open_how how = { .flags = flags | O_CLOEXEC | O_NOFOLLOW,
				      .resolve = RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

/* @return 0 also when it is not there */
static int cover_once(const struct pmg_masks *masks, const struct mask *mask, struct pmg_err *err)
{
	pmg_autofd int at = open_straight(mask->path, O_PATH);
	struct stat st;

	if (at < 0 || fstat(at, &st) < 0 || S_ISLNK(st.st_mode))
		return 0;
	return pmg_mount_bind(S_ISDIR(st.st_mode) ? masks->empty : masks->null, at, HIDE,
			      mask->path, err);
}

/* Somebody outside who replaces the file in the same moment (an editor, useradd's /etc/shadow)
 * leaves us with one that has no place any more, on which nothing can be mounted: ENOENT. The next
 * look covers what is there by then. */
static int cover(const struct pmg_masks *masks, const struct mask *mask, struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;
	int tries, r = 0;

	for (tries = 0; tries < TRIES; tries++) {
		r = cover_once(masks, mask, &why);
		if (r == 0 || why.errnum != ENOENT)
			break;
	}
	if (r == 0 || why.errnum == ENOENT)
		return 0;
	*err = why;
	return r;
}

static void remember(struct pmg_masks *masks, const struct stat *st)
{
	if (!S_ISDIR(st->st_mode) && !S_ISLNK(st->st_mode) &&
	    !pmg_inodes_add(masks->inodes, st->st_dev, st->st_ino))
		masks->has_skipped = true;
}

int pmg_masks_hide(struct pmg_masks *masks, const char *path, struct pmg_err *err)
{
	struct mask *mask;

	if (masks->looks_only)
		return 0;
	if (masks->n == MASKS_MAX) {
		masks->has_skipped = true;
		return 0;
	}
	masks->v = pmg_grow(masks->v, masks->n, &masks->cap, sizeof *masks->v);
	mask = &masks->v[masks->n++];
	*mask = (struct mask){ .path = pmg_xstrdup(path) };
	return cover(masks, mask, err);
}

/* Open to no role, and closed by a rule: what merely nobody allows, Landlock closes. */
static bool is_denied(const struct pmg_policy *policy, const char *path)
{
	struct pmg_decision manager =
		pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_MANAGER, path);
	struct pmg_decision script;

	if (manager.allowed)
		return false;
	script = pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_SCRIPT, path);
	return !script.allowed && (manager.rule || script.rule);
}

/* What the manager reads and scripts may not, as ~/.npmrc, is not hidden: by another name that it
 * has they could read it. */
static void remember_managers(struct pmg_masks *masks)
{
	const struct pmg_policy *policy = masks->policy;
	struct stat st;
	size_t i;

	for (i = policy->first[PMG_ACCESS_READ]; i < policy->first[PMG_ACCESS_READ + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		const char *path = pmg_glob_fixed(rule->glob);

		if (rule->rank == PMG_RANK_ALLOW || rule->rank == PMG_RANK_OPT_OUT ||
		    rule->roles != PMG_ROLE_SCRIPT || !pmg_glob_is_exact(rule->glob) ||
		    pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_SCRIPT, path).allowed ||
		    stat(path, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (!pmg_inodes_add(masks->scripts, st.st_dev, st.st_ino))
			masks->has_skipped = true;
	}
}

/* The order is by depth, so that what lies on top is found however much lies below. */
struct search {
	struct pmg_masks *masks;
	struct pmg_strv folders; /* to be looked through, from `next` */
	size_t next;
	size_t seen, max; /* names */
	bool collect;     /* all is denied: only numbers are wanted */
};

/* A folder that a manager replaces must not hold a mount: it could not be removed. Of a system's
 * folders few can hold anything that is hidden. */
static bool is_to_search(const struct search *search, const char *path, const char *name,
			 bool hidden)
{
	const struct pmg_policy *policy = search->masks->policy;

	return !pmg_strv_has(&policy->dependency_names, name) &&
	       (search->collect || (!hidden && pmg_policy_hides_below(policy, path)));
}

static int look_at(struct search *search, int dir, const char *folder, const struct dirent *entry,
		   struct pmg_err *err)
{
	struct pmg_masks *masks = search->masks;
	pmg_autofree char *path = pmg_path_join(folder, entry->d_name);
	bool denied = search->collect || is_denied(masks->policy, path);
	/* Of what is opened in part, each thing is asked for. */
	bool hidden = denied && !search->collect && pmg_policy_hides(masks->policy, path);
	bool is_folder = entry->d_type == DT_DIR;
	struct stat st;

	/* Most names end here, and cost no call of the kernel. */
	if (!denied && !is_folder && entry->d_type != DT_UNKNOWN)
		return 0;
	if (denied || !is_folder) {
		if (fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    S_ISLNK(st.st_mode))
			return 0;
		is_folder = S_ISDIR(st.st_mode);
	}
	if (denied)
		remember(masks, &st);
	if (is_folder && is_to_search(search, path, entry->d_name, hidden))
		pmg_strv_add(&search->folders, path);
	return hidden ? pmg_masks_hide(masks, path, err) : 0;
}

/* Rules compare bytes, and what means the same letters is far more than their two cases. */
static int check_names(int fd, const char *folder, struct pmg_err *err)
{
	int flags = 0;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0 || !(flags & FS_CASEFOLD_FL))
		return 0;
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
			  "%s takes names in any case for the same, so that no rule for one holds",
			  folder);
	return pmg_err_hint(err, "move what is in it to an ordinary folder (lsattr -d shows no F)");
}

static int look_through(struct search *search, const char *folder, struct pmg_err *err)
{
	int fd = open_straight(folder, O_RDONLY | O_DIRECTORY), r = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) { /* not readable: nor for the run */
		pmg_auto_closep(&fd);
		return 0;
	}
	if (!search->collect)
		r = check_names(fd, folder, err);
	while (r == 0 && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (search->seen++ >= search->max)
			break;
		r = look_at(search, fd, folder, entry, err);
	}
	(void)closedir(dir);
	return r;
}

static int search_all(struct search *search, struct pmg_err *err)
{
	int r = 0;

	while (r == 0 && search->next < search->folders.n && search->seen <= search->max)
		r = look_through(search, search->folders.v[search->next++], err);
	pmg_strv_done(&search->folders);
	return r;
}

static int hide_fixed(struct pmg_masks *masks, const char *path, struct pmg_err *err)
{
	struct stat st;
	/* Most are not there, and that is told sooner than where each part of a path leads. */
	pmg_autofree char *real = lstat(path, &st) < 0 ? NULL : pmg_path_real(path);
	struct search below = { .masks = masks, .max = COLLECT_MAX, .collect = true };
	int r = 0;

	if (!real || lstat(real, &st) < 0)
		return 0;
	remember(masks, &st);
	if (S_ISDIR(st.st_mode)) {
		pmg_strv_add(&below.folders, real);
		r = search_all(&below, err);
	}
	return r == 0 ? pmg_masks_hide(masks, real, err) : r;
}

static int hide_all(struct pmg_masks *masks, struct pmg_err *err)
{
	pmg_auto(hidden) struct pmg_hidden hidden = { 0 };
	struct search search = { .masks = masks, .max = ENTRIES_MAX };
	size_t i;
	int r = 0;

	pmg_policy_hidden(masks->policy, &hidden);
	for (i = 0; r == 0 && i < hidden.paths.n; i++)
		r = hide_fixed(masks, hidden.paths.v[i], err);
	for (i = 0; i < hidden.roots.n; i++)
		pmg_strv_add(&search.folders, hidden.roots.v[i]);
	if (r == 0)
		r = search_all(&search, err);
	masks->has_more = search.seen > search.max;
	return r;
}

int pmg_masks_make(const struct pmg_policy *policy, struct pmg_masks **out, struct pmg_strv *notes,
		   struct pmg_err *err)
{
	pmg_auto(masks) struct pmg_masks *masks = pmg_xcalloc(1, sizeof *masks);
	int r;

	*masks = (struct pmg_masks){ .policy = policy,
				     .null = open("/dev/null", O_PATH | O_CLOEXEC),
				     .empty = -1,
				     .inodes = pmg_inodes_new(),
				     .scripts = pmg_inodes_new() };
	if (masks->null < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open /dev/null");
	r = masks->empty = pmg_mount_empty(err);
	if (r >= 0)
		r = hide_all(masks, err);
	if (r >= 0)
		remember_managers(masks);
	if (r < 0)
		return pmg_err_wrap(err, "hide files");
	if (masks->has_more || masks->has_skipped)
		pmg_strv_add(
			notes,
			"[PMG2005] the project has too many files to look for all that is to be "
			"hidden: by name they stay closed, their listing does not");
	*out = pmg_steal_ptr(&masks);
	return 0;
}

enum pmg_judge_link pmg_judge_link(const struct pmg_policy *policy, const struct stat *st)
{
	pmg_auto(masks) struct pmg_masks *masks = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;

	if (!S_ISREG(st->st_mode) || st->st_nlink < 2)
		return PMG_JUDGE_LINK_NONE;
	masks = pmg_xcalloc(1, sizeof *masks);
	*masks = (struct pmg_masks){ .policy = policy,
				     .null = -1,
				     .empty = -1,
				     .inodes = pmg_inodes_new(),
				     .scripts = pmg_inodes_new(),
				     .looks_only = true };
	/* A folder whose names have no case: no run is started there at all. */
	(void)!hide_all(masks, &scratch);
	remember_managers(masks);
	if (pmg_inodes_has(masks->inodes, st->st_dev, st->st_ino))
		return PMG_JUDGE_LINK_SECRET;
	return pmg_inodes_has(masks->scripts, st->st_dev, st->st_ino) ? PMG_JUDGE_LINK_MANAGERS
								      : PMG_JUDGE_LINK_NONE;
}

int pmg_masks_renew(struct pmg_masks *masks, struct pmg_err *err)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	bool again = false;
	size_t i;
	int r;

	for (i = 0; i < masks->n; i++) {
		if (pmg_mount_is_point(AT_FDCWD, masks->v[i].path, &scratch) != 0)
			continue;
		r = cover(masks, &masks->v[i], err);
		/* The kernel drops the mount before it replaces the file: in between there is a
		 * name on which nothing can be mounted. */
		if (r < 0 && err->errnum != ENOENT)
			return r;
		again = again || r < 0;
	}
	return again;
}
