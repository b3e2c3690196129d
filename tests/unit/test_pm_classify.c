#include "pm/classify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/path.h"
#include "base/strv.h"

#define P PMG_VERB_PLAIN
#define F PMG_VERB_FETCH
#define R PMG_VERB_RUN

struct row {
	const char *line;
	enum pmg_verb verb;
};

static const struct row rows[] = {
	{ "npm", P },
	{ "npm --version", P },
	{ "npm -v", P },
	{ "npm --help", P },
	{ "npm help", P },
	{ "npm ls", P },
	{ "npm ls --json --all", P },
	{ "npm --json ls", P },
	{ "npm -g ls", P },
	{ "npm --workspace=a ls", P },
	{ "npm --prefix a list", P },
	{ "npm config get registry", P },
	{ "npm c ls -l", P },
	{ "npm get registry", P },
	{ "npm root -g", P },
	{ "npm prefix", P },
	{ "npm version", P },
	{ "npm cache verify", P },
	{ "npm pkg get name", P },
	{ "npm explain x", P },
	{ "/usr/bin/npm ls", P },
	/* every alias of install, and options before it */
	{ "npm i", F },
	{ "npm in x", F },
	{ "npm ins x", F },
	{ "npm inst x", F },
	{ "npm insta x", F },
	{ "npm instal x", F },
	{ "npm isnt x", F },
	{ "npm isnta x", F },
	{ "npm isntal x", F },
	{ "npm isntall x", F },
	{ "npm add x", F },
	{ "npm install x", F },
	{ "npm ci", F },
	{ "npm ic", F },
	{ "npm clean-install", F },
	{ "npm install-clean", F },
	{ "npm isntall-clean", F },
	{ "npm it", F },
	{ "npm cit", F },
	{ "npm sit", F },
	{ "npm install-test", F },
	{ "npm up", F },
	{ "npm upgrade", F },
	{ "npm update", F },
	{ "npm udpate", F },
	{ "npm link x", F },
	{ "npm ln x", F },
	{ "npm dedupe", F },
	{ "npm ddp", F },
	{ "npm audit", F },
	{ "npm outdated", F },
	{ "npm view x", F },
	{ "npm info x", F },
	{ "npm show x", F },
	{ "npm v x", F },
	{ "npm uninstall x", F },
	{ "npm -w a i bad", R }, /* guarded either way */
	{ "npm --prefix a i bad", F },
	{ "npm --loglevel silly i bad", F },
	{ "npm -C a i bad", F },
	{ "npm --workspace=a i bad", F },
	{ "npm -ddd i bad", F },
	{ "npm --no-save i bad", F },
	{ "npm i --no-audit bad", F },
	{ "npm -gD i bad", F },
	{ "npm -- i bad", F },
	/* runs code, or nobody can know */
	{ "npm run x", R },
	{ "npm run-script x", R },
	{ "npm test", R },
	{ "npm t", R },
	{ "npm start", R },
	{ "npm exec x", R },
	{ "npm x y", R },
	{ "npm init y", R },
	{ "npm create y", R },
	{ "npm innit y", R },
	{ "npm rebuild", R },
	{ "npm rb", R },
	{ "npm pack", R },
	{ "npm publish", R },
	{ "npm explore x", R },
	{ "npm edit x", R },
	{ "npm version patch", R },
	{ "npm config edit", R },
	{ "npm config", R },
	{ "npm cache add x", R },
	{ "npm pkg fix", R },
	{ "npm help install", R },
	{ "npm docs x", R },
	{ "npm zzz", R },
	{ "npm instal-cl", R },
	{ "npm lis", R },
	{ "npm conf get registry", R },
	{ "npm installTest", R },
	{ "npm LS", R },
	{ "npm --weird ls", R },
	{ "npm --weird i x", R },
	{ "npm ls --weird", R },
	{ "npm --color ls install", R },
	{ "npm --json=install ls", R },
	{ "npm --json false ls", R },
	{ "npm --regis x ls", R },
	{ "npm --prefix --json ls", R },
	/* an npm that does not know the option runs the word behind it */
	{ "npm -w a ls", R },
	{ "npm --name install", R },
	{ "npm --allow-git install", R },
	{ "npm -w install", R },
	{ "npm --name=x ls", P },
	/* nopt takes "=x" of a negation for a word of its own */
	{ "npm --no-preid=install", R },
	{ "npm --no-audit=install", R },
	{ "npm --color=install", R },
	{ "npm --browser= ls", R },
	{ "npm --color=false ls", P },
	/* and some options keep their word when they are negated, some do not */
	{ "npm --no-package root install", R },
	{ "npm --no-no-searchlimit install", R },
	{ "npm --tag=-- ls", R },
	{ "npm -aC install", R },
	{ "npm --no-audit ls", P },
	{ "npx x", R },
	{ "npx", R },
	{ "npx --version", P },
	{ "npx -h", P },
	{ "npx --version x", R },
	{ "npx -v -y x", R },
	/* pnpm loads .pnpmfile.cjs and switches its own version whatever the verb */
	{ "pnpm --version", R },
	{ "pnpm ls", R },
	{ "pnpm config get registry", R },
	{ "pnpm help", R },
	{ "pnpm", R },
	{ "pnpm i", F },
	{ "pnpm install", F },
	{ "pnpm add bad", F },
	{ "pnpm up", F },
	{ "pnpm -w add bad", F },
	{ "pnpm -r add bad", F },
	{ "pnpm --filter a add bad", F },
	{ "pnpm -F a add bad", F },
	{ "pnpm -C a i", F },
	{ "pnpm --dir a i", F },
	{ "pnpm -w install", F },
	{ "pnpm recursive install", F },
	{ "pnpm m i", F },
	{ "pnpm import", F },
	{ "pnpm fetch", F },
	{ "pnpm ci", F },
	{ "pnpm rebuild", F },
	{ "pnpm dlx bad", R },
	{ "pnpm create bad", R },
	{ "pnpm exec bad", R },
	{ "pnpm run x", R },
	{ "pnpm some-script", R },
	{ "pnpx bad", R },
	{ "pnx --version", R },
	{ "pn add bad", F },
	{ "bun", P },
	{ "bun --version", P },
	{ "bun -v", P },
	{ "bun --help", P },
	{ "bun i", F },
	{ "bun install --frozen-lockfile", F },
	{ "bun add x -d", F },
	{ "bun add -g x", F },
	{ "bun a x", F },
	{ "bun rm x", F },
	{ "bun pm ls", F },
	{ "bun run x", R },
	{ "bun x y", R },
	{ "bun index.ts", R },
	{ "bun -e 1", R },
	{ "bun --version x", R },
	{ "bun test", R },
	{ "bun init", R },
	{ "bun create x", R },
	{ "bun publish", R },
	{ "bunx x", R },
	{ "bunx --version", R },
	/* yarn starts what yarnPath names, whatever the verb */
	{ "yarn", F },
	{ "yarn --frozen-lockfile", F },
	{ "yarn install --immutable", F },
	{ "yarn add x -D", F },
	{ "yarn --cwd a add x", F },
	{ "yarn global add x", F },
	{ "yarn up x", F },
	{ "yarn config get registry", F },
	{ "yarn --version", F },
	{ "yarn --unknown", R },
	{ "yarn run x", R },
	{ "yarn build", R },
	{ "yarn dlx x", R },
	{ "yarn create x", R },
	{ "yarn exec x", R },
	{ "yarn node x", R },
	{ "yarn workspace a add x", R },
	{ "yarn npm publish", R },
	{ "yarnpkg add x", F },
	{ "uv", P },
	{ "uv --version", P },
	{ "uv -q cache dir", P },
	{ "uv cache clean x", P },
	{ "uv --no-cache tool list", R },
	{ "uv tool dir", P },
	{ "uv python dir", P },
	{ "uv self version", P },
	{ "uv help pip", P },
	{ "uv generate-shell-completion bash", P },
	{ "uv add x", F },
	{ "uv sync --frozen", F },
	{ "uv pip install -r x.txt", F },
	{ "uv --directory x lock", F },
	/* the interpreter in .venv is started */
	{ "uv pip list", F },
	{ "uv python list", R },
	{ "uv venv", R },
	{ "uv run x", R },
	{ "uv x", R },
	{ "uv tool run x", R },
	{ "uv tool install x", R },
	{ "uv build", R },
	{ "uv self update", R },
	{ "uv cache", R },
	{ "uv --weird cache dir", R },
	{ "uv --direc x cache dir", R },
	{ "uvx", P },
	{ "uvx --version", P },
	{ "uvx x", R },
	{ "uvx cache dir", R },
	{ "uvx --from x y", R },
	/* plugins of the project are loaded, whatever the verb */
	{ "poetry", R },
	{ "poetry --version", R },
	{ "poetry config --list", R },
	{ "poetry add x", F },
	{ "poetry -C x install", F },
	{ "poetry lock", F },
	{ "poetry run x", R },
	{ "poetry build", R },
	{ "poetry --weird add x", R },
	{ "pipx", P },
	{ "pipx --version", P },
	{ "pipx list --short", F },
	{ "pipx ensurepath", P },
	{ "pipx uninstall x", F },
	{ "pipx cache dir", P },
	{ "pipx environment", P },
	{ "pipx install x", F },
	{ "pipx install --pip-args=--pre x", F },
	{ "pipx -q upgrade-all", F },
	{ "pipx run x", R },
	{ "pipx runpip x list", R },
	{ "pipx list --outdated", R },
	{ "uv tool list --outdated", R },
	{ "pipx uninstall-all", F },
	{ "pipx list --out", R },
	{ "pipx cache", R },
	{ "pipx x", R },
	{ "pip", P },
	{ "pip --version", P },
	{ "pip3 -V", P },
	{ "pip list", P },
	{ "pip list --format=json", P },
	{ "pip freeze", P },
	{ "pip freeze -r x.txt --all", P },
	{ "pip show -f x", P },
	{ "pip -q check", P },
	{ "pip -vvv uninstall -y x", P },
	{ "pip config get global.index-url", P },
	{ "pip config --user list", P },
	{ "pip cache dir", P },
	{ "pip help install", P },
	{ "pip hash x.whl", P },
	{ "pip --no-color --disable-pip-version-check list", P },
	{ "pip install x", F },
	{ "pip --proxy u install x", F },
	{ "pip --no-cache-dir install -r x.txt", F },
	{ "pip --retries 3 download x", F },
	{ "pip wheel x", F },
	{ "pip lock x", F },
	{ "pip index versions x", F },
	{ "pip --log install list", P }, /* "install" is the log's name */
	{ "pip list --outdated", R },
	{ "pip list -o", R },
	{ "pip config edit", R },
	{ "pip config --editor x get y", R },
	{ "pip --python ./p list", R },
	{ "pip cache", R },
	{ "pip inst x", R },
	{ "pip zzz", R },
	{ "pip --weird list", R },
	/* before the verb pip knows few options, and completes their names: --local-log FILE */
	{ "pip --local list install", R },
	{ "pip --user list", R },
	{ "pip -l list install", R },
};

