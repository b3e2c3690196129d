#include "run/bounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "conf/dirs.h"
#include "conf/narrow.h"
#include "pm/entries.h"
#include "pm/project.h"
#include "policy/policy.h"
#include "run/run.h"

#define LOCKDOWN "global_lockdown"

void pmg_bounds_done(struct pmg_bounds *bounds)
{
	pmg_managed_done(&bounds->managed);
	pmg_managed_done(&bounds->project);
	pmg_strv_done(&bounds->notes);
}

/* Top of the repository, else the nearest folder with a manifest, else the working folder. Caller
 * frees. */
static char *top_of(const char *cwd, const char *home)
{
	static const char *const manifests[] = { "package.json", "pnpm-workspace.yaml",
						 "pyproject.toml", "setup.py", "setup.cfg" };
	char *top = pmg_project_up(cwd, ".git");
	size_t i;

	for (i = 0; !top && i < PMG_ARRAY_LEN(manifests); i++) {
		top = pmg_project_up(cwd, manifests[i]);
		if (top && home && strcmp(top, cwd) != 0 && pmg_path_is_under(home, top)) {
			free(top);
			top = NULL;
		}
	}
	return top ? top : pmg_xstrdup(cwd);
}

int pmg_bounds_load(const char *managed, const char *cwd, const char *home,
		    struct pmg_config *config, struct pmg_bounds *out, struct pmg_err *err)
{
	pmg_autofree char *top = cwd ? top_of(cwd, home) : NULL;
	int r = pmg_managed_load(managed, &out->managed, err);

	if (r == 0 && pmg_managed_is_in_force(&out->managed)) {
		pmg_autofree char *account = pmg_dirs_account_home();

		out->managed.home = account ? pmg_path_real(account) : NULL;
	}
	if (r == 0 && top)
		r = pmg_managed_load_project(top, &out->project, err);
	if (r == 0)
		r = pmg_narrow(config, &out->project, &out->notes, err);
	if (r == 0)
		r = pmg_narrow(config, &out->managed, &out->notes, err);
	return r < 0 ? r : pmg_entries_check(&config->packages, &out->managed, err);
}

/* The profile that managed policy names for a manager; NULL: none. */
static const char *pinned(const struct pmg_bounds *bounds, const char *manager)
{
	return pmg_config_profile(&bounds->managed.config.sandbox, manager);
}

int pmg_bounds_check(const struct pmg_bounds *bounds, const struct pmg_run_want *want,
		     const char *manager, struct pmg_err *err)
{
	const struct pmg_managed *managed = &bounds->managed;
	const char *profile = pinned(bounds, manager);
	bool locked = managed->lockdown;
	const struct {
		const char *what;
		bool asked, refused;
		const char *key;
	} rows[] = {
		{ "--no-sandbox", want->no_sandbox,
		  locked || pmg_managed_wants_walls(managed, manager),
		  locked ? LOCKDOWN : "sandbox.enabled" },
		{ "--sandbox-profile", want->profile != NULL,
		  locked || (profile && !pmg_streq(profile, want->profile)),
		  locked ? LOCKDOWN : "sandbox.policies" },
		{ "--sandbox-allow", want->allows && want->allows->n > 0, locked, LOCKDOWN },
		{ "--driver", want->driver && !want->driver_is_env, locked, LOCKDOWN },
		{ "PMG_SANDBOX_DRIVER", want->driver && want->driver_is_env, locked, LOCKDOWN },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *who = NULL;

		if (!rows[i].asked || !rows[i].refused)
			continue;
		who = pmg_managed_who(managed, rows[i].key);
		(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s is refused by %s", rows[i].what, who);
		(void)pmg_err_hint(err, "leave it out; who looks after this machine can change it");
		return pmg_err_diag(err, PMG_DIAG_MANAGED);
	}
	return 0;
}

char *pmg_bounds_text(const struct pmg_managed *managed)
{
	if (!pmg_managed_is_in_force(managed))
		return NULL;
	return pmg_xasprintf("managed policy is in force: %s%s", managed->config.path,
			     managed->lockdown ? ", " LOCKDOWN : "");
}

void pmg_bounds_plan(const struct pmg_bounds *bounds, struct pmg_plan *plan)
{
	const struct pmg_managed *managed = &bounds->managed;
	pmg_autofree char *target = NULL;
	pmg_autofree char *source = NULL;

	if (!pmg_managed_is_in_force(managed))
		return;
	target = pmg_xasprintf("managed_policy=%s", managed->config.path);
	pmg_plan_add(plan, "set", target, pmg_layer_name(PMG_LAYER_MANAGED), managed->config.path,
		     PMG_ENFORCED_FRONT);
	if (!managed->lockdown)
		return;
	source = pmg_xasprintf("%s:%u", managed->config.path,
			       pmg_config_line(&managed->config, LOCKDOWN));
	pmg_plan_add(plan, "set", LOCKDOWN "=true", pmg_layer_name(PMG_LAYER_MANAGED), source,
		     PMG_ENFORCED_FRONT);
}
