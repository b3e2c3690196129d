/* From what people write (profile, preset, overlay, --sandbox-allow, .pmg.yml, managed policy) and
 * what is found of a machine to the answer, its layer, its rule and the line that says so. */
#include "building.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"
#include "cases.h"
#include "policy/plan.h"
#include "violation/codes.h"

/* tests/policy/build/README says what a case is. */

#define MANAGED "/etc/pmg/managed.yml" /* as it is called here: nobody reads that file */

struct runner {
	struct cases c;
	struct building b;
	bool begun;
	char *overlay; /* path of that of the project */
	char *profile;
	struct pmg_strv allows, kept; /* kept: texts that the facts borrow */
	char *file;                   /* that is being written; NULL: none */
	struct pmg_str text;
	struct pmg_managed managed, project;
	struct pmg_policy *policy;
	struct pmg_err err;
	bool tried;
	char before[PMG_SHA256_HEX]; /* fingerprint of the policy before */
};

static char *filled(const struct runner *r, const char *text)
{
	static const char mark[] = "{overlay}";
	pmg_autofree char *rest = pmg_xstrdup(text);
	char *at = strstr(rest, mark);
	pmg_autofree char *whole = NULL;

	if (at) {
		*at = '\0';
		whole = pmg_xasprintf("%s%s%s", rest, r->overlay, at + strlen(mark));
	}
	return building_text(&r->b, whole ? whole : rest);
}

/* The rest of a line, from a word on, with the places in it. */
static char *rest_of(const struct runner *r, size_t from)
{
	pmg_autofree char *joined = cases_join(&r->c, from, r->c.words.n);

	return filled(r, joined ? joined : "");
}

static void forget(struct runner *r)
{
	pmg_policy_free(r->policy);
	r->policy = NULL;
	r->tried = false;
	r->err = (struct pmg_err)PMG_ERR_INIT;
}

static void end_policy(struct runner *r)
{
	if (!r->begun)
		return;
	forget(r);
	pmg_managed_done(&r->managed);
	building_end(&r->b);
	pmg_strv_done(&r->allows);
	pmg_strv_done(&r->kept);
	free(pmg_steal_ptr(&r->profile));
	free(pmg_steal_ptr(&r->overlay));
	r->begun = false;
}

static void do_policy(struct runner *r)
{
	const char *manager = cases_word(&r->c, 1);
	char hash[PMG_SHA256_HEX];

	end_policy(r);
	pmg_strv_add(&r->kept, manager);
	pmg_strv_add(&r->kept, r->c.words.n > 2 ? cases_word(&r->c, 2) : manager);
	building_begin(&r->b, r->kept.v[0], r->kept.v[1]);
	pmg_sha256_hex(r->b.project, strlen(r->b.project), hash);
	r->overlay = pmg_xasprintf("%s/overlays/%s.yml", r->b.config, hash);
	r->begun = true;
}

static void do_fact(struct runner *r)
{
	if (!building_fact(&r->b, cases_word(&r->c, 1), &r->kept))
		cases_wrong(&r->c, "no such fact");
}

static void do_file(struct runner *r)
{
	const char *name = cases_word(&r->c, 1);

	r->file = pmg_streq(name, "managed") ? pmg_xstrdup(name) : filled(r, name);
	r->text = (struct pmg_str)PMG_STR_INIT(1048576);
}

static void take_managed(struct runner *r)
{
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_managed_parse(MANAGED, r->text.s, r->text.len, &r->managed, &err) < 0)
		cases_wrong(&r->c, err.msg);
}

/* What stands below "file", each line behind a tab. */
static void end_file(struct runner *r)
{
	pmg_autofree char *text = NULL;

	if (!r->file)
		return;
	text = filled(r, r->text.s ? r->text.s : "");
	if (pmg_streq(r->file, "managed"))
		take_managed(r);
	else
		folder_write("/", r->file + 1, text, strlen(text));
	free(pmg_steal_ptr(&r->file));
	pmg_str_done(&r->text);
}

static void do_link(struct runner *r)
{
	pmg_autofree char *path = filled(r, cases_word(&r->c, 1));
	pmg_autofree char *target = filled(r, cases_word(&r->c, 2));
	pmg_autofree char *dir = pmg_path_dir(path);
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_io_mkdirs(dir, 0700, &err) < 0 || symlink(target, path) < 0)
		cases_wrong(&r->c, strerror(errno));
}

static void do_folder(struct runner *r)
{
	pmg_autofree char *path = filled(r, cases_word(&r->c, 1));
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_io_mkdirs(path, 0700, &err) < 0)
		cases_wrong(&r->c, err.msg);
}

static void do_fifo(struct runner *r)
{
	pmg_autofree char *path = filled(r, cases_word(&r->c, 1));

	if (mkfifo(path, 0600) < 0)
		cases_wrong(&r->c, strerror(errno));
}

static void do_mode(struct runner *r)
{
	pmg_autofree char *path = filled(r, cases_word(&r->c, 2));

	if (chmod(path, (mode_t)strtoul(cases_word(&r->c, 1), NULL, 8)) < 0)
		cases_wrong(&r->c, strerror(errno));
}

