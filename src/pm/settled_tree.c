/*
 * What is installed is what lies there. Lists of it are the managers' own, but lie in the project:
 * who made that may have written them, too. They tell where a package is from, which its folder
 * does not.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/environments.h"
#include "pm/settled.h"

/* Folders of *.dist-info that there are by now. */
struct dists {
	struct pmg_strv all;
	struct pmg_strv looked_at; /* by what installs there; others may have been put there */
};

static void dists_done(struct dists *dists)
{
	pmg_strv_done(&dists->all);
	pmg_strv_done(&dists->looked_at);
}
PMG_DEFINE_AUTO_DONE(dists, struct dists, dists_done);

static void all_dists(const struct pmg_settled *settled, struct dists *out)
{
	size_t i, k;

	pmg_strv_extend_once(&out->all, &settled->dists);
	if (!settled->blind)
		pmg_strv_extend_once(&out->looked_at, &settled->dists);
	for (i = 0; i < settled->bases.n; i++) {
		pmg_auto(strv) struct pmg_strv sites = { 0 };

		pmg_environments_sites(settled->bases.v[i], &sites);
		pmg_strv_extend_once(&out->all, &sites);
		for (k = 0; k < sites.n; k++)
			if (pmg_environments_looks(settled->bases.v[i], sites.v[k]))
				(void)pmg_strv_add_once(&out->looked_at, sites.v[k]);
	}
	/* No project's own */
	pmg_environments_match(&settled->envs, &out->all);
	pmg_environments_match(&settled->envs, &out->looked_at);
}

/* The folders that have to be looked through themselves. Where a list tells of one, it may still
 * name but links to what npm's linked strategy keeps beside them. */
static void unlisted(const struct pmg_settled *settled, struct pmg_strv *out)
{
	size_t i, k;

	for (i = 0; i < settled->trees.n; i++) {
		const char *tree = settled->trees.v[i];
		bool listed = false;

		for (k = 0; k < settled->lists.n && !listed; k++)
			listed = pmg_path_is_under(settled->lists.v[k], tree) &&
				 access(settled->lists.v[k], F_OK) == 0;
		pmg_strv_take(out, listed ? pmg_path_join(tree, ".store") : pmg_xstrdup(tree));
	}
}

static int read_trees(const struct pmg_settled *settled, bool all, struct pmg_resolved *out,
		      struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv trees = { 0 };
	size_t i;
	int r = 0;

	if (all)
		pmg_strv_extend_once(&trees, &settled->trees);
	else
		unlisted(settled, &trees);
	for (i = 0; r == 0 && i < trees.n; i++)
		r = pmg_resolved_node_modules(out, trees.v[i], err);
	return r;
}

static int read_dists(const struct pmg_settled *settled, struct pmg_resolved *out,
		      struct pmg_err *err)
{
	pmg_auto(dists) struct dists dists = { 0 };
	size_t i, k;
	int r = 0;

	all_dists(settled, &dists);
	for (i = 0; r == 0 && i < dists.all.n; i++) {
		bool looked_at = pmg_strv_has(&dists.looked_at, dists.all.v[i]);
		size_t before = out->n;

		r = pmg_resolved_site_packages(out, dists.all.v[i], err);
		for (k = before; k < out->n; k++)
			out->v[k].there = looked_at;
	}
	return r;
}

/* Who says where packages of node are from; both sorted. */
struct namers {
	struct pmg_resolved listed;
	const struct pmg_resolved *pins;
};

static bool is_of_registry(const struct pmg_resolved_package *p)
{
	return !p->url || strncasecmp(p->url, "http", 4) == 0;
}

