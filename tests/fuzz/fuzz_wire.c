/* A message from another pmg process: the first byte is its type, the rest its body. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "violation/event.h"
#include "violation/explain.h"
#include "violation/wire.h"

/* What decodes must encode to something that decodes again. */
#define TRY(TYPE, NAME)                                                                            \
	case TYPE: {                                                                               \
		pmg_auto(wire_##NAME) struct pmg_wire_##NAME m = { 0 }, again = { 0 };             \
		pmg_auto(json) struct json_t *json = NULL;                                         \
                                                                                                   \
		if (pmg_wire_##NAME##_decode(body, &m, &err) < 0)                                  \
			break;                                                                     \
		json = pmg_wire_##NAME##_encode(&m);                                               \
		if (pmg_wire_##NAME##_decode(json, &again, &err) < 0)                              \
			abort();                                                                   \
		break;                                                                             \
	}

static void try_failed(const struct json_t *body, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err failed = PMG_ERR_INIT, again = PMG_ERR_INIT;

	if (pmg_wire_failed_decode(body, &failed, err) < 0)
		return;
	json = pmg_wire_failed_encode(&failed);
	if (pmg_wire_failed_decode(json, &again, err) < 0)
		abort();
}

/* And what was collected can be sent on, and said without harm to a terminal. */
static void try_denied(const struct json_t *body, struct pmg_err *err)
{
	pmg_auto(events) struct pmg_events events = { 0 };
	pmg_auto(event) struct pmg_event event = { 0 }, again = { 0 };
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_explain_what what = { 0 };
	pmg_autofree char *text = NULL, *words = NULL;
	const char *c;

	if (pmg_event_decode(body, &event, err) < 0)
		return;
	if (!pmg_events_add(&events, &event))
		abort();
	json = pmg_event_tell(&events.v[0]);
	text = pmg_json_dump(json);
	if (pmg_event_decode(json, &again, err) < 0 || strlen(text) > PMG_MSG_MAX)
		abort();
	what.event = &events.v[0];
	words = pmg_explain_text(&what);
	for (c = words; *c; c++)
		if ((unsigned char)*c < ' ' && *c != '\n')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(json) struct json_t *body = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (size < 1 || size > PMG_MSG_MAX)
		return 0;
	if (pmg_json_parse("fuzz", (const char *)data + 1, size - 1, &body, &err) < 0)
		return 0;
	switch (data[0] - '0') {
		TRY(PMG_WIRE_REGISTRY, registry)
		TRY(PMG_WIRE_SOURCE, source)
		TRY(PMG_WIRE_START, start)
		TRY(PMG_WIRE_READY, ready)
		TRY(PMG_WIRE_JUDGED, judged)
		TRY(PMG_WIRE_PASSED, passed)
		TRY(PMG_WIRE_TROUBLE, trouble)
		TRY(PMG_WIRE_DATED, dated)
		TRY(PMG_WIRE_CONTENTS, contents)
		TRY(PMG_WIRE_DONE, done)
		TRY(PMG_WIRE_NETRULE, netrule)
		TRY(PMG_WIRE_LISTEN, listen)
		TRY(PMG_WIRE_WALLS, walls)
		TRY(PMG_WIRE_STARTED, started)
		TRY(PMG_WIRE_STOPPED, stopped)
		TRY(PMG_WIRE_ENDED, ended)
		TRY(PMG_WIRE_CONNECT, connect)
		TRY(PMG_WIRE_ASK, ask)
		TRY(PMG_WIRE_ANSWER, answer)
		TRY(PMG_WIRE_ANSWERED, answered)
	case PMG_WIRE_DENIED:
		try_denied(body, &err);
		break;
	case PMG_WIRE_FAILED:
		try_failed(body, &err);
		break;
	default:
		break;
	}
	return 0;
}
