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

/* hidden.c */
/**
 * Nothing is found in a folder, or it may not be entered: refused, if that is because the folder is
 * hidden and the policy refuses what was asked.
 * @param rest  the way from there, as far as it was not gone
 * @return 0: it is not hidden, or nothing refuses it; -EACCES, recorded
 */
int pmg_hidden_judge(struct pmg_request *request, int folder, const char *rest) PMG_MUST_CHECK;
/** The same where the kernel went the way, on which there was no link, and found nothing. */
int pmg_hidden_above(struct pmg_request *request, int base, const char *path,
		     uint64_t resolve) PMG_MUST_CHECK;

#endif
