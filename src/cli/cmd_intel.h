#ifndef PMG_CLI_CMD_INTEL_H
#define PMG_CLI_CMD_INTEL_H
/** `pmg intel`: what is known of packages. Linked into pmg-intel alone. */
#include "cli/cmd.h"
#include "conf/config.h"
#include "pm/purl.h"
#include "verdict/judge.h"

/** The table of commands that pmg-intel has; its last row has no name. */
const struct pmg_cmd *pmg_cmd_intel(void);

/* Where index and block list lie; all absolute. */
struct pmg_intel_place {
	char *state; /* folder of the index */
	char *index;
	char *blocklist;
	char *config; /* config.yml */
	char *overrides;
};

void pmg_intel_place_done(struct pmg_intel_place *place);
PMG_DEFINE_AUTO_DONE(intel_place, struct pmg_intel_place, pmg_intel_place_done);

/** From the environment of this process. @return 0; -PMG_E_UNSUPPORTED: no home */
int pmg_intel_place_find(struct pmg_intel_place *out, struct pmg_err *err) PMG_MUST_CHECK;

/** A package URL of the command line. @return 0 or -PMG_E_USAGE */
int pmg_intel_purl(const char *text, struct pmg_purl *out, struct pmg_err *err) PMG_MUST_CHECK;

/* What config.yml says, narrowed by managed policy. */
struct pmg_intel_settings {
	struct pmg_config config;
	bool managed; /* managed policy is in force */
};
void pmg_intel_settings_done(struct pmg_intel_settings *settings);
PMG_DEFINE_AUTO_DONE(intel_settings, struct pmg_intel_settings, pmg_intel_settings_done);
/** @param[out] out  zeroed before. @return 0; -PMG_E_CONFIG with the place */
int pmg_intel_settings_load(struct pmg_intel_settings *out, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Open the judge that runs of this user ask: index, block list, what managed policy blocks, and the
 * policy on packages.
 * @param settings  loaded, for that policy; NULL: the defaults hold
 * @return 0; what pmg_judge_open(), _add_managed() and _set_packages() return
 */
int pmg_intel_open_judge(const struct pmg_intel_place *place, struct pmg_intel_settings *settings,
			 struct pmg_judge **out, struct pmg_err *err) PMG_MUST_CHECK;

/** Tell people that the index is missing or old, if it is: an answer is worth what it was looked up
 *  in. */
void pmg_intel_note_state(const struct pmg_out *out, const struct pmg_intel_settings *settings,
			  const struct pmg_index_info *info);

/** {"state":"fresh",...}: how all commands show the state of the index. */
struct json_t *pmg_intel_state_json(const struct pmg_intel_settings *settings,
				    const struct pmg_index_info *info) PMG_MUST_CHECK;
/** The same for people, a sentence. Caller frees. */
char *pmg_intel_state_text(const struct pmg_intel_settings *settings,
			   const struct pmg_index_info *info) PMG_MUST_CHECK;

/** Tell people of feeds that have had nothing new for long: lines of pmg_known_old_feeds(). */
void pmg_intel_say_old(const struct pmg_out *out, const struct pmg_strv *lines);

struct pmg_known;
/**
 * Add to what an index knows of a package what is known without one: built in, blocked by managed
 * policy and on the user's block list.
 * @param name  canonical
 * @return 0; -PMG_E_CONFIG with the place; -PMG_E_LIMIT, _SYS
 */
int pmg_intel_add_listed(struct pmg_known *known, const char *blocklist, enum pmg_eco eco,
			 const char *name, struct pmg_err *err) PMG_MUST_CHECK;

/** {"built":...,"records":...} */
struct json_t *pmg_intel_index_json(int64_t built, uint64_t records) PMG_MUST_CHECK;

/** The clock, or SOURCE_DATE_EPOCH: the date of an index that is built. */
int64_t pmg_intel_date(void);
/** `pmg intel import --remove`. */
int pmg_intel_import_remove(const struct pmg_call *call, struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_import_report;
/** What `pmg intel import --json` prints. */
struct json_t *pmg_intel_report_json(const char *feed, int64_t now,
				     const struct pmg_import_report *report) PMG_MUST_CHECK;
struct pmg_import_want;
/**
 * Do pmg_import() in a child process that is locked in (pmg_intel_confine()), since a feed may be
 * hostile. The child builds the new index in a folder made for it; when it has ended, the file is
 * put into the place of the index.
 * @param[out] report  as of pmg_intel_report_json(), caller frees. A feed may have taken the child
 *                     over: its texts may be anything
 * @return as pmg_import(); -PMG_E_PEER: the child was killed, or did not answer
 */
int pmg_intel_import_apart(const struct pmg_import_want *want, struct json_t **report,
			   struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Lock this process in before it reads a feed: it may read the feed and the present index, and
 * write in want->folder; no other file, no network, no program. This cannot be undone. All open
 * descriptors are closed except one, which becomes PMG_INTEL_ANSWER_FD.
 * @param keep  that descriptor
 * @return what pmg_confine_self() returns
 */
int pmg_intel_confine(const struct pmg_import_want *want, int keep,
		      struct pmg_err *err) PMG_MUST_CHECK;
#define PMG_INTEL_ANSWER_FD 3

/* Options of each command; the rows are in cmd_intel.c. */
struct pmg_intel_import_opts {
	const char *ecosystem, *manifest, *name, *remove;
	struct pmg_strv pubkeys;
	bool accept, json;
};
struct pmg_intel_allow_opts {
	const char *expires, *id, *reason;
	bool json, remove;
};
struct pmg_intel_report_opts {
	bool json;
};
struct pmg_intel_export_opts {
	const char *sign, *expires;
	uint64_t sequence;
	bool json;
};
struct pmg_intel_update_opts {
	bool accept, full, json;
};
struct pmg_intel_status_opts {
	bool json;
};
struct pmg_intel_query_opts {
	const char *ecosystem, *name, *version;
	bool from_stdin, json;
};
struct pmg_intel_rollback_opts {
	bool json;
};
struct pmg_intel_block_opts {
	const char *reason;
};

struct pmg_exposure_opts {
	bool json;
};
extern const struct pmg_opt pmg_exposure_options[];

int pmg_cmd_intel_exposure(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_import(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_allow(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_report(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_export(const struct pmg_call *call, struct pmg_err *err);
/** `pmg intel import` with --manifest. */
int pmg_intel_import_signed(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_update(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_status(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_query(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_rollback(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_block(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_intel_unblock(const struct pmg_call *call, struct pmg_err *err);

#endif
