/*
 * Where packages come to lie: what is looked at before a run and after it. Nothing is opened by it,
 * so settings of the project count as all others, and of one that is there several times each.
 */
#include <ctype.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/npmlike.h"
#include "pm/places_priv.h"

#define ASKED_MAX    2048U /* texts, two for each */
#define LANDINGS_MAX 64U   /* folders of one kind: a file may say anything */

static void add(struct pmg_strv *list, const char *path)
{
	if (list->n < LANDINGS_MAX)
		pmg_places_add(list, path);
}

/* Seen from the project, as most are, and from the folder in which the line was typed. */
void pmg_places_said(struct pmg_strv *list, const struct pmg_settings *settings,
		     const struct pmg_place *place, const struct pmg_places *out, const char *key)
{
	size_t i;

	for (i = 0; i < settings->n; i++) {
		const struct pmg_setting *s = &settings->v[i];
		const char *value = strcmp(s->key, key) == 0 ? pmg_settings_use(s) : NULL;
		pmg_autofree char *here = NULL, *there = NULL;

		if (!value)
			continue;
		there = pmg_places_path(place, out->project, value);
		here = pmg_places_path(place, place->cwd, value);
		add(list, there);
		add(list, here);
	}
}

/* Does a comma begin another requirement? Not in "x[a,b]>=1,<2". */
static bool is_between(const char *text, const char *comma)
{
	bool inside = false;
	const char *p;

	for (p = text; p < comma; p++)
		inside = *p == '[' || (inside && *p != ']');
	p = comma + 1;
	return !inside && isalnum((unsigned char)p[strspn(p, " ")]);
}

void pmg_places_ask(struct pmg_places *out, const char *where, const char *requirements)
{
	const char *from = requirements, *to;

	while (*from && out->asked.n < ASKED_MAX) {
		from += strspn(from, " ");
		for (to = from; *to && (*to != ',' || !is_between(from, to)); to++)
			;
		pmg_strv_add(&out->asked, where);
		pmg_strv_take(&out->asked, pmg_xstrndup(from, (size_t)(to - from)));
		from = *to ? to + 1 : to;
	}
}

void pmg_places_pattern(struct pmg_strv *list, const char *dir, const char *below)
{
	pmg_autofree char *pattern = pmg_path_join(dir, below);

	if (!strpbrk(dir, "*?[\\") && list->n < LANDINGS_MAX)
		(void)pmg_strv_add_once(list, pattern);
}

/* What is installed for the whole host: npm, bun and yarn, pnpm. */
static void add_global(struct pmg_places *out)
{
	static const char *const below[] = { "lib/node_modules", "node_modules",
					     "global/5/node_modules", "5/node_modules" };
	size_t i, k;

	for (i = 0; i < out->prefixes.n; i++)
		for (k = 0; k < PMG_ARRAY_LEN(below); k++) {
			pmg_autofree char *path = pmg_path_join(out->prefixes.v[i], below[k]);

			add(&out->modules, path);
		}
}

/* "--cwd sub" and "--install.cwd sub" of a .yarnrc: another project than the line's. */
static void add_moved(const struct pmg_npmlike *n, struct pmg_places *out)
{
	size_t i, k;

	pmg_places_said(&out->moved, &n->settings, n->place, out, "cwd");
	for (i = 0; i < out->moved.n; i++) {
		const char *dir = out->moved.v[i];
		pmg_autofree char *modules = pmg_path_join(dir, "node_modules");

		add(&out->modules, modules);
		for (k = 0; k < n->settings.n; k++) {
			const struct pmg_setting *s = &n->settings.v[k];
			const char *value =
				strcmp(s->key, "modules-folder") == 0 ? pmg_settings_use(s) : NULL;
			pmg_autofree char *folder =
				value ? pmg_places_path(n->place, dir, value) : NULL;

			if (folder)
				add(&out->modules, folder);
		}
	}
}

void pmg_places_modules(const struct pmg_npmlike *n, const char *start, struct pmg_places *out)
{
	/* pnpm's, then those of yarn 1 and of berry */
	static const char *const keys[] = { "modules-dir", "virtual-store-dir", "modules-folder",
					    "pnpm-store-folder", "pnp-unplugged-folder" };
	pmg_autofree char *top = pmg_path_join(out->project, "node_modules");
	pmg_autofree char *here = pmg_path_join(start, "node_modules");
	pmg_autofree char *unplugged = pmg_path_join(out->project, ".yarn/unplugged");
	size_t i;

	add_global(out);
	add(&out->modules, top);
	add(&out->modules, here); /* of a workspace's member */
	if (strcmp(pmg_path_name(n->place->argv[0]), "yarn") == 0)
		add(&out->modules, unplugged);
	for (i = 0; i < PMG_ARRAY_LEN(keys); i++)
		pmg_places_said(&out->modules, &n->settings, n->place, out, keys[i]);
	add_moved(n, out);
}

/* ROOT and the whole path of a prefix below it. */
static void add_rooted(const struct pmg_strv *roots, const struct pmg_strv *prefixes,
		       struct pmg_strv *to)
{
	size_t i, k;

	for (i = 0; i < roots->n; i++)
		for (k = 0; k < prefixes->n; k++) {
			pmg_autofree char *path =
				pmg_xasprintf("%s%s", roots->v[i], prefixes->v[k]);

			add(to, path);
		}
}

void pmg_places_sites(const struct pmg_settings *settings, const struct pmg_place *place,
		      struct pmg_places *out)
{
	pmg_auto(strv) struct pmg_strv roots = { 0 }, below = { 0 };

	pmg_places_said(&out->targets, settings, place, out, "target");
	pmg_places_said(&out->bases, settings, place, out, "prefix");
	pmg_places_said(&roots, settings, place, out, "root");
	if (roots.n == 0)
		return;
	pmg_strv_extend(&below, pmg_strv_argv(&out->bases));
	pmg_strv_extend(&below, pmg_strv_argv(&out->prefixes));
	(void)pmg_strv_add_once(&below, "/usr");
	(void)pmg_strv_add_once(&below, "/usr/local");
	add_rooted(&roots, &below, &out->bases);
}
