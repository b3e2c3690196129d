#include "policy/policy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "base/url.h"
#include "policy/policy_priv.h"

static const char *const access_names[] = {
	[PMG_ACCESS_READ] = "read",     [PMG_ACCESS_WRITE] = "write",
	[PMG_ACCESS_EXEC] = "exec",     [PMG_ACCESS_CONNECT] = "net-connect",
	[PMG_ACCESS_BIND] = "net-bind", [PMG_ACCESS_UNIX] = "unix",
	[PMG_ACCESS_ENV] = "env",
};
_Static_assert(PMG_ARRAY_LEN(access_names) == PMG_ACCESS_MAX, "a name for each");

static const char *const layer_names[] = {
	[PMG_LAYER_BUILTIN] = "built-in",
	[PMG_LAYER_PROFILE] = "profile",
	[PMG_LAYER_PRESET] = "preset",
	[PMG_LAYER_OVERLAY] = "overlay",
	[PMG_LAYER_FLAG] = "flag",
	[PMG_LAYER_PROJECT] = "project",
	[PMG_LAYER_MANDATORY] = "mandatory",
	[PMG_LAYER_MANAGED] = "managed",
	[PMG_LAYER_RUN] = "run",
};
_Static_assert(PMG_ARRAY_LEN(layer_names) == PMG_LAYER_MAX, "a name for each");

const char *pmg_access_name(enum pmg_access access)
{
	return access_names[access];
}

const char *pmg_layer_name(enum pmg_layer layer)
{
	return layer_names[layer];
}

struct pmg_policy *pmg_policy_new(void)
{
	return pmg_xcalloc(1, sizeof(struct pmg_policy));
}

static void rule_done(struct pmg_policy_rule *rule)
{
	free(rule->text);
	free(rule->source);
	pmg_glob_free(rule->glob);
	pmg_host_free(rule->host);
}

void pmg_policy_free(struct pmg_policy *policy)
{
	size_t i;

	if (!policy)
		return;
	for (i = 0; i < policy->n_rules; i++)
		rule_done(&policy->rules[i]);
	free(policy->rules);
	free(policy->profile);
	free(policy->project);
	free(policy->cwd);
	free(policy->home);
	free(policy->proxy_only_source);
	free(policy->direct_dns_source);
	free(policy->needs);
	pmg_strv_done(&policy->dependency_names);
	pmg_strv_done(&policy->package_folders);
	pmg_strv_done(&policy->manager_parts);
	pmg_strv_done(&policy->notes);
	free(policy);
}

bool pmg_rank_allows(enum pmg_rank rank)
{
	return rank == PMG_RANK_OPT_OUT || rank == PMG_RANK_ALLOW;
}

static bool is_of_hosts(enum pmg_access access)
{
	return access == PMG_ACCESS_CONNECT || access == PMG_ACCESS_BIND;
}

/* Paths where paths are asked for, names where names are: else the rule would never fire. */
static int check_form(const struct pmg_policy_rule *rule, struct pmg_err *err)
{
	bool is_socket = rule->text[0] == '@';
	bool is_path = !is_socket && strchr(rule->text, '/');
	const char *wanted = NULL;

	if (rule->access == PMG_ACCESS_ENV)
		wanted = is_socket || is_path ? "not the name of a variable" : NULL;
	else if (rule->access == PMG_ACCESS_UNIX)
		wanted = is_socket || is_path ? NULL : "neither an absolute path nor @name";
	else
		wanted = is_path ? NULL : "not an absolute path";
	if (!wanted)
		return 0;
	return pmg_err_set(err, PMG_E_CONFIG, 0, "%s \"%.200s\": %s", access_names[rule->access],
			   rule->text, wanted);
}

/* What may be read and written is two rules with one pattern. */
static int compile_glob(const struct pmg_policy *policy, struct pmg_policy_rule *rule,
			struct pmg_err *err)
{
	const struct pmg_policy_rule *last =
		policy->n_rules > 0 ? &policy->rules[policy->n_rules - 1] : NULL;

	if (!last || !last->glob || strcmp(last->text, rule->text) != 0)
		return pmg_glob_new(rule->text, &rule->glob, err);
	rule->glob = pmg_glob_share(last->glob);
	return 0;
}

