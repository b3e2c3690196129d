#include "proxy/page.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "proxy/inflate.h"
#include "proxy/packument.h"
#include "proxy/simple.h"

/* What the scanners of a form do. */
struct scanner {
	void (*drop)(void *doc);
	int (*feed)(void *doc, const char *bytes, size_t len, struct pmg_err *err);
	int (*finish)(void *doc, struct pmg_err *err);
	size_t (*count)(const void *doc);
	const char *(*label)(const void *doc, size_t i, int64_t *published);
	bool (*has_dates)(const void *doc);
	int64_t (*modified)(const void *doc);
	void (*date)(void *doc, pmg_page_date_fn find, void *ctx);
	int (*filter)(const void *doc, pmg_withhold_fn withhold, void *ctx,
		      struct pmg_filtered *out, struct pmg_err *err);
};

struct pmg_page {
	enum pmg_page_form form;
	struct pmg_inflate *inflate; /* NULL: it comes as it is */
	struct pmg_learner *learner;
	bool is_fed;        /* the learner reads for itself */
	struct pmg_err why; /* code is not 0: it cannot be read */
	bool is_bad_coding; /* not even inflated */
	uint64_t plain;
	unsigned char first; /* of the bytes that come out */
	const struct scanner *scanner;
	void *doc;
};

static void npm_drop(void *doc)
{
	pmg_packument_free(doc);
}

static int npm_feed(void *doc, const char *bytes, size_t len, struct pmg_err *err)
{
	return pmg_packument_feed(doc, bytes, len, err);
}

static int npm_finish(void *doc, struct pmg_err *err)
{
	return pmg_packument_finish(doc, err);
}

static size_t npm_count(const void *doc)
{
	return pmg_packument_count(doc);
}

static const char *npm_label(const void *doc, size_t i, int64_t *published)
{
	return pmg_packument_version(doc, i, published);
}

static bool npm_has_dates(const void *doc)
{
	return pmg_packument_has_dates(doc);
}

static int64_t npm_modified(const void *doc)
{
	return pmg_packument_modified(doc);
}

static void npm_date(void *doc, pmg_page_date_fn find, void *ctx)
{
	pmg_packument_date(doc, find, ctx);
}

static int npm_filter(const void *doc, pmg_withhold_fn withhold, void *ctx,
		      struct pmg_filtered *out, struct pmg_err *err)
{
	return pmg_packument_filter(doc, withhold, ctx, out, err);
}

static const struct scanner npm_scanner = {
	.drop = npm_drop,
	.feed = npm_feed,
	.finish = npm_finish,
	.count = npm_count,
	.label = npm_label,
	.has_dates = npm_has_dates,
	.modified = npm_modified,
	.date = npm_date,
	.filter = npm_filter,
};

static void pypi_drop(void *doc)
{
	pmg_simple_free(doc);
}

static int pypi_feed(void *doc, const char *bytes, size_t len, struct pmg_err *err)
{
	return pmg_simple_feed(doc, bytes, len, err);
}

static int pypi_finish(void *doc, struct pmg_err *err)
{
	return pmg_simple_finish(doc, err);
}

static size_t pypi_count(const void *doc)
{
	return pmg_simple_count(doc);
}

static const char *pypi_label(const void *doc, size_t i, int64_t *published)
{
	const struct pmg_simple_file file = pmg_simple_file(doc, i);

	*published = file.published;
	return file.name;
}

static bool pypi_has_dates(const void *doc)
{
	return pmg_simple_has_dates(doc);
}

static int64_t pypi_modified(const void *doc)
{
	(void)doc;
	return PMG_PUBLISHED_NONE;
}

static void pypi_date(void *doc, pmg_page_date_fn find, void *ctx)
{
	pmg_simple_date(doc, find, ctx);
}

static int pypi_filter(const void *doc, pmg_withhold_fn withhold, void *ctx,
		       struct pmg_filtered *out, struct pmg_err *err)
{
	return pmg_simple_filter(doc, withhold, ctx, out, err);
}

static const struct scanner pypi_scanner = {
	.drop = pypi_drop,
	.feed = pypi_feed,
	.finish = pypi_finish,
	.count = pypi_count,
	.label = pypi_label,
	.has_dates = pypi_has_dates,
	.modified = pypi_modified,
	.date = pypi_date,
	.filter = pypi_filter,
};

void pmg_page_free(struct pmg_page *page)
{
	if (!page)
		return;
	pmg_inflate_free(page->inflate);
	pmg_learner_free(page->learner);
	page->scanner->drop(page->doc);
	free(page);
}

/* Media type without its parameters: "application/vnd.pypi.simple.v1+json". */
static bool type_has(const char *type, const char *word)
{
	size_t n = strcspn(type, ";"), len = strlen(word), i;

	for (i = 0; i + len <= n; i++)
		if (strncasecmp(type + i, word, len) == 0)
			return true;
	return false;
}

static int choose(enum pmg_eco eco, const struct pmg_head *head, bool is_one,
		  enum pmg_page_form *out, struct pmg_err *err)
{
	const char *type = pmg_head_get(head, "content-type");

	if (eco != PMG_ECO_NPM && !pmg_simple_is_readable(type))
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "its charset is none that is read");
	if (eco == PMG_ECO_NPM) /* its clients parse JSON whatever the type says */
		*out = is_one ? PMG_PAGE_VERSION : PMG_PAGE_PACKUMENT;
	else if (type && type_has(type, "json"))
		*out = PMG_PAGE_JSON;
	else if (type && type_has(type, "html"))
		*out = PMG_PAGE_HTML;
	else
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "its type is %s",
				   type ? "neither JSON nor HTML" : "not told");
	return 0;
}