/* Splits a line into an owned argv. */
static void split(const char *line, struct pmg_strv *out)
{
	pmg_autofree char *copy = pmg_xstrdup(line);
	char *word, *save = NULL;

	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		pmg_strv_add(out, word);
}

static void each_line_is_what_its_verb_can_do(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv words = { 0 };
		const struct pmg_pm *pm;
		enum pmg_verb verb;

		split(rows[i].line, &words);
		pm = pmg_pm_find(pmg_path_name(words.v[0]));
		assert_non_null(pm);
		verb = pmg_pm_classify(pm, "/nowhere/tool", pmg_strv_argv(&words));
		if (verb != rows[i].verb)
			fail_msg("%s: %d, not %d", rows[i].line, (int)verb, (int)rows[i].verb);
	}
}

static void nothing_of_corepacks_is_plain(void **state)
{
	pmg_autofree char *top =
		pmg_xasprintf("%s/pmg-classify-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : ".");
	pmg_autofree char *folder = NULL;
	pmg_autofree char *link = NULL;
	char tool[] = "npm", ls[] = "ls";
	char *argv[] = { tool, ls, NULL };

	(void)state;
	assert_non_null(mkdtemp(top));
	folder = pmg_path_join(top, "corepack");
	link = pmg_path_join(folder, "npm");
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(symlink("/dev/null", link), 0);
	assert_int_equal(pmg_pm_classify(pmg_pm_find("npm"), link, argv), PMG_VERB_PLAIN);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(mkdir(link, 0700), 0); /* stands for corepack/dist/npm.js */
	assert_int_equal(pmg_pm_classify(pmg_pm_find("npm"), link, argv), PMG_VERB_RUN);
	assert_int_equal(rmdir(link), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rmdir(top), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_is_what_its_verb_can_do),
		cmocka_unit_test(nothing_of_corepacks_is_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
