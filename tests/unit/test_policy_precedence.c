/* The order of docs/policy.md, "Which rule wins": each strength against each, by layer and
 * direction; and which strength what a layer says has. */
#include "building.h"

#include "base/hash.h"
#include "policy/build_priv.h"
#include "policy/draft.h"

/* Of each access, two patterns that meet the object, and the object. */
static const struct {
	const char *exact, *pattern, *object;
} accesses[PMG_ACCESS_MAX] = {
	[PMG_ACCESS_READ] = { "/p/x", "/p/*", "/p/x" },
	[PMG_ACCESS_WRITE] = { "/p/x", "/p/*", "/p/x" },
	[PMG_ACCESS_EXEC] = { "/p/x", "/p/*", "/p/x" },
	[PMG_ACCESS_CONNECT] = { "a.acme.test:443", "*.acme.test", "a.acme.test" },
	[PMG_ACCESS_BIND] = { "127.0.0.1:443", "localhost", "127.0.0.1" },
	[PMG_ACCESS_UNIX] = { "/p/x", "/p/*", "/p/x" },
	[PMG_ACCESS_ENV] = { "ACME_X", "ACME_*", "ACME_X" },
};

static bool is_of_hosts(enum pmg_access access)
{
	return access == PMG_ACCESS_CONNECT || access == PMG_ACCESS_BIND;
}

static void add(struct pmg_policy *policy, enum pmg_access access, enum pmg_rank rank,
		enum pmg_layer layer, const char *text)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	const struct pmg_policy_rule rule = {
		.access = access, .rank = rank, .layer = layer, .roles = PMG_ROLE_ANY, .text = copy
	};
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_policy_add(policy, &rule, &err) < 0)
		fail_msg("%s", err.msg);
}

static struct pmg_decision ask(const struct pmg_policy *policy, enum pmg_access access)
{
	return is_of_hosts(access)
		       ? pmg_policy_ask_net(policy, access, PMG_ROLE_SCRIPT,
					    accesses[access].object, 443)
		       : pmg_policy_ask(policy, access, PMG_ROLE_SCRIPT, accesses[access].object);
}

static bool allows(enum pmg_rank rank)
{
	return rank == PMG_RANK_OPT_OUT || rank == PMG_RANK_ALLOW;
}

/* Rules of two strengths and layers meet one question; the first row of the order decides,
 * whichever layer it is of. */
static void check_cell(enum pmg_access access, enum pmg_rank exact, enum pmg_layer of_exact,
		       enum pmg_rank pattern, enum pmg_layer of_pattern)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	bool own = of_pattern == PMG_LAYER_MANDATORY || of_pattern == PMG_LAYER_RUN;
	struct pmg_decision got;
	enum pmg_rank first;

	add(policy, access, exact, of_exact, accesses[access].exact);
	add(policy, access, pattern, of_pattern, accesses[access].pattern);
	pmg_policy_seal(policy);
	/* A star makes an opt-out an allow, but for pmg's own lists. "localhost" has none. */
	if (pattern == PMG_RANK_OPT_OUT && !own && access != PMG_ACCESS_BIND)
		pattern = PMG_RANK_ALLOW;
	first = exact < pattern ? exact : pattern;
	got = ask(policy, access);
	if (!got.rule || got.rule->rank != first || got.allowed != allows(first))
		fail_msg("%s: rank %d of %s, rank %d of %s: %s by rank %d", pmg_access_name(access),
			 exact, pmg_layer_name(of_exact), pattern, pmg_layer_name(of_pattern),
			 got.allowed ? "allowed" : "denied", got.rule ? (int)got.rule->rank : -1);
}

static void of_two_rules_the_stronger_decides_in_every_direction_whatever_its_layer(void **state)
{
	enum pmg_access access;
	int a, b, of_a, of_b;

	(void)state;
	for (access = 0; access < PMG_ACCESS_MAX; access++)
		for (a = 0; a < PMG_RANK_MAX; a++)
			for (b = 0; b < PMG_RANK_MAX; b++)
				for (of_a = 0; of_a < PMG_LAYER_MAX; of_a++)
					for (of_b = 0; of_b < PMG_LAYER_MAX; of_b++)
						check_cell(access, (enum pmg_rank)a,
							   (enum pmg_layer)of_a, (enum pmg_rank)b,
							   (enum pmg_layer)of_b);
}

