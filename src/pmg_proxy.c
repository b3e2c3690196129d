/* pmg-proxy: the way out of a guarded run. Started by pmg (violation/wire.h), never by hand. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "proxy/server.h"

/* Ends with its front, in a session of its own: Ctrl-C at the terminal is not for the proxy. */
static int become_helper(struct pmg_err *err)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct rlimit files;

	if (fcntl(PMG_WIRE_FD, F_GETFD) < 0 || fcntl(PMG_WIRE_LISTEN_FD, F_GETFD) < 0 ||
	    fcntl(PMG_WIRE_BUNDLE_FD, F_GETFD) < 0)
		return pmg_err_set(err, PMG_E_USAGE, 0, "pmg-proxy is started by pmg");
	(void)setsid(); /* fails only for a leader of a group, who then has a session already */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || sigaction(SIGPIPE, &ignore, NULL) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "prctl");
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files); /* fewer connections, then */
	}
	return 0;
}

static int begin(struct pmg_start *start, struct pmg_wire_ready *ready, struct pmg_err *err)
{
	struct pmg_err unheard = PMG_ERR_INIT;
	int r;

	r = become_helper(err);
	if (err->code == PMG_E_USAGE)
		return r;
	if (r == 0)
		r = pmg_start_prepare(start, err);
	if (r == 0)
		r = pmg_start_hear(PMG_WIRE_FD, start, err);
	else
		(void)!pmg_start_hear(PMG_WIRE_FD, start, &unheard);
	if (r < 0)
		return r;
	pmg_log_enable("pmg-proxy", start->wire.debug);
	r = pmg_start_load(start, PMG_WIRE_BUNDLE_FD, ready, err);
	(void)close(PMG_WIRE_BUNDLE_FD);
	return r < 0 ? r : pmg_start_confine(err);
}

/* A front that is gone needs no word of it. */
static void tell_failure(const struct pmg_err *why)
{
	struct json_t *body = pmg_wire_failed_encode(why);
	struct pmg_err scratch = PMG_ERR_INIT;

	(void)!pmg_msg_send(PMG_WIRE_FD, PMG_WIRE_FAILED, body, &scratch);
	pmg_json_free(body);
}

/* Large blocks each in a mapping of their own, which glibc gives up once it has freed one: a second
 * large document would find the room of the first one in pieces, and take more. */
#define LARGE_BLOCK (256 * 1024)

int main(void)
{
	pmg_auto(wire_ready) struct pmg_wire_ready ready = { 0 };
	pmg_auto(start) struct pmg_start start = PMG_START_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	int r;

	(void)mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	r = begin(&start, &ready, &err);
	if (r == 0)
		r = pmg_server_run(&start, PMG_WIRE_FD, PMG_WIRE_LISTEN_FD, &ready, &err);
	if (r == 0)
		return EXIT_SUCCESS;
	if (err.code == PMG_E_USAGE)
		(void)!write(2, "pmg-proxy: started by pmg, not by hand\n", 39);
	else if (err.code != PMG_E_PEER)
		tell_failure(&err);
	return pmg_code_exit(err.code);
}
