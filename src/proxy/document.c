#include "proxy/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/str.h"
#include "pm/version.h"
#include "proxy/ages.h"
#include "proxy/inflate.h"
#include "proxy/page.h"
#include "proxy/spool.h"
#include "proxy/turn.h"
#include "proxy/withhold.h"

#define PIECE         65536U /* bytes at a time, on the way out */
#define PACKED_PIECE  2048U  /* of what is inflated: at most a thousand times as much comes out */
#define READY_MAX     ((size_t)4 << 20)
#define CUTS_MANY     16384U /* of one document: others wait until they are not needed any more */
#define FIELDS_ADDED  2U     /* to the head of a filtered answer */
#define ETAG_MAX      64U
#define DIAG_DOCUMENT 3011

enum stage { READING, DATING, READY };

struct pmg_document {
	struct pmg_service *service;
	struct pmg_task *task;
	enum stage stage;
	size_t registry;
	enum pmg_eco eco;
	char *name, *canonical;
	char *version; /* or tag, of a document of one; else NULL */
	struct pmg_url url;
	char *if_none_match, *if_modified_since;
	bool filters;
	bool needs_dates;

	struct pmg_head head; /* of the answer */
	struct pmg_spooled body;
	struct pmg_page *page; /* until it is planned */
	struct pmg_turn turn;
	struct pmg_ages_wait wait;
	struct pmg_err why; /* code is not 0: it cannot be handed on */
	struct pmg_filtered filtered;
	char *instead; /* of a document of one version that is withheld: another one */
	bool is_filtered;
	bool is_lost; /* it is not in body whole */

	char etag[ETAG_MAX];
	uint64_t at; /* of the body, handed on */
	struct pmg_inflate *inflate;
	struct pmg_splicer splicer;
	struct pmg_str ready;
	char piece[PIECE];
};

void pmg_document_free(struct pmg_document *document)
{
	struct pmg_service *service;

	if (!document)
		return;
	service = document->service;
	pmg_turn_leave(&service->large, &document->turn);
	pmg_ages_forget(service->ages, &document->wait);
	pmg_head_done(&document->head);
	pmg_spooled_done(&document->body);
	pmg_page_free(document->page);
	pmg_filtered_done(&document->filtered);
	pmg_inflate_free(document->inflate);
	pmg_str_done(&document->ready);
	pmg_url_done(&document->url);
	free(document->name);
	free(document->canonical);
	free(document->version);
	free(document->if_none_match);
	free(document->if_modified_since);
	free(document->instead);
	free(document);
}

static void on_dates(void *ctx)
{
	struct pmg_document *document = ctx;

	pmg_task_queue(document->service->loop, document->task);
}

static bool is_due(const struct pmg_service *service, const struct pmg_asked *asked,
		   const struct pmg_head *head)
{
	const struct pmg_identity *who = &asked->who.v[0];

	return asked->kind == PMG_PATH_METADATA && asked->who.n > 0 &&
	       strcmp(head->method, "GET") == 0 &&
	       (pmg_judge_needs_dates(service->gate.judge, who->eco, who->name) ||
		pmg_judge_knows(service->gate.judge, who->eco, who->name));
}

static char *take_field(struct pmg_head *head, const char *name)
{
	const char *value = pmg_head_get(head, name);
	char *copy = value ? pmg_xstrdup(value) : NULL;

	pmg_head_remove(head, name);
	return copy;
}

struct pmg_document *pmg_document_new(struct pmg_service *service, const struct pmg_asked *asked,
				      const struct pmg_url *url, struct pmg_head *head,
				      struct pmg_task *task)
{
	static const char *const conditions[] = { "if-match", "if-unmodified-since", "if-range",
						  "range" };
	const struct pmg_identity *who = &asked->who.v[0];
	struct pmg_document *document;
	size_t i;

	if (!is_due(service, asked, head))
		return NULL;
	document = pmg_xcalloc(1, sizeof *document);
	document->service = service;
	document->task = task;
	document->turn.task = task;
	document->registry = asked->registry;
	document->eco = who->eco;
	document->name = pmg_xstrdup(who->name);
	document->canonical = pmg_name_canonical(who->eco, who->name);
	document->version = who->version ? pmg_xstrdup(who->version) : NULL;
	document->url = (struct pmg_url){ .scheme = pmg_xstrdup(url->scheme),
					  .host = pmg_xstrdup(url->host),
					  .port = url->port,
					  .path = pmg_xstrdup(url->path) };
	document->filters = pmg_judge_filters(service->gate.judge);
	document->needs_dates = pmg_judge_needs_dates(service->gate.judge, who->eco, who->name);
	document->wait.task = (struct pmg_task){ .fn = on_dates, .ctx = document };
	document->body.spool = service->spool;
	document->filtered = (struct pmg_filtered)PMG_FILTERED_INIT;
	document->ready.max = READY_MAX;
	document->if_none_match = take_field(head, "if-none-match");
	document->if_modified_since = take_field(head, "if-modified-since");
	for (i = 0; i < PMG_ARRAY_LEN(conditions); i++)
		pmg_head_remove(head, conditions[i]);
	return document;
}

