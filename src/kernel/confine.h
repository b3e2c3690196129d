#ifndef PMG_KERNEL_CONFINE_H
#define PMG_KERNEL_CONFINE_H
/**
 * A process locks itself in, for good: no new privileges, not dumpable, no
 * core, Landlock on files (and, where the ABI has them, TCP bind and scopes),
 * a seccomp allow-list. For pmg's own helpers; the walls of a guarded run are
 * built from the same parts (landlock.h, seccomp.h).
 */
#include <stdbool.h>

#include "base/strv.h"

struct pmg_confine {
	struct pmg_strv
		read_files; /* files or folders that may be read; what is missing is skipped */
	bool may_bind;      /* TCP bind; connect stays open, ports of registries are not known */
	bool network;       /* sockets at all */
};

/**
 * @return 0; -PMG_E_UNSUPPORTED with a hint: the kernel has no Landlock or no seccomp filter. Then
 *         nothing may run: the caller ends.
 */
int pmg_confine_self(const struct pmg_confine *what, struct pmg_err *err) PMG_MUST_CHECK;

#endif