static int compile(const struct pmg_policy *policy, struct pmg_policy_rule *rule,
		   struct pmg_err *err)
{
	bool exact;
	int r;

	if (is_of_hosts(rule->access)) {
		r = pmg_host_new(rule->text, rule->access == PMG_ACCESS_BIND, &rule->host, err);
		exact = r == 0 && pmg_host_is_exact(rule->host);
	} else {
		r = compile_glob(policy, rule, err);
		if (r == 0)
			r = check_form(rule, err);
		exact = r == 0 && pmg_glob_is_exact(rule->glob) && !pmg_glob_is_subtree(rule->glob);
	}
	/* Only who names the very thing means it; a pattern allows, and loses to what is closed.
	 * Not so where pmg itself takes something out of its own list. */
	if (!exact && rule->rank == PMG_RANK_OPT_OUT && rule->layer != PMG_LAYER_MANDATORY &&
	    rule->layer != PMG_LAYER_RUN)
		rule->rank = PMG_RANK_ALLOW;
	return r;
}

int pmg_policy_add(struct pmg_policy *policy, const struct pmg_policy_rule *rule,
		   struct pmg_err *err)
{
	struct pmg_policy_rule own = *rule;
	int r;

	assert(!policy->needs && rule->access < PMG_ACCESS_MAX && rule->rank < PMG_RANK_MAX);
	assert(rule->roles & PMG_ROLE_ANY);
	own.text = pmg_xstrdup(rule->text);
	own.source = pmg_xstrdup(rule->source ? rule->source : "");
	own.glob = NULL;
	own.host = NULL;
	r = compile(policy, &own, err);
	if (r < 0) {
		rule_done(&own);
		return r;
	}
	policy->rules = pmg_grow(policy->rules, policy->n_rules, &policy->cap_rules, sizeof own);
	policy->rules[policy->n_rules++] = own;
	return 0;
}

/* What a rule decides. */
static int compare_meaning(const struct pmg_policy_rule *a, const struct pmg_policy_rule *b)
{
	int r = (int)a->access - (int)b->access;

	if (r == 0)
		r = (int)a->rank - (int)b->rank;
	if (r == 0)
		r = (int)b->sensitive - (int)a->sensitive;
	if (r == 0)
		r = strcmp(a->text, b->text);
	if (r == 0)
		r = (int)a->roles - (int)b->roles;
	if (r == 0)
		r = (int)a->temporary - (int)b->temporary;
	if (r == 0)
		r = (int)a->packages_exempt - (int)b->packages_exempt;
	return r ? r : (int)a->reads_empty - (int)b->reads_empty;
}

static int compare(const void *left, const void *right)
{
	const struct pmg_policy_rule *a = left, *b = right;
	int r = compare_meaning(a, b);

	if (r == 0)
		r = (int)a->layer - (int)b->layer;
	return r ? r : strcmp(a->source, b->source);
}

void pmg_policy_seal(struct pmg_policy *policy)
{
	size_t i, access, kept = 0;

	assert(!policy->needs);
	if (policy->n_rules > 0)
		qsort(policy->rules, policy->n_rules, sizeof *policy->rules, compare);
	for (i = 0; i < policy->n_rules; i++) {
		if (kept > 0 && compare_meaning(&policy->rules[kept - 1], &policy->rules[i]) == 0)
			rule_done(&policy->rules[i]);
		else
			policy->rules[kept++] = policy->rules[i];
	}
	policy->n_rules = kept;
	policy->needs = pmg_xcalloc(kept + 1, sizeof *policy->needs);
	for (i = 0; i < kept; i++)
		if (policy->rules[i].glob)
			policy->needs[i] = pmg_glob_needs(policy->rules[i].glob);
	for (i = access = 0; access <= PMG_ACCESS_MAX; access++) {
		while (i < kept && (size_t)policy->rules[i].access < access)
			i++;
		policy->first[access] = i;
	}
}

static struct pmg_decision decided(const struct pmg_policy_rule *rule)
{
	return (struct pmg_decision){ .allowed = pmg_rank_allows(rule->rank), .rule = rule };
}