static void do_profile(struct runner *r)
{
	free(r->profile);
	r->profile = filled(r, cases_word(&r->c, 1));
}

static void do_allow(struct runner *r)
{
	size_t i;

	pmg_strv_done(&r->allows);
	for (i = 1; i < r->c.words.n; i++)
		pmg_strv_take(&r->allows, filled(r, r->c.words.v[i]));
}

static int build(struct runner *r)
{
	pmg_auto(managed) struct pmg_managed project = { 0 };
	struct pmg_policy_want want = { .facts = &r->b.facts,
					.profile = r->profile,
					.allows = &r->allows,
					.managed = &r->managed,
					.project = &project };
	int got = pmg_managed_load_project(r->b.facts.project, &project, &r->err);

	return got < 0 ? got : pmg_policy_build(&want, &r->policy, &r->err);
}

/* Root reads what has no permissions; an owner does not. */
static void override(bool on)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];
	const uint32_t bits = 1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH;

	assert_int_equal(syscall(SYS_capget, &head, caps), 0);
	caps[0].effective =
		on ? caps[0].effective | (caps[0].permitted & bits) : caps[0].effective & ~bits;
	assert_int_equal(syscall(SYS_capset, &head, caps), 0);
}

static void try(struct runner *r)
{
	if (!r->begun)
		cases_wrong(&r->c, "no policy was begun");
	if (r->tried)
		return;
	override(false);
	if (build(r) < 0)
		assert_null(r->policy);
	override(true);
	r->tried = true;
}

static const struct pmg_policy *policy_of(struct runner *r)
{
	try(r);
	if (!r->policy)
		cases_wrong(&r->c, r->err.msg);
	return r->policy;
}

static struct pmg_decision decide(struct runner *r, enum pmg_access access, enum pmg_role role,
				  const char *object)
{
	uint64_t port = 0;

	if (access != PMG_ACCESS_CONNECT && access != PMG_ACCESS_BIND)
		return pmg_policy_ask(policy_of(r), access, role, object);
	if (pmg_parse_uint(cases_word(&r->c, 4), 65535, &port) < 0)
		cases_wrong(&r->c, "port");
	return pmg_policy_ask_net(policy_of(r), access, role, object, (uint16_t)port);
}

/* Which line says so; nothing where pmg itself does. */
static char *source_of(const struct runner *r, const struct pmg_policy_rule *rule)
{
	static const char own[] = "built-in ";
	bool is_own = rule->layer == PMG_LAYER_BUILTIN || rule->layer == PMG_LAYER_MANDATORY ||
		      rule->layer == PMG_LAYER_RUN;

	if (pmg_str_has_prefix(rule->source, own))
		return pmg_xstrdup("");
	if (is_own)
		cases_wrong(&r->c, rule->source);
	return pmg_xasprintf(" %s", rule->source);
}

static char *said(const struct runner *r, enum pmg_access access, const struct pmg_decision *got)
{
	const struct pmg_policy_rule *rule = got->rule;
	pmg_autofree char *source = rule ? source_of(r, rule) : pmg_xstrdup("");
	pmg_autofree char *code = got->allowed
					  ? pmg_xstrdup("")
					  : pmg_xasprintf(" PMG%d", pmg_code_of_access(access));

	return pmg_xasprintf("%s %s%s%s%s%s", got->allowed ? "allow" : "deny",
			     rule ? pmg_layer_name(rule->layer) : "-", rule ? " " : "",
			     rule ? rule->text : "", source, code);
}

static void expect(struct runner *r, size_t from, const char *got)
{
	pmg_autofree char *want = rest_of(r, from);
	pmg_autofree char *shown = cases_without_own_lines(got);

	cases_compare(&r->c, shown, want);
}

static void answer(struct runner *r, const char *got)
{
	expect(r, r->c.at + 1, got);
}

static void do_ask(struct runner *r)
{
	static const struct {
		const char *word;
		enum pmg_role roles[2];
	} who[] = {
		{ "any", { PMG_ROLE_MANAGER, PMG_ROLE_SCRIPT } },
		{ "manager", { PMG_ROLE_MANAGER, PMG_ROLE_MANAGER } },
		{ "script", { PMG_ROLE_SCRIPT, PMG_ROLE_SCRIPT } },
	};
	static const char *const words[] = { "any", "manager", "script" };
	unsigned k = cases_one_of(&r->c, cases_word(&r->c, 2), words, 3);
	enum pmg_access access = building_access(cases_word(&r->c, 1));
	pmg_autofree char *object = filled(r, cases_word(&r->c, 3));
	size_t i;

	for (i = 0; i < 2; i++) {
		struct pmg_decision got = decide(r, access, who[k].roles[i], object);
		pmg_autofree char *text = said(r, access, &got);

		answer(r, text);
	}
	r->c.questions--; /* both are one */
}

