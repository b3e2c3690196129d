#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "run/pins.h"

#define BYTES_MAX   40000U /* of the texts of one question: a message has 64 kB */
#define VERSION_MAX 256U
#define URL_MAX     1024U /* a longer one is none */
#define HASHES_MAX  3500U /* of one element; a package with more is asked for again */

/* Where in a set the next question begins. */
struct cursor {
	const struct pmg_resolved *set;
	pmg_pin_age_fn *age;
	void *ctx;
	size_t at;
	size_t hash; /* offset in its hashes */
	uint64_t number;
};

/* One question, and what its elements are. */
struct batch {
	struct pmg_wire_ask ask;
	size_t *at;
	size_t cap;
	size_t bytes;
};

void pmg_pin_hits_done(struct pmg_pin_hits *hits)
{
	size_t i;

	for (i = 0; i < hits->n; i++)
		pmg_wire_answer_done(&hits->v[i].what);
	free(hits->v);
	*hits = (struct pmg_pin_hits){ 0 };
}

static void batch_done(struct batch *batch)
{
	pmg_wire_ask_done(&batch->ask);
	free(batch->at);
}
PMG_DEFINE_AUTO_DONE(batch, struct batch, batch_done);

/* As many whole hashes as an element may hold. */
static char *next_hashes(const char *hashes, size_t *offset)
{
	const char *from = hashes + *offset;
	size_t len = strlen(from);

	if (len > HASHES_MAX)
		for (len = HASHES_MAX; len > 0 && from[len] != ' ';)
			len--;
	if (len == 0) { /* one word of that length is no hash */
		*offset = strlen(hashes);
		return pmg_xstrdup("");
	}
	*offset += len;
	return pmg_xstrndup(from, len);
}

/* Where it is from matters to its age alone. */
static void add_age(const struct cursor *cursor, struct batch *batch,
		    const struct pmg_resolved_package *p)
{
	static const char *const words[] = { "", "ahead", "before", "after" };
	enum pmg_pin_age age = cursor->age(cursor->ctx, p);
	const char *url = age != PMG_PIN_AGE_NONE && p->url ? p->url : "";

	pmg_strv_add(&batch->ask.ages, p->open ? "open" : words[age]);
	pmg_strv_take(&batch->ask.urls, strlen(url) > URL_MAX
						? pmg_xstrdup("too long")
						: pmg_str_quote(url, strlen(url), URL_MAX + 4));
	batch->bytes += strlen(batch->ask.urls.v[batch->ask.urls.n - 1]) + 12;
}

static void add(struct cursor *cursor, struct batch *batch)
{
	const struct pmg_resolved_package *p = &cursor->set->v[cursor->at];
	const char *hashes = p->integrity ? p->integrity : "";
	struct pmg_wire_ask *ask = &batch->ask;
	size_t n = ask->names.n;

	batch->at = pmg_grow(batch->at, n, &batch->cap, sizeof *batch->at);
	batch->at[n] = cursor->at;
	pmg_strv_add(&ask->names, p->name);
	/* What is no version stays none: its bytes only have to get through. */
	pmg_strv_take(&ask->versions,
		      p->version ? pmg_str_quote(p->version, strlen(p->version), VERSION_MAX)
				 : pmg_xstrdup(""));
	pmg_strv_take(&ask->hashes, next_hashes(hashes, &cursor->hash));
	add_age(cursor, batch, p);
	batch->bytes +=
		strlen(p->name) + strlen(ask->versions.v[n]) + strlen(ask->hashes.v[n]) + 12;
	if (!hashes[cursor->hash]) {
		cursor->at++;
		cursor->hash = 0;
	}
}

static bool is_repeated(const struct pmg_resolved *set, size_t at)
{
	const struct pmg_resolved_package *p = &set->v[at], *before = p - 1;

	return at > 0 && p->eco == before->eco && strcmp(p->name, before->name) == 0 &&
	       p->open == before->open && pmg_streq(p->version, before->version) &&
	       /* Its age is judged by these. */
	       pmg_streq(p->url, before->url) && p->foreign == before->foreign &&
	       (!p->integrity || pmg_streq(p->integrity, before->integrity));
}

/* Packages of one ecosystem, as many as a message holds. */
static void fill(struct cursor *cursor, struct batch *batch)
{
	const struct pmg_resolved *set = cursor->set;
	enum pmg_eco eco = set->v[cursor->at].eco;

	batch->ask.number = ++cursor->number;
	batch->ask.eco = pmg_xstrdup(pmg_eco_name(eco));
	while (cursor->at < set->n && set->v[cursor->at].eco == eco &&
	       batch->ask.names.n < PMG_WIRE_LIST_MAX && batch->bytes < BYTES_MAX) {
		if (cursor->hash == 0 && is_repeated(set, cursor->at))
			cursor->at++;
		else
			add(cursor, batch);
	}
}

static int keep(const struct pmg_proxy *proxy, const struct batch *batch, struct pmg_pin_hits *out,
		struct pmg_err *err)
{
	size_t i;

	for (i = 0; i < proxy->n_answers; i++) {
		struct pmg_wire_answer *answer = &proxy->answers[i];

		if (answer->number != batch->ask.number || answer->at >= batch->ask.names.n)
			return pmg_err_set(err, PMG_E_PEER, 0, "an answer to another question");
		/* A package that was asked for again, for its other hashes. */
		if (out->n > 0 && out->v[out->n - 1].at == batch->at[answer->at])
			continue;
		out->v = pmg_grow(out->v, out->n, &out->cap, sizeof *out->v);
		out->v[out->n++] = (struct pmg_pin_hit){ batch->at[answer->at], *answer };
		*answer = (struct pmg_wire_answer){ 0 };
	}
	return 0;
}

/* One slow registry, which a project can name, holds a run up once, however much it pins. */
static uint64_t left_ms(uint64_t until)
{
	uint64_t now = pmg_clock_ms();

	return now < until ? until - now : 1;
}

int pmg_pins_ask(struct pmg_attend *attend, const struct pmg_resolved *set, pmg_pin_age_fn *age,
		 void *ctx, struct pmg_pin_hits *out, struct pmg_err *err)
{
	const uint64_t until = pmg_clock_ms() + PMG_PINS_DATES_MS;
	struct cursor cursor = { .set = set, .age = age, .ctx = ctx };
	int r = 0;

	while (r == 0 && cursor.at < set->n && !attend->ended_by) {
		pmg_auto(batch) struct batch batch = { 0 };

		fill(&cursor, &batch);
		if (batch.ask.names.n == 0)
			break;
		batch.ask.limit_ms = left_ms(until);
		r = pmg_attend_ask(attend, &batch.ask, err);
		if (r == 0 && !attend->ended_by)
			r = keep(attend->proxy, &batch, out, err);
	}
	return r;
}
