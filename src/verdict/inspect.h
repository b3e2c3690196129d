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

/* Bounds of one inspection. */
struct pmg_inspect_limits {
	size_t entries;
	size_t paths;      /* bytes of all of them */
	size_t path;       /* bytes of one */
	size_t depth;      /* folders in one */
	size_t document;   /* bytes of package.json, METADATA, PKG-INFO */
	uint64_t unpacked; /* bytes, and `ratio` more for each packed one, up to `most` */
	uint64_t ratio;
	uint64_t most;
	uint64_t cpu_ms;     /* of the thread, and */
	uint64_t cpu_ms_mib; /* more for each MiB packed: what is large takes long on slow machines
			      */
};
const struct pmg_inspect_limits *pmg_inspect_limits_default(void);

/* A package that the artifact may be. */
struct pmg_inspect_who {
	char *name;
	char *version; /* NULL: any */
};

/* What is inspected, and how far. */
struct pmg_inspect_what {
	enum pmg_eco eco;
	struct pmg_inspect_who who[PMG_INSPECT_WHO_MAX]; /* one of them it has to be */
	size_t n_who;                                    /* 0: nobody knows which */
	struct pmg_inspect_limits limits;
	bool opens;          /* look into the archive; else only digests */
	bool sha256, sha512; /* which digests */
};
void pmg_inspect_what_done(struct pmg_inspect_what *what);
/** Adds one; beyond PMG_INSPECT_WHO_MAX nothing. */
void pmg_inspect_what_add(struct pmg_inspect_what *what, const char *name, const char *version);

/* What came of it. */
struct pmg_inspected {
	struct pmg_traits findings;
	bool is_whole;                        /* its archive was read to its end */
	bool is_wheel;                        /* and is one */
	const struct pmg_inspect_who *who;    /* that it says to be; NULL: none of them */
	struct pmg_strv others;               /* name, version, ... of what it says to be instead */
	unsigned char sha256[32], sha512[64]; /* where they were asked for */
	char *failed;                         /* why there are no digests: nothing is known; NULL */
};

/* All inspections of one loop. */
struct pmg_inspectors;
int pmg_inspectors_new(struct pmg_inspectors **out, struct pmg_err *err) PMG_MUST_CHECK;
/** After all inspections were freed. NULL is fine. */
void pmg_inspectors_free(struct pmg_inspectors *inspectors);
PMG_DEFINE_AUTO(inspectors, struct pmg_inspectors *, pmg_inspectors_free);
/** Readable when there is something to hear. */
int pmg_inspectors_fd(const struct pmg_inspectors *inspectors);
/** Calls wake() of those that have room again, or are done. */
void pmg_inspectors_hear(struct pmg_inspectors *inspectors);

struct pmg_inspect;
/**
 * @param what  taken over: what it held is gone
 * @param wake  called by pmg_inspectors_hear() alone
 */
struct pmg_inspect *pmg_inspect_new(struct pmg_inspectors *inspectors,
				    struct pmg_inspect_what *what, void (*wake)(void *ctx),
				    void *ctx) PMG_MUST_CHECK;
/** At any time; what its thread is at ends soon after. NULL is fine. */
void pmg_inspect_free(struct pmg_inspect *inspect);
PMG_DEFINE_AUTO(inspect, struct pmg_inspect *, pmg_inspect_free);

/** The next bytes, at most PMG_INSPECT_BUFFER. @return false: not taken, as there is no room:
 * wake() will tell */
bool pmg_inspect_feed(struct pmg_inspect *inspect, const void *bytes, size_t len) PMG_MUST_CHECK;
/** That was all: wake() will tell when it is done. */
void pmg_inspect_finish(struct pmg_inspect *inspect);
/** NULL: not done yet. Borrowed; the caller may add findings. */
struct pmg_inspected *pmg_inspect_result(struct pmg_inspect *inspect);

#endif
