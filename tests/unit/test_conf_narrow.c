#include "conf/narrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "conf/keys.h"
#include "tests/unit/configured.h"

/* Of three texts, each without the version; NULL: no such file. */
struct outcome {
	struct pmg_config config;
	struct pmg_managed project, managed;
	struct pmg_strv notes;
	struct pmg_err err;
	int r;
};

static void outcome_done(struct outcome *o)
{
	pmg_config_done(&o->config);
	pmg_managed_done(&o->project);
	pmg_managed_done(&o->managed);
	pmg_strv_done(&o->notes);
}
PMG_DEFINE_AUTO_DONE(outcome, struct outcome, outcome_done);

static void narrow(const char *user, const char *project, const char *managed, struct outcome *o)
{
	pmg_autofree char *u = pmg_xasprintf(V1 "%s", user ? user : "");
	pmg_autofree char *p = pmg_xasprintf(V1 "%s", project ? project : "");
	pmg_autofree char *m = pmg_xasprintf(V1 "%s", managed ? managed : "");

	folder_write(top, "config.yml", u, strlen(u));
	folder_write(top, ".pmg.yml", p, strlen(p));
	o->err = (struct pmg_err)PMG_ERR_INIT;
	assert_int_equal(pmg_config_load(file, &o->config, &o->err), 0);
	if (project)
		assert_int_equal(pmg_managed_load_project(top, &o->project, &o->err), 0);
	if (managed)
		assert_int_equal(pmg_managed_parse("/m.yml", m, strlen(m), &o->managed, &o->err),
				 0);
	o->r = pmg_narrow(&o->config, &o->project, &o->notes, &o->err);
	if (o->r == 0)
		o->r = pmg_narrow(&o->config, &o->managed, &o->notes, &o->err);
}

/* The value of a key with one member, as text. */
static char *value_of(const struct pmg_config *config, const struct pmg_narrow_row *row)
{
	const char *at = (const char *)config + row->offset;

	switch (row->rule) {
	case PMG_NARROW_LATER:
		return pmg_xasprintf("%d", *(const int *)(const void *)at);
	case PMG_NARROW_GREATER:
	case PMG_NARROW_LESSER:
		return pmg_xasprintf("%llu",
				     (unsigned long long)*(const uint64_t *)(const void *)at);
	case PMG_NARROW_BITS:
		return pmg_xasprintf("%x", *(const uint32_t *)(const void *)at);
	case PMG_NARROW_OR:
		return pmg_xstrdup(*(const bool *)(const void *)at ? "true" : "false");
	case PMG_NARROW_REPLACE: {
		const char *text = *(char *const *)(const void *)at;

		return pmg_xstrdup(text ? text : "-");
	}
	case PMG_NARROW_UNION:
	case PMG_NARROW_LONGEST:
	case PMG_NARROW_WAIVERS:
	case PMG_NARROW_PER_MANAGER:
	case PMG_NARROW_MAX:
		break;
	}
	fail();
	return NULL;
}

static const struct pmg_narrow_row *row_of(const char *key)
{
	const struct pmg_narrow_row *row;

	for (row = pmg_narrow_rows(); row->key; row++)
		if (strcmp(row->key, key) == 0)
			return row;
	fail_msg("no row for %s", key);
	return NULL;
}

