/*
 * An import in a process of its own: what came from the network is read where
 * nothing else is open, and a reader that falls over takes nothing with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/cmd_intel.h"
#include "verdict/import.h"
#include "verdict/lock.h"
#include "verdict/publish.h"
#include "verdict/signed.h"
#include "violation/wire.h"

#define ANSWER_MAX ((size_t)64 * 1024 * 1024)

static int read_feed(const struct pmg_import_want *want, struct json_t **out, struct pmg_err *err)
{
	pmg_auto(import_report) struct pmg_import_report report = { 0 };
	int r = pmg_import(want, &report, err);

	if (r == 0)
		*out = pmg_intel_report_json(want->feed, want->now, &report);
	return r;
}

static int read_index(const struct pmg_import_want *want, struct json_t **out, struct pmg_err *err)
{
	pmg_autofree char *to = pmg_publish_file(want->folder);
	pmg_auto(index) struct pmg_index *index = NULL;
	struct json_t *json;
	int r = pmg_signed_copy(want->path, to, &index, err);

	if (r < 0)
		return r;
	json = pmg_intel_index_json(pmg_index_built(index), pmg_index_records(index));
	pmg_json_set_count(json, "packages", pmg_index_packages(index));
	*out = pmg_json_object();
	pmg_json_set_str(*out, "file", want->path);
	pmg_json_set(*out, "index", json);
	return 0;
}

/* What goes through the pipe: either the report, or the error. */
static char *say(int r, struct json_t *report, const struct pmg_err *err)
{
	pmg_auto(json) struct json_t *json = r == 0 ? report : pmg_json_object();

	if (r < 0)
		pmg_json_set(json, "error", pmg_wire_failed_encode(err));
	return pmg_json_dump(json);
}

static void be_the_reader(const struct pmg_import_want *want, int answer, pid_t parent)
{
	struct json_t *report = NULL;
	struct pmg_err err = PMG_ERR_INIT, lost = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	int r;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	r = pmg_intel_confine(want, answer, &err);
	if (r == 0)
		r = want->is_index ? read_index(want, &report, &err)
				   : read_feed(want, &report, &err);
	text = say(r, report, &err);
	_exit(pmg_io_write_all(PMG_INTEL_ANSWER_FD, text, strlen(text), &lost) < 0 ? 1 : 0);
}

static int hear(int fd, pid_t pid, struct json_t **report, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *answer = NULL;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int status = 0, r = pmg_io_slurp_fd(fd, "import", ANSWER_MAX, &text, &len, err);

	if (r < 0)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r < 0)
		return r;
	if (WIFSIGNALED(status))
		return pmg_err_set(err, PMG_E_PEER, 0, "the import was ended by signal %d",
				   WTERMSIG(status));
	r = pmg_json_parse("import", text, len, &answer, err);
	if (r < 0)
		return pmg_err_as(err, PMG_E_PEER);
	if (pmg_json_get(answer, "error")) {
		struct pmg_err failed = PMG_ERR_INIT;

		r = pmg_wire_failed_decode(pmg_json_get(answer, "error"), &failed, err);
		*err = r < 0 ? *err : failed;
		return -(int)err->code;
	}
	if (!pmg_json_get(answer, "index"))
		return pmg_err_set(err, PMG_E_PEER, 0, "the import said nothing that can be read");
	*report = pmg_steal_ptr(&answer);
	return 0;
}

static int read_apart(const struct pmg_import_want *want, struct json_t **report,
		      struct pmg_err *err)
{
	pmg_autofd int read_end = -1;
	pmg_autofd int write_end = -1;
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "pipe");
	read_end = ends[0];
	write_end = ends[1];
	(void)fflush(NULL);
	pid = fork();
	if (pid < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (pid == 0)
		be_the_reader(want, write_end, parent);
	(void)close(pmg_steal_fd(&write_end));
	return hear(read_end, pid, report, err);
}

int pmg_intel_import_apart(const struct pmg_import_want *want, struct json_t **report,
			   struct pmg_err *err)
{
	struct pmg_import_want apart = *want;
	pmg_auto(json) struct json_t *answer = NULL;
	pmg_autofree char *folder = NULL, *built = NULL;
	pmg_autofd int lock = -1;
	int r = pmg_lock_take(want->index, PMG_LOCK_MS, &lock, err);

	if (r == 0)
		r = pmg_publish_folder(want->index, &folder, err);
	if (r < 0)
		return r;
	apart.folder = folder;
	built = pmg_publish_file(folder);
	r = read_apart(&apart, &answer, err);
	if (r == 0)
		r = pmg_publish(built, want->index, err);
	pmg_publish_clear(folder);
	if (r == 0)
		*report = pmg_steal_ptr(&answer);
	return r;
}
