#ifndef PMG_TESTS_HELPER_INTEL_H
#define PMG_TESTS_HELPER_INTEL_H
/** pmg-intel as it was built, run in a home of a test's own, and what it said. Behind cmocka.h. */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "base/strv.h"
#include "folder.h"

/* What one call said; "" when nothing. */
struct said {
	char *out, *err;
	int status;
};

static inline void said_done(struct said *said)
{
	free(said->out);
	free(said->err);
}
PMG_DEFINE_AUTO_DONE(said, struct said, said_done);

static inline char *said_text(const char *home, const char *name)
{
	pmg_autofree char *path = pmg_path_join(home, name);
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	size_t len = 0;

	if (pmg_io_slurp(path, 1U << 20, &text, &len, &err) < 0)
		fail_msg("%s", err.msg);
	return text;
}

static inline void said_child(const char *home, const char *command, const char *const *args,
			      const char *in)
{
	static const int flags[] = { O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC,
				     O_WRONLY | O_CREAT | O_TRUNC };
	const char *const names[] = { in ? "in" : "/dev/null", "out", "err" };
	pmg_auto(strv) struct pmg_strv argv = { 0 };
	int fd, opened;

	pmg_strv_add(&argv, "pmg-intel");
	pmg_strv_add(&argv, command);
	for (; *args; args++)
		pmg_strv_add(&argv, *args);
	for (fd = 0; fd < 3; fd++) {
		pmg_autofree char *path = pmg_path_join(home, names[fd]);

		opened = open(path, flags[fd] | O_CLOEXEC, 0600);
		if (opened < 0 || dup2(opened, fd) < 0)
			_exit(126);
	}
	(void)setenv("HOME", home, 1);
	(void)setenv("SOURCE_DATE_EPOCH", "1780000000", 1);
	(void)unsetenv("XDG_STATE_HOME");
	(void)unsetenv("XDG_CONFIG_HOME");
	execv("./pmg-intel", pmg_strv_argv(&argv));
	_exit(127);
}

/** `pmg COMMAND ARGS...`. @param args  end with NULL. @param in  standard input; NULL: none */
static inline struct said said_run(const char *home, const char *command, const char *const *args,
				   const char *in)
{
	struct said said = { 0 };
	int status = 0;
	pid_t pid;

	if (in)
		folder_write(home, "in", in, strlen(in));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		said_child(home, command, args, in);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	said.status = WEXITSTATUS(status);
	said.out = said_text(home, "out");
	said.err = said_text(home, "err");
	return said;
}

#endif
