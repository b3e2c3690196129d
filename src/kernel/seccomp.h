#ifndef PMG_KERNEL_SECCOMP_H
#define PMG_KERNEL_SECCOMP_H
/**
 * Seccomp filters as tables; libseccomp knows the numbers. Calls of a foreign architecture
 * (i386 and x32 on x86_64) kill the process, or are notified, before any row
 * is looked at: a table of numbers means other calls there.
 *
 * Source: seccomp(2); linux/filter.h.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_SECCOMP_CONDS 3

enum pmg_seccomp_do {
	PMG_SECCOMP_ALLOW,
	PMG_SECCOMP_ERRNO, /* fails with errnum */
	PMG_SECCOMP_KILL,  /* ends the process with SIGSYS */
	PMG_SECCOMP_NOTIFY /* waits for what the holder of the listener says (kernel/notify.h) */
};

/* On one argument, as a number: what a pointer points to cannot be seen. */
struct pmg_seccomp_cond {
	enum {
		PMG_SECCOMP_NONE,
		PMG_SECCOMP_IS,     /* (argument & mask) == value; mask 0 stands for all bits */
		PMG_SECCOMP_IS_NOT, /* (argument & mask) != value */
		PMG_SECCOMP_IS_SELF /* argument == our process id */
	} kind;
	unsigned int arg; /* 0 is the first */
	uint64_t mask;
	uint64_t value;
};

struct pmg_seccomp_rule {
	const char *call; /* as in syscalls(2) */
	enum pmg_seccomp_do action;
	int errnum; /* of PMG_SECCOMP_ERRNO */
	/* All must hold. Of several rows of a call the first that is met counts, so the one without
	 * conditions comes last. */
	struct pmg_seccomp_cond cond[PMG_SECCOMP_CONDS];
};

struct pmg_seccomp_table {
	const struct pmg_seccomp_rule *rules;
	size_t n;
};

struct pmg_seccomp_program {
	enum pmg_seccomp_do otherwise; /* what no row meets */
	int errnum;
	enum pmg_seccomp_do foreign; /* calls of another architecture: KILL, or NOTIFY; 0 is KILL */
	const struct pmg_seccomp_table *tables; /* one after the other, as if they were one */
	size_t n;
};

/**
 * Put the filter on all threads of this process, for good; sets PR_SET_NO_NEW_PRIVS.
 * A call that libseccomp does not know and a row would allow is left out, which refuses it.
 * @return 0; -PMG_E_UNSUPPORTED with a hint: the kernel has no seccomp filter, or a row refuses a
 *         call that libseccomp does not know; -PMG_E_INTERNAL: the table is wrong: a row that can
 *         never be met
 */
int pmg_seccomp_load(const struct pmg_seccomp_program *program, struct pmg_err *err) PMG_MUST_CHECK;

/** Number of a call on this architecture; -1: there is none, or libseccomp does not know it. */
int pmg_seccomp_number(const char *call);
/** AUDIT_ARCH_* that calls of this program bear. */
uint32_t pmg_seccomp_arch(void);

/* A compiled filter, to be made before a fork and loaded after it. */
struct pmg_seccomp_code {
	void *code; /* struct sock_filter[n] */
	size_t n;
};
void pmg_seccomp_code_done(struct pmg_seccomp_code *code);
PMG_DEFINE_AUTO_DONE(seccomp_code, struct pmg_seccomp_code, pmg_seccomp_code_done);
/** PMG_SECCOMP_IS_SELF means the process that compiles.
 *  @param[out] out  zeroed before. @return as pmg_seccomp_load() */
int pmg_seccomp_compile(const struct pmg_seccomp_program *program, struct pmg_seccomp_code *out,
			struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Put compiled code on the calling thread, with a listener, WAIT_KILLABLE_RECV and SSB left alone.
 * no_new_privs is set. Async-signal-safe but for err.
 * @param[out] listener  close-on-exec; NULL: none is wanted
 * @return 0; -PMG_E_UNSUPPORTED with a hint: no such filter here, or (EBUSY) an outer one has a
 *         listener already
 */
int pmg_seccomp_enter(const struct pmg_seccomp_code *code, int *listener,
		      struct pmg_err *err) PMG_MUST_CHECK;

#endif
