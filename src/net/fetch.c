#include "net/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/io.h"
#include "base/path.h"
#include "net/fetch_priv.h"

#define DIAG_STATUS 4009 /* docs/codes/PMG4009.md */

struct pmg_fetch {
	CURL *easy;
	const struct pmg_route *route; /* borrowed */
	struct pmg_bundle *bundle;     /* borrowed */
};

void pmg_fetch_got_done(struct pmg_fetch_got *got)
{
	free(got->etag);
	free(got->last_modified);
	free(got->challenge);
	*got = (struct pmg_fetch_got){ 0 };
}

void pmg_fetch_free(struct pmg_fetch *fetch)
{
	if (!fetch)
		return;
	curl_easy_cleanup(fetch->easy);
	free(fetch);
}

int pmg_fetch_new(const struct pmg_route *route, struct pmg_bundle *bundle, struct pmg_fetch **out,
		  struct pmg_err *err)
{
	CURL *easy = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;

	if (!easy)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libcurl cannot be set up");
	*out = pmg_xcalloc(1, sizeof **out);
	**out = (struct pmg_fetch){ easy, route, bundle };
	return 0;
}

/* A new answer begins with its status: what an earlier one of the same transfer said (100, a
 * parent proxy) is not this one's. */
static size_t take_header(char *bytes, size_t size, size_t n, void *arg)
{
	struct pmg_fetch_transfer *t = arg;
	size_t len = size * n;

	if (len >= 5 && memcmp(bytes, "HTTP/", 5) == 0)
		pmg_fetch_head_done(&t->head);
	else
		pmg_fetch_head_line(&t->head, bytes, len);
	return len;
}

/* The first bytes are there, so the head is: may they be written, and where? */
static int begin_body(struct pmg_fetch_transfer *t)
{
	long status = 0;
	uint64_t at = 0;

	(void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	t->begun = true;
	t->discard = status != 200 && status != 206;
	if (!t->discard && t->head.coding && strcasecmp(t->head.coding, "identity") != 0)
		return pmg_err_set(t->err, PMG_E_NETWORK, 0,
				   "the server packs the file though nobody asked it to");
	if (t->discard)
		return 0; /* the page of an error or of a redirect */
	if (status == 206 && (!pmg_fetch_range(&t->head, &at, &t->total) || at != t->have))
		return pmg_err_set(t->err, PMG_E_NETWORK, 0,
				   "the server answered with another part than was asked for");
	if (status == 200)
		t->have = 0;
	t->resumed = t->have;
	if (ftruncate(t->fd, (off_t)t->have) < 0 ||
	    lseek(t->fd, (off_t)t->have, SEEK_SET) != (off_t)t->have)
		return pmg_err_set(t->err, PMG_E_SYS, errno, "%s", t->part);
	return pmg_fetch_part_note(t->note, t->want->url, &t->head, t->err);
}

static size_t take_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct pmg_fetch_transfer *t = arg;
	size_t len = size * n;

	if (!t->begun)
		t->r = begin_body(t);
	if (t->r == 0 && t->discard)
		return len;
	if (t->r == 0 && len > t->want->max - t->have)
		t->r = pmg_err_set(t->err, PMG_E_LIMIT, 0, "larger than %llu bytes",
				   (unsigned long long)t->want->max);
	if (t->r == 0)
		t->r = pmg_io_write_all(t->fd, bytes, len, t->err);
	if (t->r < 0)
		return 0;
	t->have += len;
	return len;
}

static int show_progress(void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total,
			 curl_off_t up_now)
{
	struct pmg_fetch_transfer *t = arg;

	(void)up_total;
	(void)up_now;
	if (t->want->progress && t->begun && !t->discard)
		t->want->progress(t->want->arg, t->resumed + (uint64_t)now,
				  total > 0 ? t->resumed + (uint64_t)total : 0);
	return 0;
}

