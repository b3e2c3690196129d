/* What pipx keeps, and what its pip and uv do. */
#include <string.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"
#include "pm/places_priv.h"
#include "pm/settings.h"

/* $NAME, else what lies below a folder of the user's. */
static char *folder(const struct pmg_place *place, const char *name, const char *base,
		    const char *otherwise, const char *below)
{
	const char *value = pmg_env_get(place->env, name);
	pmg_autofree char *dir = pmg_places_base(place, base, otherwise);

	return value && *value ? pmg_places_path(place, place->cwd, value)
			       : pmg_path_join(dir, below);
}

static void add_own(const struct pmg_place *place, struct pmg_places *out)
{
	static const struct {
		const char *name, *base, *otherwise, *below;
	} prefixes[] = {
		{ "PIPX_HOME", "XDG_DATA_HOME", ".local/share", "pipx" },
		{ "PIPX_SHARED_LIBS", "XDG_DATA_HOME", ".local/share", "pipx/shared" },
		{ "PIPX_HOME", "HOME", "", ".local/pipx" }, /* of an old one */
	};
	pmg_autofree char *cache = folder(place, "", "XDG_CACHE_HOME", ".cache", "pipx");
	pmg_autofree char *log = folder(place, "", "XDG_STATE_HOME", ".local/state", "pipx");
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(prefixes); i++) {
		pmg_autofree char *dir = folder(place, prefixes[i].name, prefixes[i].base,
						prefixes[i].otherwise, prefixes[i].below);

		if (i == 0 || pmg_places_has(dir, "."))
			pmg_places_add_own(&out->prefixes, place, dir);
		pmg_places_pattern(&out->beside, dir, "venvs/*");
		pmg_places_pattern(&out->beside, dir, ".cache/*");
	}
	pmg_places_pattern(&out->beside, cache, "*"); /* of `pipx run` */
	pmg_places_add_own(&out->caches, place, cache);
	pmg_places_add_own(&out->prefixes, place, log);
}

/* Where apps and manual pages are linked to; `pipx run` makes the folders too. */
static void add_links(const struct pmg_place *place, struct pmg_places *out)
{
	pmg_autofree char *bin = folder(place, "PIPX_BIN_DIR", "HOME", "", ".local/bin");
	pmg_autofree char *man =
		folder(place, "PIPX_MAN_DIR", "XDG_DATA_HOME", ".local/share", "man");

	pmg_places_add_own(&out->prefixes, place, bin);
	pmg_places_add_own(&out->prefixes, place, man);
}

/* What is wanted, by name. */
static void add_asked(const struct pmg_place *place, const struct pmg_strv *words,
		      struct pmg_places *out)
{
	static const char line[] = "command line";
	pmg_auto(args) struct pmg_args args = { .table = &pmg_pipx_args, .argv = place->argv };
	const char *verb = words->n > 0 ? words->v[0] : "";
	bool run = strcmp(verb, "run") == 0, inject = strcmp(verb, "inject") == 0;
	bool named = false;
	size_t i;
	struct pmg_arg arg;

	if (!run && !inject && strcmp(verb, "install") != 0)
		return;
	while (pmg_args_next(&args, &arg)) {
		bool spec = arg.kind == PMG_ARG_OPTION && pmg_streq(arg.name, "spec");

		if (arg.kind == PMG_ARG_OPTION && arg.value &&
		    (spec || pmg_streq(arg.name, "with") || pmg_streq(arg.name, "preinstall")))
			pmg_places_ask(out, line, arg.value);
		named |= spec;
	}
	if (run && named) /* a command of that */
		return;
	for (i = inject ? 2 : 1; i < words->n && (!run || i == 1); i++)
		pmg_places_ask(out, line, words->v[i]);
}

int pmg_places_pipx(const struct pmg_place *place, struct pmg_places *out, struct pmg_err *err)
{
	pmg_auto(settings) struct pmg_settings none = { 0 };
	pmg_auto(strv) struct pmg_strv operands = { 0 };
	pmg_auto(strv) struct pmg_strv typed = { 0 };
	int r = pmg_pipx_operands(place, &typed, &operands, err);

	/* Caches and files of both, and what they would install into. */
	if (r == 0)
		r = pmg_places_pip_files(place, out, err);
	if (r == 0)
		r = pmg_places_uv_files(place, out, err);
	if (r < 0)
		return r;
	add_asked(place, &operands, out);
	add_own(place, out);
	add_links(place, out);
	pmg_places_pip_operands(place, &none, &typed, out);
	return 0;
}
