#include "base/env.h"

#include <string.h>
#include <unistd.h>

#include "base/path.h"

/* Index of name in the block, n when it is not there. */
static size_t find(const struct pmg_strv *env, const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < env->n; i++)
		if (strncmp(env->v[i], name, len) == 0 && env->v[i][len] == '=')
			break;
	return i;
}

const char *pmg_env_get(const struct pmg_strv *env, const char *name)
{
	size_t i = find(env, name);

	return i < env->n ? env->v[i] + strlen(name) + 1 : NULL;
}

void pmg_env_set(struct pmg_strv *env, const char *name, const char *value)
{
	(void)pmg_env_unset(env, name);
	pmg_strv_addf(env, "%s=%s", name, value);
}

bool pmg_env_unset(struct pmg_strv *env, const char *name)
{
	bool was = false;
	size_t i;

	/* A block may hold a name twice; which one a program reads is its choice, so all go. */
	while ((i = find(env, name)) < env->n) {
		pmg_strv_remove(env, i);
		was = true;
	}
	return was;
}

char *pmg_env_search(const struct pmg_strv *env, const char *name)
{
	const char *path = pmg_env_get(env, "PATH");
	pmg_auto(strv) struct pmg_strv dirs = { 0 };
	size_t i;

	pmg_strv_split(&dirs, path ? path : "", ":");
	for (i = 0; i < dirs.n; i++) {
		pmg_autofree char *file = pmg_path_join(dirs.v[i], name);

		if (dirs.v[i][0] == '/' && access(file, X_OK) == 0)
			return pmg_steal_ptr(&file);
	}
	return NULL;
}
