#include "base/strv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

void pmg_strv_done(struct pmg_strv *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i]);
	free(list->v);
	*list = (struct pmg_strv){ 0 };
}

void pmg_strv_take(struct pmg_strv *list, char *s)
{
	if (!list->v || list->n + 2 > list->cap) {
		list->cap = list->cap ? list->cap * 2 : 8;
		list->v = pmg_xrealloc(list->v, list->cap, sizeof *list->v);
	}
	list->v[list->n++] = s;
	list->v[list->n] = NULL;
}

void pmg_strv_add(struct pmg_strv *list, const char *s)
{
	pmg_strv_take(list, pmg_xstrdup(s));
}

void pmg_strv_addf(struct pmg_strv *list, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	pmg_strv_take(list, pmg_xvasprintf(fmt, ap));
	va_end(ap);
}

bool pmg_strv_has(const struct pmg_strv *list, const char *s)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (pmg_streq(list->v[i], s))
			return true;
	return false;
}

bool pmg_strv_add_once(struct pmg_strv *list, const char *s)
{
	if (pmg_strv_has(list, s))
		return false;
	pmg_strv_add(list, s);
	return true;
}

void pmg_strv_remove(struct pmg_strv *list, size_t i)
{
	free(list->v[i]);
	memmove(list->v + i, list->v + i + 1, (list->n - i) * sizeof *list->v);
	list->n--;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void pmg_strv_sort(struct pmg_strv *list)
{
	if (list->n > 1)
		qsort(list->v, list->n, sizeof *list->v, by_bytes);
}

void pmg_strv_extend(struct pmg_strv *list, char *const *v)
{
	for (; *v; v++)
		pmg_strv_add(list, *v);
}

void pmg_strv_extend_once(struct pmg_strv *list, const struct pmg_strv *more)
{
	size_t i;

	for (i = 0; i < more->n; i++)
		(void)pmg_strv_add_once(list, more->v[i]);
}

void pmg_strv_split(struct pmg_strv *list, const char *text, const char *separators)
{
	size_t n;

	for (; *text; text += n) {
		text += strspn(text, separators);
		n = strcspn(text, separators);
		if (n > 0)
			pmg_strv_take(list, pmg_xstrndup(text, n));
	}
}

char *pmg_strv_join(const struct pmg_strv *list, const char *between, size_t max)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(max);
	size_t i;

	for (i = 0; i < list->n; i++)
		if (pmg_str_addf(&text, "%s%s", i > 0 ? between : "", list->v[i]) < 0)
			break;
	return pmg_str_steal(&text);
}

char *const *pmg_strv_argv(struct pmg_strv *list)
{
	if (!list->v) {
		list->cap = 8;
		list->v = pmg_xcalloc(list->cap, sizeof *list->v);
	}
	return list->v;
}
