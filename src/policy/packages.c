#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/policy_priv.h"

/* How deep a path lies. */
enum depth { OUTSIDE, IN_FOLDER /* below a dependency folder */, IN_PACKAGE };

static bool is_folder_name(const struct pmg_policy *policy, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < policy->dependency_names.n; i++)
		if (strncmp(policy->dependency_names.v[i], s, len) == 0 &&
		    policy->dependency_names.v[i][len] == '\0')
			return true;
	return false;
}

/* The next component of a path, NULL at its end. */
static const char *next(const char *path, size_t *len)
{
	path += strspn(path, "/");
	*len = strcspn(path, "/");
	return *len > 0 ? path : NULL;
}

/*
 * What follows a dependency folder. Names that begin with a dot (.bin, .pnpm, .cache) are the
 * manager's, not a package's. A "below" asks for something of any name in the folder that path is.
 */
static enum depth depth_in(const char *rest, bool below)
{
	size_t len;
	const char *name = next(rest, &len);

	if (!name)
		return below ? IN_FOLDER : OUTSIDE;
	if (name[0] == '.')
		return IN_FOLDER;
	if (name[0] == '@') {
		name = next(name + len, &len);
		if (!name)
			return IN_FOLDER;
	}
	return next(name + len, &len) || below ? IN_PACKAGE : IN_FOLDER;
}

/* node_modules, site-packages, dist-packages. Others (.venv) are environments: their packages lie
 * in such a folder further down. */
static bool holds_packages(const char *name, size_t len)
{
	static const char node[] = "node_modules", python[] = "-packages";
	size_t n = sizeof python - 1;

	return (len == sizeof node - 1 && memcmp(name, node, len) == 0) ||
	       (len > n && memcmp(name + len - n, python, n) == 0);
}

/* Only folders within the project count for what is in the project: it may itself lie in a folder
 * that is called node_modules, and is no package for that. */
static const char *start_of(const struct pmg_policy *policy, const char *path)
{
	if (!policy->project || !pmg_path_is_under(path, policy->project))
		return path;
	return path + strlen(policy->project);
}

static enum depth depth_of(const struct pmg_policy *policy, const char *path, bool below)
{
	const char *at = start_of(policy, path);
	enum depth here, deepest = OUTSIDE;
	size_t len;

	while ((at = next(at, &len))) {
		if (is_folder_name(policy, at, len)) {
			here = depth_in(at + len, below);
			if (here == IN_PACKAGE && !holds_packages(at, len))
				here = IN_FOLDER;
			if (here > deepest)
				deepest = here;
		}
		at += len;
	}
	return deepest;
}

bool pmg_policy_in_package(const struct pmg_policy *policy, const char *path)
{
	return depth_of(policy, path, false) == IN_PACKAGE;
}

bool pmg_policy_opens_package(const struct pmg_policy *policy, const char *path)
{
	return depth_of(policy, path, true) != OUTSIDE;
}

bool pmg_policy_is_exempt(const struct pmg_policy *policy, enum pmg_access access, const char *path,
			  bool below)
{
	/* What is written anywhere below a dependency folder is not the user's: nothing of theirs
	 * is changed by it, and such folders can be written without asking. */
	return depth_of(policy, path, below) >=
	       (access == PMG_ACCESS_WRITE ? IN_FOLDER : IN_PACKAGE);
}

bool pmg_policy_exempts(const struct pmg_policy *policy, enum pmg_access access,
			const struct pmg_policy_rule *rule, const char *path)
{
	pmg_autofree char *named = NULL;
	size_t i;

	if (!rule->packages_exempt || !pmg_policy_is_exempt(policy, access, path, false))
		return false;
	named = pmg_xstrdup(path);
	for (i = 1; path[i]; i++) {
		if (path[i] != '/')
			continue;
		named[i] = '\0';
		if (pmg_glob_match(rule->glob, named))
			return pmg_policy_is_exempt(policy, access, named, false);
		named[i] = '/';
	}
	return true;
}
