#ifndef PMG_PROXY_REFUSED_H
#define PMG_PROXY_REFUSED_H
/**
 * What the network's walls refused, as events for the front: each once, and how
 * often at the end. Bounded as violation/event.h says; names that were looked
 * up have a smaller bound of their own, so that a flood of them does not hide
 * connections.
 */
#include "proxy/peer.h"
#include "violation/event.h"

#define PMG_REFUSED_NAMES_MAX 128U /* distinct lookups; beyond, one event stands for the rest */

struct pmg_link;

struct pmg_refused;
/** @param link  borrowed */
struct pmg_refused *pmg_refused_new(struct pmg_link *link) PMG_MUST_CHECK;
void pmg_refused_free(struct pmg_refused *refused);
PMG_DEFINE_AUTO(refused, struct pmg_refused *, pmg_refused_free);

struct pmg_refused_place {
	const char *protocol, *host;
	uint16_t port;
	const struct pmg_policy_rule *rule; /* that said no; NULL: none allows it */
	bool may_help;    /* a rule for that place would let it through: say which */
	bool is_registry; /* packages come from there */
	bool is_limited;  /* rule lets packages be fetched there, and this was something else */
};
/** A connection (PMG2009). @param peer  NULL: not known */
void pmg_refused_connect(struct pmg_refused *refused, const struct pmg_peer *peer,
			 const struct pmg_refused_place *at);
/** A name that nobody of the run may reach was looked up (PMG2009, "dns name"). */
void pmg_refused_resolve(struct pmg_refused *refused, const struct pmg_peer *peer, const char *name,
			 const struct pmg_policy_rule *rule);
/** Tell what was only counted since. Before DONE. */
void pmg_refused_flush(struct pmg_refused *refused);

#endif
