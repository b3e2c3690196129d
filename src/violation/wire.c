#include "violation/wire.h"

#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/json.h"
#include "policy/policy.h"
#include "violation/event.h"

/* A text that is no UTF-8 is written with \\xNN, four bytes for one. */
#define GROWN 4U

#define FIELD(KIND, MSG, MEMBER, MAX)                                                              \
	{                                                                                          \
		PMG_FIELD_##KIND, #MEMBER, offsetof(struct pmg_wire_##MSG, MEMBER), MAX            \
	}

_Static_assert(PMG_WIRE_PATH_MAX == PMG_FIELD_ITEM_MAX, "wire.h says so of lists");

static const struct pmg_field registry_fields[] = {
	FIELD(TEXT, registry, eco, PMG_WIRE_ECO_MAX),
	FIELD(TEXT, registry, url, PMG_WIRE_URL_MAX),
	FIELD(MAYBE, registry, scope, PMG_WIRE_NAME_MAX),
	FIELD(BOOL, registry, is_private, 0),
	FIELD(BOOL, registry, is_replaced, 0),
	{ 0 },
};

static const struct pmg_field source_fields[] = {
	FIELD(TEXT, source, eco, PMG_WIRE_ECO_MAX),
	FIELD(TEXT, source, url, PMG_WIRE_URL_MAX),
	FIELD(MAYBE, source, name, PMG_WIRE_NAME_MAX),
	FIELD(MAYBE, source, version, PMG_WIRE_NAME_MAX),
	{ 0 },
};