/* Each of a loose and a strict value as it is written and as value_of() has it. */
static const struct scalar {
	const char *key, *format, *otherwise;
	struct {
		const char *text, *value;
	} loose, strict;
	bool in_project; /* the strict one alone */
} scalars[] = {
	{ "verbosity", "verbosity: %s\n", "1", { "silent", "0" }, { "verbose", "2" }, false },
	{ "intel.on_missing",
	  "intel: {on_missing: %s}\n",
	  "0",
	  { "warn", "0" },
	  { "block", "1" },
	  true },
	{ "intel.max_age",
	  "intel: {max_age: %s}\n",
	  "604800",
	  { "30d", "2592000" },
	  { "1d", "86400" },
	  false },
	{ "ledger.retention",
	  "ledger: {retention: %s}\n",
	  "7776000",
	  { "1d", "86400" },
	  { "200d", "17280000" },
	  false },
	{ "ledger.max_size",
	  "ledger: {max_size: %s}\n",
	  "268435456",
	  { "1K", "1024" },
	  { "1G", "1073741824" },
	  false },
	{ "advisory_message", "advisory_message: %s\n", "-", { "a", "a" }, { "b", "b" }, false },
	{ "inspection.enabled",
	  "inspection: {enabled: %s}\n",
	  "true",
	  { "false", "false" },
	  { "true", "true" },
	  true },
	{ "inspection.block",
	  "inspection: {block: %s}\n",
	  "3f",
	  { "[device]", "4" },
	  { "[traversal, link-outside, device, oversized, unreadable, ambiguous, native]",
	    "20003f" },
	  true },
	{ "inspection.report",
	  "inspection: {report: %s}\n",
	  "ffffff",
	  { "[device]", "4" },
	  { "[device, native]", "200004" },
	  false },
	{ "sandbox.enabled",
	  "sandbox: {enabled: %s}\n",
	  "true",
	  { "false", "false" },
	  { "true", "true" },
	  true },
	{ "sandbox.enforce_always",
	  "sandbox: {enforce_always: %s}\n",
	  "false",
	  { "false", "false" },
	  { "true", "true" },
	  true },
	{ "sandbox.strict",
	  "sandbox: {strict: %s}\n",
	  "false",
	  { "false", "false" },
	  { "true", "true" },
	  true },
	{ "intel.private_origin",
	  "intel: {private_origin: %s}\n",
	  "0",
	  { "warn", "0" },
	  { "block", "1" },
	  true },
	{ "dependency_cooldown.enabled",
	  "dependency_cooldown: {enabled: %s}\n",
	  "true",
	  { "false", "false" },
	  { "true", "true" },
	  true },
	{ "dependency_cooldown.mode",
	  "dependency_cooldown: {mode: %s}\n",
	  "0",
	  { "filter", "0" },
	  { "fail", "1" },
	  true },
	{ "dependency_cooldown.undated",
	  "dependency_cooldown: {undated: %s}\n",
	  "1",
	  { "warn", "0" },
	  { "block", "1" },
	  true },
	{ "dependency_cooldown.security_fixes",
	  "dependency_cooldown: {security_fixes: %s}\n",
	  "0",
	  { "pass", "0" },
	  { "wait", "1" },
	  true },
};

enum level { UNSET, LOOSE, STRICT, LEVELS };

static char *written(const struct scalar *s, enum level level)
{
	const char *text = level == LOOSE ? s->loose.text : s->strict.text;
	const char *hole = strchr(s->format, '%');

	if (level == UNSET)
		return NULL;
	return pmg_xasprintf("%.*s%s%s", (int)(hole - s->format), s->format, text, hole + 2);
}

/* One cell: what three files come to. */
static void check_cell(const struct scalar *s, enum level user, enum level project,
		       enum level managed)
{
	const struct pmg_narrow_row *row = row_of(s->key);
	const char *const values[LEVELS] = { s->otherwise, s->loose.value, s->strict.value };
	pmg_auto(outcome) struct outcome o = { 0 };
	pmg_autofree char *u = written(s, user);
	pmg_autofree char *p = written(s, project);
	pmg_autofree char *m = written(s, managed);
	pmg_autofree char *got = NULL;
	enum level most = user;
	bool loses;

	if (row->rule == PMG_NARROW_REPLACE) {
		most = managed != UNSET ? managed : user;
		loses = user != UNSET && managed != UNSET && user != managed;
	} else {
		/* Whoever says something counts; of two that do the stricter. */
		most = project > most ? project : most;
		most = managed > most ? managed : most;
		loses = user != UNSET && most > user;
	}
	narrow(u, p, m, &o);
	got = value_of(&o.config, row);
	if (o.r != 0 || strcmp(got, values[most]) != 0 || (o.notes.n == 1) != loses)
		fail_msg("%s: user %d, project %d, managed %d: %s, %zu notes: %s", s->key, user,
			 project, managed, got, o.notes.n, o.notes.n ? o.notes.v[0] : "");
	if (loses) {
		pmg_autofree char *head = pmg_xasprintf("%s:2: %s does not hold: ", file, s->key);
		bool by_project = project != UNSET && row->rule != PMG_NARROW_REPLACE;
		pmg_autofree char *who =
			by_project ? pmg_xasprintf("the project's file (%s/.pmg.yml:2)", top)
				   : pmg_xstrdup("managed policy (/m.yml:2)");

		assert_true(pmg_str_has_prefix(o.notes.v[0], head));
		assert_string_equal(o.notes.v[0] + strlen(head), who);
	}
}

