#include "conf/finding.h"

#include <stdbool.h>
#include <string.h>

static const char *const names[PMG_FINDING_MAX + 1] = {
	[PMG_FINDING_TRAVERSAL] = "traversal",
	[PMG_FINDING_LINK_OUTSIDE] = "link-outside",
	[PMG_FINDING_DEVICE] = "device",
	[PMG_FINDING_MISMATCH] = "mismatch",
	[PMG_FINDING_AMBIGUOUS] = "ambiguous",
	[PMG_FINDING_CONTROL] = "control",
	[PMG_FINDING_DUPLICATE] = "duplicate",
	[PMG_FINDING_CASE] = "case",
	[PMG_FINDING_SETUID] = "setuid",
	[PMG_FINDING_LINK] = "link",
	[PMG_FINDING_OUTSIDE] = "outside",
	[PMG_FINDING_SCRIPTS] = "scripts",
	[PMG_FINDING_BUILD] = "build",
	[PMG_FINDING_STARTUP] = "startup",
	[PMG_FINDING_NATIVE] = "native",
	[PMG_FINDING_BINARY] = "binary",
	[PMG_FINDING_UNINSPECTED] = "uninspected",
};

static const struct {
	const char *text;
	bool blocks;
} rows[PMG_FINDING_MAX] = {
	[PMG_FINDING_TRAVERSAL] = { "a path leaves the package", true },
	[PMG_FINDING_LINK_OUTSIDE] = { "a link leaves the package", true },
	[PMG_FINDING_DEVICE] = { "a device node or pipe is in it", true },
	[PMG_FINDING_MISMATCH] = { "it is another package inside", false },
	[PMG_FINDING_AMBIGUOUS] = { "it can be read in two ways", false },
	[PMG_FINDING_CONTROL] = { "a path has control bytes", false },
	[PMG_FINDING_DUPLICATE] = { "a path stands twice", false },
	[PMG_FINDING_CASE] = { "paths differ only in case", false },
	[PMG_FINDING_SETUID] = { "a file is set-user-ID or set-group-ID", false },
	[PMG_FINDING_LINK] = { "it has links", false },
	[PMG_FINDING_OUTSIDE] = { "a file lies beside the package's folder", false },
	[PMG_FINDING_SCRIPTS] = { "install scripts", false },
	[PMG_FINDING_BUILD] = { "code that runs to build it", false },
	[PMG_FINDING_STARTUP] = { "code that runs at every start of Python", false },
	[PMG_FINDING_NATIVE] = { "native code", false },
	[PMG_FINDING_BINARY] = { "programs", false },
	[PMG_FINDING_UNINSPECTED] = { "not inspected whole", false },
};

const char *pmg_finding_name(enum pmg_finding kind)
{
	return names[kind];
}

const char *pmg_finding_text(enum pmg_finding kind)
{
	return rows[kind].text;
}

const char *const *pmg_finding_names(void)
{
	return names;
}

enum pmg_finding pmg_finding_parse(const char *name)
{
	unsigned kind;

	for (kind = 0; kind < PMG_FINDING_MAX; kind++)
		if (strcmp(names[kind], name) == 0)
			break;
	return (enum pmg_finding)kind;
}

uint32_t pmg_finding_blocking(void)
{
	uint32_t bits = 0;
	unsigned kind;

	for (kind = 0; kind < PMG_FINDING_MAX; kind++)
		if (rows[kind].blocks)
			bits |= PMG_FINDING_BIT(kind);
	return bits;
}
