#include <endian.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernel/seccomp.h"

/*
 * Why not libseccomp's own compiler: rows with and without conditions for one call are a set there,
 * in which the row without silently swallows the others. A filter that both traps some forms of a
 * call and lets the rest pass needs an order. And it takes a few milliseconds for a table of ours.
 *
 * Numbers of calls are cut into segments that are treated alike, and found by halving.
 */

#define X32_BIT   0x40000000U /* of numbers on x86_64 */
#define NO_NUMBER 0xffffffffU /* -1: what a tracer sets to skip a call */
#define ROW_JUMPS 8
#define WORD_BITS 32

struct entry {
	unsigned number;
	size_t order;
	const struct pmg_seccomp_rule *rule;
};

struct entries {
	struct entry *v;
	size_t n, cap;
};

/* Numbers from `start` to the next segment's. No entries: the default. */
struct segment {
	unsigned start;
	const struct entry *entries;
	size_t n;
};

struct code {
	struct sock_filter *v;
	size_t n, cap;
	uint32_t otherwise;
};

int pmg_seccomp_number(const char *call)
{
	int number = seccomp_syscall_resolve_name(call);

	return number < 0 ? -1 : number;
}

uint32_t pmg_seccomp_arch(void)
{
	return seccomp_arch_native();
}

static uint32_t action_of(enum pmg_seccomp_do action, int errnum)
{
	switch (action) {
	case PMG_SECCOMP_ALLOW:
		return SECCOMP_RET_ALLOW;
	case PMG_SECCOMP_ERRNO:
		return SECCOMP_RET_ERRNO | ((uint32_t)errnum & SECCOMP_RET_DATA);
	case PMG_SECCOMP_NOTIFY:
		return SECCOMP_RET_USER_NOTIF;
	case PMG_SECCOMP_KILL:
		break;
	}
	return SECCOMP_RET_KILL_PROCESS;
}

static bool is_plain(const struct pmg_seccomp_rule *rule)
{
	size_t i;

	for (i = 0; i < PMG_SECCOMP_CONDS; i++)
		if (rule->cond[i].kind != PMG_SECCOMP_NONE)
			return false;
	return true;
}

static uint64_t mask_of(const struct pmg_seccomp_cond *cond)
{
	return cond->mask == 0 || cond->kind == PMG_SECCOMP_IS_SELF ? UINT64_MAX : cond->mask;
}

/* A value outside of its mask: a row that looks like a wall and is none. */
static bool can_be_met(const struct pmg_seccomp_rule *rule)
{
	size_t i;

	for (i = 0; i < PMG_SECCOMP_CONDS; i++)
		if (rule->cond[i].arg > 5 || (rule->cond[i].value & ~mask_of(&rule->cond[i])) != 0)
			return false;
	return true;
}

static int add_entry(struct entries *list, const struct pmg_seccomp_rule *rule, struct pmg_err *err)
{
	int number = seccomp_syscall_resolve_name(rule->call);

	if (number == __NR_SCMP_ERROR && rule->action == PMG_SECCOMP_ALLOW)
		return 0;
	if (number == __NR_SCMP_ERROR) {
		(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "libseccomp does not know %s",
				  rule->call);
		return pmg_err_hint(err, "install a newer libseccomp");
	}
	if (number < 0) /* not on this architecture */
		return 0;
	if (!can_be_met(rule))
		return pmg_err_set(err, PMG_E_INTERNAL, 0,
				   "filter row for %s: no call has such arguments", rule->call);
	list->v = pmg_grow(list->v, list->n, &list->cap, sizeof list->v[0]);
	list->v[list->n] = (struct entry){ (unsigned)number, list->n, rule };
	list->n++;
	return 0;
}

