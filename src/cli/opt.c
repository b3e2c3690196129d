#include "cli/opt.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define SHOWN_MAX 80 /* bytes of a bad word that a message repeats */

/* Where the reading stands. */
struct cursor {
	const struct pmg_opt_parse *how;
	char *const *argv; /* next word */
	struct pmg_err *err;
};

static bool takes_value(const struct pmg_opt *row)
{
	return row->kind != PMG_OPT_FLAG && row->kind != PMG_OPT_COUNT &&
	       row->kind != PMG_OPT_LATER;
}

static const struct pmg_opt *find(const struct pmg_opt_parse *how, const char *name, size_t len,
				  char letter, void **base)
{
	const struct pmg_opt *row;
	size_t i;

	for (i = 0; i < how->n_sets; i++)
		for (row = how->sets[i].rows; row && row->kind != PMG_OPT_END; row++)
			if (name ? strlen(row->name) == len && !strncmp(row->name, name, len)
				 : row->letter == letter) {
				*base = how->sets[i].base;
				return row;
			}
	return NULL;
}

static int unknown(const struct cursor *at, const char *name, size_t len)
{
	pmg_autofree char *typed = pmg_xstrndup(name, len);
	pmg_autofree char *shown = pmg_str_quote(name, len, SHOWN_MAX);
	const char *words[128], *near;
	const struct pmg_opt *row;
	size_t n = 0, i;

	for (i = 0; i < at->how->n_sets; i++)
		for (row = at->how->sets[i].rows; row && row->kind != PMG_OPT_END; row++)
			if (row->help && n < PMG_ARRAY_LEN(words) - 1)
				words[n++] = row->name;
	words[n] = NULL;
	near = pmg_str_nearest(typed, words);
	(void)pmg_err_set(at->err, PMG_E_USAGE, 0, "unknown option --%s", shown);
	if (near)
		return pmg_err_hint(at->err, "did you mean --%s?", near);
	return -PMG_E_USAGE;
}

/* Is value one of "a|b|c"? */
static bool is_word(const char *words, const char *value)
{
	const char *at, *end;
	size_t len;

	assert(value);
	len = strlen(value);
	for (at = words; at; at = end ? end + 1 : NULL) {
		end = strchr(at, '|');
		if ((end ? (size_t)(end - at) : strlen(at)) == len && !strncmp(at, value, len))
			return true;
	}
	return false;
}

static int bad_value(struct pmg_err *err, const struct pmg_opt *row, const char *value)
{
	pmg_autofree char *shown = NULL;

	assert(value);
	shown = pmg_str_quote(value, strlen(value), SHOWN_MAX);
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "--%s does not take \"%s\"", row->name, shown);
	if (row->kind == PMG_OPT_WORD)
		return pmg_err_hint(err, "it takes %s", row->arg);
	return pmg_err_hint(err, "it takes a number from 0 to %llu", (unsigned long long)row->max);
}

static int store(const struct pmg_opt *row, void *base, const char *value, struct pmg_err *err)
{
	void *field = (char *)base + row->offset;

	switch (row->kind) {
	case PMG_OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case PMG_OPT_COUNT:
		++*(unsigned *)field;
		return 0;
	case PMG_OPT_UINT:
		assert(value);
		if (pmg_parse_uint(value, row->max, (uint64_t *)field) < 0)
			return bad_value(err, row, value);
		return 0;
	case PMG_OPT_WORD:
		if (!is_word(row->arg, value))
			return bad_value(err, row, value);
		*(const char **)field = value;
		return 0;
	case PMG_OPT_TEXT:
		*(const char **)field = value;
		return 0;
	case PMG_OPT_LIST:
		pmg_strv_add(field, value);
		return 0;
	case PMG_OPT_LATER:
		return pmg_err_set(err, PMG_E_USAGE, 0, "--%s is not supported by this version",
				   row->name);
	case PMG_OPT_END:
		break;
	}
	return pmg_err_set(err, PMG_E_INTERNAL, 0, "option row --%s has no kind", row->name);
}