static void without_a_rule_nothing_is_allowed(void **state)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	enum pmg_access access, other;

	(void)state;
	/* Nor does a rule of another direction decide. */
	for (access = 0; access < PMG_ACCESS_MAX; access++) {
		pmg_auto(policy) struct pmg_policy *others = pmg_policy_new();

		for (other = 0; other < PMG_ACCESS_MAX; other++)
			if (other != access)
				add(others, other, PMG_RANK_ALLOW, PMG_LAYER_FLAG,
				    accesses[other].exact);
		pmg_policy_seal(others);
		assert_false(ask(others, access).allowed);
		assert_null(ask(others, access).rule);
	}
	pmg_policy_seal(policy);
	for (access = 0; access < PMG_ACCESS_MAX; access++)
		assert_false(ask(policy, access).allowed);
}

/* Strengths as docs/policy.md numbers them. Addresses to listen on count as patterns. */
static const struct {
	enum pmg_layer layer;
	int deny, exact_file, exact_env, exact_host, pattern; /* 0: it says no such thing */
} says[] = {
	{ PMG_LAYER_BUILTIN, 5, 6, 3, 6, 6 }, { PMG_LAYER_PROFILE, 5, 3, 3, 6, 6 },
	{ PMG_LAYER_PRESET, 0, 6, 3, 6, 6 },  { PMG_LAYER_OVERLAY, 0, 3, 3, 3, 6 },
	{ PMG_LAYER_FLAG, 0, 3, 3, 3, 6 },    { PMG_LAYER_PROJECT, 5, 0, 0, 0, 0 },
	{ PMG_LAYER_MANAGED, 1, 0, 0, 0, 0 },
};

static int exact_of(size_t row, enum pmg_access access)
{
	return access == PMG_ACCESS_ENV       ? says[row].exact_env
	       : access == PMG_ACCESS_CONNECT ? says[row].exact_host
	       : access == PMG_ACCESS_BIND    ? says[row].pattern
					      : says[row].exact_file;
}

static void check_rank(enum pmg_layer layer, enum pmg_access access, bool deny, bool exact,
		       int number)
{
	char text[] = "x", source[] = "s";
	const struct pmg_draft_entry entry = { .access = access,
					       .layer = layer,
					       .deny = deny,
					       .roles = PMG_ROLE_ANY,
					       .text = text,
					       .source = source };

	if (number && (int)pmg_build_rank(&entry, exact) != number - 1)
		fail_msg("%s, %s %s, exact %d: rank %d", pmg_layer_name(layer),
			 deny ? "deny" : "allow", pmg_access_name(access), exact,
			 pmg_build_rank(&entry, exact) + 1);
}

static void what_a_layer_says_has_its_strength_in_every_direction(void **state)
{
	enum pmg_access access;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(says); i++)
		for (access = 0; access < PMG_ACCESS_MAX; access++) {
			check_rank(says[i].layer, access, true, true, says[i].deny);
			check_rank(says[i].layer, access, true, false, says[i].deny);
			check_rank(says[i].layer, access, false, true, exact_of(i, access));
			check_rank(says[i].layer, access, false, false, says[i].pattern);
		}
}

static char *cell(int number)
{
	return number ? pmg_xasprintf("%d", number) : pmg_xstrdup("-");
}

