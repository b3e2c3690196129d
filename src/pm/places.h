#ifndef PMG_PM_PLACES_H
#define PMG_PM_PLACES_H
/**
 * Where a manager keeps its things, and where the programs it needs really
 * lie: from its configuration files, the environment and PATH alone; no
 * program is asked. All results absolute; links resolved where they lead
 * somewhere, and then both are given.
 */
#include "pm/pm.h"

struct pmg_places {
	bool runs_code;         /* the tool itself runs a program of the project: `bun x.ts` */
	bool any_system;        /* what is for other systems may be installed, too: --force, --os */
	char *project;          /* root the manager uses: nearest package.json, pnpm-workspace.yaml,
				 * pyproject.toml; never above git top level or home; else cwd */
	struct pmg_strv caches; /* npm "cache", pnpm cache and state, pip cache */
	struct pmg_strv stores; /* pnpm store */
	struct pmg_strv prefixes; /* prefixes that this command line installs into: global ones of
				   * npm and pnpm, the environment of pip; only those that the user
				   * owns */
	/* Where packages come to lie; looked at, not opened. */
	struct pmg_strv modules; /* folders of node's packages: node_modules, and what else it may
				  * be called */
	struct pmg_strv asked;   /* requirements of the command line and of a script's metadata, two
				  * texts each: where it stands, and what it says */
	struct pmg_strv locks;   /* lockfiles besides the project's: of a script */
	struct pmg_strv moved;   /* folders that settings put in place of the project */
	struct pmg_strv bases;   /* of Python, besides prefixes: pip's --prefix and --root */
	struct pmg_strv targets; /* folders of *.dist-info: pip's --target */
	/* Patterns of glob(7): environments that may come to be in the run. */
	struct pmg_strv envs;   /* of this project, script or tool */
	struct pmg_strv beside; /* where those of others are, too: uv's cache */
	struct pmg_strv made;   /* folders besides caches and stores that are made ahead, since what
				 * they lie in is closed */
	struct pmg_strv made_files; /* files, the same */
	struct pmg_strv outputs;    /* folders and files that options have results written to */
	struct pmg_strv operands; /* files and folders outside of the project that the command line
				   * names as packages or requirements, canonical */
	struct pmg_strv source_dirs; /* the folders of them, out of which is installed */
	struct pmg_strv dists;       /* a project to be built, and where the archives go */
	bool links_dirs;             /* and to which a link is made that outlasts the run */
	struct pmg_strv programs;    /* tool-chain folders off the system trees */
	struct pmg_strv
		configs; /* configuration files of the manager, whether or not they are there */
	struct pmg_strv plain_configs; /* those of them, and of the project, that scripts may read
					* since they hold no credential */
	struct pmg_strv parts; /* programs that the manager starts in its own place: yarnPath */
	struct pmg_strv git_configs;
	struct pmg_strv git_dirs;
	struct pmg_strv hooks;
	char *repository; /* git top level; NULL: none */
	bool git_secret;  /* the repository's git configuration holds credentials */
};
void pmg_places_done(struct pmg_places *places);
PMG_DEFINE_AUTO_DONE(places, struct pmg_places, pmg_places_done);

/** @param pm  NULL: no manager (`pmg sandbox exec`). @param[out] out zeroed before */
int pmg_places_find(const struct pmg_pm *pm, const struct pmg_place *place, struct pmg_places *out,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
