#ifndef PMG_KERNEL_LANDLOCK_H
#define PMG_KERNEL_LANDLOCK_H
/**
 * Landlock: a process takes rights on files and TCP ports from itself and all
 * it starts, for good. An allow-list: what is handled and not granted is
 * refused. What each kernel can handle is a table; a newer kernel than the
 * last row is treated as that row.
 *
 * Source: landlock(7); Documentation/userspace-api/landlock.rst.
 */
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* Groups of LANDLOCK_ACCESS_FS_*; kernel/uapi.h has the single ones. */
#define PMG_LANDLOCK_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define PMG_LANDLOCK_WRITE                                                                         \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                           \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |                           \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |                               \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                             \
	 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER |  \
	 LANDLOCK_ACCESS_FS_TRUNCATE)

/* What one ABI can handle. */
struct pmg_landlock_abi {
	int version;
	const char *kernel; /* that brought it */
	uint64_t fs;        /* LANDLOCK_ACCESS_FS_* */
	uint64_t net;       /* LANDLOCK_ACCESS_NET_* */
	uint64_t scope;     /* LANDLOCK_SCOPE_* */
};

/** Row for a version, the last one when it is newer. version >= 1. Static. */
const struct pmg_landlock_abi *pmg_landlock_abi_row(int version);
/**
 * The running kernel's row.
 * @param[out] out  static
 * @return 0; -PMG_E_UNSUPPORTED with a hint: not built in, switched off at boot, or one of its
 * calls is kept back by a filter
 */
int pmg_landlock_probe(const struct pmg_landlock_abi **out, struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_landlock; /* a ruleset being filled */
void pmg_landlock_free(struct pmg_landlock *ruleset);
PMG_DEFINE_AUTO(landlock, struct pmg_landlock *, pmg_landlock_free);

/**
 * @param want  rights to take away unless granted; those the kernel does not know are left out
 *              (pmg_landlock_handled() tells what is left). version and kernel do not matter.
 * @return 0; -PMG_E_UNSUPPORTED; -PMG_E_SYS
 */
int pmg_landlock_new(const struct pmg_landlock_abi *want, struct pmg_landlock **out,
		     struct pmg_err *err) PMG_MUST_CHECK;
/** What is really taken away. Borrowed; version is the kernel's, clamped. */
const struct pmg_landlock_abi *pmg_landlock_handled(const struct pmg_landlock *ruleset);
/**
 * Grant rights on a file, or on a folder and all below it. Links are followed now: what the path
 * leads to later does not count.
 * @param rights  LANDLOCK_ACCESS_FS_*; of those, only what is handled and what a file can have is
 *                asked for
 * @return 0; -PMG_E_NOTFOUND: no such path; -PMG_E_SYS
 */
int pmg_landlock_allow_path(struct pmg_landlock *ruleset, const char *path, uint64_t rights,
			    struct pmg_err *err) PMG_MUST_CHECK;
/** The same for what an open descriptor (O_PATH is enough) refers to; `name` is for messages. */
int pmg_landlock_allow_fd(struct pmg_landlock *ruleset, int fd, const char *name, uint64_t rights,
			  struct pmg_err *err) PMG_MUST_CHECK;
/** @param rights  LANDLOCK_ACCESS_NET_*. @return 0 (also when none is handled) or -PMG_E_SYS */
int pmg_landlock_allow_port(struct pmg_landlock *ruleset, uint16_t port, uint64_t rights,
			    struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Enforce on the calling thread and what it starts from now on; other threads stay free. The
 * caller has set PR_SET_NO_NEW_PRIVS.
 * @return 0; -PMG_E_UNSUPPORTED with a hint: a filter forbids it; -PMG_E_SYS (E2BIG: there are 16
 *         layers already)
 */
int pmg_landlock_restrict(const struct pmg_landlock *ruleset, struct pmg_err *err) PMG_MUST_CHECK;

#endif
