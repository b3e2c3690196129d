#ifndef PMG_RUN_QUESTION_H
#define PMG_RUN_QUESTION_H
/**
 * What a run would be told, without one: the same policy, made for a tool and the current folder,
 * asked about the objects that paths, programs and hosts lead to. What the system itself refuses
 * (modes, owners) comes on top; what the run has of its own (/tmp, /proc, its network) is named in
 * the note.
 */
#include "run/prepare.h"
#include "violation/event.h"

struct pmg_question {
	enum pmg_access access;
	enum pmg_role role; /* one of the two */
	const char *text;   /* as typed: a path may be relative, a program a name on PATH */
};

struct pmg_reply {
	bool allowed;
	/* As a refusal would be recorded: target, and rule, layer and source of what decided, if a
	 * rule did. code and allow only of what is refused. */
	struct pmg_event event;
	char *note; /* NULL: nothing to add */
};
void pmg_reply_done(struct pmg_reply *reply);
PMG_DEFINE_AUTO_DONE(reply, struct pmg_reply, pmg_reply_done);

/**
 * The policy, and with `registries` where packages come from: that may run the tool in an empty
 * folder, as a run does. A tool that is not installed has a policy, but no registries.
 * @param[out] out  zeroed before
 * @return 0 or as a run would end before it begins
 */
int pmg_question_prepare(const struct pmg_run_want *want, bool registries, struct pmg_prepared *out,
			 struct pmg_err *err) PMG_MUST_CHECK;

/** @param[out] out  zeroed before. @return 0; -PMG_E_USAGE: no such question */
int pmg_question_ask(const struct pmg_prepared *prepared, const struct pmg_strv *env,
		     const struct pmg_question *question, struct pmg_reply *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

/** The tool that a folder speaks of by its lockfiles and manifests; "sh": none. Static.
 *  @param home  above it, or in it, nothing is looked for unless cwd is it */
const char *pmg_question_tool(const char *cwd, const char *home);

#endif
