#include "proxy/ages.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/version.h"
#include "proxy/ages_priv.h"
#include "proxy/page.h"
#include "proxy/place.h"

enum phase { ABBREVIATED, FULL };

/* One package of one registry. */
struct pmg_ages_job {
	struct pmg_ages *ages;
	struct pmg_ages_job *prev, *next;
	size_t registry;
	enum pmg_eco eco;
	char *name;      /* as the registry is asked for it */
	char *canonical; /* as the table has it */
	enum phase phase;
	unsigned hops;
	struct pmg_url url;
	struct pmg_url redirect;
	int status;
	struct pmg_exchange *exchange; /* NULL: not yet, or between two */
	struct pmg_page *page;
	struct pmg_turn turn;
	struct pmg_task go_on; /* the next request, or its turn has come */
	struct pmg_timer timer;
	struct pmg_err why;
	struct pmg_ages_wait *waiting;
	bool is_running;
	bool is_early;     /* nobody is known yet who may see what is not for all */
	bool is_anonymous; /* asked without an authorization */
};

struct pmg_ages *pmg_ages_new(struct pmg_service *service)
{
	struct pmg_ages *ages = pmg_xcalloc(1, sizeof *ages);

	ages->service = service;
	ages->turns.loop = service->loop;
	return ages;
}

/* What one request needed. */
static void drop_request(struct pmg_ages_job *job)
{
	pmg_exchange_free(job->exchange);
	job->exchange = NULL;
	pmg_page_free(job->page);
	job->page = NULL;
	pmg_turn_leave(&job->ages->turns, &job->turn);
}

static void free_job(struct pmg_ages_job *job)
{
	struct pmg_ages *ages = job->ages;

	drop_request(job);
	*(job->prev ? &job->prev->next : &ages->first) = job->next;
	*(job->next ? &job->next->prev : &ages->last) = job->prev;
	ages->n_running -= job->is_running;
	ages->n--;
	pmg_timer_stop(ages->service->loop, &job->timer);
	pmg_task_cancel(ages->service->loop, &job->go_on);
	pmg_url_done(&job->url);
	pmg_url_done(&job->redirect);
	free(job->name);
	free(job->canonical);
	free(job);
}

void pmg_ages_free(struct pmg_ages *ages)
{
	size_t i;

	if (!ages)
		return;
	while (ages->first)
		free_job(ages->first);
	for (i = 0; i < PMG_REGISTRIES_MAX; i++)
		free(ages->authorizations[i]);
	pmg_strv_done(&ages->kept);
	free(ages);
}

static bool is_same_place(const struct pmg_url *a, const struct pmg_url *b)
{
	return strcmp(a->scheme, b->scheme) == 0 && strcmp(a->host, b->host) == 0 &&
	       a->port == b->port;
}

void pmg_ages_note(struct pmg_ages *ages, const struct pmg_url *url, const char *authorization)
{
	const struct pmg_catalog *catalog = ages->service->catalog;
	size_t i;

	for (i = 0; authorization && i < pmg_catalog_count(catalog); i++) {
		const struct pmg_url *base = pmg_catalog_base(catalog, i);

		if (!is_same_place(base, url) || !pmg_str_has_prefix(url->path, base->path))
			continue;
		free(ages->authorizations[i]);
		ages->authorizations[i] = pmg_xstrdup(authorization);
	}
}

static void run_some(struct pmg_ages *ages);

/* A registry that was never reached, however often, will not be by the others that wait to ask it:
 * a run without a network is told so at once. */
static void give_up(struct pmg_ages_job *job)
{
	struct pmg_ages_job *other;

	for (other = job->ages->first; other; other = other->next) {
		if (other->is_running || other->registry != job->registry)
			continue;
		other->why = job->why;
		other->is_running = true;
		job->ages->n_running++;
		pmg_task_queue(job->ages->service->loop, &other->go_on);
	}
}

/* It is over: those who wait may look. */
static void finish(struct pmg_ages_job *job)
{
	struct pmg_ages *ages = job->ages;
	struct pmg_ages_wait *wait;

	if (job->why.code != 0 && !ages->is_reached[job->registry] &&
	    ++ages->n_failed[job->registry] >= PMG_AGES_GIVE_UP)
		give_up(job);
	while ((wait = job->waiting)) {
		job->waiting = wait->next;
		wait->job = NULL;
		wait->next = NULL;
		wait->err = job->why;
		pmg_task_queue(ages->service->loop, &wait->task);
	}
	free_job(job);
	run_some(ages);
}

