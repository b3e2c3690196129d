#ifndef PMG_POLICY_POLICY_H
#define PMG_POLICY_POLICY_H
/**
 * What a run may do, ready to be asked: rules of files, programs, network,
 * sockets and environment, with variables replaced and globs compiled. Plain
 * data; asking it touches nothing. The broker asks it for every trapped call,
 * pmg-proxy for every host, the front when it scrubs the environment.
 *
 * One order decides, each direction (read, write, exec, ...) by itself; the
 * first that has a rule which meets the question wins:
 *
 *   managed deny > hooks class > exact-path opt-out > mandatory deny
 *   > any other deny > allow > default (deny)
 *
 * Source: docs/policy.md, "Which rule wins".
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strv.h"

/* What is asked for. */
enum pmg_access {
	PMG_ACCESS_READ,  /* content of a file, names in a folder */
	PMG_ACCESS_WRITE, /* content, making, removing, renaming, linking, metadata */
	PMG_ACCESS_EXEC,
	PMG_ACCESS_CONNECT, /* host[:port] */
	PMG_ACCESS_BIND,    /* address:port; port 0: any */
	PMG_ACCESS_UNIX,    /* path of a socket, "@name" for abstract ones: connect and send */
	PMG_ACCESS_ENV,     /* variable by name */
	PMG_ACCESS_MAX
};
/** "read", "write", "exec", "net-connect", "net-bind", "unix", "env": as --sandbox-allow has it. */
const char *pmg_access_name(enum pmg_access access);

/* Who asks. The manager is the program that pmg started; all below a script is script. */
enum pmg_role { PMG_ROLE_MANAGER = 1, PMG_ROLE_SCRIPT = 2, PMG_ROLE_ANY = 3 };

/* Where a rule comes from. */
enum pmg_layer {
	PMG_LAYER_BUILTIN, /* built-in profile */
	PMG_LAYER_PROFILE, /* profiles/NAME.yml */
	PMG_LAYER_PRESET,
	PMG_LAYER_OVERLAY,   /* of this repository */
	PMG_LAYER_FLAG,      /* --sandbox-allow */
	PMG_LAYER_PROJECT,   /* .pmg.yml: denies alone */
	PMG_LAYER_MANDATORY, /* built-in list of what stays closed */
	PMG_LAYER_MANAGED,
	PMG_LAYER_RUN, /* what pmg itself needs: bundle, run's folder */
	PMG_LAYER_MAX
};
const char *pmg_layer_name(enum pmg_layer layer); /* "built-in", "profile", "preset", ... */

/* Strength; the lower value wins. */
enum pmg_rank {
	PMG_RANK_MANAGED_DENY,
	PMG_RANK_HOOKS, /* .git/hooks and what core.hooksPath names: no opt-out */
	/* Allows what a mandatory or other deny closes, and only the one path that it spells out:
	 * of a folder its own names, nothing in it. With a star or a subtree pmg_policy_add() takes
	 * it for PMG_RANK_ALLOW, but for what pmg takes out of its own lists (mandatory, run). */
	PMG_RANK_OPT_OUT,
	PMG_RANK_MANDATORY_DENY,
	PMG_RANK_DENY,
	PMG_RANK_ALLOW,
	PMG_RANK_MAX
};

struct pmg_glob; /* policy/glob.h */
struct pmg_host; /* policy/host.h */

struct pmg_policy_rule {
	enum pmg_access access;
	enum pmg_rank rank;
	enum pmg_layer layer;
	unsigned roles; /* of enum pmg_role */
	bool sensitive; /* what it denies is a credential or a place of persistence: touching it
			 * makes the run end with 1, and no allowance is suggested */
	bool packages_exempt;  /* does not hold inside an installed package's own folder; of writes:
				* nowhere below a dependency folder */
	bool reads_empty;      /* who may not read it gets an empty file, since there are tools that
				* end at an error here */
	bool temporary;        /* of the temporary folder: does not hold in a project, working
				* folder or home that lies below it */
	char *text;            /* pattern with variables replaced */
	char *source;          /* "built-in:14", "/path/x.yml:7", "--sandbox-allow" */
	struct pmg_glob *glob; /* of text; for files, programs, unix paths, variable names */
	struct pmg_host *host; /* of text; to connect and to bind */
};