bool pmg_document_begin(struct pmg_document *document, struct pmg_head *head)
{
	if (!pmg_response_has_content(head))
		return false;
	if (pmg_page_new(document->eco, head, document->version != NULL, document->canonical,
			 &document->page, &document->why) == 0)
		pmg_page_set_learner(document->page,
				     pmg_learner_new(document->service->catalog, document->registry,
						     &document->url, document->name,
						     pmg_head_get(head, "content-type"), NULL));
	document->head = *head;
	*head = (struct pmg_head){ 0 };
	return true;
}

enum pmg_flow pmg_document_feed(struct pmg_document *document, const char *bytes, size_t len)
{
	struct pmg_err scratch = PMG_ERR_INIT;

	if (document->page && pmg_page_plain(document->page) > PMG_AGES_LARGE &&
	    !pmg_turn_take(&document->service->large, &document->turn))
		return PMG_FLOW_WAIT;
	if (pmg_spooled_add(&document->body, bytes, len, &scratch) < 0) {
		document->why = scratch;
		document->is_lost = true;
		return PMG_FLOW_STOP;
	}
	if (document->page && pmg_page_feed(document->page, bytes, len, &scratch) < 0)
		document->why = scratch; /* but for the learner, and who filters nothing */
	return PMG_FLOW_GO;
}

const char *pmg_document_instead(const struct pmg_document *document)
{
	return document->instead;
}

bool pmg_document_is_lost(const struct pmg_document *document)
{
	return document->is_lost;
}

/* Its dates are those by which an artifact of it will be judged. */
static void keep_dates(const struct pmg_document *document)
{
	struct pmg_dates_page *dates = pmg_dates_page_new(document->registry, document->canonical);
	size_t i, n = pmg_page_count(document->page);

	for (i = 0; i < n; i++) {
		int64_t published = PMG_PUBLISHED_NONE;
		const char *label = pmg_page_label(document->page, i, &published);

		pmg_dates_page_add(dates, label,
				   published == PMG_PUBLISHED_NONE ? PMG_DATES_NONE : published);
	}
	pmg_dates_put(document->service->dates, dates);
}

static int64_t known_date(void *ctx, const char *label)
{
	const struct pmg_document *document = ctx;
	int64_t published = PMG_DATES_NONE;

	if (pmg_dates_find(document->service->dates, document->registry, document->canonical, label,
			   &published) != PMG_DATED ||
	    published == PMG_DATES_NONE)
		return PMG_PUBLISHED_NONE;
	return published;
}

/* Is there anything in it that no document has dated in this run? */
static bool is_dated(const struct pmg_document *document)
{
	size_t i, n = pmg_page_count(document->page);
	int64_t published;

	for (i = 0; i < n; i++)
		if (pmg_dates_find(
			    document->service->dates, document->registry, document->canonical,
			    pmg_page_label(document->page, i, &published), &published) != PMG_DATED)
			return false;
	return true;
}

static int64_t last_change(void *ctx, const char *label)
{
	(void)label;
	return pmg_page_modified(((const struct pmg_document *)ctx)->page);
}

/* @return false: the registry has to be asked, and is */
static bool find_dates(struct pmg_document *document)
{
	struct pmg_service *service = document->service;
	int64_t modified = pmg_page_modified(document->page);

	if (pmg_page_has_dates(document->page)) {
		keep_dates(document);
	} else if (!document->needs_dates) {
		return true;
	} else if (modified != PMG_PUBLISHED_NONE &&
		   pmg_ages_suffice(service->gate.judge, document->page, document->eco,
				    document->name, modified)) {
		pmg_page_date(document->page, last_change, document);
		keep_dates(document);
	} else if (is_dated(document)) {
		pmg_page_date(document->page, known_date, document);
	} else {
		pmg_ages_wait(service->ages, document->registry, document->name,
			      pmg_page_form(document->page) == PMG_PAGE_PACKUMENT ? PMG_AGES_FULL
										  : PMG_AGES_PLAIN,
			      &document->wait);
		document->stage = DATING;
		return false;
	}
	return true;
}

/* Who asks for a tag wants what it leads to, whatever that is; who asks for a version wants that.
 */
