#include "cli/editor.h"

#include <glob.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/env.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"

struct play {
	char *top, *path, *log;
	struct pmg_strv env;
	struct pmg_out out;
	FILE *messages;
	char *said;
	size_t said_len;
	int in;
};

/* An editor: a script that finds the copy as its last word, and what it is told in EDIT. */
static void begin(struct play *play, const char *script)
{
	pmg_autofree char *text = pmg_xasprintf("#!/bin/sh\nn=$#\necho \"$@\" >>\"$LOG\"\n"
						"for last in \"$@\"; do :; done\n%s\n",
						script);
	pmg_autofree char *editor = NULL;

	*play = (struct play){ .top = folder_new(), .in = -1 };
	folder_write(play->top, "bin/my editor", text, strlen(text));
	folder_write(play->top, "bin/editor", text, strlen(text));
	folder_write(play->top, "bin/bare", strchr(text, '\n') + 1, strlen(strchr(text, '\n') + 1));
	folder_write(play->top, "conf/x.yml", "old: 1\n", 7);
	editor = pmg_path_join(play->top, "bin/my editor");
	assert_int_equal(chmod(editor, 0755), 0);
	free(pmg_steal_ptr(&editor));
	editor = pmg_path_join(play->top, "bin/editor");
	assert_int_equal(chmod(editor, 0755), 0);
	free(pmg_steal_ptr(&editor));
	editor = pmg_path_join(play->top, "bin/bare");
	assert_int_equal(chmod(editor, 0755), 0);
	play->path = pmg_path_join(play->top, "conf/x.yml");
	play->log = pmg_path_join(play->top, "log");
	pmg_env_set(&play->env, "LOG", play->log);
	pmg_env_set(&play->env, "TMPDIR", play->top);
	pmg_strv_addf(&play->env, "PATH=%s/bin:/usr/bin:/bin", play->top);
	pmg_env_set(&play->env, "VISUAL", "editor");
	play->messages = open_memstream(&play->said, &play->said_len);
	play->out = (struct pmg_out){ .to = play->messages, .messages = play->messages };
}

static void end(struct play *play)
{
	(void)fclose(play->messages);
	free(play->said);
	folder_free(play->top);
	free(play->path);
	free(play->log);
	pmg_strv_done(&play->env);
	if (play->in >= 0)
		(void)close(play->in);
}

/* Only "good: ..." is. */
static int check(const char *label, const char *text, size_t len, void *arg, struct pmg_err *err)
{
	++*(unsigned *)arg;
	if (len >= 4 && memcmp(text, "good", 4) == 0)
		return 0;
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s:1:1: not good", label);
	return pmg_err_hint(err, "write good");
}

static int edit_as(struct play *play, const char *path, const char *text, bool is_new,
		   bool *written, unsigned *checks, struct pmg_err *err)
{
	const struct pmg_edit edit = { .env = &play->env,
				       .out = &play->out,
				       .in = play->in,
				       .path = path,
				       .text = text,
				       .is_new = is_new,
				       .check = check,
				       .arg = checks };

	return pmg_edit(&edit, written, err);
}

static char *file_at(const char *path)
{
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	size_t len;

	if (pmg_io_slurp(path, 65536, &text, &len, &err) < 0)
		return pmg_xstrdup("(none)");
	return text;
}

/* Copies that are left behind. @param[out] text  of the last one */
static unsigned copies_left(const struct play *play, char **text)
{
	pmg_autofree char *pattern = pmg_xasprintf("%s/pmg-edit-*/x.yml", play->top);
	glob_t found = { 0 };
	unsigned n = 0;

	if (glob(pattern, 0, NULL, &found) == 0)
		n = (unsigned)found.gl_pathc;
	*text = n > 0 ? file_at(found.gl_pathv[n - 1]) : NULL;
	globfree(&found);
	return n;
}

