#include "sandbox/broker_priv.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NUMBERS_MAX 1024

/* Opens no content, and each later use of it is judged: no need to hear of it. */
#define NOT_O_PATH(argument) .cond = { { PMG_SECCOMP_IS_NOT, (argument), O_PATH, O_PATH } }
/* An address that is NULL is none. */
#define WITH_ADDRESS(argument) .cond = { { PMG_SECCOMP_IS_NOT, (argument), 0, 0 } }

/* Path at argument p, of a descriptor at d. Macros, since a later member overrides an earlier one:
 * what a row does not have stays -1. */
#define ROW(call, handler, d, p, f, m)                                                             \
	.name = (call), .handle = (handler), .dirfd = (d), .path = (p), .dirfd2 = -1, .path2 = -1, \
	.flags = (f), .mode = (m)
#define PAIR(call, handler, d, p, d2, p2, f)                                                       \
	.name = (call), .handle = (handler), .dirfd = (d), .path = (p), .dirfd2 = (d2),            \
	.path2 = (p2), .flags = (f), .mode = -1, .moves = true

/* mode: argument with permissions, or the first of what is to be set. Descriptor forms have no
 * path. stat, readlink and access are not here: names and metadata are no content. Nor is what only
 * opens what a row here has made or judged (ftruncate, fallocate, sendfile). */
static const struct pmg_call_row rows[] = {
	{ ROW("open", pmg_act_open, -1, 0, 1, 2), NOT_O_PATH(1) },
	{ ROW("openat", pmg_act_open, 0, 1, 2, 3), NOT_O_PATH(2) },
	{ ROW("openat2", pmg_act_openat2, 0, 1, 2, 3) },
	{ ROW("creat", pmg_act_creat, -1, 0, -1, 1), .fixed = O_CREAT | O_WRONLY | O_TRUNC },
	{ ROW("truncate", pmg_act_truncate, -1, 0, -1, 1) },

	{ ROW("mkdir", pmg_act_mkdir, -1, 0, -1, 1) },
	{ ROW("mkdirat", pmg_act_mkdir, 0, 1, -1, 2) },
	{ ROW("mknod", pmg_act_mknod, -1, 0, -1, 1) },
	{ ROW("mknodat", pmg_act_mknod, 0, 1, -1, 2) },
	{ ROW("symlink", pmg_act_symlink, -1, 1, -1, 0) }, /* mode: the link's text */
	{ ROW("symlinkat", pmg_act_symlink, 1, 2, -1, 0) },
	{ ROW("unlink", pmg_act_unlink, -1, 0, -1, -1) },
	{ ROW("unlinkat", pmg_act_unlink, 0, 1, 2, -1) },
	{ ROW("rmdir", pmg_act_unlink, -1, 0, -1, -1), .fixed = AT_REMOVEDIR },

	{ PAIR("rename", pmg_act_rename, -1, 0, -1, 1, -1) },
	{ PAIR("renameat", pmg_act_rename, 0, 1, 2, 3, -1) },
	{ PAIR("renameat2", pmg_act_rename, 0, 1, 2, 3, 4) },
	{ PAIR("link", pmg_act_link, -1, 0, -1, 1, -1) },
	{ PAIR("linkat", pmg_act_link, 0, 1, 2, 3, 4) },

	{ ROW("chmod", pmg_act_chmod, -1, 0, -1, 1) },
	{ ROW("fchmod", pmg_act_chmod, 0, -1, -1, 1) },
	{ ROW("fchmodat", pmg_act_chmod, 0, 1, -1, 2) },
	{ ROW("chown", pmg_act_chown, -1, 0, -1, 1) },
	{ ROW("fchown", pmg_act_chown, 0, -1, -1, 1) },
	{ ROW("lchown", pmg_act_chown, -1, 0, -1, 1), .fixed = AT_SYMLINK_NOFOLLOW },
	{ ROW("fchownat", pmg_act_chown, 0, 1, 4, 2) },
	{ ROW("utime", pmg_act_utime, -1, 0, -1, 1), .fixed = PMG_TIMES_WHOLE },
	{ ROW("utimes", pmg_act_utime, -1, 0, -1, 1), .fixed = PMG_TIMES_MICRO },
	{ ROW("futimesat", pmg_act_utime, 0, 1, -1, 2), .fixed = PMG_TIMES_MICRO },
	{ ROW("utimensat", pmg_act_utime, 0, 1, 3, 2) },
	{ ROW("setxattr", pmg_act_xattr, -1, 0, 4, 1) },
	{ ROW("lsetxattr", pmg_act_xattr, -1, 0, 4, 1), .fixed = AT_SYMLINK_NOFOLLOW },
	{ ROW("fsetxattr", pmg_act_xattr, 0, -1, 4, 1) },
	{ ROW("removexattr", pmg_act_xattr, -1, 0, -1, 1) },
	{ ROW("lremovexattr", pmg_act_xattr, -1, 0, -1, 1), .fixed = AT_SYMLINK_NOFOLLOW },
	{ ROW("fremovexattr", pmg_act_xattr, 0, -1, -1, 1) },
	{ ROW("umask", pmg_act_umask, -1, -1, -1, 0) },

	{ ROW("execve", pmg_act_exec, -1, 0, -1, -1) },
	{ ROW("execveat", pmg_act_exec, 0, 1, 4, -1) },

	{ ROW("connect", pmg_act_connect, 0, -1, -1, -1) },
	{ ROW("bind", pmg_act_bind, 0, -1, -1, -1) },
	{ ROW("sendto", pmg_act_send, 0, -1, 3, -1), WITH_ADDRESS(4) },
	{ ROW("sendmsg", pmg_act_send, 0, -1, 2, -1) },
	{ ROW("sendmmsg", pmg_act_send, 0, -1, 3, -1) },
	{ 0 },
};

