#include "violation/explain.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "policy/draft.h"
#include "policy/glob.h"
#include "policy/policy.h"
#include "policy/vars.h"
#include "violation/codes.h"

/* An event's texts together, and words of ours: nothing is ever cut. */
#define TEXT_MAX 65536U

static const char *const phrases[PMG_EVENT_OP_MAX] = {
	[PMG_EVENT_READ] = "read of",       [PMG_EVENT_WRITE] = "write to",
	[PMG_EVENT_DELETE] = "delete of",   [PMG_EVENT_RENAME] = "rename of",
	[PMG_EVENT_LINK] = "link of",       [PMG_EVENT_METADATA] = "metadata change of",
	[PMG_EVENT_EXEC] = "exec of",       [PMG_EVENT_CONNECT] = "connection to",
	[PMG_EVENT_RESOLVE] = "lookup of",  [PMG_EVENT_BIND] = "bind to",
	[PMG_EVENT_UNIX] = "connection to", [PMG_EVENT_SIGNAL] = "signal to",
	[PMG_EVENT_KERNEL] = "call of",     [PMG_EVENT_ENV] = "variable",
};

static const char *const how_texts[][2] = {
	{ "tree", "seen: where its process hangs" },
	{ "cwd", "seen: the folder it works in" },
	{ "env", "claimed by the process itself" },
};

/* "dep-evil@1.2.3 (postinstall)", else the programs, else "". */
static char *who(const struct pmg_event *event)
{
	if (event->package && event->script)
		return pmg_xasprintf("%s (%s)", event->package, event->script);
	if (event->package)
		return pmg_xstrdup(event->package);
	return pmg_strv_join(&event->process, " > ", TEXT_MAX);
}

/* Rules speak of files, programs, hosts and sockets; other processes and the kernel's surface are
 * closed by nature. */
static bool is_ruled(const struct pmg_event *event)
{
	return event->code != 2015 && event->code != 2016 && event->op != PMG_EVENT_ENV;
}

static char *rule_of(const struct pmg_event *event)
{
	if (event->rule && event->layer)
		return pmg_xasprintf("rule %s (%s)", event->rule, event->layer);
	if (event->rule)
		return pmg_xasprintf("rule %s", event->rule);
	return pmg_xstrdup(is_ruled(event) ? "no rule allows it" : "");
}

bool pmg_explain_is_notice(const struct pmg_event *event)
{
	const struct pmg_code_row *row = pmg_code_find(event->code);

	return row && strcmp(row->severity, "notice") == 0;
}

char *pmg_explain_line(const struct pmg_event *event)
{
	pmg_autofree char *by = who(event);
	pmg_autofree char *rule = rule_of(event);

	if (event->op == PMG_EVENT_ENV)
		return pmg_xasprintf("variable %s left out", event->target);
	if (pmg_explain_is_notice(event))
		return pmg_xasprintf("%s (%" PRIu64 ")", event->target, event->count);
	return pmg_xasprintf("%s %s refused%s%s%s%s", phrases[event->op], event->target,
			     *by ? ": by " : "", by, *rule ? "; " : "", rule);
}

/* What stays closed is opened only by who says so once more. */
static bool is_mandatory(const struct pmg_event *event)
{
	return event->layer && pmg_streq(event->layer, pmg_layer_name(PMG_LAYER_MANDATORY));
}

/* Does what the preset says of ${GITDIR} match, where that is the first .git of the path? */
static bool opens(const struct pmg_draft_entry *entry, enum pmg_access access, const char *target)
{
	static const char variable[] = "${GITDIR}";
	const char *end = strstr(target, "/.git/");
	pmg_autofree char *dir = NULL;
	pmg_autofree char *escaped = NULL;
	pmg_autofree char *pattern = NULL;
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (!end || entry->access != access || !pmg_str_has_prefix(entry->text, variable))
		return false;
	dir = pmg_xstrndup(target, (size_t)(end - target) + strlen("/.git"));
	escaped = pmg_glob_escape(dir);
	pattern = pmg_xasprintf("%s%s", escaped, entry->text + sizeof variable - 1);
	return pmg_glob_new(pattern, &glob, &err) == 0 && pmg_glob_match(glob, target);
}

/* Would the preset "git" open it? Then that is what the command allows: who commits in a script
 * needs more than the one file. */
