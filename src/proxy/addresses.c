#include "proxy/addresses.h"

#include <assert.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/place.h"

#define NODE_COST 64U /* what malloc and the tree add to an address, roughly */

struct pmg_addresses {
	void *root; /* tsearch(3): its depth does not depend on what keys an attacker picks */
};

struct pmg_addresses *pmg_addresses_new(void)
{
	return pmg_xcalloc(1, sizeof(struct pmg_addresses));
}

static void free_all(void *node)
{
	struct pmg_address *address = node, *next;

	for (; address; address = next) {
		next = address->next;
		free(address);
	}
}

void pmg_addresses_free(struct pmg_addresses *addresses)
{
	if (!addresses)
		return;
	tdestroy(addresses->root, free_all);
	free(addresses);
}

static int by_key(const void *a, const void *b)
{
	const struct pmg_address *x = a, *y = b;

	return strcmp(x->key, y->key);
}

/* One text for all spellings of an address. NULL when its path can be read in two ways. */
static char *key_of(const struct pmg_url *url, const char *query)
{
	pmg_autofree char *host = pmg_host_canonical(url->host);
	pmg_autofree char *plain = pmg_path_plain(url->path);
	unsigned port = pmg_port_is_same(url->port, 443) ? 443 : url->port;

	return plain ? pmg_xasprintf("%s:%u%s%s%s", host, port, plain, query ? "?" : "",
				     query ? query : "")
		     : NULL;
}

static struct pmg_address *address_new(const char *key, const char *name, const char *version)
{
	size_t nk = strlen(key) + 1, nn = name ? strlen(name) + 1 : 0;
	size_t nv = version ? strlen(version) + 1 : 0;
	struct pmg_address *address = pmg_xmalloc(sizeof *address + nk + nn + nv);

	memset(address, 0, sizeof *address);
	memcpy(address->key, key, nk);
	if (name)
		address->name = memcpy(address->key + nk, name, nn);
	if (version)
		address->version = memcpy(address->key + nk + nn, version, nv);
	return address;
}

static struct pmg_address *find(const struct pmg_addresses *addresses, const char *key)
{
	pmg_autofree struct pmg_address *probe = address_new(key, NULL, NULL);
	void *found = tfind(probe, &addresses->root, by_key);

	return found ? *(struct pmg_address **)found : NULL;
}

static bool is_same(const struct pmg_address *a, const struct pmg_address *b)
{
	return a->kind == b->kind && a->eco == b->eco && pmg_streq(a->name, b->name) &&
	       pmg_streq(a->version, b->version);
}

size_t pmg_addresses_add(struct pmg_addresses *addresses, const struct pmg_url *url,
			 const struct pmg_address *as, size_t room)
{
	pmg_autofree char *key = key_of(url, url->query);
	struct pmg_address *head, *at, *new;
	size_t cost, count = 0;
	void *place;

	if (!key)
		return 0;
	cost = sizeof *as + NODE_COST + strlen(key) + (as->name ? strlen(as->name) : 0) +
	       (as->version ? strlen(as->version) : 0);
	head = find(addresses, key);
	for (at = head; at; at = at->next, count++)
		if (is_same(at, as))
			return 0;
	if (cost > room || count == PMG_ADDRESSES_SAME_MAX)
		return 0;
	new = address_new(key, as->name, as->version);
	new->kind = as->kind;
	new->eco = as->eco;
	new->registry = as->registry;
	if (head) {
		new->next = head->next;
		head->next = new;
		return cost;
	}
	place = tsearch(new, &addresses->root, by_key);
	assert(place);
	return cost;
}

const struct pmg_address *pmg_addresses_find(const struct pmg_addresses *addresses,
					     const struct pmg_url *url, bool with_query)
{
	pmg_autofree char *key = key_of(url, with_query ? url->query : NULL);

	return key ? find(addresses, key) : NULL;
}
