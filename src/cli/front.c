#include "cli/front.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "cli/cmd_audit.h"
#include "cli/cmd_sandbox.h"
#include "cli/cmd_violations.h"
#include "pm/pm.h"
#include "run/self.h"

#define HELP_MAX  8192U
#define TOOLS_MAX 64U

static const struct pmg_opt options[] = {
	PMG_CMD_SETTINGS_ROWS,
	{ PMG_OPT_TEXT, 0, "as-of", offsetof(struct pmg_front_settings, as_of), 0, "DATE",
	  "let nothing in that was published after this day" },
	{ PMG_OPT_TEXT, 0, "min-age", offsetof(struct pmg_front_settings, min_age), 0, "DURATION",
	  "let no version in that is younger: 36h, 7d, 2w" },
	{ PMG_OPT_FLAG, 0, "skip-dependency-cooldown",
	  offsetof(struct pmg_front_settings, skip_cooldown), 0, NULL,
	  "let in versions of any age" },
	{ PMG_OPT_WORD, 0, "driver", offsetof(struct pmg_front_settings, driver), 0, "full",
	  "build the sandbox in this way" },
	{ PMG_OPT_FLAG, 0, "dry-run", offsetof(struct pmg_front_settings, dry_run), 0, NULL,
	  "show the plan of the run (-v: with all built-in rules), do nothing" },
	{ PMG_OPT_TEXT, 0, "report", offsetof(struct pmg_front_settings, report), 0, "FILE",
	  "write the record of the run to FILE, as JSON" },
	{ PMG_OPT_FLAG, 0, "fail-on-violation",
	  offsetof(struct pmg_front_settings, fail_on_violation), 0, NULL,
	  "end with 1 when the sandbox refused anything" },
	{ PMG_OPT_FLAG, 0, "no-sandbox", offsetof(struct pmg_front_settings, no_sandbox), 0, NULL,
	  "run TOOL without the sandbox; the proxy still judges packages" },
	{ PMG_OPT_LIST, 0, "sandbox-allow", offsetof(struct pmg_front_settings, allows), 0,
	  "TYPE=VALUE", "let the sandbox allow this, once: read=.env, write=dist/, ..." },
	{ PMG_OPT_TEXT, 0, "sandbox-profile", offsetof(struct pmg_front_settings, profile), 0,
	  "NAME", "use this profile instead of TOOL's own" },
	{ PMG_OPT_FLAG, 0, "strict", offsetof(struct pmg_front_settings, strict), 0, NULL,
	  "never settle for a weaker sandbox" },
	{ PMG_OPT_FLAG, 0, "version", offsetof(struct pmg_front_settings, version), 0, NULL,
	  "print the version" },
	{ 0 },
};

static const struct pmg_opt version_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", 0, 0, NULL, "print JSON" },
	{ 0 },
};

#define LATER(NAME)                                                                                \
	{                                                                                          \
		.name = NAME, .summary = "not in this version", .flags = PMG_CMD_LATER             \
	}

static const struct pmg_cmd cmds[] = {
	{ .name = "audit",
	  .summary = "what was fetched, and what was refused",
	  .subs = pmg_audit_cmds },
	LATER("ci"),
	LATER("completion"),
	LATER("config"),
	{ .name = "help",
	  .synopsis = "[COMMAND...]",
	  .summary = "show this help, or that of a command",
	  .max = PMG_CMD_ANY,
	  .run = pmg_cmd_run_help },
	{ .name = "intel",
	  .synopsis = "COMMAND ...",
	  .summary = "import malware feeds, query them, keep a block list",
	  .flags = PMG_CMD_RAW,
	  .max = PMG_CMD_ANY,
	  .run = pmg_cmd_hand_on },
	LATER("proxy"),
	{ .name = "sandbox",
	  .summary = "the walls: what they refuse and why",
	  .subs = pmg_sandbox_cmds },
	{ .name = "scan",
	  .synopsis = "[--json] [--sarif] [PATH]",
	  .summary = "check lockfiles and what is installed below a folder",
	  .flags = PMG_CMD_RAW,
	  .max = PMG_CMD_ANY,
	  .run = pmg_cmd_hand_on },
	LATER("setup"),
	{ .name = "version",
	  .synopsis = "[--json]",
	  .summary = "print the version",
	  .opts = version_opts,
	  .opts_size = sizeof(bool),
	  .run = pmg_cmd_version },
	{ .name = "violations", .summary = "what the walls refused", .subs = pmg_violations_cmds },
	{ 0 },
};

/* Managers that a later version will guard. Called by such a name pmg never runs them unguarded. */
static const char *const later_tools[] = { "deno", "pdm" };

static const char help_tail[] =
	"Every package that TOOL fetches goes through pmg's own proxy and is judged before it is\n"
	"asked for: one that is known to be malware, or on your block list, is refused. Called by\n"
	"a link named like a tool, pmg acts as that tool.\n"
	"\n"
	"TOOL and all that it starts run within walls: they write dependency folders, caches and\n"
	"lockfiles, read no credentials, and reach only what the proxy lets through. What was\n"
	"refused: pmg violations list; how to allow exactly that: pmg sandbox allow.\n"
	"\n"
	"Exit status: TOOL's own; 1 when a package was refused or a credential was touched and\n"
	"TOOL said 0; 120 to 127: see pmg(1).\n";

const struct pmg_cmd *pmg_front_cmds(void)
{
	return cmds;
}

const struct pmg_opt *pmg_front_options(void)
{
	return options;
}

void pmg_front_environment(struct pmg_strv *out)
{
	if (environ)
		pmg_strv_extend(out, environ);
}

/* An option that says what a run may do: pmg-intel runs nothing, and judges no ages. NULL: none
 * given. */