struct pmg_policy {
	char *profile; /* name */
	char *project; /* ${PROJECT}, absolute, canonical */
	char *cwd;     /* ${CWD} */
	char *home;
	struct pmg_strv dependency_names; /* "node_modules", ".venv", "site-packages": below a
					   * folder so called lie installed packages */
	struct pmg_strv package_folders;  /* absolute; as such folders in who a script belongs to,
					   * in nothing else: the project may name any */
	struct pmg_strv manager_parts;    /* scripts that the manager starts in its own place */
	struct pmg_policy_rule *rules;    /* sorted: access, rank, sensitive first, text bytes */
	size_t n_rules;
	size_t cap_rules;
	bool proxy_only; /* network_via_proxy_only */
	bool direct_dns;
	char *proxy_only_source, *direct_dns_source; /* where it says so: "/path/x.yml:5"; NULL */
	bool any_bind;                               /* allow_network_bind */
	bool has_manager; /* the first program is a package manager, not a command of a person's */
	bool runs_code;   /* the first program is no manager to the walls, but a script */
	bool is_python;   /* that one is pip, uv, poetry or pipx */
	bool pty;
	bool listed_env; /* only variables that a rule allows stay; else all that none denies */
	uint64_t max_processes; /* 0: as found */
	uint64_t max_open_files;
	struct pmg_strv notes; /* for the user: entries that were left out, ... */
	/* Made by pmg_policy_seal(), for asking alone. */
	size_t first[PMG_ACCESS_MAX + 1]; /* where the rules of each access begin */
	struct pmg_glob_mask *needs;
};

void pmg_policy_free(struct pmg_policy *policy);
PMG_DEFINE_AUTO(policy, struct pmg_policy *, pmg_policy_free);
struct pmg_policy *pmg_policy_new(void) PMG_MUST_CHECK;

/**
 * Add a rule; compiles its pattern.
 * @param rule  texts are copied, glob and host are ignored
 * @return 0; -PMG_E_CONFIG: the pattern does not follow policy/glob.h or policy/host.h, or is not
 *         of the kind (path, name, host) that this access has; the message says where in it
 */
