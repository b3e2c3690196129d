#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/version.h"
#include "proxy/ages_priv.h"
#include "proxy/place.h"

/* PyPI's files have dates of their own. */
char *pmg_ages_label(const struct pmg_identity *who, const struct pmg_url *url)
{
	pmg_autofree char *plain = pmg_path_plain(url->path);
	const char *file = plain ? pmg_path_name(plain) : "";
	size_t n = strlen(file);

	if (who->eco == PMG_ECO_NPM)
		return who->version ? pmg_xstrdup(who->version) : NULL;
	if (pmg_str_has_suffix(file, ".metadata"))
		n -= strlen(".metadata");
	return pmg_xstrndup(file, n);
}

/* One registry that it may be of. @return UNKNOWN: it has to be asked */
static enum pmg_dated look(const struct pmg_ages *ages, size_t registry,
			   const struct pmg_identity *who, const struct pmg_url *url,
			   int64_t *published)
{
	pmg_autofree char *name = pmg_name_canonical(who->eco, who->name);
	pmg_autofree char *label = pmg_ages_label(who, url);

	if (!label)
		return PMG_DATED_MISSING;
	return pmg_dates_find(ages->service->dates, registry, name, label, published);
}

/* Where several registries, or readings of a name, have a date, the latest counts. One that does
 * not know the file says nothing of it. */
bool pmg_ages_find(const struct pmg_ages *ages, const struct pmg_asked *asked,
		   const struct pmg_url *url, int64_t *published, size_t *registry,
		   const struct pmg_identity **who)
{
	const struct pmg_service *service = ages->service;
	size_t homes[PMG_REGISTRIES_MAX];
	size_t i, k, n;
	int64_t found = 0;
	bool is_foreign;

	*published = PMG_DATE_UNASKED;
	for (i = 0; i < asked->who.n; i++) {
		const struct pmg_identity *one = &asked->who.v[i];

		if (!pmg_judge_needs_dates(service->gate.judge, one->eco, one->name))
			continue;
		n = pmg_catalog_homes(service->catalog, url, one->eco, homes, &is_foreign);
		for (k = 0; k < n; k++) {
			enum pmg_dated dated = look(ages, homes[k], one, url, &found);

			if (dated == PMG_DATED_UNKNOWN) {
				*registry = homes[k];
				*who = one;
				return false;
			}
			if (*published == PMG_DATE_UNASKED && (!is_foreign || dated == PMG_DATED))
				*published = PMG_DATE_NONE;
			if (dated == PMG_DATED && found > *published)
				*published = found;
		}
	}
	return true;
}
