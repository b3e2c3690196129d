#include "proxy/simple.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pm/version.h"
#include "proxy/identity.h"
#include "proxy/place.h"
#include "proxy/simple_priv.h"

struct pmg_simple *pmg_simple_new(const char *project)
{
	struct pmg_simple *page = pmg_xcalloc(1, sizeof *page);

	page->project = pmg_xstrdup(project);
	page->texts.max = PMG_SIMPLE_TEXTS_MAX;
	(void)!pmg_str_add(&page->texts, "", 1); /* no text is at 0 */
	return page;
}

void pmg_simple_free(struct pmg_simple *page)
{
	if (!page)
		return;
	if (page->reader_free)
		page->reader_free(page->reader);
	free(page->project);
	pmg_str_done(&page->texts);
	free(page->files);
	free(page->versions);
	free(page);
}

bool pmg_simple_is_readable(const char *type)
{
	static const char *const fine[] = { "utf-8",  "utf8",       "us-ascii",    "ascii",
					    "latin1", "iso-8859-1", "windows-1252" };
	const char *charset = type ? strcasestr(type, "charset") : NULL;
	size_t i, n;

	if (!charset)
		return true;
	charset += strlen("charset");
	charset += strspn(charset, " \t=\"'");
	n = strcspn(charset, " \t;\"'");
	for (i = 0; i < PMG_ARRAY_LEN(fine); i++)
		if (strlen(fine[i]) == n && strncasecmp(charset, fine[i], n) == 0 &&
		    !strcasestr(charset, "charset")) /* the first may not be the one that counts */
			return true;
	return false;
}

int pmg_simple_keep(struct pmg_simple *page, const char *text, uint32_t *out, struct pmg_err *err)
{
	*out = (uint32_t)page->texts.len;
	if (pmg_str_add(&page->texts, text, strlen(text) + 1) < 0)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "too many names of files");
	return 0;
}

static char *last_segment(const char *path)
{
	const char *end = path + strlen(path), *start;

	while (end > path && end[-1] == '/')
		end--;
	for (start = end; start > path && start[-1] != '/';)
		start--;
	return pmg_xstrndup(start, (size_t)(end - start));
}

/* Where a page could be is of no matter for how an address ends. */
static char *plain_path(const char *reference)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_auto(url) struct pmg_url base = { 0 }, url = { 0 };

	if (pmg_url_parse("https://index.test/simple/project/", &base, &scratch) < 0 ||
	    pmg_reference_resolve(&base, reference, &url, &scratch) < 0)
		return NULL;
	return pmg_path_plain(url.path);
}

enum pmg_simple_reference pmg_simple_reference(const char *reference, char **name)
{
	pmg_autofree char *path = NULL;

	/* pip takes name and version from such a fragment, and from what follows an "&". */
	if (strcasestr(reference, "#egg=") || strcasestr(reference, "&egg=") ||
	    !(path = plain_path(reference))) {
		*name = pmg_xstrdup("");
		return PMG_SIMPLE_UNREADABLE;
	}
	*name = last_segment(path);
	return pmg_path_looks_like_artifact(path) ? PMG_SIMPLE_FILE : PMG_SIMPLE_NO_FILE;
}

static bool is_same(const char *a, const char *b)
{
	return pmg_version_compare(PMG_ECO_PYPI, a, b) == 0;
}

/* The version by the file's own name, and by its address: both, or one, and never two. */
static char *version_of(const struct pmg_simple *page, const char *name, const char *reference,
			bool *is_unreadable, char **ends_in)
{
	enum pmg_simple_reference kind = pmg_simple_reference(reference, ends_in);
	pmg_autofree char *by_name = NULL, *by_address = NULL;

	by_address = pmg_identity_pypi_version(*ends_in, page->project);
	if (kind == PMG_SIMPLE_UNREADABLE)
		*is_unreadable = true;
	if (!name)
		return pmg_steal_ptr(&by_address);
	by_name = pmg_identity_pypi_version(name, page->project);
	if (by_name && by_address ? !is_same(by_name, by_address)
				  : kind == PMG_SIMPLE_FILE && !pmg_streq(name, *ends_in))
		*is_unreadable = true;
	return by_name ? pmg_steal_ptr(&by_name) : pmg_steal_ptr(&by_address);
}

