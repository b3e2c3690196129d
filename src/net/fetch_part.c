#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/io.h"
#include "base/str.h"
#include "net/fetch_priv.h"

#define NOTE_MAX (PMG_URL_MAX + PMG_FETCH_TAG_MAX + 2)

void pmg_fetch_head_done(struct pmg_fetch_head *head)
{
	free(head->etag);
	free(head->last_modified);
	free(head->challenge);
	free(head->range);
	free(head->coding);
	*head = (struct pmg_fetch_head){ 0 };
}

static bool is_plain(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			return false;
	return len > 0 && len <= PMG_FETCH_TAG_MAX;
}

void pmg_fetch_head_line(struct pmg_fetch_head *head, const char *line, size_t len)
{
	const struct {
		const char *name;
		char **to;
	} rows[] = {
		{ "etag:", &head->etag },
		{ "last-modified:", &head->last_modified },
		{ "www-authenticate:", &head->challenge },
		{ "content-range:", &head->range },
		{ "content-encoding:", &head->coding },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		size_t skip = strlen(rows[i].name), end = len;

		if (len <= skip || strncasecmp(line, rows[i].name, skip) != 0)
			continue;
		while (skip < end && strchr(" \t", line[skip]))
			skip++;
		while (end > skip && strchr(" \t\r\n", line[end - 1]))
			end--;
		if (*rows[i].to || !is_plain(line + skip, end - skip))
			return; /* the first counts */
		*rows[i].to = pmg_xstrndup(line + skip, end - skip);
	}
}

bool pmg_fetch_range(const struct pmg_fetch_head *head, uint64_t *start, uint64_t *total)
{
	static const char unit[] = "bytes ";
	const char *slash = head->range ? strchr(head->range, '/') : NULL;
	pmg_autofree char *number = NULL;

	if (!slash || !pmg_str_has_prefix_nocase(head->range, unit) ||
	    pmg_parse_uint(slash + 1, INT64_MAX, total) < 0)
		return false;
	number = pmg_xstrndup(head->range + strlen(unit), strcspn(head->range + strlen(unit), "-"));
	return pmg_parse_uint(number, INT64_MAX, start) == 0;
}

/* Only a strong validator says that two answers are the same bytes (RFC 9110, 13.1.5). */
static const char *strong_tag(const struct pmg_fetch_head *head)
{
	return head->etag && head->etag[0] == '"' ? head->etag : NULL;
}

/* The address and the tag, a line each. */
int pmg_fetch_part_note(const char *note, const char *url, const struct pmg_fetch_head *head,
			struct pmg_err *err)
{
	const char *tag = strong_tag(head);
	pmg_autofree char *text = pmg_xasprintf("%s\n%s\n", url, tag ? tag : "");

	return pmg_io_replace(note, text, strlen(text), 0600, err);
}

static char *read_tag(const struct pmg_fetch_transfer *t)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0, url_len = strlen(t->want->url);
	char *tag;

	if (pmg_io_slurp(t->note, NOTE_MAX, &text, &len, &scratch) < 0 || len < url_len + 2 ||
	    memcmp(text, t->want->url, url_len) != 0 || text[url_len] != '\n')
		return NULL;
	tag = text + url_len + 1;
	tag[strcspn(tag, "\n")] = '\0';
	return *tag == '"' ? pmg_xstrdup(tag) : NULL;
}

int pmg_fetch_part_open(struct pmg_fetch_transfer *t)
{
	struct stat st;

	t->part = pmg_xasprintf("%s.part", t->want->to);
	t->note = pmg_xasprintf("%s.part.from", t->want->to);
	t->fd = open(t->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (t->fd < 0 || fstat(t->fd, &st) < 0)
		return pmg_err_set(t->err, PMG_E_SYS, errno, "%s", t->part);
	t->part_tag = read_tag(t);
	if (t->part_tag && (uint64_t)st.st_size <= t->want->max)
		t->have = (uint64_t)st.st_size;
	return 0;
}

void pmg_fetch_part_drop(struct pmg_fetch_transfer *t)
{
	free(pmg_steal_ptr(&t->part_tag));
	t->have = 0;
	t->r = 0;
	t->asked_range = false;
}

void pmg_fetch_part_close(struct pmg_fetch_transfer *t, int r)
{
	bool again = r == -PMG_E_NETWORK || r == -PMG_E_TIMEOUT || r == -PMG_E_TLS;

	if (t->fd >= 0)
		(void)close(t->fd);
	if (r == 0 || !again || t->r < 0)
		pmg_fetch_forget(t->want->to);
	free(t->part);
	free(t->note);
	free(t->part_tag);
}

void pmg_fetch_forget(const char *to)
{
	pmg_autofree char *part = pmg_xasprintf("%s.part", to);
	pmg_autofree char *note = pmg_xasprintf("%s.part.from", to);

	(void)unlink(part);
	(void)unlink(note);
}

static int add(struct curl_slist **list, const char *name, const char *value, struct pmg_err *err)
{
	pmg_autofree char *line = pmg_xasprintf("%s: %s", name, value);
	struct curl_slist *longer = curl_slist_append(*list, line);

	if (!longer)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libcurl: no memory");
	*list = longer;
	return 0;
}

int pmg_fetch_headers(struct pmg_fetch_transfer *t, bool first, struct curl_slist **out)
{
	const struct pmg_fetch_want *want = t->want;
	pmg_autofree char *range = NULL;
	int r = 0;

	t->asked_range = t->part_tag && t->have > 0;
	t->asked_if = !t->asked_range && (want->etag || want->last_modified);
	if (want->accept)
		r = add(out, "Accept", want->accept, t->err);
	if (r == 0 && want->authorization && first)
		r = add(out, "Authorization", want->authorization, t->err);
	if (r == 0 && t->asked_range) {
		range = pmg_xasprintf("bytes=%llu-", (unsigned long long)t->have);
		r = add(out, "Range", range, t->err);
		if (r == 0)
			r = add(out, "If-Range", t->part_tag, t->err);
	}
	if (r == 0 && t->asked_if)
		r = want->etag ? add(out, "If-None-Match", want->etag, t->err)
			       : add(out, "If-Modified-Since", want->last_modified, t->err);
	return r;
}
