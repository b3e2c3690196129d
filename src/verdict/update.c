#include "verdict/update.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "verdict/gates.h"
#include "verdict/index.h"
#include "verdict/update_priv.h"

#define DIAG_BROKEN 4006 /* docs/codes/PMG4006.md */

static void updating_done(struct pmg_updating *u)
{
	pmg_fetched_done(&u->state);
	free(u->data);
	free(u->changes);
	free(u->list_etag);
	free(u->list_last_modified);
}
PMG_DEFINE_AUTO_DONE(updating, struct pmg_updating, updating_done);

const char *pmg_update_kind_name(enum pmg_update_kind kind)
{
	static const char *const names[] = { "unchanged", "whole", "changes" };

	return names[kind];
}

int pmg_updating_save(struct pmg_updating *u)
{
	return pmg_fetched_save(u->up->folder, u->feed->name, &u->state, u->err);
}

static void pass_progress(void *arg, uint64_t done, uint64_t total)
{
	const struct pmg_updating *u = arg;

	if (u->up->progress && !u->quiet)
		u->up->progress(u->up->arg, u->feed->name, done, total, false);
}

int pmg_updating_fetch(struct pmg_updating *u, struct pmg_fetch_want *want,
		       struct pmg_fetch_got *got)
{
	int r;

	want->progress = pass_progress;
	want->arg = u;
	r = pmg_fetch_file(u->up->fetch, want, got, u->err);
	u->report->bytes += got->bytes - got->resumed;
	u->report->resumed += got->resumed;
	return r;
}

int pmg_updating_import(struct pmg_updating *u, const char *path, const char *also, bool merge)
{
	const enum pmg_eco eco = u->feed->ecosystem == 1 ? PMG_ECO_PYPI : PMG_ECO_NPM;
	const struct pmg_import_want want = { .path = path,
					      .also = also,
					      .accept = u->up->accept,
					      .index = u->up->index,
					      .feed = u->feed->name,
					      .now = u->up->built_as,
					      .eco = u->feed->ecosystem < 0 ? NULL : &eco,
					      .merge = merge };
	int r = u->up->import(u->up->arg, &want, u->err);

	if (r == 0)
		u->state.imported = want.now;
	return r;
}

static void replace(char **to, char *taken)
{
	free(*to);
	*to = taken;
}

/* So that the server is asked for the file, not for whether it has changed. */
static void forget_validators(struct pmg_updating *u)
{
	replace(&u->state.etag, NULL);
	replace(&u->state.last_modified, NULL);
}

char *pmg_updating_beside(const char *url, const char *name)
{
	size_t path = strcspn(url, "?#");

	while (path > 0 && url[path - 1] != '/')
		path--;
	return pmg_xasprintf("%.*s%s", (int)path, url, name);
}

/* What is remembered is of another address, or of an index that is no more: as if nothing was. */
static int load_state(struct pmg_updating *u)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	pmg_auto(index_feeds) struct pmg_index_feeds feeds = { 0 };
	int r = pmg_index_open(u->up->index, &index, u->err);
	bool known = false;
	size_t i;

	if (r == 0)
		r = pmg_index_feeds(index, &feeds, u->err);
	if (r < 0 && r != -PMG_E_NOTFOUND)
		return r;
	pmg_fetched_load(u->up->folder, u->feed->name, &u->state);
	for (i = 0; i < feeds.n; i++)
		known = known || (strcmp(feeds.v[i].name, u->feed->name) == 0 &&
				  feeds.v[i].imported == u->state.imported);
	if (!pmg_streq(u->state.url, u->feed->url)) {
		pmg_fetched_done(&u->state);
		u->state.url = pmg_xstrdup(u->feed->url);
	} else if (!known) {
		u->state.whole_at = 0;
		if (!u->state.pending)
			forget_validators(u);
	}
	if (u->state.pending && access(u->data, R_OK) < 0) {
		u->state.pending = false;
		forget_validators(u);
	}
	return 0;
}

