#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/resolved.h"
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
static void weigh(enum pmg_dated dated, int64_t found, bool is_foreign, int64_t *published)
{
	if (*published == PMG_DATE_UNASKED && (!is_foreign || dated == PMG_DATED))
		*published = PMG_DATE_NONE;
	if (dated == PMG_DATED && found > *published)
		*published = found;
}

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
		n = pmg_catalog_homes(service->catalog, url, one->eco, one->name, homes,
				      &is_foreign);
		for (k = 0; k < n; k++) {
			enum pmg_dated dated = look(ages, homes[k], one, url, &found);

			if (dated == PMG_DATED_UNKNOWN) {
				*registry = homes[k];
				*who = one;
				return false;
			}
			weigh(dated, found, is_foreign, published);
		}
	}
	return true;
}

/* Files of one version of PyPI's; the oldest that has a date. */
struct files {
	const struct pmg_ages_pin *pin;
	char *label;
	int64_t published;
	bool found;
};

static void take_file(void *ctx, const char *label, int64_t published)
{
	struct files *files = ctx;
	pmg_autofree char *version = pmg_identity_pypi_version(label, files->pin->name);
	bool is_older = published > 0 && (files->published <= 0 || published < files->published);

	if (!version || pmg_version_compare(PMG_ECO_PYPI, version, files->pin->version) != 0 ||
	    (files->found && !is_older))
		return;
	free(files->label);
	files->label = pmg_xstrdup(label);
	files->published = published;
	files->found = true;
}

enum pmg_dated pmg_ages_look_pin(const struct pmg_ages *ages, size_t registry,
				 const struct pmg_ages_pin *pin, int64_t *published, char **label)
{
	const struct pmg_dates *dates = ages->service->dates;
	pmg_autofree char *name = pmg_name_canonical(pin->eco, pin->name);
	struct files files = { .pin = pin };
	enum pmg_dated dated;

	if (pin->eco == PMG_ECO_PYPI)
		pmg_dates_each(dates, registry, name, take_file, &files);
	else
		files.label = pmg_xstrdup(pin->version);
	dated = pmg_dates_find(dates, registry, name, files.label ? files.label : "", published);
	*label = dated == PMG_DATED ? pmg_steal_ptr(&files.label) : NULL;
	free(files.label);
	return dated;
}

size_t pmg_ages_homes(const struct pmg_ages *ages, const struct pmg_ages_pin *pin, size_t *homes,
		      bool *is_foreign)
{
	const struct pmg_catalog *catalog = ages->service->catalog;
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	bool is_anywhere = strcmp(pin->url, PMG_RESOLVED_ANYWHERE) == 0;

	*is_foreign = is_anywhere;
	if (!*pin->url || is_anywhere)
		return pmg_catalog_homes_of(catalog, pin->eco, pin->name, homes);
	if (pmg_url_parse(pin->url, &url, &scratch) < 0)
		return 0; /* in no registry's archive */
	return pmg_catalog_homes_pinned(catalog, &url, pin->eco, pin->name, homes, is_foreign);
}

size_t pmg_ages_missing(const struct pmg_ages *ages, const struct pmg_ages_pin *pin,
			size_t *registries)
{
	size_t homes[PMG_REGISTRIES_MAX];
	bool is_foreign;
	size_t i, n = pmg_ages_homes(ages, pin, homes, &is_foreign), missing = 0;
	int64_t unused = 0;

	for (i = 0; *pin->version && i < n; i++) {
		pmg_autofree char *label = NULL;

		if (pmg_ages_look_pin(ages, homes[i], pin, &unused, &label) == PMG_DATED_UNKNOWN)
			registries[missing++] = homes[i];
	}
	return missing;
}

int64_t pmg_ages_find_pin(const struct pmg_ages *ages, const struct pmg_ages_pin *pin)
{
	size_t homes[PMG_REGISTRIES_MAX];
	bool is_foreign;
	size_t i, n = pmg_ages_homes(ages, pin, homes, &is_foreign);
	int64_t found = 0, published = PMG_DATE_UNASKED;

	for (i = 0; *pin->version && i < n; i++) {
		pmg_autofree char *label = NULL;
		enum pmg_dated dated = pmg_ages_look_pin(ages, homes[i], pin, &found, &label);

		if (dated != PMG_DATED_UNKNOWN)
			weigh(dated, found, is_foreign, &published);
	}
	return published;
}
