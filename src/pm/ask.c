#include "pm/ask.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/str.h"
#include "conf/dirs.h"
#include "pm/facts.h"
#include "pm/pip_priv.h"

#define ANSWER_MAX     262144U
#define CACHE_MAX      262144U
#define TIMEOUT_MS     30000U
#define FUTURE_SLACK_S 3600
/* A shim stays the same file when what it starts does not. */
#define AGE_MAX_S (30 * INT64_C(86400))

/* Which file the program really is, so that another one is asked anew. */
static char *identity(const char *program)
{
	pmg_autofree char *real = pmg_path_real(program);
	struct stat st;

	if (!real || stat(real, &st) < 0)
		return NULL;
	return pmg_xasprintf("%s %llu:%llu %lld %lld.%09ld %lld.%09ld", real,
			     (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
			     (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			     st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
}

/* The cache: {"ID PROGRAM": {"file": IDENTITY, "asked": SECONDS, "registries": [TEXT]}} */
static struct json_t *load_cache(const char *path)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	struct json_t *json = NULL;
	size_t len = 0;

	/* A cache that cannot be used is only a question more. */
	if (pmg_io_slurp(path, CACHE_MAX, &text, &len, &err) < 0 ||
	    pmg_json_parse(path, text, len, &json, &err) < 0)
		return pmg_json_object();
	if (!pmg_json_is_object(json)) {
		pmg_json_free(json);
		return pmg_json_object();
	}
	return json;
}

static bool from_cache(const struct json_t *cache, const char *key, const char *file,
		       struct pmg_strv *out)
{
	const struct json_t *entry = pmg_json_get(cache, key);
	const struct json_t *list = pmg_json_get(entry, "registries");
	int64_t age = pmg_clock_now() - pmg_json_int(entry, "asked");
	size_t i;

	if (!pmg_streq(pmg_json_str(entry, "file"), file) || age > AGE_MAX_S ||
	    age < -FUTURE_SLACK_S)
		return false;
	for (i = 0; i < pmg_json_len(list); i++)
		if (pmg_json_text(pmg_json_at(list, i)))
			pmg_strv_add(out, pmg_json_text(pmg_json_at(list, i)));
	return out->n > 0;
}

static void to_cache(const char *dir, const char *path, struct json_t *cache, const char *key,
		     const char *file, const struct pmg_strv *answers)
{
	struct json_t *entry = pmg_json_object();
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;

	pmg_json_set_str(entry, "file", file);
	pmg_json_set_int(entry, "asked", pmg_clock_now());
	pmg_json_set(entry, "registries", pmg_json_strv(answers));
	pmg_json_set(cache, key, entry);
	text = pmg_json_dump(cache);
	if (strlen(text) > CACHE_MAX || pmg_dirs_make(dir, &err) < 0 ||
	    pmg_io_replace(path, text, strlen(text), 0600, &err) < 0)
		pmg_log_debug("answers not kept: %s", err.msg);
}

/* In the folder of the run, which goes whatever becomes of us, or the cache; where that cannot be
 * written (a sealed home), among the temporary files. */
static int make_empty(const struct pmg_place *place, char **out, struct pmg_err *err)
{
	const char *tmp = pmg_env_get(place->env, "TMPDIR");
	const char *in = place->run_dir ? place->run_dir : place->cache_dir;
	pmg_autofree char *dir = pmg_path_join(in, "ask.XXXXXX");
	struct pmg_err sealed = PMG_ERR_INIT;

	if (pmg_dirs_make(in, &sealed) < 0 || !mkdtemp(dir)) {
		free(dir);
		dir = pmg_path_join(tmp && tmp[0] == '/' ? tmp : "/tmp", "pmg-ask.XXXXXX");
		if (!mkdtemp(dir))
			return pmg_err_set(err, PMG_E_SYS, errno, "make folder %s", dir);
	}
	*out = pmg_steal_ptr(&dir);
	return 0;
}

/* An empty project, so that no search upward finds another one. */
static int make_folder(const struct pmg_place *place, char **out, struct pmg_err *err)
{
	pmg_autofree char *dir = NULL;
	pmg_autofree char *manifest = NULL;
	pmg_autofree char *workspace = NULL;
	static const char yaml[] = "packages: ['.']\n";
	int r;

	r = make_empty(place, &dir, err);
	if (r < 0)
		return r;
	manifest = pmg_path_join(dir, "package.json");
	workspace = pmg_path_join(dir, "pnpm-workspace.yaml");
	r = pmg_io_replace(manifest, "{}\n", 3, 0600, err);
	if (r == 0)
		r = pmg_io_replace(workspace, yaml, strlen(yaml), 0600, err);
	*out = pmg_steal_ptr(&dir);
	return r;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	(void)remove(path); /* what stays is empty or not ours, and in the cache folder */
	return 0;
}

/* Where corepack keeps what it downloaded: below a cache folder that the question moves away. */
static void keep_corepack(const struct pmg_place *place, struct pmg_strv *out)
{
	const char *xdg = pmg_env_get(place->env, "XDG_CACHE_HOME");
	pmg_autofree char *cache =
		xdg && xdg[0] == '/' ? pmg_xstrdup(xdg) : pmg_path_join(place->home, ".cache");
	pmg_autofree char *home = pmg_path_join(cache, "node/corepack");

	if (!pmg_env_get(out, "COREPACK_HOME"))
		pmg_env_set(out, "COREPACK_HOME", home);
}

/* What the question needs and what wrappers of version managers need to find the program. */
static void make_env(const struct pmg_question *question, const struct pmg_place *place,
		     const char *folder, const char *home, struct pmg_strv *out)
{
	static const char *const kept[] = {
		"PATH",          "PYENV_ROOT",    "PYENV_VERSION",   "ASDF_DIR",
		"ASDF_DATA_DIR", "MISE_DATA_DIR", "MISE_CONFIG_DIR", "VOLTA_HOME",
		"NVM_DIR",       "FNM_DIR",       "NODENV_ROOT",     "COREPACK_HOME"
	};
	static const char *const folders[] = { "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
					       "XDG_STATE_HOME", "TMPDIR" };
	const char *const *entry;
	const char *value;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(kept); i++) {
		value = pmg_env_get(place->env, kept[i]);
		if (value)
			pmg_env_set(out, kept[i], value);
	}
	for (i = 0; i < PMG_ARRAY_LEN(folders); i++)
		pmg_env_set(out, folders[i], folder);
	pmg_env_set(out, "HOME", home);
	pmg_env_set(out, "LC_ALL", "C.UTF-8");
	/* corepack may start what it has, but not download. */
	pmg_env_set(out, "COREPACK_ENABLE_NETWORK", "0");
	keep_corepack(place, out);
	for (entry = question->env; *entry; entry++) {
		const char *mark = strstr(*entry, "%s");

		if (mark)
			pmg_strv_addf(out, "%.*s%s%s", (int)(mark - *entry), *entry, folder,
				      mark + 2);
		else
			pmg_strv_add(out, *entry);
	}
}

/* `npx config get registry` would run a package called "config": npx itself must not be asked. */
static char *who_to_ask(const struct pmg_question *question, const struct pmg_place *place)
{
	pmg_autofree char *dir = pmg_path_dir(place->program);
	pmg_autofree char *beside = pmg_path_join(dir, question->tool);
	pmg_autofree char *python =
		question->interpreted ? pmg_pip_interpreter(place->program) : NULL;

	if (python && strcmp(pmg_path_name(python), "env") != 0)
		return pmg_steal_ptr(&python);
	if (question->interpreted)
		return pmg_env_search(place->env, "python3");
	if (strcmp(pmg_path_name(place->argv[0]), question->tool) == 0)
		return pmg_xstrdup(place->program);
	if (access(beside, X_OK) == 0)
		return pmg_steal_ptr(&beside);
	return pmg_env_search(place->env, question->tool);
}

/* @return 0 and answers in out; -PMG_E_UNSUPPORTED */
static int ask_in(const struct pmg_question *question, const char *program,
		  const struct pmg_place *place, const char *folder, const char *home,
		  struct pmg_strv *out, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv argv = { 0 };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_autofree char *said = NULL;
	struct pmg_proc proc = {
		.path = program, .cwd = folder, .max = ANSWER_MAX, .timeout_ms = TIMEOUT_MS
	};
	int status = 0, r;

	pmg_strv_add(&argv, program);
	for (const char *const *arg = question->args; *arg; arg++)
		pmg_strv_add(&argv, *arg);
	make_env(question, place, folder, home, &env);
	proc.cancel_fd = place->cancel_fd;
	proc.argv = pmg_strv_argv(&argv);
	proc.envp = pmg_strv_argv(&env);
	r = pmg_proc_capture(&proc, &said, &status, err);
	if (r < 0)
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "%s", err->msg);
	if (status == 0)
		question->read(said, out);
	if (out->n == 0)
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "no answer (wait status %d)", status);
	return 0;
}

