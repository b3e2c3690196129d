#include "proxy/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/version.h"
#include "proxy/catalog_priv.h"
#include "proxy/place.h"

struct pmg_catalog *pmg_catalog_new(void)
{
	struct pmg_catalog *catalog = pmg_xcalloc(1, sizeof *catalog);

	catalog->addresses = pmg_addresses_new();
	return catalog;
}

void pmg_catalog_free(struct pmg_catalog *catalog)
{
	size_t i;

	if (!catalog)
		return;
	for (i = 0; i < catalog->n_registries; i++) {
		pmg_url_done(&catalog->registries[i].base);
		free(catalog->registries[i].host);
		free(catalog->registries[i].plain);
		free(catalog->registries[i].scope);
		free(catalog->registries[i].private_scope);
	}
	for (i = 0; i < catalog->n_hosts; i++)
		free(catalog->hosts[i].host);
	pmg_addresses_free(catalog->addresses);
	free(catalog->registries);
	free(catalog->hosts);
	free(catalog);
}

int pmg_catalog_add_registry(struct pmg_catalog *catalog, enum pmg_eco eco, const char *url,
			     struct pmg_err *err)
{
	pmg_auto(url) struct pmg_url base = { 0 };
	pmg_autofree char *plain = NULL;
	int r;

	if (catalog->n_registries == PMG_REGISTRIES_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u registries",
				   PMG_REGISTRIES_MAX);
	r = pmg_url_parse(url, &base, err);
	if (r < 0)
		return pmg_err_wrap(err, "registry");
	plain = pmg_path_plain(base.path);
	if (!plain)
		return pmg_err_set(err, PMG_E_PARSE, 0,
				   "registry: the path of the address can be read in two ways");
	catalog->registries = pmg_grow(catalog->registries, catalog->n_registries,
				       &catalog->cap_registries, sizeof *catalog->registries);
	catalog->registries[catalog->n_registries++] = (struct pmg_catalog_registry){
		.eco = eco,
		.base = base,
		.host = pmg_host_canonical(base.host),
		.plain = pmg_xasprintf("%s%s", plain, plain[strlen(plain) - 1] == '/' ? "" : "/"),
	};
	base = (struct pmg_url){ 0 };
	return 0;
}

size_t pmg_catalog_count(const struct pmg_catalog *catalog)
{
	return catalog->n_registries;
}

const struct pmg_url *pmg_catalog_base(const struct pmg_catalog *catalog, size_t registry)
{
	return &catalog->registries[registry].base;
}

enum pmg_eco pmg_catalog_eco(const struct pmg_catalog *catalog, size_t registry)
{
	return catalog->registries[registry].eco;
}

bool pmg_catalog_is_taught(const struct pmg_catalog *catalog, size_t registry)
{
	return catalog->registries[registry].is_taught;
}

static void add_host(struct pmg_catalog *catalog, const struct pmg_catalog_host *new)
{
	struct pmg_catalog_host *old;
	size_t i;

	for (i = 0; i < catalog->n_hosts; i++) {
		old = &catalog->hosts[i];
		if (old->port != new->port || old->eco != new->eco ||
		    old->registry != new->registry || strcmp(old->host, new->host) != 0)
			continue;
		if (old->how < new->how)
			old->how = new->how;
		return;
	}
	if (catalog->n_hosts == PMG_CATALOG_HOSTS_MAX)
		return;
	catalog->hosts = pmg_grow(catalog->hosts, catalog->n_hosts, &catalog->cap_hosts,
				  sizeof *catalog->hosts);
	catalog->hosts[catalog->n_hosts] = *new;
	catalog->hosts[catalog->n_hosts++].host = pmg_xstrdup(new->host);
}

/* "eco base-url host:port"; cut up in place. */
static void add_cached_line(struct pmg_catalog *catalog, char *line)
{
	char *base = strchr(line, ' '), *where = base ? strchr(base + 1, ' ') : NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *host = NULL;
	enum pmg_eco eco;
	uint16_t port = 0;
	size_t i;

	if (!where)
		return;
	*base++ = '\0';
	*where++ = '\0';
	if (pmg_eco_parse(line, &eco, &scratch) < 0 ||
	    pmg_hostport_parse(where, 443, &host, &port, &scratch) < 0)
		return;
	for (i = 0; i < catalog->n_registries; i++) {
		pmg_autofree char *text = pmg_url_text(&catalog->registries[i].base);
		pmg_autofree char *canonical = pmg_host_canonical(host);

		if (catalog->registries[i].eco == eco && strcmp(text, base) == 0)
			add_host(catalog,
				 &(struct pmg_catalog_host){ canonical, port, eco, i, HOW_CACHED });
	}
}

void pmg_catalog_add_cached(struct pmg_catalog *catalog, const char *text)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	char *line = copy, *end;

	while (*line) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		add_cached_line(catalog, line);
		line = end;
	}
}

