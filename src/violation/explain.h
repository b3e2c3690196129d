#ifndef PMG_VIOLATION_EXPLAIN_H
#define PMG_VIOLATION_EXPLAIN_H
/**
 * One refusal in words: what was tried, by whom, which rule of which layer said
 * no, what it means if nobody expected it, and the one narrowest thing that
 * would allow it. Events are clean (pmg_event_clean), so the texts may be shown
 * as they are. What is not known is left out.
 */
#include "violation/event.h"

/** "read of /h/.ssh/id_x refused: by dep-evil@1.2.3 (postinstall); rule /h/.ssh (mandatory)",
 *  without code. Caller frees. */
char *pmg_explain_line(const struct pmg_event *event) PMG_MUST_CHECK;

/** The command that allows exactly this, quoted for a shell: an attacker chose the name. NULL for
 *  what nothing can or should allow. Caller frees. */
char *pmg_explain_command(const struct pmg_event *event) PMG_MUST_CHECK;

/** The same of a sensitive file that the project's own script asked for, so that a person may know
 *  better: it takes --force. NULL for all else. Caller frees. */
char *pmg_explain_own_command(const struct pmg_event *event) PMG_MUST_CHECK;

/** Is it worth a word at the end of a run, or only a notice? */
bool pmg_explain_is_notice(const struct pmg_event *event);

/* A refusal and what its run adds; 0 and NULL where it is not known. */
struct pmg_explain_what {
	const struct pmg_event *event;
	int64_t id;
	const char *run, *folder, *profile, *fingerprint;
};

/** Several lines for people, each ended. Caller frees. */
char *pmg_explain_text(const struct pmg_explain_what *what) PMG_MUST_CHECK;

/** The event's own keys (docs/cli-json.md), with id, run, profile and, as machines that read
 * several tools want it, name, severity, disposition, policy_fp, docs; malicious and command where
 * there are such. Caller frees. */
struct json_t *pmg_explain_json(const struct pmg_explain_what *what) PMG_MUST_CHECK;

/** "docs/codes/PMG2001.md" */
#define PMG_EXPLAIN_DOCS_LEN 32
void pmg_explain_docs(int code, char out[PMG_EXPLAIN_DOCS_LEN]);

#endif
