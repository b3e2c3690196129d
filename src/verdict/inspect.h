#ifndef PMG_VERDICT_INSPECT_H
#define PMG_VERDICT_INSPECT_H
/**
 * An artifact looked into while it is delivered: its digests, and what its archive holds. Bytes are
 * pushed in from an event loop, which never waits; a thread of its own unpacks them. The thread
 * begins when the buffer is half full or a piece does not fit, or when the artifact has ended: so a
 * small artifact wakes the loop once.
 *
 * Formats: tar, plain or in gzip, bzip2 or xz, and zip (wheels, eggs). What is anything else or is
 * cut is PMG_TRAIT_UNREADABLE, what goes beyond a limit PMG_TRAIT_OVERSIZED: never told as clean.
 *
 * Memory: PMG_INSPECT_BUFFER, two blocks, the paths (limits) and what libarchive needs to unpack.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pm/pm.h"
#include "verdict/traits.h"

#define PMG_INSPECT_BUFFER     ((size_t)256 << 10) /* bytes between the loop and the thread */
#define PMG_INSPECT_WHO_MAX    16U
#define PMG_INSPECT_OTHERS_MAX 64U

/* Bounds of one inspection. What goes beyond one is PMG_TRAIT_OVERSIZED. */
struct pmg_inspect_limits {
	size_t entries;
	size_t paths;      /* bytes of all paths together */
	size_t path;       /* bytes of one path */
	size_t depth;      /* folders in one path */
	size_t document;   /* bytes of package.json, METADATA or PKG-INFO */
	uint64_t unpacked; /* bytes, and `ratio` more for each packed byte, up to `most` */
	uint64_t ratio;
	uint64_t most;
	uint64_t cpu_ms;     /* processor time of the thread, and */
	uint64_t cpu_ms_mib; /* so much more for each MiB packed: slow machines need it */
};
const struct pmg_inspect_limits *pmg_inspect_limits_default(void);

/* A package version that the artifact may be, going by its address. */
struct pmg_inspect_who {
	char *name;
	char *version; /* NULL: any */
};

/* What is inspected, and how far. */
struct pmg_inspect_what {
	enum pmg_eco eco;
	struct pmg_inspect_who who[PMG_INSPECT_WHO_MAX]; /* it has to be one of these */
	size_t n_who;                                    /* 0: nothing is known of it */
	struct pmg_inspect_limits limits;
	bool opens;          /* look into the archive; else only digests are computed */
	bool sha256, sha512; /* which digests to compute */
};
void pmg_inspect_what_done(struct pmg_inspect_what *what);
/** Add a package that it may be; more than PMG_INSPECT_WHO_MAX are left out. */
void pmg_inspect_what_add(struct pmg_inspect_what *what, const char *name, const char *version);

/* What came of it. */
struct pmg_inspected {
	struct pmg_traits findings;
	bool is_whole;                     /* its archive was read to its end */
	bool is_wheel;                     /* it is a wheel (PEP 427) */
	const struct pmg_inspect_who *who; /* which one it says it is; NULL: none of them */
	struct pmg_strv others; /* what it says it is instead: name, version, name, ... */
	unsigned char sha256[32], sha512[64]; /* where they were asked for */
	char *failed; /* why it could not be done at all, so that nothing is known; NULL: it was */
};

/* All inspections of one event loop. */
struct pmg_inspectors;
int pmg_inspectors_new(struct pmg_inspectors **out, struct pmg_err *err) PMG_MUST_CHECK;
/** After all inspections were freed. NULL is fine. */
void pmg_inspectors_free(struct pmg_inspectors *inspectors);
PMG_DEFINE_AUTO(inspectors, struct pmg_inspectors *, pmg_inspectors_free);
/** For the loop to poll: readable when pmg_inspectors_hear() has something to do. */
int pmg_inspectors_fd(const struct pmg_inspectors *inspectors);
/** Call wake() of each inspection that has room again, or is done. */
void pmg_inspectors_hear(struct pmg_inspectors *inspectors);

struct pmg_inspect;
/**
 * @param what  taken over, and left empty
 * @param wake  called by pmg_inspectors_hear() alone
 */
struct pmg_inspect *pmg_inspect_new(struct pmg_inspectors *inspectors,
				    struct pmg_inspect_what *what, void (*wake)(void *ctx),
				    void *ctx) PMG_MUST_CHECK;
/** At any time, also before it is done: its thread ends by itself soon after. NULL is fine. */
void pmg_inspect_free(struct pmg_inspect *inspect);
PMG_DEFINE_AUTO(inspect, struct pmg_inspect *, pmg_inspect_free);

/** Hand over the next bytes, at most PMG_INSPECT_BUFFER at a time. @return false: there is no room
 *  and nothing was taken; wake() says when to try again */
bool pmg_inspect_feed(struct pmg_inspect *inspect, const void *bytes, size_t len) PMG_MUST_CHECK;
/** That was all; wake() says when it is done. */
void pmg_inspect_finish(struct pmg_inspect *inspect);
/** @return what came of it, borrowed, to which the caller may add findings; NULL: not done yet */
struct pmg_inspected *pmg_inspect_result(struct pmg_inspect *inspect);

#endif
