#include "cli/subject.h"

#include <stdlib.h>

#include "pm/pm.h"
#include "run/prepare.h"

void pmg_subject_done(struct pmg_subject *subject)
{
	pmg_strv_done(&subject->env);
	free(subject->tool);
	*subject = (struct pmg_subject){ 0 };
}

int pmg_subject_find(const struct pmg_strv *env, const char *name, struct pmg_library_item *out,
		     struct pmg_err *err)
{
	pmg_auto(shelf) struct pmg_shelf shelf = { 0 };
	int r = pmg_shelf_open(env, &shelf, err);

	if (r == 0)
		r = pmg_library_find(&shelf.library, PMG_LIBRARY_PROFILE, name, out, err);
	if (r != -PMG_E_NOTFOUND)
		return r;
	(void)pmg_err_as(err, PMG_E_CONFIG);
	return pmg_err_diag(err, PMG_DIAG_INVALID);
}

void pmg_subject_tool(const char *tool, struct pmg_subject *out)
{
	out->tool = pmg_xstrdup(tool);
	out->argv[0] = out->tool;
	out->want.tool = out->tool;
	out->want.argv = out->argv;
	out->want.env = &out->env;
	out->want.command = pmg_pm_find(tool) == NULL;
}

int pmg_subject_profile(const char *name, struct pmg_subject *out, struct pmg_err *err)
{
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	const char *manager;
	int r = pmg_subject_find(&out->env, name, &item, err);

	if (r < 0)
		return r;
	pmg_library_describe(&item);
	manager = !item.official && item.inherits ? item.inherits : item.name;
	pmg_subject_tool(pmg_pm_find(manager) ? manager : "sh", out);
	out->want.profile = name;
	return 0;
}

const char *pmg_subject_manager(const struct pmg_subject *subject)
{
	const struct pmg_pm *pm = subject->want.command ? NULL : pmg_pm_find(subject->tool);

	return pm ? pm->name : "exec";
}