static int set_callbacks(struct pmg_fetch_transfer *t, struct curl_slist *headers)
{
	const struct {
		CURLoption option;
		void *value;
	} pointers[] = {
		{ CURLOPT_HTTPHEADER, headers },
		{ CURLOPT_HEADERDATA, t },
		{ CURLOPT_WRITEDATA, t },
		{ CURLOPT_XFERINFODATA, t },
	};
	CURLcode code = curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, take_header);
	size_t i;

	if (code == CURLE_OK)
		code = curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, take_body);
	if (code == CURLE_OK)
		code = curl_easy_setopt(t->easy, CURLOPT_XFERINFOFUNCTION, show_progress);
	if (code == CURLE_OK)
		code = curl_easy_setopt(t->easy, CURLOPT_NOPROGRESS, 0L);
	if (code == CURLE_OK)
		code = curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "pmg");
	for (i = 0; code == CURLE_OK && i < PMG_ARRAY_LEN(pointers); i++)
		code = curl_easy_setopt(t->easy, pointers[i].option, pointers[i].value);
	return code == CURLE_OK ? 0
				: pmg_err_set(t->err, PMG_E_INTERNAL, 0, "libcurl: %s",
					      curl_easy_strerror(code));
}

/* One request. @return 0: there is an answer, with its status in got */
static int ask(struct pmg_fetch *fetch, struct pmg_fetch_transfer *t, const struct pmg_url *url,
	       bool first, struct pmg_fetch_got *got)
{
	struct curl_slist *headers = NULL;
	CURLcode code = CURLE_OK;
	int r;

	curl_easy_reset(fetch->easy);
	pmg_fetch_head_done(&t->head);
	t->begun = t->discard = false;
	r = pmg_upstream_prepare(fetch->easy, url, fetch->route, fetch->bundle, t->err);
	if (r == 0)
		r = pmg_fetch_headers(t, first, &headers);
	if (r == 0)
		r = set_callbacks(t, headers);
	if (r == 0)
		code = curl_easy_perform(fetch->easy);
	curl_slist_free_all(headers);
	if (r == 0)
		r = t->r;
	if (r == 0 && code != CURLE_OK)
		r = pmg_upstream_error((int)code, fetch->easy, url, fetch->route, t->err);
	if (r == 0)
		(void)curl_easy_getinfo(fetch->easy, CURLINFO_RESPONSE_CODE, &got->status);
	return r;
}

/* Where a redirect leads to. */
static int follow(struct pmg_fetch_transfer *t, struct pmg_url *url)
{
	pmg_auto(url) struct pmg_url next = { 0 };
	char *address = NULL; /* libcurl's */
	struct pmg_err why = PMG_ERR_INIT;

	(void)curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &address);
	if (!address)
		return pmg_err_set(t->err, PMG_E_NETWORK, 0, "a redirect that leads nowhere");
	if (pmg_url_parse(address, &next, &why) < 0)
		return pmg_err_set(t->err, PMG_E_NETWORK, 0, "a redirect: %s", why.msg);
	if (strcmp(url->scheme, "https") == 0 && strcmp(next.scheme, "https") != 0)
		return pmg_err_set(t->err, PMG_E_NETWORK, 0, "a redirect from https to %s://%s",
				   next.scheme, next.host);
	if (next.userinfo)
		return pmg_err_set(t->err, PMG_E_NETWORK, 0, "a redirect with a password in it");
	pmg_url_done(url);
	*url = next;
	next = (struct pmg_url){ 0 };
	return 0;
}

