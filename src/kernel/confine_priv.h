#ifndef PMG_KERNEL_CONFINE_PRIV_H
#define PMG_KERNEL_CONFINE_PRIV_H
/** The system calls of a confined process, as tables. */
#include "kernel/seccomp.h"

extern const struct pmg_seccomp_table pmg_confine_always;  /* every confined process */
extern const struct pmg_seccomp_table pmg_confine_writing; /* in which folders is Landlock's part */
extern const struct pmg_seccomp_table pmg_confine_network;
extern const struct pmg_seccomp_table pmg_confine_listen;
extern const struct pmg_seccomp_table pmg_confine_sanitizer; /* empty in an ordinary build */

/* What the sanitizers read at the end of a process; NULL-terminated. */
extern const char *const pmg_confine_sanitizer_paths[];
/* PR_SET_DUMPABLE: 0; 1 under sanitizers, which trace their own process to find leaks. */
extern const int pmg_confine_dumpable;

#endif