static int by_number(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int check_order(const struct entries *list, struct pmg_err *err)
{
	size_t i;

	for (i = 1; i < list->n; i++)
		if (list->v[i].number == list->v[i - 1].number && is_plain(list->v[i - 1].rule))
			return pmg_err_set(err, PMG_E_INTERNAL, 0,
					   "filter row for %s comes after one that takes all",
					   list->v[i].rule->call);
	return 0;
}

static int collect(const struct pmg_seccomp_program *program, struct entries *out,
		   struct pmg_err *err)
{
	size_t i, k;
	int r = 0;

	for (i = 0; r == 0 && i < program->n; i++)
		for (k = 0; r == 0 && k < program->tables[i].n; k++)
			r = add_entry(out, &program->tables[i].rules[k], err);
	if (r == 0 && out->n > 0) {
		qsort(out->v, out->n, sizeof out->v[0], by_number);
		r = check_order(out, err);
	}
	return r;
}

/* Of a segment that asks for nothing but the number. */
static bool plain_action(const struct segment *segment, uint32_t otherwise, uint32_t *out)
{
	const struct pmg_seccomp_rule *rule;

	if (segment->n == 0) {
		*out = otherwise;
		return true;
	}
	rule = segment->entries[0].rule;
	*out = action_of(rule->action, rule->errnum);
	return is_plain(rule);
}

static void push(struct segment *v, size_t *n, struct segment next, uint32_t otherwise)
{
	uint32_t before, now;

	if (*n > 0 && v[*n - 1].start == next.start)
		--*n; /* an empty gap */
	if (*n > 0 && plain_action(&v[*n - 1], otherwise, &before) &&
	    plain_action(&next, otherwise, &now) && before == now)
		return;
	v[(*n)++] = next;
}

/* @return how many; there is always the one from 0 */
static size_t cut(const struct entries *list, uint32_t otherwise, struct segment *out)
{
	size_t i, k, n = 0;

	push(out, &n, (struct segment){ 0 }, otherwise);
	for (i = 0; i < list->n; i = k) {
		unsigned number = list->v[i].number;

		for (k = i; k < list->n && list->v[k].number == number;)
			k++;
		push(out, &n, (struct segment){ number, &list->v[i], k - i }, otherwise);
		push(out, &n, (struct segment){ .start = number + 1 }, otherwise);
	}
	return n;
}

static size_t emit(struct code *code, unsigned op, uint32_t k)
{
	code->v = pmg_grow(code->v, code->n, &code->cap, sizeof code->v[0]);
	code->v[code->n] = (struct sock_filter){ .code = (uint16_t)op, .k = k };
	return code->n++;
}

static void emit_jump(struct code *code, unsigned op, uint32_t k, unsigned char yes,
		      unsigned char no)
{
	size_t at = emit(code, BPF_JMP | BPF_K | op, k);

	code->v[at].jt = yes;
	code->v[at].jf = no;
}

static void emit_load(struct code *code, size_t offset)
{
	(void)emit(code, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void emit_return(struct code *code, uint32_t action)
{
	(void)emit(code, BPF_RET | BPF_K, action);
}

/* Jumps of a row that lead to the next one: to be filled in at its end. */
struct jumps {
	size_t at[ROW_JUMPS];
	bool when_true[ROW_JUMPS];
	size_t n;
};

static void fill(struct code *code, size_t at, bool when_true)
{
	unsigned char distance = (unsigned char)(code->n - at - 1);

	if (when_true)
		code->v[at].jt = distance;
	else
		code->v[at].jf = distance;
}

/* Compare one half of an argument. @return where the jump is */
static size_t emit_half(struct code *code, unsigned arg, bool high, uint64_t mask, uint64_t value)
{
	size_t offset = offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t);
	unsigned shift = high ? WORD_BITS : 0;
	bool second = high == (BYTE_ORDER == LITTLE_ENDIAN);

	emit_load(code, offset + (second ? sizeof(uint32_t) : 0));
	if ((uint32_t)(mask >> shift) != UINT32_MAX)
		(void)emit(code, BPF_ALU | BPF_AND | BPF_K, (uint32_t)(mask >> shift));
	return emit(code, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value >> shift));
}

static void emit_cond(struct code *code, const struct pmg_seccomp_cond *cond, struct jumps *jumps)
{
	uint64_t mask = mask_of(cond), value = cond->value;
	bool negated = cond->kind == PMG_SECCOMP_IS_NOT, low = (uint32_t)mask != 0;
	bool high = mask >> WORD_BITS != 0;
	size_t first = 0, at;

	if (cond->kind == PMG_SECCOMP_IS_SELF)
		value = (uint64_t)getpid();
	if (low) {
		first = emit_half(code, cond->arg, false, mask, value);
		/* One half that differs is enough for "not". */
		if (!negated || !high) {
			jumps->at[jumps->n] = first;
			jumps->when_true[jumps->n++] = negated;
		}
	}
	if (!high)
		return;
	at = emit_half(code, cond->arg, true, mask, value);
	jumps->at[jumps->n] = at;
	jumps->when_true[jumps->n++] = negated;
	if (negated && low)
		fill(code, first, false);
}

static void emit_row(struct code *code, const struct pmg_seccomp_rule *rule)
{
	struct jumps jumps = { 0 };
	size_t i;

	for (i = 0; i < PMG_SECCOMP_CONDS; i++)
		if (rule->cond[i].kind != PMG_SECCOMP_NONE)
			emit_cond(code, &rule->cond[i], &jumps);
	emit_return(code, action_of(rule->action, rule->errnum));
	for (i = 0; i < jumps.n; i++)
		fill(code, jumps.at[i], jumps.when_true[i]);
}

static void emit_segment(struct code *code, const struct segment *segment)
{
	size_t i;

	for (i = 0; i < segment->n; i++)
		emit_row(code, segment->entries[i].rule);
	if (segment->n == 0 || !is_plain(segment->entries[segment->n - 1].rule))
		emit_return(code, code->otherwise);
}

/* Halves until one is left: a long jump over the lower half, since short ones reach 255. */
static void emit_tree(struct code *code, const struct segment *v, size_t n)
{
	size_t half = n / 2, over;

	if (n == 1) {
		emit_segment(code, v);
		return;
	}
	emit_jump(code, BPF_JGE, v[half].start, 0, 1);
	over = emit(code, BPF_JMP | BPF_JA, 0);
	emit_tree(code, v, half);
	code->v[over].k = (uint32_t)(code->n - over - 1);
	emit_tree(code, v + half, n - half);
}

/* Leaves the number loaded. x32 has the architecture of x86_64, and other calls. */
static void emit_head(struct code *code, uint32_t foreign)
{
	uint32_t arch = pmg_seccomp_arch();

	emit_load(code, offsetof(struct seccomp_data, arch));
	emit_jump(code, BPF_JEQ, arch, 1, 0);
	emit_return(code, foreign);
	emit_load(code, offsetof(struct seccomp_data, nr));
	if (arch != AUDIT_ARCH_X86_64)
		return;
	emit_jump(code, BPF_JGE, X32_BIT, 0, 3);
	emit_jump(code, BPF_JEQ, NO_NUMBER, 0, 1);
	emit_return(code, code->otherwise);
	emit_return(code, foreign);
}

void pmg_seccomp_code_done(struct pmg_seccomp_code *code)
{
	free(code->code);
	*code = (struct pmg_seccomp_code){ 0 };
}

int pmg_seccomp_compile(const struct pmg_seccomp_program *program, struct pmg_seccomp_code *out,
			struct pmg_err *err)
{
	/* 0, which a table leaves out, is ALLOW: of foreign calls it must not be. */
	const uint32_t foreign = program->foreign == PMG_SECCOMP_NOTIFY ? SECCOMP_RET_USER_NOTIF
									: SECCOMP_RET_KILL_PROCESS;
	struct code code = { .otherwise = action_of(program->otherwise, program->errnum) };
	struct entries list = { 0 };
	pmg_autofree struct segment *segments = NULL;
	int r = collect(program, &list, err);

	if (r == 0) {
		segments = pmg_xcalloc(2 * list.n + 1, sizeof *segments);
		emit_head(&code, foreign);
		emit_tree(&code, segments, cut(&list, code.otherwise, segments));
		if (code.n > BPF_MAXINSNS)
			r = pmg_err_set(err, PMG_E_INTERNAL, 0, "filter of %zu instructions",
					code.n);
	}
	free(list.v);
	if (r < 0) {
		free(code.v);
		return r;
	}
	out->code = code.v;
	out->n = code.n;
	return 0;
}
