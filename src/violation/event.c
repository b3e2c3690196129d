#include "violation/event.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/str.h"

/* Twice the most events there can be: probing stays short. A power of two. */
#define SLOTS_MAX     1024U
#define SENSITIVE_MAX (PMG_EVENTS_MAX - 1) /* the last place says that there were more */
#define TIME_MAX      253402300799         /* the last second of 9999, as RFC 3339 has it */
#define OTHERS_MAX    (SENSITIVE_MAX - PMG_EVENTS_MAX / 8)

_Static_assert(SLOTS_MAX / 2 >= PMG_EVENTS_MAX, "room to probe");

static const char *const op_names[PMG_EVENT_OP_MAX] = {
	[PMG_EVENT_READ] = "read",       [PMG_EVENT_WRITE] = "write",
	[PMG_EVENT_DELETE] = "delete",   [PMG_EVENT_RENAME] = "rename",
	[PMG_EVENT_LINK] = "link",       [PMG_EVENT_METADATA] = "metadata",
	[PMG_EVENT_EXEC] = "exec",       [PMG_EVENT_CONNECT] = "connect",
	[PMG_EVENT_RESOLVE] = "resolve", [PMG_EVENT_BIND] = "bind",
	[PMG_EVENT_UNIX] = "unix",       [PMG_EVENT_SIGNAL] = "signal",
	[PMG_EVENT_KERNEL] = "kernel",   [PMG_EVENT_ENV] = "env",
};

static const char *const by_names[PMG_EVENT_BY_MAX] = {
	[PMG_EVENT_BY_KERNEL] = "kernel",
	[PMG_EVENT_BY_BROKER] = "broker",
	[PMG_EVENT_BY_OBSERVER] = "observer",
	[PMG_EVENT_BY_PROXY] = "proxy",
};

const char *pmg_event_op_name(enum pmg_event_op op)
{
	return op_names[op];
}

const char *pmg_event_by_name(enum pmg_event_by by)
{
	return by_names[by];
}

static int name_index(const char *const *names, int n, const char *text)
{
	int i;

	for (i = 0; i < n; i++)
		if (strcmp(names[i], text) == 0)
			return i;
	return -1;
}

int pmg_event_op_parse(const char *text, enum pmg_event_op *out, struct pmg_err *err)
{
	int i = name_index(op_names, PMG_EVENT_OP_MAX, text);

	if (i < 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "no such operation");
	*out = (enum pmg_event_op)i;
	return 0;
}

int pmg_event_by_parse(const char *text, enum pmg_event_by *out, struct pmg_err *err)
{
	int i = name_index(by_names, PMG_EVENT_BY_MAX, text);

	if (i < 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "nobody who enforces");
	*out = (enum pmg_event_by)i;
	return 0;
}

void pmg_event_done(struct pmg_event *event)
{
	free(event->target);
	free(event->rule);
	free(event->layer);
	free(event->source);
	free(event->package);
	free(event->script);
	free(event->how_known);
	free(event->allow);
	pmg_strv_done(&event->process);
	*event = (struct pmg_event){ 0 };
}

/* At most max bytes of text that is UTF-8, with "..." where something is missing. */
static void cut(char *text, size_t max)
{
	size_t n = max - 3;

	if (strlen(text) <= max)
		return;
	while (n > 0 && ((unsigned char)text[n] & 0xc0U) == 0x80U)
		n--;
	memcpy(text + n, "...", sizeof "...");
}

/* The common case, looked at without a copy: printable ASCII. */
static bool is_plain(const char *text, size_t max)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (text[i] < ' ' || text[i] > '~' || i >= max)
			return false;
	return i > 0;
}

/* Text that terminal, key and wire all take as it is: no control bytes, UTF-8, short, NULL for
 * empty. @return whether something of it was lost */
static bool clean(char **text, size_t max)
{
	char *old = *text;
	bool changed;

	if (!old || is_plain(old, max))
		return false;
	*text = *old ? pmg_str_quote(old, strlen(old), SIZE_MAX) : NULL;
	if (*text)
		cut(*text, max);
	changed = *text && strcmp(old, *text) != 0;
	free(old);
	return changed;
}

static void clean_process(struct pmg_strv *process)
{
	size_t i = 0;

	while (process->n > PMG_EVENT_CHAIN_MAX) /* both ends say most: from where, and who */
		pmg_strv_remove(process, PMG_EVENT_CHAIN_MAX / 2);
	while (i < process->n) {
		if (!*process->v[i]) {
			pmg_strv_remove(process, i);
			continue;
		}
		(void)clean(&process->v[i], PMG_EVENT_NAME_MAX);
		i++;
	}
}