/* Of several that are called the same, one of a registry. */
static const struct pmg_resolved_package *by_name(const struct pmg_resolved *set, const char *name)
{
	size_t low = 0, high = set->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(set->v[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (high = low; high < set->n && strcmp(set->v[high].name, name) == 0; high++)
		if (is_of_registry(&set->v[high]))
			return &set->v[high];
	return low < high ? &set->v[low] : NULL;
}

static const struct pmg_resolved_package *best_of(const struct pmg_resolved_package *first,
						  size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is_of_registry(&first[i]))
			return &first[i];
	return first;
}

static void set_url(struct pmg_resolved_package *p, const char *url)
{
	free(p->url);
	p->url = url ? pmg_xstrdup(url) : NULL;
}

/* What a list tells of lies there. @return does one? */
static bool take_listed(const struct namers *namers, struct pmg_resolved_package *p)
{
	size_t i, n;
	struct pmg_resolved_package *same = pmg_resolved_same(&namers->listed, p, &n);
	const struct pmg_resolved_package *best = best_of(same, n);

	if (!same)
		return false;
	for (i = 0; i < n; i++)
		same[i].there = true;
	set_url(p, best->url);
	p->integrity = best->integrity ? pmg_xstrdup(best->integrity) : NULL;
	p->file = best->file;
	p->line = best->line;
	return true;
}

/* Of one that no list tells of. Where one tells of another of that name, this may be what a
 * registry gave in its place. @param folder  what that is called */
static void find_origin(const struct namers *namers, struct pmg_resolved_package *p,
			const char *folder)
{
	size_t n;
	const struct pmg_resolved_package *said = pmg_resolved_same(namers->pins, p, &n);

	if (!p->version)
		return; /* nobody could say how old it is */
	if (said) {
		set_url(p, best_of(said, n)->url);
		return;
	}
	if (pmg_streq(p->url, "bundled"))
		return;
	if (by_name(&namers->listed, p->name) || by_name(&namers->listed, folder)) {
		set_url(p, PMG_RESOLVED_ANYWHERE);
		return;
	}
	said = by_name(namers->pins, p->name);
	if (!said)
		said = by_name(namers->pins, folder);
	if (said)
		set_url(p, said->url);
}

/* One folder: what it is called, and what its package calls itself, if that is another name. What
 * stands in a list under the package's own name is an alias. */
static void pair_folder(const struct namers *namers, struct pmg_resolved_package *folder,
			struct pmg_resolved_package *own)
{
	if (take_listed(namers, own)) {
		folder->there = folder == own;
		return;
	}
	if (folder != own && !take_listed(namers, folder))
		find_origin(namers, folder, folder->name);
	find_origin(namers, own, folder->name);
}

static bool is_there(void *ctx, const struct pmg_resolved_package *p)
{
	(void)ctx;
	return p->there;
}

static void pair_all(struct namers *namers, struct pmg_resolved *out)
{
	struct pmg_resolved *listed = &namers->listed;
	size_t i, n;

	for (i = 0; i < out->n; i += n) {
		n = i + 1 < out->n && out->v[i].file == out->v[i + 1].file ? 2 : 1;
		pair_folder(namers, &out->v[i], &out->v[i + n - 1]);
	}
	pmg_resolved_filter(out, is_there, NULL);
	for (i = 0; i < listed->n; i++) {
		if (listed->v[i].there)
			continue;
		out->v = pmg_grow(out->v, out->n, &out->cap, sizeof *out->v);
		out->v[out->n++] = listed->v[i];
		listed->v[i] = (struct pmg_resolved_package){ 0 };
	}
}

int pmg_settled_tree(const struct pmg_settled *settled, const struct pmg_resolved *pins, bool all,
		     struct pmg_resolved *out, struct pmg_err *err)
{
	struct namers namers = { .pins = pins };
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < settled->lists.n; i++) {
		r = pmg_resolved_file(out, settled->lists.v[i], err);
		r = r == -PMG_E_NOTFOUND ? 0 : r;
	}
	/* Their files are those of the set. */
	namers.listed.v = out->v;
	namers.listed.n = namers.listed.cap = out->n;
	out->v = NULL;
	out->n = out->cap = 0;
	pmg_resolved_sort(&namers.listed);
	if (r == 0)
		r = read_trees(settled, all, out, err);
	if (r == 0)
		pair_all(&namers, out);
	pmg_resolved_done(&namers.listed);
	if (r == 0)
		r = read_dists(settled, out, err);
	return r == 0 ? pmg_environments_new(&settled->beside, &settled->stamps, out, err) : r;
}

static void stamp_of(const char *path, struct pmg_str *out)
{
	struct stat st;

	if (stat(path, &st) < 0)
		st = (struct stat){ 0 };
	(void)!pmg_str_addf(out, "%ju %ju %ju %jd.%09ld\n", (uintmax_t)st.st_dev,
			    (uintmax_t)st.st_ino, (uintmax_t)st.st_size,
			    (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
}

char *pmg_settled_stamp(const struct pmg_settled *settled, struct pmg_stamps *stamps)
{
	pmg_auto(dists) struct dists dists = { 0 };
	pmg_auto(strv) struct pmg_strv beside = { 0 };
	const struct pmg_strv *const lists[] = { &settled->pins, &settled->named, &settled->lists,
						 &dists.all };
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);
	size_t i, k;

	all_dists(settled, &dists);
	for (i = 0; i < PMG_ARRAY_LEN(lists); i++)
		for (k = 0; k < lists[i]->n; k++)
			stamp_of(lists[i]->v[k], &out);
	for (k = 0; k < settled->trees.n; k++)
		(void)!pmg_str_addf(&out, "%x\n", pmg_resolved_stamp(settled->trees.v[k], stamps));
	pmg_environments_stamps(&settled->beside, &beside);
	for (i = 0; i < beside.n; i++)
		(void)!pmg_str_addf(&out, "%s\n", beside.v[i]);
	return pmg_str_steal(&out);
}
