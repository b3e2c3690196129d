#ifndef PMG_SANDBOX_INSIDE_H
#define PMG_SANDBOX_INSIDE_H
/** Is this process within the walls of a run already? */
#include <stdbool.h>

/**
 * Tried, not read from anywhere: the kernel lets a process have one listener for its seccomp
 * notifications, so a second one is refused (EBUSY) to whoever is within the walls of a run. A
 * container whose runtime holds a listener looks alike; so the caller has a second sign.
 */
bool pmg_sandbox_is_inside(void);

#endif
