#ifndef PMG_SANDBOX_RESOLVE_PRIV_H
#define PMG_SANDBOX_RESOLVE_PRIV_H
/** What resolve.c and walk.c share. */
#include "sandbox/broker_priv.h"

#define PMG_RESOLVE_LINKS_MAX 40U /* as the kernel has it */

/** openat2(2) with O_PATH and close-on-exec. @return fd or -errno */
int pmg_open_path(int base, const char *path, int flags, uint64_t resolve) PMG_MUST_CHECK;
/** out->parent is set: name and path of what lies, or will lie, in it. @return 0 or -errno */
int pmg_object_place(struct pmg_request *request, const char *name, size_t len, bool slash,
		     struct pmg_object *out) PMG_MUST_CHECK;

#endif
