#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/ask_priv.h"
#include "proxy/link.h"

/* What is said before a run of what its registry does not tell strangers: the run's own requests
 * will be judged. Nothing follows what is asked after one. */
static const char before[] = "before", after[] = "after", ahead[] = "ahead";

struct question;

/* One registry that is asked about it. */
struct asked {
	struct asked *next;
	struct one *of;
	size_t registry;
	bool is_over;
	struct pmg_ages_wait wait;
};

/* One package of a question. */
struct one {
	struct question *of;
	size_t at; /* in its lists */
	int64_t published;
	char *unasked;  /* why a registry could not be asked; NULL */
	bool is_denied; /* by one that may know more of who logs in */
	bool is_late;   /* one did not answer in time, or said more than is kept */
	struct asked *asked;
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

static void free_one(struct one *one)
{
	struct asked *asked;

	while ((asked = one->asked)) {
		one->asked = asked->next;
		pmg_ages_forget(one->of->asks->service->ages, &asked->wait);
		free(asked);
	}
	free(one->unasked);
}

static void free_question(struct question *question)
{
	struct pmg_asks *asks = question->asks;
	size_t i;

	for (i = 0; i < question->ask.names.n; i++)
		free_one(&question->v[i]);
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

static size_t missing(const struct one *one, size_t *registries)
{
	const struct pmg_ages_pin pin = pin_of(one);

	return pmg_ages_missing(one->of->asks->service->ages, &pin, registries);
}

static bool is_missing(const struct one *one, size_t registry)
{
	size_t registries[PMG_REGISTRIES_MAX];
	size_t n = missing(one, registries);

	while (n > 0 && registries[n - 1] != registry)
		n--;
	return n > 0;
}

static void take_date(struct one *one)
{
	const struct pmg_ages_pin pin = pin_of(one);
	int64_t published = pmg_ages_find_pin(one->of->asks->service->ages, &pin);

	if (published > one->published)
		one->published = published;
}

/* All of its registries were heard: what one of them dates is dated. Else it is judged when it is
 * fetched, where one may want a login. */
static void conclude(struct one *one)
{
	size_t registries[PMG_REGISTRIES_MAX];

	if (one->published <= 0 && missing(one, registries) > 0)
		one->published = one->is_denied && !one->is_late ? PMG_DATE_UNASKED : PMG_DATE_NONE;
	if (one->published != PMG_DATE_NONE) {
		free(one->unasked);
		one->unasked = NULL;
	}
}

static void answer(struct question *question)
{
	struct pmg_asks *asks = question->asks;
	size_t i;

	for (i = 0; i < question->ask.names.n; i++) {
		struct one *one = &question->v[i];
		const struct pmg_ages_pin pin = pin_of(one);

		if (one->asked)
			conclude(one);
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

static void note_why(struct one *one, const char *why)
{
	free(one->unasked);
	one->unasked = pmg_xstrdup(why);
}

/* A registry has answered, or cannot be asked. */
static void on_date(void *ctx)
{
	struct asked *asked = ctx;
	struct one *one = asked->of;
	struct question *question = one->of;
	const struct pmg_err *err = &asked->wait.err;

	asked->is_over = true;
	if (err->code == 0) {
		take_date(one);
		one->is_late |= is_missing(one, asked->registry);
	} else if (err->code == PMG_E_NOTFOUND) {
		one->is_denied = true;
	} else {
		note_why(one, err->msg);
	}
	question->n_waiting--;
	if (question->n_waiting == 0)
		pmg_task_queue(question->asks->service->loop, &question->over);
}

static void on_timeout(void *ctx)
{
	struct question *question = ctx;
	struct asked *asked;
	size_t i;

	for (i = 0; i < question->ask.names.n; i++)
		for (asked = question->v[i].asked; asked; asked = asked->next) {
			if (asked->is_over)
				continue;
			pmg_ages_forget(question->asks->service->ages, &asked->wait);
			asked->of->is_late = true;
			note_why(asked->of, "the registry did not answer in time");
		}
	answer(question);
}

static void ask(struct one *one, size_t registry)
{
	struct pmg_ages *ages = one->of->asks->service->ages;
	const struct pmg_ages_pin pin = pin_of(one);
	struct asked *asked;

	if (is_when(one, ahead)) {
		pmg_ages_ahead(ages, registry, pin.name);
		return;
	}
	asked = pmg_xcalloc(1, sizeof *asked);
	asked->of = one;
	asked->registry = registry;
	asked->wait.task = (struct pmg_task){ .fn = on_date, .ctx = asked };
	asked->next = one->asked;
	one->asked = asked;
	one->of->n_waiting++;
	pmg_ages_wait(ages, registry, pin.name,
		      is_when(one, before) ? PMG_AGES_EARLY : PMG_AGES_PLAIN, &asked->wait);
}

static void begin(struct one *one)
{
	const struct pmg_service *service = one->of->asks->service;
	size_t i, n, registries[PMG_REGISTRIES_MAX];
	const char *name = one->of->ask.names.v[one->at];

	one->published = PMG_DATE_UNASKED;
	if ((!is_when(one, before) && !is_when(one, after) && !is_when(one, ahead)) ||
	    !pmg_judge_needs_dates(service->gate.judge, one->of->eco, name) ||
	    pmg_ask_bars(&service->gate, &one->of->ask, one->of->eco, one->at))
		return;
	take_date(one);
	n = missing(one, registries);
	for (i = 0; i < n; i++)
		ask(one, registries[i]);
}

static uint64_t limit_of(const struct pmg_wire_ask *ask)
{
	return ask->limit_ms > 0 && ask->limit_ms < PMG_ASKS_MS ? ask->limit_ms : PMG_ASKS_MS;
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
		pmg_timer_start(asks->service->loop, &question->timer, limit_of(&question->ask));
	return 0;
}
