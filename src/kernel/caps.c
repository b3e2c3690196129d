#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernel/ns.h"

#define WORD_BITS 32

struct caps {
	uint64_t effective, permitted, inheritable;
};

static uint64_t joined(uint32_t low, uint32_t high)
{
	return (uint64_t)high << WORD_BITS | low;
}

static int get(struct caps *out, struct pmg_err *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &head, data) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "look at capabilities");
	out->effective = joined(data[0].effective, data[1].effective);
	out->permitted = joined(data[0].permitted, data[1].permitted);
	out->inheritable = joined(data[0].inheritable, data[1].inheritable);
	return 0;
}

static int set(const struct caps *caps, struct pmg_err *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	unsigned i;

	for (i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i] = (struct __user_cap_data_struct){
			.effective = (uint32_t)(caps->effective >> i * WORD_BITS),
			.permitted = (uint32_t)(caps->permitted >> i * WORD_BITS),
			.inheritable = (uint32_t)(caps->inheritable >> i * WORD_BITS),
		};
	if (syscall(SYS_capset, &head, data) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "drop capabilities");
	return 0;
}

/* Up to what this kernel knows: a newer one has more than our header names. */
static int drop_bounding(uint64_t keep, struct pmg_err *err)
{
	unsigned long cap;

	for (cap = 0; cap < 64 && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if ((keep & 1ULL << cap) == 0 && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "drop capability %lu for good",
					   cap);
	return 0;
}

static int raise_ambient(uint64_t keep, struct pmg_err *err)
{
	unsigned long cap;

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "drop ambient capabilities");
	for (cap = 0; cap < 64; cap++)
		if ((keep & 1ULL << cap) != 0 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "keep capability %lu", cap);
	return 0;
}

/* The bounding set goes first: it takes CAP_SETPCAP, which may be among what goes. */
int pmg_caps_keep(uint64_t keep, struct pmg_err *err)
{
	struct caps have = { 0 };
	int r = get(&have, err);

	if (r == 0 && (have.effective & 1ULL << CAP_SETPCAP) != 0)
		r = drop_bounding(keep, err);
	have.permitted &= keep;
	have.effective = have.permitted;
	have.inheritable = have.permitted;
	if (r == 0)
		r = set(&have, err);
	return r == 0 ? raise_ambient(have.permitted, err) : r;
}

uint64_t pmg_caps_effective(void)
{
	struct caps have = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	return get(&have, &err) == 0 ? have.effective : 0;
}