static bool is_redirect(long status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static int ask_along(struct pmg_fetch *fetch, struct pmg_fetch_transfer *t, struct pmg_url *url,
		     struct pmg_fetch_got *got)
{
	pmg_autofree char *host = pmg_url_authority(url);
	unsigned hops = 0;
	int r = ask(fetch, t, url, true, got);

	while (r == 0 && is_redirect(got->status)) {
		pmg_autofree char *now = NULL;

		if (hops++ == PMG_FETCH_REDIRECTS_MAX)
			return pmg_err_set(t->err, PMG_E_NETWORK, 0, "more than %u redirects",
					   PMG_FETCH_REDIRECTS_MAX);
		r = follow(t, url);
		if (r < 0)
			return r;
		now = pmg_url_authority(url);
		r = ask(fetch, t, url, strcmp(now, host) == 0, got);
	}
	return r;
}

/* The whole file is in the part: it takes its name. */
static int finish(struct pmg_fetch_transfer *t)
{
	pmg_autofree char *dir = pmg_path_dir(t->want->to);
	pmg_autofd int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(t->fd) < 0 || rename(t->part, t->want->to) < 0 || fsync(fd) < 0)
		return pmg_err_set(t->err, PMG_E_SYS, errno, "%s", t->want->to);
	(void)unlink(t->note);
	return 0;
}

static int refused(struct pmg_fetch_transfer *t, long status)
{
	bool gone = status == 404 || status == 410;

	(void)pmg_err_set(t->err, gone ? PMG_E_NOTFOUND : PMG_E_NETWORK, 0,
			  gone ? "not there (status %ld)" : "the server answered with status %ld",
			  status);
	(void)pmg_err_hint(
		t->err, gone ? "look at the address"
			: status == 401 || status == 403
				? "whoever may fetch it decides: no credentials of yours are sent"
				: "try again; if it stays, the server is at fault");
	return pmg_err_diag(t->err, DIAG_STATUS);
}

static int conclude(struct pmg_fetch_transfer *t, struct pmg_fetch_got *got)
{
	got->etag = pmg_steal_ptr(&t->head.etag);
	got->last_modified = pmg_steal_ptr(&t->head.last_modified);
	got->challenge = pmg_steal_ptr(&t->head.challenge);
	switch (got->status) {
	case 200:
	case 206:
		if (!t->begun) /* an empty file */
			t->r = begin_body(t);
		got->bytes = t->have;
		got->resumed = t->resumed;
		if (t->r == 0 && got->status == 206 && t->have != t->total)
			return pmg_err_set(t->err, PMG_E_NETWORK, 0, "the answer was cut short");
		return t->r < 0 ? t->r : finish(t);
	case 304:
		if (!t->asked_if)
			break;
		got->unchanged = true;
		return 0;
	default:
		break;
	}
	return refused(t, got->status);
}

/* Whatever was asked for with the part: the server has no such piece, so it is begun anew. */
static bool is_unsuited(const struct pmg_fetch_transfer *t, const struct pmg_fetch_got *got, int r)
{
	return t->asked_range && (r == 0 ? got->status == 416 : t->r == -PMG_E_NETWORK);
}

static int run(struct pmg_fetch *fetch, struct pmg_fetch_transfer *t, struct pmg_fetch_got *got)
{
	pmg_auto(url) struct pmg_url url = { 0 };
	int r = pmg_url_parse(t->want->url, &url, t->err);

	if (r == 0)
		r = ask_along(fetch, t, &url, got);
	if (is_unsuited(t, got, r)) {
		pmg_url_done(&url);
		pmg_fetch_part_drop(t);
		r = pmg_url_parse(t->want->url, &url, t->err);
		if (r == 0)
			r = ask_along(fetch, t, &url, got);
	}
	return r < 0 ? r : conclude(t, got);
}

/* The query may be a secret: addresses that are signed have them. */
static int wrap(const char *url, struct pmg_err *err)
{
	return pmg_err_wrap(err, "%.*s", (int)strcspn(url, "?#"), url);
}

int pmg_fetch_file(struct pmg_fetch *fetch, const struct pmg_fetch_want *want,
		   struct pmg_fetch_got *got, struct pmg_err *err)
{
	struct pmg_fetch_transfer t = { .easy = fetch->easy, .want = want, .err = err, .fd = -1 };
	int r = pmg_fetch_part_open(&t);

	if (r == 0)
		r = run(fetch, &t, got);
	pmg_fetch_head_done(&t.head);
	pmg_fetch_part_close(&t, r);
	return r < 0 ? wrap(want->url, err) : 0;
}
