#ifndef PMG_KERNEL_CONFINE_H
#define PMG_KERNEL_CONFINE_H
/**
 * A process locks itself in, for good: no new privileges, no capabilities, not
 * dumpable, no core, Landlock on files (and, where the ABI has them, TCP bind
 * and scopes), a seccomp allow-list. For pmg's own helpers; the walls of a
 * guarded run are built from the same parts (landlock.h, seccomp.h).
 *
 * What stays possible, without write_folders: descriptors that are open already (Landlock judges
 * the opening), memory, threads, epoll, time, TCP and UDP over IPv4 and IPv6 where `network` is
 * set, name resolution, SQLite reading. What is gone: writing, making or removing any file,
 * starting programs, processes, AF_UNIX sockets (but socketpair), raw sockets, and every call that
 * is not listed. A call that only an attack would make (execve, ptrace, process_vm_*) ends the
 * process.
 */
#include <stdbool.h>

#include "base/strv.h"

struct pmg_confine {
	/* Files or folders that may be read; what is missing is skipped. */
	struct pmg_strv read_files;
	/* Folders in which, and below which, files may be made, written, renamed, linked and
	 * removed, and read. A missing one is an error. */
	struct pmg_strv write_folders;
	/* Listen for TCP; connect stays open, ports of registries are not known. A socket that was
	 * handed in listening needs no such right. */
	bool may_bind;
	bool network; /* sockets at all */
};

/**
 * Add what name resolution reads: resolv.conf, hosts, nsswitch.conf and so on, the folders where
 * systemd-resolved and others keep the former, and the system's library folders (NSS modules are
 * loaded when first needed). A resolv.conf that is replaced in /etc during the run is not readable
 * afterwards. Roots and OpenSSL's own files are read before confining.
 */
void pmg_confine_resolver_paths(struct pmg_strv *list);

/**
 * Before the first thread and after all files that are to be written are open. Threads started
 * later are confined too.
 * @return 0; -PMG_E_UNSUPPORTED with a hint: the kernel has no Landlock or no seccomp filter;
 *         -PMG_E_INTERNAL: there is more than one thread; -PMG_E_SYS. On failure the process may
 *         be confined in part and nothing may run: the caller ends.
 */
int pmg_confine_self(const struct pmg_confine *what, struct pmg_err *err) PMG_MUST_CHECK;

#endif
