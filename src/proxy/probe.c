#include "proxy/probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "proxy/learn.h"
#include "proxy/place.h"

#define PROJECT "pip" /* what installs from an index is on it */

struct pmg_probe {
	struct pmg_service *service;
	size_t next; /* registry to be looked at */
	unsigned hops;
	struct pmg_url url; /* asked at the moment */
	struct pmg_exchange *exchange;
	struct pmg_learner *learner;
	size_t taken; /* bytes of the body */
	struct pmg_url redirect;
	struct pmg_timer timer;
	struct pmg_task go_on;
	struct pmg_task **waiting;
	size_t n_waiting, cap_waiting;
	bool is_running;
};

static void go_on(void *ctx);

static void stop(struct pmg_probe *probe)
{
	pmg_exchange_free(probe->exchange);
	probe->exchange = NULL;
	pmg_learner_free(probe->learner);
	probe->learner = NULL;
	pmg_url_done(&probe->url);
}

static void finish(struct pmg_probe *probe)
{
	size_t i;

	stop(probe);
	pmg_timer_stop(probe->service->loop, &probe->timer);
	probe->is_running = false;
	for (i = 0; i < probe->n_waiting; i++)
		pmg_task_queue(probe->service->loop, probe->waiting[i]);
	probe->n_waiting = 0;
}

static void on_timeout(void *ctx)
{
	struct pmg_probe *probe = ctx;

	pmg_log_debug("an index did not tell its hosts in time");
	probe->next = pmg_catalog_count(probe->service->catalog); /* nor ask the others now */
	finish(probe);
}

struct pmg_probe *pmg_probe_new(struct pmg_service *service)
{
	struct pmg_probe *probe = pmg_xcalloc(1, sizeof *probe);

	probe->service = service;
	probe->timer = (struct pmg_timer){ .fn = on_timeout, .ctx = probe };
	probe->go_on = (struct pmg_task){ .fn = go_on, .ctx = probe };
	return probe;
}

void pmg_probe_free(struct pmg_probe *probe)
{
	if (!probe)
		return;
	stop(probe);
	pmg_url_done(&probe->redirect);
	pmg_timer_stop(probe->service->loop, &probe->timer);
	pmg_task_cancel(probe->service->loop, &probe->go_on);
	free(probe->waiting);
	free(probe);
}

static bool on_head(void *ctx, struct pmg_head *head, enum pmg_framing framing, uint64_t length)
{
	const char *location = pmg_head_get(head, "location");
	struct pmg_err scratch = PMG_ERR_INIT;
	struct pmg_probe *probe = ctx;

	(void)framing;
	(void)length;
	if (head->status == 200)
		probe->learner = pmg_learner_new(probe->service->catalog, probe->next, &probe->url,
						 PROJECT, pmg_head_get(head, "content-type"),
						 pmg_head_get(head, "content-encoding"));
	else if (head->status >= 300 && head->status <= 399 && location &&
		 probe->hops < PMG_PROBE_HOPS)
		(void)!pmg_reference_resolve(&probe->url, location, &probe->redirect, &scratch);
	return true;
}

static enum pmg_flow on_body(void *ctx, const char *bytes, size_t len)
{
	struct pmg_probe *probe = ctx;

	if (!probe->learner || len > PMG_PROBE_BODY_MAX - probe->taken)
		return PMG_FLOW_STOP;
	probe->taken += len;
	pmg_learner_feed(probe->learner, bytes, len);
	return PMG_FLOW_GO;
}

static enum pmg_flow on_pull(void *ctx, char *to, size_t room, size_t *n)
{
	(void)ctx;
	(void)to;
	(void)room;
	(void)n;
	return PMG_FLOW_END;
}

static void on_done(void *ctx, const struct pmg_err *err, int status)
{
	struct pmg_probe *probe = ctx;

	(void)status;
	if (err && !probe->learner && !probe->redirect.host)
		pmg_log_debug("an index does not tell its hosts: %s", err->msg);
	stop(probe);
	if (!probe->redirect.host)
		probe->next++;
	pmg_task_queue(probe->service->loop, &probe->go_on);
}

static int ask(struct pmg_probe *probe, struct pmg_err *err)
{
	static char method[] = "GET", accept[] = "Accept", coding[] = "Accept-Encoding";
	static char agent[] = "User-Agent", name[] = "pmg", gzip[] = "gzip";
	static char types[] = "application/vnd.pypi.simple.v1+json, "
			      "application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";
	struct pmg_field fields[] = { { accept, types }, { coding, gzip }, { agent, name } };
	const struct pmg_head head = {
		.method = method, .minor = 1, .fields = fields, .n = PMG_ARRAY_LEN(fields)
	};
	const struct pmg_exchange_user user = { probe, on_head, on_body, on_pull, on_done };

	probe->taken = 0;
	return pmg_exchange_start(&probe->service->upstream, &probe->url, &head, PMG_FRAMING_NONE,
				  0, &user, &probe->exchange, err);
}

static bool is_to_be_asked(const struct pmg_probe *probe, size_t registry)
{
	return pmg_catalog_eco(probe->service->catalog, registry) == PMG_ECO_PYPI &&
	       !pmg_catalog_is_taught(probe->service->catalog, registry);
}

/* The next registry to be asked becomes probe->next. @return false: none is left */
static bool seek(struct pmg_probe *probe)
{
	size_t n = pmg_catalog_count(probe->service->catalog);

	while (probe->next < n && !is_to_be_asked(probe, probe->next))
		probe->next++;
	return probe->next < n;
}

/* @return false: nothing is left to be asked */
static bool set_url(struct pmg_probe *probe)
{
	struct pmg_err scratch = PMG_ERR_INIT;

	if (probe->redirect.host) {
		probe->url = probe->redirect;
		probe->redirect = (struct pmg_url){ 0 };
		probe->hops++;
		return true;
	}
	probe->hops = 0;
	for (; seek(probe); probe->next++) {
		const struct pmg_url *base = pmg_catalog_base(probe->service->catalog, probe->next);
		const char *slash = base->path[strlen(base->path) - 1] == '/' ? "" : "/";
		pmg_autofree char *text = pmg_url_text(base);
		pmg_autofree char *page = pmg_xasprintf("%s%s" PROJECT "/", text, slash);

		if (pmg_url_parse(page, &probe->url, &scratch) == 0)
			return true;
	}
	return false;
}

static void go_on(void *ctx)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_probe *probe = ctx;

	while (set_url(probe)) {
		if (ask(probe, &err) == 0)
			return;
		pmg_log_debug("%s", err.msg);
		stop(probe);
		probe->next++;
	}
	finish(probe);
}

bool pmg_probe_wait(struct pmg_probe *probe, struct pmg_task *task)
{
	if (!probe->is_running && !seek(probe))
		return false;
	if (!probe->is_running) {
		probe->is_running = true;
		pmg_timer_start(probe->service->loop, &probe->timer, PMG_PROBE_MS);
		pmg_task_queue(probe->service->loop, &probe->go_on);
	}
	probe->waiting =
		pmg_grow(probe->waiting, probe->n_waiting, &probe->cap_waiting, sizeof(void *));
	probe->waiting[probe->n_waiting++] = task;
	return true;
}

void pmg_probe_forget(struct pmg_probe *probe, struct pmg_task *task)
{
	size_t i;

	pmg_task_cancel(probe->service->loop, task);
	for (i = 0; i < probe->n_waiting; i++)
		if (probe->waiting[i] == task)
			probe->waiting[i--] = probe->waiting[--probe->n_waiting];
}
