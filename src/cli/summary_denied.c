#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "cli/summary.h"
#include "pm/pm.h"
#include "policy/vars.h"
#include "violation/explain.h"

/* The manager itself looked into a folder that the manifest names ("file:../x"), and may not: it
 * makes a link all the same, which leads nowhere for whoever uses the package. @return the folder;
 * NULL: it is no such thing */
static char *linked_folder(const struct pmg_record *record, const struct pmg_event *event)
{
	pmg_autofree char *folder = NULL;

	if (event->op != PMG_EVENT_READ || event->sensitive || event->package || !event->allow ||
	    !record->cwd || event->target[0] != '/' ||
	    !pmg_streq(pmg_path_name(event->target), "package.json"))
		return NULL;
	folder = pmg_path_dir(event->target);
	if (pmg_path_is_under(folder, record->cwd) || pmg_path_is_under(record->cwd, folder))
		return NULL;
	return pmg_steal_ptr(&folder);
}

static char *folder_command(const struct pmg_record *record, const struct pmg_event *event)
{
	pmg_autofree char *folder = linked_folder(record, event);
	pmg_autofree char *plain = folder ? pmg_glob_escape(folder) : NULL;
	pmg_autofree char *allow = plain ? pmg_xasprintf("read=%s/**", plain) : NULL;
	pmg_autofree char *word = allow ? pmg_str_shell(allow) : NULL;

	return word ? pmg_xasprintf("pmg sandbox allow %s", word) : NULL;
}

/* The manager itself wants a new repository, as uv init does where there is none. */
static bool makes_repository(const struct pmg_event *event)
{
	const struct pmg_strv *chain = &event->process;

	return event->op == PMG_EVENT_WRITE && !event->package && chain->n > 0 &&
	       pmg_streq(chain->v[chain->n - 1], "git") &&
	       pmg_streq(pmg_path_name(event->target), ".git");
}

static void way_out(const struct pmg_out *out, const struct pmg_record *record,
		    const struct pmg_event *event)
{
	pmg_autofree char *opens = folder_command(record, event);
	pmg_autofree char *command = pmg_explain_command(event);
	pmg_autofree char *own = pmg_explain_own_command(event);
	char code[PMG_DIAG_LEN];

	pmg_diag_text(event->code, code);
	/* A command that is cut allows something else. */
	if (opens && strlen(opens) <= PMG_OUT_TEXT_MAX)
		pmg_out_note(
			out,
			"  a package of this project lies in that folder: \"%s\" opens it; why: "
			"\"pmg sandbox explain %s\"",
			opens, code);
	else if (command && strlen(command) <= PMG_OUT_TEXT_MAX)
		pmg_out_note(out, "  \"%s\" allows it%s; why: \"pmg sandbox explain %s\"", command,
			     event->op == PMG_EVENT_BIND ? ", for programs of the run alone" : "",
			     code);
	else if (own && strlen(own) <= PMG_OUT_TEXT_MAX)
		pmg_out_note(out,
			     "  if your own script is to read it: \"%s\"; why: \"pmg sandbox "
			     "explain %s\"",
			     own, code);
	else if (makes_repository(event))
		pmg_out_note(
			out,
			"  no repository is made in a run: make it yourself, before, by \"git "
			"init\", or none (uv init --vcs none); why: \"pmg sandbox explain %s\"",
			code);
	else if (event->sensitive)
		pmg_out_note(out, "  do not allow it; why: \"pmg sandbox explain %s\"", code);
	else
		pmg_out_note(out, "  why: \"pmg sandbox explain %s\"", code);
}

static void say(const struct pmg_out *out, const struct pmg_record *record,
		const struct pmg_event *event)
{
	pmg_autofree char *line = pmg_explain_line(event);
	pmg_autofree char *safe = pmg_out_quote(line);
	pmg_autofree char *code = pmg_out_code(out, event->code);

	pmg_out_note(out, "%s%s", code, safe);
	way_out(out, record, event);
}

/*
 * What tools try as a matter of course and do without. pip asks each time which rustc there is, and
 * rustup, which stands in its place, makes its folder where there is none. uv makes the one of its
 * logins when an index answers 403, which a refused package does.
 */
static bool is_usual(const struct pmg_event *event)
{
	static const struct {
		const char *program, *folder;
	} rows[] = { { "rustc", ".rustup" }, { "uv", "credentials" } };
	const struct pmg_strv *chain = &event->process;
	size_t i;

	if (event->sensitive || event->package || event->op != PMG_EVENT_WRITE || chain->n == 0)
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (pmg_streq(chain->v[chain->n - 1], rows[i].program) &&
		    pmg_streq(pmg_path_name(event->target), rows[i].folder))
			return true;
	return false;
}

