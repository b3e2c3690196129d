/*
 * Calls that nobody in a run has a use for and that could lead out of it: refused whatever they
 * ask, and listed. The answer is the errno that programs expect where a kernel lacks the call, so
 * that they fall back.
 */
#include <errno.h>
#include <linux/audit.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include <sys/socket.h>

#include "base/str.h"
#include "sandbox/broker_priv.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262 /* 5.6 */
#endif
#define SOCKET_TYPE 0xfU /* SOCK_TYPE_MASK: the rest are flags */

struct word {
	uint64_t value;
	const char *text;
};

#define WORD(name)                                                                                 \
	{                                                                                          \
		name, #name                                                                        \
	}

static const struct word clone_flags[] = {
	WORD(CLONE_NEWNS),     WORD(CLONE_NEWUTS),        WORD(CLONE_NEWIPC),
	WORD(CLONE_NEWUSER),   WORD(CLONE_NEWPID),        WORD(CLONE_NEWNET),
	WORD(CLONE_NEWCGROUP), { 0x80, "CLONE_NEWTIME" }, WORD(CLONE_PARENT),
};

/* By kind and number, as the filter has them; a size stands above. */
static const struct word ioctls[] = {
	WORD(TIOCSTI),
	{ 0x541c, "TIOCLINUX" },
	{ 0x541d, "TIOCCONS" },
	{ 0x5423, "TIOCSETD" },
	{ 0x5820, "FS_IOC_FSSETXATTR" },
	{ 0x6602, "FS_IOC_SETFLAGS" },
	{ 0x6604, "EXT4_IOC_SETVERSION" },
	{ 0x6613, "FS_IOC_SET_ENCRYPTION_POLICY" },
	{ 0x6685, "FS_IOC_ENABLE_VERITY" },
	{ 0x7211, "FAT_IOCTL_SET_ATTRIBUTES" },
	{ 0x7602, "FS_IOC_SETVERSION" },
};

static const struct word families[] = {
	WORD(AF_UNIX),   WORD(AF_INET), WORD(AF_INET6),     WORD(AF_NETLINK),
	WORD(AF_PACKET), WORD(AF_ALG),  { 40, "AF_VSOCK" }, { 44, "AF_XDP" },
};

static const struct word types[] = {
	WORD(SOCK_STREAM), WORD(SOCK_DGRAM), WORD(SOCK_RAW), WORD(SOCK_SEQPACKET), WORD(SOCK_RDM),
};

static const struct word protocols[] = {
	WORD(IPPROTO_ICMP),    WORD(IPPROTO_SCTP), WORD(IPPROTO_MPTCP),
	WORD(IPPROTO_UDPLITE), WORD(IPPROTO_DCCP),
};

/* The name, or the number as text in `spare`. */
static const char *word_of(const struct word *words, size_t n, uint64_t value, char spare[24])
{
	size_t i;

	for (i = 0; i < n; i++)
		if (words[i].value == value)
			return words[i].text;
	(void)snprintf(spare, 24, "%llu", (unsigned long long)value);
	return spare;
}
#define WORD_OF(words, value, spare) word_of(words, PMG_ARRAY_LEN(words), value, spare)

static void say_flags(struct pmg_str *out, const struct pmg_notify *call, unsigned arg)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(clone_flags); i++)
		if (call->args[arg] & clone_flags[i].value)
			(void)!pmg_str_addf(out, " %s", clone_flags[i].text);
}

static void say_first(struct pmg_str *out, const struct pmg_notify *call)
{
	say_flags(out, call, 0);
}

static void say_second(struct pmg_str *out, const struct pmg_notify *call)
{
	say_flags(out, call, 1);
}

static void say_ioctl(struct pmg_str *out, const struct pmg_notify *call)
{
	char spare[24];

	(void)!pmg_str_addf(out, " %s", WORD_OF(ioctls, call->args[1] & 0xffff, spare));
}

static void say_socket(struct pmg_str *out, const struct pmg_notify *call)
{
	char family[24], type[24], protocol[24];

	(void)!pmg_str_addf(out, " %s %s", WORD_OF(families, (uint32_t)call->args[0], family),
			    WORD_OF(types, call->args[1] & SOCKET_TYPE, type));
	if ((uint32_t)call->args[2] > IPPROTO_IP && (uint32_t)call->args[2] != IPPROTO_TCP &&
	    (uint32_t)call->args[2] != IPPROTO_UDP)
		(void)!pmg_str_addf(out, " %s",
				    WORD_OF(protocols, (uint32_t)call->args[2], protocol));
}