static void of_each_key_and_file_the_stricter_value_counts(void **state)
{
	enum level user, project, managed;
	size_t i, cells = 0;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(scalars); i++)
		for (user = UNSET; user < LEVELS; user++)
			for (project = UNSET; project < LEVELS; project++)
				for (managed = UNSET; managed < LEVELS; managed++) {
					if (project != UNSET &&
					    (!scalars[i].in_project || project != STRICT))
						continue;
					check_cell(&scalars[i], user, project, managed);
					cells++;
				}
	assert_int_equal(cells, 6 * 9 + 11 * 18);
}

static void assert_has_row(const struct pmg_key *keys, const char *above)
{
	for (; keys->name; keys++) {
		pmg_autofree char *name = pmg_xasprintf("%s%s", above, keys->name);
		pmg_autofree char *below = pmg_xasprintf("%s.", name);

		if (keys->kind == PMG_KEY_MAP)
			assert_has_row(keys->rows, below);
		else if (keys->kind != PMG_KEY_LATER && strcmp(name, "schema_version") != 0)
			(void)row_of(name);
	}
}

static void every_key_of_the_configuration_has_a_rule(void **state)
{
	const struct pmg_narrow_row *row;
	size_t i, n = 0;

	(void)state;
	assert_has_row(pmg_config_keys(), "");
	for (row = pmg_narrow_rows(); row->key; row++)
		if (row->rule <= PMG_NARROW_REPLACE)
			n++;
	assert_int_equal(n, PMG_ARRAY_LEN(scalars)); /* each is tested above */
	for (i = 0; i < PMG_ARRAY_LEN(scalars); i++)
		(void)row_of(scalars[i].key);
}

static void every_rule_stands_in_the_manual(void **state)
{
	static const char *const words[PMG_NARROW_MAX] = { "stricter",   "greater", "less",
							   "or",         "union",   "managed",
							   "union",      "longest", "waivers",
							   "per manager" };
	pmg_autofree char *path =
		pmg_path_join(getenv("srcdir") ? getenv("srcdir") : ".", "docs/config.md");
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_narrow_row *row;
	pmg_autofree char *text = NULL;
	size_t len;

	(void)state;
	assert_int_equal(pmg_io_slurp(path, 1048576, &text, &len, &err), 0);
	for (row = pmg_narrow_rows(); row->key; row++) {
		pmg_autofree char *line =
			pmg_xasprintf("\n| `%s` | %s |", row->key, words[row->rule]);

		if (!strstr(text, line))
			fail_msg("docs/config.md has no row %s", line + 1);
	}
}