/* A page of a proxy or of a login in place of a feed. */
static int check_content(struct pmg_updating *u, const char *path)
{
	pmg_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char head[512] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head - 1);
	const char *s = head + strspn(head, " \t\r\n\xef\xbb\xbf");

	if (n < 0)
		return pmg_err_set(u->err, PMG_E_SYS, errno, "%s", path);
	if (*s == '<') {
		(void)pmg_err_set(u->err, PMG_E_PARSE, 0, "a page of HTML or XML came, no feed");
		(void)pmg_err_hint(u->err, "open the address in a browser: a login, or a proxy's "
					   "refusal, may stand in between");
		return pmg_err_diag(u->err, DIAG_BROKEN);
	}
	if (u->feed->format == PMG_FEED_OSV_ZIP && memcmp(head, "PK", 2) != 0) {
		(void)pmg_err_set(u->err, PMG_E_PARSE, 0, "what came is no zip archive");
		return pmg_err_diag(u->err, DIAG_BROKEN);
	}
	return 0;
}

/* What cannot be read is fetched anew the next time; what only looks wrong may yet be accepted. */
static void drop_whole(struct pmg_updating *u)
{
	struct pmg_err scratch = PMG_ERR_INIT;

	u->state.pending = false;
	forget_validators(u);
	(void)unlink(u->data);
	/* Without it all the same: what is not there is not pending (load_state()). */
	(void)!pmg_fetched_save(u->up->folder, u->feed->name, &u->state, &scratch);
}

/* Take the fetched file into the index, with what has changed since: a dump is made now and then,
 * and one that is older than the changes that are known would undo them. */
static int take_whole(struct pmg_updating *u)
{
	int r = 0;

	u->state.merged = false;
	if (pmg_updating_has_list(u->feed))
		r = pmg_updating_collect(u);
	if (r < 0)
		return r;
	r = check_content(u, u->data);
	if (r == 0)
		r = pmg_updating_import(u, u->data, u->there > 0 ? u->changes : NULL, false);
	if (r == -PMG_E_PARSE && u->err->diag != PMG_DIAG_FEED)
		drop_whole(u);
	if (r < 0)
		return r;
	u->state.pending = false;
	u->state.whole_at = u->state.checked = u->up->now;
	u->report->kind = PMG_UPDATE_WHOLE;
	(void)unlink(u->data);
	pmg_updating_set_merged(u);
	return pmg_updating_save(u);
}

/* From when on there may be changes that the dump has not: when it was made, as its server says. */
static int64_t made_at(const struct pmg_updating *u, const char *last_modified)
{
	struct tm tm = { 0 };
	const char *end =
		last_modified ? strptime(last_modified, "%a, %d %b %Y %H:%M:%S", &tm) : NULL;
	int64_t made = end ? (int64_t)timegm(&tm) : u->up->now;

	return (made < u->up->now ? made : u->up->now) - PMG_UPDATE_DELAY_S;
}

/* Since it was taken, not since it was asked for: a server may say "unchanged" for ever. */
static bool is_week_over(const struct pmg_updating *u)
{
	return u->state.whole_at == 0 || u->up->now - u->state.whole_at >= PMG_UPDATE_FULL_S ||
	       u->up->now < u->state.whole_at;
}