static void find_other(struct pmg_document *document, const struct pmg_withhold *withhold)
{
	struct pmg_filtered *filtered = &document->filtered;
	const char *version = filtered->n > 0 ? filtered->withheld[0].version : NULL;

	if (!document->version || filtered->n == 0 || filtered->left > 0 || !version ||
	    pmg_version_is_valid(document->eco, document->version))
		return;
	document->instead =
		pmg_withhold_instead(withhold, document->service->dates, document->registry,
				     document->canonical, document->version, version);
	if (!document->instead)
		return;
	pmg_filtered_retag(filtered, document->version, version, document->instead);
	pmg_withhold_report(withhold, filtered, &document->url);
}

static void plan(struct pmg_document *document)
{
	const struct pmg_withhold withhold = {
		.gate = &document->service->gate,
		.eco = document->eco,
		.name = document->name,
		.needs_dates = document->needs_dates,
		.is_private = pmg_catalog_is_private(document->service->catalog, document->eco,
						     document->name, &document->url),
	};

	document->stage = READY;
	if (document->page && pmg_page_is_other(document->page))
		document->filters = false;
	if (document->filters && document->why.code == 0 &&
	    pmg_withhold_plan(&withhold, document->page, &document->filtered, &document->why) == 0)
		/* Where nothing is left the client learns why at the artifact, in its own words. */
		document->is_filtered = document->filtered.n > 0 && document->filtered.left > 0;
	if (document->filters && document->why.code == 0)
		find_other(document, &withhold);
	if (document->is_filtered)
		pmg_withhold_report(&withhold, &document->filtered, &document->url);
	pmg_page_free(document->page);
	document->page = NULL;
	if (document->filtered.splice.n < CUTS_MANY)
		pmg_turn_leave(&document->service->large, &document->turn);
}

static void read_all(struct pmg_document *document)
{
	struct pmg_err err = PMG_ERR_INIT;

	if (document->page && document->why.code == 0 && pmg_page_finish(document->page, &err) < 0)
		document->why = err;
}

bool pmg_document_end(struct pmg_document *document)
{
	switch (document->stage) {
	case READING:
		read_all(document);
		if (document->why.code == 0 && !find_dates(document))
			return false;
		break;
	case DATING:
		if (document->wait.err.code != 0) {
			document->why = document->wait.err;
			(void)pmg_err_wrap(&document->why, "when its versions were published");
		}
		pmg_page_date(document->page, known_date, document);
		break;
	case READY:
		return true;
	}
	plan(document);
	return true;
}

/* Is one of the validators in a list that one? Weakly (RFC 9110, 13.1.2). */
static bool lists_etag(const char *list, const char *etag)
{
	size_t n;

	etag += strncmp(etag, "W/", 2) == 0 ? 2 : 0;
	for (; *list; list += strspn(list, ", \t")) {
		if (*list == '*')
			return true;
		list += strncmp(list, "W/", 2) == 0 ? 2 : 0;
		n = *list == '"' ? 1 + strcspn(list + 1, "\"") : strcspn(list, ",");
		n += list[n] == '"';
		if (n == strlen(etag) && strncmp(list, etag, n) == 0)
			return true;
		list += n;
		if (n == 0)
			break;
	}
	return false;
}

/* Does the client have just that already? */
static bool is_unchanged(const struct pmg_document *document)
{
	const char *etag = pmg_head_get(&document->head, "etag");
	const char *modified = pmg_head_get(&document->head, "last-modified");

	if (document->if_none_match)
		return etag && lists_etag(document->if_none_match, etag);
	return document->if_modified_since && modified &&
	       strcmp(document->if_modified_since, modified) == 0;
}

/* What is left depends on the document as it was and on what is withheld; and says so. */
static void set_etag(struct pmg_document *document, const char *theirs)
{
	struct pmg_str text = PMG_STR_INIT(SIZE_MAX / 2);
	char hex[PMG_SHA256_HEX];
	size_t i;

	(void)!pmg_str_addf(&text, "%s\n", theirs);
	for (i = 0; i < document->filtered.n; i++)
		(void)!pmg_str_addf(&text, "%s %s\n",
				    document->filtered.withheld[i].version
					    ? document->filtered.withheld[i].version
					    : "",
				    document->filtered.withheld[i].file
					    ? document->filtered.withheld[i].file
					    : "");
	pmg_sha256_hex(text.s, text.len, hex);
	pmg_str_done(&text);
	(void)snprintf(document->etag, sizeof document->etag, "\"pmg-%.32s\"", hex);
}

static void add_field(struct pmg_head *head, const char *name, const char *value)
{
	head->fields[head->n++] = (struct pmg_field){ (char *)(size_t)name, (char *)(size_t)value };
}

