/*
 * What a run spends until it has a policy: a profile that inherits, with a preset of the user's
 * and a built-in one, an overlay and two --sandbox-allow, from their files to sealed rules. Prints
 * medians of rounds in milliseconds, of the clock and of CPU: on a busy machine the second one
 * means something.
 *
 *   policy_bench FOLDER    an empty folder of the caller's
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/path.h"
#include "policy/build.h"

#define ROUNDS 201

static const char profile[] = "schema_version: 1\n"
			      "name: mine\n"
			      "inherits: npm\n"
			      "presets: [vite, own]\n"
			      "filesystem:\n"
			      "  allow_read: [\"${HOME}/.config/acme/**\"]\n"
			      "  deny_read: [\"${PROJECT}/secrets\"]\n"
			      "network: {script_outbound: [\"*.acme.test:443\"]}\n"
			      "environment: {allow: [ACME_HOME]}\n";
static const char preset[] = "schema_version: 1\n"
			     "kind: preset\n"
			     "name: own\n"
			     "filesystem: {allow_write: [\"${PROJECT}/gen/**\"]}\n"
			     "network: {allow_bind: [\"127.0.0.1:3000\"]}\n";
static const char entries[] = "entries:\n"
			      "  - {type: write, value: \"${PROJECT}/.astro/**\", reason: cache}\n"
			      "  - {type: read, value: \"${HOME}/notes/a.txt\"}\n"
			      "  - {type: preset, value: git}\n"
			      "  - {type: env, value: NPM_TOKEN, for: [npm]}\n";

static void must(int r, const struct pmg_err *err)
{
	if (r >= 0)
		return;
	(void)fprintf(stderr, "%s\n", err->msg);
	exit(1);
}

static void put(const char *folder, const char *name, const char *text)
{
	pmg_autofree char *path = pmg_path_join(folder, name);
	pmg_autofree char *dir = pmg_path_dir(path);
	struct pmg_err err = PMG_ERR_INIT;

	must(pmg_io_mkdirs(dir, 0700, &err), &err);
	must(pmg_io_replace(path, text, strlen(text), 0600, &err), &err);
}

static void put_overlay(const char *config, const char *project)
{
	pmg_autofree char *text =
		pmg_xasprintf("schema_version: 1\nrepository: %s\n%s", project, entries);
	char hash[PMG_SHA256_HEX];
	pmg_autofree char *name = NULL;

	pmg_sha256_hex(project, strlen(project), hash);
	name = pmg_xasprintf("overlays/%s.yml", hash);
	put(config, name, text);
}

static double now_ms(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct took {
	double wall[ROUNDS], cpu[ROUNDS];
};

static void build_once(const struct pmg_policy_want *want, struct took *took, size_t round)
{
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	double wall = now_ms(CLOCK_MONOTONIC), cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);

	must(pmg_policy_build(want, &policy, &err), &err);
	took->cpu[round] = now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	took->wall[round] = now_ms(CLOCK_MONOTONIC) - wall;
}

static double median(double *v)
{
	qsort(v, ROUNDS, sizeof *v, by_value);
	return v[ROUNDS / 2];
}

static void facts_of(struct pmg_policy_facts *facts)
{
	facts->manager = facts->tool = "npm";
	facts->cwd = facts->repository = facts->project;
	facts->tmp = "/tmp";
	pmg_strv_addf(&facts->caches, "%s/.npm", facts->home);
	pmg_strv_addf(&facts->stores, "%s/.local/share/pnpm/store", facts->home);
	pmg_strv_addf(&facts->prefixes, "%s/.npm-global", facts->home);
	pmg_strv_addf(&facts->programs, "%s/.nvm/versions/node/v22", facts->home);
	pmg_strv_addf(&facts->configs, "%s/.npmrc", facts->home);
	pmg_strv_addf(&facts->git_configs, "%s/.gitconfig", facts->home);
	pmg_strv_addf(&facts->git_dirs, "%s/.git", facts->project);
	pmg_strv_addf(&facts->hooks, "%s/.husky/_", facts->project);
}

int main(int argc, char **argv)
{
	pmg_autofree char *home = argc == 2 ? pmg_path_real(argv[1]) : NULL;
	pmg_autofree char *project = home ? pmg_path_join(home, "project") : NULL;
	pmg_autofree char *config = home ? pmg_path_join(home, ".config/pmg") : NULL;
	pmg_auto(policy_facts) struct pmg_policy_facts facts = { .home = home,
								 .project = project,
								 .config_dir = config };
	pmg_auto(strv) struct pmg_strv allows = { 0 };
	struct pmg_policy_want want = { .facts = &facts, .profile = "mine", .allows = &allows };
	static struct took took;
	size_t i;

	if (!home) {
		(void)fprintf(stderr, "usage: policy_bench FOLDER\n");
		return 2;
	}
	put(project, "package.json", "{}\n");
	put(config, "profiles/mine.yml", profile);
	put(config, "presets/own.yml", preset);
	put_overlay(config, project);
	facts_of(&facts);
	pmg_strv_add(&allows, "read=.env");
	pmg_strv_add(&allows, "write=dist/");
	for (i = 0; i < ROUNDS; i++)
		build_once(&want, &took, i);
	(void)printf("%.3f %.3f\n", median(took.wall), median(took.cpu));
	return 0;
}
