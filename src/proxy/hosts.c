#include "proxy/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/place.h"

#define REGISTRY   "registry" /* as allow_outbound has it */
#define SEARCH_MAX 32U        /* domains; glibc takes any number, others 6 */

struct pmg_hosts {
	struct pmg_policy *policy;
	uint16_t *ports; /* that rules name, and 443 */
	size_t n_ports, cap_ports;
	struct pmg_strv search;
};

static void add_port(struct pmg_hosts *hosts, uint16_t port)
{
	size_t i;

	for (i = 0; i < hosts->n_ports; i++)
		if (hosts->ports[i] == port)
			return;
	hosts->ports =
		pmg_grow(hosts->ports, hosts->n_ports, &hosts->cap_ports, sizeof *hosts->ports);
	hosts->ports[hosts->n_ports++] = port;
}

struct pmg_hosts *pmg_hosts_new(void)
{
	struct pmg_hosts *hosts = pmg_xcalloc(1, sizeof *hosts);

	hosts->policy = pmg_policy_new();
	add_port(hosts, 443);
	return hosts;
}

void pmg_hosts_free(struct pmg_hosts *hosts)
{
	if (!hosts)
		return;
	pmg_policy_free(hosts->policy);
	free(hosts->ports);
	pmg_strv_done(&hosts->search);
	free(hosts);
}

static bool is_allow(int rank)
{
	return rank == PMG_RANK_ALLOW || rank == PMG_RANK_OPT_OUT;
}

/* The port at the end of a pattern, if there is one. */
static void note_port(struct pmg_hosts *hosts, const char *text)
{
	const char *colon = strrchr(text, ':');
	uint64_t port = 0;

	if (colon && (colon == strchr(text, ':') || colon[-1] == ']') &&
	    pmg_parse_uint(colon + 1, UINT16_MAX, &port) == 0)
		add_port(hosts, (uint16_t)port);
}

int pmg_hosts_add(struct pmg_hosts *hosts, const struct pmg_wire_netrule *rule, struct pmg_err *err)
{
	const struct pmg_policy_rule as = {
		.access = PMG_ACCESS_CONNECT,
		.rank = (enum pmg_rank)rule->rank,
		.layer = (enum pmg_layer)rule->layer,
		.roles = (unsigned)rule->roles,
		.sensitive = rule->sensitive,
		.text = rule->text,
		.source = rule->source,
	};

	if (rule->rank < 0 || rule->rank >= PMG_RANK_MAX || rule->layer < 0 ||
	    rule->layer >= PMG_LAYER_MAX || rule->roles < 1 || rule->roles > PMG_ROLE_ANY)
		return pmg_err_set(err, PMG_E_PEER, 0, "a rule of the network is none");
	if (hosts->policy->n_rules >= PMG_HOSTS_RULES_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u rules of the network",
				   PMG_HOSTS_RULES_MAX);
	if (is_allow(rule->rank))
		note_port(hosts, rule->text);
	return pmg_policy_add(hosts->policy, &as, err);
}

void pmg_hosts_seal(struct pmg_hosts *hosts)
{
	pmg_policy_seal(hosts->policy);
}

struct pmg_decision pmg_hosts_ask(const struct pmg_hosts *hosts, enum pmg_role role,
				  const char *host, uint16_t port)
{
	pmg_autofree char *plain = pmg_host_canonical(host);

	if (strcmp(plain, REGISTRY) == 0) /* a host of that name is not what the word means */
		return (struct pmg_decision){ 0 };
	return pmg_policy_ask_net(hosts->policy, PMG_ACCESS_CONNECT, role, plain, port);
}

struct pmg_decision pmg_hosts_registry(const struct pmg_hosts *hosts, enum pmg_role role)
{
	return pmg_policy_ask_net(hosts->policy, PMG_ACCESS_CONNECT, role, REGISTRY, 0);
}

bool pmg_hosts_reachable(const struct pmg_hosts *hosts, const char *name)
{
	size_t i;

	for (i = 0; i < hosts->n_ports; i++)
		if (pmg_hosts_ask(hosts, PMG_ROLE_MANAGER, name, hosts->ports[i]).allowed ||
		    pmg_hosts_ask(hosts, PMG_ROLE_SCRIPT, name, hosts->ports[i]).allowed)
			return true;
	return false;
}

/* As resolv.conf(5) has it: the last of these lines counts, "domain" names one. */
static void read_line(struct pmg_hosts *hosts, const char *line)
{
	pmg_auto(strv) struct pmg_strv words = { 0 };
	size_t i;

	pmg_strv_split(&words, line, " \t\r");
	if (words.n < 2 || (strcmp(words.v[0], "search") != 0 && strcmp(words.v[0], "domain") != 0))
		return;
	pmg_strv_done(&hosts->search);
	for (i = 1; i < words.n && i <= SEARCH_MAX; i++)
		pmg_strv_take(&hosts->search, pmg_host_canonical(words.v[i]));
}

void pmg_hosts_set_search(struct pmg_hosts *hosts, const char *resolv_conf)
{
	pmg_auto(strv) struct pmg_strv lines = { 0 };
	size_t i;

	pmg_strv_split(&lines, resolv_conf, "\n");
	for (i = 0; i < lines.n; i++)
		read_line(hosts, lines.v[i]);
}

size_t pmg_hosts_searched(const struct pmg_hosts *hosts, const char *name)
{
	size_t i, n = strlen(name), m;

	for (i = 0; i < hosts->search.n; i++) {
		m = strlen(hosts->search.v[i]);
		if (m > 0 && n > m + 1 && name[n - m - 1] == '.' &&
		    strcmp(name + n - m, hosts->search.v[i]) == 0)
			return n - m - 1;
	}
	return 0;
}