/* Nothing in the head may let a cache take it for the whole, now or when the run is over. */
static void change_head(struct pmg_document *document)
{
	static const char *const theirs[] = { "etag",
					      "last-modified",
					      "cache-control",
					      "expires",
					      "age",
					      "content-encoding",
					      "content-md5",
					      "digest",
					      "content-digest",
					      "repr-digest",
					      "accept-ranges",
					      "content-length",
					      "npm-notice",
					      "x-checksum-sha1",
					      "x-checksum-md5" };
	struct pmg_head *head = &document->head;
	const char *etag = pmg_head_get(head, "etag");
	size_t i;

	if (etag)
		set_etag(document, etag);
	for (i = 0; i < PMG_ARRAY_LEN(theirs); i++)
		pmg_head_remove(head, theirs[i]);
	head->fields = pmg_xrealloc(head->fields, head->n + FIELDS_ADDED, sizeof *head->fields);
	add_field(head, "cache-control", "no-store");
	if (document->etag[0])
		add_field(head, "etag", document->etag);
}

static int sink(void *ctx, const char *bytes, size_t len)
{
	struct pmg_document *document = ctx;

	return pmg_str_add(&document->ready, bytes, len);
}

static int unchanged(struct pmg_document *document, int minor, bool keeps,
		     struct pmg_outgoing *outgoing, struct pmg_str *out)
{
	static char reason[] = "Not Modified";

	document->head.status = 304;
	document->head.reason = reason;
	pmg_head_remove(&document->head, "content-length");
	pmg_head_remove(&document->head, "content-encoding");
	return pmg_response_write(&document->head, PMG_FRAMING_NONE, 0, minor, keeps, outgoing,
				  out);
}

int pmg_document_start(struct pmg_document *document, int minor, bool keeps,
		       struct pmg_outgoing *outgoing, struct pmg_str *out, struct pmg_err *err)
{
	const char *encoding = pmg_head_get(&document->head, "content-encoding");
	bool is_unknown;
	uint64_t length = document->body.len;
	int r;

	if ((document->filters || document->is_lost) && document->why.code != 0) {
		(void)pmg_err_set(err, document->why.code, 0, "the document of %s: %s",
				  document->name, document->why.msg);
		return pmg_err_diag(err, DIAG_DOCUMENT);
	}
	if (document->is_filtered) {
		if (pmg_inflate_is_needed(encoding, &is_unknown))
			document->inflate = pmg_inflate_new(encoding);
		change_head(document);
		length = pmg_splice_length(&document->filtered.splice);
		pmg_splicer_init(&document->splicer, &document->filtered.splice, sink, document);
	}
	if (is_unchanged(document))
		return unchanged(document, minor, keeps, outgoing, out);
	r = pmg_response_write(&document->head, PMG_FRAMING_LENGTH, length, minor, keeps, outgoing,
			       out);
	return r < 0 ? pmg_err_set(err, PMG_E_LIMIT, 0, "the head of the answer is too large") : 1;
}

struct splicing {
	struct pmg_splicer *splicer;
	int r;
};

static void splice_on(void *ctx, const char *bytes, size_t len)
{
	struct splicing *splicing = ctx;

	if (splicing->r == 0)
		splicing->r = pmg_splicer_feed(splicing->splicer, bytes, len);
}

/* One more piece of the body through the splicer. @return 1: there was none */
static int splice_piece(struct pmg_document *document, struct pmg_err *err)
{
	struct splicing splicing = { &document->splicer, 0 };
	size_t n;
	int r = pmg_spooled_read(&document->body, document->at, document->piece,
				 document->inflate ? PACKED_PIECE : PIECE, &n, err);

	if (r < 0)
		return r;
	document->at += n;
	if (n == 0)
		splicing.r = pmg_splicer_finish(&document->splicer);
	else if (!document->inflate)
		splice_on(&splicing, document->piece, n);
	else if (pmg_inflate_feed(document->inflate, document->piece, n, splice_on, &splicing) < 0)
		splicing.r = -PMG_E_PARSE;
	if (splicing.r < 0)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "%s was not as it was read before",
				   document->name);
	return n == 0;
}

int pmg_document_pull(struct pmg_document *document, const char **bytes, size_t *len,
		      struct pmg_err *err)
{
	int r = 0;

	if (!document->is_filtered) {
		*bytes = document->piece;
		r = pmg_spooled_read(&document->body, document->at, document->piece, PIECE, len,
				     err);
		document->at += r < 0 ? 0 : *len;
		return r;
	}
	pmg_str_clear(&document->ready);
	while (r == 0 && document->ready.len < PIECE)
		r = splice_piece(document, err);
	*bytes = document->ready.s;
	*len = document->ready.len;
	return r < 0 ? r : 0;
}