static void what_can_be_used_replaces_the_file(void **state)
{
	static const struct {
		const char *script;
		bool written;
		const char *after;
	} rows[] = {
		{ "echo 'good: 2' >\"$last\"", true, "good: 2\n" },
		{ "echo 'good: 2' >\"$last.new\"; mv \"$last.new\" \"$last\"", true, "good: 2\n" },
		{ ":", false, "good: 1\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *after = NULL;
		pmg_autofree char *copy = NULL;
		bool written = !rows[i].written;
		unsigned checks = 0;
		struct play play;
		struct stat st;

		begin(&play, rows[i].script);
		folder_write(play.top, "conf/x.yml", "good: 1\n", 8);
		assert_int_equal(chmod(play.path, 0644), 0);
		if (edit_as(&play, play.path, "good: 1\n", false, &written, &checks, &err) < 0)
			fail_msg("row %zu: %s", i, err.msg);
		assert_int_equal(written, rows[i].written);
		assert_int_equal(checks, 1);
		after = file_at(play.path);
		assert_string_equal(after, rows[i].after);
		assert_int_equal(stat(play.path, &st), 0);
		assert_int_equal(st.st_mode & 07777, rows[i].written ? 0600 : 0644);
		assert_int_equal(copies_left(&play, &copy), 0);
		end(&play);
	}
}

/* Whatever goes wrong, the file is as it was and what was typed is in a file that is named. */
static void what_cannot_be_taken_is_kept_beside(void **state)
{
	static const struct {
		const char *script;
		int code;
		const char *msg, *hint, *kept;
	} rows[] = {
		{ "echo 'bad: 2' >\"$last\"", PMG_E_CONFIG, "/conf/x.yml:1:1: not good",
		  "x.yml; write good", "bad: 2\n" },
		{ "echo 'good: 2' >\"$last\"; exit 3", PMG_E_USAGE, " ended with 3", "x.yml",
		  "good: 2\n" },
		{ "echo 'good: 2' >\"$last\"; kill -9 $$", PMG_E_USAGE, " by signal 9", "x.yml",
		  "good: 2\n" },
		{ "echo 'good: 2' >\"$last\"; echo other >\"$FILE\"", PMG_E_USAGE,
		  "was changed meanwhile", "x.yml", "good: 2\n" },
		{ "rm \"$last\"", PMG_E_NOTFOUND, "x.yml", "", NULL },
		/* Nothing was typed: there is nothing to keep, nor a folder to leave. */
		{ "exit 3", PMG_E_USAGE, " ended with 3", "nothing was changed", NULL },
		{ ":", PMG_E_CONFIG, "/conf/x.yml:1:1: not good", "nothing was changed; write good",
		  NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *after = NULL;
		pmg_autofree char *copy = NULL;
		bool written = true, other = strstr(rows[i].msg, "meanwhile") != NULL;
		unsigned checks = 0;
		struct play play;

		begin(&play, rows[i].script);
		pmg_env_set(&play.env, "FILE", play.path);
		assert_int_equal(
			edit_as(&play, play.path, "old: 1\n", false, &written, &checks, &err),
			-rows[i].code);
		if (!strstr(err.msg, rows[i].msg) || !strstr(err.hint, rows[i].hint))
			fail_msg("row %zu: %s (%s)", i, err.msg, err.hint);
		assert_true(written); /* untouched */
		after = file_at(play.path);
		assert_string_equal(after, other ? "other\n" : "old: 1\n");
		assert_int_equal(copies_left(&play, &copy), rows[i].kept ? 1 : 0);
		if (rows[i].kept)
			assert_string_equal(copy, rows[i].kept);
		end(&play);
	}
}

static void who_sits_at_a_terminal_is_asked_once_more(void **state)
{
	static const struct {
		const char *typed;
		int r;
		unsigned checks;
	} rows[] = {
		{ "\n", 0, 2 },
		{ "y\n", 0, 2 },
		{ "n\n", -PMG_E_CONFIG, 1 },
		{ "\4", -PMG_E_CONFIG, 1 }, /* end of file */
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *after = NULL;
		bool written = false;
		unsigned checks = 0;
		struct play play;
		int keys = -1;

		/* The second time it adds what is missing to what the first has left. */
		begin(&play, "if grep -q bad \"$last\"; then echo 'good: 2' >\"$last\"; "
			     "else echo 'bad: 2' >\"$last\"; fi");
		assert_int_equal(openpty(&keys, &play.in, NULL, NULL, NULL), 0);
		assert_int_equal(write(keys, rows[i].typed, strlen(rows[i].typed)),
				 (ssize_t)strlen(rows[i].typed));
		assert_int_equal(
			edit_as(&play, play.path, "old: 1\n", false, &written, &checks, &err),
			rows[i].r);
		assert_int_equal(checks, rows[i].checks);
		assert_int_equal(written, rows[i].r == 0);
		assert_int_equal(fflush(play.messages), 0);
		assert_non_null(strstr(play.said, "x.yml:1:1: not good\npmg: write good\npmg: edit "
						  "again? [Y/n] "));
		if (rows[i].r < 0) {
			assert_true(pmg_str_has_suffix(err.msg, "/conf/x.yml is not saved"));
			assert_non_null(strstr(err.hint, "your text is in "));
		}
		after = file_at(play.path);
		assert_string_equal(after, rows[i].r == 0 ? "good: 2\n" : "old: 1\n");
		(void)close(keys);
		end(&play);
	}
}

static void the_editor_is_the_one_that_is_set(void **state)
{
	static const struct {
		const char *visual, *editor;
		const char *words; /* that the editor got before the file; NULL: an error */
		const char *msg;
	} rows[] = {
		{ NULL, NULL, "", NULL },
		{ "", "", "", NULL },
		{ NULL, "editor -w", "-w ", NULL },
		{ "editor --wait", "none", "--wait ", NULL },
		{ "'my editor' -c \"a 'b\" c\\ d", NULL, "-c a 'b c d ", NULL },
		{ "{top}/bin/editor", NULL, "", NULL },
		{ "bare -w", NULL, "-w ", NULL }, /* a script without "#!" */
		{ "none", NULL, NULL, "no editor called none" },
		{ "'editor", NULL, NULL, "VISUAL is no command line" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *log = NULL;
		bool written = false;
		unsigned checks = 0;
		struct play play;
		int r;

		begin(&play, "echo good >\"$last\"");
		/* Of what is installed here none may be taken for ours. */
		pmg_autofree char *path = pmg_xasprintf("%s/bin:/nonexistent", play.top);
		pmg_autofree char *whole = pmg_xasprintf("%s/bin/editor", play.top);

		pmg_env_set(&play.env, "PATH", path);
		assert_true(pmg_env_unset(&play.env, "VISUAL"));
		if (rows[i].visual)
			pmg_env_set(&play.env, "VISUAL",
				    rows[i].visual[0] == '{' ? whole : rows[i].visual);
		if (rows[i].editor)
			pmg_env_set(&play.env, "EDITOR", rows[i].editor);
		r = edit_as(&play, play.path, "old: 1\n", false, &written, &checks, &err);
		if (rows[i].words) {
			if (r < 0)
				fail_msg("row %zu: %s", i, err.msg);
			log = file_at(play.log);
			assert_true(pmg_str_has_prefix(log, rows[i].words));
			assert_true(pmg_str_has_prefix(log + strlen(rows[i].words), play.top));
			assert_true(pmg_str_has_suffix(log, "/x.yml\n"));
		} else {
			assert_true(r < 0);
			assert_string_equal(err.msg, rows[i].msg);
		}
		end(&play);
	}
}

static void a_new_file_is_made_in_a_new_folder_and_never_over_another(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;
	pmg_autofree char *after = NULL;
	pmg_autofree char *old = NULL;
	bool written = false;
	unsigned checks = 0;
	struct play play;

	(void)state;
	begin(&play, ":");
	path = pmg_path_join(play.top, "new/presets/x.yml");
	assert_int_equal(edit_as(&play, path, "good: 0\n", true, &written, &checks, &err), 0);
	assert_true(written);
	after = file_at(path);
	assert_string_equal(after, "good: 0\n");
	assert_int_equal(edit_as(&play, play.path, "good: 0\n", true, &written, &checks, &err),
			 -PMG_E_USAGE);
	assert_non_null(strstr(err.msg, "x.yml is there already"));
	old = file_at(play.path);
	assert_string_equal(old, "old: 1\n");
	end(&play);
}

static void a_link_stays_one(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;
	pmg_autofree char *after = NULL;
	bool written = false;
	unsigned checks = 0;
	struct play play;
	struct stat st;

	(void)state;
	begin(&play, "echo good >\"$last\"");
	path = pmg_path_join(play.top, "linked.yml");
	assert_int_equal(symlink(play.path, path), 0);
	assert_int_equal(edit_as(&play, path, "old: 1\n", false, &written, &checks, &err), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	after = file_at(play.path);
	assert_string_equal(after, "good\n");
	end(&play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_be_used_replaces_the_file),
		cmocka_unit_test(what_cannot_be_taken_is_kept_beside),
		cmocka_unit_test(who_sits_at_a_terminal_is_asked_once_more),
		cmocka_unit_test(the_editor_is_the_one_that_is_set),
		cmocka_unit_test(a_new_file_is_made_in_a_new_folder_and_never_over_another),
		cmocka_unit_test(a_link_stays_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
