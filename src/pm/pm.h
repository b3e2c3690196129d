#ifndef PMG_PM_PM_H
#define PMG_PM_PM_H
/**
 * What pmg knows of a package manager: which programs it has, which of their
 * verbs can fetch or run package code, where its packages come from, and by
 * which variables it is told of a proxy and of certificates. One file a
 * manager (npm.c pnpm.c yarn.c bun.c pip.c), one row each in pm.c.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/strv.h"
#include "base/url.h"

enum pmg_eco { PMG_ECO_NPM, PMG_ECO_PYPI, PMG_ECO_MAX };

/** "npm", "pypi". */
const char *pmg_eco_name(enum pmg_eco eco);
/** Any case ("PyPI"). @return 0 or -PMG_E_PARSE */
int pmg_eco_parse(const char *text, enum pmg_eco *out, struct pmg_err *err) PMG_MUST_CHECK;

/* What a command line can do. Unknown verbs and unreadable lines are PMG_VERB_RUN. */
enum pmg_verb {
	PMG_VERB_PLAIN, /* neither fetches packages nor runs their code: straight to execve */
	PMG_VERB_FETCH, /* fetches, and may run install scripts */
	PMG_VERB_RUN    /* runs project or package code, may fetch */
};

/* Where a registry was named: for messages and the plan. */
struct pmg_origin {
	char *what;    /* "command line", "environment npm_config_registry", "default of npm", or a
			  path */
	unsigned line; /* of a file, else 0 */
};

/* A place packages come from. */
struct pmg_registry {
	enum pmg_eco eco;
	struct pmg_url base; /* path ends in "/"; userinfo taken out */
	char *scope;         /* "@acme", or NULL for all names */
	struct pmg_origin origin;
	bool is_private;  /* the user said that what it has is its own; with a scope, in it */
	bool is_replaced; /* the manager asks another one in its place: known, but not asked */
};

/* An artifact that command line, manifest or lockfile names by address. */
struct pmg_source {
	enum pmg_eco eco;
	struct pmg_url url;
	char *name;    /* NULL when the document does not say */
	char *version; /* NULL when the document does not say */
};

#define PMG_REGISTRIES_MAX 256U
#define PMG_SOURCES_MAX    65536U

/* All that a run must know before the proxy starts. */
struct pmg_facts {
	struct pmg_registry *registries;
	size_t n_registries;
	size_t cap_registries;
	struct pmg_source *sources;
	size_t n_sources;
	size_t cap_sources;
	char *https_proxy; /* parent proxy of the user's, as written; NULL for none */
	char *http_proxy;
	char *no_proxy;
	struct pmg_strv ca_files; /* the user's own CA files that the tool would have read */
	struct pmg_strv ca_dirs;
	bool by_user; /* registries that are added now were named by who runs the tool, not by who
		       * wrote the project: one with a scope is private */
	bool has_default; /* registries without a scope that are added now are replaced: the one
			   * that is asked for all other names is there */
	bool has_cafile;  /* a setting of the manager's own names certificates */
	/* Variables of this tool alone, to overrule a file of its own: other versions of it end at
	 * one that they do not know. They get the address of pmg's proxy, or name the bundle. */
	struct pmg_strv proxy_variables;
	struct pmg_strv bundle_variables;
	struct pmg_strv argv;     /* the tool's arguments, without what would steer it round pmg */
	struct pmg_strv notes;    /* one line each for the user: what was taken over or is odd */
	struct pmg_strv warnings; /* the same, of what the user meant to have and has not */
};

void pmg_facts_done(struct pmg_facts *facts);
PMG_DEFINE_AUTO_DONE(facts, struct pmg_facts, pmg_facts_done);

/* Where to look; all borrowed, all absolute and canonical. */
struct pmg_place {
	const char *program; /* the real program, as it will be exec'd */
	const char *cwd;
	const char *home;
	const char *cache_dir;      /* $XDG_CACHE_HOME/pmg: answers of programs are kept here */
	const char *run_dir;        /* they are asked below it; NULL: in cache_dir */
	const struct pmg_strv *env; /* the user's environment */
	char *const *argv;          /* the tool's, argv[0] first, NULL-terminated */
	int cancel_fd;              /* when it becomes readable nobody waits for an answer any more
				     * (base/proc.h); 0: none */
};

/* What a tool is pointed at; borrowed. */
struct pmg_pointer {
	const char *proxy;  /* "http://user:token@127.0.0.1:port" */
	const char *bundle; /* file of system roots, the user's own and pmg's */
	const char *extra;  /* file of pmg's certificate and the user's NODE_EXTRA_CA_CERTS */
	bool has_loopback;  /* a registry is on loopback: then NO_PROXY may not name it */
	bool has_cafile;    /* facts.has_cafile: "cafile" has to be overruled */
	bool is_naming;     /* the command line names packages: pmg_point_is_naming() */
	const struct pmg_strv *proxy_variables; /* those of facts; NULL: none */
	const struct pmg_strv *bundle_variables;
};

struct pmg_pm {
	const char *name; /* "npm": profile and ledger name */
	enum pmg_eco eco;
	const char *const *tools; /* names it is called by: "npm", "npx"; NULL-terminated */
	/** Classify argv (argv[0] is one of tools, or a path that ends in one). Needs no files.
	 * Callers use pmg_pm_classify(). */
	enum pmg_verb (*classify)(char *const *argv);
	/** Fill *out (zeroed by the caller). Never runs project code, never asks inside the
	 * project. */
	int (*learn)(const struct pmg_place *place, struct pmg_facts *out, struct pmg_err *err);
	/**
	 * Tell the child, by its environment alone, of proxy and CA bundle, and take
	 * away what would lead round them (NO_PROXY and such).
	 */
	void (*point)(struct pmg_strv *env, const struct pmg_pointer *to);
};

/** The manager that owns a tool name ("npx" -> npm); NULL when pmg knows none. */
const struct pmg_pm *pmg_pm_find(const char *tool);
/**
 * What a command line can do with this program. As pm->classify(), but where
 * the program is corepack's, which may download the manager itself whatever
 * the verb, nothing is plain.
 * @param program  absolute path of what will be run
 */
enum pmg_verb pmg_pm_classify(const struct pmg_pm *pm, const char *program, char *const *argv);
/** All, NULL-terminated, in the order of the help text. */
const struct pmg_pm *const *pmg_pm_all(void);

#endif