static void *new_doc(enum pmg_page_form form, const char *project)
{
	switch (form) {
	case PMG_PAGE_PACKUMENT:
		return pmg_packument_new(PMG_PACKUMENT_PACKAGE);
	case PMG_PAGE_VERSION:
		return pmg_packument_new(PMG_PACKUMENT_VERSION);
	case PMG_PAGE_JSON:
		return pmg_simple_json_new(project);
	case PMG_PAGE_HTML:
	case PMG_PAGE_FORMS:
		break;
	}
	return pmg_simple_html_new(project);
}

int pmg_page_new(enum pmg_eco eco, const struct pmg_head *head, bool is_one, const char *project,
		 struct pmg_page **out, struct pmg_err *err)
{
	const char *encoding = pmg_head_get(head, "content-encoding");
	bool is_unknown, is_compressed = pmg_inflate_is_needed(encoding, &is_unknown);
	enum pmg_page_form form;
	struct pmg_page *page;
	int r;

	if (is_unknown || pmg_head_count(head, "content-encoding") > 1)
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "its coding is none that is read");
	r = choose(eco, head, is_one, &form, err);
	if (r < 0)
		return r;
	page = pmg_xcalloc(1, sizeof *page);
	page->form = form;
	page->inflate = is_compressed ? pmg_inflate_new(encoding) : NULL;
	page->scanner = eco == PMG_ECO_NPM ? &npm_scanner : &pypi_scanner;
	page->doc = new_doc(form, project);
	*out = page;
	return 0;
}

static void on_tarball(void *ctx, const char *version, const char *reference)
{
	pmg_learner_found(ctx, version, reference);
}

void pmg_page_set_learner(struct pmg_page *page, struct pmg_learner *learner, bool is_lenient)
{
	pmg_learner_free(page->learner);
	page->learner = learner;
	page->is_fed = learner && (is_lenient || page->scanner != &npm_scanner);
	if (learner && !page->is_fed)
		pmg_packument_set_tarballs(page->doc, on_tarball, learner);
}

static void take(void *ctx, const char *bytes, size_t len)
{
	struct pmg_page *page = ctx;

	if (page->plain == 0 && len > 0)
		page->first = (unsigned char)bytes[0];
	page->plain += len;
	if (page->is_fed)
		pmg_learner_feed(page->learner, bytes, len);
	if (page->why.code == 0)
		(void)!page->scanner->feed(page->doc, bytes, len, &page->why);
}

static int told(const struct pmg_page *page, struct pmg_err *err)
{
	if (page->why.code == 0)
		return 0;
	*err = page->why;
	return -(int)err->code;
}

int pmg_page_feed(struct pmg_page *page, const char *bytes, size_t len, struct pmg_err *err)
{
	if (!page->inflate) {
		take(page, bytes, len);
	} else if (!page->is_bad_coding &&
		   pmg_inflate_feed(page->inflate, bytes, len, take, page) < 0) {
		page->is_bad_coding = true;
		if (page->why.code == 0)
			(void)pmg_err_set(&page->why, PMG_E_PARSE, 0, "it cannot be inflated");
	}
	return told(page, err);
}

int pmg_page_finish(struct pmg_page *page, struct pmg_err *err)
{
	if (page->why.code == 0)
		(void)!page->scanner->finish(page->doc, &page->why);
	return told(page, err);
}

uint64_t pmg_page_plain(const struct pmg_page *page)
{
	return page->plain;
}

/* JSON behind blanks or a byte order mark is taken by some, and in UTF-16 or UTF-32 without one:
 * its first byte is NUL where the high one comes first. */
bool pmg_page_is_other(const struct pmg_page *page)
{
	bool is_json = page->form != PMG_PAGE_HTML;

	return is_json && page->plain > 0 && !memchr(" \t\r\n{[\xef\xfe\xff\0", page->first, 10);
}

enum pmg_page_form pmg_page_form(const struct pmg_page *page)
{
	return page->form;
}

size_t pmg_page_count(const struct pmg_page *page)
{
	return page->scanner->count(page->doc);
}

const char *pmg_page_label(const struct pmg_page *page, size_t i, int64_t *published)
{
	return page->scanner->label(page->doc, i, published);
}

bool pmg_page_has_dates(const struct pmg_page *page)
{
	return page->scanner->has_dates(page->doc);
}

int64_t pmg_page_modified(const struct pmg_page *page)
{
	return page->scanner->modified(page->doc);
}

void pmg_page_put_dates(const struct pmg_page *page, struct pmg_dates *dates, size_t registry,
			const char *name, int64_t otherwise)
{
	struct pmg_dates_page *kept = pmg_dates_page_new(registry, name);
	size_t i, n = page ? pmg_page_count(page) : 0;

	for (i = 0; i < n; i++) {
		int64_t published = PMG_PUBLISHED_NONE;
		const char *label = pmg_page_label(page, i, &published);

		pmg_dates_page_add(kept, label,
				   published != PMG_PUBLISHED_NONE ? published : otherwise);
	}
	pmg_dates_put(dates, kept);
}

void pmg_page_date(struct pmg_page *page, pmg_page_date_fn find, void *ctx)
{
	page->scanner->date(page->doc, find, ctx);
}

int pmg_page_filter(const struct pmg_page *page, pmg_withhold_fn withhold, void *ctx,
		    struct pmg_filtered *out, struct pmg_err *err)
{
	return page->scanner->filter(page->doc, withhold, ctx, out, err);
}