static int fetch_whole(struct pmg_updating *u)
{
	bool anew = u->up->full || (!u->state.pending && is_week_over(u));
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	struct pmg_fetch_want want = { .url = u->feed->url,
				       .to = u->data,
				       .etag = anew ? NULL : u->state.etag,
				       .last_modified = anew ? NULL : u->state.last_modified,
				       .max = PMG_UPDATE_FILE_MAX };
	int r = pmg_updating_fetch(u, &want, &got);

	if (r == -PMG_E_NOTFOUND)
		return pmg_err_hint(u->err, "the feed has another address now, or it is mistyped: "
					    "intel.feeds in config.yml");
	if (r < 0)
		return r;
	if (got.unchanged && !u->state.pending) {
		u->state.checked = u->up->now;
		return pmg_updating_save(u);
	}
	if (!got.unchanged) {
		replace(&u->state.etag, pmg_steal_ptr(&got.etag));
		u->state.since = made_at(u, got.last_modified);
		replace(&u->state.last_modified, pmg_steal_ptr(&got.last_modified));
		u->state.pending = true;
		r = pmg_updating_save(u);
	}
	return r < 0 ? r : take_whole(u);
}

/* An image whose first layer is the feed. */
static int fetch_image(struct pmg_updating *u)
{
	bool unchanged = false;
	int r = pmg_updating_blob(u, &unchanged);

	if (r < 0)
		return r;
	if (unchanged && !u->state.pending) {
		u->state.whole_at = u->state.checked = u->up->now;
		return pmg_updating_save(u);
	}
	if (!unchanged) {
		u->state.pending = true;
		r = pmg_updating_save(u);
	}
	return r < 0 ? r : take_whole(u);
}

/* A file or folder of this machine, or one that is mounted here: read where it lies. */
static int take_local(struct pmg_updating *u)
{
	const char *path = u->feed->url + strlen(PMG_UPDATING_FILE);
	pmg_autofree char *tag = NULL;
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return pmg_err_set(u->err, errno == ENOENT ? PMG_E_NOTFOUND : PMG_E_SYS, errno,
				   "%s", path);
	tag = pmg_xasprintf("%llu-%lld-%lld.%09ld", (unsigned long long)st.st_ino,
			    (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			    st.st_mtim.tv_nsec);
	/* What changes in a folder does not show in the folder. */
	if (!u->up->full && !is_week_over(u) && S_ISREG(st.st_mode) &&
	    pmg_streq(tag, u->state.etag)) {
		u->state.checked = u->up->now;
		return pmg_updating_save(u);
	}
	r = S_ISREG(st.st_mode) ? check_content(u, path) : 0;
	if (r == 0)
		r = pmg_updating_import(u, path, NULL, false);
	if (r < 0)
		return r;
	replace(&u->state.etag, pmg_steal_ptr(&tag));
	u->state.whole_at = u->state.checked = u->up->now;
	u->report->kind = PMG_UPDATE_WHOLE;
	return pmg_updating_save(u);
}

static bool is_whole_due(const struct pmg_updating *u)
{
	return u->up->full || u->state.pending || is_week_over(u);
}

static int update_remote(struct pmg_updating *u)
{
	int r = 1;

	if (pmg_updating_has_list(u->feed) && !is_whole_due(u))
		r = pmg_updating_changes(u);
	return r <= 0 ? r : fetch_whole(u);
}

int pmg_update_feed(const struct pmg_update *update, const struct pmg_config_feed *feed,
		    struct pmg_update_report *report, struct pmg_err *err)
{
	pmg_autofree char *data = pmg_xasprintf("%s.data", feed->name);
	pmg_autofree char *changes = pmg_xasprintf("%s.changes", feed->name);
	pmg_auto(updating) struct pmg_updating u = {
		.up = update, .feed = feed, .report = report, .err = err
	};
	int r;

	u.data = pmg_path_join(update->folder, data);
	u.changes = pmg_path_join(update->folder, changes);
	r = load_state(&u);
	if (r < 0)
		return r;
	if (feed->format == PMG_FEED_PMG_INDEX)
		r = pmg_updating_signed(&u);
	else if (pmg_str_has_prefix(feed->url, PMG_UPDATING_FILE))
		r = take_local(&u);
	else if (pmg_str_has_prefix(feed->url, "oci://"))
		r = fetch_image(&u);
	else
		r = update_remote(&u);
	return r < 0 ? pmg_err_wrap(err, "feed %s", feed->name) : 0;
}
