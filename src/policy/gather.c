/* All that is said about a run, from the built-in profile to the command line. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "conf/trusted.h"
#include "policy/allow.h"
#include "policy/build_priv.h"
#include "policy/overlay.h"

static bool is_locked(const struct pmg_build *b)
{
	return b->want->managed && b->want->managed->lockdown;
}

static bool is_managed(const struct pmg_build *b, const struct pmg_library_item *item)
{
	size_t i;

	for (i = 0; item->is_template && i < b->facts->n_templates; i++)
		if (strcmp(b->facts->templates[i].name, item->name) == 0)
			return b->facts->templates[i].managed;
	return false;
}

static int refuse(const struct pmg_library_item *item, struct pmg_err *err)
{
	(void)pmg_err_set(err, PMG_E_CONFIG, 0,
			  "%s \"%s\" is a file of the user's (%s), and managed policy takes none",
			  pmg_library_kind_name(item->kind), item->name, item->path);
	(void)pmg_err_hint(err, "managed policy names built-in ones, and profiles of its own "
				"policy_templates");
	return pmg_err_diag(err, PMG_DIAG_MANAGED);
}

/* What managed policy decides must not be a file that somebody else writes. */
static int check_item(const struct pmg_build *b, const struct pmg_library_item *item,
		      struct pmg_err *err)
{
	bool preset = item->kind == PMG_LIBRARY_PRESET;
	struct pmg_err why = PMG_ERR_INIT;

	if (item->official)
		return 0;
	if (!is_managed(b, item))
		return b->want->pinned || (preset && is_locked(b)) ? refuse(item, err) : 0;
	if (pmg_trusted_root_check(item->path, &why) == 0)
		return 0;
	*err = why;
	(void)pmg_err_as(err, PMG_E_CONFIG);
	return pmg_err_diag(err, PMG_DIAG_MANAGED);
}

static int use(struct pmg_build *b, enum pmg_library_kind kind, const char *name,
	       struct pmg_err *err)
{
	const struct pmg_library library = { .config_dir = b->facts->config_dir,
					     .templates = b->facts->templates,
					     .n_templates = b->facts->n_templates };
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	int r = pmg_library_find(&library, kind, name, &item, err);

	if (r == 0)
		r = check_item(b, &item, err);
	return r < 0 ? r : pmg_draft_named(&b->draft, &library, kind, name, err);
}

static int use_preset(struct pmg_build *b, const char *name, struct pmg_err *err)
{
	return use(b, PMG_LIBRARY_PRESET, name, err);
}

static int add_presets(struct pmg_build *b, struct pmg_err *err)
{
	size_t i;
	int r;

	for (i = 0; i < b->draft.presets.n; i++) {
		r = use_preset(b, b->draft.presets.v[i], err);
		if (r < 0)
			return pmg_err_wrap(err, "%s", b->draft.preset_places.v[i]);
	}
	return 0;
}

static int add_overlay_entry(struct pmg_build *b, const struct pmg_overlay *overlay,
			     const struct pmg_overlay_entry *e, struct pmg_err *err)
{
	pmg_autofree char *source = pmg_xasprintf("%s:%u", overlay->path, e->line);
	struct pmg_draft_entry entry = { .access = (enum pmg_access)e->type,
					 .layer = PMG_LAYER_OVERLAY,
					 .roles = PMG_ROLE_ANY,
					 .text = e->value,
					 .source = source };
	struct pmg_err why = PMG_ERR_INIT;
	int r;

	if (!pmg_overlay_is_live(e, pmg_clock_now(), b->facts->tool, b->facts->manager))
		return 0;
	if (e->type != PMG_ALLOW_PRESET) {
		pmg_draft_add(&b->draft, &entry);
		return 0;
	}
	r = use_preset(b, e->value, &why);
	if (r == -PMG_E_NOTFOUND) {
		pmg_strv_addf(&b->draft.notes,
			      "%s: %s; nothing is allowed by it: \"pmg sandbox allow --remove "
			      "preset=%s\" takes it out",
			      source, why.msg, e->value);
		return 0;
	}
	if (r < 0)
		*err = why;
	return r;
}

/* They stay in their file, for the day that the lock goes. */
static void note_unused(struct pmg_build *b, const struct pmg_overlay *overlay)
{
	pmg_autofree char *who = pmg_managed_who(b->want->managed, "global_lockdown");

	if (overlay->n_entries > 0)
		pmg_strv_addf(&b->draft.notes, "%s is not used: %s", overlay->path, who);
}

static int add_overlay(struct pmg_build *b, struct pmg_err *err)
{
	const char *repository = b->facts->repository ? b->facts->repository : b->facts->cwd;
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	size_t i;
	int r = pmg_overlay_load(b->facts->config_dir, repository, &overlay, err);

	if (r == 0 && is_locked(b)) {
		note_unused(b, &overlay);
		return 0;
	}
	for (i = 0; r == 0 && i < overlay.n_entries; i++)
		r = add_overlay_entry(b, &overlay, &overlay.entries[i], err);
	return r;
}

static int add_flags(struct pmg_build *b, const struct pmg_strv *allows, struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && allows && i < allows->n; i++) {
		struct pmg_draft_entry entry = { .layer = PMG_LAYER_FLAG, .roles = PMG_ROLE_ANY };
		pmg_autofree char *source = pmg_xstrdup("--sandbox-allow");
		const char *value = NULL;
		int type = -1;

		r = pmg_allow_parse(allows->v[i], &type, &value, err);
		if (r == 0 && type == PMG_ALLOW_PRESET) {
			r = use_preset(b, value, err);
		} else if (r == 0) {
			pmg_autofree char *copy = pmg_xstrdup(value);

			entry.access = (enum pmg_access)type;
			entry.text = copy;
			entry.source = source;
			pmg_draft_add(&b->draft, &entry);
		}
		if (r < 0)
			r = pmg_err_wrap(err, "--sandbox-allow");
	}
	return r;
}

static int check_manager(const struct pmg_build *b, struct pmg_err *err)
{
	const struct pmg_policy_facts *facts = b->facts;
	const struct pmg_strv *managers = &b->draft.managers;

	if (managers->n == 0 || (facts->tool && pmg_strv_has(managers, facts->tool)) ||
	    pmg_strv_has(managers, facts->manager))
		return 0;
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "profile \"%s\" is not for %s", b->draft.name,
			  facts->tool ? facts->tool : facts->manager);
	return pmg_err_hint(err, "its package_managers begin with %s", managers->v[0]);
}

static int add_denials(struct pmg_build *b, struct pmg_err *err)
{
	const struct pmg_managed *const files[] = { b->want->project, b->want->managed };
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(files); i++)
		if (files[i])
			r = pmg_draft_denials(&b->draft, files[i], err);
	return r;
}

int pmg_build_gather(struct pmg_build *b, struct pmg_err *err)
{
	const struct pmg_policy_want *want = b->want;
	const char *name = want->profile ? want->profile : want->facts->manager;
	int r;

	b->draft.proxy_only = true;
	r = use(b, PMG_LIBRARY_PROFILE, name, err);
	if (r == 0)
		r = check_manager(b, err);
	if (r == 0)
		r = add_presets(b, err);
	if (r == 0 && !want->no_overlay)
		r = add_overlay(b, err);
	if (r == 0)
		r = add_flags(b, want->allows, err);
	return r == 0 ? add_denials(b, err) : r;
}
