#ifndef PMG_KERNEL_PROCFS_PRIV_H
#define PMG_KERNEL_PROCFS_PRIV_H
/** What the texts of proc(5) say; part of them is chosen by the process that they are about. */
#include "kernel/procfs.h"

/** tgid, ppid and umask of "status". @return false: it is no such text */
bool pmg_procfs_parse_status(const char *text, struct pmg_procfs_stat *out);
/** comm and start of "stat", which is cut up. */
bool pmg_procfs_parse_stat(char *text, struct pmg_procfs_stat *out);

#endif
