#include "sandbox/driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const struct pmg_driver *const drivers[] = { &pmg_driver_full, NULL };

const struct pmg_driver *const *pmg_driver_all(void)
{
	return drivers;
}

void pmg_probe_done(struct pmg_probe *probe)
{
	size_t i;

	for (i = 0; i < probe->n; i++)
		free(probe->items[i].detail);
	free(probe->items);
	free(probe->missing);
	free(probe->hint);
	*probe = (struct pmg_probe){ 0 };
}

/* @return 0: it gives all; -PMG_E_UNSUPPORTED and why not */
static int try_one(const struct pmg_driver *driver, unsigned caps, struct pmg_err *err)
{
	pmg_auto(probe) struct pmg_probe probe = { 0 };
	int r = driver->probe(&probe, err);

	if (r < 0)
		return r;
	if ((probe.caps & caps) == caps)
		return 0;
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "no walls can be built here: %s",
			  probe.missing ? probe.missing : "this host lacks something");
	if (probe.hint)
		(void)pmg_err_hint(err, "%s", probe.hint);
	return -PMG_E_UNSUPPORTED;
}

static int unknown(const char *name, struct pmg_err *err)
{
	const char *names[PMG_ARRAY_LEN(drivers)] = { NULL };
	const char *nearest;
	size_t i;

	for (i = 0; drivers[i]; i++)
		names[i] = drivers[i]->name;
	nearest = pmg_str_nearest(name, names);
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "there is no driver \"%s\"", name);
	return pmg_err_hint(err, "did you mean \"%s\"?", nearest ? nearest : names[0]);
}

int pmg_driver_pick(const char *name, unsigned caps, const struct pmg_driver **out,
		    struct pmg_err *err)
{
	struct pmg_err first = PMG_ERR_INIT, *why = err;
	size_t i;
	int r = 0;

	for (i = 0; drivers[i]; i++) {
		if (name && strcmp(drivers[i]->name, name) != 0)
			continue;
		r = try_one(drivers[i], caps, why);
		if (r == 0) {
			*out = drivers[i];
			return 0;
		}
		why = &first; /* what the strongest lacks is what is said */
	}
	return r < 0 ? -(int)err->code : unknown(name, err);
}
