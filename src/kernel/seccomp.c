#include "kernel/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernel/uapi.h"

static int unsupported(struct pmg_err *err, int errnum)
{
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, errnum, "this kernel takes no seccomp filter");
	return pmg_err_hint(err, "Linux 4.14 or newer with CONFIG_SECCOMP_FILTER is needed; in a "
				 "container its own filter may forbid it");
}

static int refused(struct pmg_err *err, int errnum)
{
	if (errnum != EBUSY)
		return unsupported(err, errnum);
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, errnum, "another program watches our calls");
	return pmg_err_hint(err, "run outside of what already hands over its system calls: a "
				 "container manager or another sandbox");
}

/* No brake on speculation: what runs here has nothing of another process in its memory.
 * @return what the kernel says, or -code */
static int put_on(const struct pmg_seccomp_code *code, unsigned long flags, struct pmg_err *err)
{
	struct sock_fprog program = { .len = (unsigned short)code->n, .filter = code->code };
	long r;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "set no_new_privs");
	r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		    &program);
	return r < 0 ? refused(err, errno) : (int)r;
}

int pmg_seccomp_load(const struct pmg_seccomp_program *program, struct pmg_err *err)
{
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	int r = pmg_seccomp_compile(program, &code, err);

	if (r == 0)
		r = put_on(&code, SECCOMP_FILTER_FLAG_TSYNC, err);
	if (r > 0)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "thread %d has a filter of its own", r);
	return r;
}

int pmg_seccomp_enter(const struct pmg_seccomp_code *code, int *listener, struct pmg_err *err)
{
	unsigned long flags =
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	int r = put_on(code, listener ? flags : 0, err);

	if (r >= 0 && listener)
		*listener = r;
	return r < 0 ? r : 0;
}
