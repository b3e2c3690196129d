#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/catalog_priv.h"

void pmg_catalog_set_private(struct pmg_catalog *catalog, size_t registry, const char *scope)
{
	struct pmg_catalog_registry *at = &catalog->registries[registry];

	at->is_private = true;
	free(at->private_scope);
	at->private_scope = scope ? pmg_xstrdup(scope) : NULL;
}

void pmg_catalog_set_scope(struct pmg_catalog *catalog, size_t registry, const char *scope)
{
	struct pmg_catalog_registry *at = &catalog->registries[registry];

	free(at->scope);
	at->scope = pmg_xstrdup(scope);
}

void pmg_catalog_set_replaced(struct pmg_catalog *catalog, size_t registry)
{
	catalog->registries[registry].is_replaced = true;
}

static bool is_in_scope(const char *name, const char *scope)
{
	size_t n = strlen(scope);

	return strncmp(name, scope, n) == 0 && name[n] == '/';
}

static bool has_for_itself(const struct pmg_catalog_registry *registry, const char *name)
{
	return registry->is_private &&
	       (!registry->private_scope || is_in_scope(name, registry->private_scope));
}

bool pmg_catalog_is_private(const struct pmg_catalog *catalog, enum pmg_eco eco, const char *name,
			    const struct pmg_url *url)
{
	pmg_autofree char *host = pmg_host_canonical(url->host);
	pmg_autofree char *plain = pmg_path_plain(url->path);
	bool found = false;
	size_t i;

	for (i = 0; plain && i < catalog->n_registries; i++) {
		const struct pmg_catalog_registry *registry = &catalog->registries[i];

		if (registry->eco != eco ||
		    !pmg_catalog_is_place(host, url->port, registry->host, registry->base.port) ||
		    !pmg_str_has_prefix(plain, registry->plain))
			continue;
		if (!has_for_itself(registry, name))
			return false;
		found = true;
	}
	return found;
}

/* Registries of that ecosystem at that place; of those the path is below, the longest base alone.
 */
static size_t homes_at(const struct pmg_catalog *catalog, const char *host, const char *plain,
		       const struct pmg_url *url, enum pmg_eco eco, size_t *homes)
{
	const struct pmg_catalog_registry *registry;
	size_t i, len, longest = 0, n = 0;

	for (i = 0; i < catalog->n_registries; i++) {
		registry = &catalog->registries[i];
		if (registry->eco != eco ||
		    !pmg_catalog_is_place(host, url->port, registry->host, registry->base.port))
			continue;
		len = plain && pmg_str_has_prefix(plain, registry->plain) ? strlen(registry->plain)
									  : 0;
		if (len < longest)
			continue;
		n = len > longest ? 0 : n;
		longest = len;
		homes[n++] = i;
	}
	return n;
}

/* Registries of that ecosystem whose scope the name is in, or those that have none. */
static size_t homes_with(const struct pmg_catalog *catalog, enum pmg_eco eco, const char *name,
			 bool scoped, size_t *homes)
{
	const char *scope;
	size_t i, n = 0;

	for (i = 0; i < catalog->n_registries; i++) {
		scope = catalog->registries[i].scope;
		if (catalog->registries[i].eco == eco &&
		    (scoped ? scope && is_in_scope(name, scope) : !scope))
			homes[n++] = i;
	}
	return n;
}

/* Leaves out those that others are asked in place of. */
static size_t drop_replaced(const struct pmg_catalog *catalog, size_t *homes, size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++)
		if (!catalog->registries[homes[i]].is_replaced)
			homes[kept++] = homes[i];
	return kept;
}

static size_t unless_all(const struct pmg_catalog *catalog, size_t *homes, size_t n)
{
	size_t kept = drop_replaced(catalog, homes, n);

	return kept > 0 ? kept : n; /* then none was moved */
}

size_t pmg_catalog_homes_of(const struct pmg_catalog *catalog, enum pmg_eco eco, const char *name,
			    size_t *homes)
{
	size_t n = homes_with(catalog, eco, name, true, homes);

	if (n == 0)
		n = homes_with(catalog, eco, name, false, homes);
	return unless_all(catalog, homes, n);
}

size_t pmg_catalog_homes(const struct pmg_catalog *catalog, const struct pmg_url *url,
			 enum pmg_eco eco, const char *name, size_t *homes, bool *is_foreign)
{
	pmg_autofree char *host = pmg_host_canonical(url->host);
	pmg_autofree char *plain = pmg_path_plain(url->path);
	const struct pmg_catalog_host *at;
	size_t i, n = homes_at(catalog, host, plain, url, eco, homes);

	*is_foreign = false;
	if (n > 0)
		return unless_all(catalog, homes, n);
	for (i = 0; n < PMG_REGISTRIES_MAX && i < catalog->n_hosts; i++) {
		at = &catalog->hosts[i];
		if (at->eco == eco && at->how != HOW_SOURCE &&
		    pmg_catalog_is_place(host, url->port, at->host, at->port))
			homes[n++] = at->registry;
	}
	*is_foreign = n == 0;
	return n > 0 ? unless_all(catalog, homes, n)
		     : pmg_catalog_homes_of(catalog, eco, name, homes);
}

size_t pmg_catalog_homes_pinned(const struct pmg_catalog *catalog, const struct pmg_url *url,
				enum pmg_eco eco, const char *name, size_t *homes, bool *is_foreign)
{
	size_t n = pmg_catalog_homes(catalog, url, eco, name, homes, is_foreign);

	n = drop_replaced(catalog, homes, n);
	return n > 0 ? n : pmg_catalog_homes_of(catalog, eco, name, homes);
}

bool pmg_catalog_owns_scope(const struct pmg_catalog *catalog, enum pmg_eco eco, const char *name)
{
	size_t i;

	for (i = 0; i < catalog->n_registries; i++)
		if (catalog->registries[i].eco == eco && catalog->registries[i].private_scope &&
		    has_for_itself(&catalog->registries[i], name))
			return true;
	return false;
}
