#ifndef PMG_SANDBOX_SANDBOX_H
#define PMG_SANDBOX_SANDBOX_H
/**
 * The front's side of the walls: start the keeper, hear what it says, end it.
 *
 *   front --fork--> keeper: user, mount, network, ipc namespaces; masks; listeners
 *                     '--fork--> broker: starts pid 1, then Landlock; does calls on behalf
 *                                  |--clone--> reaper: pid 1 of the run, mounts its /proc
 *                                  '--fork---> init: rights away, filter, canary, exec of the tool
 *
 * The tool stays in the caller's session and process group and has the caller's standard input,
 * output and error; keeper, broker and reaper have none of these. When the front dies all die.
 * keeper and broker share one end of a SOCK_SEQPACKET pair (violation/wire.h, PMG_WIRE_WALLS and
 * what follows it); the front has the other.
 */
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/strv.h"
#include "policy/policy.h"
#include "sandbox/driver.h"

/* Where the proxy listens inside the run's own network. Ours alone, so that no port is taken. */
#define PMG_SANDBOX_PROXY_PORT 61080U

/* Walls that a test leaves out, to see that the canary or an attack then tells. Nothing else sets
 * them: a product that cannot build a wall does not run. */
#define PMG_WITHOUT_CANARY   1U
#define PMG_WITHOUT_LANDLOCK 2U
#define PMG_WITHOUT_FILTER   4U /* and so without broker */
#define PMG_WITHOUT_MASKS    8U
#define PMG_WITHOUT_NETWORK  16U /* no network namespace of its own */
#define PMG_WITHOUT_CAPS     32U /* capabilities stay */
#define PMG_WITHOUT_PRIVATE  64U /* /tmp and /dev/shm are the host's */
#define PMG_WITHOUT_IPC      128U
#define PMG_WITHOUT_PROXY    256U /* nothing listens at the one way out */

struct pmg_sandbox_want {
	const struct pmg_driver *driver;
	const struct pmg_policy *policy; /* borrowed until pmg_sandbox_done(): keeper and broker
					  * read the copy that fork gives them */
	const char *program;             /* absolute */
	char *const *argv;
	char *const *envp; /* the tool's whole environment */
	const char *cwd;
	const char *tmp;     /* fresh empty folder of the run, 0700: becomes /tmp and /var/tmp */
	const char *run_dir; /* bundle and certificates: readable */
	const char *proxy;   /* pmg-proxy's address as the tool gets it, with the token */
	int proxy_fd; /* broker's end of the socket pair to pmg-proxy (PMG_WIRE_CONNECT); -1: none
		       */
	const sigset_t *mask; /* signal mask of the tool */
	bool debug;
	unsigned without; /* PMG_WITHOUT_*: 0 but in tests */
};

struct pmg_sandbox {
	pid_t keeper; /* 0: none */
	int fd;       /* messages; -1 */
	int tool_fd;  /* pidfd of the tool; -1 before STARTED */
};
#define PMG_SANDBOX_INIT                                                                           \
	{                                                                                          \
		.fd = -1, .tool_fd = -1                                                            \
	}

/** Kills what is left, and waits. Fit for one that was not started. */
void pmg_sandbox_done(struct pmg_sandbox *sandbox);
PMG_DEFINE_AUTO_DONE(sandbox, struct pmg_sandbox, pmg_sandbox_done);

/**
 * Fork the keeper; it sets up at once and answers PMG_WIRE_WALLS with the listeners, or
 * PMG_WIRE_FAILED.
 * @param[out] out  PMG_SANDBOX_INIT before
 * @return 0; -PMG_E_SYS
 */
int pmg_sandbox_start(const struct pmg_sandbox_want *want, struct pmg_sandbox *out,
		      struct pmg_err *err) PMG_MUST_CHECK;
/** pmg-proxy is ready: the tool may be started. PMG_WIRE_STARTED or PMG_WIRE_FAILED follows. */
int pmg_sandbox_go(struct pmg_sandbox *sandbox, struct pmg_err *err) PMG_MUST_CHECK;
/** Send a signal to the tool's first process. @return 0; -PMG_E_NOTFOUND: it has ended */
int pmg_sandbox_signal(const struct pmg_sandbox *sandbox, int sig,
		       struct pmg_err *err) PMG_MUST_CHECK;
/** Ask broker to end everything in the pid namespace and say ENDED. */
int pmg_sandbox_stop(struct pmg_sandbox *sandbox, struct pmg_err *err) PMG_MUST_CHECK;

#endif
