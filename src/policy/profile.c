/* Finding and reading profiles and presets. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "conf/keys.h"
#include "policy/draft.h"

#define INHERIT_MAX 3U /* built-in profiles stand on bases; a user's on one of them */

static int read_builtin(struct pmg_draft *draft, const struct pmg_builtin *builtin, unsigned depth,
			struct pmg_err *err)
{
	pmg_autofree char *label = pmg_xasprintf("built-in %s", builtin->name);
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	const struct pmg_builtin *base;
	const char *inherits;
	int r = pmg_yaml_parse(label, builtin->text, strlen(builtin->text), &doc, err);

	if (r < 0)
		return r;
	inherits = pmg_yaml_str(doc, "inherits");
	base = inherits ? pmg_builtin_find("profile", inherits) : NULL;
	if (inherits && (!base || depth == 0))
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "%s stands on no base", label);
	r = base ? read_builtin(draft, base, depth - 1, err) : 0;
	if (r < 0)
		return r;
	draft->layer = PMG_LAYER_BUILTIN;
	draft->label = label;
	r = pmg_keys_read(pmg_draft_profile_keys, doc, draft, err);
	draft->label = NULL;
	return r;
}

/* One level: what a user's profile stands on is built in. */
static int read_inherited(struct pmg_draft *draft, const struct pmg_yaml *doc, struct pmg_err *err)
{
	const struct pmg_yaml *value = pmg_yaml_get(doc, "inherits");
	const struct pmg_library official = { .config_dir = "" };
	pmg_auto(library_item) struct pmg_library_item base = { 0 };
	struct pmg_err why = PMG_ERR_INIT;

	if (!value || value->kind != PMG_YAML_SCALAR || pmg_yaml_is_null(value))
		return 0;
	if (pmg_library_find(&official, PMG_LIBRARY_PROFILE, value->text, &base, &why) == 0 &&
	    base.official)
		return read_builtin(draft, base.official, INHERIT_MAX, err);
	(void)pmg_yaml_err(err, value, "\"inherits\" must name a built-in profile");
	return strstr(why.hint, "did you mean") ? pmg_err_hint(err, "%s", why.hint) : -PMG_E_CONFIG;
}

/* A driver may not be able to give what they say: then the line is named. */
static void note_switches(struct pmg_draft *draft, const struct pmg_yaml *doc)
{
	const struct pmg_yaml *network = pmg_yaml_get(doc, "network");
	const struct {
		const char *key;
		char **source;
	} rows[] = {
		{ "network_via_proxy_only", &draft->proxy_only_source },
		{ "allow_direct_dns", &draft->direct_dns_source },
	};
	size_t i;

	for (i = 0; network && i < PMG_ARRAY_LEN(rows); i++) {
		const struct pmg_yaml *value = pmg_yaml_get(network, rows[i].key);

		if (!value)
			continue;
		free(*rows[i].source);
		*rows[i].source = pmg_xasprintf("%s:%u", draft->label, value->line);
	}
}

int pmg_draft_text(struct pmg_draft *draft, enum pmg_library_kind kind, const char *label,
		   const char *text, size_t len, struct pmg_err *err)
{
	bool profile = kind == PMG_LIBRARY_PROFILE;
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	int r = pmg_yaml_parse(label, text, len, &doc, err);

	if (r == 0 && profile)
		r = read_inherited(draft, doc, err);
	if (r < 0)
		return r;
	draft->layer = profile ? PMG_LAYER_PROFILE : PMG_LAYER_PRESET;
	draft->label = label;
	r = pmg_keys_read(profile ? pmg_draft_profile_keys : pmg_draft_preset_keys, doc, draft,
			  err);
	note_switches(draft, doc);
	draft->label = NULL;
	return r;
}

int pmg_draft_read(struct pmg_draft *draft, const struct pmg_library_item *item,
		   struct pmg_err *err)
{
	pmg_autofree char *label = NULL;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r;

	if (item->official && item->kind == PMG_LIBRARY_PROFILE)
		return read_builtin(draft, item->official, INHERIT_MAX, err);
	r = pmg_library_text(item, &text, &len, err);
	if (r < 0)
		return r;
	label = item->official ? pmg_xasprintf("built-in %s", item->name) : pmg_xstrdup(item->path);
	draft->official = item->official != NULL;
	return pmg_draft_text(draft, item->kind, label, text, len, err);
}

int pmg_draft_named(struct pmg_draft *draft, const struct pmg_library *library,
		    enum pmg_library_kind kind, const char *name, struct pmg_err *err)
{
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	pmg_autofree char *shadowed = NULL;
	int r = pmg_library_find(library, kind, name, &item, err);

	if (r < 0)
		return r;
	/* Who wrote that file thinks it is in force. */
	shadowed = pmg_library_shadows(library, &item);
	if (shadowed)
		pmg_strv_addf(&draft->notes, "%s is not used: \"%s\" is %s", shadowed, name,
			      item.official ? "built in" : "another file by config.yml");
	return pmg_draft_read(draft, &item, err);
}