int pmg_simple_add(struct pmg_simple *page, struct pmg_simple_entry entry, const char *name,
		   const char *reference, struct pmg_err *err)
{
	pmg_autofree char *version = NULL, *ends_in = NULL;
	int r;

	if (page->files_n == PMG_SIMPLE_FILES_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u files", PMG_SIMPLE_FILES_MAX);
	version = version_of(page, name, reference, &entry.is_unreadable, &ends_in);
	r = pmg_simple_keep(page, name ? name : ends_in, &entry.name, err);
	if (r == 0 && version)
		r = pmg_simple_keep(page, version, &entry.version, err);
	if (r < 0)
		return r;
	page->files = pmg_grow(page->files, page->files_n, &page->files_cap, sizeof *page->files);
	page->files[page->files_n++] = entry;
	return 0;
}

/* "&amp;" and such. @return bytes taken at s; 0: none that every parser reads alike */
static size_t character(const char *s, char *out)
{
	static const struct {
		const char *text;
		char c;
	} rows[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' } };
	bool is_hex = tolower((unsigned char)s[2]) == 'x';
	const char *digits = s + (is_hex ? 3 : 2);
	size_t n = strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789"), i;
	unsigned long code;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (pmg_str_has_prefix(s, rows[i].text)) {
			*out = rows[i].c;
			return strlen(rows[i].text);
		}
	if (s[1] != '#' || n == 0 || n > 4 || digits[n] != ';')
		return 0;
	code = strtoul(digits, NULL, is_hex ? 16 : 10);
	if (code < 0x21 || code > 0x7e)
		return 0;
	*out = (char)code;
	return (size_t)(digits - s) + n + 1;
}

/* Resolve character references in place. Behind the path a lone "&" is part of a query, whatever it
   is for whom. @return false: one in the path could be anything */
static bool resolve(char *s)
{
	char *to = s;
	bool is_path = true;
	size_t n;
	char c;

	while (*s) {
		c = *s;
		n = c == '&' ? character(s, &c) : 0;
		if (*s == '&' && n == 0 && is_path)
			return false;
		if (c == '?' || c == '#')
			is_path = false;
		*to++ = c;
		s += n > 0 ? n : 1;
	}
	*to = '\0';
	return true;
}

/* What nobody fetches a file by. */
static bool is_other_scheme(const char *href)
{
	return pmg_str_has_prefix_nocase(href, "mailto:") ||
	       pmg_str_has_prefix_nocase(href, "javascript:");
}

int pmg_simple_add_link(struct pmg_simple *page, struct pmg_simple_entry entry, char *taken,
			struct pmg_err *err)
{
	pmg_autofree char *href = taken;
	pmg_autofree char *name = NULL;
	enum pmg_simple_reference kind;

	entry.is_unreadable = !resolve(href);
	kind = pmg_simple_reference(href, &name);
	if (is_other_scheme(href) || (kind == PMG_SIMPLE_NO_FILE && !entry.is_unreadable))
		return 0;
	return pmg_simple_add(page, entry, NULL, href, err);
}

bool pmg_simple_is_base(char *taken)
{
	pmg_autofree char *href = taken;
	pmg_autofree char *name = NULL;

	return resolve(href) && pmg_simple_reference(href, &name) == PMG_SIMPLE_NO_FILE;
}

int pmg_simple_feed(struct pmg_simple *page, const char *bytes, size_t len, struct pmg_err *err)
{
	int r = page->feed(page, bytes, len, err);

	page->total += len;
	return r;
}

/* Every file has a name: none is kept without. */
static const char *name_of(const struct pmg_simple *page, size_t i)
{
	const char *name = pmg_simple_text(page, page->files[i].name);

	return name ? name : "";
}

int pmg_simple_finish(struct pmg_simple *page, struct pmg_err *err)
{
	return page->finish(page, err);
}

size_t pmg_simple_count(const struct pmg_simple *page)
{
	return page->files_n;
}

struct pmg_simple_file pmg_simple_file(const struct pmg_simple *page, size_t i)
{
	const struct pmg_simple_entry *file = &page->files[i];

	return (struct pmg_simple_file){ pmg_simple_text(page, file->name),
					 pmg_simple_text(page, file->version), file->published };
}

bool pmg_simple_has_dates(const struct pmg_simple *page)
{
	size_t i;

	for (i = 0; i < page->files_n; i++)
		if (page->files[i].published != PMG_PUBLISHED_NONE)
			return true;
	return false;
}

void pmg_simple_date(struct pmg_simple *page, int64_t (*find)(void *ctx, const char *file),
		     void *ctx)
{
	size_t i;

	for (i = 0; i < page->files_n; i++)
		if (page->files[i].published == PMG_PUBLISHED_NONE)
			page->files[i].published = find(ctx, name_of(page, i));
}

/* Canonical versions of files, sorted, to hold "versions" against. */
struct versions {
	char **v;
	size_t n;
};

static void versions_done(struct versions *versions)
{
	size_t i;

	for (i = 0; i < versions->n; i++)
		free(versions->v[i]);
	free(versions->v);
}
PMG_DEFINE_AUTO_DONE(versions, struct versions, versions_done);

static int by_text(const void *a, const void *b)
{
	char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* Of the files that are withheld, or of those that pass. */
static struct versions collect(const struct pmg_simple *page, const bool *is_withheld,
			       bool withheld)
{
	struct versions out = { pmg_xcalloc(page->files_n + 1, sizeof *out.v), 0 };
	const char *version;
	size_t i;

	for (i = 0; i < page->files_n; i++) {
		version = pmg_simple_text(page, page->files[i].version);
		if (version && is_withheld[i] == withheld)
			out.v[out.n++] = pmg_version_canonical(PMG_ECO_PYPI, version);
	}
	qsort(out.v, out.n, sizeof *out.v, by_text);
	return out;
}

static bool has(const struct versions *list, const char *version)
{
	pmg_autofree char *canonical = pmg_version_canonical(PMG_ECO_PYPI, version);

	return bsearch(&canonical, list->v, list->n, sizeof *list->v, by_text) != NULL;
}

static int cut_versions(const struct pmg_simple *page, const bool *is_withheld,
			struct pmg_filtered *out, struct pmg_err *err)
{
	pmg_auto(versions) struct versions gone = collect(page, is_withheld, true);
	pmg_auto(versions) struct versions stay = collect(page, is_withheld, false);
	struct pmg_members members = { .splice = &out->splice };
	const struct pmg_simple_version *version;
	const char *text;
	size_t i;
	int r = 0;

	for (i = 0; r >= 0 && i < page->versions_n; i++) {
		version = &page->versions[i];
		text = pmg_simple_text(page, version->text);
		r = pmg_members_next(&members, version->at, version->end,
				     text && has(&gone, text) && !has(&stay, text), err);
	}
	return r < 0 ? r : pmg_members_finish(&members, err);
}

static int cut_files(const struct pmg_simple *page, const bool *is_withheld,
		     struct pmg_filtered *out, struct pmg_err *err)
{
	struct pmg_members members = { .splice = &out->splice };
	const struct pmg_simple_entry *file;
	size_t i;
	int r = 0;

	for (i = 0; r >= 0 && i < page->files_n; i++) {
		file = &page->files[i];
		if (page->is_list)
			r = pmg_members_next(&members, file->at, file->end, is_withheld[i], err);
		else if (is_withheld[i])
			r = pmg_splice_cut(&out->splice, file->at, file->end - file->at, "", err);
	}
	return r < 0 ? r : pmg_members_finish(&members, err);
}

static void item(const void *ctx, size_t i, struct pmg_filtered_item *out)
{
	const struct pmg_simple *page = ctx;
	const struct pmg_simple_entry *file = &page->files[i];

	*out = (struct pmg_filtered_item){ pmg_simple_text(page, file->version),
					   pmg_simple_text(page, file->name), file->published,
					   file->is_unreadable };
}

int pmg_simple_filter(const struct pmg_simple *page, pmg_withhold_fn withhold, void *ctx,
		      struct pmg_filtered *out, struct pmg_err *err)
{
	int r = pmg_filtered_ask(out, page, page->files_n, item, withhold, ctx, err);

	if (r == 0 && out->n > 0) {
		r = cut_files(page, out->is_out, out, err);
		if (r >= 0)
			r = cut_versions(page, out->is_out, out, err);
	}
	return r != 0 ? r : pmg_splice_seal(&out->splice, page->total, err);
}