/* env NAME=VALUE... => what is left; "-": nothing */
static void do_env(struct runner *r)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(strv) struct pmg_strv removed = { 0 };
	pmg_auto(str) struct pmg_str got = PMG_STR_INIT(65536);
	size_t i;

	for (i = 1; i < r->c.at; i++)
		pmg_strv_add(&env, r->c.words.v[i]);
	pmg_policy_scrub(policy_of(r), &env, &removed);
	assert_int_equal(env.n + removed.n, r->c.at - 1);
	for (i = 0; i < env.n; i++)
		if (pmg_str_addf(&got, "%s%s", i > 0 ? " " : "", env.v[i]) < 0)
			abort();
	answer(r, got.s ? got.s : "-");
}

static void do_switch(struct runner *r)
{
	const struct pmg_policy *policy = policy_of(r);
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{ "network_via_proxy_only", policy->proxy_only },
		{ "allow_direct_dns", policy->direct_dns },
		{ "allow_network_bind", policy->any_bind },
		{ "allow_pty", policy->pty },
		{ "only_allowed", policy->listed_env },
		{ "processes", policy->max_processes },
		{ "open_files", policy->max_open_files },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *got = pmg_xasprintf("%llu", (unsigned long long)rows[i].value);

		if (pmg_streq(rows[i].name, cases_word(&r->c, 1))) {
			answer(r, got);
			return;
		}
	}
	cases_wrong(&r->c, "no such switch");
}

/* Is it that of the policy before? */
static void do_fingerprint(struct runner *r)
{
	pmg_auto(plan) struct pmg_plan *plan = pmg_plan_new();
	char hash[PMG_SHA256_HEX];

	pmg_plan_policy(plan, policy_of(r));
	pmg_plan_seal(plan);
	pmg_plan_fingerprint(plan, hash);
	answer(r, r->before[0] == '\0' ? "first" : strcmp(hash, r->before) == 0 ? "same" : "other");
	memcpy(r->before, hash, sizeof hash);
}

static void do_error(struct runner *r)
{
	pmg_autofree char *got = NULL;

	try(r);
	if (r->policy)
		cases_wrong(&r->c, "it was taken");
	got = r->err.diag ? pmg_xasprintf("PMG%d %s", r->err.diag, r->err.msg)
			  : pmg_xasprintf("- %s", r->err.msg);
	assert_int_equal(r->err.code, PMG_E_CONFIG);
	expect(r, 1, got);
}

static void do_hint(struct runner *r)
{
	try(r);
	expect(r, 1, r->err.hint);
}

static void do_note(struct runner *r)
{
	const struct pmg_policy *policy = policy_of(r);
	pmg_autofree char *want = rest_of(r, 1);
	size_t i;

	for (i = 0; i < policy->notes.n; i++) {
		pmg_autofree char *got = cases_without_own_lines(policy->notes.v[i]);

		if (pmg_streq(got, want)) {
			r->c.questions++;
			return;
		}
	}
	cases_wrong(&r->c, policy->notes.n ? policy->notes.v[0] : "there are no notes");
}

static void do_notes(struct runner *r)
{
	pmg_autofree char *got = pmg_xasprintf("%zu", policy_of(r)->notes.n);

	answer(r, got);
}

static const struct {
	const char *name;
	void (*run)(struct runner *r);
	bool changes; /* what the next policy is made of */
} statements[] = {
	{ "policy", do_policy, true },
	{ "fact", do_fact, true },
	{ "file", do_file, true },
	{ "link", do_link, true },
	{ "folder", do_folder, true },
	{ "fifo", do_fifo, true },
	{ "mode", do_mode, true },
	{ "profile", do_profile, true },
	{ "allow", do_allow, true },
	{ "ask", do_ask, false },
	{ "env", do_env, false },
	{ "switch", do_switch, false },
	{ "fingerprint", do_fingerprint, false },
	{ "error", do_error, false },
	{ "hint", do_hint, false },
	{ "note", do_note, false },
	{ "notes", do_notes, false },
};

static void run_line(struct runner *r)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(statements); i++)
		if (pmg_streq(statements[i].name, cases_word(&r->c, 0))) {
			if (statements[i].changes)
				forget(r);
			statements[i].run(r);
			return;
		}
	cases_wrong(&r->c, "no such statement");
}

static unsigned questions;

static unsigned run_case(const char *path, char *text)
{
	struct runner r = { .c = { .file = path }, .err = PMG_ERR_INIT };
	char *line;

	while ((line = cases_line(&r.c, &text))) {
		if (r.file && line[0] == '\t') {
			if (pmg_str_addf(&r.text, "%s\n", line + 1) < 0)
				abort();
			continue;
		}
		end_file(&r);
		if (cases_split(&r.c, line))
			run_line(&r);
	}
	end_file(&r);
	end_policy(&r);
	pmg_strv_done(&r.c.words);
	questions += r.c.questions;
	return r.c.questions;
}

static void every_case_answers_as_it_says(void **state)
{
	unsigned files = cases_read("tests/policy/build", run_case);

	(void)state;
	print_message("%u questions in %u files\n", questions, files);
	assert_true(files >= 5);
	assert_true(questions >= 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_answers_as_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
