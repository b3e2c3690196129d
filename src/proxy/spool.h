#ifndef PMG_PROXY_SPOOL_H
#define PMG_PROXY_SPOOL_H
/**
 * Where documents wait until all of them has come: in memory as far as that is
 * bounded, for one and for all together; what is beyond goes to one file
 * without a name, opened before the proxy locks itself in.
 */
#include <stdint.h>

#include "base/str.h"

#define PMG_SPOOL_MEMORY_MAX ((size_t)12 << 20)  /* bytes of all documents in memory */
#define PMG_SPOOL_ONE_MAX    ((size_t)8 << 20)   /* of one */
#define PMG_SPOOL_BLOCK      ((size_t)1 << 20)   /* unit of the file */
#define PMG_SPOOL_BLOCKS_MAX 4096U               /* 4 GiB of file */
#define PMG_SPOOL_BODY_MAX   ((uint64_t)1 << 30) /* of one document, wherever it is */

/** A file that nobody else can open, in /var/tmp or /tmp (a folder of memory is the last choice).
 *  @return descriptor, -1: none could be made, then only memory is there */
int pmg_spool_open(void) PMG_MUST_CHECK;

struct pmg_spool;
/** @param fd  taken; -1: none */
struct pmg_spool *pmg_spool_new(int fd) PMG_MUST_CHECK;
void pmg_spool_free(struct pmg_spool *spool); /* after all that was put there */
PMG_DEFINE_AUTO(spool, struct pmg_spool *, pmg_spool_free);

/* A body. Begins as { .spool = ... }. */
struct pmg_spooled {
	struct pmg_spool *spool; /* borrowed */
	struct pmg_str memory;   /* its first part */
	uint32_t *blocks;        /* of the file, for the rest */
	size_t n_blocks, cap_blocks;
	uint64_t len;
};

void pmg_spooled_done(struct pmg_spooled *body); /* gives back what it took; empty again */
PMG_DEFINE_AUTO_DONE(spooled, struct pmg_spooled, pmg_spooled_done);

/** @return 0; -PMG_E_LIMIT: no more room; -PMG_E_SYS. After a failure it is of no use but done() */
int pmg_spooled_add(struct pmg_spooled *body, const char *bytes, size_t len,
		    struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Bytes from a place in it on.
 * @param[out] n  how many were put, at most room; 0 only at its end
 * @return 0 or -PMG_E_SYS
 */
int pmg_spooled_read(const struct pmg_spooled *body, uint64_t at, char *to, size_t room, size_t *n,
		     struct pmg_err *err) PMG_MUST_CHECK;

#endif
