#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "verdict/delta.h"
#include "verdict/update_priv.h"

#define DUMP "/all.zip"
#define LIST "modified_id.csv"

bool pmg_updating_has_list(const struct pmg_config_feed *feed)
{
	return feed->format == PMG_FEED_OSV_ZIP && pmg_str_has_suffix(feed->url, DUMP) &&
	       pmg_str_has_prefix(feed->url, "http");
}

/* @return 1: it is there; 0: the server has it not */
static int fetch_record(struct pmg_updating *u, const struct pmg_delta_item *item)
{
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	pmg_autofree char *file = pmg_delta_file(item);
	pmg_autofree char *path = pmg_path_join(u->changes, file);
	pmg_autofree char *name = pmg_xasprintf("%s.json", item->id);
	pmg_autofree char *url = pmg_updating_beside(u->feed->url, name);
	struct pmg_fetch_want want = { .url = url, .to = path, .max = PMG_UPDATE_RECORD_MAX };
	int r;

	if (access(path, R_OK) == 0)
		return 1; /* by an earlier update */
	if (u->state.merged) {
		u->state.merged = false;
		r = pmg_updating_save(u);
		if (r < 0)
			return r;
	}
	r = pmg_updating_fetch(u, &want, &got);
	if (r == -PMG_E_NOTFOUND) {
		u->report->missing++; /* taken back between list and record */
		return 0;
	}
	u->report->changed += r == 0;
	return r == 0 ? 1 : r;
}

/* What was changed before the whole was made is in the whole, or no more. */
static void prune(const struct pmg_updating *u, const struct pmg_delta *delta)
{
	pmg_auto(strv) struct pmg_strv wanted = { 0 };
	DIR *dir = opendir(u->changes);
	const struct dirent *entry;
	size_t i;

	for (i = 0; i < delta->n; i++)
		pmg_strv_take(&wanted, pmg_delta_file(&delta->v[i]));
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !pmg_strv_has(&wanted, entry->d_name))
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		(void)closedir(dir);
}

static int fetch_records(struct pmg_updating *u, const struct pmg_delta *delta)
{
	int r = pmg_io_mkdirs(u->changes, 0700, u->err);
	size_t i;

	prune(u, delta);
	u->there = 0;
	u->quiet = true;
	for (i = 0; r >= 0 && i < delta->n; i++) {
		if (u->up->progress)
			u->up->progress(u->up->arg, u->feed->name, i, delta->n, true);
		r = fetch_record(u, &delta->v[i]);
		u->there += r > 0;
	}
	u->quiet = false;
	return r < 0 ? r : 0;
}

/* @return 0: unchanged or read; 1: there is none, or too much in it */
static int fetch_list(struct pmg_updating *u, struct pmg_fetch_got *got, struct pmg_delta *delta)
{
	pmg_autofree char *url = pmg_updating_beside(u->feed->url, LIST);
	pmg_autofree char *to = pmg_xasprintf("%s.csv", u->data);
	pmg_autofree char *text = NULL;
	struct pmg_fetch_want want = { .url = url, .to = to, .max = PMG_DELTA_CSV_MAX };
	size_t len = 0;
	int r;

	if (u->state.merged) {
		want.etag = u->state.list_etag;
		want.last_modified = u->state.list_last_modified;
	}
	r = pmg_updating_fetch(u, &want, got);
	if (r == -PMG_E_NOTFOUND)
		return 1;
	if (r < 0 || got->unchanged)
		return r;
	r = pmg_io_slurp(to, PMG_DELTA_CSV_MAX, &text, &len, u->err);
	(void)unlink(to);
	if (r == 0)
		r = pmg_delta_parse(url, text, len, u->state.since, delta, u->err);
	u->report->unread = delta->unread;
	return r == -PMG_E_LIMIT ? 1 : r;
}

int pmg_updating_collect(struct pmg_updating *u)
{
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	pmg_auto(delta) struct pmg_delta delta = { 0 };
	int r = fetch_list(u, &got, &delta);

	if (r != 0 || got.unchanged)
		return r;
	r = fetch_records(u, &delta);
	if (r < 0)
		return r;
	u->collected = true;
	free(u->list_etag);
	free(u->list_last_modified);
	u->list_etag = pmg_steal_ptr(&got.etag);
	u->list_last_modified = pmg_steal_ptr(&got.last_modified);
	return 0;
}

void pmg_updating_set_merged(struct pmg_updating *u)
{
	u->state.merged = true;
	free(u->state.list_etag);
	free(u->state.list_last_modified);
	u->state.list_etag = pmg_steal_ptr(&u->list_etag);
	u->state.list_last_modified = pmg_steal_ptr(&u->list_last_modified);
}

int pmg_updating_changes(struct pmg_updating *u)
{
	int r = pmg_updating_collect(u);

	if (r == 0 && !u->state.merged && u->there > 0) {
		r = pmg_updating_import(u, u->changes, NULL, true);
		u->report->kind = PMG_UPDATE_CHANGES;
	}
	if (r != 0)
		return r;
	u->state.checked = u->up->now;
	if (u->collected)
		pmg_updating_set_merged(u);
	return pmg_updating_save(u);
}
