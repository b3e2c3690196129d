#include "conf/trait.h"

#include <stdbool.h>
#include <string.h>

static const char *const names[PMG_TRAIT_MAX + 1] = {
	[PMG_TRAIT_TRAVERSAL] = "traversal",
	[PMG_TRAIT_LINK_OUTSIDE] = "link-outside",
	[PMG_TRAIT_DEVICE] = "device",
	[PMG_TRAIT_MISMATCH] = "mismatch",
	[PMG_TRAIT_AMBIGUOUS] = "ambiguous",
	[PMG_TRAIT_CONTROL] = "control",
	[PMG_TRAIT_DUPLICATE] = "duplicate",
	[PMG_TRAIT_CASE] = "case",
	[PMG_TRAIT_SETUID] = "setuid",
	[PMG_TRAIT_LINK] = "link",
	[PMG_TRAIT_OUTSIDE] = "outside",
	[PMG_TRAIT_SCRIPTS] = "scripts",
	[PMG_TRAIT_BUILD] = "build",
	[PMG_TRAIT_STARTUP] = "startup",
	[PMG_TRAIT_NATIVE] = "native",
	[PMG_TRAIT_BINARY] = "binary",
	[PMG_TRAIT_UNINSPECTED] = "uninspected",
};

static const struct {
	const char *text;
	bool blocks;
} rows[PMG_TRAIT_MAX] = {
	[PMG_TRAIT_TRAVERSAL] = { "a path leaves the package", true },
	[PMG_TRAIT_LINK_OUTSIDE] = { "a link leaves the package", true },
	[PMG_TRAIT_DEVICE] = { "a device node or pipe is in it", true },
	[PMG_TRAIT_MISMATCH] = { "it is another package inside", false },
	[PMG_TRAIT_AMBIGUOUS] = { "it can be read in two ways", false },
	[PMG_TRAIT_CONTROL] = { "a path has control bytes", false },
	[PMG_TRAIT_DUPLICATE] = { "a path stands twice", false },
	[PMG_TRAIT_CASE] = { "paths differ only in case", false },
	[PMG_TRAIT_SETUID] = { "a file is set-user-ID or set-group-ID", false },
	[PMG_TRAIT_LINK] = { "it has links", false },
	[PMG_TRAIT_OUTSIDE] = { "a file lies beside the package's folder", false },
	[PMG_TRAIT_SCRIPTS] = { "install scripts", false },
	[PMG_TRAIT_BUILD] = { "code that runs to build it", false },
	[PMG_TRAIT_STARTUP] = { "code that runs at every start of Python", false },
	[PMG_TRAIT_NATIVE] = { "native code", false },
	[PMG_TRAIT_BINARY] = { "programs", false },
	[PMG_TRAIT_UNINSPECTED] = { "not inspected whole", false },
};

const char *pmg_trait_name(enum pmg_trait kind)
{
	return names[kind];
}

const char *pmg_trait_text(enum pmg_trait kind)
{
	return rows[kind].text;
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
