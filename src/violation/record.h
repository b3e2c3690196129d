#ifndef PMG_VIOLATION_RECORD_H
#define PMG_VIOLATION_RECORD_H
/**
 * What happened in one run, collected in memory and deduplicated as it comes;
 * the ledger gets it in one piece at the end. Bounded: a script that asks for
 * a million names fills no memory. What is above a maximum is only counted,
 * and blocks have room of their own that allowed packages cannot use up.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/strv.h"
#include "violation/event.h"
#include "violation/wire.h"

#define PMG_RECORD_ALLOWED_MAX  32768U
#define PMG_RECORD_BLOCKED_MAX  4096U
#define PMG_RECORD_WITHHELD_MAX 4096U
#define PMG_RECORD_OTHERS_MAX   512U /* passed and troubles, each */
#define PMG_RUN_ID              20   /* "r-20261129-1a2b" and NUL, with room for a longer tail */

struct pmg_record_package {
	struct pmg_wire_judged what;
	uint64_t count;
};

struct pmg_record_passed {
	struct pmg_wire_passed what;
	uint64_t count;
};

struct pmg_record_trouble {
	struct pmg_wire_trouble what;
	uint64_t count;
};

struct pmg_record {
	char id[PMG_RUN_ID];
	int64_t started, ended; /* seconds since 1970 */
	char *tool;
	struct pmg_strv argv; /* masked */
	char *cwd;
	int exit; /* as pmg ends: 128+n for a signal */
	char *fingerprint;
	char *profile;         /* name of the policy; "none" when the run had no walls */
	struct pmg_strv reach; /* what its scripts were allowed: "write=/p/out/x" */
	bool no_walls;         /* somebody switched the walls off: such a run is always recorded */
	bool index_present;
	char *index_state; /* "fresh", "stale" or "missing", as the run took it */
	int64_t index_built;
	int64_t index_checked; /* when its feeds were last heard of; 0: not known */
	uint64_t index_records;
	struct pmg_record_package *packages;
	size_t n_packages, cap_packages;
	size_t n_blocked;  /* of packages: with verdict other than "allow" and "withheld" */
	size_t n_withheld; /* of packages: versions that the tool was not told of */
	struct pmg_record_passed *passed;
	size_t n_passed, cap_passed;
	struct pmg_record_trouble *troubles;
	size_t n_troubles, cap_troubles;
	struct pmg_events events; /* refusals of walls and network */
	uint64_t lost;            /* what came after a maximum was reached, repetitions included */
	uint32_t *slots;          /* hash of packages: index + 1, 0 for none */
};

void pmg_record_done(struct pmg_record *record);
PMG_DEFINE_AUTO_DONE(record, struct pmg_record, pmg_record_done);

/** A new id for a run that starts at `when`, random in its tail. @return 0 or -PMG_E_SYS */
int pmg_run_id(int64_t when, char out[PMG_RUN_ID], struct pmg_err *err) PMG_MUST_CHECK;

/* Each takes the message's texts over and leaves it empty. @return true when it was new */
bool pmg_record_judged(struct pmg_record *record, struct pmg_wire_judged *taken);
bool pmg_record_passed(struct pmg_record *record, struct pmg_wire_passed *taken);
bool pmg_record_trouble(struct pmg_record *record, struct pmg_wire_trouble *taken);
/** Counts of an event that is there already are added. */
bool pmg_record_denied(struct pmg_record *record, struct pmg_event *taken);
/** The same for the body of a message PMG_WIRE_DENIED. @return as pmg_event_decode() */
int pmg_record_denied_read(struct pmg_record *record, const struct json_t *body,
			   struct pmg_err *err) PMG_MUST_CHECK;

/** Was a credential or a place of persistence touched? Then the run never ends with 0. */
bool pmg_record_has_sensitive(const struct pmg_record *record);

/** Was anything refused? A variable that was left out was not asked for. */
bool pmg_record_has_refusals(const struct pmg_record *record);

/** Was this package judged, with whatever verdict? */
bool pmg_record_has(const struct pmg_record *record, const char *eco, const char *name,
		    const char *version);

/** Did the package get through? */
bool pmg_judged_is_allowed(const struct pmg_wire_judged *judged);
/** Was a version left out of what the tool was told? Nobody asked for it itself. */
bool pmg_judged_is_withheld(const struct pmg_wire_judged *judged);
/** Was it asked for, and refused? Every other verdict says so. */
bool pmg_judged_is_refused(const struct pmg_wire_judged *judged);

/** The run as JSON: an element of "pmg audit list", docs/cli-json.md. Packages in the order in
 * which they were judged. Caller frees. */
struct json_t *pmg_record_json(const struct pmg_record *record) PMG_MUST_CHECK;

/** Nothing happened that the ledger should know of. */
bool pmg_record_is_empty(const struct pmg_record *record);

#endif