static const struct pmg_field start_fields[] = {
	FIELD(TEXT, start, token, PMG_WIRE_NAME_MAX),
	FIELD(TEXT, start, index_path, PMG_WIRE_PATH_MAX),
	FIELD(TEXT, start, blocklist_path, PMG_WIRE_PATH_MAX),
	FIELD(MAYBE, start, managed_path, PMG_WIRE_PATH_MAX),
	FIELD(MAYBE, start, cache_path, PMG_WIRE_PATH_MAX),
	FIELD(MAYBE, start, dates_path, PMG_WIRE_PATH_MAX),
	FIELD(MAYBE, start, contents_path, PMG_WIRE_PATH_MAX),
	FIELD(MAYBE, start, https_proxy, PMG_WIRE_URL_MAX),
	FIELD(MAYBE, start, http_proxy, PMG_WIRE_URL_MAX),
	FIELD(MAYBE, start, no_proxy, PMG_WIRE_URL_MAX),
	FIELD(LIST, start, ca_files, PMG_WIRE_LIST_MAX),
	FIELD(LIST, start, ca_dirs, PMG_WIRE_LIST_MAX),
	FIELD(BOOL, start, debug, 0),
	FIELD(BOOL, start, walls, 0),
	FIELD(BOOL, start, inspect, 0),
	FIELD(LIST, start, inspect_block, PMG_WIRE_LIST_MAX),
	FIELD(LIST, start, inspect_report, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static const struct pmg_field ready_fields[] = {
	FIELD(BOOL, ready, index_present, 0),         FIELD(TIME, ready, index_built, 0),
	FIELD(TIME, ready, index_checked, 0),         FIELD(COUNT, ready, index_records, 0),
	FIELD(COUNT, ready, blocklist_entries, 0),    FIELD(TEXT, ready, ca_pem, PMG_WIRE_PEM_MAX),
	FIELD(LIST, ready, notes, PMG_WIRE_LIST_MAX), { 0 },
};

static const struct pmg_field judged_fields[] = {
	FIELD(TEXT, judged, eco, PMG_WIRE_ECO_MAX),
	FIELD(TEXT, judged, name, PMG_WIRE_NAME_MAX),
	FIELD(TEXT, judged, version, PMG_WIRE_NAME_MAX),
	FIELD(TEXT, judged, verdict, PMG_WIRE_NAME_MAX),
	FIELD(MAYBE, judged, reason, PMG_WIRE_TEXT_MAX),
	FIELD(INT, judged, diag, 0),
	FIELD(MAYBE, judged, rule, PMG_WIRE_TEXT_MAX),
	FIELD(MAYBE, judged, note, PMG_WIRE_TEXT_MAX),
	FIELD(MAYBE, judged, instead, PMG_WIRE_NAME_MAX),
	FIELD(MAYBE, judged, published, PMG_WIRE_NAME_MAX),
	FIELD(COUNT, judged, more, 0),
	FIELD(TEXT, judged, url, PMG_WIRE_URL_MAX),
	FIELD(LIST, judged, ids, PMG_WIRE_LIST_MAX),
	FIELD(LIST, judged, sources, PMG_WIRE_LIST_MAX),
	FIELD(LIST, judged, findings, PMG_WIRE_LIST_MAX),
	FIELD(LIST, judged, waivers, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static const struct pmg_field passed_fields[] = {
	FIELD(TEXT, passed, target, PMG_WIRE_URL_MAX),
	FIELD(TEXT, passed, why, PMG_WIRE_NAME_MAX),
	{ 0 },
};

static const struct pmg_field trouble_fields[] = {
	FIELD(TEXT, trouble, target, PMG_WIRE_URL_MAX),
	FIELD(TEXT, trouble, what, PMG_WIRE_TEXT_MAX),
	FIELD(INT, trouble, diag, 0),
	{ 0 },
};

static const struct pmg_field dated_fields[] = {
	FIELD(LIST, dated, lines, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static const struct pmg_field contents_fields[] = {
	FIELD(LIST, contents, lines, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static const struct pmg_field done_fields[] = {
	FIELD(COUNT, done, requests, 0),
	FIELD(COUNT, done, bytes, 0),
	FIELD(LIST, done, learned, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static const struct pmg_field netrule_fields[] = {
	FIELD(INT, netrule, rank, PMG_RANK_MAX - 1),
	FIELD(INT, netrule, roles, PMG_ROLE_ANY),
	FIELD(INT, netrule, layer, PMG_LAYER_MAX - 1),
	FIELD(TEXT, netrule, text, PMG_WIRE_PATH_MAX),
	FIELD(TEXT, netrule, source, PMG_WIRE_URL_MAX),
	FIELD(BOOL, netrule, sensitive, 0),
	{ 0 },
};

static const struct pmg_field listen_fields[] = {
	FIELD(LIST, listen, kinds, PMG_MSG_FDS_MAX),
	{ 0 },
};

static const struct pmg_field walls_fields[] = {
	FIELD(LIST, walls, kinds, PMG_MSG_FDS_MAX),
	FIELD(LIST, walls, notes, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static const struct pmg_field started_fields[] = {
	FIELD(INT, started, pid, 0),
	{ 0 },
};

static const struct pmg_field stopped_fields[] = {
	FIELD(INT, stopped, signal, 0),
	{ 0 },
};

static const struct pmg_field ended_fields[] = {
	FIELD(INT, ended, status, 0),
	{ 0 },
};

static const struct pmg_field connect_fields[] = {
	FIELD(TEXT, connect, protocol, PMG_WIRE_ECO_MAX),
	FIELD(MAYBE, connect, local, PMG_WIRE_NAME_MAX),
	FIELD(TEXT, connect, target, PMG_WIRE_NAME_MAX),
	FIELD(INT, connect, role, PMG_ROLE_ANY),
	FIELD(MAYBE, connect, package, GROWN *PMG_WIRE_NAME_MAX),
	FIELD(MAYBE, connect, script, GROWN *PMG_WIRE_NAME_MAX),
	FIELD(MAYBE, connect, how_known, PMG_WIRE_NAME_MAX),
	FIELD(LIST, connect, process, PMG_EVENT_CHAIN_MAX),
	{ 0 },
};

static const struct pmg_field packages_fields[] = {
	FIELD(TEXT, packages, piece, PMG_WIRE_PIECE_MAX),
	{ 0 },
};

static const struct pmg_field ask_fields[] = {
	FIELD(COUNT, ask, number, 0),
	FIELD(TEXT, ask, eco, PMG_WIRE_ECO_MAX),
	FIELD(LIST, ask, names, PMG_WIRE_LIST_MAX),
	FIELD(LIST, ask, versions, PMG_WIRE_LIST_MAX),
	FIELD(LIST, ask, hashes, PMG_WIRE_LIST_MAX),
	FIELD(LIST, ask, ages, PMG_WIRE_LIST_MAX),
	FIELD(LIST, ask, urls, PMG_WIRE_LIST_MAX),
	FIELD(COUNT, ask, limit_ms, 0),
	{ 0 },
};

static const struct pmg_field answer_fields[] = {
	FIELD(COUNT, answer, number, 0),
	FIELD(COUNT, answer, at, 0),
	FIELD(TEXT, answer, verdict, PMG_WIRE_NAME_MAX),
	FIELD(TEXT, answer, reason, PMG_WIRE_TEXT_MAX),
	FIELD(INT, answer, diag, 0),
	FIELD(MAYBE, answer, rule, PMG_WIRE_TEXT_MAX),
	FIELD(MAYBE, answer, note, PMG_WIRE_TEXT_MAX),
	FIELD(LIST, answer, ids, PMG_WIRE_LIST_MAX),
	FIELD(LIST, answer, sources, PMG_WIRE_LIST_MAX),
	FIELD(LIST, answer, waivers, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static const struct pmg_field answered_fields[] = {
	FIELD(COUNT, answered, number, 0),
	{ 0 },
};

#define MESSAGE(NAME)                                                                              \
	struct json_t *pmg_wire_##NAME##_encode(const struct pmg_wire_##NAME *m)                   \
	{                                                                                          \
		return pmg_fields_encode(NAME##_fields, m);                                        \
	}                                                                                          \
	int pmg_wire_##NAME##_decode(const struct json_t *body, struct pmg_wire_##NAME *out,       \
				     struct pmg_err *err)                                          \
	{                                                                                          \
		struct pmg_wire_##NAME fresh = { 0 };                                              \
                                                                                                   \
		return pmg_fields_decode(NAME##_fields, body, &fresh, sizeof fresh, out, err);     \
	}                                                                                          \
	void pmg_wire_##NAME##_done(struct pmg_wire_##NAME *m)                                     \
	{                                                                                          \
		pmg_fields_done(NAME##_fields, m);                                                 \
	}

MESSAGE(registry)
MESSAGE(source)
MESSAGE(start)
MESSAGE(ready)
MESSAGE(judged)
MESSAGE(passed)
MESSAGE(trouble)
MESSAGE(dated)
MESSAGE(contents)
MESSAGE(done)
MESSAGE(netrule)
MESSAGE(listen)
MESSAGE(walls)
MESSAGE(started)
MESSAGE(stopped)
MESSAGE(ended)
MESSAGE(connect)
MESSAGE(packages)
MESSAGE(ask)
MESSAGE(answer)
MESSAGE(answered)

/* An error has arrays where the others have pointers, so it travels as one of these. */
struct pmg_wire_failed {
	int code, errnum, diag;
	char *msg, *hint;
};

/* Cut inside a UTF-8 character, perhaps. */
#define ERR_MAX(MEMBER) (GROWN * (sizeof((struct pmg_err *)0)->MEMBER - 1))

static const struct pmg_field failed_fields[] = {
	FIELD(INT, failed, code, 0),
	FIELD(INT, failed, errnum, 0),
	FIELD(INT, failed, diag, 0),
	FIELD(TEXT, failed, msg, ERR_MAX(msg)),
	FIELD(TEXT, failed, hint, ERR_MAX(hint)),
	{ 0 },
};

struct json_t *pmg_wire_failed_encode(const struct pmg_err *failed)
{
	struct pmg_err copy = *failed;
	struct pmg_wire_failed m = { (int)copy.code, copy.errnum, copy.diag, copy.msg, copy.hint };

	return pmg_fields_encode(failed_fields, &m);
}

int pmg_wire_failed_decode(const struct json_t *body, struct pmg_err *out, struct pmg_err *err)
{
	struct pmg_wire_failed fresh = { 0 }, m = { 0 };
	int r = pmg_fields_decode(failed_fields, body, &fresh, sizeof fresh, &m, err);

	if (r == 0 && (m.code < 1 || m.code >= PMG_E_MAX))
		r = pmg_fields_wrong(err, "code", "is no error code");
	if (r == 0) {
		out->code = (enum pmg_code)m.code;
		out->errnum = m.errnum;
		out->diag = m.diag;
		(void)snprintf(out->msg, sizeof out->msg, "%s", m.msg);
		(void)snprintf(out->hint, sizeof out->hint, "%s", m.hint);
	}
	pmg_fields_done(failed_fields, &m);
	return r;
}
