#include "proxy/callers.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct caller {
	struct pmg_peer *peer; /* NULL: free */
	struct pmg_inet from, to;
	uint64_t told_ms;
};

/* Oldest first, from `at`; PMG_CALLERS_MAX places. */
struct ring {
	struct caller *v;
	size_t at, n;
};

struct pmg_callers {
	struct ring rings[2]; /* of the manager, of scripts */
	struct caller udp[PMG_CALLERS_UDP];
	size_t udp_next;
};

struct pmg_callers *pmg_callers_new(void)
{
	struct pmg_callers *callers = pmg_xcalloc(1, sizeof *callers);
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(callers->rings); i++)
		callers->rings[i].v = pmg_xcalloc(PMG_CALLERS_MAX, sizeof(struct caller));
	return callers;
}

static void clear(struct caller *caller)
{
	pmg_peer_free(caller->peer);
	caller->peer = NULL;
}

void pmg_callers_free(struct pmg_callers *callers)
{
	size_t i, k;

	if (!callers)
		return;
	for (i = 0; i < PMG_ARRAY_LEN(callers->rings); i++) {
		for (k = 0; k < PMG_CALLERS_MAX; k++)
			clear(&callers->rings[i].v[k]);
		free(callers->rings[i].v);
	}
	for (k = 0; k < PMG_CALLERS_UDP; k++)
		clear(&callers->udp[k]);
	free(callers);
}

static struct ring *ring_of(struct pmg_callers *callers, enum pmg_role role)
{
	return &callers->rings[role == PMG_ROLE_MANAGER ? 0 : 1];
}

static struct caller *place(const struct ring *ring, size_t i)
{
	return &ring->v[(ring->at + i) % PMG_CALLERS_MAX];
}

static void drop_first(struct ring *ring)
{
	clear(place(ring, 0));
	ring->at = (ring->at + 1) % PMG_CALLERS_MAX;
	ring->n--;
}

/* Those taken leave holes, which go when they have become the oldest. */
static void drop_old(struct ring *ring, uint64_t now_ms)
{
	const struct caller *first;

	while (ring->n > 0) {
		first = place(ring, 0);
		if (first->peer && now_ms - first->told_ms < PMG_CALLERS_MS)
			return;
		drop_first(ring);
	}
}

static void add_udp(struct pmg_callers *callers, const struct caller *caller)
{
	size_t i;

	for (i = 0; i < PMG_CALLERS_UDP; i++)
		if (callers->udp[i].peer && callers->udp[i].from.port == caller->from.port)
			break;
	if (i == PMG_CALLERS_UDP) {
		i = callers->udp_next;
		callers->udp_next = (i + 1) % PMG_CALLERS_UDP;
	}
	clear(&callers->udp[i]);
	callers->udp[i] = *caller;
}

/* A connection between the same two ends is a new one: whoever had them before is gone. */
static void forget_ends(struct pmg_callers *callers, const struct caller *caller)
{
	size_t i, k;

	for (k = 0; k < PMG_ARRAY_LEN(callers->rings); k++)
		for (i = 0; i < callers->rings[k].n; i++) {
			struct caller *old = place(&callers->rings[k], i);

			if (old->peer && pmg_inet_is_same(&old->from, &caller->from) &&
			    pmg_inet_is_same(&old->to, &caller->to))
				clear(old);
		}
}

static void add_tcp(struct pmg_callers *callers, const struct caller *caller)
{
	struct ring *ring = ring_of(callers, caller->peer->role);

	forget_ends(callers, caller);
	drop_old(ring, caller->told_ms);
	if (ring->n == PMG_CALLERS_MAX)
		drop_first(ring);
	*place(ring, ring->n++) = *caller;
}

int pmg_callers_add(struct pmg_callers *callers, struct pmg_wire_connect *told, uint64_t now_ms,
		    struct pmg_err *err)
{
	struct caller caller = { .told_ms = now_ms };
	bool is_udp = pmg_str_has_prefix(told->protocol, "udp");

	if (!is_udp && !pmg_str_has_prefix(told->protocol, "tcp"))
		return pmg_err_set(err, PMG_E_PEER, 0, "protocol of a connection");
	if (!told->local || pmg_inet_parse(told->local, &caller.from, err) < 0 ||
	    caller.from.port == 0)
		return pmg_err_set(err, PMG_E_PEER, 0, "own end of a connection");
	if (pmg_inet_parse(told->target, &caller.to, err) < 0)
		return pmg_err_set(err, PMG_E_PEER, 0, "target of a connection");
	caller.peer = pmg_peer_new(told);
	if (is_udp)
		add_udp(callers, &caller);
	else
		add_tcp(callers, &caller);
	return 0;
}

struct pmg_peer *pmg_callers_take(struct pmg_callers *callers, const struct pmg_inet *from,
				  const struct pmg_inet *to, uint64_t now_ms)
{
	struct caller *caller;
	struct ring *ring;
	size_t i, k;

	/* Scripts first: a word on the manager that was left over must not lift a script. */
	for (k = PMG_ARRAY_LEN(callers->rings); k-- > 0;) {
		ring = &callers->rings[k];
		drop_old(ring, now_ms);
		for (i = 0; i < ring->n; i++) {
			caller = place(ring, i);
			if (caller->peer && pmg_inet_is_same(&caller->from, from) &&
			    pmg_inet_is_same(&caller->to, to) &&
			    now_ms - caller->told_ms < PMG_CALLERS_MS)
				return pmg_steal_ptr(&caller->peer);
		}
	}
	return NULL;
}

size_t pmg_callers_count(const struct pmg_callers *callers)
{
	return callers->rings[0].n + callers->rings[1].n;
}

const struct pmg_peer *pmg_callers_udp(const struct pmg_callers *callers, uint16_t port,
				       uint64_t now_ms)
{
	size_t i;

	for (i = 0; i < PMG_CALLERS_UDP; i++)
		if (callers->udp[i].peer && callers->udp[i].from.port == port &&
		    now_ms - callers->udp[i].told_ms < PMG_CALLERS_LONG)
			return callers->udp[i].peer;
	return NULL;
}
