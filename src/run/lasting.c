#include "run/lasting.h"

#include <string.h>

#include "base/path.h"
#include "policy/glob.h"

static const char *const own[] = { "/tmp", "/var/tmp" }; /* as sandbox/private.c */

bool pmg_lasting_is_in_tmp(const char *path)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(own); i++)
		if (pmg_path_is_under(path, own[i]))
			return true;
	return false;
}

/* Is it a folder of the run's own, all of it? */
static bool is_own(const char *path)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(own); i++)
		if (strcmp(path, own[i]) == 0)
			return true;
	return false;
}

int pmg_lasting_check(const struct pmg_places *places, const char *cwd, const char *home,
		      struct pmg_err *err)
{
	const struct pmg_strv *const lists[] = { &places->outputs, &places->dists,
						 &places->prefixes };
	size_t i, k;

	for (i = 0; i < PMG_ARRAY_LEN(lists); i++)
		for (k = 0; k < lists[i]->n; k++) {
			const char *path = lists[i]->v[k];

			if (!is_own(path) || strcmp(path, places->project) == 0 ||
			    strcmp(path, cwd) == 0 || strcmp(path, home) == 0)
				continue;
			(void)pmg_err_set(err, PMG_E_CONFIG, 0,
					  "%s is private to each run: what is put there would go "
					  "with it",
					  path);
			return pmg_err_hint(err, "name a folder below it, such as %s/out", path);
		}
	return 0;
}

bool pmg_lasting_shares_tmp(const struct pmg_policy *policy)
{
	size_t i;

	for (i = 0; i < policy->n_rules; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		const char *fixed;

		if (rule->access > PMG_ACCESS_EXEC || rule->layer == PMG_LAYER_RUN ||
		    rule->temporary ||
		    (rule->rank != PMG_RANK_ALLOW && rule->rank != PMG_RANK_OPT_OUT))
			continue;
		/* Of "/tmp/x-*" nothing is brought back: it means the run's own. */
		fixed = pmg_glob_fixed(rule->glob);
		if (pmg_lasting_is_in_tmp(fixed) && !is_own(fixed))
			return true;
	}
	return false;
}