struct pmg_calls {
	const struct pmg_call_row **rows; /* all, in order */
	short *next;                      /* of the same number; -1 ends */
	size_t n, cap;
	short first[NUMBERS_MAX];
	const struct pmg_call_row *foreign;
};

const struct pmg_call_row *pmg_call_rows(void)
{
	return rows;
}

static void add(struct pmg_calls *calls, const struct pmg_call_row *row)
{
	int number = pmg_seccomp_number(row->name);
	size_t cap = calls->cap;
	short *end;

	if (number < 0 || number >= NUMBERS_MAX)
		return; /* not here: the filter has no such row either */
	calls->rows = pmg_grow(calls->rows, calls->n, &calls->cap, sizeof(calls->rows[0]));
	if (calls->cap != cap)
		calls->next = pmg_xrealloc(calls->next, calls->cap, sizeof(calls->next[0]));
	calls->rows[calls->n] = row;
	calls->next[calls->n] = -1;
	for (end = &calls->first[number]; *end >= 0;)
		end = &calls->next[*end];
	*end = (short)calls->n++;
}

struct pmg_calls *pmg_calls_new(void)
{
	struct pmg_calls *calls = pmg_xcalloc(1, sizeof *calls);
	const struct pmg_call_row *row;

	memset(calls->first, -1, sizeof calls->first);
	/* Refused forms of a call come before the call: sendto() with MSG_FASTOPEN before sendto().
	 */
	for (row = pmg_surface_rows(); row->name; row++) {
		if (strcmp(row->name, "foreign") == 0)
			calls->foreign = row;
		add(calls, row);
	}
	for (row = rows; row->name; row++)
		add(calls, row);
	return calls;
}

void pmg_calls_free(struct pmg_calls *calls)
{
	if (!calls)
		return;
	free(calls->rows);
	free(calls->next);
	free(calls);
}

static bool meets(const struct pmg_call_row *row, const struct pmg_notify *call)
{
	size_t i;

	for (i = 0; i < PMG_SECCOMP_CONDS; i++) {
		const struct pmg_seccomp_cond *cond = &row->cond[i];
		uint64_t mask = cond->mask == 0 ? UINT64_MAX : cond->mask;
		bool is = (call->args[cond->arg] & mask) == cond->value;

		if ((cond->kind == PMG_SECCOMP_IS && !is) ||
		    (cond->kind == PMG_SECCOMP_IS_NOT && is))
			return false;
	}
	return true;
}

const struct pmg_call_row *pmg_calls_find(const struct pmg_calls *calls,
					  const struct pmg_notify *call)
{
	short i;

	if (call->arch != pmg_seccomp_arch() || call->nr >= NUMBERS_MAX) /* x32: by its numbers */
		return calls->foreign;
	if (call->nr < 0)
		return NULL;
	for (i = calls->first[call->nr]; i >= 0; i = calls->next[i])
		if (meets(calls->rows[i], call))
			return calls->rows[i];
	return NULL;
}

struct pmg_seccomp_rule *pmg_call_filter(size_t *n)
{
	const struct pmg_call_row *const tables[] = { pmg_surface_rows(), rows };
	struct pmg_seccomp_rule *v = NULL;
	const struct pmg_call_row *row;
	size_t i, cap = 0;

	*n = 0;
	for (i = 0; i < PMG_ARRAY_LEN(tables); i++) {
		for (row = tables[i]; row->name; row++) {
			if (pmg_seccomp_number(row->name) < 0)
				continue;
			v = pmg_grow(v, *n, &cap, sizeof v[0]);
			v[*n] = (struct pmg_seccomp_rule){ .call = row->name,
							   .action = PMG_SECCOMP_NOTIFY };
			memcpy(v[*n].cond, row->cond, sizeof row->cond);
			++*n;
		}
	}
	return v;
}