/* Who works in /tmp/x has a project there, not temporary files. */
static bool is_no_temporary(const struct pmg_policy *policy, const struct pmg_policy_rule *rule,
			    const char *path)
{
	const char *const places[] = { policy->project, policy->cwd, policy->home };
	const size_t len = strcspn(rule->text, "*");
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(places); i++)
		if (places[i] && strncmp(places[i], rule->text, len) == 0 &&
		    pmg_path_is_under(path, places[i]))
			return true;
	return false;
}

/* One look through the rules of an access. */
struct look {
	enum pmg_access access;
	enum pmg_access exempt; /* packages are exempt as for this one */
	enum pmg_role role;
	const char *path;
	bool closed; /* lists of what stays closed alone */
};

static struct pmg_decision look(const struct pmg_policy *policy, const struct look *look,
				const struct pmg_glob_path *parts)
{
	size_t i;

	for (i = policy->first[look->access]; i < policy->first[look->access + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		if (!pmg_glob_mask_has(&parts->mask, &policy->needs[i]) ||
		    !(rule->roles & (unsigned)look->role))
			continue;
		if (look->closed && rule->layer != PMG_LAYER_MANDATORY &&
		    rule->layer != PMG_LAYER_MANAGED)
			continue;
		if (!pmg_glob_match_path(rule->glob, parts))
			continue;
		if (pmg_policy_exempts(policy, look->exempt, rule, look->path))
			continue;
		if (rule->temporary && is_no_temporary(policy, rule, look->path))
			continue;
		return decided(rule);
	}
	return (struct pmg_decision){ 0 };
}

/* What nobody may read, where a rule says so, is hidden: it is not there to be written or started
 * either. The rule that closes it says so, unless what allows is stronger. */
static struct pmg_decision mind_hidden(const struct pmg_policy *policy, const struct look *asked,
				       struct pmg_decision got, const struct pmg_glob_path *parts)
{
	static const enum pmg_role roles[] = { PMG_ROLE_MANAGER, PMG_ROLE_SCRIPT };
	const struct pmg_policy_rule *closes = NULL;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(roles); i++) {
		struct look reads = *asked;
		struct pmg_decision read;

		reads.access = PMG_ACCESS_READ;
		reads.role = roles[i];
		read = look(policy, &reads, parts);
		if (read.allowed || (read.rule && read.rule->rank > got.rule->rank))
			return got;
		if (read.rule && (!closes || roles[i] == asked->role))
			closes = read.rule;
	}
	return closes ? decided(closes) : got;
}

struct pmg_decision pmg_policy_ask(const struct pmg_policy *policy, enum pmg_access access,
				   enum pmg_role role, const char *path)
{
	const struct look asked = { access, access, role, path, false };
	pmg_auto(glob_path) struct pmg_glob_path parts;
	struct pmg_decision got;

	assert(policy->needs && !is_of_hosts(access));
	pmg_glob_path_init(&parts, path);
	got = look(policy, &asked, &parts);
	if (got.allowed && access != PMG_ACCESS_READ && path[0] == '/')
		return mind_hidden(policy, &asked, got, &parts);
	return got;
}

struct pmg_decision pmg_policy_ask_closed(const struct pmg_policy *policy, enum pmg_access access,
					  enum pmg_role role, const char *path)
{
	const struct look asked = { access, access, role, path, true };
	pmg_auto(glob_path) struct pmg_glob_path parts;

	assert(policy->needs && !is_of_hosts(access));
	pmg_glob_path_init(&parts, path);
	return look(policy, &asked, &parts);
}

struct pmg_decision pmg_policy_ask_net(const struct pmg_policy *policy, enum pmg_access access,
				       enum pmg_role role, const char *host, uint16_t port)
{
	struct pmg_host_asked asked;
	size_t i;

	assert(policy->needs && is_of_hosts(access));
	pmg_host_ask(&asked, host, port);
	for (i = policy->first[access]; i < policy->first[access + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		if ((rule->roles & (unsigned)role) &&
		    pmg_host_match(rule->host, &asked, !pmg_rank_allows(rule->rank)))
			return decided(rule);
	}
	if (access == PMG_ACCESS_BIND && policy->any_bind)
		return (struct pmg_decision){ .allowed = pmg_host_is_loopback(asked.name) };
	return (struct pmg_decision){ 0 };
}
