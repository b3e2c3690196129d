#include "policy/wide.h"

#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/build.h"
#include "policy/glob.h"
#include "policy/host.h"
#include "policy/vars.h"

static bool is_under_one(const char *path, const char *const *places)
{
	for (; *places; places++)
		if (pmg_path_is_under(path, *places))
			return true;
	return false;
}

/* "read=/" is the list of names in it: what people mean is all of it, or one file. */
static const char *of_folder(const struct pmg_policy *policy, bool all, const char *path)
{
	if (strcmp(path, "/") == 0)
		return all ? "all of the machine" : "the names in \"/\" and nothing else";
	if (policy->home && pmg_path_is_under(policy->home, path))
		return all ? "all of the home" : "the names in a folder and nothing else";
	return NULL;
}

static const char *of_system(enum pmg_access access, const char *path)
{
	/* What lies in /dev for everybody is open anyway. */
	static const char *const devices[] = { "/dev", NULL };
	static const char *const kernel[] = { "/proc", "/sys", "/boot", NULL };
	static const char *const system[] = { "/bin",    "/lib",  "/lib32", "/lib64",
					      "/libx32", "/sbin", "/usr",   NULL };

	if (is_under_one(path, devices) && access != PMG_ACCESS_EXEC)
		return "a device";
	if (access != PMG_ACCESS_WRITE)
		return NULL;
	if (is_under_one(path, kernel))
		return "a place of the kernel";
	return is_under_one(path, system) ? "a folder of the system" : NULL;
}

static const char *of_path(const struct pmg_policy *policy, enum pmg_access access,
			   const char *value)
{
	struct pmg_policy_facts facts = { .cwd = policy->cwd,
					  .project = policy->project,
					  .home = policy->home };
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	pmg_autofree char *typed = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	const char *missing, *why;

	if (pmg_vars_expand(&facts, value, &texts, &missing) > 0 || texts.n != 1)
		return NULL;
	typed = pmg_vars_typed(&facts, texts.v[0]);
	if (pmg_glob_new(typed, &glob, &scratch) < 0)
		return NULL;
	why = of_folder(policy, pmg_glob_is_subtree(glob) || !pmg_glob_is_exact(glob),
			pmg_glob_fixed(glob));
	return why ? why : of_system(access, pmg_glob_fixed(glob));
}

/* "*.com", "*.co.uk": everybody may have a host there. */
static bool is_everybodys(const char *name)
{
	static const char *const second[] = { "ac", "co", "com", "edu", "gov", "net", "org", NULL };
	const char *dot = strchr(name, '.');
	size_t i;

	if (!dot)
		return true;
	for (i = 0; second[i]; i++)
		if (strlen(dot) == 3 && strlen(second[i]) == (size_t)(dot - name) &&
		    strncmp(second[i], name, (size_t)(dot - name)) == 0)
			return true;
	return false;
}

static const char *of_host(enum pmg_access access, const char *value)
{
	pmg_auto(host) struct pmg_host *host = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;

	if (strcmp(value, "registry") == 0 ||
	    pmg_host_new(value, access == PMG_ACCESS_BIND, &host, &scratch) < 0 ||
	    pmg_host_is_exact(host) || !is_everybodys(pmg_host_name(host)))
		return NULL;
	return "every host of a name under which everybody can have one";
}

const char *pmg_wide_why(const struct pmg_policy *policy, enum pmg_access access, const char *value)
{
	if (access == PMG_ACCESS_CONNECT || access == PMG_ACCESS_BIND)
		return of_host(access, value);
	if (access == PMG_ACCESS_READ || access == PMG_ACCESS_WRITE || access == PMG_ACCESS_EXEC)
		return of_path(policy, access, value);
	return NULL;
}