static void fail(struct pmg_ages_job *job, const char *what)
{
	(void)pmg_err_set(&job->why, PMG_E_NETWORK, 0, "%s", what);
}

static bool on_head(void *ctx, struct pmg_head *head, enum pmg_framing framing, uint64_t length)
{
	const char *location = pmg_head_get(head, "location");
	struct pmg_ages_job *job = ctx;
	struct pmg_err scratch = PMG_ERR_INIT;

	(void)framing;
	(void)length;
	job->status = head->status;
	job->ages->is_reached[job->registry] = true;
	if (head->status == 200)
		return pmg_page_new(job->eco, head, false, job->name, &job->page, &job->why) == 0;
	if (head->status >= 300 && head->status <= 399 && location && job->hops < PMG_AGES_HOPS)
		(void)!pmg_reference_resolve(&job->url, location, &job->redirect, &scratch);
	return true;
}

static enum pmg_flow on_body(void *ctx, const char *bytes, size_t len)
{
	struct pmg_ages_job *job = ctx;
	struct pmg_err err = PMG_ERR_INIT;

	if (!job->page) /* of an answer that says nothing of dates: a short one is let end */
		return PMG_FLOW_GO;
	if (pmg_page_plain(job->page) > PMG_AGES_LARGE &&
	    !pmg_turn_take(&job->ages->turns, &job->turn))
		return PMG_FLOW_WAIT;
	if (pmg_page_feed(job->page, bytes, len, &err) == 0)
		return PMG_FLOW_GO;
	job->why = err;
	return PMG_FLOW_STOP;
}

static enum pmg_flow on_pull(void *ctx, char *to, size_t room, size_t *n)
{
	(void)ctx;
	(void)to;
	(void)room;
	(void)n;
	return PMG_FLOW_END;
}

bool pmg_ages_suffice(struct pmg_judge *judge, const struct pmg_page *page, enum pmg_eco eco,
		      const char *name, int64_t published)
{
	struct pmg_question q = { .eco = eco, .name = name, .published = published };
	size_t i, n = pmg_page_count(page);
	struct pmg_err scratch = PMG_ERR_INIT;
	int64_t unused;

	for (i = 0; i < n; i++) {
		pmg_auto(judgement) struct pmg_judgement judgement = { 0 };

		q.version = pmg_page_label(page, i, &unused);
		if (pmg_judge_decide(judge, &q, &judgement, &scratch) < 0 ||
		    judgement.reason == PMG_REASON_TOO_YOUNG)
			return false;
	}
	return published > 0;
}

static void keep_dates(const struct pmg_ages_job *job, int64_t otherwise)
{
	pmg_page_put_dates(job->page, job->ages->service->dates, job->registry, job->canonical,
			   otherwise);
}

/* A document is there whole. @return false: another one is needed */
static bool take_document(struct pmg_ages_job *job)
{
	int64_t modified;

	if (pmg_page_finish(job->page, &job->why) < 0)
		return true;
	modified = pmg_page_modified(job->page);
	if (pmg_page_has_dates(job->page) || job->phase == FULL || job->eco != PMG_ECO_NPM) {
		keep_dates(job, PMG_DATES_NONE);
		return true;
	}
	if (modified == PMG_PUBLISHED_NONE ||
	    !pmg_ages_suffice(job->ages->service->gate.judge, job->page, job->eco, job->name,
			      modified))
		return false;
	keep_dates(job, modified);
	return true;
}

/* Some registries say of what is not for all that there is no such package. */
static bool is_denied(const struct pmg_ages_job *job)
{
	return job->is_early && job->is_anonymous &&
	       (job->status == 401 || job->status == 403 || job->status == 404);
}

