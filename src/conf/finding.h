#ifndef PMG_CONF_FINDING_H
#define PMG_CONF_FINDING_H
/**
 * What the inspection of an artifact can find: the words of config.yml's `inspection`, of the
 * messages between the processes and of the ledger. docs/config.md says of each what it means.
 */
#include <stdint.h>

/* The order is that in which they are told: the graver ones first. */
enum pmg_finding {
	PMG_FINDING_TRAVERSAL,    /* a path that is absolute or climbs by ".." */
	PMG_FINDING_LINK_OUTSIDE, /* a link that leaves the package, or through which others go */
	PMG_FINDING_DEVICE,       /* a device node, FIFO or socket */
	PMG_FINDING_MISMATCH,     /* name or version inside is another than the one asked for */
	PMG_FINDING_AMBIGUOUS,    /* two readers see different contents */
	PMG_FINDING_CONTROL,      /* a control byte in a path */
	PMG_FINDING_DUPLICATE,    /* a path that stands twice */
	PMG_FINDING_CASE,         /* paths that differ only in case */
	PMG_FINDING_SETUID,       /* set-user-ID or set-group-ID bits */
	PMG_FINDING_LINK,         /* a link within the package */
	PMG_FINDING_OUTSIDE,      /* a file beside the folder that packages of its kind have */
	PMG_FINDING_SCRIPTS,      /* lifecycle scripts that run on installation */
	PMG_FINDING_BUILD,        /* code that runs to build it on installation */
	PMG_FINDING_STARTUP,      /* code that runs whenever the language starts (.pth) */
	PMG_FINDING_NATIVE,       /* machine code that is loaded as a library */
	PMG_FINDING_BINARY,       /* machine code that is run as a program */
	PMG_FINDING_UNINSPECTED,  /* not inspected whole: too large, cut, or no archive */
	PMG_FINDING_MAX
};

#define PMG_FINDING_BIT(kind) (UINT32_C(1) << (kind))
#define PMG_FINDING_ALL       (PMG_FINDING_BIT(PMG_FINDING_MAX) - 1)

const char *pmg_finding_name(enum pmg_finding kind); /* "traversal" */
const char *pmg_finding_text(enum pmg_finding kind); /* "a path leaves the package" */
/** @return PMG_FINDING_MAX when it is no name of one */
enum pmg_finding pmg_finding_parse(const char *name);
/** All names in order, NULL-terminated: for "did you mean". */
const char *const *pmg_finding_names(void);
/** Bits of those that no honest package has: they block unless config.yml says otherwise. */
uint32_t pmg_finding_blocking(void);

#endif
