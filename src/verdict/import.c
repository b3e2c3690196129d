#include "verdict/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "conf/config_intel.h"
#include "verdict/lists.h"

#define SHOWN_MAX 200U

struct import {
	const struct pmg_import_want *want;
	struct pmg_build *build;
	struct pmg_import_report *report;
};

static void list_done(struct pmg_import_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].path);
		free(list->v[i].text);
	}
	free(list->v);
	*list = (struct pmg_import_list){ 0 };
}

void pmg_import_report_done(struct pmg_import_report *report)
{
	list_done(&report->faults);
	list_done(&report->notes);
	pmg_strv_done(&report->suspect);
}

static void list_add(struct pmg_import_list *list, const char *path, const char *text)
{
	if (list->n == PMG_IMPORT_LIST_MAX)
		return;
	list->v = pmg_grow(list->v, list->n, &list->cap, sizeof *list->v);
	list->v[list->n++] = (struct pmg_import_line){ pmg_xstrdup(path), pmg_xstrdup(text) };
}

static int by_path(const void *a, const void *b)
{
	const struct pmg_import_line *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	return c ? c : strcmp(x->text, y->text);
}

static void list_sort(struct pmg_import_list *list)
{
	if (list->n > 0)
		qsort(list->v, list->n, sizeof *list->v, by_path);
}

static void take_unread(void *arg, const char *path, const char *why)
{
	struct pmg_import_report *report = ((struct import *)arg)->report;

	report->unread++;
	list_add(&report->faults, path, why);
}

static void take_other(void *arg, const char *path)
{
	(void)path;
	((struct import *)arg)->report->other_files++;
}

static int take_record(void *arg, const char *path, const char *text, size_t len,
		       struct pmg_err *err)
{
	struct import *import = arg;
	struct pmg_import_report *report = import->report;
	pmg_auto(osv) struct pmg_osv record = { 0 };
	struct pmg_err why = PMG_ERR_INIT;
	size_t i;

	if (pmg_osv_parse(text, len, &record, &why) < 0) {
		take_unread(arg, path, why.msg);
		return 0;
	}
	report->read++;
	report->not_malware += !record.malware;
	report->tests += record.malware && record.test;
	if (!record.malware)
		return pmg_build_add_fixes(import->build, &record, err);
	if (record.test)
		return 0;
	report->other_ecosystems += record.elsewhere;
	for (i = 0; i < record.notes.n; i++)
		list_add(&report->notes, path, record.notes.v[i]);
	return pmg_build_add(import->build, &record, text, len, err);
}

static int take_entry(void *arg, const struct pmg_osv *record, const char *text,
		      struct pmg_err *err)
{
	struct import *import = arg;

	import->report->read++;
	return pmg_build_add(import->build, record, text, strlen(text), err);
}

static void take_harmless(void *arg)
{
	struct pmg_import_report *report = ((struct import *)arg)->report;

	report->read++;
	report->not_malware++;
}

/* Whoever writes it, and takes it in, has decided: what looks wrong is told, and taken. Not where
 * it was fetched: another kind of feed must not lose its gates by coming in this shape. */
static void take_own(void *arg)
{
	const struct import *import = arg;

	if (import->want->typed)
		pmg_build_guard(import->build, true, &import->report->suspect);
}

/* A file that is the whole feed: a list, or else one record. */
static int take_whole(void *arg, const char *path, const char *text, size_t len,
		      struct pmg_err *err)
{
	struct import *import = arg;
	const struct pmg_list_want list = { import->want->path, import->want->feed,
					    import->want->eco };
	const struct pmg_list_sink sink = { take_entry, take_unread, take_harmless, take_own,
					    import };
	size_t most = pmg_feed_limits_default()->record;
	pmg_autofree char *why = NULL;
	int r = pmg_list_read(&list, text, len, &sink, err);

