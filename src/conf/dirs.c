#include "conf/dirs.h"

#include <errno.h>
#include <pwd.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/io.h"
#include "base/path.h"

#define PW_BUF_MAX 16384U

/* fallback is below HOME; a folder without one has no default. */
static const struct {
	size_t offset;
	const char *variable;
	const char *fallback;
} places[] = {
	{ offsetof(struct pmg_dirs, config), "XDG_CONFIG_HOME", ".config" },
	{ offsetof(struct pmg_dirs, state), "XDG_STATE_HOME", ".local/state" },
	{ offsetof(struct pmg_dirs, cache), "XDG_CACHE_HOME", ".cache" },
	{ offsetof(struct pmg_dirs, runtime), "XDG_RUNTIME_DIR", NULL },
};

void pmg_dirs_done(struct pmg_dirs *dirs)
{
	free(dirs->home);
	free(dirs->config);
	free(dirs->state);
	free(dirs->cache);
	free(dirs->runtime);
	*dirs = (struct pmg_dirs){ 0 };
}

static char **slot(struct pmg_dirs *dirs, size_t offset)
{
	return (char **)(void *)((char *)dirs + offset);
}

char *pmg_dirs_account_home(void)
{
	pmg_autofree char *buf = pmg_xmalloc(PW_BUF_MAX);
	struct passwd pw, *found = NULL;

	if (getpwuid_r(getuid(), &pw, buf, PW_BUF_MAX, &found) != 0 || !found ||
	    found->pw_dir[0] != '/')
		return NULL;
	return pmg_path_clean(found->pw_dir);
}

static int find_home(const struct pmg_strv *env, char **out, struct pmg_err *err)
{
	const char *home = pmg_env_get(env, "HOME");
	char *path = home && home[0] == '/' ? pmg_path_clean(home) : pmg_dirs_account_home();

	if (!path) {
		(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
				  "no home folder: HOME is not set and user %u is unknown",
				  (unsigned)getuid());
		return pmg_err_hint(err, "set HOME to an absolute path");
	}
	*out = path;
	return 0;
}

int pmg_dirs_find(const struct pmg_strv *env, struct pmg_dirs *out, struct pmg_err *err)
{
	pmg_auto(dirs) struct pmg_dirs dirs = { 0 };
	const char *value;
	size_t i;
	int r;

	r = find_home(env, &dirs.home, err);
	if (r < 0)
		return r;
	for (i = 0; i < PMG_ARRAY_LEN(places); i++) {
		pmg_autofree char *base = NULL;
		pmg_autofree char *path = NULL;

		value = pmg_env_get(env, places[i].variable);
		if (value && value[0] == '/')
			base = pmg_xstrdup(value);
		else if (places[i].fallback)
			base = pmg_path_join(dirs.home, places[i].fallback);
		else
			continue;
		path = pmg_path_join(base, "pmg");
		*slot(&dirs, places[i].offset) = pmg_path_clean(path);
	}
	*out = dirs;
	dirs = (struct pmg_dirs){ 0 };
	return 0;
}

int pmg_dirs_make(const char *dir, struct pmg_err *err)
{
	struct stat st;
	int r;

	r = pmg_io_mkdirs(dir, 0700, err);
	if (r < 0)
		return r;
	if (stat(dir, &st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "stat %s", dir);
	if (!S_ISDIR(st.st_mode))
		return pmg_err_set(err, PMG_E_SYS, ENOTDIR, "%s", dir);
	if (st.st_uid != geteuid() && st.st_uid != 0) {
		(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s belongs to user %u", dir,
				  (unsigned)st.st_uid);
		return pmg_err_hint(err, "remove it, or make it yours: chown");
	}
	if (st.st_mode & (S_IWGRP | S_IWOTH)) {
		(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s can be written to by others", dir);
		return pmg_err_hint(err, "chmod 700 %s", dir);
	}
	return 0;
}
