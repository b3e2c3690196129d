#include "verdict/earlier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "pm/version.h"

/* What is code that runs. */
static const struct {
	enum pmg_trait kind, is_new;
	char letter;
} rows[] = {
	{ PMG_TRAIT_SCRIPTS, PMG_TRAIT_NEW_SCRIPTS, 's' },
	{ PMG_TRAIT_BUILD, PMG_TRAIT_NEW_BUILD, 'b' },
	{ PMG_TRAIT_STARTUP, PMG_TRAIT_NEW_STARTUP, 'p' },
	{ PMG_TRAIT_NATIVE, PMG_TRAIT_NEW_NATIVE, 'n' },
	{ PMG_TRAIT_BINARY, PMG_TRAIT_NEW_BINARY, 'x' },
};

/* A line, cut up. All point into the text. */
struct seen {
	const char *what; /* "eco name form" */
	const char *version;
	const char *contents;
};

struct pmg_earlier {
	char *text;
	struct seen *v; /* by what; read when first asked */
	size_t n, cap;
	bool is_read;
	struct pmg_strv kept;
};

struct pmg_earlier *pmg_earlier_new(char *text)
{
	struct pmg_earlier *earlier = pmg_xcalloc(1, sizeof *earlier);

	earlier->text = text;
	return earlier;
}

void pmg_earlier_free(struct pmg_earlier *earlier)
{
	if (!earlier)
		return;
	pmg_strv_done(&earlier->kept);
	free(earlier->v);
	free(earlier->text);
	free(earlier);
}

/* The end of the next word, which is cut off there. NULL: there is none. */
static char *cut(char *word)
{
	char *end = word ? strchr(word, ' ') : NULL;

	if (end)
		*end++ = '\0';
	return end;
}

static void read_line(struct pmg_earlier *earlier, char *line)
{
	struct seen seen = { .what = line };
	char *rest = line;
	unsigned words;

	for (words = 0; rest && words < 3; words++) {
		rest = strchr(rest, ' ');
		rest = rest ? rest + 1 : NULL;
	}
	if (!rest)
		return;
	rest[-1] = '\0';
	seen.version = rest;
	seen.contents = rest = cut(rest);
	(void)cut(rest);
	if (!seen.contents || !*seen.contents)
		return;
	earlier->v = pmg_grow(earlier->v, earlier->n, &earlier->cap, sizeof *earlier->v);
	earlier->v[earlier->n++] = seen;
}

static int by_what(const void *a, const void *b)
{
	return strcmp(((const struct seen *)a)->what, ((const struct seen *)b)->what);
}

static void read_text(struct pmg_earlier *earlier)
{
	char *rest = earlier->text, *line;

	earlier->is_read = true;
	while (earlier->n < PMG_EARLIER_MAX && (line = strsep(&rest, "\n")))
		read_line(earlier, line);
	if (earlier->n > 0)
		qsort(earlier->v, earlier->n, sizeof *earlier->v, by_what);
}

static char *what_of(const struct pmg_earlier_file *file)
{
	pmg_autofree char *name = pmg_name_canonical(file->eco, file->name);

	return pmg_xasprintf("%s %s %s", pmg_eco_name(file->eco), name,
			     file->is_wheel ? "wheel" : "source");
}

/* Of those below that version the highest. NULL: none was seen. */
static const struct seen *find_before(struct pmg_earlier *earlier,
				      const struct pmg_earlier_file *file)
{
	pmg_autofree char *what = what_of(file);
	const struct seen key = { .what = what }, *found = NULL, *one, *end;

	if (!earlier->is_read)
		read_text(earlier);
	one = earlier->n > 0 ? bsearch(&key, earlier->v, earlier->n, sizeof *earlier->v, by_what)
			     : NULL;
	if (!one)
		return NULL;
	end = earlier->v + earlier->n;
	while (one > earlier->v && by_what(one - 1, &key) == 0)
		one--;
	for (; one < end && by_what(one, &key) == 0; one++)
		if (pmg_version_compare(file->eco, one->version, file->version) < 0 &&
		    (!found || pmg_version_compare(file->eco, one->version, found->version) > 0))
			found = one;
	return found;
}

#define SUM_MAX 10U /* "." and eight digits, none of which is a letter of a kind */

static void sum_of(const struct pmg_strv *scripts, char out[SUM_MAX])
{
	uint32_t sum = PMG_FNV1A_INIT;
	size_t i;

	for (i = 0; i < scripts->n; i++)
		sum = pmg_fnv1a(sum, scripts->v[i], strlen(scripts->v[i]) + 1);
	(void)snprintf(out, SUM_MAX, ".%08" PRIX32, sum);
}

/* How it is new, in words; NULL: it is not. */
static const char *news(const struct seen *before, size_t row, const struct pmg_strv *texts)
{
	const char *before_sum = strchr(before->contents, '.');
	char sum[SUM_MAX];

	if (!strchr(before->contents, rows[row].letter))
		return "not in";
	sum_of(texts, sum);
	if (rows[row].kind == PMG_TRAIT_SCRIPTS && before_sum && strcmp(before_sum, sum) != 0)
		return "otherwise in";
	return NULL;
}

void pmg_earlier_compare(struct pmg_earlier *earlier, const struct pmg_earlier_file *file,
			 struct pmg_traits *findings)
{
	const struct seen *before = NULL;
	const char *how;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const struct pmg_strv *texts = &findings->texts[rows[i].kind];

		if (findings->counts[rows[i].kind] == 0)
			continue;
		if (!before)
			before = find_before(earlier, file);
		if (!before)
			return;
		how = news(before, i, texts);
		if (how)
			pmg_traits_add(findings, rows[i].is_new, "%s %s: %s", how, before->version,
				       texts->v[0]);
	}
}

void pmg_earlier_keep(struct pmg_earlier *earlier, const struct pmg_earlier_file *file,
		      const struct pmg_traits *findings)
{
	pmg_autofree char *what = what_of(file);
	char contents[PMG_ARRAY_LEN(rows) + 1] = "", sum[SUM_MAX] = "";
	size_t i, n = 0;

	/* A name with a blank could stand for another line. */
	if (earlier->kept.n == PMG_EARLIER_MAX || strpbrk(file->name, " \n") ||
	    strpbrk(file->version, " \n"))
		return;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (findings->counts[rows[i].kind] > 0)
			contents[n++] = rows[i].letter;
	if (findings->counts[PMG_TRAIT_SCRIPTS] > 0)
		sum_of(&findings->texts[PMG_TRAIT_SCRIPTS], sum);
	pmg_strv_addf(&earlier->kept, "%s %s %s%s", what, file->version, n > 0 ? contents : "-",
		      sum);
}

const struct pmg_strv *pmg_earlier_kept(const struct pmg_earlier *earlier)
{
	return &earlier->kept;
}