/* A clock that is far off must not make an event that nobody can decode. */
static int64_t shown_time(int64_t when)
{
	return when < 0 ? 0 : when > TIME_MAX ? TIME_MAX : when;
}

void pmg_event_clean(struct pmg_event *event)
{
	bool strange = clean(&event->target, PMG_EVENT_TARGET_MAX);

	/* What is shown for a strange name is not that name, so it allows nothing. */
	if (clean(&event->allow, PMG_EVENT_SOURCE_MAX) || strange)
		free(pmg_steal_ptr(&event->allow));
	if (!event->target)
		event->target = pmg_xstrdup("?");
	(void)clean(&event->rule, PMG_EVENT_TARGET_MAX);
	(void)clean(&event->source, PMG_EVENT_SOURCE_MAX);
	(void)clean(&event->layer, PMG_EVENT_NAME_MAX);
	(void)clean(&event->package, PMG_EVENT_NAME_MAX);
	(void)clean(&event->script, PMG_EVENT_NAME_MAX);
	(void)clean(&event->how_known, PMG_EVENT_NAME_MAX);
	clean_process(&event->process);
	if (event->count == 0)
		event->count = 1;
	event->first = shown_time(event->first);
	event->last = shown_time(event->last);
	if (event->last < event->first)
		event->last = event->first;
}

void pmg_event_key(const struct pmg_event *event, char out[PMG_SHA256_HEX])
{
	const char *const texts[] = { event->target, event->rule, event->package, event->script };
	pmg_auto(str) struct pmg_str bytes = PMG_STR_INIT(SIZE_MAX / 2);
	size_t i;
	/* What one program does as a matter of course may be a theft by another. */
	int r = pmg_str_addf(&bytes, "%d %s%s", event->code, pmg_event_op_name(event->op),
			     event->sensitive ? " sensitive" : "");

	/* Ends and absence are part of it, so that no two lists of texts make the same bytes. */
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(texts); i++)
		r = texts[i] ? pmg_str_add(&bytes, texts[i], strlen(texts[i]) + 1)
			     : pmg_str_add(&bytes, "\1", 2);
	assert(r == 0);
	pmg_sha256_hex(bytes.s, bytes.len, out);
}

void pmg_events_done(struct pmg_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		pmg_event_done(&events->v[i]);
	free(events->v);
	free(events->keys);
	free(events->slots);
	*events = (struct pmg_events){ 0 };
}

/* The slot that holds key, or the free one where it would go. Whoever makes digests that begin
 * alike costs only its own run time: the table is bounded. */
static uint32_t *slot_of(const struct pmg_events *events, const char key[PMG_SHA256_HEX])
{
	uint32_t i = pmg_fnv1a(PMG_FNV1A_INIT, key, PMG_SHA256_HEX - 1) & (SLOTS_MAX - 1);

	while (events->slots[i] && strcmp(events->keys[events->slots[i] - 1].hex, key) != 0)
		i = (i + 1) & (SLOTS_MAX - 1);
	return &events->slots[i];
}

static bool stands_for_others(const struct pmg_event *event)
{
	return event->code == PMG_DIAG_INCOMPLETE &&
	       strcmp(event->target, PMG_EVENT_LOST_TARGET) == 0;
}

static bool has_room(const struct pmg_events *events, const struct pmg_event *event)
{
	size_t n = events->n - events->says_lost;

	if (stands_for_others(event))
		return true;
	if (event->sensitive)
		return n < SENSITIVE_MAX;
	return n < SENSITIVE_MAX && n - events->n_sensitive < OTHERS_MAX;
}

static void count_again(struct pmg_event *old, const struct pmg_event *more)
{
	if (__builtin_add_overflow(old->count, more->count, &old->count))
		old->count = UINT64_MAX;
	if (more->first < old->first)
		old->first = more->first;
	if (more->last > old->last)
		old->last = more->last;
}