/* The value in the word itself (after "=" or the letter), else the next word. */
static int give(struct cursor *at, const struct pmg_opt *row, void *base, const char *inline_value)
{
	const char *value = inline_value;

	if (!value && takes_value(row)) {
		value = *at->argv;
		if (!value) {
			(void)pmg_err_set(at->err, PMG_E_USAGE, 0, "--%s needs a value", row->name);
			return pmg_err_hint(at->err, "write --%s=%s", row->name, row->arg);
		}
		at->argv++;
	}
	return store(row, base, value, at->err);
}

static int long_option(struct cursor *at, const char *word)
{
	const char *name = word + 2, *eq = strchr(name, '=');
	size_t len = eq ? (size_t)(eq - name) : strlen(name);
	void *base = NULL;
	const struct pmg_opt *row = find(at->how, name, len, 0, &base);

	if (!row)
		return unknown(at, name, len);
	if (eq && !takes_value(row) && row->kind != PMG_OPT_LATER)
		return pmg_err_set(at->err, PMG_E_USAGE, 0, "--%s takes no value", row->name);
	return give(at, row, base, eq ? eq + 1 : NULL);
}

static int cluster(struct cursor *at, const char *word)
{
	const struct pmg_opt *row;
	const char *c;
	void *base = NULL;
	int r;

	for (c = word + 1; *c; c++) {
		row = find(at->how, NULL, 0, *c, &base);
		if (!row) {
			pmg_autofree char *shown = pmg_str_quote(c, 1, 1);

			return pmg_err_set(at->err, PMG_E_USAGE, 0, "unknown option -%s", shown);
		}
		if (takes_value(row))
			return give(at, row, base, c[1] ? c + 1 : NULL);
		r = store(row, base, NULL, at->err);
		if (r < 0)
			return r;
	}
	return 0;
}

int pmg_opts_parse(const struct pmg_opt_parse *how, char *const *argv, char **operands,
		   struct pmg_err *err)
{
	struct cursor at = { how, argv, err };
	bool rest = false;
	int n = 0, r = 0;

	while (*at.argv) {
		char *word = *at.argv++;

		if (rest || word[0] != '-' || word[1] == '\0') {
			operands[n++] = word;
			rest = rest || how->stop;
		} else if (strcmp(word, "--") == 0) {
			rest = true;
		} else {
			r = word[1] == '-' ? long_option(&at, word) : cluster(&at, word);
		}
		if (r < 0)
			return r;
	}
	operands[n] = NULL;
	return n;
}

void pmg_opts_done(const struct pmg_opt *rows, void *base)
{
	for (; rows && rows->kind != PMG_OPT_END; rows++)
		if (rows->kind == PMG_OPT_LIST)
			pmg_strv_done((struct pmg_strv *)(void *)((char *)base + rows->offset));
}

static char *left_column(const struct pmg_opt *row)
{
	char letter[5] = "    ";

	if (row->letter)
		(void)snprintf(letter, sizeof letter, "-%c, ", row->letter);
	return pmg_xasprintf("%s--%s%s%s", letter, row->name, row->arg ? " " : "",
			     row->arg ? row->arg : "");
}

void pmg_opts_help(const struct pmg_opt *rows, FILE *to)
{
	const struct pmg_opt *row;
	size_t wide = 0;

	for (row = rows; row && row->kind != PMG_OPT_END; row++) {
		pmg_autofree char *left = left_column(row);

		if (row->help && strlen(left) > wide)
			wide = strlen(left);
	}
	for (row = rows; row && row->kind != PMG_OPT_END; row++) {
		pmg_autofree char *left = left_column(row);

		if (row->help)
			(void)fprintf(to, "  %-*s  %s\n", (int)wide, left, row->help);
	}
}
