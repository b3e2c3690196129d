#include "run/find.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "run/self.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin" /* as shells have it when PATH is unset */
#define VIA_MAX      4096U
#define PASSED_MAX   PMG_FIND_DEPTH_MAX

/* Interpreters of scripts that may be shims: what they run is again a program of PATH. */
static const char *const shells[] = {
	"sh", "bash", "dash", "zsh", "ksh", "ash", "busybox", "fish"
};

void pmg_found_done(struct pmg_found *found)
{
	free(found->program);
	pmg_strv_done(&found->passed);
	*found = (struct pmg_found){ 0 };
}

char *pmg_found_via(const struct pmg_found *found, pid_t pid)
{
	pmg_auto(str) struct pmg_str via = PMG_STR_INIT(VIA_MAX);
	size_t i;

	/* Room for all: PASSED_MAX entries of two 20-digit numbers. */
	(void)!pmg_str_addf(&via, "%llu %ld", (unsigned long long)found->depth, (long)pid);
	for (i = 0; i < found->passed.n; i++)
		(void)!pmg_str_addf(&via, " %s", found->passed.v[i]);
	return pmg_str_steal(&via);
}

/* PMG_VIA as it was left by the pmg before. What cannot be read counts as empty. */
static void read_via(const char *text, struct pmg_found *out, uint64_t *pid)
{
	pmg_autofree char *copy = pmg_xstrndup(text ? text : "", VIA_MAX);
	char *rest = copy, *word = strsep(&rest, " ");
	uint64_t depth = 0;

	*pid = 0;
	if (pmg_parse_uint(word, UINT32_MAX, &depth) < 0)
		return;
	word = strsep(&rest, " ");
	if (!word || pmg_parse_uint(word, INT32_MAX, pid) < 0)
		return;
	out->depth = depth;
	while (out->passed.n < PASSED_MAX && (word = strsep(&rest, " ")))
		pmg_strv_add(&out->passed, word);
}

static bool is_shell(const char *path, size_t len)
{
	const char *name = path;
	size_t i;

	for (i = 0; i < len; i++)
		if (path[i] == '/')
			name = path + i + 1;
	len -= (size_t)(name - path);
	for (i = 0; i < PMG_ARRAY_LEN(shells); i++)
		if (strlen(shells[i]) == len && memcmp(shells[i], name, len) == 0)
			return true;
	return false;
}

/* "#!/bin/sh", "#! /usr/bin/env bash". */
static bool is_shell_script(const char *path)
{
	pmg_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char line[256], *word;
	size_t len;
	ssize_t n;

	n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
	if (n < 2 || memcmp(line, "#!", 2) != 0)
		return false;
	line[n] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	for (word = line + 2; *word; word += len) {
		word += strspn(word, " \t");
		len = strcspn(word, " \t");
		if (is_shell(word, len))
			return true;
	}
	return false;
}

/* How the trace that was left concerns this process. */
enum trace { TRACE_NONE, TRACE_SELF, TRACE_PARENT };

struct search {
	enum trace trace;
	struct pmg_found *out;
	bool forbidden; /* a file of the name was there and could not be run */
};

static bool was_passed(const struct search *search, const char *id, const char *path)
{
	if (search->trace == TRACE_NONE || !pmg_strv_has(&search->out->passed, id))
		return false;
	return search->trace == TRACE_SELF || is_shell_script(path);
}

static bool fits(struct search *search, const char *path, char **id)
{
	pmg_autofree char *file = NULL;
	struct stat st;

	if (stat(path, &st) < 0 || S_ISDIR(st.st_mode))
		return false;
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0) {
		search->forbidden = true;
		return false;
	}
	file = pmg_xasprintf("%llx:%llx", (unsigned long long)st.st_dev,
			     (unsigned long long)st.st_ino);
	if (pmg_self_is(path, &st) || was_passed(search, file, path))
		return false;
	*id = pmg_steal_ptr(&file);
	return true;
}

/* Walks PATH; an empty part is the current folder (POSIX, "PATH"). */
static bool walk(struct search *search, const char *tool, const char *path, const char *cwd,
		 char **id)
{
	const char *part, *end;

	for (part = path; part; part = *end ? end + 1 : NULL) {
		pmg_autofree char *name = NULL;
		pmg_autofree char *dir = NULL;
		pmg_autofree char *file = NULL;

		end = part + strcspn(part, ":");
		name = pmg_xstrndup(part, (size_t)(end - part));
		dir = pmg_path_join(cwd, name);
		file = pmg_path_join(*name ? dir : cwd, tool);
		if (fits(search, file, id)) {
			/* Not cleaned: ".." may follow a link. */
			search->out->program = pmg_steal_ptr(&file);
			return true;
		}
	}
	return false;
}

/* Not a name, but a path. */
static bool take_path(struct search *search, const char *tool, const char *cwd, char **id)
{
	pmg_autofree char *file = pmg_path_join(cwd, tool);

	if (!fits(search, file, id))
		return false;
	search->out->program = pmg_steal_ptr(&file);
	return true;
}

static void move(struct pmg_found *to, struct pmg_found *from)
{
	*to = *from;
	*from = (struct pmg_found){ 0 };
}

int pmg_find_program(const char *tool, const struct pmg_strv *env, const char *cwd,
		     struct pmg_found *out, struct pmg_err *err)
{
	pmg_auto(found) struct pmg_found found = { 0 };
	struct search search = { .out = &found };
	const char *path = pmg_env_get(env, "PATH");
	pmg_autofree char *id = NULL;
	uint64_t pid;

	read_via(pmg_env_get(env, "PMG_VIA"), &found, &pid);
	if (pid == (uint64_t)getpid())
		search.trace = TRACE_SELF;
	else if (pid == (uint64_t)getppid())
		search.trace = TRACE_PARENT;
	if (++found.depth > PMG_FIND_DEPTH_MAX) {
		(void)pmg_err_set(err, PMG_E_LIMIT, 0, "pmg and %s start each other for ever",
				  tool);
		(void)pmg_err_diag(err, 5002);
		return pmg_err_hint(err, "a script named %s on PATH calls pmg: remove it", tool);
	}
	if (strchr(tool, '/') ? !take_path(&search, tool, cwd, &id)
			      : !walk(&search, tool, path ? path : DEFAULT_PATH, cwd, &id)) {
		(void)pmg_err_set(err, PMG_E_NOTFOUND, search.forbidden ? EACCES : ENOENT, "%s",
				  tool);
		(void)pmg_err_diag(err, 5001);
		return pmg_err_hint(err, "no %s on PATH besides pmg itself", tool);
	}
	if (search.trace == TRACE_NONE)
		pmg_strv_done(&found.passed);
	if (found.passed.n >= PASSED_MAX)
		pmg_strv_remove(&found.passed, 0);
	pmg_strv_take(&found.passed, pmg_steal_ptr(&id));
	move(out, &found);
	return 0;
}
