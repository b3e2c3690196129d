#ifndef PMG_PROXY_CATALOG_H
#define PMG_PROXY_CATALOG_H
/**
 * What the proxy knows of the places packages come from: registries (told by
 * the front), artifact hosts and addresses (told by the front from lockfiles,
 * kept from earlier runs, or learned from metadata that goes by). It answers
 * which hosts are looked into and which package a request is about.
 * All its tables are bounded; no network, no files.
 */
#include "base/strv.h"
#include "proxy/identity.h"

#define PMG_CATALOG_HOSTS_MAX   1024U              /* further artifact hosts are not taken */
#define PMG_CATALOG_LEARNED_MAX ((size_t)8 << 20)  /* bytes of addresses from metadata */
#define PMG_CATALOG_SOURCES_MAX ((size_t)24 << 20) /* bytes of addresses from the front */

struct pmg_catalog;
struct pmg_catalog *pmg_catalog_new(void) PMG_MUST_CHECK;
void pmg_catalog_free(struct pmg_catalog *catalog);
PMG_DEFINE_AUTO(catalog, struct pmg_catalog *, pmg_catalog_free);

/** Registries are numbered from 0 in the order they are added.
 *  @return 0; -PMG_E_PARSE: not an address; -PMG_E_LIMIT: more than PMG_REGISTRIES_MAX */
int pmg_catalog_add_registry(struct pmg_catalog *catalog, enum pmg_eco eco, const char *url,
			     struct pmg_err *err) PMG_MUST_CHECK;
/** An artifact that a lockfile, manifest or command line names; its host is looked into from now
 * on.
 *  @param name, version  NULL when not known. @return 0; -PMG_E_PARSE; -PMG_E_LIMIT */
int pmg_catalog_add_source(struct pmg_catalog *catalog, enum pmg_eco eco, const char *url,
			   const char *name, const char *version,
			   struct pmg_err *err) PMG_MUST_CHECK;
/** Artifact hosts that an earlier run learned: "eco base-url host:port" lines. Lines that are
 *  malformed or of a registry of another run are passed over. */
void pmg_catalog_add_cached(struct pmg_catalog *catalog, const char *text);

/** Managers ask it for names in that scope, and no other registry for these. @param scope  "@acme"
 */
void pmg_catalog_set_scope(struct pmg_catalog *catalog, size_t registry, const char *scope);
/** The manager asks another one in its place: it is known, but not asked for names, unless all are
 * replaced. */
void pmg_catalog_set_replaced(struct pmg_catalog *catalog, size_t registry);
/** The registry has packages of its own: a record about a public package of the same name is not
 *  about them. @param scope  "@acme": only names in it; NULL: all */
void pmg_catalog_set_private(struct pmg_catalog *catalog, size_t registry, const char *scope);
/**
 * Is a package at that address for sure one of a private registry? Only when it is below the base
 * of one, and every registry of its ecosystem that it is below says so of its name. What documents
 * name elsewhere is not: a private registry may hand out addresses of a public one.
 */
bool pmg_catalog_is_private(const struct pmg_catalog *catalog, enum pmg_eco eco, const char *name,
			    const struct pmg_url *url);

/** Is the scope of a name, which managers ask of one registry alone, a private one's? For what has
 * no address: a lockfile's line, what lies installed. */
bool pmg_catalog_owns_scope(const struct pmg_catalog *catalog, enum pmg_eco eco, const char *name);

size_t pmg_catalog_count(const struct pmg_catalog *catalog); /* registries */
const struct pmg_url *pmg_catalog_base(const struct pmg_catalog *catalog, size_t registry);
enum pmg_eco pmg_catalog_eco(const struct pmg_catalog *catalog, size_t registry);
/** Has a document of that registry named artifacts in this run? */
bool pmg_catalog_is_taught(const struct pmg_catalog *catalog, size_t registry);

/**
 * Which registries may an artifact at that address be of, as far as the address says: the one below
 * whose base it is, else those at that place, else those whose documents named its host.
 * Such as are replaced are among them where no other is.
 * @param[out] homes  room for PMG_REGISTRIES_MAX
 * @param[out] is_foreign  none of these: only a lockfile, manifest or command line named the host.
 *        Then those of pmg_catalog_homes_of() are in homes
 * @return how many
 */
size_t pmg_catalog_homes(const struct pmg_catalog *catalog, const struct pmg_url *url,
			 enum pmg_eco eco, const char *name, size_t *homes, bool *is_foreign);

/** The same of what nobody asks for now: an address at a registry that is replaced stands for the
 * ones in its place. */
size_t pmg_catalog_homes_pinned(const struct pmg_catalog *catalog, const struct pmg_url *url,
				enum pmg_eco eco, const char *name, size_t *homes,
				bool *is_foreign);

/**
 * Which registries would a manager ask for that name, where nothing but the name is known?
 * @param[out] homes  room for PMG_REGISTRIES_MAX
 * @return how many
 */
size_t pmg_catalog_homes_of(const struct pmg_catalog *catalog, enum pmg_eco eco, const char *name,
			    size_t *homes);

/** Is this a place to look into (to intercept) rather than to tunnel? */
bool pmg_catalog_knows(const struct pmg_catalog *catalog, const char *host, uint16_t port);

/* What a request is about. */
struct pmg_asked {
	enum pmg_path_kind kind;
	bool is_known; /* pmg_catalog_knows() its place */
	bool is_odd;   /* known, and the path can be read in two ways: refuse it */
	bool is_audit; /* OTHER, at a registry itself: pmg_identity_is_audit() */
	bool looks_like_artifact;
	size_t registry;           /* that the first identity belongs to, for METADATA */
	struct pmg_identities who; /* all to be judged, for ARTIFACT */
	struct pmg_strv waivers;   /* of an ARTIFACT, what let it in: the gate's to add */
	bool is_inspected; /* an ARTIFACT whose answer is looked into; the caller's to set */
	int64_t published; /* of an ARTIFACT, for the judge; the caller's to set */
};

void pmg_asked_done(struct pmg_asked *asked);
PMG_DEFINE_AUTO_DONE(asked, struct pmg_asked, pmg_asked_done);

/** @param[out] out  zeroed by the caller, pmg_asked_done() */
void pmg_catalog_ask(const struct pmg_catalog *catalog, const struct pmg_url *url,
		     struct pmg_asked *out);

/**
 * Remember what a document of a registry, or a redirect, says of an address. Its host is looked
 * into from now on. What the shape of the address tells as well is not kept. When the table is
 * full only the host is.
 * @param kind     PMG_PATH_ARTIFACT or PMG_PATH_METADATA
 * @param version  NULL when not known
 */
void pmg_catalog_learn(struct pmg_catalog *catalog, size_t registry, enum pmg_path_kind kind,
		       const struct pmg_url *url, const char *name, const char *version);

/** A redirect of what was asked leads there: the same package, and its host is looked into. */
void pmg_catalog_follow(struct pmg_catalog *catalog, const struct pmg_asked *asked,
			const struct pmg_url *to);

/** Adds "eco base-url host:port" lines of artifact hosts learned in this run, for the cache. */
void pmg_catalog_learned(const struct pmg_catalog *catalog, struct pmg_strv *out);

#endif
