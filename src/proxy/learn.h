#ifndef PMG_PROXY_LEARN_H
#define PMG_PROXY_LEARN_H
/**
 * Metadata of a registry on its way to the client, looked at for the addresses
 * of artifacts: npm packuments and version documents (dist.tarball), PyPI index
 * pages as JSON (PEP 691) and HTML (PEP 503). The bytes are not changed; what
 * cannot be read teaches nothing.
 */
#include "proxy/catalog.h"

struct pmg_learner;
void pmg_learner_free(struct pmg_learner *learner);
PMG_DEFINE_AUTO(learner, struct pmg_learner *, pmg_learner_free);

/**
 * @param catalog  borrowed; what is found goes there
 * @param page     borrowed for the call; where the document is, for relative references
 * @param name     borrowed for the call; of the package whose document it is
 * @param type, encoding  Content-Type and Content-Encoding, NULL when there is none
 * @return NULL when it is of no type or encoding that can be read
 */
struct pmg_learner *pmg_learner_new(struct pmg_catalog *catalog, size_t registry,
				    const struct pmg_url *page, const char *name, const char *type,
				    const char *encoding) PMG_MUST_CHECK;
/** What somebody else has read: the tarball of a version of npm. Then feed() is not needed. */
void pmg_learner_found(struct pmg_learner *learner, const char *version, const char *reference);
/** The next piece of the body as it came. */
void pmg_learner_feed(struct pmg_learner *learner, const char *bytes, size_t len);

#endif
