/* What is known of a package and stands in no index. */
#include <string.h>

#include "cli/cmd_intel.h"
#include "conf/managed.h"
#include "verdict/blocklist.h"
#include "verdict/known.h"
#include "verdict/supplement.h"

static void add_row(struct pmg_known *known, const char *feed, const char *id, const char *version,
		    const char *note)
{
	known->v = pmg_grow(known->v, known->n, &known->cap, sizeof *known->v);
	known->v[known->n++] = (struct pmg_known_row){
		.feed = pmg_xstrdup(feed),
		.id = pmg_xstrdup(id),
		.note = pmg_xstrdup(note ? note : ""),
		.version = pmg_xstrdup(version ? version : ""),
		.low = pmg_xstrdup(""),
		.high = pmg_xstrdup(""),
	};
}

static void add_built_in(struct pmg_known *known, enum pmg_eco eco, const char *name)
{
	pmg_autofree char *id = NULL;
	const char *versions = pmg_supplement_about(eco, name, &id);

	while (versions && *versions) {
		size_t n = strcspn(versions, " ");
		pmg_autofree char *version = pmg_xstrndup(versions, n);

		add_row(known, PMG_SUPPLEMENT_SOURCE, id, version, NULL);
		versions += n + (versions[n] == ' ');
	}
}

static void add_blocked(struct pmg_known *known, const char *feed, const struct pmg_blocklist *list,
			enum pmg_eco eco, const char *name)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		const struct pmg_block *block = &list->v[i];

		if (block->purl.eco == eco && strcmp(block->purl.name, name) == 0)
			add_row(known, feed, block->text, block->purl.version, block->reason);
	}
}

int pmg_intel_add_listed(struct pmg_known *known, const char *blocklist, enum pmg_eco eco,
			 const char *name, struct pmg_err *err)
{
	pmg_auto(blocklist) struct pmg_blocklist own = { 0 }, theirs = { 0 };
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	int r = pmg_blocklist_load(blocklist, &own, err);

	if (r == 0)
		r = pmg_managed_load(PMG_MANAGED_PATH, &managed, err);
	if (r == 0)
		r = pmg_blocklist_managed(&managed, &theirs, err);
	if (r < 0)
		return r;
	add_built_in(known, eco, name);
	add_blocked(known, "managed", &theirs, eco, name);
	add_blocked(known, "blocklist", &own, eco, name);
	return 0;
}