	if (r != 0 || len <= most)
		return r == 0 ? take_record(arg, path, text, len, err) : r < 0 ? r : 0;
	why = pmg_xasprintf("larger than %zu bytes", most);
	take_unread(arg, path, why);
	return 0;
}

char *pmg_import_name(const char *path)
{
	static const char *const suffixes[] = { ".zip",   ".gz",     ".zst",  ".tar",  ".tgz",
						".jsonl", ".ndjson", ".json", ".yaml", ".yml" };
	pmg_autofree char *clean = pmg_path_clean(path);
	pmg_autofree char *name = pmg_xstrndup(pmg_path_name(clean), PMG_FEED_NAME_MAX);
	size_t i, n;
	char *c;

	for (i = 0; i < PMG_ARRAY_LEN(suffixes); i++) {
		n = strlen(name);
		if (pmg_str_has_suffix(name, suffixes[i]))
			name[n - strlen(suffixes[i])] = '\0';
	}
	for (c = name; *c; c++) {
		char one[2] = { *c, '\0' };

		if (c > name && (*c == '-' || *c == '_' || *c == '.'))
			continue;
		if (!pmg_feed_name_is_valid(one))
			*c = '-';
	}
	return pmg_feed_name_is_valid(name) ? pmg_steal_ptr(&name) : NULL;
}

static char *quoted(const struct pmg_import_line *line)
{
	pmg_autofree char *both = pmg_xasprintf("%s: %s", line->path, line->text);

	return pmg_str_quote(both, strlen(both), SHOWN_MAX);
}

static int keep_faults(struct import *import, struct pmg_err *err)
{
	const struct pmg_import_list *faults = &import->report->faults;
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < faults->n; i++)
		r = pmg_build_add_fault(import->build, faults->v[i].path, faults->v[i].text, err);
	pmg_build_set_unread(import->build, import->report->unread);
	return r;
}

static int import_into(struct import *import, struct pmg_err *err)
{
	const char *path = import->want->path;
	const struct pmg_feed_sink sink = { take_record, take_unread, take_other, import,
					    take_whole };
	struct pmg_import_report *report = import->report;
	int r = pmg_feed_read(path, pmg_feed_limits_default(), &sink, err);

	if (r == 0 && report->read > 0 && import->want->also)
		r = pmg_feed_read(import->want->also, pmg_feed_limits_default(), &sink, err);
	if (r < 0)
		return r;
	list_sort(&report->faults);
	list_sort(&report->notes);
	if (report->read > 0) {
		r = keep_faults(import, err);
		if (r == 0)
			r = pmg_build_finish(import->build, import->want->now, &report->result,
					     err);
		return r == -PMG_E_PARSE ? pmg_err_wrap(err, "%s", path) : r;
	}
	/* An empty feed in place of a full one would let in all that it held back. */
	(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: no record in it", path);
	if (report->faults.n > 0) {
		pmg_autofree char *shown = quoted(&report->faults.v[0]);

		(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: not one record can be read: %s", path,
				  shown);
	}
	return pmg_err_hint(err, "a feed is an archive, a folder or one file of OSV records, named "
				 "*.json, or a list (pmg-intel(1))");
}

int pmg_import(const struct pmg_import_want *want, struct pmg_import_report *out,
	       struct pmg_err *err)
{
	pmg_auto(import_report) struct pmg_import_report report = { 0 };
	pmg_auto(build) struct pmg_build *build = NULL;
	struct import import = { want, NULL, &report };
	int r = want->folder ? pmg_build_open_in(want->folder, want->index, want->feed, &build, err)
			     : pmg_build_open(want->index, want->feed, &build, err);

	if (r < 0)
		return r;
	pmg_build_guard(build, want->accept, &report.suspect);
	if (want->merge)
		pmg_build_merge(build);
	import.build = build;
	r = import_into(&import, err);
	if (r < 0)
		return r;
	*out = report;
	report = (struct pmg_import_report){ 0 };
	return 0;
}
