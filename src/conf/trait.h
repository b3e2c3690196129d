#ifndef PMG_CONF_TRAIT_H
#define PMG_CONF_TRAIT_H
/**
 * What the inspection of an artifact can find: the words of config.yml's `inspection`, of the
 * messages between the processes and of the ledger. docs/config.md says of each what it means.
 */
#include <stdint.h>

/* The order is that in which they are told: the graver ones first. */
enum pmg_trait {
	PMG_TRAIT_TRAVERSAL,    /* a path that is absolute or climbs by ".." */
	PMG_TRAIT_LINK_OUTSIDE, /* a link that leaves the package, or through which others go */
	PMG_TRAIT_DEVICE,       /* a device node, FIFO or socket */
	PMG_TRAIT_OVERSIZED,    /* it goes beyond a limit of the inspection */
	PMG_TRAIT_UNREADABLE,   /* cut, damaged, or no archive that is known here */
	PMG_TRAIT_AMBIGUOUS,    /* two readers see different contents */
	PMG_TRAIT_MISMATCH,     /* name or version inside is another than the one asked for */
	PMG_TRAIT_CONTROL,      /* a control byte in a path */
	PMG_TRAIT_DUPLICATE,    /* a path that stands twice */
	PMG_TRAIT_CASE,         /* paths that differ only in case */
	PMG_TRAIT_SETUID,       /* set-user-ID or set-group-ID bits */
	PMG_TRAIT_LINK,         /* a link within the package */
	PMG_TRAIT_OUTSIDE,      /* a file beside the folder that packages of its kind have */
	PMG_TRAIT_NEW_SCRIPTS,  /* what an earlier version that was seen here did not have */
	PMG_TRAIT_NEW_BUILD,
	PMG_TRAIT_NEW_STARTUP,
	PMG_TRAIT_NEW_NATIVE,
	PMG_TRAIT_NEW_BINARY,
	PMG_TRAIT_SCRIPTS,     /* lifecycle scripts that run on installation */
	PMG_TRAIT_BUILD,       /* code that runs to build it on installation */
	PMG_TRAIT_STARTUP,     /* code that runs whenever the language starts (.pth) */
	PMG_TRAIT_NATIVE,      /* machine code that is loaded as a library */
	PMG_TRAIT_BINARY,      /* machine code that is run as a program */
	PMG_TRAIT_UNINSPECTED, /* nothing in it says what it is, or not so that it can be read */
	PMG_TRAIT_MAX
};

#define PMG_TRAIT_BIT(kind) (UINT32_C(1) << (kind))
#define PMG_TRAIT_ALL       (PMG_TRAIT_BIT(PMG_TRAIT_MAX) - 1)

const char *pmg_trait_name(enum pmg_trait kind); /* "traversal" */
const char *pmg_trait_text(enum pmg_trait kind); /* "a path leaves the package" */
const char *pmg_trait_noun(enum pmg_trait kind); /* "paths that leave the package" */
/** @return PMG_TRAIT_MAX when it is no name of one */
enum pmg_trait pmg_trait_parse(const char *name);
/** All names in order, NULL-terminated: for "did you mean". */
const char *const *pmg_trait_names(void);
/** Bits of those that no honest package has: they block unless config.yml says otherwise. */
uint32_t pmg_trait_blocking(void);

#endif
