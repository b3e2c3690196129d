/* Packages and files outside of the project that the command line names by path. */
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/npmlike.h"
#include "pm/places_priv.h"

/* Verbs of npm and pnpm whose operands are packages. */
#define LINKS 1U /* of a folder a link is made, which outlasts the run */
#define FIRST 2U /* the first alone: behind it stand the arguments of a program */
static const struct {
	const char *name;
	unsigned flags;
} verbs[] = {
	{ "install", LINKS },      { "i", LINKS },       { "in", LINKS },
	{ "ins", LINKS },          { "inst", LINKS },    { "insta", LINKS },
	{ "instal", LINKS },       { "isnt", LINKS },    { "isnta", LINKS },
	{ "isntal", LINKS },       { "isntall", LINKS }, { "add", LINKS },
	{ "install-test", LINKS }, { "it", LINKS },      { "link", LINKS },
	{ "ln", LINKS },           { "pack", 0 },        { "publish", 0 },
	{ "exec", FIRST },         { "x", FIRST },       { "dlx", FIRST },
};

static bool is_archive(const char *path)
{
	static const char *const ends[] = { ".tgz", ".tar",     ".tar.gz", ".whl",
					    ".zip", ".tar.bz2", ".tar.xz" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(ends); i++)
		if (pmg_str_has_suffix(path, ends[i]))
			return true;
	return false;
}

bool pmg_places_is_path(const char *text)
{
	return text[0] == '/' || strcmp(text, ".") == 0 || strcmp(text, "..") == 0 ||
	       strncmp(text, "./", 2) == 0 || strncmp(text, "../", 3) == 0 ||
	       strncmp(text, "~/", 2) == 0 || is_archive(text);
}

void pmg_places_typed(const struct pmg_place *place, const char *path, struct pmg_places *out)
{
	pmg_autofree char *real = pmg_path_real(path);
	struct stat st;

	if (!real || stat(real, &st) < 0 || pmg_places_is_open(place, out, path))
		return;
	/* A link that came with the repository does not lead out of it. */
	if (out->repository && pmg_path_is_under(path, out->repository) &&
	    !pmg_path_is_under(real, out->repository))
		return;
	pmg_places_add_own(&out->operands, place, real);
	if (S_ISDIR(st.st_mode))
		pmg_places_add_own(&out->source_dirs, place, real);
}

/* "name@file:../x", "link:../x", "file:///x": the path */
static const char *path_in(const char *spec)
{
	static const char *const schemes[] = { "file:", "link:" };
	const char *at = strchr(spec[0] == '@' ? spec + 1 : spec, '@');
	const char *path = spec;
	bool named = false;
	size_t i;

	if (at && !strchr("/.~", spec[0]))
		path = at + 1;
	for (i = 0; i < PMG_ARRAY_LEN(schemes); i++)
		if (pmg_str_has_prefix(path, schemes[i])) {
			path += strlen(schemes[i]);
			named = true;
			break;
		}
	while (named && path[0] == '/' && path[1] == '/')
		path++;
	return *path && (named || pmg_places_is_path(path)) ? path : NULL;
}

void pmg_places_operands(const struct pmg_npmlike *n, const char *start, struct pmg_places *out)
{
	bool verb = strcmp(pmg_path_name(n->place->argv[0]), "npx") != 0;
	const char *const bases[] = { n->place->cwd, start };
	size_t i, k, from = verb ? 1 : 0, to = from + 1;

	for (i = 0; verb && n->operands.n > 0; i++) {
		if (i == PMG_ARRAY_LEN(verbs))
			return;
		if (strcmp(verbs[i].name, n->operands.v[0]) != 0)
			continue;
		to = verbs[i].flags & FIRST ? 2 : n->operands.n;
		out->links_dirs = verbs[i].flags & LINKS;
		break;
	}
	for (i = from; i < to && i < n->operands.n; i++)
		for (k = 0; path_in(n->operands.v[i]) && k < PMG_ARRAY_LEN(bases); k++) {
			pmg_autofree char *path =
				pmg_places_path(n->place, bases[k], path_in(n->operands.v[i]));

			pmg_places_typed(n->place, path, out);
		}
}
