#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/ask_priv.h"
#include "proxy/link.h"

/* What is said before a run of what its registry does not tell strangers: the run's own requests
 * will be judged. Nothing follows what is asked after one. */
static const char before[] = "before", after[] = "after", ahead[] = "ahead";

struct question;

/* One package of a question. */
struct one {
	struct question *of;
	size_t at; /* in its lists */
	int64_t published;
	char *unasked;  /* why its registry could not be asked; NULL */
	unsigned tries; /* registries that were waited for */
	struct pmg_ages_wait wait;
};

struct question {
	struct question *prev, *next;
	struct pmg_asks *asks;
	struct pmg_wire_ask ask;
	enum pmg_eco eco;
	struct one *v; /* as many as the lists have */
	size_t n_waiting;
	struct pmg_timer timer;
	struct pmg_task over;
};

struct pmg_asks {
	struct pmg_service *service;
	struct pmg_link *link;
	struct question *first;
};

struct pmg_asks *pmg_asks_new(struct pmg_service *service, struct pmg_link *link)
{
	struct pmg_asks *asks = pmg_xcalloc(1, sizeof *asks);

	asks->service = service;
	asks->link = link;
	return asks;
}

static void free_question(struct question *question)
{
	struct pmg_asks *asks = question->asks;
	size_t i;

	for (i = 0; i < question->ask.names.n; i++) {
		pmg_ages_forget(asks->service->ages, &question->v[i].wait);
		free(question->v[i].unasked);
	}
	*(question->prev ? &question->prev->next : &asks->first) = question->next;
	if (question->next)
		question->next->prev = question->prev;
	pmg_timer_stop(asks->service->loop, &question->timer);
	pmg_task_cancel(asks->service->loop, &question->over);
	pmg_wire_ask_done(&question->ask);
	free(question->v);
	free(question);
}

void pmg_asks_free(struct pmg_asks *asks)
{
	if (!asks)
		return;
	while (asks->first)
		free_question(asks->first);
	free(asks);
}

static struct pmg_ages_pin pin_of(const struct one *one)
{
	const struct pmg_wire_ask *ask = &one->of->ask;

	return (struct pmg_ages_pin){ one->of->eco, ask->names.v[one->at], ask->versions.v[one->at],
				      ask->urls.v[one->at] };
}

static bool is_when(const struct one *one, const char *when)
{
	return strcmp(one->of->ask.ages.v[one->at], when) == 0;
}

/* @return false: a registry has to be waited for */
static bool look(struct one *one)
{
	struct pmg_ages *ages = one->of->asks->service->ages;
	const struct pmg_ages_pin pin = pin_of(one);
	size_t registry = 0;

	if (pmg_ages_find_pin(ages, &pin, &one->published, &registry))
		return true;
	if (is_when(one, ahead)) {
		pmg_ages_ahead(ages, registry, pin.name);
		return true;
	}
	if (one->tries++ == PMG_REGISTRIES_MAX) { /* what they said was pushed out of the table */
		one->published = PMG_DATE_NONE;
		return true;
	}
	pmg_ages_wait(ages, registry, pin.name,
		      is_when(one, before) ? PMG_AGES_EARLY : PMG_AGES_PLAIN, &one->wait);
	return false;
}

static void answer(struct question *question)
{
	struct pmg_asks *asks = question->asks;
	size_t i;

	for (i = 0; i < question->ask.names.n; i++) {
		struct one *one = &question->v[i];
		const struct pmg_ages_pin pin = pin_of(one);

		if (pmg_ask_judge(&asks->service->gate, asks->link, &question->ask, question->eco,
				  i, one->published, one->unasked) &&
		    one->published > 0)
			pmg_ages_keep_pin(asks->service->ages, &pin);
	}
	pmg_ask_end(asks->link, &question->ask);
	free_question(question);
}

static void on_over(void *ctx)
{
	answer(ctx);
}

static void settle(struct one *one)
{
	struct question *question = one->of;

	question->n_waiting--;
	if (question->n_waiting == 0)
		pmg_task_queue(question->asks->service->loop, &question->over);
}

/* Its registry has answered, or cannot be asked. */
static void on_date(void *ctx)
{
	struct one *one = ctx;
	const struct pmg_err *err = &one->wait.err;

	if (err->code == 0) {
		if (look(one))
			settle(one);
		return;
	}
	one->published = err->code == PMG_E_NOTFOUND ? PMG_DATE_UNASKED : PMG_DATE_NONE;
	if (err->code != PMG_E_NOTFOUND)
		one->unasked = pmg_xstrdup(err->msg);
	settle(one);
}

static void on_timeout(void *ctx)
{
	struct question *question = ctx;
	size_t i;

	for (i = 0; i < question->ask.names.n; i++) {
		struct one *one = &question->v[i];

		if (!one->wait.job && !one->wait.task.is_queued)
			continue;
		pmg_ages_forget(question->asks->service->ages, &one->wait);
		one->published = PMG_DATE_NONE;
		one->unasked = pmg_xstrdup("the registry did not answer in time");
	}
	answer(question);
}

static void begin(struct one *one)
{
	const struct pmg_service *service = one->of->asks->service;
	const char *name = one->of->ask.names.v[one->at];

	one->published = PMG_DATE_UNASKED;
	one->wait.task = (struct pmg_task){ .fn = on_date, .ctx = one };
	if ((is_when(one, before) || is_when(one, after) || is_when(one, ahead)) &&
	    pmg_judge_needs_dates(service->gate.judge, one->of->eco, name) &&
	    !pmg_ask_bars(&service->gate, &one->of->ask, one->of->eco, one->at) && !look(one))
		one->of->n_waiting++;
}

int pmg_asks_take(struct pmg_asks *asks, const struct pmg_msg *msg, struct pmg_err *err)
{
	pmg_auto(wire_ask) struct pmg_wire_ask ask = { 0 };
	struct question *question;
	enum pmg_eco eco;
	size_t i;
	int r = pmg_ask_read(msg, &ask, &eco, err);

	if (r < 0)
		return r;
	question = pmg_xcalloc(1, sizeof *question);
	question->asks = asks;
	question->ask = ask;
	ask = (struct pmg_wire_ask){ 0 };
	question->eco = eco;
	question->v = pmg_xcalloc(question->ask.names.n + 1, sizeof *question->v);
	question->timer = (struct pmg_timer){ .fn = on_timeout, .ctx = question };
	question->over = (struct pmg_task){ .fn = on_over, .ctx = question };
	question->next = asks->first;
	if (asks->first)
		asks->first->prev = question;
	asks->first = question;
	for (i = 0; i < question->ask.names.n; i++) {
		question->v[i].of = question;
		question->v[i].at = i;
		begin(&question->v[i]);
	}
	if (question->n_waiting == 0)
		answer(question);
	else
		pmg_timer_start(asks->service->loop, &question->timer, PMG_ASKS_MS);
	return 0;
}
