/*
 * execve is judged and then left to the kernel: it cannot be done for somebody else. What the
 * kernel reads after our answer may be another path than what we read, if a thread of the caller
 * changes it in between. That gains nothing but a record that is wrong: Landlock judges the file
 * that is really started, by folder, with the same rules; what it does not know, a memfd, was made
 * without the right to be run (vm.memfd_noexec, or the filter). Hence forms that only make sense
 * for such files are refused here whatever they hold.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "sandbox/broker_priv.h"
#include "sandbox/verdicts_priv.h"

#define HEAD_SIZE    256U /* as far as the kernel looks for an interpreter (BINPRM_BUF_SIZE) */
#define NESTED_MAX   5U   /* interpreters that are scripts themselves, as the kernel has it */
#define LOADER_ARGS  64U  /* of ld.so, looked at for the program */
#define KNOWN_FLAGS  ((uint64_t)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | EXECVE_CHECK))
#define EXECVE_CHECK 0x10000 /* AT_EXECVE_CHECK, 6.14: asks only */

/* Would the kernel start it? What it refuses by itself (no right to, a noexec mount, a folder) is
 * no refusal of ours, so there is nothing to record. */
static bool could_start(const struct pmg_object *object)
{
	return S_ISREG(object->st.st_mode) &&
	       faccessat(object->fd, "", X_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

/* What is hidden is no program any more, but may have been one. */
static bool is_hidden(const struct pmg_request *request, const struct pmg_object *object)
{
	const struct stat *st = &object->st;
	bool covered = S_ISCHR(st->st_mode) ? st->st_rdev == makedev(1, 3)
					    : st->st_dev == request->broker->hidden_dev;

	return covered && object->path[0] == '/' &&
	       pmg_policy_hides(request->broker->policy, object->path);
}

/* @return 0; -EACCES, recorded */
static int judge(struct pmg_request *request, const struct pmg_object *object)
{
	if (!could_start(object) && !is_hidden(request, object))
		return 0;
	if (object->path[0] != '/') {
		pmg_refuse_always(request, PMG_CODE_KERNEL, PMG_EVENT_KERNEL, "memfd execution");
		return -EACCES;
	}
	return pmg_judge_object(request, PMG_ACCESS_EXEC, PMG_EVENT_EXEC, object);
}

/* The program that "#!" names, into out[HEAD_SIZE]. What we may not read has none that we know of:
 * the kernel starts it all the same, and Landlock judges. */
static bool interpreter_of(struct pmg_broker *broker, const struct pmg_object *object, char *out)
{
	char head[HEAD_SIZE] = "";
	pmg_autofd int fd = S_ISREG(object->st.st_mode)
				    ? pmg_reopen(broker, object->fd, O_RDONLY | O_NONBLOCK)
				    : -1;
	ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);
	const char *at = head + 2;
	size_t len;

	if (n < 3 || head[0] != '#' || head[1] != '!')
		return false;
	at += strspn(at, " \t");
	len = strcspn(at, " \t\n");
	memcpy(out, at, len);
	out[len] = '\0';
	return len > 0;
}

static int judge_interpreters(struct pmg_request *request, const struct pmg_object *script,
			      unsigned depth)
{
	char name[HEAD_SIZE];
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	int r;

	if (depth == NESTED_MAX || !interpreter_of(request->broker, script, name))
		return 0;
	if (pmg_resolve_text(request, AT_FDCWD, name, PMG_RESOLVE_FOLLOW, &object) < 0)
		return 0; /* the kernel will say so */
	r = judge(request, &object);
	return r < 0 ? r : judge_interpreters(request, &object, depth + 1);
}

/* "ld-linux-x86-64.so.2", "ld-musl-x86_64.so.1", "ld-2.36.so" */
static bool is_loader(const char *path)
{
	const char *name = pmg_path_name(path);

	return pmg_str_has_prefix(name, "ld-") && strstr(name, ".so");
}

/* Does this option of ld.so(8) take the argument after it? */
static bool takes_next(const char *option)
{
	static const char *const options[] = { "--argv0",
					       "--audit",
					       "--glibc-hwcaps-mask",
					       "--glibc-hwcaps-prepend",
					       "--inhibit-rpath",
					       "--library-path",
					       "--preload" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(options); i++)
		if (strcmp(option, options[i]) == 0)
			return true;
	return false;
}

/* ld.so starts what its argument names without another execve: that is judged as if there were
 * one. The wall behind it is that what may not be read cannot be loaded. */
static int judge_loaded(struct pmg_request *request, uint64_t argv)
{
	char text[PATH_MAX];
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	uint64_t at = 0;
	size_t i;

	for (i = 1; argv && i < LOADER_ARGS; i++) {
		if (pmg_notify_read(request->who.tid, argv + i * sizeof at, &at, sizeof at) !=
			    (ssize_t)sizeof at ||
		    !at || pmg_notify_read_text(request->who.tid, at, text, sizeof text) < 0)
			return 0;
		if (text[0] != '-')
			break;
		i += takes_next(text);
	}
	if (!argv || i >= LOADER_ARGS ||
	    pmg_resolve_text(request, AT_FDCWD, text, PMG_RESOLVE_FOLLOW, &object) < 0)
		return 0;
	return S_ISREG(object.st.st_mode)
		       ? pmg_judge_object(request, PMG_ACCESS_EXEC, PMG_EVENT_EXEC, &object)
		       : 0;
}

/* "ld.so --version", or nothing: it says what it is and ends. uv learns by it which libc there is.
 */
static bool asks_only(pid_t tid, uint64_t argv)
{
	uint64_t v[3] = { 0 };
	char text[16];

	if (!argv || pmg_notify_read(tid, argv, v, 2 * sizeof v[0]) != (ssize_t)(2 * sizeof v[0]))
		return false;
	if (!v[0] || !v[1])
		return v[0] != 0;
	return pmg_notify_read(tid, argv, v, sizeof v) == (ssize_t)sizeof v && !v[2] &&
	       pmg_notify_read_text(tid, v[1], text, sizeof text) >= 0 &&
	       pmg_streq(text, "--version");
}

/* Is it closed by nothing but the profile's own rule that loaders are? */
static bool is_closed_loader(const struct pmg_request *request, const struct pmg_object *object)
{
	struct pmg_decision decision = pmg_policy_ask(request->broker->policy, PMG_ACCESS_EXEC,
						      request->who.role, object->path);
	const struct pmg_policy_rule *rule = decision.rule;

	return is_loader(object->path) && !decision.allowed && rule &&
	       rule->layer == PMG_LAYER_BUILTIN && rule->rank == PMG_RANK_DENY &&
	       strstr(rule->text, "/ld-"); /* "/lib64/ld-*", with or without what lies below */
}

/* A program by descriptor alone: a memfd, or a file that has no name, or might as well be named. */
static int refuse_descriptor(struct pmg_request *request, const struct pmg_object *object)
{
	if (object->path[0] != '/')
		pmg_refuse_always(request, PMG_CODE_KERNEL, PMG_EVENT_KERNEL, "memfd execution");
	else
		pmg_refuse_always(request, PMG_CODE_EXEC, PMG_EVENT_EXEC, object->path);
	return -EACCES;
}

static int decide(struct pmg_request *request, const struct pmg_object *object, bool by_descriptor,
		  uint64_t argv)
{
	int r;

	if (by_descriptor || (object->is_magic && object->path[0] != '/'))
		return refuse_descriptor(request, object);
	if (is_closed_loader(request, object) && asks_only(request->who.tid, argv))
		return 0;
	r = judge(request, object);
	if (r == 0)
		r = judge_interpreters(request, object, 0);
	if (r == 0 && is_loader(object->path))
		r = judge_loaded(request, argv);
	return r;
}

void pmg_act_exec(struct pmg_request *request, struct pmg_answer *answer)
{
	const struct pmg_call_row *row = request->row;
	const uint64_t *args = request->call.args;
	uint64_t flags = row->flags < 0 ? 0 : (uint32_t)args[row->flags];
	struct pmg_who_start start = { .argv = args[row->path + 1], .envp = args[row->path + 2] };
	pmg_auto(object) struct pmg_object object = PMG_OBJECT_INIT;
	char path[PATH_MAX];
	bool by_descriptor;
	int r;

	if (flags & ~KNOWN_FLAGS) {
		pmg_answer_fail(answer, EINVAL);
		return;
	}
	r = pmg_read_path(request, row->path, path);
	by_descriptor = r == 0 && path[0] == '\0' && (flags & AT_EMPTY_PATH);
	if (r == 0)
		r = pmg_resolve_text(request, pmg_arg_fd(request, row->dirfd), path,
				     (flags & AT_SYMLINK_NOFOLLOW ? 0 : PMG_RESOLVE_FOLLOW) |
					     (flags & AT_EMPTY_PATH ? PMG_RESOLVE_EMPTY : 0),
				     &object);
	if (r == 0)
		r = decide(request, &object, by_descriptor, start.argv);
	if (r < 0) {
		pmg_answer_fail(answer, -r);
		return;
	}
	start.program = object.path;
	start.called = path;
	if (!(flags & EXECVE_CHECK) && could_start(&object)) {
		pmg_who_exec(request->broker, &request->who, &start);
		r = pmg_verdicts_exec(request, &object);
	}
	if (r < 0) {
		pmg_answer_fail(answer, -r);
		return;
	}
	answer->kind = PMG_ANSWER_CONTINUE;
}