/* What is in force for npm: "on" or "off" and the profile. */
static const struct {
	const char *user, *project, *managed;
	const char *state; /* or what the error says */
	size_t notes;
} policies[] = {
	{ "", NULL, NULL, "on -", 0 },
	{ "sandbox: {policies: {npm: {enabled: false}}}\n", NULL, NULL, "off -", 0 },
	{ "sandbox: {policies: {npm: {enabled: false}}}\n", "sandbox: {enabled: true}\n", NULL,
	  "on -", 1 },
	{ "sandbox: {policies: {npm: {enabled: false}}}\n", NULL, "sandbox: {enabled: true}\n",
	  "on -", 1 },
	{ "sandbox: {policies: {npm: {enabled: false}}}\n", NULL, "global_lockdown: true\n", "on -",
	  1 },
	{ "sandbox: {enabled: false}\n", NULL, "global_lockdown: true\n", "on -", 1 },
	{ "sandbox: {enabled: false}\n", NULL, "sandbox: {enabled: false}\n", "off -", 0 },
	{ "", NULL, "sandbox: {enabled: false}\n", "off -", 0 },
	{ "", "sandbox: {enabled: true}\n", "sandbox: {enabled: false}\n", "on -", 0 },
	{ "sandbox: {enabled: true}\n", NULL, "sandbox: {enabled: false}\n", "on -", 0 },
	{ "sandbox: {policies: {npm: {enabled: true}}}\n", NULL,
	  "sandbox: {policies: {npm: {enabled: false}}}\n", "on -", 0 },
	{ "sandbox: {policies: {npm: {enabled: false}}}\n", NULL,
	  "sandbox: {policies: {npm: {enabled: true}}}\n", "on -", 1 },
	{ "", NULL, "sandbox: {enabled: true, policies: {npm: {enabled: false}}}\n", "off -", 0 },
	{ "sandbox: {policies: {npm: {profile: mine}}}\n", NULL, NULL, "on mine", 0 },
	{ "sandbox: {policies: {npm: {profile: mine}}}\n", "sandbox: {strict: true}\n", NULL,
	  "on mine", 0 },
	{ "", NULL, "sandbox: {policies: {npm: {profile: npm}}}\n", "on npm", 0 },
	{ "", NULL,
	  "sandbox: {policies: {npm: {profile: t}}, policy_templates: {t: {path: ./t.yml}}}\n",
	  "on t", 0 },
	{ "sandbox: {policy_templates: {npm: {path: /mine.yml}}}\n", NULL,
	  "sandbox: {policies: {npm: {profile: npm}}}\n", "on npm", 0 },
	{ "sandbox: {policies: {npm: {profile: t}}, policy_templates: {t: {path: /mine.yml}}}\n",
	  NULL, "sandbox: {policy_templates: {t: {path: /theirs.yml}}}\n", "on t", 0 },
	{ "sandbox: {policies: {npm: {profile: npm}}}\n", NULL,
	  "sandbox: {policies: {npm: {profile: npm}}}\n", "on npm", 0 },
	{ "sandbox: {policies: {npm: {profile: mine}}}\n", NULL,
	  "sandbox: {policies: {npm: {profile: npm}}}\n",
	  ":2: profile \"mine\" for npm is refused by managed policy (/m.yml:2)", 0 },
	{ "sandbox: {policies: {npm: {profile: mine}}}\n", NULL, "global_lockdown: true\n",
	  ":2: profile \"mine\" for npm is refused by managed policy (/m.yml:2)", 0 },
};

static void what_a_manager_gets_can_be_narrowed_and_not_swapped(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(policies); i++) {
		pmg_auto(outcome) struct outcome o = { 0 };
		const struct pmg_config_policy *policy;
		pmg_autofree char *got = NULL;
		const char *profile;

		narrow(policies[i].user, policies[i].project, policies[i].managed, &o);
		if (policies[i].state[0] == ':') {
			assert_int_equal(o.r, -PMG_E_CONFIG);
			assert_int_equal(o.err.diag, 1001);
			assert_string_equal(o.err.msg + strlen(file), policies[i].state);
			continue;
		}
		assert_int_equal(o.r, 0);
		policy = pmg_config_policy(&o.config.sandbox, "npm");
		profile = pmg_config_profile(&o.config.sandbox, "npm");
		got = pmg_xasprintf(
			"%s %s",
			o.config.sandbox.enabled && (!policy || policy->enabled) ? "on" : "off",
			profile ? profile : "-");
		if (strcmp(got, policies[i].state) != 0 || o.notes.n != policies[i].notes)
			fail_msg("row %zu: %s, %zu notes", i, got, o.notes.n);
	}
}

static void a_name_of_managed_policys_templates_is_looked_up_there(void **state)
{
	pmg_auto(outcome) struct outcome o = { 0 };
	const struct pmg_config_sandbox *sandbox = &o.config.sandbox;

	(void)state;
	narrow("sandbox: {policy_templates: {a: {path: /a.yml}, t: {path: /mine.yml}}}\n", NULL,
	       "sandbox: {policy_templates: {t: {path: ./theirs.yml}}}\n", &o);
	assert_int_equal(o.r, 0);
	assert_int_equal(sandbox->n_templates, 3);
	assert_string_equal(sandbox->templates[0].path, "/theirs.yml");
	assert_true(sandbox->templates[0].managed);
	assert_string_equal(sandbox->templates[2].path, "/mine.yml");
	assert_false(sandbox->templates[2].managed);
}

