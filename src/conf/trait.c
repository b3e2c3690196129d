#include "conf/trait.h"

#include <stdbool.h>
#include <string.h>

static const char *const names[PMG_TRAIT_MAX + 1] = {
	[PMG_TRAIT_TRAVERSAL] = "traversal",   [PMG_TRAIT_LINK_OUTSIDE] = "link-outside",
	[PMG_TRAIT_DEVICE] = "device",         [PMG_TRAIT_OVERSIZED] = "oversized",
	[PMG_TRAIT_UNREADABLE] = "unreadable", [PMG_TRAIT_AMBIGUOUS] = "ambiguous",
	[PMG_TRAIT_MISMATCH] = "mismatch",     [PMG_TRAIT_CONTROL] = "control",
	[PMG_TRAIT_DUPLICATE] = "duplicate",   [PMG_TRAIT_CASE] = "case",
	[PMG_TRAIT_SETUID] = "setuid",         [PMG_TRAIT_LINK] = "link",
	[PMG_TRAIT_OUTSIDE] = "outside",       [PMG_TRAIT_NEW_SCRIPTS] = "new-scripts",
	[PMG_TRAIT_NEW_BUILD] = "new-build",   [PMG_TRAIT_NEW_STARTUP] = "new-startup",
	[PMG_TRAIT_NEW_NATIVE] = "new-native", [PMG_TRAIT_NEW_BINARY] = "new-binary",
	[PMG_TRAIT_SCRIPTS] = "scripts",       [PMG_TRAIT_BUILD] = "build",
	[PMG_TRAIT_STARTUP] = "startup",       [PMG_TRAIT_NATIVE] = "native",
	[PMG_TRAIT_BINARY] = "binary",         [PMG_TRAIT_UNINSPECTED] = "uninspected",
};

static const struct {
	const char *text; /* why it is refused */
	const char *noun; /* what there is in so many packages */
	bool blocks;
} rows[PMG_TRAIT_MAX] = {
	[PMG_TRAIT_TRAVERSAL] = { "a path leaves the package", "paths that leave it", true },
	[PMG_TRAIT_LINK_OUTSIDE] = { "a link leaves the package", "links that leave it", true },
	[PMG_TRAIT_DEVICE] = { "a device node or pipe is in it", "device nodes", true },
	[PMG_TRAIT_OVERSIZED] = { "there is too much in it to look into",
				  "more than can be looked into", true },
	[PMG_TRAIT_UNREADABLE] = { "it cannot be read as an archive", "no archive that can be read",
				   true },
	[PMG_TRAIT_AMBIGUOUS] = { "it can be read in two ways",
				  "contents that can be read in two ways", true },
	[PMG_TRAIT_MISMATCH] = { "it is another package inside", "another name or version", false },
	[PMG_TRAIT_CONTROL] = { "a path has control bytes", "control bytes in paths", false },
	[PMG_TRAIT_DUPLICATE] = { "a path stands twice", "paths that stand twice", false },
	[PMG_TRAIT_CASE] = { "paths differ only in case", "paths that differ only in case", false },
	[PMG_TRAIT_SETUID] = { "a file is set-user-ID or set-group-ID", "set-user-ID bits", false },
	[PMG_TRAIT_LINK] = { "it has links", "links", false },
	[PMG_TRAIT_OUTSIDE] = { "a file lies beside the package's folder",
				"files beside its folder", false },
	[PMG_TRAIT_NEW_SCRIPTS] = { "it has install scripts, unlike the version before",
				    "new install scripts", false },
	[PMG_TRAIT_NEW_BUILD] = { "it has code that runs to build it, unlike the version before",
				  "new code that runs to build it", false },
	[PMG_TRAIT_NEW_STARTUP] = { "it has code that runs at every start of Python, unlike the "
				    "version before",
				    "new code that runs at each start of Python", false },
	[PMG_TRAIT_NEW_NATIVE] = { "it has native code, unlike the version before",
				   "new native code", false },
	[PMG_TRAIT_NEW_BINARY] = { "it has programs, unlike the version before", "new programs",
				   false },
	[PMG_TRAIT_SCRIPTS] = { "install scripts", "install scripts", false },
	[PMG_TRAIT_BUILD] = { "code that runs to build it", "code that runs to build it", false },
	[PMG_TRAIT_STARTUP] = { "code that runs at every start of Python",
				"code that runs at each start of Python", false },
	[PMG_TRAIT_NATIVE] = { "native code", "native code", false },
	[PMG_TRAIT_BINARY] = { "programs", "programs", false },
	[PMG_TRAIT_UNINSPECTED] = { "nothing in it says what it is", "nothing that says what it is",
				    false },
};

const char *pmg_trait_name(enum pmg_trait kind)
{
	return names[kind];
}

const char *pmg_trait_text(enum pmg_trait kind)
{
	return rows[kind].text;
}

const char *pmg_trait_noun(enum pmg_trait kind)
{
	return rows[kind].noun;
}

const char *const *pmg_trait_names(void)
{
	return names;
}

enum pmg_trait pmg_trait_parse(const char *name)
{
	unsigned kind;

	for (kind = 0; kind < PMG_TRAIT_MAX; kind++)
		if (strcmp(names[kind], name) == 0)
			break;
	return (enum pmg_trait)kind;
}

uint32_t pmg_trait_blocking(void)
{
	uint32_t bits = 0;
	unsigned kind;

	for (kind = 0; kind < PMG_TRAIT_MAX; kind++)
		if (rows[kind].blocks)
			bits |= PMG_TRAIT_BIT(kind);
	return bits;
}