/* The only forms of these that are refused whatever they ask. */
static void say_fastopen(struct pmg_str *out, const struct pmg_notify *call)
{
	(void)call;
	(void)!pmg_str_adds(out, " MSG_FASTOPEN");
}

static void say_fastopen_option(struct pmg_str *out, const struct pmg_notify *call)
{
	(void)call;
	(void)!pmg_str_adds(out, " TCP_FASTOPEN_CONNECT");
}

static void say_lease(struct pmg_str *out, const struct pmg_notify *call)
{
	(void)call;
	(void)!pmg_str_adds(out, " F_SETLEASE");
}

static void say_option(struct pmg_str *out, const struct pmg_notify *call)
{
	(void)!pmg_str_addf(out, " %u", (unsigned)call->args[0]);
}

/* Calls that are something else than kernel surface, or that say more than their name. */
static const struct {
	const char *name;
	int code;
	enum pmg_event_op op;
	void (*say)(struct pmg_str *out, const struct pmg_notify *call);
} special[] = {
	{ "clone", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_first },
	{ "fcntl", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_lease },
	{ "ioctl", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_ioctl },
	{ "kcmp", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "kill", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "pidfd_getfd", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "pidfd_send_signal", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "prctl", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_option },
	{ "process_madvise", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "process_mrelease", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "process_vm_readv", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "process_vm_writev", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "ptrace", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "rt_sigqueueinfo", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "rt_tgsigqueueinfo", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "sendmmsg", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_fastopen },
	{ "sendmsg", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_fastopen },
	{ "sendto", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_fastopen },
	{ "setns", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_second },
	{ "setsockopt", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_fastopen_option },
	{ "socket", PMG_CODE_NET, PMG_EVENT_CONNECT, say_socket },
	{ "socketpair", PMG_CODE_NET, PMG_EVENT_CONNECT, say_socket },
	{ "tgkill", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "tkill", PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, NULL },
	{ "unshare", PMG_CODE_KERNEL, PMG_EVENT_KERNEL, say_first },
};

static const struct {
	uint32_t arch;
	const char *name;
} arches[] = {
	{ AUDIT_ARCH_I386, "i386" },       { AUDIT_ARCH_X86_64, "x32" },
	{ AUDIT_ARCH_ARM, "arm" },         { AUDIT_ARCH_AARCH64, "aarch64" },
	{ AUDIT_ARCH_RISCV32, "riscv32" },
};

/* A number means another call there: no name is guessed. */
static void say_foreign(struct pmg_str *out, const struct pmg_notify *call)
{
	const char *arch = "foreign";
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(arches); i++)
		if (arches[i].arch == call->arch)
			arch = arches[i].name;
	(void)!pmg_str_addf(out, "%s call %d", arch, call->nr & 0x3fffffff);
}

static bool is_foreign(const struct pmg_request *request)
{
	return !request->row || pmg_streq(request->row->name, "foreign");
}

void pmg_act_surface(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(str) struct pmg_str target = PMG_STR_INIT(PMG_EVENT_NAME_MAX);
	enum pmg_event_op op = PMG_EVENT_KERNEL;
	int code = PMG_CODE_KERNEL;
	size_t i;

	pmg_answer_fail(answer,
			request->row && request->row->errnum ? request->row->errnum : EPERM);
	if (is_foreign(request)) {
		say_foreign(&target, &request->call);
	} else {
		(void)!pmg_str_adds(&target, request->row->name);
		for (i = 0; i < PMG_ARRAY_LEN(special); i++) {
			if (!pmg_streq(request->row->name, special[i].name))
				continue;
			code = special[i].code;
			op = special[i].op;
			if (special[i].say)
				special[i].say(&target, &request->call);
		}
	}
	/* Local sockets are not the network, whatever they are refused for. */
	if (code == PMG_CODE_NET && (uint32_t)request->call.args[0] == AF_UNIX) {
		code = PMG_CODE_UNIX;
		op = PMG_EVENT_UNIX;
	}
	pmg_refuse_always(request, code, op, target.s);
}
