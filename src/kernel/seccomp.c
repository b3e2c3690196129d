#include "kernel/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "kernel/uapi.h"

PMG_DEFINE_AUTO(filter, scmp_filter_ctx, seccomp_release);

#define BINARY_TREE 2 /* SCMP_FLTATR_CTL_OPTIMIZE: a dozen comparisons a call, not hundreds */

struct attribute {
	enum scmp_filter_attr attr;
	uint32_t value;
};

static const struct attribute attributes[] = {
	{ SCMP_FLTATR_CTL_OPTIMIZE, BINARY_TREE },
	{ SCMP_FLTATR_API_SYSRAWRC, 1 }, /* else every failure of the kernel is ECANCELED */
};

static const struct attribute attributes_of_load[] = {
	{ SCMP_FLTATR_CTL_NNP, 1 },
	{ SCMP_FLTATR_CTL_TSYNC, 1 },
	{ SCMP_FLTATR_CTL_SSB, 1 }, /* no code of strangers runs here: no brake on speculation */
};

static uint32_t action_of(enum pmg_seccomp_do action, int errnum)
{
	switch (action) {
	case PMG_SECCOMP_ALLOW:
		return SCMP_ACT_ALLOW;
	case PMG_SECCOMP_ERRNO:
		return SCMP_ACT_ERRNO((unsigned int)errnum);
	case PMG_SECCOMP_NOTIFY:
		return SCMP_ACT_NOTIFY;
	case PMG_SECCOMP_KILL:
		break;
	}
	return SCMP_ACT_KILL_PROCESS;
}

static unsigned int comparisons(const struct pmg_seccomp_rule *rule,
				struct scmp_arg_cmp out[PMG_SECCOMP_CONDS])
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < PMG_SECCOMP_CONDS; i++) {
		const struct pmg_seccomp_cond *cond = &rule->cond[i];
		bool self = cond->kind == PMG_SECCOMP_IS_SELF;

		if (cond->kind == PMG_SECCOMP_NONE)
			continue;
		out[n++] = (struct scmp_arg_cmp){
			.arg = cond->arg,
			.op = SCMP_CMP_MASKED_EQ,
			.datum_a = self || cond->mask == 0 ? UINT64_MAX : cond->mask,
			.datum_b = self ? (scmp_datum_t)getpid() : cond->value,
		};
	}
	return n;
}

static int add_rule(scmp_filter_ctx filter, const struct pmg_seccomp_rule *rule,
		    struct pmg_err *err)
{
	struct scmp_arg_cmp cmp[PMG_SECCOMP_CONDS];
	int number = seccomp_syscall_resolve_name(rule->call), r;

	if (number == __NR_SCMP_ERROR && rule->action == PMG_SECCOMP_ALLOW)
		return 0;
	if (number == __NR_SCMP_ERROR) {
		(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "libseccomp does not know %s",
				  rule->call);
		return pmg_err_hint(err, "install a newer libseccomp");
	}
	if (number < 0) /* not on this architecture */
		return 0;
	r = seccomp_rule_add_array(filter, action_of(rule->action, rule->errnum), number,
				   comparisons(rule, cmp), cmp);
	return r < 0 ? pmg_err_set(err, PMG_E_INTERNAL, -r, "filter row for %s", rule->call) : 0;
}

static int unsupported(struct pmg_err *err, int errnum)
{
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, errnum, "this kernel takes no seccomp filter");
	return pmg_err_hint(err, "Linux 4.14 or newer with CONFIG_SECCOMP_FILTER is needed; in a "
				 "container its own filter may forbid it");
}

static int set_attributes(scmp_filter_ctx filter, const struct attribute *list, size_t n,
			  struct pmg_err *err)
{
	size_t i;
	int r;

	for (i = 0; i < n; i++) {
		r = seccomp_attr_set(filter, list[i].attr, list[i].value);
		if (r < 0)
			return unsupported(err, -r); /* TSYNC: asks the kernel */
	}
	return 0;
}

