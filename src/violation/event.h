#ifndef PMG_VIOLATION_EVENT_H
#define PMG_VIOLATION_EVENT_H
/**
 * One refusal, as broker, proxy or front saw it: what was tried, which rule of
 * which layer said no, by which package and script. The same struct from its
 * capture to `pmg violations list`.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/strv.h"

struct json_t;

#define PMG_EVENTS_MAX       512U /* distinct ones a run; more are counted, and that is said once */
#define PMG_EVENT_TARGET_MAX 4096U
#define PMG_EVENT_SOURCE_MAX (PMG_EVENT_TARGET_MAX + 64U) /* source, allow: a path and a little */
#define PMG_EVENT_NAME_MAX   512U
#define PMG_EVENT_OP_LEN     16U /* name of an operation, or of who enforced it, with NUL */
#define PMG_EVENT_CHAIN_MAX  16U /* programs named in process */

enum pmg_event_op {
	PMG_EVENT_READ,
	PMG_EVENT_WRITE,
	PMG_EVENT_DELETE,
	PMG_EVENT_RENAME,
	PMG_EVENT_LINK,
	PMG_EVENT_METADATA,
	PMG_EVENT_EXEC,
	PMG_EVENT_CONNECT,
	PMG_EVENT_RESOLVE,
	PMG_EVENT_BIND,
	PMG_EVENT_UNIX,
	PMG_EVENT_SIGNAL,
	PMG_EVENT_KERNEL,
	PMG_EVENT_ENV,
	PMG_EVENT_OP_MAX
};
const char *pmg_event_op_name(enum pmg_event_op op);
/** @return 0 or -PMG_E_PARSE */
int pmg_event_op_parse(const char *text, enum pmg_event_op *out,
		       struct pmg_err *err) PMG_MUST_CHECK;

enum pmg_event_by {
	PMG_EVENT_BY_KERNEL,
	PMG_EVENT_BY_BROKER,
	PMG_EVENT_BY_OBSERVER,
	PMG_EVENT_BY_PROXY,
	PMG_EVENT_BY_MAX
};
const char *pmg_event_by_name(enum pmg_event_by by);
/** @return 0 or -PMG_E_PARSE */
int pmg_event_by_parse(const char *text, enum pmg_event_by *out,
		       struct pmg_err *err) PMG_MUST_CHECK;

/* Texts are owned; NULL where there is nothing to say, and then left out of every report. */
struct pmg_event {
	int code; /* PMGnnnn */
	enum pmg_event_op op;
	enum pmg_event_by by; /* enforced_by */
	char *target;  /* resolved path; "tcp 10.0.0.1:443", "dns host", "unix /run/x", "unix @x" */
	char *rule;    /* pattern that fired; NULL: no rule allows it */
	char *layer;   /* pmg_layer_name() */
	char *source;  /* "built-in:14", "/path/x.yml:7" */
	char *package; /* "dep-evil@1.2.3" */
	char *script;  /* "postinstall" */
	char *how_known;         /* "tree", "cwd": seen; "env": claimed by the process */
	struct pmg_strv process; /* names of programs, outermost first: npm, sh, node */
	char *allow; /* what --sandbox-allow takes to let exactly this through; NULL: nothing
		      * should, or can */
	bool sensitive;
	int64_t first, last; /* seconds since 1970 */
	uint64_t count;      /* 0 is taken for 1 */
	uint64_t told;       /* of count: passed on already, pmg_event_tell() */
};
void pmg_event_done(struct pmg_event *event);
PMG_DEFINE_AUTO_DONE(event, struct pmg_event, pmg_event_done);

/**
 * Make its texts fit for terminal, key and wire: control bytes and what is no UTF-8 as \\xNN, each
 * at most its maximum with "..." at the end, NULL for "". A target that had to be changed has no
 * `allow` any more. Done by pmg_events_add().
 */
void pmg_event_clean(struct pmg_event *event);

/**
 * By what two refusals are the same: code, op, target, rule, package, script. The only function
 * that says so, at capture and in the ledger. Of an event that is clean.
 */
void pmg_event_key(const struct pmg_event *event, char out[PMG_SHA256_HEX]);

/* PMG2018, capture incomplete: also what stands for refusals without an event of their own. */
#define PMG_DIAG_INCOMPLETE   2018
#define PMG_EVENT_LOST_TARGET "more refusals than are recorded"

struct pmg_event_key {
	char hex[PMG_SHA256_HEX];
};

/* Distinct events, bounded: PMG_EVENTS_MAX, of which an eighth is kept for sensitive ones, so that
 * noise cannot hide them, and the last for one event PMG2018 that counts all the others. */
struct pmg_events {
	struct pmg_event *v;
	struct pmg_event_key *keys; /* of v, by index */
	size_t n, cap;
	size_t n_sensitive;
	bool says_lost; /* the event that counts all the others is there, at lost_at */
	size_t lost_at;
	uint64_t lost; /* calls refused that have no record */
	uint32_t *slots;
};
void pmg_events_done(struct pmg_events *events);
PMG_DEFINE_AUTO_DONE(events, struct pmg_events, pmg_events_done);

/**
 * Add one, or count it with its equal: counts are added. O(1).
 * @param taken  its texts are taken over; left empty
 * @return the event in the list when it is new (of one that is lost: the event PMG2018, the first
 *         time); NULL: counted or lost. Borrowed until the next call
 */
const struct pmg_event *pmg_events_add(struct pmg_events *events, struct pmg_event *taken);

/* On the wire (PMG_WIRE_DENIED), and with id, run, profile and fingerprint the shape of "pmg
 * violations list --json", docs/cli-json.md. decode is strict, as violation/wire.h, and leaves *out
 * alone when it fails. An event that is clean always fits a message. */
struct json_t *pmg_event_encode(const struct pmg_event *event) PMG_MUST_CHECK;
int pmg_event_decode(const struct json_t *body, struct pmg_event *out,
		     struct pmg_err *err) PMG_MUST_CHECK;
/** An element of "pmg violations list", which has more keys; clean afterwards. @return as decode */
int pmg_event_read(const struct json_t *listed, struct pmg_event *out,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** What is new since the last time: the event with the count that was not told yet. @return NULL:
 * nothing. Caller frees */
struct json_t *pmg_event_tell(struct pmg_event *event) PMG_MUST_CHECK;

#endif