void pmg_catalog_learned(const struct pmg_catalog *catalog, struct pmg_strv *out)
{
	size_t i;

	for (i = 0; i < catalog->n_hosts; i++) {
		const struct pmg_catalog_host *host = &catalog->hosts[i];
		pmg_autofree char *base = NULL;

		if (host->how != HOW_LEARNED)
			continue;
		base = pmg_url_text(&catalog->registries[host->registry].base);
		pmg_strv_addf(out, strchr(host->host, ':') ? "%s %s [%s]:%u" : "%s %s %s:%u",
			      pmg_eco_name(host->eco), base, host->host, host->port);
	}
}

/* Which ecosystems is something at this place from? Bits by enum pmg_eco. */
static unsigned ecos_at(const struct pmg_catalog *catalog, const char *host, uint16_t port)
{
	unsigned ecos = 0;
	size_t i;

	for (i = 0; i < catalog->n_registries; i++)
		if (pmg_catalog_is_place(host, port, catalog->registries[i].host,
					 catalog->registries[i].base.port))
			ecos |= 1U << catalog->registries[i].eco;
	for (i = 0; i < catalog->n_hosts; i++)
		if (pmg_catalog_is_place(host, port, catalog->hosts[i].host,
					 catalog->hosts[i].port))
			ecos |= 1U << catalog->hosts[i].eco;
	return ecos;
}

bool pmg_catalog_knows(const struct pmg_catalog *catalog, const char *host, uint16_t port)
{
	pmg_autofree char *canonical = pmg_host_canonical(host);

	return ecos_at(catalog, canonical, port) != 0;
}

void pmg_asked_done(struct pmg_asked *asked)
{
	pmg_identities_done(&asked->who);
	pmg_strv_done(&asked->waivers);
	*asked = (struct pmg_asked){ 0 };
}

static void note_kind(struct pmg_asked *out, enum pmg_path_kind kind, size_t registry)
{
	if (kind <= out->kind)
		return;
	/* What a weaker reading said is not what is asked for. */
	if (out->kind == PMG_PATH_METADATA)
		pmg_identities_done(&out->who);
	out->kind = kind;
	out->registry = registry;
}

static void ask_addresses(const struct pmg_address *at, struct pmg_asked *out)
{
	for (; at; at = at->next) {
		note_kind(out, at->kind, at->registry);
		if (at->name && at->kind == out->kind)
			pmg_identities_add(&out->who, at->eco, at->name, at->version);
	}
}

static void merge(struct pmg_identities *out, const struct pmg_identities *more)
{
	size_t i;

	out->overflow |= more->overflow;
	for (i = 0; i < more->n; i++)
		pmg_identities_add(out, more->v[i].eco, more->v[i].name, more->v[i].version);
}

/* By the paths of the registries at this place. Artifacts are taken as every registry reads them;
 * a document belongs to the registry with the longest path, as bases can lie in one another.
 * @return ecosystems of the registries that the path is below, bits by enum pmg_eco */
static unsigned ask_registries(const struct pmg_catalog *catalog, const char *host, uint16_t port,
			       const char *plain, struct pmg_asked *out)
{
	const struct pmg_catalog_registry *registry;
	enum pmg_path_kind kind;
	size_t i, n, longest = 0;
	unsigned ecos = 0;

	for (i = 0; i < catalog->n_registries; i++) {
		pmg_auto(identities) struct pmg_identities who = { 0 };

		registry = &catalog->registries[i];
		n = strlen(registry->plain);
		if (!pmg_catalog_is_place(host, port, registry->host, registry->base.port) ||
		    strncmp(plain, registry->plain, n) != 0)
			continue;
		kind = pmg_identity_path(registry->eco, plain + n, &who);
		out->is_audit |= pmg_identity_is_audit(registry->eco, plain + n);
		if (kind == PMG_PATH_METADATA && kind == out->kind && n > longest) {
			pmg_identities_done(&out->who);
			out->registry = i;
		}
		note_kind(out, kind, i);
		if (kind == out->kind && (kind == PMG_PATH_ARTIFACT || n > longest))
			merge(&out->who, &who);
		longest = n > longest ? n : longest;
		ecos |= 1U << registry->eco;
	}
	return ecos;
}

/* By what artifacts look like in the ecosystems of this place. */
static void ask_shapes(unsigned ecos, const char *plain, struct pmg_asked *out)
{
	enum pmg_eco eco;

	for (eco = 0; eco < PMG_ECO_MAX; eco++) {
		pmg_auto(identities) struct pmg_identities who = { 0 };

		if (!(ecos & 1U << eco) || !pmg_identity_artifact(eco, plain, &who))
			continue;
		note_kind(out, PMG_PATH_ARTIFACT, out->registry);
		merge(&out->who, &who);
	}
}

/* The page that a PyPI file was on has settled how its name is split. */
static bool is_settled(const struct pmg_asked *asked)
{
	return asked->kind == PMG_PATH_ARTIFACT && asked->who.n == 1 &&
	       asked->who.v[0].eco == PMG_ECO_PYPI && asked->who.v[0].version;
}

void pmg_catalog_ask(const struct pmg_catalog *catalog, const struct pmg_url *url,
		     struct pmg_asked *out)
{
	pmg_autofree char *host = pmg_host_canonical(url->host);
	pmg_autofree char *plain = pmg_path_plain(url->path);
	unsigned ecos = ecos_at(catalog, host, url->port);