static struct pmg_event *append(struct pmg_events *events, struct pmg_event *event, uint32_t *slot,
				const char key[PMG_SHA256_HEX])
{
	size_t cap = events->cap;

	events->v = pmg_grow(events->v, events->n, &events->cap, sizeof *events->v);
	events->keys = pmg_grow(events->keys, events->n, &cap, sizeof *events->keys);
	memcpy(events->keys[events->n].hex, key, PMG_SHA256_HEX);
	events->v[events->n] = *event;
	*event = (struct pmg_event){ 0 };
	if (stands_for_others(&events->v[events->n])) {
		events->says_lost = true;
		events->lost_at = events->n;
	} else {
		events->n_sensitive += events->v[events->n].sensitive;
	}
	*slot = (uint32_t)events->n + 1;
	return &events->v[events->n++];
}

/* The event in the list, or NULL where there is no room; *is_new says whether it was added. */
static struct pmg_event *keep(struct pmg_events *events, struct pmg_event *event, bool *is_new)
{
	char key[PMG_SHA256_HEX];
	uint32_t *slot;

	*is_new = false;
	pmg_event_clean(event);
	pmg_event_key(event, key);
	if (!events->slots)
		events->slots = pmg_xcalloc(SLOTS_MAX, sizeof *events->slots);
	slot = slot_of(events, key);
	if (*slot) {
		count_again(&events->v[*slot - 1], event);
		return &events->v[*slot - 1];
	}
	if (!has_room(events, event))
		return NULL;
	*is_new = true;
	return append(events, event, slot, key);
}

/* One event stands for all that have none. */
static const struct pmg_event *lose(struct pmg_events *events, const struct pmg_event *lost)
{
	struct pmg_event more = { .code = PMG_DIAG_INCOMPLETE,
				  .op = PMG_EVENT_KERNEL,
				  .by = lost->by,
				  .first = lost->first,
				  .last = lost->last,
				  .count = lost->count };
	const struct pmg_event *event;
	bool is_new;

	if (__builtin_add_overflow(events->lost, lost->count, &events->lost))
		events->lost = UINT64_MAX;
	if (events->says_lost) {
		count_again(&events->v[events->lost_at], &more);
		return NULL;
	}
	more.target = pmg_xstrdup(PMG_EVENT_LOST_TARGET);
	event = keep(events, &more, &is_new);
	pmg_event_done(&more);
	return event;
}

const struct pmg_event *pmg_events_add(struct pmg_events *events, struct pmg_event *taken)
{
	bool is_new;
	const struct pmg_event *event = keep(events, taken, &is_new);

	if (event)
		event = is_new ? event : NULL;
	else
		event = lose(events, taken);
	pmg_event_done(taken);
	return event;
}

struct json_t *pmg_event_tell(struct pmg_event *event)
{
	struct pmg_event part = *event;

	part.count -= event->told;
	if (part.count == 0)
		return NULL;
	event->told = event->count;
	return pmg_event_encode(&part);
}

/* An event has numbers and enumerators where it travels with texts. */
struct flat {
	char *first, *last;
	uint64_t count;
	char *code, *op, *target, *rule, *layer, *source, *package, *script, *how_known;
	struct pmg_strv process;
	char *enforced_by;
	bool sensitive;
	char *allow;
};

#define FIELD(KIND, MEMBER, MAX)                                                                   \
	{                                                                                          \
		PMG_FIELD_##KIND, #MEMBER, offsetof(struct flat, MEMBER), MAX                      \
	}

static const struct pmg_field flat_fields[] = {
	FIELD(TEXT, first, PMG_RFC3339_LEN - 1),
	FIELD(TEXT, last, PMG_RFC3339_LEN - 1),
	FIELD(COUNT, count, 0),
	FIELD(TEXT, code, PMG_DIAG_LEN - 1),
	FIELD(TEXT, op, PMG_EVENT_NAME_MAX),
	FIELD(TEXT, target, PMG_EVENT_TARGET_MAX),
	FIELD(MAYBE, rule, PMG_EVENT_TARGET_MAX),
	FIELD(MAYBE, layer, PMG_EVENT_NAME_MAX),
	FIELD(MAYBE, source, PMG_EVENT_SOURCE_MAX),
	FIELD(MAYBE, package, PMG_EVENT_NAME_MAX),
	FIELD(MAYBE, script, PMG_EVENT_NAME_MAX),
	FIELD(MAYBE, how_known, PMG_EVENT_NAME_MAX),
	FIELD(LIST, process, PMG_EVENT_CHAIN_MAX),
	FIELD(TEXT, enforced_by, PMG_EVENT_NAME_MAX),
	FIELD(BOOL, sensitive, 0),
	FIELD(MAYBE, allow, PMG_EVENT_SOURCE_MAX),
	{ 0 },
};

