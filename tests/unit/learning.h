#ifndef PMG_TESTS_UNIT_LEARNING_H
#define PMG_TESTS_UNIT_LEARNING_H
/** For the tests of learn(): a home, a project and a program that says its default, in a folder of
 * the test's own. The texts of rows name them as "{home}", "{project}", "{top}". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/env.h"
#include "base/str.h"
#include "pm/pm.h"

struct learning {
	char *top;
	char *home;
	char *project;
	char *cache;
	char *program;
	struct pmg_strv env;
	struct pmg_strv argv;
	struct pmg_place place;
	const struct pmg_pm *pm; /* whose learn() is tested */
};

/* Replaces "{top}" and so on. */
static inline char *learning_text(const struct learning *l, const char *text)
{
	const struct {
		const char *mark;
		const char *value;
	} rows[] = { { "{top}", l->top }, { "{home}", l->home }, { "{project}", l->project } };
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(1048576);
	size_t i, n;
	int r = 0;

	while (*text && r == 0) {
		for (i = 0, n = 0; i < PMG_ARRAY_LEN(rows) && n == 0; i++)
			if (pmg_str_has_prefix(text, rows[i].mark)) {
				n = strlen(rows[i].mark);
				r = pmg_str_adds(&out, rows[i].value);
			}
		if (n == 0)
			r = pmg_str_add(&out, text, n = 1);
		text += n;
	}
	return r == 0 ? pmg_str_steal(&out) : NULL;
}

/* Write a file below top. */
static inline void learning_write(const struct learning *l, const char *name, const char *text)
{
	pmg_autofree char *filled = learning_text(l, text);

	folder_write(l->top, name, filled, strlen(filled));
}

/* A program below top/bin: a shell script. Each call adds a line to top/asked. */
static inline void learning_program(const struct learning *l, const char *name, const char *script)
{
	pmg_autofree char *file = pmg_xasprintf("bin/%s", name);
	pmg_autofree char *path = pmg_path_join(l->top, file);
	pmg_autofree char *text =
		pmg_xasprintf("#!/bin/sh\necho \"%s $*\" >>'%s/asked'\n%s\n", name, l->top, script);

	folder_write(l->top, file, text, strlen(text));
	(void)chmod(path, 0700);
}

static inline void learning_begin(struct learning *l, const char *tool)
{
	pmg_autofree char *bin = NULL;
	pmg_autofree char *path = NULL;

	*l = (struct learning){ .top = folder_new(), .pm = pmg_pm_find(tool) };
	bin = pmg_path_join(l->top, "bin");
	l->home = pmg_path_join(l->top, "home");
	l->project = pmg_path_join(l->top, "home/project");
	l->cache = pmg_path_join(l->top, "home/cache");
	l->program = pmg_path_join(bin, tool);
	folder_write(l->top, "home/project/package.json", "{}", 2);
	/* A node of our own, or the global configuration would be this machine's. */
	learning_program(l, "node", "exit 1");
	path = pmg_xasprintf("%s:/usr/bin:/bin", bin);
	pmg_env_set(&l->env, "PATH", path);
	pmg_env_set(&l->env, "HOME", l->home);
}

/* Ready to learn from a command line, words apart by one blank. Replaces an earlier line. */
static inline const struct pmg_place *learning_place(struct learning *l, const char *line)
{
	pmg_autofree char *copy = learning_text(l, line);
	char *word, *save = NULL;

	pmg_strv_done(&l->argv);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		pmg_strv_add(&l->argv, word);
	l->place = (struct pmg_place){ .program = l->program,
				       .cwd = l->project,
				       .home = l->home,
				       .cache_dir = l->cache,
				       .env = &l->env,
				       .argv = pmg_strv_argv(&l->argv) };
	return &l->place;
}

static inline void learning_end(struct learning *l)
{
	folder_free(l->top);
	free(l->home);
	free(l->project);
	free(l->cache);
	free(l->program);
	pmg_strv_done(&l->env);
	pmg_strv_done(&l->argv);
}

static inline int learning_teardown(void **state)
{
	learning_end(*state);
	return 0;
}

/* What a command line teaches; the test ends when it teaches nothing. */
static inline void learn_ok(struct learning *l, const char *line, struct pmg_facts *facts)
{
	struct pmg_err err = PMG_ERR_INIT;

	if (l->pm->learn(learning_place(l, line), facts, &err) < 0)
		fail_msg("%s", err.msg);
}