static const char *only_for_runs(const struct pmg_front_settings *settings)
{
	const struct {
		const char *name;
		bool given;
	} rows[] = {
		{ "--min-age", settings->min_age },
		{ "--as-of", settings->as_of },
		{ "--skip-dependency-cooldown", settings->skip_cooldown },
		{ "--no-sandbox", settings->no_sandbox },
		{ "--sandbox-allow", settings->allows.n > 0 },
		{ "--sandbox-profile", settings->profile },
		{ "--strict", settings->strict },
		{ "--driver", settings->driver },
		{ "--fail-on-violation", settings->fail_on_violation },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (rows[i].given)
			return rows[i].name;
	return NULL;
}

/* The rest of the command line is pmg-intel's business; so are the options given before. */
static int hand_on(const struct pmg_call *call, const char *family, struct pmg_err *err)
{
	const struct pmg_cmd_settings *settings = call->settings;
	const char *option = only_for_runs(call->settings);
	pmg_auto(strv) struct pmg_strv argv = { 0 };
	pmg_autofree char *path = NULL;
	unsigned i;
	int r;

	if (option) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0,
				  "%s is for runs of a tool, not for \"pmg %s\"", option,
				  call->cmd->name);
		return pmg_err_hint(err, "nothing was done");
	}
	r = pmg_self_helper("pmg-intel", &path, err);
	if (r < 0)
		return r;
	pmg_strv_add(&argv, "pmg-intel");
	for (i = 0; i < settings->verbose; i++)
		pmg_strv_add(&argv, "-v");
	if (settings->quiet)
		pmg_strv_add(&argv, "-q");
	if (settings->debug)
		pmg_strv_add(&argv, "--debug");
	if (settings->color)
		pmg_strv_addf(&argv, "--color=%s", settings->color);
	if (family)
		pmg_strv_add(&argv, family);
	pmg_strv_add(&argv, call->cmd->name);
	pmg_strv_extend(&argv, call->operands);
	(void)execv(path, pmg_strv_argv(&argv));
	return pmg_err_set(err, PMG_E_SYS, errno, "start %s", path);
}

int pmg_cmd_hand_on(const struct pmg_call *call, struct pmg_err *err)
{
	return hand_on(call, NULL, err);
}

int pmg_cmd_hand_on_audit(const struct pmg_call *call, struct pmg_err *err)
{
	return hand_on(call, "audit", err);
}

static bool is_later(const char *tool)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(later_tools); i++)
		if (strcmp(later_tools[i], tool) == 0)
			return true;
	return false;
}

static int run_tool(void *settings, struct pmg_out *out, char *const *argv, struct pmg_err *err)
{
	if (pmg_pm_find(argv[0]))
		return pmg_front_run(settings, out, argv, err);
	if (is_later(argv[0]))
		return pmg_err_set(err, PMG_E_USAGE, 0, "%s is not supported by this version",
				   argv[0]);
	return PMG_CMD_UNKNOWN;
}

/* Names of all tools; NULL-terminated. */
static void list_tools(const char **names)
{
	const struct pmg_pm *const *pm;
	const char *const *tool;
	size_t n = 0;

	for (pm = pmg_pm_all(); *pm; pm++)
		for (tool = (*pm)->tools; *tool && n < TOOLS_MAX - 1; tool++)
			names[n++] = *tool;
	names[n] = NULL;
}

static char *help_head(const char *const *tools)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(HELP_MAX);
	int r = pmg_str_adds(&text, "Usage: pmg [OPTIONS] TOOL ARGS...\n"
				    "       pmg COMMAND ...\n\n"
				    "Guard a package manager.\n\nTools:\n ");

	for (; r == 0 && *tools; tools++)
		r = pmg_str_addf(&text, " %s", *tools);
	(void)!pmg_str_adds(&text, "\n"); /* all of it is ours and short */
	return pmg_str_steal(&text);
}

/* What pmg opens must not become its standard input, output or error: it may be started without. */
static void fill_stdio(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= 2);
	if (fd > 2)
		(void)close(fd);
}

static const char *not_for_commands(const void *arg)
{
	const struct pmg_front_settings *settings = arg;

	if (settings->dry_run)
		return "--dry-run";
	return settings->report ? "--report" : NULL;
}

static void settings_done(struct pmg_front_settings *settings)
{
	pmg_opts_done(options, settings);
}
PMG_DEFINE_AUTO_DONE(settings, struct pmg_front_settings, settings_done);

static char *instead(const void *arg)
{
	static char version[] = "version";
	const struct pmg_front_settings *settings = arg;

	return settings->version ? version : NULL;
}

static bool is_tool(const char *name)
{
	return pmg_pm_find(name) || is_later(name);
}

int pmg_front_main(char *const *argv)
{
	pmg_auto(settings) struct pmg_front_settings settings = { 0 };
	const char *tools[TOOLS_MAX], *name = argv[0] ? pmg_path_name(argv[0]) : "";
	pmg_autofree char *head = NULL;
	pmg_auto(strv) struct pmg_strv words = { 0 };
	struct pmg_program program = {
		.name = "pmg",
		.cmds = cmds,
		.global = options,
		.tail = help_tail,
		.other = run_tool,
		.not_for_commands = not_for_commands,
		.instead = instead,
		.other_words = tools,
	};

	fill_stdio();
	list_tools(tools);
	head = help_head(tools);
	program.head = head;
	/* Called by a link named npm: the name is the first word, all the rest is npm's. */
	if (is_tool(name))
		pmg_strv_add(&words, name);
	if (argv[0])
		pmg_strv_extend(&words, argv + 1);
	return pmg_cmd_main(&program, &settings, pmg_strv_argv(&words));
}
