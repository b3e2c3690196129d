#ifndef PMG_SANDBOX_WALLS_PRIV_H
#define PMG_SANDBOX_WALLS_PRIV_H
/**
 * Parts of the driver `full`, in the order in which the keeper uses them.
 *
 *   driver_full.c  probe; keep: namespaces, network, mounts, then the broker; re-masking
 *   network.c      every address is local; listeners
 *   masks.c        what is hidden, and hiding it again
 *   inodes.c       the denied files by device and inode
 *   rules.c        policy -> the two Landlock domains
 *   filter.c       the seccomp filter: pmg_call_rows() trapped, known calls allowed, rest ENOSYS
 *   broker.c       the broker process: reaper, Landlock, init, serve, report the end
 *   init.c         the tool's process up to its exec
 *   canary.c       proves, from inside, that the walls stand
 */
#include "kernel/landlock.h"
#include "sandbox/broker_priv.h"
#include "sandbox/sandbox.h"
#include "violation/wire.h"

/* --- network.c --- */
/** Make the listeners of PMG_WIRE_WALLS: proxy port on 127.0.0.1; 80, 443 and each port that the
 *  policy allows to connect to, on all addresses, v4 and v6; DNS on 53, UDP and TCP, v4 and v6.
 *  @param[out] fds, kinds  at most PMG_MSG_FDS_MAX less one */
int pmg_walls_listen(const struct pmg_policy *policy, struct pmg_wire_walls *out, int *fds,
		     size_t *n_fds, struct pmg_err *err) PMG_MUST_CHECK;

/* --- masks.c --- */
struct pmg_masks;
void pmg_masks_free(struct pmg_masks *masks);
PMG_DEFINE_AUTO(masks, struct pmg_masks *, pmg_masks_free);
/** Find what is to be hidden (bounded) and hide it. Never below a folder that a manager replaces.
 */
int pmg_masks_make(const struct pmg_policy *policy, struct pmg_masks **out,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** Hide again what lost its mask. Call when mountinfo changed, and now and then. */
int pmg_masks_renew(struct pmg_masks *masks, struct pmg_err *err) PMG_MUST_CHECK;
/** (device, inode) of every denied file found: hard links to them are denied too. */
struct pmg_inodes;
struct pmg_inodes *pmg_masks_inodes(const struct pmg_masks *masks);

/* --- inodes.c --- */
#define PMG_INODES_MAX 262144U /* of one set: 12 MB */
struct pmg_inodes *pmg_inodes_new(void) PMG_MUST_CHECK;
/** Several threads may ask while nobody adds. @return false: the set is full, so what was to be
 *  denied is not in it */
bool pmg_inodes_add(struct pmg_inodes *inodes, dev_t dev, ino_t ino) PMG_MUST_CHECK;
/** @param inodes  NULL: an empty set */
bool pmg_inodes_has(const struct pmg_inodes *inodes, dev_t dev, ino_t ino);
void pmg_inodes_free(struct pmg_inodes *inodes);
PMG_DEFINE_AUTO(inodes, struct pmg_inodes *, pmg_inodes_free);

/* --- rules.c --- */
/** outer: what any brokered call may come to. inner: the same for reading and starting, but writing
 *  only where nothing is denied. */
int pmg_walls_domains(const struct pmg_policy *policy, const struct pmg_sandbox_want *want,
		      int proc, struct pmg_landlock **outer, struct pmg_landlock **inner,
		      struct pmg_err *err) PMG_MUST_CHECK;

/* --- filter.c --- */
int pmg_walls_filter(bool has_memfd_noexec, struct pmg_seccomp_code *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

/* --- broker.c --- */
struct pmg_broker_setup {
	const struct pmg_sandbox_want *want;
	const struct pmg_landlock *outer, *inner; /* made in the keeper: opening needs no rights */
	const struct pmg_seccomp_code *filter;
	struct pmg_inodes *secrets;
	int proc; /* the keeper's /proc */
	int wire; /* shared with the keeper */
	int go;   /* readable when the tool may start; closed when the front is gone */
	bool own_user;
	uint64_t caps; /* that the tool keeps */
};
/** The broker's whole life. @return never */
void pmg_broker_main(const struct pmg_broker_setup *setup) __attribute__((noreturn));

/* --- init.c, canary.c --- */
/** In the forked child: everything up to exec. Errors go up `report` as a struct pmg_err. */
void pmg_init_main(const struct pmg_broker_setup *setup, int sync, int report)
	__attribute__((noreturn));
/** @return 0; -PMG_E_UNSUPPORTED: a wall does not stand, and which */
int pmg_canary(const struct pmg_broker_setup *setup, struct pmg_err *err) PMG_MUST_CHECK;

#endif
