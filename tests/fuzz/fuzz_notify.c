/*
 * Calls with any number, arguments and memory, under a policy that allows nothing: nothing goes on
 * that could reach an object, whatever is asked.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "sandbox/broker_priv.h"

#define ARGS_SIZE (6 * sizeof(uint64_t))
#define HEAD_SIZE (3 + ARGS_SIZE)
#define MANY      1000 /* no open waits in a thread */

static struct pmg_broker broker;
static struct pmg_policy *policy;
static const uint8_t *memory;
static size_t memory_size;

bool __wrap_pmg_notify_is_valid(int fd, uint64_t id);
bool __wrap_pmg_notify_is_valid(int fd, uint64_t id)
{
	(void)fd;
	(void)id;
	return true;
}

ssize_t __wrap_pmg_notify_read(pid_t tid, uint64_t address, void *out, size_t len);
ssize_t __wrap_pmg_notify_read(pid_t tid, uint64_t address, void *out, size_t len)
{
	(void)tid;
	if (address >= memory_size)
		return -EFAULT;
	len = len < memory_size - address ? len : memory_size - address;
	memcpy(out, memory + address, len);
	return (ssize_t)len;
}

ssize_t __wrap_pmg_notify_read_text(pid_t tid, uint64_t address, char *out, size_t size);
ssize_t __wrap_pmg_notify_read_text(pid_t tid, uint64_t address, char *out, size_t size)
{
	ssize_t n = __wrap_pmg_notify_read(tid, address, out, size);
	const char *end = n > 0 ? memchr(out, '\0', (size_t)n) : NULL;

	if (end)
		return end - out;
	return n == (ssize_t)size ? -ENAMETOOLONG : -EFAULT;
}

static void end(void)
{
	pmg_broker_done(&broker);
	pmg_who_table_free(broker.who);
	pmg_events_done(&broker.events);
	pmg_policy_free(policy);
}

static void begin(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	policy = pmg_policy_new();
	policy->profile = pmg_xstrdup("none");
	policy->project = pmg_xstrdup("/nonexistent");
	policy->cwd = pmg_xstrdup("/nonexistent");
	policy->home = pmg_xstrdup("/nonexistent");
	pmg_policy_seal(policy);
	broker.policy = policy;
	broker.listener = broker.wire = broker.proxy = -1;
	broker.waiting = MANY;
	broker.proc = pmg_procfs_open(&err);
	broker.run_proc = broker.proc;
	if (broker.proc < 0 || pmg_broker_begin(&broker, &err) < 0)
		abort();
	broker.who = pmg_who_table_new(broker.proc, getpid());
	(void)atexit(end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmg_request request = { .broker = &broker };
	struct pmg_answer answer = { .kind = PMG_ANSWER_FAIL, .fd = -1 };

	if (!policy)
		begin();
	if (size < HEAD_SIZE)
		return 0;
	request.call.nr = data[0] | data[1] << 8;
	request.call.arch = data[2] ? data[2] : pmg_seccomp_arch();
	request.call.tid = getpid();
	memcpy(request.call.args, data + 3, ARGS_SIZE);
	memory = data + HEAD_SIZE;
	memory_size = size - HEAD_SIZE;
	request.row = pmg_calls_find(broker.calls, &request.call);
	request.who =
		(struct pmg_who){ .tid = getpid(), .tgid = getpid(), .role = PMG_ROLE_SCRIPT };
	if (!request.row || !request.row->handle)
		return 0;
	request.row->handle(&request, &answer);
	if (answer.kind == PMG_ANSWER_FD)
		(void)close(answer.fd);
	if (answer.kind == PMG_ANSWER_CONTINUE && request.row->path >= 0 &&
	    request.row->handle != pmg_act_send && request.row->handle != pmg_act_exec)
		abort(); /* a program is held by the kernel's own rules, whichever is started */
	return 0;
}