int pmg_ask(const struct pmg_question *question, const struct pmg_place *place,
	    struct pmg_strv *out, struct pmg_err *err)
{
	pmg_autofree char *path = pmg_path_join(place->cache_dir, "defaults.json");
	pmg_autofree char *program = who_to_ask(question, place);
	pmg_autofree char *file = program ? identity(program) : NULL;
	pmg_auto(json) struct json_t *cache = NULL;
	pmg_autofree char *folder = NULL;
	pmg_autofree char *key = NULL;
	int r;

	if (!file)
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "%s: not found", question->tool);
	key = pmg_xasprintf("%s %s", question->tool, program);
	cache = load_cache(path);
	if (from_cache(cache, key, file, out))
		return 0;
	r = make_folder(place, &folder, err);
	if (r == 0)
		r = ask_in(question, program, place, folder, folder, out, err);
	/* A wrapper may need the real home to find what it starts; the question still names no
	 * configuration there. */
	if (r == -PMG_E_UNSUPPORTED)
		r = ask_in(question, program, place, folder, place->home, out, err);
	if (folder)
		(void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	if (r == 0)
		to_cache(place->cache_dir, path, cache, key, file, out);
	return r;
}

static bool has_default(const struct pmg_facts *facts, enum pmg_eco eco)
{
	size_t i;

	for (i = 0; i < facts->n_registries; i++)
		if (facts->registries[i].eco == eco && !facts->registries[i].scope &&
		    !facts->registries[i].is_replaced)
			return true;
	return false;
}