static bool is_told(const struct pmg_event *event, const struct pmg_summary_how *how)
{
	return !pmg_explain_is_notice(event) && (how->details || !is_usual(event));
}

/* Of the sensitive ones, or of the others, the first `most`. */
static void say_some(const struct pmg_out *out, const struct pmg_record *record,
		     const struct pmg_summary_how *how, bool sensitive, size_t most)
{
	const struct pmg_events *events = &record->events;
	size_t i, n = 0;

	for (i = 0; i < events->n && n < most; i++) {
		const struct pmg_event *event = &events->v[i];

		if (event->sensitive != sensitive || !is_told(event, how))
			continue;
		say(out, record, event);
		n++;
	}
}

static bool changes_project(const struct pmg_record *record, const struct pmg_event *event)
{
	bool writes = event->op == PMG_EVENT_WRITE || event->op == PMG_EVENT_DELETE ||
		      event->op == PMG_EVENT_RENAME || event->op == PMG_EVENT_LINK;

	return writes && !event->sensitive && !pmg_explain_is_notice(event) && record->cwd &&
	       pmg_path_is_under(event->target, record->cwd);
}

/* A tool that was to write something here and could not may well say 0: what makes a new project
 * (npm create, bun init), a build. One line each, so that nobody looks for what is not there. */
static void say_unwritten(const struct pmg_out *out, const struct pmg_record *record)
{
	const struct pmg_events *events = &record->events;
	size_t i, n = 0, unwritten = 0;

	for (i = 0; i < events->n && n < PMG_SUMMARY_TROUBLES; i++) {
		const struct pmg_event *event = &events->v[i];
		pmg_autofree char *folder = linked_folder(record, event);
		pmg_autofree char *line = pmg_explain_line(event);
		pmg_autofree char *safe = pmg_out_quote(line);
		pmg_autofree char *code = pmg_out_code(out, event->code);

		if (!folder && !changes_project(record, event))
			continue;
		if (folder)
			say(out, record, event);
		else
			pmg_out_note(out, "%s%s", code, safe);
		unwritten += !folder;
		n++;
	}
	/* Not beside what nobody should allow. */
	if (unwritten > 0 && events->n_sensitive == 0)
		pmg_out_note(
			out,
			"  \"pmg sandbox allow --last --all\" allows what was refused here, then "
			"do it again");
}

/* Never left to -v, -q or the tool's status: what is missing here may be what mattered. */
static void say_incomplete(const struct pmg_out *out, const struct pmg_record *record)
{
	const struct pmg_events *events = &record->events;
	size_t i;

	for (i = 0; i < events->n; i++) {
		if (events->v[i].code != PMG_DIAG_INCOMPLETE)
			continue;
		say(out, record, &events->v[i]);
		return;
	}
}

/* "[PMG2003] variables left out: A, B": what a script may miss, or (2008) by what it could have
 * reached other programs. */
static void say_left_out(const struct pmg_out *out, const struct pmg_events *events, int diag)
{
	pmg_auto(str) struct pmg_str names = PMG_STR_INIT(PMG_OUT_TEXT_MAX);
	pmg_autofree char *code = pmg_out_code(out, diag);
	bool can_be = false;
	size_t i;

	for (i = 0; i < events->n; i++) {
		const struct pmg_event *event = &events->v[i];

		if (event->op != PMG_EVENT_ENV || event->code != diag)
			continue;
		can_be = can_be || event->allow;
		if (pmg_str_addf(&names, "%s%s", names.len ? ", " : "", event->target) < 0)
			break; /* enough of them */
	}
	if (!names.len)
		return;
	pmg_out_note(out, "%svariables left out: %s", code, names.s);
	if (diag == 2003 && can_be)
		pmg_out_note(out, "  \"pmg sandbox allow env=NAME\" lets one through");
}

/* How a manager shows what brought a package, and takes that away. */
static const struct {
	const char *tool, *why, *remove;
} managers[] = {
	{ "npm", "npm ls", "npm uninstall" },
	{ "pnpm", "pnpm why", "pnpm remove" },
	{ "yarn", "yarn why", "yarn remove" },
	{ "bun", "bun why", "bun remove" },
};

/* Is it there, in the folder of the run or above, as node finds it? The manager may have taken it
 * back when its script failed. */
static bool is_installed(const char *cwd, const char *name)
{
	pmg_autofree char *dir = pmg_xstrdup(cwd);
	bool found = false;

	for (;;) {
		pmg_autofree char *path = pmg_xasprintf("%s/node_modules/%s", dir, name);
		char *up = pmg_path_dir(dir);

		found = access(path, F_OK) == 0;
		if (found || strcmp(up, dir) == 0) {
			free(up);
			return found;
		}
		free(dir);
		dir = up;
	}
}

