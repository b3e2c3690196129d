#ifndef PMG_SANDBOX_WALLS_PRIV_H
#define PMG_SANDBOX_WALLS_PRIV_H
/**
 * Parts of the driver `full`, in the order in which they are used.
 *
 *   driver_full.c  the row: probe by trying, keep
 *   keeper.c       the keeper's life: namespaces, mounts, network, then the broker; re-masking
 *   private.c      /tmp, /var/tmp and /dev/shm of the run's own
 *   network.c      every address is local; listeners
 *   masks.c        what is hidden, and hiding it again
 *   inodes.c       the denied files by device and inode
 *   rules.c        policy -> the two Landlock domains
 *   filter.c       the seccomp filter: pmg_call_rows() trapped, known calls allowed, rest ENOSYS
 *   broker.c       the broker process: reaper, Landlock, init, serve, report the end
 *   reaper.c       pid 1 of the run
 *   init.c         the tool's process up to its exec
 *   canary.c       proves, from inside, that the walls stand
 *   end.c          what the processes of the walls have in common
 */
#include "kernel/landlock.h"
#include "sandbox/broker_priv.h"
#include "sandbox/sandbox.h"
#include "violation/wire.h"

/* end.c */
/** Die when the caller's parent does. A change of credentials undoes it: call again after one.
 *  @return 0; -PMG_E_SYS; -PMG_E_PEER: the parent is gone already */
int pmg_walls_die_with(pid_t parent, struct pmg_err *err) PMG_MUST_CHECK;
/** Session of its own, standard streams to /dev/null (standard error stays with `debug`), not
 *  dumpable: what runs beside the tool must not be reached from its terminal. */
int pmg_walls_detach(bool debug, struct pmg_err *err) PMG_MUST_CHECK;
/** Close all descriptors above 2 but these. @param keep  in any order; negative ones are skipped */
void pmg_walls_close_but(const int *keep, size_t n);
/** Nothing more is said on the wire: wait until the front has closed it, which it does at once. */
void pmg_walls_hang_up(int wire);
/** Say FAILED on the wire, and hang up. */
void pmg_walls_failed(int wire, const struct pmg_err *err);
/** With --debug: how far the walls are, and when. */
void pmg_walls_stage(const struct pmg_sandbox_want *want, const char *what);

/* keeper.c */
/** The keeper's whole life, in the forked child. */
void pmg_keeper_main(const struct pmg_sandbox_want *want, int wire) __attribute__((noreturn));
/* keeper_calls.c */
/** Once the broker runs: only hiding again is left to do. As root the right to mount is the host's,
 *  so calls are taken away that it would open. */
int pmg_keeper_confine(struct pmg_err *err) PMG_MUST_CHECK;

/* private.c */
/** Put the run's own folder over /tmp, /var/tmp and TMPDIR, and bind back what the policy names
 *  below them; the run's folder read-only; an empty tmpfs over /dev/shm.
 *  @param subtrees    of want->policy
 *  @param[out] mixed  something was bound back: what may be written in /tmp is not all below it
 *  @param notes       for the user, added to */
int pmg_walls_private(const struct pmg_sandbox_want *want, const struct pmg_subtrees *subtrees,
		      bool *mixed, struct pmg_strv *notes, struct pmg_err *err) PMG_MUST_CHECK;

/* network.c */
/** Make the listeners of PMG_WIRE_WALLS: proxy port on 127.0.0.1; 80, 443 and each port that the
 *  policy allows to connect to, on all addresses, v4 and v6; DNS on 53, UDP and TCP, v4 and v6.
 *  @param[out] out  kinds, in the order of fds
 *  @param[out] fds  room for PMG_MSG_FDS_MAX less one */
int pmg_walls_listen(const struct pmg_policy *policy, struct pmg_wire_walls *out, int *fds,
		     size_t *n_fds, struct pmg_err *err) PMG_MUST_CHECK;

/* masks.c */
struct pmg_masks;
void pmg_masks_free(struct pmg_masks *masks);
PMG_DEFINE_AUTO(masks, struct pmg_masks *, pmg_masks_free);
/** Find what is to be hidden (bounded) and hide it. Never below a folder that a manager replaces.
 *  @param notes  for the user, added to */