static int add_answers(const struct pmg_strv *answers, const char *what, enum pmg_eco eco,
		       struct pmg_facts *facts, struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < answers->n; i++) {
		const bool aside = pmg_str_has_prefix(answers->v[i], PMG_ASK_ASIDE " ");
		const bool has_default = facts->has_default;
		const char *space = strchr(answers->v[i], ' ');
		pmg_autofree char *scope = NULL;

		if (space && !aside)
			scope = pmg_xstrndup(answers->v[i], (size_t)(space - answers->v[i]));
		facts->has_default |= aside;
		r = pmg_facts_try_registry(facts, eco, space ? space + 1 : answers->v[i], scope,
					   what, 0, err);
		facts->has_default = has_default;
	}
	return r;
}

int pmg_ask_registries(const struct pmg_question *question, const struct pmg_place *place,
		       enum pmg_eco eco, struct pmg_facts *facts, struct pmg_err *err)
{
	pmg_autofree char *what = pmg_xasprintf("default of %s", question->tool);
	pmg_auto(strv) struct pmg_strv answers = { 0 };
	struct pmg_err why = PMG_ERR_INIT;
	int r;

	r = pmg_ask(question, place, &answers, &why);
	if (r == 0)
		return add_answers(&answers, what, eco, facts, err);
	(void)pmg_err_wrap(&why, "%s does not say which registry is built into it", question->tool);
	if (r == -PMG_E_UNSUPPORTED && has_default(facts, eco)) {
		pmg_facts_note(facts, "%s", why.msg);
		return 0;
	}
	*err = why;
	return pmg_err_hint(err, "name the registry in the manager's own configuration file");
}
