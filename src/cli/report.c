#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"

void pmg_report_done(struct pmg_report *report)
{
	free(report->path);
	if (report->fd >= 0)
		(void)close(report->fd);
	report->path = NULL;
	report->fd = -1;
}

static int refuse(struct pmg_err *err, int errnum, const char *name)
{
	return pmg_err_set(err, PMG_E_USAGE, errnum, "--report %s", name);
}

/* Replacing the file that the tool writes to would lose what it says. */
static bool is_stream(const struct stat *st)
{
	struct stat stream;
	int fd;

	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &stream) == 0 && stream.st_dev == st->st_dev &&
		    stream.st_ino == st->st_ino)
			return true;
	return false;
}

/* A file is replaced by way of its folder. */
static int take_path(const char *name, char *path, struct pmg_report *out, struct pmg_err *err)
{
	pmg_autofree char *owned = path;
	pmg_autofree char *dir = NULL;

	if (!path)
		return refuse(err, errno, name);
	dir = pmg_path_dir(path);
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) < 0)
		return refuse(err, errno, name);
	out->path = owned;
	owned = NULL;
	return 0;
}

static int take_open(const char *name, struct pmg_report *out, struct pmg_err *err)
{
	int fd;

	do
		fd = open(name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return refuse(err, errno, name);
	out->fd = fd;
	return 0;
}

int pmg_report_open(const char *name, struct pmg_report *out, struct pmg_err *err)
{
	struct stat st;

	if (strcmp(name, "-") == 0) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "--report does not take \"-\"");
		return pmg_err_hint(err, "standard output is the tool's: name a file");
	}
	if (*name && stat(name, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return refuse(err, EISDIR, name);
		if (!S_ISREG(st.st_mode) || is_stream(&st))
			return take_open(name, out, err);
		return take_path(name, pmg_path_real(name), out, err);
	}
	/* A link to nothing must not be replaced either: where it leads is not ours to make. */
	if (!*name || errno != ENOENT || lstat(name, &st) == 0)
		return refuse(err, *name ? errno : ENOENT, name);
	return take_path(name, pmg_xstrdup(name), out, err);
}

/* Who reads a pipe may be gone: an error here, not our end. */
static int write_into(int fd, const char *text, struct pmg_err *err)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int r;

	(void)sigaction(SIGPIPE, &ignore, &before); /* cannot fail: a valid signal */
	r = pmg_io_write_all(fd, text, strlen(text), err);
	(void)sigaction(SIGPIPE, &before, NULL);
	return r;
}

int pmg_report_write(const struct pmg_report *report, const struct pmg_record *record,
		     struct pmg_err *err)
{
	pmg_auto(json) struct json_t *json = pmg_record_json(record);
	pmg_autofree char *dump = pmg_json_dump(json);
	pmg_autofree char *text = pmg_xasprintf("%s\n", dump);
	int r;

	if (report->path)
		r = pmg_io_replace(report->path, text, strlen(text), 0600, err);
	else
		r = write_into(report->fd, text, err);
	if (r < 0) /* without the name of a temporary, which means nothing to the user */
		r = pmg_err_set(err, PMG_E_SYS, err->errnum, "--report: cannot write %s",
				report->path ? report->path : "it");
	return r;
}
