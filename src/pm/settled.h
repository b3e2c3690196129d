#ifndef PMG_PM_SETTLED_H
#define PMG_PM_SETTLED_H
/**
 * Where a run finds what its project has settled on, before it begins and when it is over; and
 * which command lines may be what takes a package out again.
 */
#include "pm/resolved.h"

/* Files and folders that may be there or not. */
struct pmg_settled {
	struct pmg_strv pins;  /* lockfiles */
	struct pmg_strv named; /* requirements files, by whatever name */
	struct pmg_strv lists; /* files in which a manager keeps what it has installed */
	struct pmg_strv trees; /* folders of node's packages; looked through where no list tells */
	struct pmg_strv bases; /* of Python, in which folders of *.dist-info are looked for */
	struct pmg_strv dists; /* such folders */
	struct pmg_strv asked; /* requirements, as pm/places.h has them */
	bool blind;            /* what lies in `dists` is installed again all the same */
	struct pmg_strv envs;  /* patterns of environments of the project, script or tool */
	/* Patterns of environments in which others lie, too: what is new in them counts. */
	struct pmg_strv beside;
	struct pmg_strv stamps; /* of what lay there before; pm/environments.h */
};
void pmg_settled_done(struct pmg_settled *settled);
PMG_DEFINE_AUTO_DONE(settled, struct pmg_settled, pmg_settled_done);

struct pmg_places;
/**
 * @param argv      the tool's; one that only asks (npm view) has nothing settled, one that works
 * for the whole host and not for a project ("-g") what lies in its prefix
 * @param[out] out  zeroed before; what comes to lie beside the project from now on is new
 */
void pmg_settled_find(const struct pmg_pm *pm, const char *cwd, const struct pmg_places *places,
		      char *const *argv, struct pmg_settled *out);

/** Read what is pinned. @return 0; -PMG_E_LIMIT */
int pmg_settled_pins(const struct pmg_settled *settled, struct pmg_resolved *out,
		     struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Read what is installed: what lies in its folders (`there`), by the names that those have and
 * those that it gives itself, each with what lists and lockfiles say of where it is from; and what
 * only lists tell of.
 * @param pins  sorted
 * @param all   look through folders of which a list tells, too: some 30 us a package
 * @param[out] out  zeroed before
 * @return 0; -PMG_E_LIMIT
 */
int pmg_settled_tree(const struct pmg_settled *settled, const struct pmg_resolved *pins, bool all,
		     struct pmg_resolved *out, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * What tells whether any of it has changed since: equal texts, nothing has. A file that was put in
 * place of another, or written to, has another one, whatever its times say (ctime). Caller frees.
 * @param[out] stamps  those of packages in folders of node's are added
 */
char *pmg_settled_stamp(const struct pmg_settled *settled,
			struct pmg_stamps *stamps) PMG_MUST_CHECK;

/** Does this command line only ask about packages (npm outdated)? */
bool pmg_settled_asks(const struct pmg_pm *pm, char *const *argv);

/** Is it a command line that runs the project's code, and may install before what is pinned, as
 *  `uv run` does? So may one that cannot be read for sure. */
bool pmg_settled_lands(const struct pmg_pm *pm, char *const *argv);

/** Does it install once more what lies there already (npm ci, pip --force-reinstall)? */
bool pmg_settled_anew(const struct pmg_pm *pm, char *const *argv);

/**
 * May this command line go on though these packages are refused? It may when its verb removes or
 * updates, or when it asks for another version of each: else nothing could ever mend a project.
 * @param names  of the packages that are refused
 */
bool pmg_settled_mends(const struct pmg_pm *pm, char *const *argv, const struct pmg_strv *names);

#endif
