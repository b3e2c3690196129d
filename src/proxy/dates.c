#include "proxy/dates.h"

#include <assert.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define TEXTS_MAX ((size_t)8 << 20) /* of one document: all that there is room for */

struct dated {
	size_t label; /* where in texts */
	int64_t published;
	bool is_kept;
};

struct pmg_dates_page {
	struct pmg_dates_page *prev, *next; /* by when it was put */
	size_t registry;
	char *name;
	struct pmg_str texts; /* labels, each with its NUL */
	struct dated *v;
	size_t n, cap;
	bool is_memory; /* of an earlier run: not all that there is */
};

struct pmg_dates {
	void *root;                          /* of pages, by registry and name */
	struct pmg_dates_page *first, *last; /* put longest ago; put last */
	size_t bytes;
};

static int by_package(const void *a, const void *b)
{
	const struct pmg_dates_page *x = a, *y = b;

	if (x->registry != y->registry)
		return x->registry < y->registry ? -1 : 1;
	return strcmp(x->name, y->name);
}

struct pmg_dates *pmg_dates_new(void)
{
	return pmg_xcalloc(1, sizeof(struct pmg_dates));
}

void pmg_dates_page_free(struct pmg_dates_page *page)
{
	if (!page)
		return;
	pmg_str_done(&page->texts);
	free(page->name);
	free(page->v);
	free(page);
}

static void free_page(void *page)
{
	pmg_dates_page_free(page);
}

void pmg_dates_free(struct pmg_dates *dates)
{
	if (!dates)
		return;
	tdestroy(dates->root, free_page);
	free(dates);
}

struct pmg_dates_page *pmg_dates_page_new(size_t registry, const char *name)
{
	struct pmg_dates_page *page = pmg_xcalloc(1, sizeof *page);

	page->registry = registry;
	page->name = pmg_xstrdup(name);
	page->texts.max = TEXTS_MAX;
	return page;
}

void pmg_dates_page_add(struct pmg_dates_page *page, const char *label, int64_t published)
{
	size_t len = strlen(label), at = page->texts.len;

	if (len > PMG_DATES_LABEL_MAX || pmg_str_add(&page->texts, label, len + 1) < 0)
		return;
	page->v = pmg_grow(page->v, page->n, &page->cap, sizeof *page->v);
	page->v[page->n++] = (struct dated){ .label = at, .published = published };
}

/* qsort_r() with the texts as its context. Of equal labels the later date first, since it counts;
 * none before all. */
static int by_label(const void *a, const void *b, void *texts)
{
	const struct dated *x = a, *y = b;
	int r = strcmp((const char *)texts + x->label, (const char *)texts + y->label);

	if (r != 0)
		return r;
	if (x->published == PMG_DATES_NONE || y->published == PMG_DATES_NONE)
		return (x->published != PMG_DATES_NONE) - (y->published != PMG_DATES_NONE);
	return x->published > y->published ? -1 : x->published < y->published;
}

static void sort(struct pmg_dates_page *page)
{
	size_t i, kept = 0;

	if (page->n == 0)
		return;
	qsort_r(page->v, page->n, sizeof *page->v, by_label, page->texts.s);
	for (i = 0; i < page->n; i++)
		if (kept == 0 || strcmp(page->texts.s + page->v[i].label,
					page->texts.s + page->v[kept - 1].label) != 0)
			page->v[kept++] = page->v[i];
	page->n = kept;
}

static size_t bytes_of(const struct pmg_dates_page *page)
{
	return sizeof *page + strlen(page->name) + page->texts.cap + page->cap * sizeof *page->v;
}

static void remove_page(struct pmg_dates *dates, struct pmg_dates_page *page)
{
	(void)tdelete(page, &dates->root, by_package);
	*(page->prev ? &page->prev->next : &dates->first) = page->next;
	*(page->next ? &page->next->prev : &dates->last) = page->prev;
	dates->bytes -= bytes_of(page);
	pmg_dates_page_free(page);
}

static struct pmg_dates_page *find_page(const struct pmg_dates *dates, size_t registry,
					const char *name)
{
	pmg_autofree char *copy = pmg_xstrdup(name);
	struct pmg_dates_page key = { .registry = registry, .name = copy };
	void *found = tfind(&key, &dates->root, by_package);

	return found ? *(struct pmg_dates_page **)found : NULL;
}

static void insert(struct pmg_dates *dates, struct pmg_dates_page *page)
{
	void *place = tsearch(page, &dates->root, by_package);

	assert(place); /* out of memory: there is no going on */
	page->prev = dates->last;
	*(dates->last ? &dates->last->next : &dates->first) = page;
	dates->last = page;
	dates->bytes += bytes_of(page);
	while (dates->bytes > PMG_DATES_MAX && dates->first != page)
		remove_page(dates, dates->first);
}

void pmg_dates_put(struct pmg_dates *dates, struct pmg_dates_page *page)
{
	struct pmg_dates_page *old = find_page(dates, page->registry, page->name);

	sort(page);
	if (old)
		remove_page(dates, old);
	insert(dates, page);
}

static struct dated *find_entry(const struct pmg_dates_page *page, const char *label)
{
	size_t low = 0, high = page->n, middle;
	int r;

	while (low < high) {
		middle = low + (high - low) / 2;
		r = strcmp(label, page->texts.s + page->v[middle].label);
		if (r == 0)
			return &page->v[middle];
		if (r < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

enum pmg_dated pmg_dates_find(const struct pmg_dates *dates, size_t registry, const char *name,
			      const char *label, int64_t *published)
{
	const struct pmg_dates_page *page = find_page(dates, registry, name);
	const struct dated *entry = page ? find_entry(page, label) : NULL;

	if (entry) {
		*published = entry->published;
		return PMG_DATED;
	}
	return page && !page->is_memory ? PMG_DATED_MISSING : PMG_DATED_UNKNOWN;
}

bool pmg_dates_keep(struct pmg_dates *dates, size_t registry, const char *name, const char *label,
		    int64_t *published)
{
	const struct pmg_dates_page *page = find_page(dates, registry, name);
	struct dated *entry = page && !page->is_memory ? find_entry(page, label) : NULL;

	if (!entry || entry->is_kept || entry->published <= 0)
		return false;
	entry->is_kept = true;
	*published = entry->published;
	return true;
}

void pmg_dates_each(const struct pmg_dates *dates, size_t registry, const char *name,
		    void (*fn)(void *ctx, const char *label, int64_t published), void *ctx)
{
	const struct pmg_dates_page *page = find_page(dates, registry, name);
	size_t i;

	for (i = 0; page && i < page->n; i++)
		fn(ctx, page->texts.s + page->v[i].label, page->v[i].published);
}

void pmg_dates_remember(struct pmg_dates *dates, size_t registry, const char *name,
			const char *label, int64_t published)
{
	struct pmg_dates_page *page = find_page(dates, registry, name);

	if (page && !page->is_memory)
		return;
	if (!page) {
		page = pmg_dates_page_new(registry, name);
		page->is_memory = true;
		insert(dates, page);
	}
	dates->bytes -= bytes_of(page);
	pmg_dates_page_add(page, label, published);
	sort(page); /* each time: few versions of a package are in use */
	dates->bytes += bytes_of(page);
}