/* 0, which a table leaves out, is ALLOW: of calls that mean others there it must not be. */
static uint32_t foreign_action(const struct pmg_seccomp_program *program)
{
	return program->foreign == PMG_SECCOMP_NOTIFY ? SCMP_ACT_NOTIFY : SCMP_ACT_KILL_PROCESS;
}

static int build(const struct pmg_seccomp_program *program, scmp_filter_ctx *out,
		 struct pmg_err *err)
{
	pmg_auto(filter) scmp_filter_ctx filter = NULL;
	const struct attribute foreign = { SCMP_FLTATR_ACT_BADARCH, foreign_action(program) };
	size_t i, k;
	int r;

	filter = seccomp_init(action_of(program->otherwise, program->errnum));
	if (!filter)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libseccomp cannot begin a filter");
	r = set_attributes(filter, attributes, PMG_ARRAY_LEN(attributes), err);
	if (r == 0)
		r = set_attributes(filter, &foreign, 1, err);
	for (i = 0; r == 0 && i < program->n; i++)
		for (k = 0; r == 0 && k < program->tables[i].n; k++)
			r = add_rule(filter, &program->tables[i].rules[k], err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&filter);
	return 0;
}

int pmg_seccomp_load(const struct pmg_seccomp_program *program, struct pmg_err *err)
{
	pmg_auto(filter) scmp_filter_ctx filter = NULL;
	int r = build(program, &filter, err);

	if (r == 0)
		r = set_attributes(filter, attributes_of_load, PMG_ARRAY_LEN(attributes_of_load),
				   err);
	if (r < 0)
		return r;
	r = seccomp_load(filter);
	return r < 0 ? unsupported(err, -r) : 0;
}

void pmg_seccomp_code_done(struct pmg_seccomp_code *code)
{
	free(code->code);
	*code = (struct pmg_seccomp_code){ 0 };
}

/* Where vm.memfd_noexec is 2 a memory file must say that it is not for running; older kernels do
 * not know the word. */
static int memory_file(void)
{
	int fd = memfd_create("filter", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	return fd >= 0 || errno != EINVAL ? fd : memfd_create("filter", MFD_CLOEXEC);
}

int pmg_seccomp_compile(const struct pmg_seccomp_program *program, struct pmg_seccomp_code *out,
			struct pmg_err *err)
{
	pmg_auto(filter) scmp_filter_ctx filter = NULL;
	pmg_autofree char *bytes = NULL;
	pmg_autofd int fd = -1;
	size_t len = 0;
	int r = build(program, &filter, err);

	if (r < 0)
		return r;
	fd = memory_file();
	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "make a memory file");
	r = seccomp_export_bpf(filter, fd);
	if (r < 0)
		return pmg_err_set(err, PMG_E_INTERNAL, -r, "libseccomp cannot write the filter");
	if (lseek(fd, 0, SEEK_SET) != 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "read the filter");
	r = pmg_io_slurp_fd(fd, "filter", BPF_MAXINSNS * sizeof(struct sock_filter), &bytes, &len,
			    err);
	if (r < 0)
		return pmg_err_wrap(err, "filter");
	out->n = len / sizeof(struct sock_filter);
	out->code = pmg_steal_ptr(&bytes);
	return 0;
}

static int refused(struct pmg_err *err, int errnum)
{
	if (errnum != EBUSY)
		return unsupported(err, errnum);
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, errnum, "another program watches our calls");
	return pmg_err_hint(err, "run outside of what already hands over its system calls: a "
				 "container manager or another sandbox");
}

int pmg_seccomp_enter(const struct pmg_seccomp_code *code, int *listener, struct pmg_err *err)
{
	struct sock_fprog program = { .len = (unsigned short)code->n, .filter = code->code };
	unsigned long flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW;
	long r;

	if (listener)
		flags |= SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "set no_new_privs");
	r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (r < 0)
		return refused(err, errno);
	if (listener)
		*listener = (int)r;
	return 0;
}
