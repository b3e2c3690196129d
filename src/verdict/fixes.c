#include "verdict/fixes.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "pm/version.h"

void pmg_fixes_done(struct pmg_fixes *fixes)
{
	size_t i;

	for (i = 0; i < fixes->n; i++) {
		free(fixes->v[i].name);
		free(fixes->v[i].version);
	}
	free(fixes->v);
	*fixes = (struct pmg_fixes){ 0 };
}

static void add(struct pmg_fixes *out, enum pmg_eco eco, const char *name, const char *version)
{
	if (out->n == PMG_FIXES_MAX || !pmg_version_is_valid(eco, version))
		return;
	out->v = pmg_grow(out->v, out->n, &out->cap, sizeof *out->v);
	out->v[out->n++] = (struct pmg_fix){ eco, pmg_name_canonical(eco, name),
					     pmg_version_canonical(eco, version) };
}

static void read_ranges(const struct json_t *ranges, enum pmg_eco eco, const char *name,
			struct pmg_fixes *out)
{
	const struct json_t *events;
	const char *fixed;
	size_t i, k;

	for (i = 0; i < pmg_json_len(ranges); i++) {
		if (pmg_streq(pmg_json_str(pmg_json_at(ranges, i), "type"), "GIT"))
			continue; /* commits */
		events = pmg_json_get(pmg_json_at(ranges, i), "events");
		for (k = 0; k < pmg_json_len(events); k++) {
			fixed = pmg_json_str(pmg_json_at(events, k), "fixed");
			if (fixed)
				add(out, eco, name, fixed);
		}
	}
}

void pmg_fixes_read(const struct json_t *affected, struct pmg_fixes *out)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	size_t i;

	for (i = 0; i < pmg_json_len(affected); i++) {
		const struct json_t *entry = pmg_json_at(affected, i);
		const struct json_t *package = pmg_json_get(entry, "package");
		const char *type = pmg_json_str(package, "ecosystem");
		const char *name = pmg_json_str(package, "name");
		enum pmg_eco eco;

		if (type && name && pmg_eco_parse(type, &eco, &scratch) == 0 &&
		    pmg_name_is_valid(eco, name))
			read_ranges(pmg_json_get(entry, "ranges"), eco, name, out);
	}
}