/* What the answer comes to. @return false: one more is needed */
static bool take_answer(struct pmg_ages_job *job, const struct pmg_err *err)
{
	pmg_autofree char *what = NULL;

	if (job->why.code != 0) {
		return true;
	} else if (err) {
		job->why = *err;
		return true;
	} else if (job->page) {
		return take_document(job);
	} else if (is_denied(job)) {
		(void)pmg_err_set(&job->why, PMG_E_NOTFOUND, 0, "the registry answered %d",
				  job->status);
		return true;
	} else if (job->status == 404 || job->status == 410) {
		keep_dates(job, PMG_DATES_NONE); /* there is no such package: nothing has a date */
		return true;
	} else if (job->redirect.host) {
		return false;
	}
	what = pmg_xasprintf("the registry answered %d", job->status);
	fail(job, what);
	return true;
}

static void on_done(void *ctx, const struct pmg_err *err, int status)
{
	struct pmg_ages_job *job = ctx;
	bool is_over = take_answer(job, err);

	(void)status;
	drop_request(job);
	if (is_over) {
		finish(job);
		return;
	}
	if (!job->redirect.host)
		job->phase = FULL;
	pmg_task_queue(job->ages->service->loop, &job->go_on);
}

static void on_timeout(void *ctx)
{
	struct pmg_ages_job *job = ctx;

	fail(job, "the registry did not answer in time");
	finish(job);
}

static const char *accept_of(const struct pmg_ages_job *job)
{
	if (job->eco == PMG_ECO_PYPI)
		return "application/vnd.pypi.simple.v1+json";
	return job->phase == FULL ? "application/json"
				  : "application/vnd.npm.install-v1+json, application/json;q=0.5";
}

/* The name as one segment of a path, as npm writes it: the slash of a scope is no separator. */
static char *segment(const char *name)
{
	struct pmg_str text = PMG_STR_INIT(4 * PMG_NAME_MAX);

	for (; *name; name++)
		(void)!(strchr("-_.~@!'()*", *name) || (*name >= '0' && *name <= '9') ||
					(*name >= 'a' && *name <= 'z') ||
					(*name >= 'A' && *name <= 'Z')
				? pmg_str_add(&text, name, 1)
				: pmg_str_addf(&text, "%%%02x", (unsigned)(unsigned char)*name));
	return pmg_str_steal(&text);
}

static int set_url(struct pmg_ages_job *job, struct pmg_err *err)
{
	const struct pmg_url *base = pmg_catalog_base(job->ages->service->catalog, job->registry);
	const char *slash = base->path[strlen(base->path) - 1] == '/' ? "" : "/";
	pmg_autofree char *name = segment(job->name);
	pmg_autofree char *text = pmg_url_text(base);
	pmg_autofree char *page =
		pmg_xasprintf("%s%s%s%s", text, slash, name, job->eco == PMG_ECO_PYPI ? "/" : "");

	pmg_url_done(&job->url);
	if (job->redirect.host) {
		job->url = job->redirect;
		job->redirect = (struct pmg_url){ 0 };
		job->hops++;
		return 0;
	}
	job->hops = 0;
	return pmg_url_parse(page, &job->url, err);
}

static int ask(struct pmg_ages_job *job, struct pmg_err *err)
{
	static char method[] = "GET", accept[] = "Accept", coding[] = "Accept-Encoding";
	static char agent[] = "User-Agent", pmg[] = "pmg", gzip[] = "gzip", who[] = "Authorization";
	struct pmg_service *service = job->ages->service;
	pmg_autofree char *types = pmg_xstrdup(accept_of(job));
	char *authorization = job->ages->authorizations[job->registry];
	bool is_home = is_same_place(&job->url, pmg_catalog_base(service->catalog, job->registry));
	bool is_known = authorization && is_home;
	struct pmg_field fields[] = {
		{ accept, types }, { coding, gzip }, { agent, pmg }, { who, authorization }
	};
	const struct pmg_head head = { .method = method,
				       .minor = 1,
				       .fields = fields,
				       .n = PMG_ARRAY_LEN(fields) - !is_known };
	const struct pmg_exchange_user user = { job, on_head, on_body, on_pull, on_done };

	job->is_anonymous = !authorization;
	return pmg_exchange_start(&service->upstream, &job->url, &head, PMG_FRAMING_NONE, 0, &user,
				  &job->exchange, err);
}

/* Runs as a task: the next request, or, in the middle of one, its turn has come. */
static void go_on(void *ctx)
{
	struct pmg_ages_job *job = ctx;

	if (job->exchange) {
		pmg_exchange_resume(job->exchange);
		return;
	}
	if (job->why.code != 0 || set_url(job, &job->why) < 0 || ask(job, &job->why) < 0)
		finish(job);
}