/* The command line that is left for the tool, words apart by one blank. */
static inline void learning_line_is(const struct pmg_facts *facts, const char *line)
{
	pmg_autofree char *got = pmg_strv_join(&facts->argv, " ", 4096);

	assert_string_equal(got, line);
}

/* What learn() said of a setting that would lead round pmg. @param msg  behind the folder; NULL: it
 * has to be fine */
static inline void learning_refuses(const struct learning *l, int r, const struct pmg_err *err,
				    const char *msg)
{
	if (r != (msg ? -PMG_E_UNSUPPORTED : 0))
		fail_msg("%d, not as in \"%s\": %s", r, msg ? msg : "fine", err->msg);
	if (!msg)
		return;
	assert_true(pmg_str_has_prefix(err->msg, l->top));
	assert_string_equal(err->msg + strlen(l->top), msg);
	assert_true(err->hint[0] != '\0');
}

/* How often a program was asked. */
static inline size_t learning_asked(const struct learning *l)
{
	pmg_autofree char *path = pmg_path_join(l->top, "asked");
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0, n = 0, i;

	if (pmg_io_slurp(path, 65536, &text, &len, &err) < 0)
		return 0;
	for (i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

/* "URL [scope] <- origin[:line]" of each registry, one a line, with {top} for the folder. */
static inline char *learning_registries(const struct learning *l, const struct pmg_facts *facts)
{
	struct pmg_str out = PMG_STR_INIT(65536);
	size_t i;
	int r = pmg_str_adds(&out, "");

	for (i = 0; i < facts->n_registries && r == 0; i++) {
		const struct pmg_registry *reg = &facts->registries[i];
		pmg_autofree char *url = pmg_url_text(&reg->base);
		const char *what = reg->origin.what;
		bool below = pmg_str_has_prefix(what, l->top);

		r = pmg_str_addf(&out, "%s%s%s <- %s%s", url, reg->scope ? " " : "",
				 reg->scope ? reg->scope : "", below ? "{top}" : "",
				 below ? what + strlen(l->top) : what);
		if (r == 0 && reg->origin.line > 0)
			r = pmg_str_addf(&out, ":%u", reg->origin.line);
		if (r == 0)
			r = pmg_str_adds(&out, "\n");
	}
	return pmg_str_steal(&out);
}

/* Addresses of the registries that are asked for names without a scope, apart by blanks. */
static inline char *learning_asks(const struct pmg_facts *facts)
{
	struct pmg_str out = PMG_STR_INIT(65536);
	size_t i;
	int r = pmg_str_adds(&out, "");

	for (i = 0; i < facts->n_registries && r == 0; i++) {
		pmg_autofree char *url = pmg_url_text(&facts->registries[i].base);

		if (!facts->registries[i].scope && !facts->registries[i].is_replaced)
			r = pmg_str_addf(&out, "%s%s", out.len > 0 ? " " : "", url);
	}
	return pmg_str_steal(&out);
}

/* Which registries are asked where this is all that is set? */
struct learning_row {
	const char *file, *text; /* NULL: none */
	const char *env;         /* NAME=VALUE, or NULL */
	const char *line, *asks;
};

static inline void learning_ask_rows(struct learning *l, const struct learning_row *rows, size_t n)
{
	size_t i, known = l->env.n;

	for (i = 0; i < n; i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *asks = NULL;

		if (rows[i].file)
			learning_write(l, rows[i].file, rows[i].text);
		if (rows[i].env)
			pmg_strv_add(&l->env, rows[i].env);
		learn_ok(l, rows[i].line, &facts);
		asks = learning_asks(&facts);
		if (strcmp(asks, rows[i].asks) != 0)
			fail_msg("row %zu: %s", i, asks);
		if (rows[i].file)
			learning_write(l, rows[i].file, "");
		while (l->env.n > known)
			free(l->env.v[--l->env.n]);
	}
}

/* "URL name version" of each source, "-" for what is not known, one a line. */
static inline char *learning_sources(const struct pmg_facts *facts)
{
	struct pmg_str out = PMG_STR_INIT(65536);
	size_t i;
	int r = pmg_str_adds(&out, "");

	for (i = 0; i < facts->n_sources && r == 0; i++) {
		const struct pmg_source *s = &facts->sources[i];
		pmg_autofree char *url = pmg_url_text(&s->url);

		r = pmg_str_addf(&out, "%s %s %s\n", url, s->name ? s->name : "-",
				 s->version ? s->version : "-");
	}
	return pmg_str_steal(&out);
}

#endif
