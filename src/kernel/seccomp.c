#include "kernel/seccomp.h"

#include <seccomp.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/mem.h"

PMG_DEFINE_AUTO(filter, scmp_filter_ctx, seccomp_release);

#define BINARY_TREE 2 /* SCMP_FLTATR_CTL_OPTIMIZE: a dozen comparisons a call, not hundreds */

static const struct {
	enum scmp_filter_attr attr;
	uint32_t value;
} attributes[] = {
	{ SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS },
	{ SCMP_FLTATR_CTL_NNP, 1 },
	{ SCMP_FLTATR_CTL_TSYNC, 1 },
	{ SCMP_FLTATR_CTL_OPTIMIZE, BINARY_TREE },
	{ SCMP_FLTATR_CTL_SSB, 1 }, /* no code of strangers runs here: no brake on speculation */
	{ SCMP_FLTATR_API_SYSRAWRC, 1 }, /* else every failure of the kernel is ECANCELED */
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

static int set_attributes(scmp_filter_ctx filter, struct pmg_err *err)
{
	size_t i;
	int r;

	for (i = 0; i < PMG_ARRAY_LEN(attributes); i++) {
		r = seccomp_attr_set(filter, attributes[i].attr, attributes[i].value);
		if (r < 0)
			return unsupported(err, -r); /* TSYNC: asks the kernel */
	}
	return 0;
}

int pmg_seccomp_load(const struct pmg_seccomp_program *program, struct pmg_err *err)
{
	pmg_auto(filter) scmp_filter_ctx filter = NULL;
	size_t i, k;
	int r;

	filter = seccomp_init(action_of(program->otherwise, program->errnum));
	if (!filter)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libseccomp cannot begin a filter");
	r = set_attributes(filter, err);
	for (i = 0; r == 0 && i < program->n; i++)
		for (k = 0; r == 0 && k < program->tables[i].n; k++)
			r = add_rule(filter, &program->tables[i].rules[k], err);
	if (r < 0)
		return r;
	r = seccomp_load(filter);
	return r < 0 ? unsupported(err, -r) : 0;
}