static void run_some(struct pmg_ages *ages)
{
	struct pmg_ages_job *job;

	for (job = ages->first; job && ages->n_running < PMG_AGES_AT_ONCE; job = job->next) {
		if (job->is_running)
			continue;
		job->is_running = true;
		ages->n_running++;
		pmg_timer_start(ages->service->loop, &job->timer, PMG_AGES_MS);
		pmg_task_queue(ages->service->loop, &job->go_on);
	}
}

static void append(struct pmg_ages *ages, struct pmg_ages_job *job)
{
	job->prev = ages->last;
	*(ages->last ? &ages->last->next : &ages->first) = job;
	ages->last = job;
}

/* Before those that nobody waits for. */
static void hurry(struct pmg_ages *ages, struct pmg_ages_job *job)
{
	if (job == ages->first || job->is_running || job->waiting)
		return;
	job->prev->next = job->next;
	*(job->next ? &job->next->prev : &ages->last) = job->prev;
	job->prev = NULL;
	job->next = ages->first;
	ages->first->prev = job;
	ages->first = job;
}

static struct pmg_ages_job *make(struct pmg_ages *ages, size_t registry, const char *name,
				 enum pmg_ages_how how)
{
	struct pmg_ages_job *job = pmg_xcalloc(1, sizeof *job);

	job->ages = ages;
	job->registry = registry;
	job->eco = pmg_catalog_eco(ages->service->catalog, registry);
	job->canonical = pmg_name_canonical(job->eco, name);
	job->name = pmg_xstrdup(job->eco == PMG_ECO_PYPI ? job->canonical : name);
	job->phase = how == PMG_AGES_FULL ? FULL : ABBREVIATED;
	job->is_early = how == PMG_AGES_EARLY;
	job->go_on = (struct pmg_task){ .fn = go_on, .ctx = job };
	job->turn.task = &job->go_on;
	job->timer = (struct pmg_timer){ .fn = on_timeout, .ctx = job };
	append(ages, job);
	ages->n++;
	return job;
}

/* One that was asked as a stranger is of no use once the registry would know us. */
static bool is_of_use(const struct pmg_ages_job *job, size_t registry, const char *canonical,
		      enum pmg_ages_how how)
{
	return job->registry == registry && strcmp(job->canonical, canonical) == 0 &&
	       (how != PMG_AGES_FULL || job->phase == FULL) &&
	       !(job->is_anonymous && job->ages->authorizations[registry]);
}

static struct pmg_ages_job *get(struct pmg_ages *ages, size_t registry, const char *name,
				enum pmg_ages_how how)
{
	enum pmg_eco eco = pmg_catalog_eco(ages->service->catalog, registry);
	pmg_autofree char *canonical = pmg_name_canonical(eco, name);
	struct pmg_ages_job *job = ages->first;

	while (job && !is_of_use(job, registry, canonical, how))
		job = job->next;
	if (!job)
		return make(ages, registry, name, how);
	job->is_early = job->is_early && how == PMG_AGES_EARLY;
	return job;
}

void pmg_ages_wait(struct pmg_ages *ages, size_t registry, const char *name, enum pmg_ages_how how,
		   struct pmg_ages_wait *wait)
{
	struct pmg_ages_job *job = get(ages, registry, name, how);

	hurry(ages, job);
	wait->err = (struct pmg_err){ 0 };
	wait->job = job;
	wait->next = job->waiting;
	job->waiting = wait;
	run_some(ages);
}

void pmg_ages_ahead(struct pmg_ages *ages, size_t registry, const char *name)
{
	if (ages->n >= PMG_AGES_QUEUED)
		return;
	(void)get(ages, registry, name, PMG_AGES_EARLY);
	run_some(ages);
}

void pmg_ages_forget(struct pmg_ages *ages, struct pmg_ages_wait *wait)
{
	struct pmg_ages_wait **at;

	pmg_task_cancel(ages->service->loop, &wait->task);
	for (at = wait->job ? &wait->job->waiting : NULL; at && *at; at = &(*at)->next)
		if (*at == wait) {
			*at = wait->next;
			break;
		}
	wait->job = NULL;
	wait->next = NULL;
}