int pmg_policy_add(struct pmg_policy *policy, const struct pmg_policy_rule *rule,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** Sort, drop doubles. After the last add, before the first question; then nothing is added. Asking
 *  changes nothing: several threads may. */
void pmg_policy_seal(struct pmg_policy *policy);

struct pmg_decision {
	bool allowed;
	const struct pmg_policy_rule *rule; /* that decided; NULL: none, so denied (a bind may be
					     * allowed by any_bind). Borrowed */
};

/**
 * May this role do this to the object with this path? To write, start or connect to what nobody
 * may read, and a rule closes to somebody, takes a rule that is stronger than that one: else it is
 * hidden, and the answer names the rule of reading.
 * @param path  absolute and canonical: no link, "..", "//" in it. For UNIX also "@name"; for ENV a
 *              name
 */
struct pmg_decision pmg_policy_ask(const struct pmg_policy *policy, enum pmg_access access,
				   enum pmg_role role, const char *path);
/** The same by the lists of what stays closed alone (mandatory, managed), as if nobody had opened
 *  anything: is it named there? What they take out themselves (".env.example") is allowed. */
struct pmg_decision pmg_policy_ask_closed(const struct pmg_policy *policy, enum pmg_access access,
					  enum pmg_role role, const char *path);
/**
 * The same for hosts and addresses.
 * @param host  name in lower case, or an address as text without brackets; for a registry of the
 *              manager's the word "registry". A name from outside that spells that word must be
 *              refused by who asks, for it would pass as one
 * @param port  host order
 */
struct pmg_decision pmg_policy_ask_net(const struct pmg_policy *policy, enum pmg_access access,
				       enum pmg_role role, const char *host, uint16_t port);
/**
 * Does a denied thing of a fixed place lie below path, so that moving path would move it from under
 * its rule ("mv .git .git2" with .git/hooks denied)? By rules alone; globs that hold wherever the
 * thing is moved to do not count.
 * @return the rule, or NULL
 */
const struct pmg_policy_rule *pmg_policy_anchors_below(const struct pmg_policy *policy,
						       enum pmg_access access, const char *path);
/**
 * Does path lie in an installed package's own folder, below <dependency folder>/<name>/ (two names
 * where the first begins with "@")? Names that begin with "." (.bin, .pnpm) are no packages. Only
 * node_modules and what ends in "-packages" holds packages itself; others (.venv) have such a
 * folder further down. Of what is in the project only the path within it counts.
 */
bool pmg_policy_in_package(const struct pmg_policy *policy, const char *path);
/** Would something moved to path, or what is below it, come to lie below a dependency folder? What
 *  holds denied names must not be moved or linked there: they would be exempt. */
bool pmg_policy_opens_package(const struct pmg_policy *policy, const char *path);

/* A folder or file that Landlock can be given. */
struct pmg_subtree {
	char *path;
	bool read, write, exec;
	bool pure_write; /* nothing below is denied to write: Landlock alone holds the rules */
};
struct pmg_subtrees {
	struct pmg_subtree *v; /* sorted by path bytes, no path twice */
	size_t n, cap;
};
void pmg_subtrees_done(struct pmg_subtrees *list);
PMG_DEFINE_AUTO_DONE(subtrees, struct pmg_subtrees, pmg_subtrees_done);
/**
 * What the allow rules of files come to, whoever they are for: the fixed part of each pattern; to
 * write one file of the project, its folder; and dependency folders at the top of the project by
 * themselves, where they are pure. Every path that pmg_policy_ask() allows lies in one that has its
 * access. One may be missing, and has to be made before Landlock can be given it; or be a link by
 * now, and must not be followed: then what the link leads to would be granted, which no rule says.
 * @param[out] out  zeroed before
 */
void pmg_policy_subtrees(const struct pmg_policy *policy, struct pmg_subtrees *out);
/** Can a name be made or removed there, as far as Landlock can be given the rule that allows it? It
 *  has rights for that on the folder alone. Outside of the project not so of the topmost name that
 *  a rule allows, unless who opened it spelled just that name out. */
bool pmg_policy_can_name(const struct pmg_policy *policy, const char *path);
/**
 * Folders that the manager may make and programs in which may be started, unless they lie in one
 * from which any may be started anyway. To be made before the start where they are missing: a
 * program cannot be started on behalf, and Landlock knows only what is there.
 * @param[out] out  added to, each once
 */
void pmg_policy_program_folders(const struct pmg_policy *policy, struct pmg_strv *out);
/**
 * Folders outside of project and working folder that a user has opened for writing with all that is
 * below them. To be made before the start where they are missing, for the same reason.
 * @param[out] out  added to, each once
 */
void pmg_policy_write_folders(const struct pmg_policy *policy, struct pmg_strv *out);
/** Is every call of this kind at path and below it allowed to every role, whatever its name? Not so
 *  where something in it may be closed for everybody to read. */
bool pmg_policy_is_pure(const struct pmg_policy *policy, enum pmg_access access, const char *path);

/**
 * Where denied reads can lie; what masks and the set of denied (device, inode) look for.
 *   roots  folders that may hold denied things and can be read, or are denied in part only: search
 *          them, ask about each thing; one may be missing
 *   paths  fixed files and folders that nobody may read, readable surroundings or not; of a folder,
 *          nothing in it
 * Sorted; no root lies in another. What some role may read is in neither: masks know no roles.
 */
struct pmg_hidden {
	struct pmg_strv roots;
	struct pmg_strv paths;
};
void pmg_hidden_done(struct pmg_hidden *hidden);
PMG_DEFINE_AUTO_DONE(hidden, struct pmg_hidden, pmg_hidden_done);
void pmg_policy_hidden(const struct pmg_policy *policy, struct pmg_hidden *out);
/** Is path hidden by what is found so? Folders that managers replace (dependency_names) are not
 *  searched: what lies in one is refused when it is asked for, and is there. */
bool pmg_hidden_has(const struct pmg_hidden *hidden, const struct pmg_policy *policy,
		    const char *path);
/** Is this to be hidden, with all that is below it? Nobody may read it, a rule closes it to
 *  somebody, and nothing stronger lets anybody read, write, start or connect to it or what is below
 *  it. */
bool pmg_policy_hides(const struct pmg_policy *policy, const char *path);
/** Can anything below folder dir be denied to read? If not it need not be searched. */
bool pmg_policy_hides_below(const struct pmg_policy *policy, const char *dir);

#endif