static void registries_of_both_count(void **state)
{
	pmg_auto(outcome) struct outcome o = { 0 };

	(void)state;
	narrow("proxy: {registries: [{ecosystem: npm, url: 'https://a.test/'}]}\n", NULL,
	       "proxy: {registries: [{ecosystem: npm, url: 'https://b.test/', scope: '@b'}]}\n",
	       &o);
	assert_int_equal(o.r, 0);
	assert_int_equal(o.config.n_registries, 2);
	assert_string_equal(o.config.registries[0].url.host, "a.test");
	assert_null(o.config.registries[0].file);
	assert_string_equal(o.config.registries[1].url.host, "b.test");
	assert_string_equal(o.config.registries[1].scope, "@b");
	assert_string_equal(o.config.registries[1].file, "/m.yml");
}

static void feeds_of_both_count_and_of_a_name_managed_policys(void **state)
{
	pmg_auto(outcome) struct outcome o = { 0 };
	const struct pmg_config_feed *feeds;
	size_t n;

	(void)state;
	narrow("intel: {feeds: [{name: a, url: 'https://a.test/a.zip'},"
	       " {name: b, url: 'https://b.test/b.zip'}]}\n",
	       NULL,
	       "intel: {feeds: [{name: b, url: 'https://m.test/b.json', format: pmg-index,"
	       " pubkeys: [K]}, {name: c, url: 'file:///c'}]}\n",
	       &o);
	assert_int_equal(o.r, 0);
	feeds = pmg_config_feeds(&o.config.intel, &n);
	assert_int_equal(n, 3);
	assert_string_equal(feeds[0].url, "https://a.test/a.zip");
	assert_null(feeds[0].file);
	assert_string_equal(feeds[1].url, "https://m.test/b.json");
	assert_string_equal(feeds[1].pubkeys.v[0], "K");
	assert_string_equal(feeds[1].file, "/m.yml");
	assert_string_equal(feeds[2].name, "c");
}

/* Ages of a file become entries of its layer, once each. */
static const struct {
	const char *user, *project, *managed;
	const char *ages; /* "LAYER PURL SECONDS" */
	const char *note; /* behind the path; NULL: none */
} age_rows[] = {
	{ "", NULL, NULL, "", NULL },
	{ "dependency_cooldown: {days: 2}\n", NULL, NULL, "0 * 172800;", NULL },
	{ "dependency_cooldown: {age: 36h}\n", "dependency_cooldown: {days: 1}\n", NULL,
	  "0 * 129600;1 * 86400;", NULL },
	{ "dependency_cooldown: {age: 36h}\n", "dependency_cooldown: {days: 3}\n", NULL,
	  "0 * 129600;1 * 259200;",
	  ":2: dependency_cooldown.age does not hold: the project's file (" },
	{ "dependency_cooldown: {days: 2}\n", NULL,
	  "dependency_cooldown: {age: 1w, ages: [{purl: 'pkg:npm/*', age: 1d}]}\n",
	  "0 * 172800;2 * 604800;2 pkg:npm/* 86400;",
	  ":2: dependency_cooldown.days does not hold: managed policy (/m.yml:2)" },
	{ "dependency_cooldown: {days: 9}\n", NULL, "dependency_cooldown: {age: 1w}\n",
	  "0 * 777600;2 * 604800;", NULL },
	{ "", NULL, "dependency_cooldown: {ages: [{purl: 'pkg:npm/*', age: 0d}]}\n",
	  "2 pkg:npm/* 0;", NULL },
};

static void ages_of_all_files_stay_with_their_layers(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(age_rows); i++) {
		pmg_auto(outcome) struct outcome o = { 0 };
		pmg_auto(str) struct pmg_str got = PMG_STR_INIT(4096);

		narrow(age_rows[i].user, age_rows[i].project, age_rows[i].managed, &o);
		assert_int_equal(o.r, 0);
		for (k = 0; k < o.config.packages.ages.n; k++) {
			const struct pmg_packages_entry *e = &o.config.packages.ages.v[k];

			assert_int_equal(pmg_str_addf(&got, "%d %s %llu;", e->layer,
						      e->purl ? e->purl : "*",
						      (unsigned long long)e->age_s),
					 0);
		}
		assert_string_equal(got.len ? got.s : "", age_rows[i].ages);
		assert_int_equal(o.notes.n, age_rows[i].note ? 1 : 0);
		if (age_rows[i].note)
			assert_true(
				pmg_str_has_prefix(o.notes.v[0] + strlen(file), age_rows[i].note));
	}
}

