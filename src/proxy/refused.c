#include "proxy/refused.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "proxy/link.h"
#include "violation/wire.h"

#define MORE_NAMES "dns (and more names)"

enum { DIAG_NETWORK = 2009 }; /* docs/codes/ */

struct pmg_refused {
	struct pmg_link *link;
	struct pmg_events events;
	size_t n_names;
};

struct pmg_refused *pmg_refused_new(struct pmg_link *link)
{
	struct pmg_refused *refused = pmg_xcalloc(1, sizeof *refused);

	refused->link = link;
	return refused;
}

void pmg_refused_free(struct pmg_refused *refused)
{
	if (!refused)
		return;
	pmg_events_done(&refused->events);
	free(refused);
}

static void tell(struct pmg_refused *refused, struct pmg_event *event)
{
	struct json_t *body = pmg_event_tell(event);

	if (body)
		pmg_link_send(refused->link, PMG_WIRE_DENIED, body);
}

static char *copy(const char *s)
{
	return s ? pmg_xstrdup(s) : NULL;
}

static void add_peer(struct pmg_event *event, const struct pmg_peer *peer)
{
	if (!peer)
		return;
	event->package = copy(peer->package);
	event->script = copy(peer->script);
	event->how_known = copy(peer->how_known);
	if (peer->process.n > 0)
		pmg_strv_extend(&event->process, peer->process.v);
}

static void add_rule(struct pmg_event *event, const struct pmg_policy_rule *rule)
{
	if (!rule)
		return;
	event->rule = copy(rule->text);
	event->layer = copy(pmg_layer_name(rule->layer));
	event->source = copy(rule->source);
	event->sensitive = rule->sensitive;
}

/* @return it is new */
static bool add(struct pmg_refused *refused, struct pmg_event *event, const struct pmg_peer *peer,
		const struct pmg_policy_rule *rule)
{
	const struct pmg_event *added;

	event->code = DIAG_NETWORK;
	event->by = PMG_EVENT_BY_PROXY;
	event->first = event->last = pmg_clock_now();
	event->count = 1;
	add_peer(event, peer);
	add_rule(event, rule);
	added = pmg_events_add(&refused->events, event);
	if (added)
		tell(refused, &refused->events.v[added - refused->events.v]);
	return added != NULL;
}

/* What managed policy closes, and what is a credential's place, is not to be opened by a hint. */
static bool is_allowable(const struct pmg_policy_rule *rule)
{
	return !rule || (!rule->sensitive && rule->rank > PMG_RANK_OPT_OUT &&
			 rule->rank != PMG_RANK_MANDATORY_DENY);
}

/* By the word a script gets to fetch packages, from whichever registry; by its host to do all that
 * one can do there. */
static char *suggest(const struct pmg_refused_place *at, const char *place)
{
	if (!at->may_help || (!at->is_limited && !is_allowable(at->rule)))
		return NULL;
	return at->is_registry && !at->rule ? pmg_xstrdup("net-connect=registry")
					    : pmg_xasprintf("net-connect=%s", place);
}

void pmg_refused_connect(struct pmg_refused *refused, const struct pmg_peer *peer,
			 const struct pmg_refused_place *at)
{
	struct pmg_event event = { .op = PMG_EVENT_CONNECT };
	pmg_autofree char *place = NULL;
	pmg_autofree char *text = NULL;
	struct pmg_policy_rule limit;

	place = strchr(at->host, ':') ? pmg_xasprintf("[%s]:%u", at->host, at->port)
				      : pmg_xasprintf("%s:%u", at->host, at->port);
	event.target = pmg_xasprintf("%s %s", at->protocol, place);
	event.allow = suggest(at, place);
	if (!at->is_limited || !at->rule) {
		(void)add(refused, &event, peer, at->rule);
		return;
	}
	limit = *at->rule;
	limit.text = text = pmg_xasprintf("%s, only to fetch packages", at->rule->text);
	(void)add(refused, &event, peer, &limit);
}

void pmg_refused_resolve(struct pmg_refused *refused, const struct pmg_peer *peer, const char *name,
			 const struct pmg_policy_rule *rule)
{
	bool is_full = refused->n_names >= PMG_REFUSED_NAMES_MAX;
	struct pmg_event event = { .op = PMG_EVENT_RESOLVE };

	/* No hint: which port is meant only the connection will tell. */
	event.target = is_full ? pmg_xstrdup(MORE_NAMES) : pmg_xasprintf("dns %s", name);
	if (add(refused, &event, is_full ? NULL : peer, is_full ? NULL : rule))
		refused->n_names++;
}

void pmg_refused_flush(struct pmg_refused *refused)
{
	size_t i;

	for (i = 0; i < refused->events.n; i++)
		tell(refused, &refused->events.v[i]);
}
