#ifndef PMG_SANDBOX_WHO_PRIV_H
#define PMG_SANDBOX_WHO_PRIV_H
/**
 * What who.c is told.
 *
 *   who_package.c  names of packages, as the folder that a process starts in has them. What stands
 *                  in these files was written by whoever made the package: it names a refusal, it
 *                  decides nothing.
 *   who_start.c    what an execve says of the process that begins with it
 */
#include <stdbool.h>

#include "base/mem.h"
#include "sandbox/broker_priv.h"

#define PMG_PACKAGE_FILE_MAX 262144U /* package.json, PKG-INFO, pyproject.toml */
#define PMG_PACKAGE_NAME_MAX 214U    /* npm's limit */
#define PMG_PACKAGE_VER_MAX  128U

struct pmg_package {
	char *name;    /* NULL: not known */
	char *version; /* NULL: not known */
	char *folder;  /* whose file said so; absolute */
	bool own;      /* the project's own */
};
void pmg_package_done(struct pmg_package *package);
PMG_DEFINE_AUTO_DONE(package, struct pmg_package, pmg_package_done);

/** "name@version" or "name"; NULL when there is no name. Caller frees. */
char *pmg_package_text(const struct pmg_package *package) PMG_MUST_CHECK;

/* Readers of one file each: name and version, as far as they are there and can be those of a
 * package. @param[out] out zeroed before. @return false: no name */
bool pmg_package_json(const char *text, size_t len, struct pmg_package *out);
bool pmg_package_pkginfo(const char *text, size_t len, struct pmg_package *out);
bool pmg_package_pyproject(const char *text, size_t len, struct pmg_package *out);

/**
 * Which package does this folder belong to? Below <dependency folder>/<name>/ it is that one, else
 * the nearest file of the kinds above says so, never looked for above project or home.
 * @param dir   O_PATH of the folder
 * @param path  of it
 * @param[out] out  zeroed before. @return false: to none
 */
bool pmg_package_of(const struct pmg_policy *policy, int dir, const char *path,
		    struct pmg_package *out);

/* who_start.c */

struct pmg_started {
	bool is_own_part; /* what is started is a part of the manager itself */
	char *cwd;
	struct pmg_package package; /* by cwd */
	struct pmg_package claim;   /* by the environment: name and version alone */
	char *script;               /* "postinstall", "setup.py", "build_wheel"; NULL: not known */
};
void pmg_started_done(struct pmg_started *started);
PMG_DEFINE_AUTO_DONE(started, struct pmg_started, pmg_started_done);

/**
 * Read it, from the caller's memory and folder. What cannot be read is not told.
 * @param folder  NULL, or what to leave alone: a start in it says nothing new
 * @param[out] out  zeroed before. @return false: nothing new
 */
bool pmg_started_read(struct pmg_broker *broker, pid_t tid, const struct pmg_who_start *start,
		      const char *folder, struct pmg_started *out);

/** Does a program come with the project, or could this run have installed it? */
bool pmg_started_is_installed(const struct pmg_policy *policy, const char *program);

#endif
