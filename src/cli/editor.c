#include "cli/editor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/dirs.h"
#include "conf/yaml.h"

#define WORDS_MAX 32U
#define ASKED_MAX 20U /* who answers nothing, by a program, must not go on for ever */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* The next word as a shell would take it apart, without what a shell would replace. */
static const char *next_word(const char *p, struct pmg_str *word)
{
	char quote = 0;
	int r = 0;

	for (; r == 0 && *p && (quote || !is_blank(*p)); p++) {
		if (quote ? *p == quote : (*p == '\'' || *p == '"'))
			quote = quote ? 0 : *p;
		else if (*p == '\\' && quote != '\'' && p[1])
			r = pmg_str_add(word, ++p, 1);
		else
			r = pmg_str_add(word, p, 1);
	}
	return quote || r < 0 ? NULL : p;
}

static int split(const char *variable, const char *text, struct pmg_strv *words,
		 struct pmg_err *err)
{
	const char *p = text;

	while (p && *(p += strspn(p, " \t\n"))) {
		pmg_auto(str) struct pmg_str word = PMG_STR_INIT(PMG_OUT_TEXT_MAX);

		p = next_word(p, &word);
		if (p && words->n < WORDS_MAX)
			pmg_strv_take(words, pmg_str_steal(&word));
		else
			p = NULL;
	}
	return p ? 0 : pmg_err_set(err, PMG_E_USAGE, 0, "%s is no command line", variable);
}

/* Words that start the editor, the first one absolute. */
static int find_editor(const struct pmg_strv *env, struct pmg_strv *words, struct pmg_err *err)
{
	static const char *const variables[] = { "VISUAL", "EDITOR" };
	static const char *const known[] = { "sensible-editor", "editor", "nano", "vi" };
	char *program = NULL;
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && words->n == 0 && i < PMG_ARRAY_LEN(variables); i++) {
		const char *value = pmg_env_get(env, variables[i]);

		if (value)
			r = split(variables[i], value, words, err);
	}
	if (r < 0)
		return r;
	if (words->n > 0 && words->v[0][0] == '/')
		return 0;
	if (words->n > 0)
		program = pmg_env_search(env, words->v[0]);
	for (i = 0; words->n == 0 && !program && i < PMG_ARRAY_LEN(known); i++)
		program = pmg_env_search(env, known[i]);
	if (!program) {
		(void)pmg_err_set(err, PMG_E_NOTFOUND, 0, "no editor%s%s",
				  words->n > 0 ? " called " : "", words->n > 0 ? words->v[0] : "");
		return pmg_err_hint(err, "set VISUAL or EDITOR to one that is installed");
	}
	if (words->n == 0)
		pmg_strv_add(words, program);
	free(words->v[0]);
	words->v[0] = program;
	return 0;
}

/* In the child, with "/bin/sh" before the command line: only async-signal-safe calls. Ctrl-C is the
 * editor's; it has our terminal. */
static void become(char *const *argv, char *const *envp, const struct sigaction *interrupt,
		   const struct sigaction *quit, pid_t parent)
{
	char *const *by_shell = argv;

	argv++;
	(void)sigaction(SIGINT, interrupt, NULL);
	(void)sigaction(SIGQUIT, quit, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0) == 0 && getppid() == parent)
		execve(argv[0], argv, envp);
	if (errno == ENOEXEC) /* a script without "#!" is the shell's, as shells have it */
		execve(by_shell[0], by_shell, envp);
	_exit(127);
}

static int run_editor(struct pmg_strv *words, const struct pmg_strv *env, struct pmg_err *err)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, quit;
	struct pmg_strv copy = *env;
	pmg_auto(strv) struct pmg_strv line = { 0 };
	char *const *envp = pmg_strv_argv(&copy), *const * argv;
	pid_t parent = getpid(), pid;
	int status = 0;

	pmg_strv_add(&line, "/bin/sh");
	pmg_strv_extend(&line, pmg_strv_argv(words));
	argv = pmg_strv_argv(&line);
	(void)sigaction(SIGINT, &ignore, &interrupt);
	(void)sigaction(SIGQUIT, &ignore, &quit);
	pid = fork();
	if (pid == 0)
		become(argv, envp, &interrupt, &quit, parent);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	(void)sigaction(SIGINT, &interrupt, NULL);
	(void)sigaction(SIGQUIT, &quit, NULL);
	if (pid < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status))
		return pmg_err_set(err, PMG_E_USAGE, 0, "%s was ended by signal %d", words->v[0],
				   WTERMSIG(status));
	return pmg_err_set(err, PMG_E_USAGE, 0, "%s ended with %d", words->v[0],
			   WEXITSTATUS(status));
}

/* One round of it. */
struct round {
	const struct pmg_edit *edit;
	char *folder, *file; /* of the copy */
	char *text;          /* as the editor left it */
	size_t len;
	bool keep; /* it holds what nobody else has */
};

static void round_done(struct round *round)
{
	if (round->file && !round->keep) {
		(void)unlink(round->file);
		(void)rmdir(round->folder); /* an editor's own leftovers stay */
	}
	free(round->folder);
	free(round->file);
	free(round->text);
}
PMG_DEFINE_AUTO_DONE(round, struct round, round_done);