int pmg_masks_make(const struct pmg_policy *policy, struct pmg_masks **out, struct pmg_strv *notes,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** Hide one more file. */
int pmg_masks_hide(struct pmg_masks *masks, const char *path, struct pmg_err *err) PMG_MUST_CHECK;
/** Hide again what lost its mask. Call when mountinfo changed, and now and then.
 *  @return 0; 1: something is being replaced at this moment, call again soon; -PMG_E_SYS */
int pmg_masks_renew(struct pmg_masks *masks, struct pmg_err *err) PMG_MUST_CHECK;
/** (device, inode) of every denied file found: hard links to them are denied too. Borrowed. */
struct pmg_inodes;
struct pmg_inodes *pmg_masks_inodes(const struct pmg_masks *masks);
/** The same of files that only scripts may not read, where a rule names the one path. Borrowed. */
struct pmg_inodes *pmg_masks_script_inodes(const struct pmg_masks *masks);
/** Of the empty folder that lies over those that are hidden. */
dev_t pmg_masks_dev(const struct pmg_masks *masks);

/* inodes.c */
#define PMG_INODES_MAX 262144U /* of one set: 12 MB */
struct pmg_inodes *pmg_inodes_new(void) PMG_MUST_CHECK;
/** Several threads may ask while nobody adds. @return false: the set is full, so what was to be
 *  denied is not in it */
bool pmg_inodes_add(struct pmg_inodes *inodes, dev_t dev, ino_t ino) PMG_MUST_CHECK;
/** @param inodes  NULL: an empty set */
bool pmg_inodes_has(const struct pmg_inodes *inodes, dev_t dev, ino_t ino);
void pmg_inodes_free(struct pmg_inodes *inodes);
PMG_DEFINE_AUTO(inodes, struct pmg_inodes *, pmg_inodes_free);

/* rules.c */
/** Which layer is missing on an older kernel, and what holds in its place: PMG2005.
 *  @param notes  added to */
void pmg_walls_degraded(const struct pmg_landlock_abi *held, struct pmg_strv *notes);
/** outer: what any brokered call may come to. inner: the same for reading and starting, but writing
 *  only where nothing is denied. The run's own /proc is added by the broker.
 *  @param subtrees  of want->policy
 *  @param mixed     of pmg_walls_private()
 *  @param proc      of the host: the broker reads there */
int pmg_walls_domains(const struct pmg_sandbox_want *want, const struct pmg_subtrees *subtrees,
		      bool mixed, int proc, struct pmg_landlock **outer,
		      struct pmg_landlock **inner, struct pmg_err *err) PMG_MUST_CHECK;

/* filter.c */
int pmg_walls_filter(bool has_memfd_noexec, struct pmg_seccomp_code *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

/* broker.c */
/* Namespaces whose numbers tell that the run has its own; a user namespace only with own_user. */
enum pmg_walls_ns {
	PMG_WALLS_MNT,
	PMG_WALLS_NET,
	PMG_WALLS_IPC,
	PMG_WALLS_PID,
	PMG_WALLS_USER,
	PMG_WALLS_NS_MAX
};
struct pmg_broker_setup {
	const struct pmg_sandbox_want *want;
	struct pmg_landlock *outer, *inner; /* made in the keeper: opening needs no rights */
	const struct pmg_seccomp_code *filter;
	struct pmg_inodes *secrets, *script_secrets;
	dev_t hidden_dev;
	int proc; /* the keeper's /proc */
	int wire; /* shared with the keeper */
	bool own_user;
	bool has_memfd_noexec;
	uint64_t caps;                   /* that the tool keeps */
	ino_t host[PMG_WALLS_NS_MAX];    /* namespaces of the host */
	const struct pmg_canary *canary; /* NULL: left out */
	pid_t keeper;
};
/** The broker's whole life. */
void pmg_broker_main(const struct pmg_broker_setup *setup) __attribute__((noreturn));

/* reaper.c */
#define PMG_REAPER_TERM_MS 500 /* from SIGTERM to SIGKILL for what outlives the tool */
#define PMG_REAPER_END     'e' /* on its leash: end what is left, then yourself */
struct pmg_reaper {
	pid_t pid;
	int pidfd;
	int leash; /* closed: everything in the run is killed */
	int ns;    /* its pid namespace */
};
#define PMG_REAPER_INIT                                                                            \
	{                                                                                          \
		.pidfd = -1, .leash = -1, .ns = -1                                                 \
	}
/** Clone it and wait until the run's /proc stands. @param[out] out  PMG_REAPER_INIT before */
int pmg_reaper_start(const struct pmg_broker_setup *setup, struct pmg_reaper *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

/* init.c, canary.c */
/* What init says on the link to the broker; each is answered by one byte. When its exec succeeds
 * the link closes. */
struct pmg_init_says {
	enum { PMG_INIT_LISTENER, PMG_INIT_PROVED, PMG_INIT_FAILED } kind;
	int listener; /* number of the descriptor, there */
	struct pmg_err err;
};
/** In the forked child: everything up to exec. */
void pmg_init_main(const struct pmg_broker_setup *setup, int link) __attribute__((noreturn));
/* What the canary must not come by. */
struct pmg_canary {
	char *secret;  /* a hidden file in the run's folder */
	char *written; /* a file in HOME that must not come to be; NULL: the policy allows it */
	uint8_t content[32];
	int listener;     /* in the run's network */
	uint16_t port;    /* network order, as the next */
	uint32_t address; /* at which it must not be reached; 0: the policy allows it everywhere */
	bool root_closed; /* the policy does not let "/" be listed */
};
#define PMG_CANARY_INIT                                                                            \
	{                                                                                          \
		.listener = -1                                                                     \
	}
void pmg_canary_done(struct pmg_canary *canary);
/** Make it, in the keeper; the secret is still to be hidden. @param[out] out  PMG_CANARY_INIT
 * before
 */
int pmg_canary_prepare(const struct pmg_sandbox_want *want, const struct pmg_subtrees *subtrees,
		       struct pmg_canary *out, struct pmg_err *err) PMG_MUST_CHECK;
/** Before the filter: what Landlock, masks and namespaces hold without the broker's help.
 *  @return 0; -PMG_E_UNSUPPORTED: a wall does not stand, and which */
int pmg_canary_bare(const struct pmg_broker_setup *setup, struct pmg_err *err) PMG_MUST_CHECK;
/** With filter and broker. @return as pmg_canary_bare() */
int pmg_canary_guarded(const struct pmg_broker_setup *setup, struct pmg_err *err) PMG_MUST_CHECK;

#endif
