#ifndef PMG_TESTS_UNIT_CASES_H
#define PMG_TESTS_UNIT_CASES_H
/**
 * Files of cases, below tests/policy: one statement a line, words between blanks, "\x20" for a
 * blank in a word, "#" begins a comment, and what is expected stands behind "=>". A test says which
 * statements there are.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"

struct cases {
	const char *file;
	unsigned line;
	struct pmg_strv words; /* of the line */
	size_t at;             /* of "=>"; as many as there are words without one */
	unsigned questions;
};

__attribute__((noreturn)) static inline void cases_wrong(const struct cases *cases,
							 const char *what)
{
	fail_msg("%s:%u: %s", cases->file, cases->line, what);
	abort(); /* fail_msg does not come back */
}

static inline const char *cases_word(const struct cases *cases, size_t i)
{
	if (i >= cases->words.n)
		cases_wrong(cases, "a word is missing");
	return cases->words.v[i];
}

static inline unsigned cases_one_of(const struct cases *cases, const char *text,
				    const char *const *v, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (pmg_streq(v[i], text))
			return i;
	cases_wrong(cases, text);
}

/** The words from the one at `from` on, before the one at `to`, with a blank between them; NULL:
 * there are none. Caller frees. */
static inline char *cases_join(const struct cases *cases, size_t from, size_t to)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(65536);
	size_t i;

	for (i = from; i < to && i < cases->words.n; i++)
		if (pmg_str_addf(&out, "%s%s", i > from ? " " : "", cases->words.v[i]) < 0)
			abort();
	return out.len > 0 ? pmg_str_steal(&out) : NULL;
}

static inline void cases_compare(struct cases *cases, const char *got, const char *want)
{
	if (!pmg_streq(got, want))
		fail_msg("%s:%u: \"%s\", not \"%s\"", cases->file, cases->line, got, want);
	cases->questions++;
}

/** Is that what the line expects? */
static inline void cases_answer(struct cases *cases, const char *got)
{
	pmg_autofree char *want = cases_join(cases, cases->at + 1, cases->words.n);

	if (!want)
		cases_wrong(cases, "nothing is expected");
	cases_compare(cases, got, want);
}

/* \xNN in a word is that byte; any other "\" stays for the pattern. */
static inline void cases_unescape(char *text)
{
	char *to = text, *end, digits[3] = "";

	for (; *text; text++) {
		if (text[0] != '\\' || text[1] != 'x' || !text[2] || !text[3]) {
			*to++ = *text;
			continue;
		}
		memcpy(digits, text + 2, 2);
		*to++ = (char)strtoul(digits, &end, 16);
		text += 3;
	}
	*to = '\0';
}

/** @return false: there is nothing in the line */
static inline bool cases_split(struct cases *cases, const char *line)
{
	size_t i;

	pmg_strv_done(&cases->words);
	if (line[0] == '#')
		return false;
	pmg_strv_split(&cases->words, line, " \t");
	for (cases->at = 0; cases->at < cases->words.n; cases->at++)
		if (pmg_streq(cases->words.v[cases->at], "=>"))
			break;
	for (i = 0; i < cases->words.n; i++)
		cases_unescape(cases->words.v[i]);
	return cases->words.n > 0;
}

/** "built-in npm:9" as "built-in npm": lines of pmg's own files are no part of a case. Caller
 * frees. */
static inline char *cases_without_own_lines(const char *text)
{
	static const char mark[] = "built-in ";
	char *out = pmg_xstrdup(text), *at = out;

	while ((at = strstr(at, mark))) {
		size_t n;

		at += strlen(mark);
		at += strcspn(at, ": ");
		n = *at == ':' ? strspn(at + 1, "0123456789") : 0;
		if (n > 0)
			memmove(at, at + 1 + n, strlen(at + 1 + n) + 1);
	}
	return out;
}

/** Each line of each *.case in a folder below tests/policy. @return how many files there are */
static inline unsigned cases_read(const char *name, unsigned (*run)(const char *path, char *text))
{
	const char *top = getenv("srcdir") ? getenv("srcdir") : "..";
	pmg_autofree char *folder = pmg_path_join(top, name);
	unsigned files = 0;
	struct dirent *entry;
	DIR *dir = opendir(folder);

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		pmg_autofree char *path = pmg_path_join(folder, entry->d_name);
		pmg_autofree char *text = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		size_t len = 0;

		if (!pmg_str_has_suffix(path, ".case"))
			continue;
		if (pmg_io_slurp(path, 1 << 20, &text, &len, &err) < 0)
			fail_msg("%s", err.msg);
		if (run(path, text) == 0)
			fail_msg("%s asks nothing", path);
		files++;
	}
	(void)closedir(dir);
	return files;
}

/** The line that begins at *at, ended, and *at behind it; NULL: there are no more. */
static inline char *cases_line(struct cases *cases, char **at)
{
	char *line = *at, *end = line ? strchrnul(line, '\n') : NULL;

	if (!line || !*line)
		return NULL;
	if (*end)
		*end++ = '\0';
	*at = end;
	cases->line++;
	return line;
}

#endif