/* A script that reached for a credential was stopped; its package is still there. */
static void say_stays(const struct pmg_out *out, const struct pmg_record *record)
{
	pmg_auto(strv) struct pmg_strv seen = { 0 };
	size_t i, k;

	for (k = 0; k < PMG_ARRAY_LEN(managers); k++)
		if (pmg_streq(managers[k].tool, record->tool))
			break;
	for (i = 0; k < PMG_ARRAY_LEN(managers) && record->cwd && i < record->events.n; i++) {
		const struct pmg_event *event = &record->events.v[i];
		const char *at = event->package ? strrchr(event->package, '@') : NULL;
		pmg_autofree char *name = NULL;
		pmg_autofree char *safe = NULL;

		/* What a process only claims of itself may be somebody else's name. */
		if (!event->sensitive || !at || at == event->package ||
		    pmg_streq(event->how_known, "env") || seen.n == PMG_SUMMARY_TROUBLES ||
		    !pmg_strv_add_once(&seen, event->package))
			continue;
		name = pmg_xstrndup(event->package, (size_t)(at - event->package));
		safe = pmg_out_quote(name);
		if (is_installed(record->cwd, name))
			pmg_out_note(out,
				     "%s stays installed: \"%s %s\" shows what brought it, \"%s\" "
				     "of that removes it",
				     safe, managers[k].why, safe, managers[k].remove);
	}
}

/* Tools that start a package by its name; those `by_verb` with a verb before it. */
static const struct {
	const char *tool;
	bool by_verb;
} starters[] = {
	{ "npx", false }, { "pnpx", false }, { "bunx", false }, { "npm", true },
	{ "pnpm", true }, { "bun", true },   { "yarn", true },
};

static bool is_verb(const char *word)
{
	static const char *const verbs[] = { "exec", "x", "dlx" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(verbs); i++)
		if (pmg_streq(verbs[i], word))
			return true;
	return false;
}

/* The next word that is no option, and on behind it. NULL: there is none. */
static const char *next_word(const struct pmg_strv *argv, size_t *at)
{
	while (*at < argv->n && argv->v[*at][0] == '-')
		(*at)++;
	return *at < argv->n ? argv->v[(*at)++] : NULL;
}

/* "pnpm" of "npx -y pnpm@9 install": a manager within a tool that starts packages is a script of
 * that. @return NULL: it is none; caller frees */
static char *manager_within(const struct pmg_record *record)
{
	pmg_autofree char *name = NULL;
	const char *word;
	size_t at = 1, k = 0;

	while (k < PMG_ARRAY_LEN(starters) && !pmg_streq(starters[k].tool, record->tool))
		k++;
	if (k == PMG_ARRAY_LEN(starters) ||
	    (starters[k].by_verb && !is_verb(next_word(&record->argv, &at))))
		return NULL;
	word = next_word(&record->argv, &at);
	name = word ? pmg_xstrndup(word, strcspn(word, "@")) : NULL;
	return name && *name && pmg_pm_find(name) ? pmg_steal_ptr(&name) : NULL;
}

static void say_within(const struct pmg_out *out, const struct pmg_record *record)
{
	pmg_autofree char *manager = manager_within(record);

	if (manager)
		pmg_out_note(out,
			     "%s started by %s is guarded as a script of it; \"pmg %s ...\" guards "
			     "it as what it is",
			     manager, record->tool, manager);
}

static size_t count_denied(const struct pmg_events *events, const struct pmg_summary_how *how)
{
	size_t i, n = 0;

	for (i = 0; i < events->n; i++)
		n += is_told(&events->v[i], how);
	return n;
}

void pmg_summary_denied(const struct pmg_out *out, const struct pmg_record *record,
			const struct pmg_summary_how *how)
{
	const struct pmg_events *events = &record->events;
	size_t n = count_denied(events, how);

	say_some(out, record, how, true, PMG_SUMMARY_SENSITIVE);
	say_stays(out, record);
	say_incomplete(out, record);
	if (how->failed || how->details) {
		say_some(out, record, how, false,
			 how->details ? PMG_SUMMARY_SENSITIVE : PMG_SUMMARY_TROUBLES);
	} else if (how->notes) {
		say_unwritten(out, record);
	}
	if (how->details || (how->notes && (how->failed || how->command)))
		say_left_out(out, events, 2003);
	if (how->details)
		say_left_out(out, events, 2008);
	if (n > 0 && (how->failed || how->notes))
		say_within(out, record);
	if (n > 0 && (how->failed || how->notes || events->n_sensitive > 0))
		pmg_out_note(out, "%zu denied: \"pmg violations list --run %s\" shows %s", n,
			     record->id, n == 1 ? "it" : "them");
}