struct json_t *pmg_event_encode(const struct pmg_event *event)
{
	char first[PMG_RFC3339_LEN], last[PMG_RFC3339_LEN], code[PMG_DIAG_LEN];
	char op[PMG_EVENT_OP_LEN], by[PMG_EVENT_OP_LEN];
	struct flat flat = { .first = first,
			     .last = last,
			     .count = event->count,
			     .code = code,
			     .op = op,
			     .target = event->target,
			     .rule = event->rule,
			     .layer = event->layer,
			     .source = event->source,
			     .package = event->package,
			     .script = event->script,
			     .how_known = event->how_known,
			     .process = event->process,
			     .enforced_by = by,
			     .sensitive = event->sensitive,
			     .allow = event->allow };

	pmg_clock_format(event->first, first);
	pmg_clock_format(event->last, last);
	pmg_diag_text(event->code, code);
	(void)snprintf(op, sizeof op, "%s", pmg_event_op_name(event->op));
	(void)snprintf(by, sizeof by, "%s", pmg_event_by_name(event->by));
	return pmg_fields_encode(flat_fields, &flat);
}

static int parse_code(const char *text, int *out)
{
	uint64_t n;

	if (!pmg_str_has_prefix(text, "PMG") || strlen(text) != 7 ||
	    pmg_parse_uint(text + 3, 9999, &n) < 0)
		return -PMG_E_PARSE;
	*out = (int)n;
	return 0;
}

static int parse_time(const char *text, int64_t *out)
{
	int r = pmg_clock_parse(text, out);

	return r == 0 && (*out < 0 || *out > TIME_MAX) ? -PMG_E_PARSE : r;
}

/* Numbers and enumerators of `flat` into *event. */
static int translate(const struct flat *flat, struct pmg_event *event, struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;

	event->count = flat->count;
	event->sensitive = flat->sensitive;
	if (flat->count == 0)
		return pmg_fields_wrong(err, "count", "is nothing");
	if (parse_time(flat->first, &event->first) < 0)
		return pmg_fields_wrong(err, "first", "is no time");
	if (parse_time(flat->last, &event->last) < 0)
		return pmg_fields_wrong(err, "last", "is no time");
	if (parse_code(flat->code, &event->code) < 0)
		return pmg_fields_wrong(err, "code", "is no PMGnnnn");
	if (pmg_event_op_parse(flat->op, &event->op, &why) < 0)
		return pmg_fields_wrong(err, "op", "is no operation");
	if (pmg_event_by_parse(flat->enforced_by, &event->by, &why) < 0)
		return pmg_fields_wrong(err, "enforced_by", "is nobody");
	return 0;
}

static void move_texts(struct flat *flat, struct pmg_event *event)
{
	event->target = pmg_steal_ptr(&flat->target);
	event->rule = pmg_steal_ptr(&flat->rule);
	event->layer = pmg_steal_ptr(&flat->layer);
	event->source = pmg_steal_ptr(&flat->source);
	event->package = pmg_steal_ptr(&flat->package);
	event->script = pmg_steal_ptr(&flat->script);
	event->how_known = pmg_steal_ptr(&flat->how_known);
	event->allow = pmg_steal_ptr(&flat->allow);
	event->process = flat->process;
	flat->process = (struct pmg_strv){ 0 };
}

static int from_flat(struct flat *flat, struct pmg_event *out, struct pmg_err *err)
{
	struct pmg_event event = { 0 };
	int r = translate(flat, &event, err);

	if (r == 0) {
		move_texts(flat, &event);
		*out = event;
	}
	pmg_fields_done(flat_fields, flat);
	return r;
}

int pmg_event_decode(const struct json_t *body, struct pmg_event *out, struct pmg_err *err)
{
	struct flat fresh = { 0 }, flat;
	int r = pmg_fields_decode(flat_fields, body, &fresh, sizeof fresh, &flat, err);

	return r < 0 ? r : from_flat(&flat, out, err);
}

int pmg_event_read(const struct json_t *listed, struct pmg_event *out, struct pmg_err *err)
{
	struct flat fresh = { 0 }, flat;
	int r = pmg_fields_pick(flat_fields, listed, &fresh, sizeof fresh, &flat, err);

	if (r == 0)
		r = from_flat(&flat, out, err);
	if (r == 0)
		pmg_event_clean(out);
	return r;
}