static void both_tables_stand_in_the_manual(void **state)
{
	pmg_autofree char *path =
		pmg_path_join(getenv("srcdir") ? getenv("srcdir") : ".", "docs/policy.md");
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t i, len;

	(void)state;
	assert_int_equal(pmg_io_slurp(path, 1048576, &text, &len, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(says); i++) {
		pmg_autofree char *deny = cell(says[i].deny);
		pmg_autofree char *file = cell(says[i].exact_file);
		pmg_autofree char *env = cell(says[i].exact_env);
		pmg_autofree char *host = cell(says[i].exact_host);
		pmg_autofree char *pattern = cell(says[i].pattern);
		pmg_autofree char *row = pmg_xasprintf("\n| `%s` | %s | %s | %s | %s | %s |",
						       pmg_layer_name(says[i].layer), deny, file,
						       env, host, pattern);

		if (!strstr(text, row))
			fail_msg("docs/policy.md has no row %s", row + 1);
	}
}

/* Managed policy and a project's file, as they are written. */
struct files {
	struct pmg_managed managed, project;
};

static void files_done(struct files *files)
{
	pmg_managed_done(&files->managed);
	pmg_managed_done(&files->project);
}
PMG_DEFINE_AUTO_DONE(files, struct files, files_done);

static int build(struct building *b, const char *managed, const char *project, const char *allows,
		 struct pmg_policy **out, struct pmg_err *err)
{
	pmg_autofree char *text = building_text(b, managed ? managed : "");
	pmg_auto(files) struct files files = { 0 };
	pmg_auto(strv) struct pmg_strv list = { 0 };
	pmg_autofree char *filled = building_text(b, allows ? allows : "");
	struct pmg_policy_want want = { .facts = &b->facts,
					.allows = &list,
					.managed = &files.managed,
					.project = &files.project };

	pmg_strv_split(&list, filled, " ");
	if (managed)
		assert_int_equal(
			pmg_managed_parse("/m.yml", text, strlen(text), &files.managed, err), 0);
	files.managed.home = building_text(b, "{top}/account");
	if (project) {
		building_write(b, "home/project/.pmg.yml", project);
		assert_int_equal(pmg_managed_load_project(b->project, &files.project, err), 0);
	}
	return pmg_policy_build(&want, out, err);
}

#define V1 "schema_version: 1\n"
#define DENY                                                                                       \
	V1 "deny:\n"                                                                               \
	   "  filesystem: {deny_read: ['${PROJECT}/src/x'], deny_write: ['${PROJECT}/**/dist']}\n" \
	   "  process: {deny_exec: [/usr/bin/curl]}\n"                                             \
	   "  network: {deny_outbound: [paste.test]}\n"                                            \
	   "  environment: {deny: ['ACME_*', PIP_INDEX_URL]}\n"
#define ALLOW                                                                                      \
	"read={project}/src/x write={project}/a/dist exec=/usr/bin/curl "                          \
	"net-connect=paste.test:443 env=ACME_X"

/* @return the rule that decided the question, which must have that answer */
static const struct pmg_policy_rule *decides(const struct building *b,
					     const struct pmg_policy *policy, const char *access,
					     const char *object, bool allowed)
{
	pmg_autofree char *filled = building_text(b, object);
	enum pmg_access a = building_access(access);
	struct pmg_decision got =
		is_of_hosts(a) ? pmg_policy_ask_net(policy, a, PMG_ROLE_SCRIPT, filled, 443)
			       : pmg_policy_ask(policy, a, PMG_ROLE_SCRIPT, filled);

	if (got.allowed != allowed)
		fail_msg("%s %s is %s by %s", access, filled, got.allowed ? "allowed" : "denied",
			 got.rule ? got.rule->source : "no rule");
	return got.rule;
}

static const struct {
	const char *access, *object;
	unsigned line;
} denied[] = {
	{ "read", "{project}/src/x", 3 },   { "read", "{project}/src/x/below", 3 },
	{ "write", "{project}/a/dist", 3 }, { "exec", "/usr/bin/curl", 4 },
	{ "net-connect", "paste.test", 5 }, { "env", "ACME_X", 6 },
	{ "env", "PIP_INDEX_URL", 6 },
};

/* HOME=/elsewhere pmg --sandbox-allow read=/home/me/private/x */
static void the_home_that_managed_policy_means_is_not_the_callers_to_say(void **state)
{
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct building b;

	(void)state;
	building_begin(&b, "npm", "npm");
	assert_int_equal(build(&b,
			       V1 "deny: {filesystem: {deny_read: ['~/private'], deny_write: "
				  "['${HOME}/*.txt']}}\n",
			       NULL,
			       "read={top}/account/private/x read={home}/private/x "
			       "write={top}/account/a.txt read={top}/account/y",
			       &policy, &err),
			 0);
	(void)decides(&b, policy, "read", "{home}/private/x", false);
	(void)decides(&b, policy, "read", "{top}/account/private/x", false);
	(void)decides(&b, policy, "write", "{top}/account/a.txt", false);
	(void)decides(&b, policy, "read", "{top}/account/y", true);
	building_end(&b);
}

static void what_managed_policy_denies_nothing_opens(void **state)
{
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(strv) struct pmg_strv removed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	assert_int_equal(build(&b, DENY, NULL, ALLOW, &policy, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(denied); i++) {
		pmg_autofree char *source = pmg_xasprintf("/m.yml:%u", denied[i].line);
		const struct pmg_policy_rule *rule =
			decides(&b, policy, denied[i].access, denied[i].object, false);

		assert_int_equal(rule->rank, PMG_RANK_MANAGED_DENY);
		assert_string_equal(pmg_layer_name(rule->layer), "managed");
		assert_string_equal(rule->source, source);
	}
	(void)decides(&b, policy, "read", "{project}/src/y", true);
	pmg_strv_add(&env, "ACME_X=1");
	pmg_strv_add(&env, "PIP_INDEX_URL=https://a.test/");
	pmg_strv_add(&env, "PATH=/usr/bin");
	pmg_policy_scrub(policy, &env, &removed);
	assert_int_equal(env.n, 1);
	assert_int_equal(removed.n, 2);
	building_end(&b);
}

static void what_a_project_denies_only_its_user_opens(void **state)
{
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_auto(policy) struct pmg_policy *opened = NULL;
	const struct pmg_policy_rule *rule;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	building_begin(&b, "npm", "npm");
	assert_int_equal(build(&b, NULL, DENY, NULL, &policy, &err), 0);
	rule = decides(&b, policy, "read", "{project}/src/x", false);
	assert_int_equal(rule->rank, PMG_RANK_DENY);
	assert_string_equal(pmg_layer_name(rule->layer), "project");
	assert_true(pmg_str_has_suffix(rule->source, "/.pmg.yml:3"));
	(void)decides(&b, policy, "net-connect", "paste.test", false);
	(void)decides(&b, policy, "write", "{project}/.pmg.yml", false);
	assert_int_equal(build(&b, NULL, DENY, ALLOW, &opened, &err), 0);
	(void)decides(&b, opened, "read", "{project}/src/x", true);
	(void)decides(&b, opened, "read", "{project}/src/x/below", false);
	(void)decides(&b, opened, "exec", "/usr/bin/curl", true);
	building_end(&b);
}

static void a_pattern_that_is_none_is_an_error_with_its_place(void **state)
{
	static const struct {
		const char *text, *msg;
	} rows[] = {
		{ V1 "deny: {filesystem: {deny_read: [srv]}}\n",
		  ":2:33: \"deny_read\": a path begins with" },
		{ V1 "deny:\n  filesystem:\n    deny_write:\n      - /a/../b\n",
		  ":5:9: \"deny_write\": no \"..\" in a path" },
		{ V1 "deny: {network: {deny_outbound: [registry]}}\n",
		  ":2:34: \"deny_outbound\": the word \"registry\"" },
		{ V1 "deny: {environment: {deny: ['*']}}\n",
		  ":2:29: \"deny\": not the name of a variable" },
		{ V1 "deny: {filesystem: {deny_read: ['${NOPE}/x']}}\n",
		  ":2:33: ${NOPE}/x: ${NOPE} is no variable of pmg" },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_policy *policy = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(build(&b, rows[i].text, NULL, NULL, &policy, &err), -PMG_E_CONFIG);
		assert_null(policy);
		assert_true(pmg_str_has_prefix(err.msg, "/m.yml"));
		assert_true(pmg_str_has_prefix(err.msg + strlen("/m.yml"), rows[i].msg));
	}
	building_end(&b);
}

static void under_lockdown_nothing_of_the_users_adds(void **state)
{
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_auto(policy) struct pmg_policy *locked = NULL;
	pmg_autofree char *path = NULL;
	pmg_autofree char *note = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	char hex[PMG_SHA256_HEX];

	(void)state;
	building_begin(&b, "npm", "npm");
	pmg_sha256_hex(b.project, strlen(b.project), hex);
	path = pmg_xasprintf("home/.config/pmg/overlays/%s.yml", hex);
	building_write(&b, path,
		       V1 "repository: {project}\n"
			  "entries: [{type: write, value: '{project}/out'}]\n");
	assert_int_equal(build(&b, V1, NULL, NULL, &policy, &err), 0);
	(void)decides(&b, policy, "write", "{project}/out", true);
	assert_int_equal(policy->notes.n, 0);
	assert_int_equal(build(&b, V1 "global_lockdown: true\n", NULL, NULL, &locked, &err), 0);
	(void)decides(&b, locked, "write", "{project}/out", false);
	assert_int_equal(locked->notes.n, 1);
	note = pmg_xasprintf("%s/overlays/%s.yml is not used: managed policy (/m.yml:2)", b.config,
			     hex);
	assert_string_equal(locked->notes.v[0], note);
	building_end(&b);
}

#define MINE V1 "name: mine\ninherits: npm\n"

static void what_managed_policy_names_is_no_file_of_the_users(void **state)
{
	static const struct {
		const char *profile;
		bool pinned, locked;
		const char *msg; /* NULL: it is taken */
	} rows[] = {
		{ "npm", true, true, NULL },
		{ "mine", false, false, NULL },
		{ "mine", true, false, "profile \"mine\" is a file of the user's (" },
		{ "fleet", true, false, "and not to root, so it is not believed" },
		{ "fleet", false, false, "and not to root, so it is not believed" },
		{ "both", false, false, NULL },
		{ "both", false, true, "preset \"own\" is a file of the user's (" },
	};
	struct pmg_config_template template = { .managed = true };
	char name[] = "fleet";
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	building_write(&b, "home/.config/pmg/profiles/mine.yml", MINE);
	building_write(&b, "home/.config/pmg/profiles/both.yml", MINE "presets: [own]\n");
	building_write(&b, "home/.config/pmg/presets/own.yml", V1 "kind: preset\nname: own\n");
	building_write(&b, "fleet.yml", MINE);
	template.name = name;
	template.path = pmg_path_join(b.top, "fleet.yml");
	if (geteuid() == 0)
		assert_int_equal(chown(template.path, 12345, 12345), 0);
	b.facts.templates = &template;
	b.facts.n_templates = 1;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const struct pmg_managed managed = { .lockdown = rows[i].locked };
		const struct pmg_policy_want want = { .facts = &b.facts,
						      .profile = rows[i].profile,
						      .managed = &managed,
						      .pinned = rows[i].pinned };
		pmg_auto(policy) struct pmg_policy *policy = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		int r = pmg_policy_build(&want, &policy, &err);

		if (r != (rows[i].msg ? -PMG_E_CONFIG : 0))
			fail_msg("row %zu: %d %s", i, r, err.msg);
		if (!rows[i].msg)
			continue;
		assert_int_equal(err.diag, 1001);
		if (!strstr(err.msg, rows[i].msg))
			fail_msg("row %zu: %s", i, err.msg);
	}
	free(template.path);
	building_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			of_two_rules_the_stronger_decides_in_every_direction_whatever_its_layer),
		cmocka_unit_test(without_a_rule_nothing_is_allowed),
		cmocka_unit_test(what_a_layer_says_has_its_strength_in_every_direction),
		cmocka_unit_test(both_tables_stand_in_the_manual),
		cmocka_unit_test(what_managed_policy_denies_nothing_opens),
		cmocka_unit_test(the_home_that_managed_policy_means_is_not_the_callers_to_say),
		cmocka_unit_test(what_a_project_denies_only_its_user_opens),
		cmocka_unit_test(a_pattern_that_is_none_is_an_error_with_its_place),
		cmocka_unit_test(under_lockdown_nothing_of_the_users_adds),
		cmocka_unit_test(what_managed_policy_names_is_no_file_of_the_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
