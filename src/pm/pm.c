#include "pm/pm.h"

#include <string.h>

#include "base/path.h"
#include "pm/managers.h"

static const struct pmg_pm *const managers[] = { &pmg_pm_npm,  &pmg_pm_pnpm,   &pmg_pm_yarn,
						 &pmg_pm_bun,  &pmg_pm_pip,    &pmg_pm_uv,
						 &pmg_pm_pipx, &pmg_pm_poetry, NULL };

const struct pmg_pm *pmg_pm_find(const char *tool)
{
	const struct pmg_pm *const *pm;
	const char *const *name;

	for (pm = managers; *pm; pm++)
		for (name = (*pm)->tools; *name; name++)
			if (strcmp(*name, tool) == 0)
				return *pm;
	return NULL;
}

const struct pmg_pm *const *pmg_pm_all(void)
{
	return managers;
}

/* A name of corepack's is a small script that downloads the manager it stands for, whatever the
 * verb, so none is plain. It lies in corepack's own folder: .../corepack/dist/pnpm.js. */
bool pmg_is_corepack(const char *program)
{
	pmg_autofree char *real = pmg_path_real(program);

	return real && strstr(real, "/corepack/");
}

enum pmg_verb pmg_pm_classify(const struct pmg_pm *pm, const char *program, char *const *argv)
{
	enum pmg_verb verb = pm->classify(argv);

	if (verb == PMG_VERB_PLAIN && pmg_is_corepack(program))
		return PMG_VERB_RUN;
	return verb;
}
