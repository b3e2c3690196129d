#include "sandbox/filter_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "kernel/uapi.h"
#include "sandbox/walls_priv.h"

struct rules {
	struct pmg_seccomp_rule *v;
	size_t n, cap;
};

/* The kernel makes memory files that cannot be run unless asked for the other kind. */
static const struct pmg_seccomp_rule plain_memory_files = {
	.call = "memfd_create",
	.action = PMG_SECCOMP_ALLOW,
	.cond = { { .kind = PMG_SECCOMP_IS, .arg = 1, .mask = MFD_EXEC, .value = 0 } },
};

static void add(struct rules *list, const struct pmg_seccomp_rule *rule)
{
	list->v = pmg_grow(list->v, list->n, &list->cap, sizeof list->v[0]);
	list->v[list->n++] = *rule;
}

static bool is_plain(const struct pmg_seccomp_rule *rule)
{
	return rule->cond[0].kind == PMG_SECCOMP_NONE;
}

static bool has_plain(const struct pmg_seccomp_rule *v, size_t n, const char *call)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is_plain(&v[i]) && pmg_streq(v[i].call, call))
			return true;
	return false;
}

static void add_trapped(struct rules *list, const struct pmg_seccomp_rule *v, size_t n, bool plain)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is_plain(&v[i]) == plain)
			add(list, &v[i]);
}

int pmg_filter_compile(const struct pmg_seccomp_rule *trapped, size_t n, bool has_memfd_noexec,
		       struct pmg_seccomp_code *out, struct pmg_err *err)
{
	struct pmg_seccomp_table table = { 0 };
	struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ERRNO,
					       .errnum = ENOSYS,
					       .foreign = PMG_SECCOMP_NOTIFY,
					       .tables = &table,
					       .n = 1 };
	struct rules list = { 0 };
	size_t i;
	int r;

	for (i = 0; i < pmg_filter_first.n; i++)
		add(&list, &pmg_filter_first.rules[i]);
	if (has_memfd_noexec)
		add(&list, &plain_memory_files);
	add_trapped(&list, trapped, n, false);
	add_trapped(&list, trapped, n, true);
	for (i = 0; i < pmg_filter_always.n; i++)
		if (!has_plain(trapped, n, pmg_filter_always.rules[i].call))
			add(&list, &pmg_filter_always.rules[i]);
	table.rules = list.v;
	table.n = list.n;
	r = pmg_seccomp_compile(&program, out, err);
	free(list.v);
	return r < 0 ? pmg_err_wrap(err, "filter of the run") : 0;
}

int pmg_walls_filter(bool has_memfd_noexec, struct pmg_seccomp_code *out, struct pmg_err *err)
{
	size_t n = 0;
	pmg_autofree struct pmg_seccomp_rule *trapped = pmg_call_filter(&n);

	return pmg_filter_compile(trapped, n, has_memfd_noexec, out, err);
}
