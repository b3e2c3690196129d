#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "pm/version.h"
#include "proxy/ages_priv.h"

static void keep_one(struct pmg_ages *ages, size_t registry, enum pmg_eco eco, const char *what,
		     const char *label)
{
	const struct pmg_service *service = ages->service;
	pmg_autofree char *name = pmg_name_canonical(eco, what);
	pmg_autofree char *base = pmg_url_text(pmg_catalog_base(service->catalog, registry));
	int64_t published = 0;

	/* A name with a blank could stand for another line. */
	if (!label || strpbrk(label, " \n") || strpbrk(name, " \n") ||
	    ages->kept.n == PMG_AGES_KEPT_MAX ||
	    !pmg_dates_keep(service->dates, registry, name, label, &published))
		return;
	pmg_strv_addf(&ages->kept, "%s %s %s %s %" PRId64, pmg_eco_name(eco), base, name, label,
		      published);
}

void pmg_ages_keep(struct pmg_ages *ages, const struct pmg_asked *asked, const struct pmg_url *url)
{
	size_t homes[PMG_REGISTRIES_MAX];
	size_t i, k, n;
	bool is_foreign;

	for (i = 0; asked->published > 0 && i < asked->who.n; i++) {
		const struct pmg_identity *who = &asked->who.v[i];
		pmg_autofree char *label = pmg_ages_label(who, url);

		n = pmg_catalog_homes(ages->service->catalog, url, who->eco, who->name, homes,
				      &is_foreign);
		for (k = 0; k < n; k++)
			keep_one(ages, homes[k], who->eco, who->name, label);
	}
}

void pmg_ages_keep_pin(struct pmg_ages *ages, const struct pmg_ages_pin *pin)
{
	size_t homes[PMG_REGISTRIES_MAX];
	bool is_foreign;
	size_t i, n = pmg_ages_homes(ages, pin, homes, &is_foreign);
	int64_t published;

	for (i = 0; i < n; i++) {
		pmg_autofree char *label = NULL;

		if (pmg_ages_look_pin(ages, homes[i], pin, &published, &label) == PMG_DATED)
			keep_one(ages, homes[i], pin->eco, pin->name, label);
	}
}

const struct pmg_strv *pmg_ages_kept(const struct pmg_ages *ages)
{
	return &ages->kept;
}

/* The five words of a line; cut up in place. */
static bool cut_line(char *line, char *words[5])
{
	size_t i;

	for (i = 0; i < 5; i++) {
		words[i] = line;
		line = line ? strchr(line, ' ') : NULL;
		if (line)
			*line++ = '\0';
		if (!line && i < 4)
			return false;
	}
	return line == NULL;
}

static void remember_line(struct pmg_ages *ages, char *line)
{
	const struct pmg_catalog *catalog = ages->service->catalog;
	struct pmg_err scratch = PMG_ERR_INIT;
	char *words[5];
	uint64_t published;
	enum pmg_eco eco;
	size_t i;

	if (!cut_line(line, words) || pmg_eco_parse(words[0], &eco, &scratch) < 0 ||
	    pmg_parse_uint(words[4], INT64_MAX, &published) < 0 || published == 0)
		return;
	for (i = 0; i < pmg_catalog_count(catalog); i++) {
		pmg_autofree char *base = pmg_url_text(pmg_catalog_base(catalog, i));

		if (pmg_catalog_eco(catalog, i) == eco && strcmp(base, words[1]) == 0)
			pmg_dates_remember(ages->service->dates, i, words[2], words[3],
					   (int64_t)published);
	}
}

void pmg_ages_remember(struct pmg_ages *ages, const char *text)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	char *line = copy, *end;

	while (*line) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		remember_line(ages, line);
		line = end;
	}
}
