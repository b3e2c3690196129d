#include "policy/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "policy/policy_priv.h"
#include "policy/scrub.h"
#include "policy/vars.h"

void pmg_differences_done(struct pmg_differences *differences)
{
	free(differences->v);
	*differences = (struct pmg_differences){ 0 };
}

static bool is_of_hosts(enum pmg_access access)
{
	return access == PMG_ACCESS_CONNECT || access == PMG_ACCESS_BIND;
}

static bool is_same(const struct pmg_policy_rule *x, const struct pmg_policy_rule *y)
{
	return x->access == y->access && pmg_rank_allows(x->rank) == pmg_rank_allows(y->rank) &&
	       strcmp(x->text, y->text) == 0;
}

/* Does y say at least what x says, of the same kind? */
static bool covers(const struct pmg_policy_rule *y, const struct pmg_policy_rule *x)
{
	if (y->access != x->access || pmg_rank_allows(y->rank) != pmg_rank_allows(x->rank))
		return false;
	if (strcmp(x->text, y->text) == 0)
		return true;
	/* A rule that leaves something out says less than its pattern. */
	if (is_of_hosts(x->access) || x->access == PMG_ACCESS_ENV || y->packages_exempt ||
	    y->temporary || x->text[0] == '@' || y->text[0] == '@')
		return false;
	/* "/" is what a pattern that begins with two stars has for its fixed part. */
	return pmg_glob_covers(y->glob, pmg_glob_fixed(x->glob));
}

/* The roles for which no rule of `other` says what this one does. */
static unsigned roles_alone(const struct pmg_policy *other, const struct pmg_policy_rule *rule)
{
	unsigned roles = rule->roles;
	size_t i;

	for (i = other->first[rule->access]; i < other->first[rule->access + 1]; i++)
		if (covers(&other->rules[i], rule))
			roles &= ~other->rules[i].roles;
	return roles;
}

static bool allows(const struct pmg_policy *policy, const struct pmg_policy_rule *rule,
		   const char *sample, enum pmg_role role)
{
	if (is_of_hosts(rule->access))
		return pmg_policy_ask_net(policy, rule->access, role, pmg_host_name(rule->host),
					  pmg_host_port(rule->host))
			.allowed;
	if (rule->access == PMG_ACCESS_ENV)
		return pmg_scrub_keeps(policy, sample, NULL);
	return pmg_policy_ask(policy, rule->access, role, sample).allowed;
}

/* Something that the pattern stands for. NULL: nothing can be named; then rules alone speak. */
static char *sample_of(const struct pmg_policy_rule *rule)
{
	if (is_of_hosts(rule->access))
		return pmg_host_is_exact(rule->host) ? pmg_xstrdup("") : NULL;
	if (pmg_glob_is_subtree(rule->glob))
		return pmg_path_join(pmg_glob_fixed(rule->glob), "any name/of 1 file");
	if (pmg_glob_is_exact(rule->glob))
		return pmg_vars_unescape(rule->text);
	return rule->text[0] == '/' ? pmg_glob_shortest(rule->glob) : NULL;
}

/* Would the other allow some of what is denied? */
static bool bites(const struct pmg_policy *other, const struct pmg_policy_rule *deny,
		  const char *sample)
{
	size_t i;

	if (!sample || allows(other, deny, sample, PMG_ROLE_MANAGER) ||
	    allows(other, deny, sample, PMG_ROLE_SCRIPT))
		return true;
	for (i = other->first[deny->access];
	     deny->text[0] == '/' && i < other->first[deny->access + 1]; i++) {
		const struct pmg_policy_rule *rule = &other->rules[i];

		if (pmg_rank_allows(rule->rank) && (rule->roles & deny->roles) &&
		    pmg_glob_covers(deny->glob, pmg_glob_fixed(rule->glob)))
			return true;
	}
	return false;
}

/* The roles for which this rule, that `own` has, makes a difference to `other`. */
static unsigned roles_of(const struct pmg_policy *own, const struct pmg_policy *other,
			 const struct pmg_policy_rule *rule)
{
	static const enum pmg_role both[] = { PMG_ROLE_MANAGER, PMG_ROLE_SCRIPT };
	pmg_autofree char *sample = sample_of(rule);
	unsigned roles = 0;
	size_t i;

	if (!sample || !pmg_rank_allows(rule->rank))
		roles = roles_alone(other, rule);
	if (roles != 0 && !pmg_rank_allows(rule->rank))
		return bites(other, rule, sample) ? roles : 0;
	for (i = 0; sample && i < PMG_ARRAY_LEN(both); i++)
		if ((rule->roles & (unsigned)both[i]) && pmg_rank_allows(rule->rank) &&
		    allows(own, rule, sample, both[i]) && !allows(other, rule, sample, both[i]))
			roles |= (unsigned)both[i];
	return roles;
}

static void add_of(const struct pmg_policy *own, const struct pmg_policy *other, bool is_b,
		   struct pmg_differences *out)
{
	size_t i;

	for (i = 0; i < own->n_rules; i++) {
		const struct pmg_policy_rule *rule = &own->rules[i];
		bool allow = pmg_rank_allows(rule->rank);
		unsigned roles = rule->layer == PMG_LAYER_RUN ? 0 : roles_of(own, other, rule);

		if (roles == 0)
			continue;
		out->v = pmg_grow(out->v, out->n, &out->cap, sizeof *out->v);
		out->v[out->n++] = (struct pmg_difference){
			.more = allow == is_b, .rule = rule, .is_in_b = is_b, .roles = roles
		};
	}
}

static int compare(const void *left, const void *right)
{
	const struct pmg_difference *x = left, *y = right;
	int r = (int)y->more - (int)x->more;

	if (r == 0)
		r = (int)x->rule->access - (int)y->rule->access;
	if (r == 0)
		r = strcmp(x->rule->text, y->rule->text);
	return r ? r : (int)x->roles - (int)y->roles;
}

static void drop_doubles(struct pmg_differences *out)
{
	size_t i, kept = 0;

	for (i = 0; i < out->n; i++) {
		const struct pmg_difference *last = kept > 0 ? &out->v[kept - 1] : NULL;

		if (last && last->more == out->v[i].more && last->roles == out->v[i].roles &&
		    is_same(last->rule, out->v[i].rule))
			continue;
		out->v[kept++] = out->v[i];
	}
	out->n = kept;
}

static void add_switches(const struct pmg_policy *a, const struct pmg_policy *b,
			 struct pmg_differences *out)
{
	const struct pmg_switched rows[PMG_SWITCHES_MAX] = {
		{ "network_via_proxy_only", a->proxy_only, b->proxy_only, true },
		{ "allow_direct_dns", a->direct_dns, b->direct_dns, true },
		{ "allow_network_bind", a->any_bind, b->any_bind, true },
		{ "allow_pty", a->pty, b->pty, true },
		{ "environment.allow only", a->listed_env, b->listed_env, true },
		{ "limits.processes", a->max_processes, b->max_processes, false },
		{ "limits.open_files", a->max_open_files, b->max_open_files, false },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (rows[i].a != rows[i].b)
			out->switched[out->n_switched++] = rows[i];
}

void pmg_policy_diff(const struct pmg_policy *a, const struct pmg_policy *b,
		     struct pmg_differences *out)
{
	add_of(a, b, false, out);
	add_of(b, a, true, out);
	if (out->n > 0)
		qsort(out->v, out->n, sizeof *out->v, compare);
	drop_doubles(out);
	add_switches(a, b, out);
}
