#include "verdict/fetched.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "verdict/index.h"

#define FILE_MAX 65536U

void pmg_fetched_done(struct pmg_fetched *fetched)
{
	free(fetched->url);
	free(fetched->etag);
	free(fetched->last_modified);
	free(fetched->list_etag);
	free(fetched->list_last_modified);
	*fetched = (struct pmg_fetched){ 0 };
}

char *pmg_fetched_folder(const char *index_path)
{
	pmg_autofree char *dir = pmg_path_dir(index_path);

	return pmg_path_join(dir, "feeds");
}

#define ROW(key, member)                                                                           \
	{                                                                                          \
		(key), offsetof(struct pmg_fetched, member)                                        \
	}
struct row {
	const char *key;
	size_t offset;
};
static const struct row texts[] = { ROW("url", url), ROW("etag", etag),
				    ROW("changed", last_modified), ROW("list_etag", list_etag),
				    ROW("list_changed", list_last_modified) };
static const struct row times[] = { ROW("checked", checked), ROW("full", whole_at),
				    ROW("since", since), ROW("imported", imported) };
static const struct row flags[] = { ROW("pending", pending), ROW("merged", merged) };

static void *at(struct pmg_fetched *fetched, const struct row *row)
{
	return (char *)fetched + row->offset;
}

static const void *in(const struct pmg_fetched *fetched, const struct row *row)
{
	return (const char *)fetched + row->offset;
}

static char *file_of(const char *folder, const char *feed)
{
	pmg_autofree char *name = pmg_xasprintf("%s.json", feed);

	return pmg_path_join(folder, name);
}

void pmg_fetched_load(const char *folder, const char *feed, struct pmg_fetched *out)
{
	pmg_autofree char *path = file_of(folder, feed);
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0, i;

	if (pmg_io_slurp(path, FILE_MAX, &text, &len, &scratch) < 0 ||
	    pmg_json_parse(path, text, len, &json, &scratch) < 0)
		return;
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++) {
		const char *value = pmg_json_str(json, texts[i].key);

		*(char **)at(out, &texts[i]) = value ? pmg_xstrdup(value) : NULL;
	}
	for (i = 0; i < PMG_ARRAY_LEN(times); i++)
		*(int64_t *)at(out, &times[i]) = pmg_json_int(json, times[i].key);
	for (i = 0; i < PMG_ARRAY_LEN(flags); i++)
		*(bool *)at(out, &flags[i]) = pmg_json_bool(json, flags[i].key);
}

int pmg_fetched_save(const char *folder, const char *feed, const struct pmg_fetched *fetched,
		     struct pmg_err *err)
{
	pmg_autofree char *path = file_of(folder, feed);
	pmg_auto(json) struct json_t *json = pmg_json_object();
	pmg_autofree char *text = NULL;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(texts); i++)
		pmg_json_set_str(json, texts[i].key, *(char *const *)in(fetched, &texts[i]));
	for (i = 0; i < PMG_ARRAY_LEN(times); i++)
		pmg_json_set_int(json, times[i].key, *(const int64_t *)in(fetched, &times[i]));
	for (i = 0; i < PMG_ARRAY_LEN(flags); i++)
		pmg_json_set_bool(json, flags[i].key, *(const bool *)in(fetched, &flags[i]));
	text = pmg_json_dump(json);
	return pmg_io_replace(path, text, strlen(text), 0600, err);
}

/* Two imports may have one date (SOURCE_DATE_EPOCH), so that their dates alone do not tell. */
int pmg_fetched_forget(const char *folder, struct pmg_err *err)
{
	static const char suffix[] = ".json";
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int r = 0;

	while (dir && r == 0 && (entry = readdir(dir))) {
		pmg_auto(fetched) struct pmg_fetched fetched = { 0 };
		pmg_autofree char *feed = NULL;

		if (!pmg_str_has_suffix(entry->d_name, suffix))
			continue;
		feed = pmg_xstrndup(entry->d_name, strlen(entry->d_name) - strlen(suffix));
		pmg_fetched_load(folder, feed, &fetched);
		fetched.imported = -1;
		r = fetched.url ? pmg_fetched_save(folder, feed, &fetched, err) : 0;
	}
	if (dir)
		(void)closedir(dir);
	return r;
}

int pmg_fetched_checked(const char *index_path, struct pmg_index *index, int64_t *out,
			struct pmg_err *err)
{
	pmg_autofree char *folder = pmg_fetched_folder(index_path);
	pmg_auto(index_feeds) struct pmg_index_feeds feeds = { 0 };
	int64_t oldest = INT64_MAX;
	int r = pmg_index_feeds(index, &feeds, err);
	size_t i;

	for (i = 0; r == 0 && i < feeds.n; i++) {
		pmg_auto(fetched) struct pmg_fetched fetched = { 0 };
		int64_t checked;

		pmg_fetched_load(folder, feeds.v[i].name, &fetched);
		if (!fetched.url)
			continue;
		/* Rolled back, or imported by hand since: what was heard was of another. */
		checked = fetched.imported == feeds.v[i].imported ? fetched.checked
								  : feeds.v[i].imported;
		oldest = checked < oldest ? checked : oldest;
	}
	if (r == 0)
		*out = oldest < INT64_MAX ? oldest : pmg_index_built(index);
	return r;
}
