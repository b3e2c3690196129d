/* Finding and reading profiles and presets. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "conf/keys.h"
#include "conf/trusted.h"
#include "policy/builtin.h"
#include "policy/draft.h"

#define SHOWN_MAX   64U
#define INHERIT_MAX 3U /* built-in profiles stand on bases; a user's on one of them */

static int no_such(const char *kind, const char *config_dir, const char *name, struct pmg_err *err)
{
	pmg_autofree char *safe = pmg_str_quote(name, strlen(name), SHOWN_MAX);
	const char *words[64] = { NULL }, *near;
	const struct pmg_builtin *b;
	size_t n = 0;

	for (b = pmg_builtins; b->name && n + 1 < PMG_ARRAY_LEN(words); b++)
		if (strcmp(b->kind, kind) == 0)
			words[n++] = b->name;
	(void)pmg_err_set(err, PMG_E_NOTFOUND, 0, "no %s \"%s\"", kind, safe);
	near = pmg_str_nearest(name, words);
	if (near)
		return pmg_err_hint(err, "did you mean \"%s\"?", near);
	return pmg_err_hint(err, "a file of yours would be %s/%ss/%s.yml", config_dir, kind, safe);
}

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
	const struct pmg_builtin *base;
	struct pmg_err why = PMG_ERR_INIT;

	if (!value || value->kind != PMG_YAML_SCALAR || pmg_yaml_is_null(value))
		return 0;
	base = pmg_builtin_find("profile", value->text);
	if (base)
		return read_builtin(draft, base, INHERIT_MAX, err);
	(void)no_such("profile", "", value->text, &why);
	(void)pmg_yaml_err(err, value, "\"inherits\" must name a built-in profile");
	return strstr(why.hint, "did you mean") ? pmg_err_hint(err, "%s", why.hint) : -PMG_E_CONFIG;
}

static int read_file(struct pmg_draft *draft, const char *path, const struct pmg_key *keys,
		     enum pmg_layer layer, struct pmg_err *err)
{
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	int r = pmg_trusted_yaml(path, &doc, err);

	if (r == 0 && layer == PMG_LAYER_PROFILE)
		r = read_inherited(draft, doc, err);
	if (r < 0)
		return r;
	draft->layer = layer;
	draft->label = path;
	r = pmg_keys_read(keys, doc, draft, err);
	draft->label = NULL;
	return r;
}

int pmg_draft_profile(struct pmg_draft *draft, const char *config_dir, const char *name,
		      struct pmg_err *err)
{
	const struct pmg_builtin *builtin = pmg_builtin_find("profile", name);
	pmg_autofree char *path = NULL;
	int r;

	if (builtin)
		return read_builtin(draft, builtin, INHERIT_MAX, err);
	if (strchr(name, '/') || pmg_str_has_suffix(name, ".yml"))
		return read_file(draft, name, pmg_draft_profile_keys, PMG_LAYER_PROFILE, err);
	if (!pmg_draft_is_name(name))
		return no_such("profile", config_dir, name, err);
	path = pmg_xasprintf("%s/profiles/%s.yml", config_dir, name);
	r = read_file(draft, path, pmg_draft_profile_keys, PMG_LAYER_PROFILE, err);
	return r == -PMG_E_NOTFOUND ? no_such("profile", config_dir, name, err) : r;
}

int pmg_draft_preset(struct pmg_draft *draft, const char *config_dir, const char *name,
		     struct pmg_err *err)
{
	const struct pmg_builtin *builtin = pmg_builtin_find("preset", name);
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	pmg_autofree char *label = NULL;
	int r;

	if (!builtin && !pmg_draft_is_name(name))
		return no_such("preset", config_dir, name, err);
	if (!builtin) {
		label = pmg_xasprintf("%s/presets/%s.yml", config_dir, name);
		r = read_file(draft, label, pmg_draft_preset_keys, PMG_LAYER_PRESET, err);
		return r == -PMG_E_NOTFOUND ? no_such("preset", config_dir, name, err) : r;
	}
	label = pmg_xasprintf("built-in %s", name);
	r = pmg_yaml_parse(label, builtin->text, strlen(builtin->text), &doc, err);
	if (r < 0)
		return r;
	draft->layer = PMG_LAYER_PRESET;
	draft->label = label;
	r = pmg_keys_read(pmg_draft_preset_keys, doc, draft, err);
	draft->label = NULL;
	return r;
}