static bool is_git(const struct pmg_event *event)
{
	struct pmg_library_item item = { .kind = PMG_LIBRARY_PRESET,
					 .name = (char[]){ "git" },
					 .official = pmg_builtin_find("preset", "git") };
	pmg_auto(draft) struct pmg_draft draft = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	enum pmg_access access;
	size_t i;

	if (event->sensitive || !event->allow || !item.official ||
	    !strstr(event->target, "/.git/") || pmg_draft_read(&draft, &item, &err) < 0)
		return false;
	access = pmg_str_has_prefix(event->allow, "read=")    ? PMG_ACCESS_READ
		 : pmg_str_has_prefix(event->allow, "write=") ? PMG_ACCESS_WRITE
							      : PMG_ACCESS_MAX;
	for (i = 0; i < draft.n_entries; i++)
		if (opens(&draft.entries[i], access, event->target))
			return true;
	return false;
}

char *pmg_explain_command(const struct pmg_event *event)
{
	pmg_autofree char *word = NULL;

	if (!event->allow || event->sensitive)
		return NULL;
	if (is_git(event)) /* one file of a commit is followed by the next */
		return pmg_xstrdup("pmg sandbox allow preset=git");
	word = pmg_str_shell(event->allow);
	return pmg_xasprintf("pmg sandbox allow %s%s", is_mandatory(event) ? "--force " : "", word);
}

char *pmg_explain_own_command(const struct pmg_event *event)
{
	pmg_autofree char *word = NULL;

	if (!event->allow || !event->sensitive)
		return NULL;
	word = pmg_str_shell(event->allow);
	return pmg_xasprintf("pmg sandbox allow --force %s", word);
}

void pmg_explain_docs(int code, char out[PMG_EXPLAIN_DOCS_LEN])
{
	char name[PMG_DIAG_LEN];

	pmg_diag_text(code, name);
	(void)snprintf(out, PMG_EXPLAIN_DOCS_LEN, "docs/codes/%s.md", name);
}

static void add(struct pmg_str *text, const char *label, const char *value)
{
	int r = 0;

	if (value && *value)
		r = pmg_str_addf(text, "  %-9s %s\n", label, value);
	assert(r == 0);
}

static void add_when(struct pmg_str *text, const struct pmg_event *event)
{
	char first[PMG_RFC3339_LEN], last[PMG_RFC3339_LEN];
	pmg_autofree char *when = NULL;

	pmg_clock_format(event->first, first);
	pmg_clock_format(event->last, last);
	if (event->count == 1)
		when = pmg_xstrdup(first);
	else
		when = pmg_xasprintf("%" PRIu64 " times, %s to %s", event->count, first, last);
	add(text, "when", when);
}

static void add_who(struct pmg_str *text, const struct pmg_event *event)
{
	pmg_autofree char *chain = pmg_strv_join(&event->process, " > ", TEXT_MAX);
	pmg_autofree char *package = event->package ? who(event) : NULL;
	const char *how = NULL;
	size_t i;

	for (i = 0; event->how_known && i < PMG_ARRAY_LEN(how_texts); i++)
		if (strcmp(how_texts[i][0], event->how_known) == 0)
			how = how_texts[i][1];
	add(text, "by", package);
	add(text, "known", package ? how : NULL);
	add(text, "programs", chain);
}

static void add_rule(struct pmg_str *text, const struct pmg_event *event)
{
	pmg_autofree char *rule = NULL;

	if (!event->rule) {
		add(text, "rule", is_ruled(event) ? "none allows it" : NULL);
		return;
	}
	add(text, "rule", event->rule);
	if (event->layer && event->source)
		rule = pmg_xasprintf("%s, %s", event->layer, event->source);
	add(text, "of", rule ? rule : event->layer);
}

/* What it means is said of what a rule closes; a path that merely no rule opens was asked for by
 * any program that looks about. */
static bool is_telling(const struct pmg_event *event)
{
	return event->rule || event->sensitive || !is_ruled(event) || pmg_explain_is_notice(event);
}

