#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pm/version.h"
#include "proxy/jsonstrict.h"
#include "proxy/simple_priv.h"

/* Members of the page that decide, and those of a file. */
enum section { OTHER = -1, FILES, VERSIONS };
enum field { NO_FIELD = -1, FILENAME, URL, UPLOAD_TIME, FIELDS };

struct reader {
	struct pmg_jsonstrict scan;
	int section;
	bool seen[2];
	int field;
	bool has[FIELDS]; /* of the file at hand */
	struct pmg_simple_entry file;
	char *filename,
		*url; /* of the file at hand; NULL as long as there is none that can be read */
};

static void reader_free(void *ctx)
{
	struct reader *reader = ctx;

	free(reader->filename);
	free(reader->url);
	free(reader);
}

static int refuse(const struct pmg_jsonstrict_item *item, const char *what, struct pmg_err *err)
{
	return pmg_err_set(err, PMG_E_PARSE, 0, "byte %" PRIu64 ": %s", item->at, what);
}

static int on_page(struct reader *reader, const struct pmg_jsonstrict_item *item,
		   struct pmg_err *err)
{
	static const char *const names[] = { "files", "versions", NULL };
	static const unsigned told[] = { [FILES] = 3, [VERSIONS] = 2 };

	if (item->event == PMG_JSONSTRICT_KEY) {
		reader->section = pmg_jsonstrict_key(item, names);
		if (reader->section == -PMG_E_PARSE)
			return refuse(item, "a key that decides, with an escape", err);
		if (reader->section >= 0 && reader->seen[reader->section])
			return refuse(item, "a key that decides stands there twice", err);
		if (reader->section >= 0)
			reader->seen[reader->section] = true;
		return 0;
	}
	if (reader->section < 0)
		return 0;
	if (item->event == PMG_JSONSTRICT_CLOSE) {
		reader->scan.told = 1;
		return 0;
	}
	if (item->event != PMG_JSONSTRICT_ARRAY)
		return refuse(item, "\"files\" or \"versions\" is no list", err);
	reader->scan.told = told[reader->section];
	return 0;
}

/* NULL: it stands for no text that can be read. */
static char *text(const struct pmg_jsonstrict_item *item)
{
	pmg_autofree char *out = NULL;

	if (item->event != PMG_JSONSTRICT_STRING || item->is_cut)
		return NULL;
	out = pmg_xmalloc(item->len + 1);
	return pmg_jsonstrict_decode(item->text, item->len, out) < 0 ? NULL : pmg_steal_ptr(&out);
}

static void start_file(struct reader *reader, const struct pmg_jsonstrict_item *item)
{
	reader->file = (struct pmg_simple_entry){ .at = item->at, .published = PMG_PUBLISHED_NONE };
	memset(reader->has, 0, sizeof reader->has);
	reader->field = NO_FIELD;
}

static int end_file(struct pmg_simple *page, struct reader *reader,
		    const struct pmg_jsonstrict_item *item, struct pmg_err *err)
{
	pmg_autofree char *filename = pmg_steal_ptr(&reader->filename);
	pmg_autofree char *url = pmg_steal_ptr(&reader->url);

	reader->file.end = item->end;
	if (!filename || !url) /* one client goes by the one, another by the other */
		reader->file.is_unreadable = true;
	return pmg_simple_add(page, reader->file, filename ? filename : "", url ? url : "", err);
}

static int in_files(struct pmg_simple *page, struct reader *reader,
		    const struct pmg_jsonstrict_item *item, struct pmg_err *err)
{
	if (item->event == PMG_JSONSTRICT_CLOSE)
		return end_file(page, reader, item, err);
	if (item->event != PMG_JSONSTRICT_OBJECT)
		return refuse(item, "a file that is no object", err);
	start_file(reader, item);
	return 0;
}

static void on_field(struct reader *reader, const struct pmg_jsonstrict_item *item)
{
	static const char *const names[] = { "filename", "url", "upload-time", NULL };

	reader->field = pmg_jsonstrict_key(item, names);
	if (reader->field == -PMG_E_PARSE || (reader->field >= 0 && reader->has[reader->field])) {
		reader->file.is_unreadable = true;
		reader->field = NO_FIELD;
	} else if (reader->field >= 0) {
		reader->has[reader->field] = true;
	}
}

static void in_file(struct reader *reader, const struct pmg_jsonstrict_item *item)
{
	if (item->event == PMG_JSONSTRICT_KEY) {
		on_field(reader, item);
	} else if (item->event == PMG_JSONSTRICT_CLOSE) {
		return;
	} else if (reader->field == FILENAME) {
		free(reader->filename);
		reader->filename = text(item);
	} else if (reader->field == URL) {
		free(reader->url);
		reader->url = text(item);
	} else if (reader->field == UPLOAD_TIME &&
		   pmg_jsonstrict_date(item, &reader->file.published) < 0) {
		reader->file.published = PMG_PUBLISHED_NONE;
	}
}

static int in_versions(struct pmg_simple *page, const struct pmg_jsonstrict_item *item,
		       struct pmg_err *err)
{
	struct pmg_simple_version version = { .at = item->at, .end = item->end };
	pmg_autofree char *own = text(item);

	if (item->event != PMG_JSONSTRICT_STRING && item->event != PMG_JSONSTRICT_SCALAR)
		return refuse(item, "a version that is no text", err);
	if (page->versions_n == PMG_SIMPLE_FILES_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u versions",
				   PMG_SIMPLE_FILES_MAX);
	if (own && strlen(own) <= PMG_VERSION_MAX &&
	    pmg_simple_keep(page, own, &version.text, err) < 0)
		return -PMG_E_LIMIT;
	page->versions = pmg_grow(page->versions, page->versions_n, &page->versions_cap,
				  sizeof *page->versions);
	page->versions[page->versions_n++] = version;
	return 0;
}

static int on_item(void *ctx, const struct pmg_jsonstrict_item *item, struct pmg_err *err)
{
	struct pmg_simple *page = ctx;
	struct reader *reader = page->reader;

	switch (item->depth) {
	case 0:
		if (item->event != PMG_JSONSTRICT_OBJECT && item->event != PMG_JSONSTRICT_CLOSE)
			return refuse(item, "the page is no object", err);
		return 0;
	case 1:
		return on_page(reader, item, err);
	case 2:
		return reader->section == FILES ? in_files(page, reader, item, err)
						: in_versions(page, item, err);
	default:
		in_file(reader, item);
		return 0;
	}
}

static int feed(struct pmg_simple *page, const char *bytes, size_t len, struct pmg_err *err)
{
	struct reader *reader = page->reader;

	return pmg_jsonstrict_feed(&reader->scan, bytes, len, err);
}

static int finish(struct pmg_simple *page, struct pmg_err *err)
{
	const struct reader *reader = page->reader;

	return pmg_jsonstrict_finish(&reader->scan, err);
}

struct pmg_simple *pmg_simple_json_new(const char *project)
{
	struct pmg_simple *page = pmg_simple_new(project);
	struct reader *reader = pmg_xcalloc(1, sizeof *reader);

	pmg_jsonstrict_init(&reader->scan, 1, on_item, page);
	page->reader = reader;
	page->reader_free = reader_free;
	page->feed = feed;
	page->finish = finish;
	page->is_list = true;
	return page;
}