/* A folder of its own: editors write temporary files beside what they edit. */
static int make_copy(struct round *round, struct pmg_err *err)
{
	const char *tmp = pmg_env_get(round->edit->env, "TMPDIR");
	pmg_autofree char *folder =
		pmg_xasprintf("%s/pmg-edit-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");

	if (!mkdtemp(folder))
		return pmg_err_set(err, PMG_E_SYS, errno, "make %s", folder);
	round->folder = pmg_steal_ptr(&folder);
	round->file = pmg_path_join(round->folder, pmg_path_name(round->edit->path));
	return pmg_io_replace(round->file, round->edit->text, strlen(round->edit->text), 0600, err);
}

/* Is the copy what it was when the editor got it? */
static bool is_as_it_was(const struct round *round)
{
	pmg_autofree char *now = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	size_t len = 0;

	return pmg_io_slurp(round->file, PMG_YAML_TEXT_MAX, &now, &len, &scratch) == 0 &&
	       len == strlen(round->edit->text) && memcmp(now, round->edit->text, len) == 0;
}

static int keep(struct round *round, struct pmg_err *err)
{
	pmg_autofree char *hint = pmg_xstrdup(err->hint);

	if (is_as_it_was(round))
		return pmg_err_hint(err, "nothing was changed%s%s", *hint ? "; " : "", hint);
	round->keep = true;
	return pmg_err_hint(err, "nothing was changed, your text is in %s%s%s", round->file,
			    *hint ? "; " : "", hint);
}

/* @return true: once more. Only who sits at a terminal is asked. */
static bool ask_again(const struct pmg_edit *edit, const struct pmg_err *why)
{
	char line[64];
	ssize_t n;

	if (!isatty(edit->in))
		return false;
	pmg_out_error(edit->out, why);
	(void)fprintf(edit->out->messages, "pmg: edit again? [Y/n] ");
	(void)fflush(edit->out->messages);
	do
		n = read(edit->in, line, sizeof line - 1);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	line[n] = '\0';
	return line[strspn(line, " \t")] != 'n' && line[strspn(line, " \t")] != 'N';
}

static int read_back(struct round *round, struct pmg_err *err)
{
	int r;

	free(pmg_steal_ptr(&round->text));
	r = pmg_io_slurp(round->file, PMG_YAML_TEXT_MAX, &round->text, &round->len, err);
	return r == -PMG_E_LIMIT || r == -PMG_E_SYS ? keep(round, err) : r;
}

/* Until it can be used. */
static int edit_it(struct round *round, struct pmg_strv *words, struct pmg_err *err)
{
	const struct pmg_edit *edit = round->edit;
	unsigned i;
	int r;

	pmg_strv_add(words, round->file);
	for (i = 0; i < ASKED_MAX; i++) {
		struct pmg_err why = PMG_ERR_INIT;

		r = run_editor(words, edit->env, err);
		if (r < 0)
			return keep(round, err);
		r = read_back(round, err);
		if (r < 0)
			return r;
		if (edit->check(edit->path, round->text, round->len, edit->arg, &why) == 0)
			return 0;
		*err = why;
		if (ask_again(edit, &why))
			continue;
		if (isatty(edit->in)) /* then it was said already */
			(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s is not saved", edit->path);
		break;
	}
	return keep(round, err);
}

/* Is the file still what was edited? */
static int check_unchanged(const struct pmg_edit *edit, struct pmg_err *err)
{
	pmg_autofree char *now = NULL;
	size_t len = 0;
	int r;

	if (edit->is_new)
		return 0;
	r = pmg_io_slurp(edit->path, PMG_YAML_TEXT_MAX, &now, &len, err);
	if (r < 0)
		return r;
	if (len == strlen(edit->text) && memcmp(now, edit->text, len) == 0)
		return 0;
	return pmg_err_set(err, PMG_E_USAGE, 0, "%s was changed meanwhile", edit->path);
}

int pmg_edit_write(const char *path, const char *text, size_t len, bool is_new, struct pmg_err *err)
{
	pmg_autofree char *real = pmg_path_real(path);
	pmg_autofree char *dir = pmg_path_dir(real ? real : path);
	struct stat st;
	int r;

	if (is_new && lstat(path, &st) == 0)
		return pmg_err_set(err, PMG_E_USAGE, 0, "%s is there already", path);
	r = pmg_dirs_make(dir, err);
	return r < 0 ? r : pmg_io_replace(real ? real : path, text, len, 0600, err);
}

int pmg_edit(const struct pmg_edit *edit, bool *written, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv words = { 0 };
	pmg_auto(round) struct round round = { .edit = edit };
	int r = find_editor(edit->env, &words, err);

	if (r == 0)
		r = make_copy(&round, err);
	if (r == 0)
		r = edit_it(&round, &words, err);
	if (r < 0)
		return r;
	if (!edit->is_new && round.len == strlen(edit->text) &&
	    memcmp(round.text, edit->text, round.len) == 0) {
		*written = false;
		return 0;
	}
	r = check_unchanged(edit, err);
	if (r == 0)
		r = pmg_edit_write(edit->path, round.text, round.len, edit->is_new, err);
	if (r < 0)
		return keep(&round, err);
	*written = true;
	return 0;
}