static int add_command(struct pmg_str *text, const struct pmg_event *event, const char *command)
{
	if (is_git(event))
		return pmg_str_addf(text,
				    "\nThis allows what git does for a commit, hooks and "
				    "configuration left out:\n  %s\n",
				    command);
	if (pmg_streq(event->allow, "net-connect=registry"))
		return pmg_str_addf(
			text,
			"\nThis lets scripts fetch packages, which are judged, from the "
			"registries, and nothing more:\n  %s\n",
			command);
	return pmg_str_addf(text, "\nThis allows exactly that, and nothing more:\n  %s\n%s",
			    command,
			    event->op == PMG_EVENT_BIND
				    ? "Only programs of the run reach it: its network is its own.\n"
				    : "");
}

/* What to say where there is no command. */
static const char *no_way(const struct pmg_event *event)
{
	if (event->sensitive)
		return "\nDo not allow it: a credential, or a place from which code would start "
		       "again "
		       "later.\n";
	if (event->op == PMG_EVENT_RESOLVE)
		return "\nNames are never asked outside for a script. What may be allowed is the "
		       "connection:\n  pmg sandbox allow net-connect=HOST:PORT\n";
	return pmg_explain_is_notice(event) ? "" : "\nNothing allows it.\n";
}

static void add_advice(struct pmg_str *text, const struct pmg_event *event)
{
	const struct pmg_code_row *row = pmg_code_find(event->code);
	pmg_autofree char *command = pmg_explain_command(event);
	pmg_autofree char *own = pmg_explain_own_command(event);
	char code[PMG_DIAG_LEN];
	int r = 0;

	if (row && row->malicious && is_telling(event))
		r = pmg_str_addf(text, "\nIf you did not expect it: %s\n", row->malicious);
	if (r == 0 && command)
		r = add_command(text, event, command);
	else if (r == 0 && own)
		r = pmg_str_addf(text,
				 "\nA script of the project itself wanted it. Where it is yours, "
				 "and is to read just this file:\n  %s\n",
				 own);
	else if (r == 0)
		r = pmg_str_adds(text, no_way(event));
	pmg_diag_text(event->code, code);
	if (r == 0 && row)
		r = pmg_str_addf(text, "\nMore of this code: pmg sandbox explain %s\n", code);
	assert(r == 0);
}

char *pmg_explain_text(const struct pmg_explain_what *what)
{
	const struct pmg_event *event = what->event;
	const struct pmg_code_row *row = pmg_code_find(event->code);
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(TEXT_MAX);
	pmg_autofree char *id = what->id ? pmg_xasprintf("%" PRId64, what->id) : NULL;
	char code[PMG_DIAG_LEN];
	int r;

	pmg_diag_text(event->code, code);
	r = pmg_str_addf(&text, "[%s] %s%s%s %s\n", code, row ? row->name : "", row ? ": " : "",
			 phrases[event->op], event->target);
	assert(r == 0);
	add_who(&text, event);
	add_rule(&text, event);
	add(&text, "seen by", pmg_event_by_name(event->by));
	add(&text, "profile", what->profile);
	add(&text, "policy", what->fingerprint);
	add_when(&text, event);
	add(&text, "run", what->run);
	add(&text, "in", what->folder);
	add(&text, "id", id);
	add_advice(&text, event);
	return pmg_str_steal(&text);
}

struct json_t *pmg_explain_json(const struct pmg_explain_what *what)
{
	const struct pmg_event *event = what->event;
	const struct pmg_code_row *row = pmg_code_find(event->code);
	struct json_t *obj = pmg_event_encode(event);
	pmg_autofree char *command = pmg_explain_command(event);
	char docs[PMG_EXPLAIN_DOCS_LEN];

	if (what->id)
		pmg_json_set_int(obj, "id", what->id);
	pmg_json_set_str(obj, "run", what->run);
	pmg_json_set_str(obj, "cwd", what->folder);
	pmg_json_set_str(obj, "profile", what->profile);
	pmg_json_set_str(obj, "policy_fp", what->fingerprint);
	if (row) {
		pmg_json_set_str(obj, "name", row->name);
		pmg_json_set_str(obj, "severity", event->sensitive ? "high" : row->severity);
		pmg_json_set_str(obj, "disposition", row->disposition);
		pmg_json_set_str(obj, "malicious", row->malicious);
		pmg_explain_docs(event->code, docs);
		pmg_json_set_str(obj, "docs", docs);
	}
	pmg_json_set_str(obj, "command", command);
	return obj;
}
