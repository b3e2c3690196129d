#ifndef PMG_PM_RESOLVED_H
#define PMG_PM_RESOLVED_H
/**
 * Which packages a project has settled on: what its lockfiles pin, what lies installed in its
 * folders. Read strictly, for this decides: what a manager may take and pmg cannot read is told
 * as unread, never passed over. JSON with a key twice is unreadable: two readers could disagree on
 * which counts.
 *
 *   resolved.c         the set, the table of files
 *   resolved_fits.c    which of it is for other systems
 *   resolved_npm.c     package-lock.json, npm-shrinkwrap.json, bun.lock
 *   resolved_pnpm.c    pnpm-lock.yaml
 *   resolved_yarn.c    yarn.lock, of yarn 1 and of berry
 *   resolved_python.c  requirements files, poetry.lock, uv.lock, pylock.toml, pip's report
 *   resolved_tree.c    what is installed: node_modules
 *   resolved_dists.c   what is installed: *.dist-info, *.egg-info
 *   resolved_walk.c    all of these below a folder
 */
#include <stdbool.h>
#include <stdint.h>

#include "pm/pm.h"

#define PMG_RESOLVED_MAX        262144U /* packages of one set */
#define PMG_RESOLVED_UNREAD_MAX 1024U   /* beyond, the last one says that there are more */
#define PMG_RESOLVED_HASHES_MAX 1024U   /* hashes of one package */
#define PMG_RESOLVED_FILE_MAX   67108864U
#define PMG_RESOLVED_ANYWHERE   "anywhere" /* a url: a registry's, or of some folder */

struct pmg_resolved_package {
	enum pmg_eco eco;
	char *name;
	char *version; /* NULL: not known; such as nobody can compare are told as they stand */
	/* "sha512-BASE64" or "sha256:HEX" as written, several with blanks between; NULL: none */
	char *integrity;
	/* Where its archive is from: NULL is one of the manager's registries, which the lockfile
	 * need not name. Else an address, or what is none ("git+ssh:...", "bundled"): somewhere
	 * else. */
	char *url;
	const char *file; /* of the set's files */
	unsigned line;    /* 0: not known */
	bool installed;   /* it lies there, and is not merely pinned */
	bool open;        /* some version of that name: which one is not settled */
	bool foreign;     /* for another system or processor, and left out here where no setting
			   * says otherwise (places.h); of bun all, of others what is optional */
	bool there; /* seen where its manager looks, not merely in a list of what is installed */
	uint32_t stamp; /* of the file that tells of it there: of another one another; 0: none */
};

/* Zeroed is empty. */
struct pmg_resolved {
	struct pmg_resolved_package *v;
	size_t n, cap;
	struct pmg_strv files;   /* that were read */
	struct pmg_strv unread;  /* "PATH:LINE: why": what could not be read */
	struct pmg_strv skipped; /* "PATH: why": what was left out and is none of the project's */
};
void pmg_resolved_done(struct pmg_resolved *set);
PMG_DEFINE_AUTO_DONE(resolved, struct pmg_resolved, pmg_resolved_done);

/**
 * Add what a file of this name says.
 * @param path  its base name chooses the reader; any other name is read as a requirements file when
 *              it ends in ".txt" or ".in", else as what its text looks like
 * @return 0, also when it is now among `unread`; -PMG_E_LIMIT
 */
int pmg_resolved_text(struct pmg_resolved *set, const char *path, const char *text, size_t len,
		      struct pmg_err *err) PMG_MUST_CHECK;
/** The same from disk. @return also -PMG_E_NOTFOUND: there is none */
int pmg_resolved_file(struct pmg_resolved *set, const char *path,
		      struct pmg_err *err) PMG_MUST_CHECK;

/** The same of one that was named as a requirements file: it is one, whatever it is called. */
int pmg_resolved_requirements(struct pmg_resolved *set, const char *path,
			      struct pmg_err *err) PMG_MUST_CHECK;

/** What a command line of Python's managers asks for: "x==1", or "x@1", is one version; "x>=1" is
 *  open. What is no name of an index adds nothing. @param file  where it stands */
int pmg_resolved_asked(struct pmg_resolved *set, const char *file, const char *requirement,
		       struct pmg_err *err) PMG_MUST_CHECK;

/** Is it the name of a lockfile or a requirements file? */
bool pmg_resolved_is_name(const char *name);
/**
 * Names of the lockfiles of a manager ("npm", "uv"), NULL-terminated; a manager that knows none has
 * an empty list.
 */
const char *const *pmg_resolved_names(const char *manager);

/**
 * What lies in a node_modules folder, whatever it is called and however deep, or in a folder of
 * *.dist-info. Links are not followed, but for those in a store (.pnpm, .bun): what pnpm links to
 * lies in its store beside them.
 * @return 0, also where there is no such folder; -PMG_E_LIMIT
 */
int pmg_resolved_node_modules(struct pmg_resolved *set, const char *path,
			      struct pmg_err *err) PMG_MUST_CHECK;
int pmg_resolved_site_packages(struct pmg_resolved *set, const char *path,
			       struct pmg_err *err) PMG_MUST_CHECK;

/* Stamps of packages. Zeroed is empty. */
struct pmg_stamps {
	uint32_t *v;
	size_t n, cap;
};
void pmg_stamps_done(struct pmg_stamps *stamps);
PMG_DEFINE_AUTO_DONE(stamps, struct pmg_stamps, pmg_stamps_done);
void pmg_stamps_add(struct pmg_stamps *stamps, uint32_t stamp);
void pmg_stamps_sort(struct pmg_stamps *stamps);
bool pmg_stamps_have(const struct pmg_stamps *sorted, uint32_t stamp);

/**
 * What tells whether packages of a node_modules folder have come, gone or been replaced since:
 * equal numbers, none has. 0: there is none.
 * @param[out] out  the stamp of each is added; NULL
 */
uint32_t pmg_resolved_stamp(const char *path, struct pmg_stamps *out);

#define PMG_RESOLVED_DEPTH_MAX   64U
#define PMG_RESOLVED_ENTRIES_MAX 4194304U /* of folders, looked at in one walk */

/**
 * All lockfiles and installed trees at or below a path; links are not followed but for one called
 * node_modules, and folders of version control are left out.
 * @return 0; -PMG_E_NOTFOUND, -PMG_E_SYS: the path itself; -PMG_E_LIMIT
 */
int pmg_resolved_walk(struct pmg_resolved *set, const char *path,
		      struct pmg_err *err) PMG_MUST_CHECK;

/** Drop those that are not to be kept; the others stay in their order. */
void pmg_resolved_filter(struct pmg_resolved *set,
			 bool (*keep)(void *ctx, const struct pmg_resolved_package *package),
			 void *ctx);

/** By ecosystem, name, version, file and line. */
void pmg_resolved_sort(struct pmg_resolved *set);
/** Is the same package at the same version in it? @param set  sorted, else it may not be found */
bool pmg_resolved_has(const struct pmg_resolved *set, const struct pmg_resolved_package *package);
/** All of a sorted set that are the same package at the same version. @return the first; NULL */
struct pmg_resolved_package *pmg_resolved_same(const struct pmg_resolved *set,
					       const struct pmg_resolved_package *package,
					       size_t *n);

#endif
