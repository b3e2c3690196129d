#ifndef PMG_SANDBOX_WHO_PRIV_H
#define PMG_SANDBOX_WHO_PRIV_H
/**
 * What who.c keeps, and what it is told.
 *
 *   who_table.c    the processes of the run that were seen
 *   who_package.c  names of packages, as the folder that a process starts in has them. What stands
 *                  in these files was written by whoever made the package: it names a refusal, it
 *                  decides nothing.
 *   who_start.c    what an execve says of the process that begins with it
 */
#include <stdbool.h>

#include "base/mem.h"
#include "kernel/procfs.h"
#include "sandbox/broker_priv.h"

#define PMG_PACKAGE_FILE_MAX 262144U /* package.json, PKG-INFO, pyproject.toml */
#define PMG_PACKAGE_NAME_MAX 214U    /* npm's limit */
#define PMG_PACKAGE_VER_MAX  128U

struct pmg_package {
	char *name;    /* NULL: not known */
	char *version; /* NULL: not known */
	char *called;  /* as it calls itself, installed under another name; NULL: the same */
	char *folder;  /* whose file said so; absolute */
	bool own;      /* the project's own */
};
void pmg_package_done(struct pmg_package *package);
PMG_DEFINE_AUTO_DONE(package, struct pmg_package, pmg_package_done);

/** "name@version" or "name"; NULL when there is no name. Caller frees. */
char *pmg_package_text(const struct pmg_package *package) PMG_MUST_CHECK;

/** The same by the name it calls itself; NULL: it is called as its folder is. Caller frees. */
char *pmg_package_called(const struct pmg_package *package) PMG_MUST_CHECK;

/* Readers of one file each: name and version, as far as they are there and can be those of a
 * package. @param[out] out zeroed before. @return false: no name */
bool pmg_package_json(const char *text, size_t len, struct pmg_package *out);
bool pmg_package_pkginfo(const char *text, size_t len, struct pmg_package *out);
bool pmg_package_pyproject(const char *text, size_t len, struct pmg_package *out);

/** Does this path lie in the folder of an installed package? */
bool pmg_package_is_installed(const struct pmg_policy *policy, const char *path);

/**
 * Which package does this folder belong to? Below <dependency folder>/<name>/ it is that one, else
 * the nearest file of the kinds above says so, never looked for above project or home.
 * @param dir   O_PATH of the folder
 * @param path  of it
 * @param[out] out  zeroed before. @return false: to none
 */
bool pmg_package_of(const struct pmg_policy *policy, int dir, const char *path,
		    struct pmg_package *out);

/* who_table.c. All of it is for who holds the table's lock, but for what is const. */

#define PMG_PROCESSES_MAX     384U  /* each holds a descriptor */
#define PMG_THREAD_SLOTS      4096U /* a power of two */
#define PMG_PROGRAM_NAME_SIZE 64U   /* with NUL */

struct pmg_process {
	pid_t tgid;
	int pidfd;
	unsigned id;
	uint64_t used; /* when last asked for, in questions */
	enum pmg_role role;
	unsigned umask;
	bool may_be_part; /* of the manager, by what it starts first */
	bool started;     /* its first execve has been seen */
	bool is_orphan;   /* who its parents were is not known: where it starts is its own choice */
	bool is_direct;   /* its parent had the manager's role when it was first seen */
	bool is_git;      /* a part of the manager that is git */
	bool of_git;      /* its parent was one */
	bool settled; /* its package is known and is not the project: what starts below keeps it */
	bool own;     /* a script of the project itself, or started by one */
	bool is_tool; /* it runs a package manager that is no part of this one: a nested npm */
	char *package;
	char *called; /* the same as it calls itself; NULL: as in package */
	char *script;
	char *folder; /* in which its first program started: what the package is known by */
	const char *how_known; /* static */
	/* Programs of its ancestors, outermost first. */
	char chain[PMG_EVENT_CHAIN_MAX - 1][PMG_PROGRAM_NAME_SIZE];
	size_t n_chain;
};

/* What thread belongs to what process: a cache, so a clash only costs learning it again. */
struct pmg_process_thread {
	pid_t tid;
	unsigned slot, id; /* of its process */
};

struct pmg_who_table {
	pthread_mutex_t lock;
	bool is_shim;    /* the manager's own process runs a shell script */
	bool is_part;    /* it has become another program of the tool's own */
	bool is_reached; /* it has run the tool itself */
	char *last;      /* path by which it was started last; NULL: not known */
	char *tool;      /* name of the program that the manager was started as; NULL: not yet */
	int proc;        /* /proc of the run; borrowed */
	unsigned last_id;
	uint64_t asked;
	unsigned places;    /* of v that may be taken */
	bool has_forgotten; /* one that the manager started and that still ran */
	struct pmg_process *v[PMG_PROCESSES_MAX]; /* owned; [0]: the manager, never dropped */
	struct pmg_process_thread threads[PMG_THREAD_SLOTS];
};

/** A script, of which nothing is known yet; for pmg_who_table_take(). Never NULL. */
struct pmg_process *pmg_process_new(struct pmg_who_table *table, pid_t tgid) PMG_MUST_CHECK;
void pmg_process_free(struct pmg_process *process);
PMG_DEFINE_AUTO(process, struct pmg_process *, pmg_process_free);

/** Is it there, and that thread one of it? A number that is another's by now is not. */
bool pmg_process_has_thread(const struct pmg_process *process, pid_t tid);

/** What /proc says of it now. @return false: it is gone */
bool pmg_who_table_stat(const struct pmg_who_table *table, pid_t tid, struct pmg_procfs_stat *out);

/** The process of a thread that was asked for before. NULL: not known, or gone. */
struct pmg_process *pmg_who_table_cached(struct pmg_who_table *table, pid_t tid);
/** Keep what thread is of the process in that slot. */
void pmg_who_table_remember(struct pmg_who_table *table, pid_t tid, unsigned slot);

/** @param[out] slot  its place; untouched when NULL is returned: not known, or gone */
struct pmg_process *pmg_who_table_process(struct pmg_who_table *table, pid_t tgid, unsigned *slot);

/** Take it in; it is the table's from now on. One that ended, or was not asked for the longest,
 *  makes room. @return its slot */
unsigned pmg_who_table_take(struct pmg_who_table *table, struct pmg_process *process);

/** NULL: it was dropped meanwhile. */
struct pmg_process *pmg_who_table_of(struct pmg_who_table *table, const struct pmg_who *who);

/* who_start.c */

struct pmg_started {
	bool is_own_part; /* what is started is a part of the manager itself */
	bool is_git;      /* which is git */
	bool is_gits_own; /* and such as git starts for itself */
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
/** Is its first argument that path, as that of what "#!/usr/bin/env" names is the script? */
bool pmg_started_runs(pid_t tid, const struct pmg_who_start *start, const char *path);
/** Is it a package manager of this machine, which nothing of the run can have written, and that was
 *  given no code to load? It asks for its settings as a matter of course. */
bool pmg_started_is_tool(const struct pmg_policy *policy, pid_t tid,
			 const struct pmg_who_start *start);
/** Is it a shell script, by its "#!", or the shell that runs one? @param was  of the program before
 */
bool pmg_started_is_shim(const char *program, bool was);

#endif
