#ifndef PMG_PROXY_CATALOG_PRIV_H
#define PMG_PROXY_CATALOG_PRIV_H
/** The catalog from the inside: catalog.c fills and asks it, catalog_homes.c says where a package
 * may be from. */
#include <string.h>

#include "proxy/addresses.h"
#include "proxy/catalog.h"
#include "proxy/place.h"

struct pmg_catalog_registry {
	enum pmg_eco eco;
	struct pmg_url base;
	char *host;  /* canonical */
	char *plain; /* path, plain, ends in "/" */
	bool is_taught;
	char *scope;      /* managers ask it for names in that scope alone; NULL: for all others */
	bool is_replaced; /* managers ask others in its place */
	bool is_private;
	char *private_scope; /* NULL: all names */
};

enum pmg_catalog_how { HOW_CACHED, HOW_SOURCE, HOW_LEARNED };

/* A host that serves artifacts of one ecosystem. */
struct pmg_catalog_host {
	char *host; /* canonical */
	uint16_t port;
	enum pmg_eco eco;
	size_t registry; /* that named it; of no meaning for HOW_SOURCE */
	enum pmg_catalog_how how;
};

struct pmg_catalog {
	struct pmg_catalog_registry *registries;
	size_t n_registries, cap_registries;
	struct pmg_catalog_host *hosts;
	size_t n_hosts, cap_hosts;
	struct pmg_addresses *addresses;
	size_t learned_bytes, source_bytes;
};

/* Both hosts canonical. */
static inline bool pmg_catalog_is_place(const char *host, uint16_t port, const char *known,
					uint16_t known_port)
{
	return pmg_port_is_same(port, known_port) && strcmp(host, known) == 0;
}

#endif