/* One entry of the user's in each list, against what managed policy says. */
static const struct {
	const char *managed;
	size_t skip, trusted, overrides, notes;
	bool managed_wait;
} waiver_rows[] = {
	{ NULL, 1, 1, 1, 0, false },
	{ "verbosity: normal\n", 1, 1, 1, 0, false },
	{ "dependency_cooldown: {mode: fail}\n", 1, 1, 1, 0, false },
	{ "dependency_cooldown: {enabled: false}\n", 1, 1, 1, 0, false },
	{ "dependency_cooldown: {enabled: true}\n", 0, 1, 1, 1, true },
	{ "dependency_cooldown: {days: 7}\n", 0, 1, 1, 1, true },
	{ "dependency_cooldown: {age: 7d}\n", 0, 1, 1, 1, true },
	{ "dependency_cooldown: {ages: [{purl: 'pkg:npm/x', age: 7d}]}\n", 0, 1, 1, 1, true },
	{ "global_lockdown: true\n", 0, 0, 0, 3, true },
	/* its own hold */
	{ "dependency_cooldown: {skip: [{purl: 'pkg:npm/y'}]}\n", 2, 1, 1, 0, false },
	{ "dependency_cooldown: {days: 7, skip: [{purl: 'pkg:npm/y'}]}\n", 1, 1, 1, 1, true },
	{ "global_lockdown: true\ntrusted_packages: [{purl: 'pkg:npm/y'}]\n"
	  "intel: {overrides: [{ecosystem: npm, name: y, version: 1.0.0, id: M, reason: r}]}\n",
	  0, 1, 1, 3, true },
};

static void what_users_waive_holds_as_far_as_managed_policy_lets_it(void **state)
{
	static const char user[] = "trusted_packages: [{purl: 'pkg:npm/x'}]\n"
				   "dependency_cooldown: {skip: [{purl: 'pkg:npm/x'}]}\n"
				   "intel: {overrides: [{ecosystem: npm, name: x, version: 1.0.0, "
				   "id: M, reason: r}]}\n";
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(waiver_rows); i++) {
		pmg_auto(outcome) struct outcome o = { 0 };
		const struct pmg_packages *p = &o.config.packages;

		narrow(user, NULL, waiver_rows[i].managed, &o);
		assert_int_equal(o.r, 0);
		if (p->skip.n != waiver_rows[i].skip || p->trusted.n != waiver_rows[i].trusted ||
		    p->overrides.n != waiver_rows[i].overrides ||
		    o.notes.n != waiver_rows[i].notes ||
		    p->managed_wait != waiver_rows[i].managed_wait)
			fail_msg("row %zu: %zu %zu %zu, %zu notes", i, p->skip.n, p->trusted.n,
				 p->overrides.n, o.notes.n);
	}
	assert_int_equal(PMG_PACKAGES_USER, 0); /* what was read is the user's */
}

static void quiet_goes_no_lower_than_managed_policy(void **state)
{
	pmg_auto(outcome) struct outcome o = { 0 };

	(void)state;
	narrow("verbosity: silent\n", NULL, "verbosity: normal\n", &o);
	assert_int_equal(o.config.verbosity, PMG_VERBOSITY_NORMAL);
	assert_int_equal(o.config.least_verbosity, PMG_VERBOSITY_NORMAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_each_key_and_file_the_stricter_value_counts),
		cmocka_unit_test(every_key_of_the_configuration_has_a_rule),
		cmocka_unit_test(every_rule_stands_in_the_manual),
		cmocka_unit_test(what_a_manager_gets_can_be_narrowed_and_not_swapped),
		cmocka_unit_test(a_name_of_managed_policys_templates_is_looked_up_there),
		cmocka_unit_test(registries_of_both_count),
		cmocka_unit_test(feeds_of_both_count_and_of_a_name_managed_policys),
		cmocka_unit_test(ages_of_all_files_stay_with_their_layers),
		cmocka_unit_test(what_users_waive_holds_as_far_as_managed_policy_lets_it),
		cmocka_unit_test(quiet_goes_no_lower_than_managed_policy),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
