#ifndef PMG_SANDBOX_DRIVER_H
#define PMG_SANDBOX_DRIVER_H
/**
 * A driver is one way to build the walls on one kind of host. Rows in one
 * array, the strongest first; the first whose probe gives all that the policy
 * needs is taken, else nothing runs.
 */
#include <stdbool.h>

#include "base/err.h"
#include "base/strv.h"

#define PMG_CAP_FS     1U /* files by allow-list, calls on behalf */
#define PMG_CAP_NET    2U /* network lockdown */
#define PMG_CAP_REPORT 4U /* refusals are seen */

/* One thing that was looked at, for `pmg sandbox doctor`. */
struct pmg_probe_item {
	const char *id; /* "landlock", "userns", ... static */
	bool works;
	char *detail; /* "ABI 7", "Permission denied; see kernel.apparmor_..." */
};
struct pmg_probe {
	unsigned caps;
	struct pmg_probe_item *items;
	size_t n, cap;
	char *missing; /* why caps is not all, one line; NULL */
	char *hint;    /* what the user can do; NULL */
};
void pmg_probe_done(struct pmg_probe *probe);
PMG_DEFINE_AUTO_DONE(probe, struct pmg_probe, pmg_probe_done);

struct pmg_sandbox_want;

struct pmg_driver {
	const char *name; /* "full" */
	/* What it makes of a policy's word about the way out; asked by sandbox/lockdown.h. */
	bool locks_network; /* network_via_proxy_only: nothing gets out but by pmg-proxy */
	bool opens_network; /* network_via_proxy_only: false, allow_direct_dns: true */
	/** Changes nothing; by trying, not by reading versions. @param[out] out zeroed before */
	int (*probe)(struct pmg_probe *out, struct pmg_err *err);
	/** The keeper's whole life, in the forked child; never returns. @param fd messages */
	__attribute__((noreturn)) void (*keep)(const struct pmg_sandbox_want *want, int fd);
};

extern const struct pmg_driver pmg_driver_full;
/** NULL-terminated, in order of preference. */
const struct pmg_driver *const *pmg_driver_all(void);
/**
 * @param name  only this one ("--driver"); NULL: the first that has all of `caps`
 * @return 0; -PMG_E_UNSUPPORTED with reason and hint; -PMG_E_USAGE: no such driver
 */
int pmg_driver_pick(const char *name, unsigned caps, const struct pmg_driver **out,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
