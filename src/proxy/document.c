#include "proxy/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/version.h"
#include "proxy/document_priv.h"
#include "proxy/withhold.h"

#define READY_MAX ((size_t)4 << 20)
#define STEP_MAX  4096U  /* versions of a document above which others are served between steps */
#define CUTS_MANY 16384U /* of one document: others wait until they are not needed any more */

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

/* HEAD is answered as GET would be, less the body: else it would tell of a document that nobody
 * gets. */
static bool is_read(const struct pmg_service *service, const struct pmg_head *head)
{
	return strcmp(head->method, "GET") == 0 ||
	       (strcmp(head->method, "HEAD") == 0 && pmg_judge_filters(service->gate.judge));
}

static bool is_due(const struct pmg_service *service, const struct pmg_asked *asked,
		   const struct pmg_head *head)
{
	const struct pmg_identity *who = &asked->who.v[0];

	return asked->kind == PMG_PATH_METADATA && asked->who.n > 0 && is_read(service, head) &&
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
	memcpy(head->method, "GET", sizeof "GET"); /* one letter less, or as many */
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
						     pmg_head_get(head, "content-type"), NULL),
				     !document->filters);
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
	pmg_page_put_dates(document->page, document->service->dates, document->registry,
			   document->canonical, PMG_DATES_NONE);
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
		document->stage = PMG_DOCUMENT_DATING;
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

/* Of what is left nothing would pass, and the client would learn why at the artifact: but what can
 * be read in two ways need not lead there. */
static bool has_unreadable(const struct pmg_filtered *filtered)
{
	size_t i;

	for (i = 0; i < filtered->n; i++)
		if (filtered->withheld[i].reason == PMG_WITHHELD_UNREADABLE)
			return true;
	return false;
}

static void end_plan(struct pmg_document *document, const struct pmg_withhold *withhold)
{
	const struct pmg_filtered *filtered = &document->filtered;

	document->stage = PMG_DOCUMENT_READY;
	if (document->filters && document->why.code == 0) {
		/* Where nothing is left the client learns why at the artifact, in its own words. */
		document->is_filtered = filtered->n > 0 && filtered->left > 0;
		find_other(document, withhold);
		if (filtered->left == 0 && !document->instead && has_unreadable(filtered))
			(void)pmg_err_set(&document->why, PMG_E_PARSE, 0,
					  "nothing is left without what can be read in two ways");
	}
	if (document->is_filtered)
		pmg_withhold_report(withhold, &document->filtered, &document->url);
	pmg_page_free(document->page);
	document->page = NULL;
	if (document->filtered.splice.n < CUTS_MANY)
		pmg_turn_leave(&document->service->large, &document->turn);
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

	if (document->page && pmg_page_is_other(document->page))
		document->filters = false;
	if (document->filters && document->why.code == 0 &&
	    pmg_withhold_plan(&withhold, document->page, &document->filtered, &document->why) > 0)
		return;
	end_plan(document, &withhold);
}

static void read_all(struct pmg_document *document)
{
	struct pmg_err err = PMG_ERR_INIT;

	if (document->page && document->why.code == 0 && pmg_page_finish(document->page, &err) < 0)
		document->why = err;
	document->stage = document->why.code == 0 ? PMG_DOCUMENT_READ : PMG_DOCUMENT_JUDGING;
}

static void take_dates(struct pmg_document *document)
{
	if (document->wait.err.code != 0) {
		document->why = document->wait.err;
		(void)pmg_err_wrap(&document->why, "when its versions were published");
	}
	pmg_page_date(document->page, known_date, document);
	document->stage = PMG_DOCUMENT_JUDGING;
}

/* @return false: the registry has to be asked, and is */
static bool step(struct pmg_document *document)
{
	switch (document->stage) {
	case PMG_DOCUMENT_READING:
		read_all(document);
		break;
	case PMG_DOCUMENT_READ:
		document->stage = PMG_DOCUMENT_JUDGING;
		return find_dates(document);
	case PMG_DOCUMENT_DATING:
		take_dates(document);
		break;
	case PMG_DOCUMENT_JUDGING:
		plan(document);
		break;
	case PMG_DOCUMENT_READY:
		break;
	}
	return true;
}

bool pmg_document_end(struct pmg_document *document)
{
	enum pmg_document_stage was;

	while (document->stage != PMG_DOCUMENT_READY) {
		was = document->stage;
		if (!step(document))
			return false;
		if (document->page &&
		    (document->stage == was || pmg_page_count(document->page) > STEP_MAX)) {
			pmg_task_queue(document->service->loop, document->task);
			return false;
		}
	}
	return true;
}
