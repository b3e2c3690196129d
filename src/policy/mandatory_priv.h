#ifndef PMG_POLICY_MANDATORY_PRIV_H
#define PMG_POLICY_MANDATORY_PRIV_H
/** The list (mandatory_list.c) and how it is read (mandatory.c). */

/* Where a name of the list is looked for. */
enum {
	PMG_MANDATORY_HOME = 1,    /* right below the home */
	PMG_MANDATORY_PROJECT = 2, /* in the project at any depth, in the working folder too */
	PMG_MANDATORY_FIXED = 4    /* a whole pattern */
};

/* What is closed. */
enum {
	PMG_MANDATORY_READ = 1,
	PMG_MANDATORY_WRITE = 2,
	PMG_MANDATORY_EXEC = 4,
	PMG_MANDATORY_UNIX = 8,    /* sockets */
	PMG_MANDATORY_CONNECT = 16 /* hosts */
};

/* Flags. */
enum {
	PMG_MANDATORY_SCRIPT = 1,   /* the manager itself may */
	PMG_MANDATORY_QUIET = 2,    /* tools touch it as a matter of course: no sign of an attack */
	PMG_MANDATORY_PACKAGE = 4,  /* holds inside an installed package's own folder as well */
	PMG_MANDATORY_HOOK = 8,     /* no opt-out */
	PMG_MANDATORY_OPEN = 16,    /* no secret in spite of its name */
	PMG_MANDATORY_SECRET = 32,  /* only where git's configuration of the repository holds
				     * credentials */
	PMG_MANDATORY_PLAIN = 64,   /* only where it does not */
	PMG_MANDATORY_EMPTY = 128,  /* yarn and bun, started again by a script, end where they may
				     * not read it */
	PMG_MANDATORY_DOTENV = 256, /* bun itself reads it, whatever it was started for, and ends
				     * as well */
	PMG_MANDATORY_MANAGER = 512 /* of what is open: for the manager alone */
};

struct pmg_mandatory_row {
	unsigned where;
	unsigned what;
	const char *name; /* one that ends in a slash and two stars is a folder with all below it */
	unsigned flags;
};
/** Ends with a row without name. A refusal names a row by its place, from 1. */
extern const struct pmg_mandatory_row pmg_mandatory_rows[];

#endif