	out->is_known = ecos != 0;
	out->is_odd = out->is_known && !plain;
	out->looks_like_artifact = pmg_path_looks_like_artifact(plain ? plain : url->path);
	if (!out->is_known || !plain)
		return;
	ask_addresses(pmg_addresses_find(catalog->addresses, url, true), out);
	if (url->query) /* somebody may have put it behind a known address */
		ask_addresses(pmg_addresses_find(catalog->addresses, url, false), out);
	if (is_settled(out))
		return;
	ecos &= ~ask_registries(catalog, host, url->port, plain, out);
	ask_shapes(ecos, plain, out);
}

/* Does the shape of the address alone say just that? */
static bool is_told_by_shape(const struct pmg_catalog *catalog, const struct pmg_url *url,
			     enum pmg_eco eco, const char *name, const char *version)
{
	pmg_auto(asked) struct pmg_asked asked = { 0 };
	pmg_autofree char *want = pmg_name_canonical(eco, name);
	pmg_autofree char *got = NULL;

	pmg_catalog_ask(catalog, url, &asked);
	if (asked.kind != PMG_PATH_ARTIFACT || asked.who.n != 1 || asked.who.overflow ||
	    asked.who.v[0].eco != eco || !pmg_streq(asked.who.v[0].version, version))
		return false;
	got = pmg_name_canonical(eco, asked.who.v[0].name);
	return strcmp(got, want) == 0;
}

int pmg_catalog_add_source(struct pmg_catalog *catalog, enum pmg_eco eco, const char *url,
			   const char *name, const char *version, struct pmg_err *err)
{
	struct pmg_address as = {
		.kind = PMG_PATH_ARTIFACT, .eco = eco, .name = name, .version = version
	};
	pmg_auto(url) struct pmg_url place = { 0 };
	pmg_autofree char *host = NULL;
	int r;

	r = pmg_url_parse(url, &place, err);
	if (r < 0)
		return pmg_err_wrap(err, "package source");
	if (PMG_CATALOG_SOURCES_MAX - catalog->source_bytes < 2 * (size_t)PMG_URL_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "package sources of more than %zu bytes",
				   PMG_CATALOG_SOURCES_MAX);
	host = pmg_host_canonical(place.host);
	add_host(catalog, &(struct pmg_catalog_host){ host, place.port, eco, 0, HOW_SOURCE });
	if (!name || !is_told_by_shape(catalog, &place, eco, name, version))
		catalog->source_bytes +=
			pmg_addresses_add(catalog->addresses, &place, &as,
					  PMG_CATALOG_SOURCES_MAX - catalog->source_bytes);
	return 0;
}

void pmg_catalog_learn(struct pmg_catalog *catalog, size_t registry, enum pmg_path_kind kind,
		       const struct pmg_url *url, const char *name, const char *version)
{
	struct pmg_catalog_registry *from = &catalog->registries[registry];
	struct pmg_address as = { .kind = kind,
				  .eco = from->eco,
				  .registry = registry,
				  .name = name,
				  .version = version };
	pmg_autofree char *host = pmg_host_canonical(url->host);

	if (strlen(name) > PMG_NAME_MAX || (version && strlen(version) > PMG_VERSION_MAX))
		return;
	if (kind == PMG_PATH_ARTIFACT)
		from->is_taught = true;
	if (!pmg_catalog_is_place(host, url->port, from->host, from->base.port))
		add_host(catalog, &(struct pmg_catalog_host){ host, url->port, from->eco, registry,
							      HOW_LEARNED });
	if (kind == PMG_PATH_ARTIFACT && is_told_by_shape(catalog, url, from->eco, name, version))
		return;
	catalog->learned_bytes += pmg_addresses_add(
		catalog->addresses, url, &as, PMG_CATALOG_LEARNED_MAX - catalog->learned_bytes);
}

/* The registry that an identity is of: the one asked, or the first of that ecosystem. */
static bool find_registry(const struct pmg_catalog *catalog, enum pmg_eco eco, size_t *registry)
{
	size_t i;

	if (*registry < catalog->n_registries && catalog->registries[*registry].eco == eco)
		return true;
	for (i = 0; i < catalog->n_registries; i++)
		if (catalog->registries[i].eco == eco) {
			*registry = i;
			return true;
		}
	return false;
}

void pmg_catalog_follow(struct pmg_catalog *catalog, const struct pmg_asked *asked,
			const struct pmg_url *to)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *bare = pmg_url_text(to);
	pmg_autofree char *text =
		pmg_xasprintf("%s%s%s", bare, to->query ? "?" : "", to->query ? to->query : "");
	size_t i, registry = asked->registry;

	for (i = 0; i < asked->who.n; i++) {
		const struct pmg_identity *who = &asked->who.v[i];

		if (find_registry(catalog, who->eco, &registry))
			pmg_catalog_learn(catalog, registry, asked->kind, to, who->name,
					  who->version);
		else /* the front named an artifact of an ecosystem without registries */
			(void)!pmg_catalog_add_source(catalog, who->eco, text, who->name,
						      who->version, &scratch);
	}
}
